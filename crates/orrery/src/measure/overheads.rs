//! The experiments that identify the models of the LogP family.

use std::collections::{BTreeMap, BTreeSet};

use super::Plan;
use super::comm::{MissingRoundTrips, tournament};
use super::packing::packed;
use crate::numeric::{mean, median, median_variance_factor, relative_deviation};
use crate::platform::Processor;
use crate::sample::{Experiment, Samples};
use crate::schedule::{Train, TrainKind};
use crate::units::Bytes;

/// Between which processors trains run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TrainPairs {
    /// Between all pairs, one way each: from i to j where j − i is odd, else from j to i.
    #[default]
    All,
    /// From each processor to the next, round the circle.
    Ring,
}

/// What is measured of overheads and gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overheads {
    /// Between which processors.
    pub pairs: TrainPairs,
    /// How many calls an overhead is read of.
    pub calls: u32,
    /// How many messages a gap is read of; of large ones fewer, down to 16, so that they are 512 KiB together.
    pub train: u32,
    /// Whether PRTT(n, 0, s), PRTT(n, d, s) and PRTT(1, 0, s) are measured too, as netgauge does.
    pub prtt: bool,
}

/// Sizes are told apart up to so many bytes.
const STRIDE: u64 = 64;

/// A train of large messages ends with so many bytes, which is more than buffers hold, but not below so many messages.
const LONG: u64 = 512 * 1024;
const FEW: u32 = 16;

/// Adaptive campaigns end with so many sizes.
const MOST_SIZES: usize = 100;

impl Overheads {
    /// Round trips of these pairs with empty replies, and empty ones: they say how long trains have to wait.
    pub fn round_trips(&self, processors: usize, sizes: &[Bytes], seed: u64) -> Plan {
        let trip = |size| move |(i, j)| Experiment::RoundTrip { i, j, size, reply: Bytes::ZERO };
        let sizes: BTreeSet<Bytes> = sizes.iter().copied().chain([Bytes::ZERO]).collect();
        let rounds = self.rounds(processors);
        let of_size = |size| rounds.iter().map(move |round| round.iter().copied().map(trip(size)).collect());
        Plan::shuffled(sizes.into_iter().flat_map(of_size).collect(), seed)
    }

    /// The trains of these sizes. Calls are read with waits of two to four round trips between them, so that every port
    /// is idle again and every message there; a train that is known keeps the wait that it had.
    ///
    /// # Errors
    ///
    /// When round trips of a pair have not been measured.
    pub fn trains(
        &self,
        samples: &Samples,
        processors: usize,
        sizes: &[Bytes],
        seed: u64,
    ) -> Result<Plan, MissingRoundTrips> {
        let waits = known_waits(samples);
        let mut missing = Vec::new();
        let mut experiment = |i, j, kind, size, count, with_wait| {
            let train = Train { kind, size, reply: Bytes::ZERO, count, delay: 0 };
            let known = waits.get(&(i, j, train)).copied();
            let mut wait = || {
                let trip = |i, j| samples.get(&Experiment::RoundTrip { i, j, size, reply: Bytes::ZERO });
                let measured = trip(i, j).or_else(|| trip(j, i));
                if measured.is_none() {
                    missing.push(Experiment::RoundTrip { i, j, size, reply: Bytes::ZERO });
                }
                let seconds = measured.map_or(0.0, |series| median(&series.seconds()));
                ((2e9 * seconds).ceil() as u64).next_power_of_two()
            };
            let delay = if with_wait { known.unwrap_or_else(&mut wait) } else { 0 };
            Experiment::Train { i, j, train: Train { delay, ..train } }
        };
        let mut rounds = Vec::new();
        for round in self.rounds(processors) {
            for &size in sizes {
                for &(kind, count, with_wait) in &self.kinds(size) {
                    rounds.push(round.iter().map(|&(i, j)| experiment(i, j, kind, size, count, with_wait)).collect());
                }
            }
        }
        if missing.is_empty() { Ok(Plan::shuffled(rounds, seed)) } else { Err(MissingRoundTrips(missing)) }
    }

    /// The trains of each size: kind, messages, whether there are waits.
    fn kinds(&self, size: Bytes) -> Vec<(TrainKind, u32, bool)> {
        let fitting = u32::try_from(LONG / size.get().max(1)).unwrap_or(u32::MAX);
        let mut kinds = vec![
            (TrainKind::SendOverhead, self.calls, true),
            (TrainKind::ReceiveOverhead, self.calls, true),
            (TrainKind::Gap, self.train.min(fitting.max(FEW)), false),
        ];
        if self.prtt {
            let prtt = [(1, false), (self.train, false), (self.train, true)];
            kinds.extend(prtt.map(|(count, wait)| (TrainKind::Prtt, count, wait)));
        }
        kinds
    }

