use serde::{Deserialize, Serialize};

#[cfg(feature = "estimation")]
use super::Algorithms;
use super::algorithms::words;
use super::{AlgorithmSelection, RequestError, Roots, kinds, procs};
#[cfg(feature = "estimation")]
use crate::collective::measured::{
    CollectiveReadings, Design, KeepDefault, MeasuredChoice, MeasuredError, MeasuredModel,
    Selection,
};
use crate::collective::{Candidate, CollectiveChoice, SizeRange, choose, split_candidate};
use crate::model::{Model, ModelKind};
use crate::platform::Processor;
use crate::sample::Library;
#[cfg(feature = "estimation")]
use crate::sample::Samples;
use crate::schedule::{Algorithm, CollectiveKind};
use crate::units::Bytes;

/// The choice of the algorithm and the root of collective operations by size, by a model or by
/// measured times.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CollectiveChoiceRequest {
    /// The operations; all for an empty list.
    pub operations: Vec<CollectiveKind>,
    /// The kinds of models; all for an empty list.
    pub models: Vec<ModelKind>,
    /// The MPI library whose calls are compared; `None` for messages of Orrery.
    pub library: Option<Library>,
    /// The algorithms; of several operations those that each of them has.
    pub algorithms: AlgorithmSelection,
    /// The candidates for the root of operations with one.
    pub root: Roots,
    /// The numbers of processors; all of a model, or the only number of samples, for an empty list.
    /// With samples a single one, measured or within a factor of 2 of measured ones.
    pub procs: Vec<usize>,
    /// The smallest and the largest size; 1 B to 4 MiB of a model, all of samples, by default. With
    /// samples, the choice is at the measured sizes between them and at both.
    pub sizes: Option<(Bytes, Bytes)>,
    /// The accuracy of the sizes at which the choice changes; 1 B by default.
    pub step: Option<Bytes>,
    /// True if the fastest algorithm is chosen even where others do not differ significantly.
    pub exact: bool,
    /// The algorithm in use, which is kept unless another one is faster beyond doubt.
    pub keep: Option<Algorithm>,
    /// True if the library's own choice in samples is kept unless an interval excludes that it is
    /// faster.
    pub certain: bool,
}

/// The choice of one model for one operation: ranges of sizes.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectiveRanges {
    /// The model.
    pub model: ModelKind,
    /// The operation.
    pub operation: CollectiveKind,
    /// The MPI library whose calls are compared; `None` for messages of Orrery.
    pub library: Option<Library>,
    /// The number of processors.
    pub procs: usize,
    /// The ranges, ascending.
    pub ranges: Vec<SizeRange>,
}

/// The choices by samples.
#[cfg(feature = "estimation")]
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredChoices {
    /// The choices, by operation and size.
    pub choices: Vec<MeasuredChoice>,
    /// The operations without a choice, because they were measured on numbers of processors that
    /// are too far away.
    pub out_of_reach: Vec<(CollectiveKind, MeasuredError)>,
}

impl CollectiveChoiceRequest {
    /// Returns the choices by a model: by operation, then by kind of model, then by number of
    /// processors.
    ///
    /// # Errors
    ///
    /// When a field does not fit the model or the other fields.
    pub fn by_model(&self, model: &Model) -> Result<Vec<CollectiveRanges>, RequestError> {
        if self.certain {
            let subject = "a model, which has no measured choice of the library";
            return Err(RequestError::inapplicable("certain", subject));
        }
        if self.exact && self.keep.is_some() {
            return Err(RequestError::inapplicable("keep", "an exact choice"));
        }
        let kinds = kinds(&self.models, model)?;
        let operations = self.operations();
        if self.root != Roots::default() && !operations.iter().any(|one| one.has_root()) {
            return Err(RequestError::inapplicable("root", "an operation without root"));
        }
        let numbers =
            if self.procs.is_empty() { vec![model.processors()] } else { self.procs.clone() };
        // All fields are checked before the first choice, which may take long.
        let mut choices = Vec::new();
        for &operation in operations {
            for &number in &numbers {
                let number = procs(Some(number), model.processors())?;
                choices.push(self.choice(model, operation, number)?);
            }
        }
        let mut found = Vec::new();
        for of_operation in choices.chunks(numbers.len()) {
            for &kind in &kinds {
                for choice in of_operation {
                    let CollectiveChoice { operation, library, procs, .. } = *choice;
                    let ranges = choose(model, kind, choice)?;
                    found.push(CollectiveRanges { model: kind, operation, library, procs, ranges });
                }
            }
        }
        Ok(found)
    }

