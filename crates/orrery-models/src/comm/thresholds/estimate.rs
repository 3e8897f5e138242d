use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::few_sizes;
use super::levels::{Excess, level_shift, levels};
use super::slope::{Gather, SlopeForm, slope};
use super::{Escalation, Thresholds};
use crate::comm::{FitError, Hlmo, Lmo};
use orrery_base::numeric::breakpoints::Shape;
use orrery_base::numeric::{Estimate, Interval, Line, median, pooled_relative_deviation};
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;
use orrery_measure::sample::{Experiment, Samples, SizeReadings, classify_readings};
use orrery_program::schedule::{Algorithm, CollectiveKind};

orrery_base::named_enum! {
    /// The rule for M1, the size at which gathers start to escalate.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum EscalationRule: "rule of escalations" {
        /// M1 lies before the first size whose readings escalate, apart from growth with the size.
        #[default]
        Escalations => "escalations":
            "Before the first size whose readings escalate tenfold, apart from growth with the size",
        /// M1 lies before the first size whose median is more than ten times that of the smallest
        /// size, as in the paper.
        Printed => "printed":
            "Before the first size whose median is ten times that of the smallest, as printed in \
             the paper",
    }
}

/// Options of the estimation of thresholds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ThresholdOptions {
    /// The terms that are subtracted from the slopes of gathers.
    pub slopes: SlopeForm,
    /// The shape of the segments of gather times that M2 separates: lines (T ~ M), or constants (T
    /// ~ 1) as in the CPM module.
    pub large: Shape,
    /// The rule for M1.
    pub small: EscalationRule,
    /// The confidence level of the intervals, and the level of the test for a break.
    pub level: f64,
}

impl Default for ThresholdOptions {
    fn default() -> Self {
        Self {
            slopes: SlopeForm::default(),
            large: Shape::default(),
            small: EscalationRule::default(),
            level: 0.95,
        }
    }
}

/// Estimates the thresholds of each linear scatter and gather among the samples, ordered by
/// operation, root and number of processors; operations without thresholds are left out. Slopes
/// need LMO or HLMO; each model has its own.
///
/// S and M2 are the positions of a level shift between two lines, if the supremum of F is
/// significant (see [`orrery_base::numeric::breakpoints`]); their intervals are Bai's. M1 is the last
/// size before the first one that escalates. Sizes should be closer around M1; at least ten sizes
/// are required.
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
        let alike =
            hlmo.filter(|_| operation == CollectiveKind::Gather).map(|hlmo| hlmo.as_lmo(procs));
        let points = classify_readings(series);
        let none = Thresholds::none(operation, root, procs);
        let thresholds = match operation {
            CollectiveKind::Scatter => {
                Thresholds { scatter_threshold: estimate_scatter(&points, options.level), ..none }
            }
            CollectiveKind::Gather => {
                estimate_gather(none, &points, [lmo, alike.as_ref()], options)?
            }
            _ => continue,
        };
        found.extend((!thresholds.is_empty()).then_some(thresholds));
    }
    Ok(found)
}

/// The kind of a linear operation, its root and its number of processors.
type OperationKey = (CollectiveKind, Processor, usize);

/// Returns the readings of all linear operations by size.
fn linear(samples: &Samples) -> BTreeMap<OperationKey, BTreeMap<Bytes, Vec<f64>>> {
    let mut all: BTreeMap<OperationKey, BTreeMap<Bytes, Vec<f64>>> = BTreeMap::new();
    for series in samples.series() {
        if let Experiment::Collective { kind, algorithm: Algorithm::Linear, root, procs, size } =
            series.experiment
        {
            all.entry((kind, root, procs)).or_default().insert(size, series.seconds());
        }
    }
    all
}

/// Returns S, the position of the level shift in the times of a scatter; `None` without a
/// significant shift.
fn estimate_scatter(points: &[SizeReadings], level: f64) -> Option<Estimate> {
    let (x, y): (Vec<f64>, Vec<f64>) =
        points.iter().map(|point| (point.size.get() as f64, point.seconds)).unzip();
    level_shift(&x, &y, Shape::Linear, level).map(|threshold| with_readings(threshold, points))
}

