use std::collections::BTreeMap;

use super::check::RunProblem;
use super::configuration::Configuration;
use super::variable;
use orrery_base::units::Seconds;
use orrery_measure::sample::Provenance;

/// The computation and communication times of one kind of processing elements, Tᵢ = Taᵢ + Tcᵢ.
#[derive(Debug, Clone, PartialEq)]
pub struct KindTimes {
    /// The kind; empty if the times are of all processing elements together.
    pub kind: String,
    /// The computation time Taᵢ.
    pub computation: Seconds,
    /// The communication time Tcᵢ.
    pub communication: Seconds,
}

/// A run of an application: its parameters, its processing elements and its time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// The file and line that it was read from, such as `HPL.out:57`; empty if they are unknown.
    pub origin: String,
    /// The part of the program that was timed, such as a call path; empty for the program as a
    /// whole.
    pub region: String,
    /// The variables by name, such as `n`; all are finite. [`variable`] lists names with a fixed
    /// meaning.
    pub variables: BTreeMap<String, f64>,
    /// The processing elements that took part.
    pub configuration: Configuration,
    /// The time of the run, T = maxᵢ Tᵢ; of a run with a metric that is no time its value
    /// ([`Metric`](super::Metric)), in its unit and not in seconds.
    pub seconds: Seconds,
    /// The computation and communication times of each kind; empty if they were not measured.
    pub parts: Vec<KindTimes>,
    /// The labels by name, such as `cooling`: `good`.
    pub labels: BTreeMap<String, String>,
}

impl Run {
    /// A run with this time, without variables and configuration.
    pub fn new(seconds: Seconds) -> Self {
        Self { seconds, ..Self::default() }
    }

    /// The value of a variable; `None` if the run does not have it.
    pub fn variable(&self, name: &str) -> Option<f64> {
        self.variables.get(name).copied()
    }

    /// The number of processes: by the configuration, otherwise by the grid, otherwise by the
    /// variable. `None` if the run has none of them.
    pub fn processes(&self) -> Option<f64> {
        if !self.configuration.shares.is_empty() {
            return Some(self.configuration.processes() as f64);
        }
        let grid = self.variable(variable::GRID_ROWS).zip(self.variable(variable::GRID_COLUMNS));
        grid.map(|(rows, columns)| rows * columns).or_else(|| self.variable(variable::PROCESSES))
    }
}

/// Runs with their provenance.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Runs {
    /// The program, the command and the sources that produced them.
    pub provenance: Provenance,
    /// The runs in the order of their sources.
    pub runs: Vec<Run>,
}

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
