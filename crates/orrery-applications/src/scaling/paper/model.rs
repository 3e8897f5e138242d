//! The complete model: N-T and P-T models, memory ranges and the adjustment.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::PaperOptions;
use super::composition::{Composition, CompositionRule};
use super::homogeneous_run::bytes_per_element;
use super::memory::{MemoryLimits, MemoryRanges, range_of};
use super::nt_model::{NtModel, least_squares};
use super::pt_model::PtModel;
use crate::run::{Configuration, Run, Share, variable};
use crate::scaling::observations::FitError;
use crate::scaling::{ElementTime, Forecast, ForecastError, Layout, Point};
use orrery_base::units::Seconds;

/// The execution-time models of the paper for one program on one cluster: T = max_i T_i, T_i = Ta_i +
/// Tc_i.
///
/// An element that runs all processes (P = M_i) has the time of its N-T model, any other (P > M_i)
/// that of the P-T model of its kind and M_i. The memory range of the model is that of 8·N²·M_i/P
/// bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct PaperModel {
    /// The kinds of processing elements.
    pub kinds: Vec<String>,
    /// The limits of the memory ranges, for kinds that have several.
    pub limits: Vec<MemoryLimits>,
    /// The N-T models, ordered by kind, M_i, range and P.
    pub nt_models: Vec<NtModel>,
    /// The P-T models, ordered by kind, M_i and range.
    pub pt_models: Vec<PtModel>,
    /// The kinds whose P-T models were composed from another kind.
    pub compositions: Vec<Composition>,
    /// The adjustment of the P-T estimates of a kind.
    pub adjustment: Option<Adjustment>,
    /// The variables that were constant in all runs, such as the block size.
    pub constants: BTreeMap<String, f64>,
    /// The number of homogeneous runs that the models were fitted to.
    pub runs: usize,
    /// The runs that are in no N-T model because their memory range has too few sizes.
    pub unused: Vec<String>,
}

/// The estimated time of an element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ElementEstimate {
    pub(super) seconds: f64,
    /// True if N, P or the memory is outside the fitted range.
    pub(super) extrapolated: bool,
}

impl PaperModel {
    /// The options by which the model was fitted, without an adjustment; `undivided` if runs lack
    /// their parts.
    pub(in crate::scaling) fn options(&self, undivided: bool) -> PaperOptions {
        let rule = |composition: &Composition| CompositionRule {
            kind: composition.kind.clone(),
            from: composition.from.clone(),
            scales: (!composition.estimated)
                .then_some((composition.computation, composition.communication)),
        };
        PaperOptions {
            memory: MemoryRanges::At(self.limits.clone()),
            compositions: self.compositions.iter().map(rule).collect(),
            adjustment: None,
            undivided,
        }
    }

    /// The time T_i of an element in seconds, for problem size N, P processes in total and M_i on
    /// the element; `None` if no model covers it or the time is not positive.
    pub fn element_seconds(
        &self,
        kind: &str,
        size: f64,
        processes: u64,
        per_element: u32,
    ) -> Option<f64> {
        self.element(kind, size, processes, per_element).ok().map(|element| element.seconds)
    }

    /// The time of a run at a point: that of its slowest kind, without an interval.
    ///
    /// # Errors
    ///
    /// If the size or the configuration is missing, a kind is unknown, no model covers an element,
    /// or a model yields a time that is not positive.
    pub fn forecast(&self, point: &Point) -> Result<Forecast, ForecastError> {
        if let Some((name, &value)) = point.variables.iter().find(|(_, value)| !value.is_finite()) {
            return Err(ForecastError::invalid(name, value));
        }
        let missing = |name: &str| ForecastError::missing([name]);
        let size = *point
            .variables
            .get(variable::PROBLEM_SIZE)
            .ok_or_else(|| missing(variable::PROBLEM_SIZE))?;
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
        Ok(Forecast {
            seconds: Seconds::new(seconds),
            interval: None,
            extrapolated,
            slowest_kind: slowest,
        })
    }

    /// The estimated time of an element of a kind: by its N-T model if it runs all processes, else
    /// by its P-T model.
    fn element(
        &self,
        kind: &str,
        size: f64,
        processes: u64,
        per_element: u32,
    ) -> Result<ElementEstimate, ForecastError> {
        if !self.kinds.iter().any(|known| known == kind) {
            return Err(ForecastError::unknown_kind(kind, &self.kinds));
        }
        let range = range_of(&self.limits, kind, bytes_per_element(size, processes, per_element));
        let found = if processes == u64::from(per_element) {
            self.nt_estimate(kind, size, per_element, range)
        } else {
            self.pt_estimate(kind, size, processes, per_element, range)
        };
        let found = found.ok_or_else(|| {
            ForecastError::Other(format!(
                "no model covers {kind} with {per_element} processes per element and {processes} \
                    in total; measure such runs, or compose its models from another kind"
            ))
        })?;
        let seconds = found.seconds;
        if seconds.is_finite() && seconds > 0.0 {
            return Ok(found);
        }
        Err(ForecastError::Other(format!(
            "the model of {kind} yields {seconds} s for N = {size}, P = {processes}, {per_element} \
                processes per element, because its polynomials may become negative; measure runs \
                closer to this point"
        )))
    }

    /// The estimate of the N-T model, for P = M_i, of the nearest memory range; `None` if the kind
    /// has no such model.
    fn nt_estimate(
        &self,
        kind: &str,
        size: f64,
        per_element: u32,
        range: usize,
    ) -> Option<ElementEstimate> {
        let matches = |model: &&NtModel| {
            model.kind == kind
                && model.per_element == per_element
                && model.processes == u64::from(per_element)
        };
        let model = self
            .nt_models
            .iter()
            .filter(matches)
            .min_by_key(|model| model.range.abs_diff(range))?;
        let seconds =
            model.coefficients().computation_at(size) + model.coefficients().communication_at(size);
        let measured = model.sizes.first()?..=model.sizes.last()?;
        Some(ElementEstimate {
            seconds,
            extrapolated: model.range != range || !measured.contains(&&size),
        })
    }

