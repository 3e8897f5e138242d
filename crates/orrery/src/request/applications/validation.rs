use std::collections::BTreeSet;

use super::{RequestError, check_level, kinds};
use crate::model::{
    GridRegret, KernelChoice, Model, RedistributionPrediction, RoutineComparison, grid_regrets,
    validate_redistributions, validate_routines,
};
use crate::request::ValidationRequest;
use crate::run::Run;
use crate::sample::RoutineTimings;
use crate::scaling::{Accuracy, Region};

/// A model compared with times of parallel routines.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidatedRoutines {
    /// The comparison of routines.
    pub routines: Vec<RoutineComparison>,
    /// How well the fastest grids are predicted.
    pub regrets: Vec<GridRegret>,
    /// The comparison of redistributions.
    pub redistributions: Vec<RoutineComparison<RedistributionPrediction>>,
    /// The number of calls of more processes than the model has processors; they are left out.
    pub too_large: usize,
}

/// The model of an application compared with runs.
#[derive(Debug, Clone)]
pub struct ValidatedRuns<'a> {
    /// The regions with runs.
    pub regions: Vec<(&'a Region, Accuracy)>,
    /// The regions of the runs that have no model; these runs are left out.
    pub unknown: BTreeSet<&'a str>,
}

impl ValidationRequest {
    /// Compares times of parallel routines and of redistributions with predictions.
    ///
    /// # Errors
    ///
    /// When the level is none, when a call has no prediction, or when all calls have more processes
    /// than the model has processors.
    pub fn of_routines(
        &self,
        model: &Model,
        mut timings: RoutineTimings,
    ) -> Result<ValidatedRoutines, RequestError> {
        check_level(self.level)?;
        let kinds = kinds(&self.models, model)?;
        let calls =
            |timings: &RoutineTimings| timings.calls().len() + timings.redistribution_calls().len();
        let all = calls(&timings);
        let processors = model.processors() as u64;
        timings.readings.retain(|reading| reading.call.grid().processes() <= processors);
        timings.redistributions.retain(|reading| reading.call.processes() <= processors);
        let compared = calls(&timings);
        if compared == 0 {
            return Err(RequestError::failed(format!(
                "the model predicts none of the routines in the files; give times on grids of at \
                    most {processors} processes"
            )));
        }
        let mut validated = ValidatedRoutines {
            routines: Vec::new(),
            regrets: Vec::new(),
            redistributions: Vec::new(),
            too_large: all - compared,
        };
        for kind in kinds {
            let routines = validate_routines(model, kind, &timings, &KernelChoice::default())?;
            validated.regrets.extend(grid_regrets(&routines));
            validated.routines.extend(routines);
            validated.redistributions.extend(validate_redistributions(model, kind, &timings)?);
        }
        Ok(validated)
    }

    /// Compares runs with the model of their application.
    ///
    /// # Errors
    ///
    /// When the level is none, when the model has no application or none of the regions of the
    /// runs, or when runs cannot be compared.
    pub fn of_runs<'a>(
        &self,
        model: &'a Model,
        runs: &'a [Run],
    ) -> Result<ValidatedRuns<'a>, RequestError> {
        check_level(self.level)?;
        let application = model.application.as_ref().ok_or(RequestError::NoApplication)?;
        if runs.is_empty() {
            return Err(RequestError::failed(
                "there are no runs to compare with; give a file with runs",
            ));
        }
        let runs = application.metric.select(runs);
        if runs.is_empty() {
            let metric = application.metric.name();
            return Err(RequestError::failed(format!(
                "it models the metric {metric}, which no run has; give runs with this metric"
            )));
        }
        let mut unknown: BTreeSet<&str> = runs.iter().map(|run| run.region.as_str()).collect();
        let mut regions = Vec::new();
        for region in &application.regions {
            if unknown.remove(region.name.as_str()) {
                let own: Vec<&Run> =
                    runs.iter().copied().filter(|run| run.region == region.name).collect();
                regions.push((region, region.accuracy(&own, self.level)?));
            }
        }
        if regions.is_empty() {
            let known = application.regions.iter().map(|region| region.name.as_str());
            return Err(RequestError::failed(format!(
                "it models the regions {}, but the runs are of {}; fit a model to such runs",
                quoted(known),
                quoted(unknown)
            )));
        }
        Ok(ValidatedRuns { regions, unknown })
    }
}

/// Names in quotes, with commas between.
fn quoted<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}
