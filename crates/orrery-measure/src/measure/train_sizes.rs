//! The sizes of trains in an adaptive campaign: denser where gap or overheads are not linear in the
//! size.

use std::collections::{BTreeMap, BTreeSet};

use crate::sample::{Experiment, Samples};
use orrery_base::numeric::{mean, median, median_variance_factor, pooled_relative_deviation};
use orrery_base::units::Bytes;
use orrery_program::schedule::TrainKind;

/// The smallest gap between two sizes, in bytes.
const STRIDE: u64 = 64;

/// The largest number of sizes of an adaptive campaign.
const MAX_SIZES: usize = 100;

/// A deviation is significant if it exceeds this number of standard deviations.
const MIN_SIGNIFICANT_DEVIATIONS: f64 = 3.0;

/// The functions of the size whose deviations from lines add sizes: g(m), o_s(m), o_r(m).
const FUNCTIONS: [TrainKind; 3] =
    [TrainKind::Gap, TrainKind::SendOverhead, TrainKind::ReceiveOverhead];

/// The sizes at which an adaptive campaign of trains begins: 0, doubling from 64 bytes to the
/// largest, and those that have readings.
pub fn initial_train_sizes(samples: &Samples, largest: Bytes) -> Vec<Bytes> {
    let known = samples.series().iter().filter_map(|series| match series.experiment {
        Experiment::Train { train, .. } => Some(train.size),
        _ => None,
    });
    let doubling = std::iter::successors(Some(STRIDE), |size| Some(2 * size))
        .take_while(|size| *size < largest.get());
    let sizes: BTreeSet<Bytes> =
        [0].into_iter().chain(doubling).map(Bytes::new).chain([largest]).chain(known).collect();
    sizes.into_iter().collect()
}

/// The sizes that an adaptive campaign of trains measures next, ascending; empty when it is
/// complete.
///
/// An interval is halved, down to 64 bytes and up to 100 sizes, where the gap, the send overhead or
/// the receive overhead at its upper end deviates from the line through the two sizes before by
/// more than `tolerance` of its value and by more than the noise of the three. All three functions
/// are means over the pairs. Source: Kielmann, Bal, Verstoep, "Fast measurement of LogP parameters
/// for message passing platforms" (2000), and the adaptive message sets of MPIBlib; neither
/// considers noise.
pub fn refined_train_sizes(samples: &Samples, tolerance: f64) -> Vec<Bytes> {
    let functions = FUNCTIONS.map(|kind| points(samples, kind));
    let known: BTreeSet<u64> = functions.iter().flatten().map(|point| point.size).collect();
    let room = MAX_SIZES.saturating_sub(known.len());
    let finer: BTreeSet<u64> =
        functions.iter().flat_map(|points| halves(points, tolerance)).collect();
    finer.difference(&known).take(room).copied().map(Bytes::new).collect()
}

/// The value of a function at a size: the mean over the pairs \[s\] and its standard deviation.
struct Point {
    size: u64,
    seconds: f64,
    deviation: f64,
}

/// The middles of the intervals at whose upper end a function deviates from the line through the
/// two sizes before.
fn halves(points: &[Point], tolerance: f64) -> impl Iterator<Item = u64> {
    let misses = move |three: &&[Point]| {
        let [a, b, c] = three else { return false };
        let ratio = (c.size - b.size) as f64 / (b.size - a.size) as f64;
        let miss = (c.seconds - b.seconds - ratio * (b.seconds - a.seconds)).abs();
        let noise = c.deviation.hypot((1.0 + ratio) * b.deviation).hypot(ratio * a.deviation);
        c.size - b.size > STRIDE
            && miss > tolerance * c.seconds
            && miss > MIN_SIGNIFICANT_DEVIATIONS * noise
    };
    let middle = |three: &[Point]| {
        let (b, c) = (three[1].size, three[2].size);
        (u64::midpoint(b, c) / STRIDE * STRIDE).max(b + 1)
    };
    points.windows(3).filter(misses).map(middle)
}

/// The times per message of the trains of a kind, by size.
fn points(samples: &Samples, kind: TrainKind) -> Vec<Point> {
    let mut by_size: BTreeMap<u64, Vec<(f64, Vec<f64>)>> = BTreeMap::new();
    for series in samples.series() {
        if let Experiment::Train { train, .. } = series.experiment
            && train.kind == kind
        {
            by_size
                .entry(train.size.get())
                .or_default()
                .push((f64::from(train.count), series.seconds()));
        }
    }
    let spread = pooled_relative_deviation(
        by_size.values().flatten().map(|(_, readings)| readings.as_slice()),
    );
    let point = |(size, pairs): (u64, Vec<(f64, Vec<f64>)>)| {
        let each: Vec<f64> =
            pairs.iter().map(|(count, readings)| median(readings) / count).collect();
        let variance = |((_, readings), value): (&(f64, Vec<f64>), &f64)| {
            median_variance_factor(readings.len()) * (spread * value).powi(2)
        };
        let variance: f64 = pairs.iter().zip(&each).map(variance).sum();
        Point { size, seconds: mean(&each), deviation: variance.sqrt() / each.len() as f64 }
    };
    by_size.into_iter().map(point).collect()
}
