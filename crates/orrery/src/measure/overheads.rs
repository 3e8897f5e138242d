//! The experiments that identify the models of the LogP family.

use std::collections::{BTreeMap, BTreeSet};

use super::Plan;
use super::comm::{MissingRoundTrips, tournament};
use super::packing::packed;
use crate::numeric::median;
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
pub struct OverheadDesign {
    /// Between which processors.
    pub pairs: TrainPairs,
    /// How many calls an overhead is read of.
    pub calls: u32,
    /// How many messages a gap is read of; of large ones fewer, down to 16, so that they are 512 KiB together.
    pub train: u32,
    /// Whether PRTT(n, 0, s), PRTT(n, d, s) and PRTT(1, 0, s) are measured too, as netgauge does.
    pub prtt: bool,
}

/// A train of large messages ends with so many bytes, which is more than buffers hold, but not below so many messages.
const LONG: u64 = 512 * 1024;
const FEW: u32 = 16;

impl OverheadDesign {
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