    /// Returns the choices by measured times.
    ///
    /// # Errors
    ///
    /// When a field does not apply to samples, when they have no such times, or too few.
    #[cfg(feature = "estimation")]
    pub fn by_samples(&self, samples: &Samples) -> Result<MeasuredChoices, RequestError> {
        let of_models = [
            ("models", !self.models.is_empty()),
            ("step", self.step.is_some()),
            ("exact", self.exact),
            ("keep", self.keep.is_some()),
            ("algorithms", self.algorithms.names != Algorithms::Usual),
            ("segments", self.algorithms.segments.is_some()),
            ("library", self.library.is_some()),
        ];
        if let Some((field, _)) = of_models.into_iter().find(|(_, is_given)| *is_given) {
            let subject = "samples, whose algorithms and sizes are those measured";
            return Err(RequestError::inapplicable(field, subject));
        }
        let several = |field| RequestError::missing(field, "a choice by samples", "a single one");
        let procs = match self.procs[..] {
            [] => None,
            [one] if one < 2 => {
                return Err(RequestError::invalid("procs", one, "at least 2 take part"));
            }
            [one] => Some(one),
            _ => return Err(several("procs")),
        };
        let root = match &self.root {
            Roots::Ranks(ranks) if ranks.len() <= 1 => ranks.first().copied(),
            _ => return Err(several("root")),
        };
        let selection = Selection { operations: self.operations.clone(), procs, root };
        let keep = if self.certain { KeepDefault::UnlessSlower } else { KeepDefault::IfFaster };
        let readings = CollectiveReadings::of(samples, &selection)?;
        let points = readings.points(self.sizes)?;
        let design = Design::of(&readings, [], points.iter().copied())?;
        let mut choices = MeasuredModel::of(&design, &readings)?.choices(&readings, keep);
        choices.retain(|choice| points.contains(&choice.point));
        let procs = readings.procs;
        let far = |(kind, found): (_, std::collections::BTreeSet<usize>)| {
            (kind, MeasuredError::OutOfReach { procs, found: found.into_iter().collect() })
        };
        let out_of_reach = readings.out_of_reach.into_iter().map(far).collect();
        Ok(MeasuredChoices { choices, out_of_reach })
    }

    /// The operations.
    fn operations(&self) -> &[CollectiveKind] {
        if self.operations.is_empty() { &CollectiveKind::ALL } else { &self.operations }
    }

    /// The choice for an operation of some processors.
    fn choice(
        &self,
        model: &Model,
        operation: CollectiveKind,
        procs: usize,
    ) -> Result<CollectiveChoice, RequestError> {
        let sizes = self.sizes.unwrap_or(CollectiveChoice::DEFAULT_SIZES);
        let step = self.step.unwrap_or(Bytes::new(1));
        for (field, size) in [("sizes", sizes.0), ("step", step)] {
            if size == Bytes::ZERO {
                return Err(RequestError::invalid(field, size, "it must be at least 1 byte"));
            }
        }
        if sizes.1 < sizes.0 {
            let (range, reason) = (format!("{}..{}", sizes.0, sizes.1), "it ends before it begins");
            return Err(RequestError::invalid("sizes", range, reason));
        }
        let selection = self.algorithms.part_of(self.operations(), operation);
        let algorithms = match self.library {
            None => selection.candidates(operation, procs, sizes.1)?,
            Some(library) => selection.of_library(library, operation, procs)?,
        };
        let roots = if operation.has_root() { self.root.of(procs)? } else { vec![Processor(0)] };
        // A library divides no linear operation.
        let is_linear = algorithms.contains(&Algorithm::Linear) && self.library.is_none();
        let mut candidates = Vec::new();
        for root in roots {
            candidates.extend(algorithms.iter().map(|&algorithm| Candidate { algorithm, root }));
            let split = split_candidate(model, operation, procs, root).filter(|_| is_linear);
            candidates.extend(split.filter(|split| !algorithms.contains(&split.algorithm)));
        }
        let kept = match self.keep {
            None => None,
            Some(keep) => {
                let found = candidates.iter().find(|candidate| candidate.algorithm == keep);
                let reason = || format!("the choice is among {}; keep one", words(&algorithms));
                Some(*found.ok_or_else(|| RequestError::invalid("keep", keep, reason()))?)
            }
        };
        let (library, step, merges) = (self.library, step.get(), !self.exact);
        Ok(CollectiveChoice { operation, library, procs, candidates, sizes, step, merges, kept })
    }
}
