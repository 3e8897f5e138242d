//! Errors of forecasts of runs that were left out of the fit.

use std::collections::{BTreeMap, BTreeSet};

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use super::application::ExecutionTimeModel;
use super::evaluation::{ComparedPoint, ErrorSummary, compare};
use super::forecast::ForecastError;
use super::observations::FitError;
use super::point::{Point, size_variable};
use crate::run::Run;
use orrery_base::numeric::parallel_map;

/// The largest number of fits for one way of leaving runs out.
const MAX_FOLDS: usize = 8;

/// Which runs are left out of a fit.
#[derive(Debug, Clone, PartialEq)]
pub enum LeftOut {
    /// The largest sizes: the honest test of forecasts for larger problems.
    LargestSizes {
        /// The variable that is the size.
        variable: String,
        /// The least size that is left out.
        from: f64,
    },
    /// Each size once.
    Sizes {
        /// The variable that is the size.
        variable: String,
    },
    /// Each configuration once: all runs that differ in the size only.
    Configurations,
}

/// The errors of runs that were left out of the fits that forecast them.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOut {
    /// Which runs were left out of each fit.
    pub left_out: LeftOut,
    /// The number of fits.
    pub fits: usize,
    /// The number of fits that were not possible, because the other runs are too few; their runs
    /// are not compared.
    pub skipped: usize,
    /// The points with estimates.
    pub points: Vec<ComparedPoint>,
    /// The points without an estimate by a fit to the other runs, with the reason.
    pub without_estimate: Vec<(Point, ForecastError)>,
}

impl HeldOut {
    /// The size of the errors; `None` if no point has an estimate.
    pub fn errors(&self) -> Option<ErrorSummary<'_>> {
        ErrorSummary::of(&self.points)
    }
}

/// Fits a model without some runs and compares its forecasts with these runs: without the largest
/// size, without each size, without each configuration.
///
/// The size is n, else the variable with the most values. More than eight sizes or configurations
/// are divided into eight parts: every eighth size, random configurations. The largest size is then
/// the largest eighth of the sizes. So at most 17 models are fitted. `level` is the probability of
/// intervals. A way of leaving runs out is missing if the runs have a single size or configuration,
/// or if it equals another one.
///
/// # Errors
///
/// If times or sizes of runs are invalid.
pub fn held_out(
    runs: &[&Run],
    level: f64,
    fit: impl Fn(&[&Run]) -> Result<ExecutionTimeModel, FitError> + Sync,
) -> Result<Vec<HeldOut>, FitError> {
    let ways = ways(runs);
    let folds: Vec<&Fold> = ways.iter().flat_map(|(_, folds)| folds).collect();
    let compared = parallel_map(folds.len(), |fold| {
        let pick = |inside: bool| -> Vec<&Run> {
            let own =
                runs.iter().enumerate().filter(|(index, _)| folds[fold].contains(index) == inside);
            own.map(|(_, run)| *run).collect()
        };
        let Ok(model) = fit(&pick(false)) else { return Ok(None) };
        compare(&model.with_levels(pick(true)), |point| model.forecast(point, level)).map(Some)
    });
    let mut compared = compared.into_iter();
    let held_out = |(left_out, folds): (LeftOut, Vec<Fold>)| {
        let (mut fits, mut points, mut without_estimate) = (0, Vec::new(), Vec::new());
        for result in compared.by_ref().take(folds.len()) {
            if let Some(evaluation) = result? {
                fits += 1;
                points.extend(evaluation.points);
                without_estimate.extend(evaluation.without_estimate);
            }
        }
        Ok(HeldOut { left_out, fits, skipped: folds.len() - fits, points, without_estimate })
    };
    ways.into_iter().map(held_out).collect()
}

/// The indices of runs that are left out of a fit.
type Fold = BTreeSet<usize>;

/// The ways of leaving runs out, each with its folds.
fn ways(runs: &[&Run]) -> Vec<(LeftOut, Vec<Fold>)> {
    let points: Vec<Point> = runs.iter().map(|run| Point::of(run)).collect();
    let size = size_variable(&points);
    let mut ways = Vec::new();
    if let Some(variable) = &size {
        let sized = points
            .iter()
            .enumerate()
            .filter_map(|(run, point)| Some((*point.variables.get(variable)?, run)));
        let mut sized: Vec<(f64, usize)> = sized.collect();
        sized.sort_by(|a, b| a.0.total_cmp(&b.0));
        let groups: Vec<&[(f64, usize)]> =
            sized.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()).collect();
        let sizes: Vec<Fold> =
            groups.iter().map(|group| group.iter().map(|(_, run)| *run).collect()).collect();
        let first = sizes.len() - sizes.len().div_ceil(MAX_FOLDS);
        let largest = sizes[first..].iter().flatten().copied().collect();
        ways.push((
            LeftOut::LargestSizes { variable: variable.clone(), from: groups[first][0].0 },
            vec![largest],
        ));
        ways.push((LeftOut::Sizes { variable: variable.clone() }, folds(sizes)));
    }
    let mut by_configuration: BTreeMap<_, Fold> = BTreeMap::new();
    for (run, mut point) in points.into_iter().enumerate() {
        if let Some(variable) = &size {
            point.variables.remove(variable);
        }
        by_configuration.entry(point.key()).or_default().insert(run);
    }
    let mut configurations: Vec<Fold> = by_configuration.into_values().collect();
    // Every eighth of a sorted list could be all configurations with one value of a variable.
    configurations.shuffle(&mut ChaCha8Rng::seed_from_u64(0));
    let mut configurations = folds(configurations);
    configurations.sort_unstable();
    let is_equal = |other: &Vec<Fold>| {
        other.iter().collect::<BTreeSet<_>>() == configurations.iter().collect()
    };
    if configurations.len() > 1 && !ways.iter().any(|(_, other)| is_equal(other)) {
        ways.push((LeftOut::Configurations, configurations));
    }
    ways
}

/// The folds of groups of runs; of more than [`MAX_FOLDS`] every eighth together.
fn folds(groups: Vec<Fold>) -> Vec<Fold> {
    let mut folds: Vec<Fold> = Vec::new();
    for (place, group) in groups.into_iter().enumerate() {
        if place < MAX_FOLDS {
            folds.push(group);
        } else {
            folds[place % MAX_FOLDS].extend(group);
        }
    }
    folds
}