    fn rounds(&self, processors: usize) -> Vec<Vec<(Processor, Processor)>> {
        let one_way = |(a, b): (Processor, Processor)| if (b.0 - a.0) % 2 == 1 { (a, b) } else { (b, a) };
        match self.pairs {
            TrainPairs::All => {
                tournament(processors).into_iter().map(|round| round.into_iter().map(one_way).collect()).collect()
            }
            TrainPairs::Ring => {
                let next = |i: Processor| Processor((i.0 + 1) % processors as u32);
                // Of two processors there is one pair.
                let firsts = Processor::first(if processors == 2 { 1 } else { processors });
                let trip = |i| Experiment::RoundTrip { i, j: next(i), size: Bytes::ZERO, reply: Bytes::ZERO };
                let rounds = packed(processors, &firsts.map(trip).collect::<Vec<_>>());
                let ends = |e: Experiment| (e.placement().processors()[0], e.placement().processors()[1]);
                rounds.into_iter().map(|round| round.into_iter().map(ends).collect()).collect()
            }
        }
    }
}

/// The waits of trains that were measured.
fn known_waits(samples: &Samples) -> BTreeMap<(Processor, Processor, Train), u64> {
    let waits = samples.series().iter().filter_map(|series| match series.experiment {
        Experiment::Train { i, j, train } if train.delay > 0 => {
            Some(((i, j, Train { delay: 0, ..train }), train.delay))
        }
        _ => None,
    });
    waits.collect()
}

/// The sizes that an adaptive campaign begins with: 0, doubling from 64 bytes up to the largest, and those that it knows
/// from before.
pub fn first_sizes(samples: &Samples, largest: Bytes) -> Vec<Bytes> {
    let known = samples.series().iter().filter_map(|series| match series.experiment {
        Experiment::Train { train, .. } => Some(train.size),
        _ => None,
    });
    let doubling = std::iter::successors(Some(STRIDE), |size| Some(2 * size)).take_while(|size| *size < largest.get());
    let sizes: BTreeSet<Bytes> =
        [0].into_iter().chain(doubling).map(Bytes::new).chain([largest]).chain(known).collect();
    sizes.into_iter().collect()
}

/// The gap at a size: the mean over the pairs \[s\], and its standard deviation.
struct Gap {
    size: u64,
    seconds: f64,
    deviation: f64,
}

/// So many standard deviations are more than chance.
const MORE_THAN_CHANCE: f64 = 3.0;

/// The sizes that an adaptive campaign measures next; none when it has ended.
///
/// Where the gap at a size is further than `tolerance` of it from the line through the two sizes before, and further than
/// the noise of the three explains, the interval between it and the size before is halved, down to 64 bytes, until there
/// are 100 sizes. Gaps are means over the pairs. Source: the adaptive message sets of MPIBlib, after Kielmann, Bal,
/// Verstoep (2000), which do not look at noise.
pub fn finer_sizes(samples: &Samples, tolerance: f64) -> Vec<Bytes> {
    let gaps = gaps(samples);
    let misses = |three: &&[Gap]| {
        let [a, b, c] = three else { return false };
        let ratio = (c.size - b.size) as f64 / (b.size - a.size) as f64;
        let miss = (c.seconds - b.seconds - ratio * (b.seconds - a.seconds)).abs();
        let noise = c.deviation.hypot((1.0 + ratio) * b.deviation).hypot(ratio * a.deviation);
        c.size - b.size > STRIDE && miss > tolerance * c.seconds && miss > MORE_THAN_CHANCE * noise
    };
    let middle = |three: &[Gap]| {
        let (b, c) = (three[1].size, three[2].size);
        (u64::midpoint(b, c) / STRIDE * STRIDE).max(b + 1)
    };
    let room = MOST_SIZES.saturating_sub(gaps.len());
    gaps.windows(3).filter(misses).map(middle).map(Bytes::new).take(room).collect()
}

fn gaps(samples: &Samples) -> Vec<Gap> {
    let mut by_size: BTreeMap<u64, Vec<(f64, Vec<f64>)>> = BTreeMap::new();
    for series in samples.series() {
        if let Experiment::Train { train: Train { kind: TrainKind::Gap, size, count, .. }, .. } = series.experiment {
            by_size.entry(size.get()).or_default().push((f64::from(count), series.seconds()));
        }
    }
    let spread = relative_deviation(by_size.values().flatten().map(|(_, readings)| readings.as_slice()));
    let gap = |(size, pairs): (u64, Vec<(f64, Vec<f64>)>)| {
        let each: Vec<f64> = pairs.iter().map(|(count, readings)| median(readings) / count).collect();
        let variance = |((_, readings), gap): (&(f64, Vec<f64>), &f64)| {
            median_variance_factor(readings.len()) * (spread * gap).powi(2)
        };
        let variance: f64 = pairs.iter().zip(&each).map(variance).sum();
        Gap { size, seconds: mean(&each), deviation: variance.sqrt() / each.len() as f64 }
    };
    by_size.into_iter().map(gap).collect()
}
