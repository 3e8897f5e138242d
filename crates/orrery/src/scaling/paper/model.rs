use std::collections::BTreeMap;

use super::memory::range_of;
use super::{Adjustment, Composition, MemoryLimits, NtModel, PaperError, PtModel, bytes_per_element};
use crate::run::variable;
use crate::scaling::{Forecast, Point, ScalingError};
use crate::units::Seconds;

/// The execution-time models of the paper for one program on one cluster: T = max_i T_i, T_i = Ta_i + Tc_i.
///
/// An element on which all processes run (P = M_i) has the time of its N-T model, any other (P > M_i) that of the P-T model
/// of its kind and M_i, both of the memory range that 8·N²·M_i/P bytes lie in.
#[derive(Debug, Clone, PartialEq)]
pub struct PaperModel {
    /// The kinds of processing elements that it knows.
    pub kinds: Vec<String>,
    /// The limits between memory ranges, for kinds that have several.
    pub limits: Vec<MemoryLimits>,
    /// The N-T models, ordered by kind, M_i, range and P.
    pub nt_models: Vec<NtModel>,
    /// The P-T models, ordered by kind, M_i and range.
    pub pt_models: Vec<PtModel>,
    /// Which kinds took their P-T models from which.
    pub compositions: Vec<Composition>,
    /// What the estimates of a kind by its P-T models are adjusted by.
    pub adjustment: Option<Adjustment>,
    /// The variables that had one value in all runs, such as the block size.
    pub constants: BTreeMap<String, f64>,
    /// How many homogeneous runs it rests on.
    pub runs: usize,
    /// Runs that are in no N-T model: too few sizes of their configuration lie in their memory range.
    pub unused: Vec<String>,
}

/// The time of an element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Element {
    pub(super) seconds: f64,
    /// Whether N, P or the memory lies outside of what the model was fitted to.
    pub(super) extrapolated: bool,
}

impl PaperModel {
    /// T_i in seconds of an element of a kind, for size N, P processes in all and M_i of them on the element; `None` where
    /// the model says nothing of it, or what it says is no time.
    pub fn element_seconds(&self, kind: &str, size: f64, processes: u64, per_element: u32) -> Option<f64> {
        self.element(kind, size, processes, per_element).ok().map(|element| element.seconds)
    }

    /// How long a run at this point takes: the time of its slowest kind, without an interval.
    ///
    /// # Errors
    ///
    /// When the size or the configuration is missing, a kind is unknown, no model covers an element, or a model gives a time
    /// that is not above 0.
    pub fn forecast(&self, point: &Point) -> Result<Forecast, ScalingError> {
        if let Some((name, &value)) = point.variables.iter().find(|(_, value)| !value.is_finite()) {
            return Err(ScalingError::Value { run: "the question".to_owned(), name: name.clone(), value });
        }
        let missing = |name: &str| ScalingError::NotGiven { name: name.to_owned() };
        let size = *point.variables.get(variable::PROBLEM_SIZE).ok_or_else(|| missing(variable::PROBLEM_SIZE))?;
        let processes = point.configuration.processes();
        let other = |(name, value): (&String, &f64)| {
            point.variables.get(name).is_some_and(|given| given.total_cmp(value).is_ne())
        };
        let mut extrapolated = self.constants.iter().any(other);
        let mut slowest: Option<(f64, &str)> = None;
        for share in &point.configuration.shares {
            let element = self.element(&share.kind, size, processes, share.processes)?;
            extrapolated |= element.extrapolated;
            if slowest.is_none_or(|(longest, _)| element.seconds > longest) {
                slowest = Some((element.seconds, &share.kind));
            }
        }
        let (seconds, kind) = slowest.ok_or_else(|| missing("configuration"))?;
        let slowest = Some(kind.to_owned());
        Ok(Forecast { seconds: Seconds::new(seconds), interval: None, extrapolated, slowest_kind: slowest })
    }

    pub(super) fn element(
        &self,
        kind: &str,
        size: f64,
        processes: u64,
        per_element: u32,
    ) -> Result<Element, ScalingError> {
        if !self.kinds.iter().any(|known| known == kind) {
            return Err(ScalingError::UnknownKind { kind: kind.to_owned(), kinds: self.kinds.clone() });
        }
        let range = range_of(&self.limits, kind, bytes_per_element(size, processes, per_element));
        let found = if processes == u64::from(per_element) {
            self.alone(kind, size, per_element, range)
        } else {
            self.among(kind, size, processes, per_element, range)
        };
        let kind = || kind.to_owned();
        let unmodelled = || PaperError::Unmodelled { kind: kind(), per_element, processes };
        let Element { seconds, extrapolated } = found.ok_or_else(unmodelled)?;
        if seconds.is_finite() && seconds > 0.0 {
            Ok(Element { seconds, extrapolated })
        } else {
            Err(PaperError::NoTime { kind: kind(), size, processes, per_element, seconds }.into())
        }
    }

    /// By the N-T model, P = M_i.
    fn alone(&self, kind: &str, size: f64, per_element: u32, range: usize) -> Option<Element> {
        let fits = |model: &&NtModel| {
            model.kind == kind && model.per_element == per_element && model.processes == u64::from(per_element)
        };
        let model = self.nt_models.iter().filter(fits).min_by_key(|model| model.range.abs_diff(range))?;
        let seconds = model.coefficients.computation_at(size) + model.coefficients.communication_at(size);
        let measured = model.sizes.first()?..=model.sizes.last()?;
        Some(Element { seconds, extrapolated: model.range != range || !measured.contains(&&size) })
    }

    /// By the P-T model, P > M_i.
    fn among(&self, kind: &str, size: f64, processes: u64, per_element: u32, range: usize) -> Option<Element> {
        let fits = |model: &&PtModel| {
            model.kind == kind && model.per_element == per_element && processes > u64::from(per_element)
        };
        let model = self.pt_models.iter().filter(fits).min_by_key(|model| model.range.abs_diff(range))?;
        let seconds = model.computation_at(size, processes) + model.communication_at(size, processes);
        let seconds = self.adjustment.as_ref().map_or(seconds, |a| a.apply(kind, per_element, seconds));
        let sizes = model.sizes.0..=model.sizes.1;
        let counts = model.processes.0..=model.processes.1;
        let measured = model.range == range && sizes.contains(&size) && counts.contains(&processes);
        Some(Element { seconds, extrapolated: !measured })
    }
}
