use std::collections::BTreeMap;

use super::{Configuration, Run, RunProblem, variable};
use crate::sample::Provenance;
use crate::units::Seconds;

/// A run that is to be made.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlanEntry {
    /// Its numbers by name, such as `n`.
    pub variables: BTreeMap<String, f64>,
    /// The processing elements that are to take part.
    pub configuration: Configuration,
    /// How long it is believed to take, where that is known.
    pub seconds: Option<Seconds>,
}

/// Runs to be made, in their order, and why.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// How it came to be.
    pub provenance: Provenance,
    /// The runs.
    pub runs: Vec<PlanEntry>,
}

impl PlanEntry {
    /// Checks that the run can be: see [`Run::check`].
    ///
    /// # Errors
    ///
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), RunProblem> {
        self.done(self.seconds.unwrap_or(Seconds::new(1.0))).check()
    }

    /// The run as one that took so long.
    pub fn done(&self, seconds: Seconds) -> Run {
        let (variables, configuration) = (self.variables.clone(), self.configuration.clone());
        Run { variables, configuration, ..Run::new(seconds) }
    }

    /// The number of processes, where something says it.
    pub fn processes(&self) -> Option<f64> {
        self.done(Seconds::new(1.0)).processes()
    }

    /// Rows and columns of the process grid: one row of all processes where there is no grid.
    pub fn grid(&self) -> Option<(f64, f64)> {
        let get = |name: &str| self.variables.get(name).copied();
        get(variable::GRID_ROWS).zip(get(variable::GRID_COLUMNS)).or(self.processes().map(|processes| (1.0, processes)))
    }

    /// Whether a run is one of this kind: with the same configuration, and with the numbers that are planned.
    pub fn is_of(&self, run: &Run) -> bool {
        let same = |(name, value): (&String, &f64)| run.variable(name).is_some_and(|own| own.total_cmp(value).is_eq());
        sorted(&self.configuration) == sorted(&run.configuration) && self.variables.iter().all(same)
    }
}

fn sorted(configuration: &Configuration) -> Configuration {
    let mut configuration = configuration.clone();
    configuration.shares.sort();
    configuration
}
