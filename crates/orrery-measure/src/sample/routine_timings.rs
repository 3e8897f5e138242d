use std::collections::BTreeMap;

use super::Provenance;
use orrery_base::units::Seconds;
use orrery_program::routine::{RedistributionCall, RoutineCall};

/// A reading of the time of a parallel routine.
#[derive(Debug, Clone, PartialEq)]
pub struct RoutineReading {
    /// The call.
    pub call: RoutineCall,
    /// The number of the launch.
    pub launch: u32,
    /// The number of the repetition.
    pub rep: u32,
    /// The time of the last process, from a common start.
    pub seconds: Seconds,
}

/// A reading of the time of a redistribution.
#[derive(Debug, Clone, PartialEq)]
pub struct RedistributionReading {
    /// The call.
    pub call: RedistributionCall,
    /// The number of the launch.
    pub launch: u32,
    /// The number of the repetition.
    pub rep: u32,
    /// The time of the last process, from a common start.
    pub seconds: Seconds,
}

/// The readings of parallel routines, with their provenance.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RoutineTimings {
    /// The origin of the readings.
    pub provenance: Provenance,
    /// The readings in the order of the file.
    pub readings: Vec<RoutineReading>,
    /// The readings of redistributions in the order of the file.
    pub redistributions: Vec<RedistributionReading>,
    /// The names of routines that have no program, and the number of their readings.
    pub others: BTreeMap<String, usize>,
}

impl RoutineTimings {
    /// The times of each call \[s\].
    pub fn calls(&self) -> BTreeMap<RoutineCall, Vec<f64>> {
        let mut calls: BTreeMap<RoutineCall, Vec<f64>> = BTreeMap::new();
        for RoutineReading { call, seconds, .. } in &self.readings {
            calls.entry(*call).or_default().push(seconds.get());
        }
        calls
    }

    /// The times of each redistribution \[s\].
    pub fn redistribution_calls(&self) -> BTreeMap<RedistributionCall, Vec<f64>> {
        let mut calls: BTreeMap<RedistributionCall, Vec<f64>> = BTreeMap::new();
        for RedistributionReading { call, seconds, .. } in &self.redistributions {
            calls.entry(*call).or_default().push(seconds.get());
        }
        calls
    }
}
