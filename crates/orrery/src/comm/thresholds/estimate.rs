use std::collections::BTreeMap;

use super::level_shift::level_shift;
use super::levels::{Excess, levels};
use super::slope::{Gather, SlopeForm, slope};
use super::{Escalation, Thresholds};
use crate::comm::{FitError, Hlmo, Lmo};
use crate::numeric::breakpoints::Shape;
use crate::numeric::{Estimate, Interval, Line, median, pooled_relative_deviation};
use crate::platform::Processor;
use crate::sample::{Experiment, Samples, SizeReadings, classify_readings};
use crate::schedule::{Algorithm, CollectiveKind};
use crate::units::Bytes;

/// How thresholds are estimated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThresholdOptions {
    /// What is taken off the slopes of gathers.
    pub slopes: SlopeForm,
    /// What segments of gathers are between which M2 lies: lines (T ~ M), or constants (T ~ 1) as in the CPM module.
    pub large: Shape,
    /// Whether M1 lies before the first size whose median is more than ten times that of the smallest one, as the paper has
    /// it; otherwise before the first whose readings escalate, growth with the size apart.
    pub printed_small: bool,
    /// The level of the intervals, and of the test for a break.
    pub level: f64,
}

impl Default for ThresholdOptions {
    fn default() -> Self {
        Self { slopes: SlopeForm::default(), large: Shape::Linear, printed_small: false, level: 0.95 }
    }
}

/// The thresholds of each linear scatter and gather among the samples that shows some, ordered by operation, root and
/// number of processors. Slopes need a model of the messages, LMO or HLMO; each model has its own.
///
/// S and M2: the place where times level_shift from one line to another, if the supremum of F is significant (see
/// [`crate::numeric::breakpoints`]); their intervals are Bai's. M1: the last size before the first one that escalates. Sizes
/// should be closer there; ten of them are the least.
///
/// # Errors
///
/// When the model does not have the processors of a gather.
pub fn estimate(
    samples: &Samples,
    lmo: Option<&Lmo>,
    hlmo: Option<&Hlmo>,
    options: &ThresholdOptions,
) -> Result<Vec<Thresholds>, FitError> {
    let mut found = Vec::new();
    for ((operation, root, procs), series) in linear(samples) {
        let lmo = lmo.filter(|lmo| lmo.processors() >= procs);
        let alike = hlmo.filter(|_| operation == CollectiveKind::Gather).map(|hlmo| hlmo.as_lmo(procs));
        let points = classify_readings(series);
        let none = Thresholds::none(operation, root, procs);
        let thresholds = match operation {
            CollectiveKind::Scatter => Thresholds { scatter_threshold: scatter(&points, options.level), ..none },
            CollectiveKind::Gather => gather(none, &points, [lmo, alike.as_ref()], options)?,
        };
        found.extend((!thresholds.is_empty()).then_some(thresholds));
    }
    Ok(found)
}

type Of = (CollectiveKind, Processor, usize);

/// The readings of all linear operations by size.
fn linear(samples: &Samples) -> BTreeMap<Of, BTreeMap<Bytes, Vec<f64>>> {
    let mut all: BTreeMap<Of, BTreeMap<Bytes, Vec<f64>>> = BTreeMap::new();
    for series in samples.series() {
        if let Experiment::Collective { kind, algorithm: Algorithm::Linear, root, procs, size } = series.experiment {
            all.entry((kind, root, procs)).or_default().insert(size, series.seconds());
        }
    }
    all
}

fn scatter(points: &[SizeReadings], level: f64) -> Option<Estimate> {
    let (x, y): (Vec<f64>, Vec<f64>) = points.iter().map(|point| (point.size.get() as f64, point.seconds)).unzip();
    level_shift(&x, &y, Shape::Linear, level).map(|threshold| with_readings(threshold, points))
}

fn gather(
    none: Thresholds,
    points: &[SizeReadings],
    models: [Option<&Lmo>; 2],
    options: &ThresholdOptions,
) -> Result<Thresholds, FitError> {
    let level = options.level;
    let kept = points.iter().filter(|point| !point.all_escalated());
    let (x, y): (Vec<f64>, Vec<f64>) = kept.map(|point| (point.size.get() as f64, point.seconds)).unzip();
    let gather_large =
        level_shift(&x, &y, options.large, level).map(|large| with_readings(behind_lost(large, points), points));
    let end = gather_large.map_or(points.len(), |large| points.partition_point(|p| p.size.get() as f64 <= large.value));
    let (before, behind) = points.split_at(end);
    let first = first_escalating(before, options.printed_small);
    let first = first.filter(|&first| options.printed_small || is_often(&before[first..]));
    if first.is_none() && gather_large.is_none() {
        return Ok(none);
    }
    let (small, medium) = before.split_at(first.unwrap_or(before.len()));
    let escalations = escalations(before, medium, points, level);
    let gather_small = first.map(|_| small_threshold(small, medium, &escalations, level));
    let corrected = |points: &[SizeReadings], serial| {
        let points: Vec<_> = points.iter().map(|p| (p.size, p.seconds, p.readings.len() as u64)).collect();
        let gather = Gather { root: none.root, procs: none.procs, serial };
        let of = |model: Option<&Lmo>| match model {
            Some(model) => slope(&points, gather, model, options.slopes, level),
            None => Ok(None),
        };
        Ok::<_, FitError>((of(models[0])?, of(models[1])?))
    };
    let (gather_small_slope, hlmo_small_slope) = corrected(small, false)?;
    let (gather_large_slope, hlmo_large_slope) =
        if gather_large.is_some() { corrected(behind, true)? } else { (None, None) };
    Ok(Thresholds {
        gather_small,
        gather_large,
        gather_small_slope,
        gather_large_slope,
        hlmo_small_slope,
        hlmo_large_slope,
        escalations,
        ..none
    })
}

