use std::collections::BTreeMap;

use super::observations::{name, point};
use super::{Forecast, Point, ScalingError};
use crate::numeric::median;
use crate::run::{Run, variable};
use crate::units::Seconds;

/// An estimate and the measurement that it is an estimate of.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedPoint {
    /// What was run.
    pub point: Point,
    /// The estimated time.
    pub estimate: Seconds,
    /// A single run lies between these with the probability that the model was asked for; `None` where it knows no errors.
    pub interval: Option<(Seconds, Seconds)>,
    /// Whether the point lies outside of what the model was made of.
    pub extrapolated: bool,
    /// The median of the measured times.
    pub measured: Seconds,
    /// The measured times.
    pub runs: Vec<Seconds>,
}

impl ComparedPoint {
    /// (estimate − measured)/measured.
    pub fn error(&self) -> f64 {
        self.estimate.get() / self.measured.get() - 1.0
    }

    /// How many of the runs lie in the interval; `None` without one.
    pub fn within(&self) -> Option<usize> {
        let (low, high) = self.interval?;
        Some(self.runs.iter().filter(|run| low <= **run && **run <= high).count())
    }
}

/// The best configurations for one size: the estimated one and the actual one, of those that were measured.
#[derive(Debug, Clone, PartialEq)]
pub struct SizeDecision {
    /// N.
    pub size: f64,
    /// How many points of this size were measured: with one alone there is nothing to choose.
    pub choices: usize,
    /// The configuration with the least estimate: its estimate is τ, its measured time τ̂.
    pub estimated: ComparedPoint,
    /// The point with the least measured time, whether or not the model gave an estimate of it.
    pub actual: Point,
    /// T̂: that time.
    pub best: Seconds,
}

impl SizeDecision {
    /// (τ − T̂)/T̂: the error of the estimated time.
    pub fn error(&self) -> f64 {
        self.estimated.estimate.get() / self.best.get() - 1.0
    }

    /// (τ̂ − T̂)/T̂: how much longer than need be the chosen configuration takes. Never negative.
    pub fn loss(&self) -> f64 {
        self.estimated.measured.get() / self.best.get() - 1.0
    }
}

/// What the estimates of a model are worth for the choice of configurations.
///
/// Source: Kishimoto, Ichikawa (2004), tables 4, 7 and 9, figures 6 to 15.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evaluation {
    /// The table of errors, by ascending size; empty where runs have none.
    pub decisions: Vec<SizeDecision>,
    /// All estimates with their measurements, for correlation plots; by size, in the order of the runs.
    pub points: Vec<ComparedPoint>,
    /// The points of which the model gave no estimate, and why.
    pub without_estimate: Vec<(Point, ScalingError)>,
}

