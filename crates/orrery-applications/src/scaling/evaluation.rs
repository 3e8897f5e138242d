//! Comparison of forecasts with measured runs.

use std::collections::BTreeMap;

use super::forecast::{Forecast, ForecastError};
use super::observations::{FitError, check_numbers, run_name};
use super::point::Point;
use crate::run::{Run, variable};
use orrery_base::numeric::{mean, median};
use orrery_base::units::Seconds;

/// A measured point with its estimated time.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedPoint {
    /// The point.
    pub point: Point,
    /// The estimated time.
    pub estimate: Seconds,
    /// The interval of a single run; `None` for a model without uncertainty.
    pub interval: Option<(Seconds, Seconds)>,
    /// True if the point is outside the measured range of the model.
    pub extrapolated: bool,
    /// The median of the measured times.
    pub measured: Seconds,
    /// The measured times.
    pub runs: Vec<Seconds>,
}

impl ComparedPoint {
    /// The relative error, (estimate − measured)/measured.
    pub fn error(&self) -> f64 {
        self.estimate.get() / self.measured.get() - 1.0
    }

    /// The ratio of the ends of the interval; `None` without an interval.
    pub fn factor(&self) -> Option<f64> {
        self.interval.map(|(low, high)| high / low)
    }

    /// The number of runs within the interval; `None` without an interval.
    pub fn runs_in_interval(&self) -> Option<usize> {
        let (low, high) = self.interval?;
        Some(self.runs.iter().filter(|run| low <= **run && **run <= high).count())
    }
}

/// The size of the errors of some points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorSummary<'a> {
    /// The number of points.
    pub points: usize,
    /// The number of their runs.
    pub runs: usize,
    /// The mean of the absolute errors.
    pub mean: f64,
    /// The median of the absolute errors.
    pub median: f64,
    /// The point with the largest absolute error.
    pub worst: &'a ComparedPoint,
    /// The number of runs within their intervals, and of runs with an interval; `None` without
    /// intervals.
    pub runs_in_interval: Option<(usize, usize)>,
    /// The median ratio of the ends of the intervals; `None` without intervals.
    pub median_factor: Option<f64>,
}

impl<'a> ErrorSummary<'a> {
    /// The size of the errors of points; `None` without points.
    pub fn of(points: impl IntoIterator<Item = &'a ComparedPoint>) -> Option<Self> {
        let points: Vec<&ComparedPoint> = points.into_iter().collect();
        let errors: Vec<f64> = points.iter().map(|point| point.error().abs()).collect();
        let worst =
            points.iter().copied().max_by(|a, b| a.error().abs().total_cmp(&b.error().abs()))?;
        let counts =
            points.iter().filter_map(|point| Some((point.runs_in_interval()?, point.runs.len())));
        let factors: Vec<f64> = points.iter().filter_map(|point| point.factor()).collect();
        Some(Self {
            median_factor: (!factors.is_empty()).then(|| median(&factors)),
            points: points.len(),
            runs: points.iter().map(|point| point.runs.len()).sum(),
            mean: mean(&errors),
            median: median(&errors),
            worst,
            runs_in_interval: counts.reduce(|(a, b), (c, d)| (a + c, b + d)),
        })
    }

    /// The share of runs within their intervals; `None` without intervals.
    pub fn coverage(&self) -> Option<f64> {
        self.runs_in_interval.map(|(within, runs)| within as f64 / runs as f64)
    }
}

/// The estimated and the actual best configuration among the measured ones of one problem size.
#[derive(Debug, Clone, PartialEq)]
pub struct SizeDecision {
    /// The problem size N.
    pub size: f64,
    /// The number of measured points of this size.
    pub candidates: usize,
    /// The configuration with the shortest estimated time τ; its measured time is τ̂.
    pub estimated: ComparedPoint,
    /// The point with the shortest measured time, with or without an estimate.
    pub actual: Point,
    /// T̂: the shortest measured time.
    pub best: Seconds,
}

impl SizeDecision {
    /// The error of the estimated best time, (τ − T̂)/T̂.
    pub fn error(&self) -> f64 {
        self.estimated.estimate.get() / self.best.get() - 1.0
    }

    /// The loss of the choice, (τ̂ − T̂)/T̂, which is at least 0.
    pub fn loss(&self) -> f64 {
        self.estimated.measured.get() / self.best.get() - 1.0
    }
}

/// The errors of a model's estimates and of the choices based on them.
///
/// Source: Kishimoto, Ichikawa (2004), tables 4, 7 and 9, figures 6 to 15.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evaluation {
    /// The choices by ascending size; empty if the runs have no sizes.
    pub decisions: Vec<SizeDecision>,
    /// All points with estimates, by size, then in the order of the runs.
    pub points: Vec<ComparedPoint>,
    /// The points without an estimate, with the reason.
    pub without_estimate: Vec<(Point, ForecastError)>,
}