    /// The estimate of the P-T model, for P > M_i, of the nearest memory range, after the
    /// adjustment; `None` if the kind has no such model.
    fn pt_estimate(
        &self,
        kind: &str,
        size: f64,
        processes: u64,
        per_element: u32,
        range: usize,
    ) -> Option<ElementEstimate> {
        let matches = |model: &&PtModel| {
            model.kind == kind
                && model.per_element == per_element
                && processes > u64::from(per_element)
        };
        let model = self
            .pt_models
            .iter()
            .filter(matches)
            .min_by_key(|model| model.range.abs_diff(range))?;
        let seconds =
            model.computation_at(size, processes) + model.communication_at(size, processes);
        let seconds =
            self.adjustment.as_ref().map_or(seconds, |a| a.apply(kind, per_element, seconds));
        let sizes = model.sizes.0..=model.sizes.1;
        let counts = model.processes.0..=model.processes.1;
        let measured = model.range == range && sizes.contains(&size) && counts.contains(&processes);
        Some(ElementEstimate { seconds, extrapolated: !measured })
    }
}

/// The element times of a [`PaperModel`] for one problem size, for a search.
#[derive(Debug, Clone, Copy)]
pub struct PaperTimes<'a> {
    /// The model.
    pub model: &'a PaperModel,
    /// The kinds of the cluster, in its order.
    pub kinds: &'a [String],
    /// The problem size N.
    pub size: f64,
}

impl ElementTime for PaperTimes<'_> {
    fn seconds(&self, kind: usize, processes: u32, layout: Layout) -> Option<f64> {
        self.model.element_seconds(
            self.kinds.get(kind)?,
            self.size,
            u64::from(layout.processes),
            processes,
        )
    }
}

/// The measurements to which the estimates of a kind are adjusted: runs of one size with fixed
/// elements of the other kinds.
#[derive(Debug, Clone, PartialEq)]
pub struct AdjustmentRule {
    /// The kind.
    pub kind: String,
    /// The least number of processes on each element whose estimates are adjusted.
    pub from_processes: u32,
    /// The problem size N of the runs.
    pub size: f64,
    /// The other elements in the runs, such as `pentium-ii=8x1`.
    pub beside: Configuration,
}

/// A linear transformation of the P-T estimates of one kind: T_i' = a + b·T_i if M_i is at least
/// `from_processes`.
///
/// The paper transforms the estimates of configurations. Here the estimates of the kind's elements
/// are transformed, so that T = max_i T_i still holds; if the kind is the slowest, the results are
/// equal. N-T models of single elements are not adjusted because they are direct fits. Source:
/// Kishimoto, Ichikawa (2004), section 4.1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adjustment {
    /// The kind.
    pub kind: String,
    /// The least M_i that it applies to.
    pub from_processes: u32,
    /// a in seconds.
    pub intercept: f64,
    /// b.
    pub slope: f64,
    /// The number of runs that it was fitted to.
    #[serde(default)]
    pub runs: usize,
}

impl Adjustment {
    /// The time of an element after the adjustment; unchanged for other kinds and for fewer
    /// processes on each element.
    pub(super) fn apply(&self, kind: &str, per_element: u32, seconds: f64) -> f64 {
        let applies = self.kind == kind && per_element >= self.from_processes;
        if applies { self.intercept + self.slope * seconds } else { seconds }
    }

    /// Fits measured times to the estimates of the kind's elements by least squares, over the runs
    /// of the rule.
    pub(super) fn fit(
        rule: &AdjustmentRule,
        runs: &[&Run],
        model: &PaperModel,
    ) -> Result<Self, FitError> {
        if !model.kinds.contains(&rule.kind) {
            return Err(FitError::unknown_kind(&rule.kind, &model.kinds));
        }
        let (mut rows, mut times) = (Vec::new(), Vec::new());
        for run in runs.iter().filter(|run| run.variable(variable::PROBLEM_SIZE) == Some(rule.size))
        {
            let Some(per_element) = matching_processes(rule, &run.configuration) else { continue };
            let processes = run.configuration.processes();
            let seconds = model.element(&rule.kind, rule.size, processes, per_element)?.seconds;
            rows.push([1.0, seconds]);
            times.push(run.seconds.get());
        }
        let Some([intercept, slope]) = least_squares(&rows, &times) else {
            let AdjustmentRule { kind, from_processes, size, beside } = rule;
            return Err(FitError::Other(format!(
                "the adjustment of {kind} from {from_processes} processes per element requires two \
                    runs with different estimates at N = {size} together with {beside}, found {}; \
                    measure more, with other numbers of processes per element",
                rows.len()
            )));
        };
        let (kind, from_processes) = (rule.kind.clone(), rule.from_processes);
        Ok(Self { kind, from_processes, intercept, slope, runs: rows.len() })
    }
}

/// M_i of the kind; `None` if the configuration does not match the rule.
fn matching_processes(rule: &AdjustmentRule, configuration: &Configuration) -> Option<u32> {
    let sorted = |shares: &[Share]| {
        let mut others: Vec<Share> =
            shares.iter().filter(|share| share.kind != rule.kind).cloned().collect();
        others.sort();
        others
    };
    let share = configuration.share(&rule.kind)?;
    let same = sorted(&configuration.shares) == sorted(&rule.beside.shares);
    (same && share.processes >= rule.from_processes).then_some(share.processes)
}
