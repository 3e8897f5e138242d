use std::collections::BTreeMap;

use super::super::observations::name;
use super::{PaperError, bytes_per_element};
use crate::run::{Configuration, Run, Share, variable};
use crate::scaling::ScalingError;

/// The variables that the models take; all others must not vary.
const TAKEN: [&str; 4] =
    [variable::PROBLEM_SIZE, variable::PROCESSES, variable::GRID_COLUMNS, variable::PROCESSES_PER_ELEMENT];

/// What a homogeneous run says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reading {
    /// The run as errors name it.
    pub(super) name: String,
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

impl Reading {
    /// The readings of the homogeneous runs, after all runs have been checked; a time that is not divided is taken as
    /// computation where that is allowed.
    pub(super) fn all(runs: &[&Run], undivided: bool) -> Result<Vec<Self>, ScalingError> {
        let first = runs.first().ok_or(ScalingError::NoRuns)?;
        let mut readings = Vec::new();
        for (place, run) in runs.iter().enumerate() {
            let this = || name(run, place);
            check(run, first, &this)?;
            let [share] = run.configuration.shares.as_slice() else { continue };
            let value = |name: &str, value: f64, least: f64| {
                let fine = value.is_finite() && value >= least;
                let refuse = || ScalingError::Value { run: this(), name: name.to_owned(), value };
                if fine { Ok(value) } else { Err(refuse()) }
            };
            let (computation, communication) = match run.parts.iter().find(|part| part.kind == share.kind) {
                Some(part) => (part.computation.get(), part.communication.get()),
                None if undivided => (run.seconds.get(), 0.0),
                None => return Err(PaperError::Undivided { run: this(), kind: share.kind.clone() }.into()),
            };
            readings.push(Self {
                name: this(),
                share: share.clone(),
                processes: run.configuration.processes(),
                size: value(
                    variable::PROBLEM_SIZE,
                    run.variable(variable::PROBLEM_SIZE).unwrap_or(f64::NAN),
                    f64::MIN_POSITIVE,
                )?,
                computation: value("the time of computation", computation, f64::MIN_POSITIVE)?,
                communication: value("the time of communication", communication, 0.0)?,
            });
        }
        if readings.is_empty() { Err(PaperError::NoHomogeneous { run: name(first, 0) }.into()) } else { Ok(readings) }
    }

    /// Bytes per element.
    pub(super) fn bytes(&self) -> f64 {
        bytes_per_element(self.size, self.processes, self.share.processes)
    }

    /// The configuration in its notation.
    pub(super) fn configuration(&self) -> String {
        Configuration { shares: vec![self.share.clone()] }.to_string()
    }
}

/// Refuses what the models cannot take.
fn check(run: &Run, first: &Run, this: &dyn Fn() -> String) -> Result<(), ScalingError> {
    let seconds = run.seconds.get();
    if !(seconds.is_finite() && seconds > 0.0) {
        return Err(ScalingError::Value { run: this(), name: "seconds".to_owned(), value: seconds });
    }
    if let Some((name, &value)) = run.variables.iter().find(|(_, value)| !value.is_finite()) {
        return Err(ScalingError::Value { run: this(), name: name.clone(), value });
    }
    let lacks = |name: &str| ScalingError::Lacks { run: this(), name: name.to_owned() };
    if run.configuration.shares.is_empty() {
        return Err(lacks("configuration"));
    }
    if run.variable(variable::PROBLEM_SIZE).is_none() {
        return Err(lacks(variable::PROBLEM_SIZE));
    }
    let mut names = first.variables.keys().chain(run.variables.keys()).filter(|name| !TAKEN.contains(&name.as_str()));
    match names.find(|name| first.variable(name) != run.variable(name)) {
        Some(name) => Err(ScalingError::Unexplained { run: this(), family: "the paper", name: name.clone() }),
        None => Ok(()),
    }
}

/// The variables that have one value in all runs.
pub(super) fn constants(runs: &[&Run]) -> BTreeMap<String, f64> {
    let first = runs.first().map(|run| run.variables.clone()).unwrap_or_default();
    first.into_iter().filter(|(name, _)| !TAKEN.contains(&name.as_str())).collect()
}