fn with_readings(threshold: Estimate, points: &[SizeReadings]) -> Estimate {
    Estimate { samples: Some(points.iter().map(|point| point.readings.len() as u64).sum()), ..threshold }
}

/// Fewer readings than this part are wild ones, such as every busy machine has.
const LEAST_ESCALATED: f64 = 0.02;

/// Whether readings of these sizes escalate often enough.
fn is_often(points: &[SizeReadings]) -> bool {
    let (escalated, all) = points.iter().fold((0, 0), |(e, n), point| (e + point.escalated, n + point.readings.len()));
    escalated as f64 >= LEAST_ESCALATED * all as f64
}

/// A break behind which all readings of some sizes escalate lies behind the last of them.
fn behind_lost(large: Estimate, points: &[SizeReadings]) -> Estimate {
    let behind = points.iter().skip_while(|point| point.size.get() as f64 <= large.value);
    let Some(lost) = behind.take_while(|point| point.all_escalated()).last() else { return large };
    let value = lost.size.get() as f64;
    let interval = large.interval.map(|interval| Interval { low: value, ..interval });
    Estimate { value, interval, ..large }
}

/// The place of the first size that escalates: time and again, or once and again soon; never the smallest size.
fn first_escalating(points: &[SizeReadings], printed: bool) -> Option<usize> {
    let of_smallest = median(&points.first()?.readings);
    let escalates = |place: &usize| {
        let point = &points[*place];
        if printed {
            return median(&point.readings) > 10.0 * of_smallest;
        }
        let soon = points[place + 1..].iter().take(2).any(|next| next.escalated > 0);
        point.escalates_repeatedly() || point.escalated > 0 && soon
    };
    (1..points.len()).find(escalates)
}

/// M1, the last size that is small. It may lie further down, as far as escalations may have been missed by chance: so many
/// readings in a row without one have the probability (1 − p)^readings.
fn small_threshold(
    small: &[SizeReadings],
    medium: &[SizeReadings],
    escalations: &[Escalation],
    level: f64,
) -> Estimate {
    let probability: f64 = escalations.iter().map(|escalation| escalation.probability.value).sum();
    let size = |point: &SizeReadings| point.size.get() as f64;
    let last = small.len() - 1;
    let mut missed = 1.0;
    let mut low = last;
    loop {
        missed *= (1.0 - probability).powi(small[low].readings.len() as i32);
        if missed <= 1.0 - level || low == 0 {
            break;
        }
        low -= 1;
    }
    let interval = Interval { low: size(&small[low]), high: size(&medium[0]), level };
    let samples = small[low..].iter().chain(&medium[..1]).map(|point| point.readings.len() as u64).sum();
    Estimate { value: size(&small[last]), interval: Some(interval), samples: Some(samples) }
}

/// The levels of what the escalated readings of medium sizes take longer than the line of the calm ones.
fn escalations(before: &[SizeReadings], medium: &[SizeReadings], all: &[SizeReadings], level: f64) -> Vec<Escalation> {
    let calm = before.iter().filter(|point| !point.all_escalated());
    let line = Line::through(calm.map(|p| (p.size.get() as f64, p.seconds, 1.0 / (p.seconds * p.seconds))));
    let Some(line) = line else { return Vec::new() };
    let quiet = all.iter().filter(|point| point.escalated == 0).map(|point| point.readings.as_slice());
    // Where readings do not differ, the line still leaves something.
    let relative = pooled_relative_deviation(quiet).max(1e-3);
    let mut excesses = Vec::new();
    for point in medium {
        let mut readings = point.readings.clone();
        readings.sort_by(f64::total_cmp);
        let escalated = &readings[readings.len() - point.escalated..];
        let excess = |seconds: &f64| Excess {
            seconds: seconds - line.at(point.size.get() as f64),
            deviation: relative * seconds,
        };
        excesses.extend(escalated.iter().map(excess));
    }
    let trials = medium.iter().map(|point| point.readings.len() as u64).sum();
    levels(excesses, trials, level)
}
