use super::certainty::{all_slower, frequency};
use super::fit::PredictedTime;
use super::gain::first_smallest;
use super::{
    Cell, CollectiveReadings, Implementation, MeasuredModel, Origin, Point, REACH, Term, prior,
};
use orrery_base::numeric::{expected_excess, normal_quantile};

/// When the library's own choice is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum KeepDefault {
    /// If it is expected to be faster: where it was read, if the best algorithm is predicted to be
    /// slower; elsewhere, if the expected loss of that algorithm is larger than the usual loss of
    /// default choices.
    #[default]
    IfFaster,
    /// Unless it was read and the interval of the margin excludes that the best algorithm is
    /// slower.
    UnlessSlower,
}

/// The choice at a point: an algorithm, or the library's own choice.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredChoice {
    /// The operation and the size.
    pub point: Point,
    /// The measurements that the times come from.
    pub origin: Origin,
    /// The chosen implementation; `None` if the library's own choice is kept.
    pub chosen: Option<Implementation>,
    /// All implementations, by ascending predicted time.
    pub ranking: Vec<Implementation>,
    /// The predicted time of the first of them, over all launches.
    pub predicted: PredictedTime,
    /// The time of the library's own choice.
    pub default: DefaultTime,
    /// The expected loss of the first implementation against that other one to which it loses most,
    /// as a difference of logs.
    pub expected_loss: f64,
    /// The probability that the choice is slower than the fastest one by at most
    /// [`TOLERANCE`](super::TOLERANCE): a lower bound at measured points, how often such choices
    /// were right at others; `None` for a library's own choice that was not measured.
    pub probability: Option<f64>,
    /// The term with the largest part of its time by the formula, and its part (0 to 1).
    pub dominant: (Term, f64),
    /// The number of implementations of this point that are read in a launch, and of all.
    pub read: (usize, usize),
}

/// The time of the library's own choice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DefaultTime {
    /// Measured.
    Measured {
        /// Its geometric mean over the launches.
        time: PredictedTime,
        /// The interval of the ratio of this time to that of the first implementation, minus 1.
        margin: (f64, f64),
    },
    /// Not measured: assumed to be slower than the fastest algorithm by the usual loss of such
    /// choices.
    Assumed(PredictedTime),
    /// Not measured, but faster than all algorithms at the nearest measured point by more than the
    /// usual loss, so that the library has an algorithm there that was not measured.
    FasterNearby(PredictedTime),
}

impl DefaultTime {
    /// The time.
    pub const fn time(&self) -> PredictedTime {
        match *self {
            Self::Measured { time, .. } | Self::Assumed(time) | Self::FasterNearby(time) => time,
        }
    }

    /// The interval of the ratio of its time to that of the first implementation, minus 1; `None`
    /// if it was not measured.
    pub const fn margin(&self) -> Option<(f64, f64)> {
        match *self {
            Self::Measured { margin, .. } => Some(margin),
            Self::Assumed(_) | Self::FasterNearby(_) => None,
        }
    }
}

