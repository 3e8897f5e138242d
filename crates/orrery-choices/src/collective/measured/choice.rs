use super::fit::PredictedTime;
use super::gain::first_smallest;
use super::{Cell, CollectiveReadings, Implementation, MeasuredModel, Point, Term, prior};
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
}

impl DefaultTime {
    /// The time.
    pub const fn time(&self) -> PredictedTime {
        match *self {
            Self::Measured { time, .. } | Self::Assumed(time) => time,
        }
    }

    /// The interval of the ratio of its time to that of the first implementation, minus 1; `None`
    /// if it was not measured.
    pub const fn margin(&self) -> Option<(f64, f64)> {
        match *self {
            Self::Measured { margin, .. } => Some(margin),
            Self::Assumed(_) => None,
        }
    }
}

impl MeasuredModel<'_> {
    /// The choices at all points; `readings` contains the times of the library's own choice.
    pub fn choices(&self, readings: &CollectiveReadings, keep: KeepDefault) -> Vec<MeasuredChoice> {
        self.design.cells().iter().map(|cell| self.choice(cell, readings, keep)).collect()
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
        let default = measured_default(cell, readings, mean, variance).unwrap_or_else(|| {
            let [operation, size] = prior::DEFAULT_DEVIATION.map(|deviation| deviation * deviation);
            let centre = mean - expected_loss + prior::DEFAULT_LOSS;
            DefaultTime::Assumed(PredictedTime::of_log(centre, reading + operation + size))
        });
        let is_kept = match (keep, default) {
            (KeepDefault::IfFaster, DefaultTime::Measured { time, .. }) => {
                time.seconds.get() < mean.exp()
            }
            (KeepDefault::IfFaster, DefaultTime::Assumed(_)) => expected_loss > prior::DEFAULT_LOSS,
            (KeepDefault::UnlessSlower, DefaultTime::Measured { margin: (low, _), .. }) => {
                low < 0.0
            }
            (KeepDefault::UnlessSlower, DefaultTime::Assumed(_)) => true,
        };
        let is_read = |a: &usize| cell.rows_of(*a).any(|row| self.read.contains(&row));
        MeasuredChoice {
            point: cell.point,
            chosen: (!is_kept).then(|| cell.implementations[best]),
            ranking: order.iter().map(|&a| cell.implementations[a]).collect(),
            predicted: PredictedTime::of_log(mean, reading),
            default,
            expected_loss,
            dominant: self.dominant_term(cell.rows_of(best).start),
            read: (order.iter().filter(|a| is_read(a)).count(), order.len()),
        }
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

/// The time of the library's own choice by its readings, over the launches in which it was read;
/// `None` if it was not read. `mean` and `variance` are those of the log time of the best
/// implementation, for the margin.
fn measured_default(
    cell: &Cell,
    readings: &CollectiveReadings,
    mean: f64,
    variance: f64,
) -> Option<DefaultTime> {
    let times =
        cell.launches.iter().filter_map(|&launch| readings.defaults.get(&(cell.point, launch)));
    let logs: Vec<f64> = times.map(|seconds| seconds.ln()).collect();
    if logs.is_empty() {
        return None;
    }
    let log = logs.iter().sum::<f64>() / logs.len() as f64;
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