/// Returns the thresholds of a gather with the slope corrections of the two models; `none` if the
/// times show no thresholds.
fn estimate_gather(
    none: Thresholds,
    points: &[SizeReadings],
    models: [Option<&Lmo>; 2],
    options: &ThresholdOptions,
) -> Result<Thresholds, FitError> {
    let level = options.level;
    // Among few sizes no break can be found; a model shows what losses are.
    let bounding = models.into_iter().flatten().next().filter(|_| few_sizes::are_few(points));
    let classified;
    let (points, of_few) = match bounding {
        Some(lmo) => {
            classified = few_sizes::classified(points, none.root, none.procs, lmo);
            (&classified[..], few_sizes::large_threshold(&classified, level))
        }
        None => (points, None),
    };
    // M2 comes first: beyond it messages are sent one after the other and nothing escalates, so
    // that M1 is sought before it only.
    let gather_large = of_few.or_else(|| gather_large_threshold(points, options));
    let end = gather_large.map_or(points.len(), |large| {
        points.partition_point(|p| p.size.get() as f64 <= large.value)
    });
    let (before, behind) = points.split_at(end);
    let escalating = escalating_sizes(before, points, options);
    if escalating.is_none() && gather_large.is_none() {
        return Ok(none);
    }
    let (first, escalations) = escalating.unwrap_or((before.len(), Vec::new()));
    let (small, medium) = before.split_at(first);
    let gather_small =
        (!medium.is_empty()).then(|| small_threshold(small, medium, &escalations, level));
    // The slopes are corrected where no reading escalates, each for the order of messages there.
    let corrected = |points: &[SizeReadings], serial| {
        let gather = Gather { root: none.root, procs: none.procs, serial };
        corrected_slopes(points, gather, models, options)
    };
    let [gather_small_slope, hlmo_small_slope] = corrected(small, false)?;
    let [gather_large_slope, hlmo_large_slope] =
        if gather_large.is_some() { corrected(behind, true)? } else { [None, None] };
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

/// Returns M2, the position of the level shift in the times of a gather without the sizes at which
/// all readings escalate, which are none of its segments.
fn gather_large_threshold(points: &[SizeReadings], options: &ThresholdOptions) -> Option<Estimate> {
    let kept = points.iter().filter(|point| !point.all_escalated());
    let (x, y): (Vec<f64>, Vec<f64>) =
        kept.map(|point| (point.size.get() as f64, point.seconds)).unzip();
    let large = level_shift(&x, &y, options.large, options.level)?;
    Some(with_readings(after_escalated_sizes(large, points), points))
}

/// Returns the index of the first of the sizes up to M2 that escalates, with the levels; `None` if
/// the sizes from there on do not escalate often enough.
fn escalating_sizes(
    before: &[SizeReadings],
    all: &[SizeReadings],
    options: &ThresholdOptions,
) -> Option<(usize, Vec<Escalation>)> {
    let first = first_escalating(before, options.small)?;
    let (small, medium) = before.split_at(first);
    let levels = escalations(small, medium, all, options.level);
    // The rule of the paper does not depend on levels.
    let is_printed = options.small == EscalationRule::Printed;
    let is_shown = is_printed || !levels.is_empty() && escalate_often(medium);
    is_shown.then_some((first, levels))
}

/// Returns the corrections of the slope of a gather to the predictions of two models; `None` for a
/// model that is not there.
fn corrected_slopes(
    points: &[SizeReadings],
    gather: Gather,
    models: [Option<&Lmo>; 2],
    options: &ThresholdOptions,
) -> Result<[Option<Estimate>; 2], FitError> {
    let points: Vec<_> =
        points.iter().map(|p| (p.size, p.seconds, p.readings.len() as u64)).collect();
    let mut slopes = [None; 2];
    for (corrected, model) in slopes.iter_mut().zip(models) {
        if let Some(model) = model {
            *corrected = slope(&points, gather, model, options.slopes, options.level)?;
        }
    }
    Ok(slopes)
}

/// Returns the threshold with the number of readings that it was estimated from.
fn with_readings(threshold: Estimate, points: &[SizeReadings]) -> Estimate {
    Estimate {
        samples: Some(points.iter().map(|point| point.readings.len() as u64).sum()),
        ..threshold
    }
}

/// The smallest fraction of readings that counts as escalation. Fewer are outliers, as on every
/// busy machine.
const MIN_ESCALATED_FRACTION: f64 = 0.02;

/// Returns true if enough readings of these sizes escalate.
fn escalate_often(points: &[SizeReadings]) -> bool {
    let (escalated, all) =
        points.iter().fold((0, 0), |(e, n), point| (e + point.escalated, n + point.readings.len()));
    escalated as f64 >= MIN_ESCALATED_FRACTION * all as f64
}

/// Moves M2 behind the last size after the break at which all readings escalate.
fn after_escalated_sizes(large: Estimate, points: &[SizeReadings]) -> Estimate {
    let behind = points.iter().skip_while(|point| point.size.get() as f64 <= large.value);
    let Some(lost) = behind.take_while(|point| point.all_escalated()).last() else { return large };
    let value = lost.size.get() as f64;
    let interval = large.interval.map(|interval| Interval { low: value, ..interval });
    Estimate { value, interval, ..large }
}

/// Returns the index of the first size that escalates: in several readings, or in one if a size
/// soon after escalates too; never the smallest size.
fn first_escalating(points: &[SizeReadings], rule: EscalationRule) -> Option<usize> {
    let of_smallest = median(&points.first()?.readings);
    let escalates = |place: &usize| {
        let point = &points[*place];
        if rule == EscalationRule::Printed {
            return median(&point.readings) > 10.0 * of_smallest;
        }
        let soon = points[place + 1..].iter().take(2).any(|next| next.escalated > 0);
        point.escalates_repeatedly() || point.escalated > 0 && soon
    };
    (1..points.len()).find(escalates)
}

/// Returns M1, the last size before the first escalation. The interval extends down as far as
/// escalations may have been missed by chance: n readings in a row without escalation have the
/// probability (1 − p)ⁿ.
fn small_threshold(
    small: &[SizeReadings],
    medium: &[SizeReadings],
    escalations: &[Escalation],
    level: f64,
) -> Estimate {
    let probability: f64 = escalations.iter().map(|escalation| escalation.probability.value).sum();
    let size = |point: &SizeReadings| point.size.get() as f64;
    let last = small.len() - 1;
    // From the last size downwards: as long as the readings without escalation could be chance, the
    // threshold may lie before them.
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
    let samples =
        small[low..].iter().chain(&medium[..1]).map(|point| point.readings.len() as u64).sum();
    Estimate { value: size(&small[last]), interval: Some(interval), samples: Some(samples) }
}

/// Returns the levels of the escalated readings of medium sizes, measured from the line through the
/// readings up to M2 without escalation. Readings below this line are none: the times up to M2 are
/// no line there.
fn escalations(
    small: &[SizeReadings],
    medium: &[SizeReadings],
    all: &[SizeReadings],
    level: f64,
) -> Vec<Escalation> {
    let calm = small.iter().chain(medium).filter(|point| !point.all_escalated());
    let line = Line::through(
        calm.map(|p| (p.size.get() as f64, p.seconds, 1.0 / (p.seconds * p.seconds))),
    );
    let Some(line) = line else { return Vec::new() };
    let quiet =
        all.iter().filter(|point| point.escalated == 0).map(|point| point.readings.as_slice());
    // If readings do not differ, the line still leaves a residual.
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
        excesses.extend(escalated.iter().map(excess).filter(|excess| excess.seconds > 0.0));
    }
    let trials = medium.iter().map(|point| point.readings.len() as u64).sum();
    levels(excesses, trials, level)
}