/// Sets the estimates of any model against measured runs.
///
/// Runs of one point count as one measurement, their median. Of equally good configurations the first is taken.
///
/// ```
/// use orrery::run::Run;
/// use orrery::scaling::{Forecast, Point, evaluate};
/// use orrery::units::Seconds;
/// let run = |configuration: &str, seconds| {
///     let mut run = Run::new(Seconds::new(seconds));
///     run.variables.insert("n".to_owned(), 1000.0);
///     run.configuration = configuration.parse().unwrap();
///     run
/// };
/// let runs = [run("a=1x1", 12.0), run("a=2x1", 8.0), run("a=3x1", 10.0)];
/// // A model that knows of no communication: the more elements the better.
/// let model = |point: &Point| {
///     let seconds = Seconds::new(12.0 / point.configuration.elements() as f64);
///     Ok(Forecast { seconds, interval: None, extrapolated: false, slowest_kind: None })
/// };
/// let evaluation = evaluate(&runs, model)?;
/// let row = &evaluation.decisions[0];
/// assert_eq!(row.estimated.point.configuration.to_string(), "a=3x1");
/// assert_eq!(row.actual.configuration.to_string(), "a=2x1");
/// assert_eq!((row.error(), row.loss()), (-0.5, 0.25));
/// # Ok::<(), orrery::scaling::ScalingError>(())
/// ```
///
/// # Errors
///
/// When there are no runs, one lacks its size that others have, or has a time that is none; when every point was refused, the first reason.
pub fn evaluate<'a>(
    runs: impl IntoIterator<Item = &'a Run>,
    forecast: impl Fn(&Point) -> Result<Forecast, ScalingError>,
) -> Result<Evaluation, ScalingError> {
    let mut evaluation = Evaluation::default();
    let measurements = measurements(runs)?;
    let alike = |a: &Measurement, b: &Measurement| a.size.map(f64::to_bits) == b.size.map(f64::to_bits);
    for of_size in measurements.chunk_by(alike) {
        let before = evaluation.points.len();
        for Measurement { point, seconds, runs, .. } in of_size {
            let (point, measured) = (point.clone(), *seconds);
            match forecast(&point) {
                Ok(Forecast { seconds: estimate, interval, extrapolated, .. }) => {
                    let runs = runs.clone();
                    evaluation.points.push(ComparedPoint { point, estimate, interval, extrapolated, measured, runs });
                }
                Err(error) => evaluation.without_estimate.push((point, error)),
            }
        }
        let estimated = evaluation.points[before..].iter().min_by(|a, b| a.estimate.total_cmp(&b.estimate));
        let actual = of_size.iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds));
        if let Some(((estimated, actual), size)) = estimated.zip(actual).zip(of_size[0].size) {
            let (estimated, choices, actual) = (estimated.clone(), of_size.len(), actual.clone());
            evaluation.decisions.push(SizeDecision {
                size,
                choices,
                estimated,
                actual: actual.point,
                best: actual.seconds,
            });
        }
    }
    match evaluation.without_estimate.first() {
        Some((_, error)) if evaluation.points.is_empty() => Err(error.clone()),
        _ => Ok(evaluation),
    }
}

/// The runs of one point.
#[derive(Clone)]
struct Measurement {
    size: Option<f64>,
    point: Point,
    /// The median of their times.
    seconds: Seconds,
    runs: Vec<Seconds>,
}

/// By size, and within a size in the order of the runs.
fn measurements<'a>(runs: impl IntoIterator<Item = &'a Run>) -> Result<Vec<Measurement>, ScalingError> {
    let runs: Vec<&Run> = runs.into_iter().collect();
    let sized = runs.iter().any(|run| run.variable(variable::PROBLEM_SIZE).is_some());
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut points: Vec<(Option<f64>, Point, Vec<f64>)> = Vec::new();
    for (place, run) in runs.into_iter().enumerate() {
        let size = run.variable(variable::PROBLEM_SIZE);
        if sized && size.is_none() {
            return Err(ScalingError::Lacks { run: name(run, place), name: variable::PROBLEM_SIZE.to_owned() });
        }
        let seconds = run.seconds.get();
        let wrong = [("seconds", seconds, seconds > 0.0), (variable::PROBLEM_SIZE, size.unwrap_or(0.0), true)];
        if let Some((what, value, _)) = wrong.into_iter().find(|(_, value, fine)| !(value.is_finite() && *fine)) {
            return Err(ScalingError::Value { run: name(run, place), name: what.to_owned(), value });
        }
        let at = *places.entry(point(run)).or_insert(points.len());
        if at == points.len() {
            points.push((size, Point::of(run), Vec::new()));
        }
        points[at].2.push(seconds);
    }
    if points.is_empty() {
        return Err(ScalingError::NoRuns);
    }
    points.sort_by(|a, b| a.0.unwrap_or(0.0).total_cmp(&b.0.unwrap_or(0.0)));
    let measurement = |(size, point, times): (Option<f64>, Point, Vec<f64>)| {
        let seconds = Seconds::new(median(&times));
        Measurement { size, point, seconds, runs: times.into_iter().map(Seconds::new).collect() }
    };
    Ok(points.into_iter().map(measurement).collect())
}
