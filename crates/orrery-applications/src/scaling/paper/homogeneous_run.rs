//! Runs on elements of one kind, from which the N-T models are fitted.

use std::collections::BTreeMap;

use crate::run::{Configuration, Run, Share, variable};
use crate::scaling::observations::{FitError, check_numbers, run_name};

/// The variables of the models; all others must be constant.
const MODEL_VARIABLES: [&str; 4] = [
    variable::PROBLEM_SIZE,
    variable::PROCESSES,
    variable::GRID_COLUMNS,
    variable::PROCESSES_PER_ELEMENT,
];

/// The computation and communication times of a run on elements of one kind.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HomogeneousRun {
    /// The name of the run in errors.
    pub(super) name: String,
    /// The elements that take part.
    pub(super) share: Share,
    /// P.
    pub(super) processes: u64,
    /// N.
    pub(super) size: f64,
    /// Ta in seconds.
    pub(super) computation: f64,
    /// Tc in seconds.
    pub(super) communication: f64,
}

impl HomogeneousRun {
    /// Validates all runs and selects the homogeneous ones. With `undivided`, a time without parts
    /// counts as computation.
    pub(super) fn all(runs: &[&Run], undivided: bool) -> Result<Vec<Self>, FitError> {
        let first = runs.first().ok_or(FitError::NoRuns)?;
        let mut selected = Vec::new();
        for (index, run) in runs.iter().enumerate() {
            let this = || run_name(run, index);
            check(run, first, &this)?;
            let [share] = run.configuration.shares.as_slice() else { continue };
            let value = |name: &str, value: f64, min: f64| {
                let is_valid = value.is_finite() && value >= min;
                is_valid.then_some(value).ok_or_else(|| FitError::invalid(&this(), name, value))
            };
            let (computation, communication) =
                match run.parts.iter().find(|part| part.kind == share.kind) {
                    Some(part) => (part.computation.get(), part.communication.get()),
                    None if undivided => (run.seconds.get(), 0.0),
                    None => {
                        let (run, kind) = (this(), share.kind.clone());
                        return Err(FitError::Undivided { run, kind });
                    }
                };
            selected.push(Self {
                name: this(),
                share: share.clone(),
                processes: run.configuration.processes(),
                size: value(
                    variable::PROBLEM_SIZE,
                    run.variable(variable::PROBLEM_SIZE).unwrap_or(f64::NAN),
                    f64::MIN_POSITIVE,
                )?,
                computation: value("the computation time", computation, f64::MIN_POSITIVE)?,
                communication: value("the communication time", communication, 0.0)?,
            });
        }
        if selected.is_empty() {
            Err(FitError::Other(format!(
                "{} and the other runs use several kinds of elements each; N-T models require runs \
                    on elements of one kind",
                run_name(first, 0)
            )))
        } else {
            Ok(selected)
        }
    }

    /// The memory per element in bytes.
    pub(super) fn bytes(&self) -> f64 {
        bytes_per_element(self.size, self.processes, self.share.processes)
    }

    /// The configuration as text.
    pub(super) fn configuration(&self) -> String {
        Configuration { shares: vec![self.share.clone()] }.to_string()
    }
}

/// Rejects runs that the models cannot use.
fn check(run: &Run, first: &Run, this: &dyn Fn() -> String) -> Result<(), FitError> {
    check_numbers(run, this)?;
    let missing = |name: &str| FitError::missing(&this(), name);
    if run.configuration.shares.is_empty() {
        return Err(missing("configuration"));
    }
    if run.variable(variable::PROBLEM_SIZE).is_none() {
        return Err(missing(variable::PROBLEM_SIZE));
    }
    let mut names = first
        .variables
        .keys()
        .chain(run.variables.keys())
        .filter(|name| !MODEL_VARIABLES.contains(&name.as_str()));
    match names.find(|name| first.variable(name) != run.variable(name)) {
        Some(name) => Err(FitError::UnsupportedVariable {
            run: this(),
            family: "the N-T and P-T models",
            name: name.clone(),
        }),
        None => Ok(()),
    }
}

/// The other variables with their values in the first run; they are constant in all runs.
pub(super) fn constants(runs: &[&Run]) -> BTreeMap<String, f64> {
    let first = runs.first().map(|run| run.variables.clone()).unwrap_or_default();
    first.into_iter().filter(|(name, _)| !MODEL_VARIABLES.contains(&name.as_str())).collect()
}

/// The memory per element of a square matrix of 8-byte numbers that is distributed evenly over P
/// processes, in bytes: 8·N²·M_i/P.
pub fn bytes_per_element(size: f64, processes: u64, per_element: u32) -> f64 {
    8.0 * size * size * f64::from(per_element) / processes as f64
}
