//! The configurations to choose from, and their times by a model and by measured runs.

use std::collections::BTreeMap;

use super::problem::{Grids, KnownTime, Search, matrix_bytes};
use crate::run::variable;
use crate::scaling::measured::MeasuredTimes;
use crate::scaling::{ExecutionTimeModel, ForecastError, Layout, MeasuredPoint, Point};
use orrery_base::units::Seconds;
use orrery_cluster::platform::Kind;

/// The configurations to choose from: elements of a cluster and layouts of the processes.
#[derive(Debug, Clone)]
pub struct SearchSpace<'a> {
    /// The kinds of elements.
    pub kinds: &'a [Kind],
    /// The process grids.
    pub grids: Grids,
    /// The block sizes; empty for a program without blocks.
    pub blocks: Vec<u32>,
    /// The memory needed in addition to the matrix of order n, relative to it; `None` for no memory
    /// limit.
    pub memory_overhead: Option<f64>,
    /// The values of the other variables of the model.
    pub fixed: BTreeMap<String, f64>,
}

impl SearchSpace<'_> {
    /// The values of the variables that the search does not vary, for a problem size.
    pub fn fixed_at(&self, size: Option<f64>) -> BTreeMap<String, f64> {
        let mut fixed = self.fixed.clone();
        fixed.extend(size.map(|size| (variable::PROBLEM_SIZE.to_owned(), size)));
        fixed
    }

    /// The memory of a process in a layout in bytes, for a problem size; `None` for no memory
    /// limit.
    pub fn bytes(&self, size: f64, layout: Layout) -> Option<f64> {
        self.memory_overhead.map(|overhead| matrix_bytes(size, overhead)(layout))
    }

    /// Calls `ask` with the search of the configurations for given values of the variables that it
    /// does not vary.
    ///
    /// A measured configuration counts with its own runs ([`Search::known`]): those of its fastest
    /// variant, combined with the forecast if the model has uncertainty. All choices between
    /// configurations are made by such a search, so that they agree.
    ///
    /// # Errors
    ///
    /// A kind that the model does not cover, a missing variable, and errors of `ask`.
    pub fn search<T>(
        &self,
        model: &ExecutionTimeModel,
        measured: &[MeasuredPoint],
        fixed: &BTreeMap<String, f64>,
        ask: impl FnOnce(&mut Search) -> Result<T, ForecastError>,
    ) -> Result<T, ForecastError> {
        let kinds: Vec<String> = self.kinds.iter().map(|kind| kind.name.clone()).collect();
        let times = model.element_times(&kinds, fixed)?;
        let size = fixed.get(variable::PROBLEM_SIZE).copied();
        let bytes =
            self.memory_overhead.zip(size).map(|(overhead, size)| matrix_bytes(size, overhead));
        let mut search = Search::new(self.kinds, &*times);
        search.grids = self.grids.clone();
        search.blocks.clone_from(&self.blocks);
        search.memory = bytes.as_ref().map(|bytes| bytes as &dyn Fn(Layout) -> f64);
        search.known = known_times(model, measured, &search, fixed)?;
        ask(&mut search)
    }
}

/// The times of the measured configurations in the layouts of a search.
fn known_times(
    model: &ExecutionTimeModel,
    measured: &[MeasuredPoint],
    search: &Search,
    fixed: &BTreeMap<String, f64>,
) -> Result<Vec<KnownTime>, ForecastError> {
    let measured = MeasuredTimes::new(measured);
    let kinds: Vec<&str> = search.kinds.iter().map(|kind| kind.name.as_str()).collect();
    let mut known = Vec::new();
    for configuration in measured.configurations(&kinds) {
        let Ok(processes) = u32::try_from(configuration.processes()) else { continue };
        for layout in search.layouts(processes) {
            let point = Point::of_configuration(&configuration, layout, fixed);
            if let Some(own) = measured.at(&point) {
                let time = Seconds::new(model.point_time(&point, Some(&own))?.seconds());
                known.push(KnownTime { configuration: configuration.clone(), layout, time });
            }
        }
    }
    Ok(known)
}