/// Compares the estimates of a model with measured runs.
///
/// The labels of the runs are levels of the categories of the model. The measured time of a point
/// is the median of its runs. Of equally good configurations the first is chosen.
///
/// ```
/// use orrery_applications::run::Run;
/// use orrery_applications::scaling::{Forecast, Point, evaluate};
/// use orrery_base::units::Seconds;
/// let run = |configuration: &str, seconds| {
///     let mut run = Run::new(Seconds::new(seconds));
///     run.variables.insert("n".to_owned(), 1000.0);
///     run.configuration = configuration.parse().unwrap();
///     run
/// };
/// let runs = [run("a=1x1", 12.0), run("a=2x1", 8.0), run("a=3x1", 10.0)];
/// // A model without communication: more elements are always better.
/// let model = |point: &Point| {
///     let seconds = Seconds::new(12.0 / point.configuration.elements() as f64);
///     Ok(Forecast { seconds, interval: None, extrapolated: false, slowest_kind: None })
/// };
/// let evaluation = evaluate(&runs, model)?;
/// let row = &evaluation.decisions[0];
/// assert_eq!(row.estimated.point.configuration.to_string(), "a=3x1");
/// assert_eq!(row.actual.configuration.to_string(), "a=2x1");
/// assert_eq!((row.error(), row.loss()), (-0.5, 0.25));
/// # Ok::<(), orrery_applications::scaling::FitError>(())
/// ```
///
/// # Errors
///
/// No runs; a run without the size that others have; an invalid time; no estimate for any point
/// (the first reason).
pub fn evaluate<'a>(
    runs: impl IntoIterator<Item = &'a Run>,
    forecast: impl Fn(&Point) -> Result<Forecast, ForecastError>,
) -> Result<Evaluation, FitError> {
    let evaluation = compare(runs, forecast)?;
    match evaluation.without_estimate.first() {
        Some((_, error)) if evaluation.points.is_empty() => Err(error.clone().into()),
        _ => Ok(evaluation),
    }
}

/// Compares the estimates of a model with measured runs, also if there is no estimate.
pub(super) fn compare<'a>(
    runs: impl IntoIterator<Item = &'a Run>,
    forecast: impl Fn(&Point) -> Result<Forecast, ForecastError>,
) -> Result<Evaluation, FitError> {
    let mut evaluation = Evaluation::default();
    let measurements = measurements(runs)?;
    let same_size =
        |a: &Measurement, b: &Measurement| a.size.map(f64::to_bits) == b.size.map(f64::to_bits);
    for of_size in measurements.chunk_by(same_size) {
        let before = evaluation.points.len();
        for Measurement { point, seconds, runs, .. } in of_size {
            let (point, measured) = (point.clone(), *seconds);
            match forecast(&point) {
                // An interval that holds any time is no forecast that could fail.
                Ok(forecast) if forecast.is_worthless() => {
                    evaluation.without_estimate.push((point, ForecastError::worthless()));
                }
                Ok(Forecast { seconds: estimate, interval, extrapolated, .. }) => {
                    let runs = runs.clone();
                    evaluation.points.push(ComparedPoint {
                        point,
                        estimate,
                        interval,
                        extrapolated,
                        measured,
                        runs,
                    });
                }
                Err(error) => evaluation.without_estimate.push((point, error)),
            }
        }
        let estimated =
            evaluation.points[before..].iter().min_by(|a, b| a.estimate.total_cmp(&b.estimate));
        let actual = of_size.iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds));
        if let Some(((estimated, actual), size)) = estimated.zip(actual).zip(of_size[0].size) {
            let (estimated, candidates, actual) =
                (estimated.clone(), of_size.len(), actual.clone());
            evaluation.decisions.push(SizeDecision {
                size,
                candidates,
                estimated,
                actual: actual.point,
                best: actual.seconds,
            });
        }
    }
    Ok(evaluation)
}

/// The runs of one point.
#[derive(Clone)]
struct Measurement {
    size: Option<f64>,
    point: Point,
    /// The median time.
    seconds: Seconds,
    runs: Vec<Seconds>,
}

/// The measurements of all points, by size, then in the order of the runs.
fn measurements<'a>(runs: impl IntoIterator<Item = &'a Run>) -> Result<Vec<Measurement>, FitError> {
    let runs: Vec<&Run> = runs.into_iter().collect();
    let sized = runs.iter().any(|run| run.variable(variable::PROBLEM_SIZE).is_some());
    let mut indices: BTreeMap<String, usize> = BTreeMap::new();
    let mut all: Vec<Measurement> = Vec::new();
    for (index, run) in runs.into_iter().enumerate() {
        let size = run.variable(variable::PROBLEM_SIZE);
        let this = || run_name(run, index);
        if sized && size.is_none() {
            return Err(FitError::missing(&this(), variable::PROBLEM_SIZE));
        }
        check_numbers(run, &this)?;
        let point = Point::with_labels(run);
        let at = *indices.entry(point.to_string()).or_insert(all.len());
        if at == all.len() {
            all.push(Measurement { size, point, seconds: run.seconds, runs: Vec::new() });
        }
        all[at].runs.push(run.seconds);
    }
    if all.is_empty() {
        return Err(FitError::NoRuns);
    }
    for one in &mut all {
        one.seconds =
            Seconds::new(median(&one.runs.iter().map(|time| time.get()).collect::<Vec<_>>()));
    }
    all.sort_by(|a, b| a.size.unwrap_or(0.0).total_cmp(&b.size.unwrap_or(0.0)));
    Ok(all)
}