impl MeasuredModel<'_> {
    /// The choices at all points of the number of processors of the design; `readings` contains
    /// the times of the library's own choice.
    pub fn choices(&self, readings: &CollectiveReadings, keep: KeepDefault) -> Vec<MeasuredChoice> {
        self.design.cells_of_choice().map(|cell| self.choice(cell, readings, keep)).collect()
    }

    /// The choice at a point.
    fn choice(
        &self,
        cell: &Cell,
        readings: &CollectiveReadings,
        keep: KeepDefault,
    ) -> MeasuredChoice {
        let means = self.cell_means(cell);
        let mut order: Vec<usize> = (0..means.len()).collect();
        order.sort_by(|&a, &b| means[a].total_cmp(&means[b]));
        let best = first_smallest(&means);
        let expected_loss = self.expected_loss(cell, &means, best);
        let (mean, variance) = (means[best], self.cell_covariance(cell, best, best));
        let reading = variance + prior::NOISE.powi(2);
        let origin = readings.origin(cell.point);
        let default = measured_default(cell, readings, mean, variance).unwrap_or_else(|| {
            let [operation, size] = prior::DEFAULT_DEVIATION.map(|deviation| deviation * deviation);
            let time = |log| PredictedTime::of_log(log, reading + operation + size);
            let nearby = origin.is_transferred.then(|| self.margin_nearby(cell.point, readings));
            match nearby.flatten().filter(|margin| *margin < -prior::DEFAULT_LOSS) {
                Some(margin) => DefaultTime::FasterNearby(time(mean + margin)),
                None => DefaultTime::Assumed(time(mean - expected_loss + prior::DEFAULT_LOSS)),
            }
        });
        let is_kept = match (keep, default) {
            (KeepDefault::IfFaster, DefaultTime::Measured { time, .. }) => {
                time.seconds.get() < mean.exp()
            }
            (KeepDefault::IfFaster, DefaultTime::Assumed(_)) => expected_loss > prior::DEFAULT_LOSS,
            (KeepDefault::UnlessSlower, DefaultTime::Measured { margin: (low, _), .. }) => {
                low < 0.0
            }
            (KeepDefault::UnlessSlower, DefaultTime::Assumed(_))
            | (_, DefaultTime::FasterNearby(_)) => true,
        };
        let is_read = |a: &usize| cell.rows_of(*a).any(|row| self.read.contains(&row));
        let bound = self.probability(cell, &means, default, (!is_kept).then_some(best));
        let probability = bound.map(|bound| match origin {
            Origin { is_transferred: true, is_alike, .. } => frequency(bound, is_alike),
            Origin { is_transferred: false, .. } => bound,
        });
        MeasuredChoice {
            point: cell.point,
            origin,
            chosen: (!is_kept).then(|| cell.implementations[best]),
            ranking: order.iter().map(|&a| cell.implementations[a]).collect(),
            predicted: PredictedTime::of_log(mean, reading),
            default,
            expected_loss,
            probability,
            dominant: self.dominant_term(cell.rows_of(best).start),
            read: (order.iter().filter(|a| is_read(a)).count(), order.len()),
        }
    }

    /// The log time of the library's own choice minus that of the fastest algorithm, at the nearest
    /// point at which it was read: by the number of processors, then by the size of the vector,
    /// within [`REACH`]; `None` if there is none.
    fn margin_nearby(&self, point: Point, readings: &CollectiveReadings) -> Option<f64> {
        let doublings = |a: f64, b: f64| (a / b).log2().abs();
        let distance = |one: Point| {
            let procs = doublings(one.procs as f64, point.procs as f64);
            (procs, doublings(one.vector().max(1.0), point.vector().max(1.0)))
        };
        let near = self.design.cells().iter().filter_map(|cell| {
            let (procs, size) = distance(cell.point);
            let is_near = cell.point.operation == point.operation && size <= (REACH as f64).log2();
            Some(((procs, size), cell, log_default(cell, readings).filter(|_| is_near)?))
        });
        let (_, cell, log) =
            near.min_by(|(a, ..), (b, ..)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)))?;
        Some(log - self.cell_means(cell).into_iter().fold(f64::INFINITY, f64::min))
    }

    /// A lower bound of the probability that a choice, the library's own one for `None`, is nearly as
    /// fast as all others; `None` if it was not measured.
    fn probability(
        &self,
        cell: &Cell,
        means: &[f64],
        default: DefaultTime,
        chosen: Option<usize>,
    ) -> Option<f64> {
        let own = match default {
            DefaultTime::Measured { time, .. } => Some((time.seconds.get().ln(), prior::NOISE)),
            DefaultTime::Assumed(_) | DefaultTime::FasterNearby(_) => None,
        };
        let variance = |a: usize| self.cell_covariance(cell, a, a).max(0.0);
        let others = (0..means.len()).filter(|a| Some(*a) != chosen);
        let Some(best) = chosen else {
            let (log, noise) = own?;
            return Some(all_slower(
                others.map(|a| (means[a] - log, (variance(a) + noise.powi(2)).sqrt())),
            ));
        };
        let algorithms = others.map(|a| {
            let shared = 2.0 * self.cell_covariance(cell, best, a);
            let difference = (variance(best) + variance(a) - shared).max(0.0);
            (means[a] - means[best], difference.sqrt())
        });
        let own =
            own.map(|(log, noise)| (log - means[best], (variance(best) + noise.powi(2)).sqrt()));
        Some(all_slower(algorithms.chain(own)))
    }

    /// The covariance of the mean log times of two implementations of a point over its launches.
    fn cell_covariance(&self, cell: &Cell, a: usize, b: usize) -> f64 {
        let pairs = cell.rows_of(a).flat_map(|row| cell.rows_of(b).map(move |other| (row, other)));
        pairs.map(|pair| self.covariance[pair]).sum::<f64>() / (cell.launches.len() as f64).powi(2)
    }

    /// The expected loss of an implementation against that other one to which it loses most: the
    /// maximum over a of E max(0, D + s·Z) with D = μ_best − μ_a and s² = Var(best) + Var(a) −
    /// 2·Cov(best, a).
    fn expected_loss(&self, cell: &Cell, means: &[f64], best: usize) -> f64 {
        let own = self.cell_covariance(cell, best, best);
        let against = |a: usize| {
            let variance =
                own + self.cell_covariance(cell, a, a) - 2.0 * self.cell_covariance(cell, best, a);
            expected_excess(means[a] - means[best], variance.max(MIN_VARIANCE).sqrt())
        };
        let loss = (0..means.len()).filter(|&a| a != best).map(against).fold(0.0, f64::max);
        if loss < NO_LOSS { 0.0 } else { loss }
    }
}

/// The mean log time of the library's own choice over the launches in which it was read; `None` if
/// it was not read.
fn log_default(cell: &Cell, readings: &CollectiveReadings) -> Option<f64> {
    let times =
        cell.launches.iter().filter_map(|&launch| readings.defaults.get(&(cell.point, launch)));
    let logs: Vec<f64> = times.map(|seconds| seconds.ln()).collect();
    (!logs.is_empty()).then(|| logs.iter().sum::<f64>() / logs.len() as f64)
}

/// The time of the library's own choice by its readings, over the launches in which it was read;
/// `None` if it was not read. `mean` and `variance` are those of the log time of the best
/// implementation, for the margin.
fn measured_default(
    cell: &Cell,
    readings: &CollectiveReadings,
    mean: f64,
    variance: f64,
) -> Option<DefaultTime> {
    let log = log_default(cell, readings)?;
    let noise = prior::NOISE.powi(2);
    let half_width = normal_quantile(prior::LEVEL) * (variance.max(0.0) + 2.0 * noise).sqrt();
    let ratio = |log: f64| log.exp() - 1.0;
    let margin = (ratio(log - mean - half_width), ratio(log - mean + half_width));
    Some(DefaultTime::Measured { time: PredictedTime::of_log(log, noise), margin })
}

/// The expected loss up to which it counts as none.
const NO_LOSS: f64 = 1e-9;

/// The smallest variance of a difference of logs, below which rounding errors dominate.
const MIN_VARIANCE: f64 = 1e-12;
