use std::collections::BTreeMap;

use super::check::RunProblem;
use super::configuration::Configuration;
use super::record::Run;
use super::variable;
use orrery_base::units::Seconds;
use orrery_measure::sample::Provenance;

/// A run to be made.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlanEntry {
    /// The variables by name, such as `n`.
    pub variables: BTreeMap<String, f64>,
    /// The processing elements.
    pub configuration: Configuration,
    /// The predicted time, if it is known.
    pub seconds: Option<Seconds>,
}

/// Runs to be made, in order, with the provenance of the plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// The program, the command and the sources that produced the plan.
    pub provenance: Provenance,
    /// The runs.
    pub runs: Vec<PlanEntry>,
}

impl PlanEntry {
    /// Checks the run as [`Run::check`] does.
    ///
    /// # Errors
    ///
    /// The first problem.
    pub fn check(&self) -> Result<(), RunProblem> {
        self.with_time(self.seconds.unwrap_or(Seconds::new(1.0))).check()
    }

    /// The run with a measured time.
    pub fn with_time(&self, seconds: Seconds) -> Run {
        let (variables, configuration) = (self.variables.clone(), self.configuration.clone());
        Run { variables, configuration, ..Run::new(seconds) }
    }

    /// The number of processes; `None` if it is unknown.
    pub fn processes(&self) -> Option<f64> {
        self.with_time(Seconds::new(1.0)).processes()
    }

    /// The rows and columns of the process grid; one row of all processes if no grid is planned.
    /// `None` if neither the grid nor the number of processes is known.
    pub fn grid(&self) -> Option<(f64, f64)> {
        let get = |name: &str| self.variables.get(name).copied();
        get(variable::GRID_ROWS)
            .zip(get(variable::GRID_COLUMNS))
            .or(self.processes().map(|processes| (1.0, processes)))
    }

    /// Returns true if a run has the same configuration and the planned values of the variables.
    pub fn matches(&self, run: &Run) -> bool {
        let same = |(name, value): (&String, &f64)| {
            run.variable(name).is_some_and(|own| own.total_cmp(value).is_eq())
        };
        sorted(&self.configuration) == sorted(&run.configuration) && self.variables.iter().all(same)
    }
}

/// A configuration with its kinds in alphabetical order.
fn sorted(configuration: &Configuration) -> Configuration {
    let mut configuration = configuration.clone();
    configuration.shares.sort();
    configuration
}
