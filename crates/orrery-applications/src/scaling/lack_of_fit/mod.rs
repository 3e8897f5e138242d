//! Lack of fit: errors of a model at its own runs that are no noise, with the pattern that they
//! follow.

mod factor;
mod pattern;

pub use factor::ErrorFactor;
pub use pattern::{GroupError, Pattern, PatternShape};

use std::collections::BTreeMap;

use super::forecast::{Forecast, ForecastError};
use super::point::Point;
use crate::run::Run;
use orrery_base::numeric::{median, pooled_relative_deviation};

/// The typical error in spreads of repeated runs from which a model does not describe its runs.
const MAX_SPREADS: f64 = 2.0;

/// The least typical error that is reported without a pattern if there are repeated runs.
const MIN_TYPICAL_ERROR: f64 = 0.05;

/// The least typical error that is reported without a pattern if no repeated runs show the noise.
const MIN_UNEXPLAINED_ERROR: f64 = 0.15;

/// The least number of points with repeated runs that show the noise.
const MIN_REPEATED_POINTS: usize = 3;

/// The errors of a model that does not describe its runs. Errors are (estimate −
/// measured)/measured, by point; the measured time of a point is the median of its runs. If the
/// pattern is a label, points are divided by its values.
#[derive(Debug, Clone, PartialEq)]
pub struct LackOfFit {
    /// The median of the absolute errors.
    pub typical_error: f64,
    /// The point with the largest error.
    pub worst: Point,
    /// Its error.
    pub worst_error: f64,
    /// The relative standard deviation of repeated runs; `None` if there are too few.
    pub spread: Option<f64>,
    /// The pattern of the errors; `None` if none is significant.
    pub pattern: Option<Pattern>,
}

/// The error of a point, or of its runs with one value of a label.
#[derive(Clone)]
struct Residual {
    point: Point,
    slowest_kind: Option<String>,
    /// The indices of its runs.
    runs: Vec<usize>,
    /// ln(estimate/time) of each run.
    logarithms: Vec<f64>,
}

impl Residual {
    /// ln(estimate/median time).
    fn logarithm(&self) -> f64 {
        median(&self.logarithms)
    }

    /// The errors of the runs with each value of a label.
    fn by_label<'a>(&self, name: &str, runs: &[&'a Run]) -> BTreeMap<&'a str, Self> {
        let mut by_word: BTreeMap<&str, Self> = BTreeMap::new();
        for (&run, &logarithm) in self.runs.iter().zip(&self.logarithms) {
            let Some(word) = runs[run].labels.get(name) else { continue };
            let own = by_word.entry(word).or_insert_with(|| Self {
                runs: Vec::new(),
                logarithms: Vec::new(),
                ..self.clone()
            });
            own.runs.push(run);
            own.logarithms.push(logarithm);
        }
        by_word
    }

    /// (estimate − median time)/median time.
    fn error(&self) -> f64 {
        error(self.logarithm())
    }
}

/// The relative error of a logarithm ln(estimate/time).
fn error(logarithm: f64) -> f64 {
    logarithm.exp_m1()
}

/// The lack of fit of a model at the runs that it was fitted to; `None` if the model describes
/// them.
///
/// A model lacks fit if its errors follow a significant [`Pattern`]. Without a pattern, it lacks
/// fit if the typical error is above 5 % and twice the spread of repeated runs, or above 15 %
/// without repeated runs. Runs that the model has no estimate for, or whose times are not positive,
/// do not count.
pub fn lack_of_fit<'a>(
    runs: impl IntoIterator<Item = &'a Run>,
    forecast: impl Fn(&Point) -> Result<Forecast, ForecastError>,
) -> Option<LackOfFit> {
    let runs: Vec<&Run> = runs.into_iter().filter(|run| run.seconds.get() > 0.0).collect();
    let mut residuals = residuals(&runs, forecast);
    let pattern = pattern::significant(&residuals, &runs);
    if let Some(Pattern { factor: ErrorFactor::Label(name), .. }) = &pattern {
        residuals = residuals
            .iter()
            .flat_map(|residual| residual.by_label(name, &runs).into_values())
            .collect();
    }
    let worst = residuals.iter().max_by(|a, b| a.error().abs().total_cmp(&b.error().abs()))?;
    let errors: Vec<f64> = residuals.iter().map(|residual| residual.error().abs()).collect();
    let typical_error = median(&errors);
    let times = |residual: &Residual| {
        residual.runs.iter().map(|&index| runs[index].seconds.get()).collect()
    };
    let repeated: Vec<Vec<f64>> =
        residuals.iter().filter(|r| r.runs.len() > 1).map(times).collect();
    let spread =
        (repeated.len() >= MIN_REPEATED_POINTS).then(|| pooled_relative_deviation(&repeated));
    let is_large = spread.map_or(typical_error > MIN_UNEXPLAINED_ERROR, |spread| {
        typical_error > MIN_TYPICAL_ERROR.max(MAX_SPREADS * spread)
    });
    (pattern.is_some() || is_large).then(|| LackOfFit {
        typical_error,
        worst: worst.point.clone(),
        worst_error: worst.error(),
        spread,
        pattern,
    })
}

/// The errors of the points with an estimate.
fn residuals(
    runs: &[&Run],
    forecast: impl Fn(&Point) -> Result<Forecast, ForecastError>,
) -> Vec<Residual> {
    let mut by_point: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (index, run) in runs.iter().enumerate() {
        by_point.entry(Point::of(run).key()).or_default().push(index);
    }
    let residual = |own: Vec<usize>| {
        let point = Point::of(runs[own[0]]);
        let Forecast { seconds, slowest_kind, .. } = forecast(&point).ok()?;
        let logarithms = own.iter().map(|&index| (seconds.get() / runs[index].seconds.get()).ln());
        let logarithms: Vec<f64> = logarithms.filter(|logarithm| logarithm.is_finite()).collect();
        (logarithms.len() == own.len()).then_some(Residual {
            point,
            slowest_kind,
            runs: own,
            logarithms,
        })
    };
    by_point.into_values().filter_map(residual).collect()
}
