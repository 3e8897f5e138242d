use std::collections::BTreeMap;

use super::{Configuration, variable};
use crate::sample::Provenance;
use crate::units::Seconds;

/// What one kind of processing elements spent its time with, T_i = Ta_i + Tc_i.
#[derive(Debug, Clone, PartialEq)]
pub struct KindTimes {
    /// The kind; empty where the times are of all processing elements together.
    pub kind: String,
    /// Ta_i: computation.
    pub computation: Seconds,
    /// Tc_i: communication.
    pub communication: Seconds,
}

/// One run of an application.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Where it stands, such as `HPL.out:57`; empty where it is not known.
    pub origin: String,
    /// The part of the program that was timed, such as a call path; empty for the program as a whole.
    pub region: String,
    /// Its numbers by name, such as `n`: finite ones only. See [`variable`] for the names that have a meaning.
    pub variables: BTreeMap<String, f64>,
    /// The processing elements that took part.
    pub configuration: Configuration,
    /// How long it took, T = max_i T_i.
    pub seconds: Seconds,
    /// Computation and communication by kind, where they were measured.
    pub parts: Vec<KindTimes>,
    /// Its words by name, such as `cooling`: `good`.
    pub labels: BTreeMap<String, String>,
}

impl Run {
    /// A run of which only the time is known.
    pub fn new(seconds: Seconds) -> Self {
        Self {
            origin: String::new(),
            region: String::new(),
            variables: BTreeMap::new(),
            configuration: Configuration::default(),
            seconds,
            parts: Vec::new(),
            labels: BTreeMap::new(),
        }
    }

    /// A variable by name.
    pub fn variable(&self, name: &str) -> Option<f64> {
        self.variables.get(name).copied()
    }

    /// The number of processes: from the configuration, else from the grid, else as it was given.
    pub fn processes(&self) -> Option<f64> {
        if !self.configuration.shares.is_empty() {
            return Some(self.configuration.processes() as f64);
        }
        let grid = self.variable(variable::GRID_ROWS).zip(self.variable(variable::GRID_COLUMNS));
        grid.map(|(rows, columns)| rows * columns).or_else(|| self.variable(variable::PROCESSES))
    }
}

/// Runs, and where they come from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Runs {
    /// How they came to be.
    pub provenance: Provenance,
    /// The runs in the order in which they were read.
    pub runs: Vec<Run>,
}
