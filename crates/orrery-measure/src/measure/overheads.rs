//! Campaigns of message trains, from which the models of the LogP family and the protocols of large
//! messages are identified.

use std::collections::{BTreeMap, BTreeSet};

use super::further::further;
use super::packing::{packed, tournament};
use super::plan::MissingRoundTrips;
use super::train_sizes::{initial_train_sizes, refined_train_sizes};
use super::{Campaign, CampaignEnd, CampaignError, Design, Plan};
use crate::sample::{Experiment, Samples};
use orrery_base::numeric::median;
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;
use orrery_program::schedule::{Train, TrainKind};

orrery_base::named_enum! {
    /// The pairs of processors between which trains run.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum TrainPairs: "set of pairs" {
        /// All pairs in one direction each: from i to j if j − i is odd, otherwise from j to i.
        #[default]
        All => "all": "All pairs, in one direction each",
        /// Each processor and the next one, the last with the first.
        Ring => "ring": "Each processor and the next, the last with the first",
    }
}

/// The trains that measure overheads and gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverheadDesign {
    /// The pairs of processors.
    pub pairs: TrainPairs,
    /// The number of calls in one reading of an overhead.
    pub calls: u32,
    /// The number of messages in one reading of a gap; fewer of large ones, down to 16, so that
    /// they total 512 KiB.
    pub train: u32,
    /// True if PRTT(n, 0, s), PRTT(n, d, s) and PRTT(1, 0, s) are measured too, as by netgauge.
    pub prtt: bool,
}

impl Default for OverheadDesign {
    /// All pairs, overheads of single calls, gaps of 64 messages, without PRTT.
    fn default() -> Self {
        Self { pairs: TrainPairs::All, calls: 1, train: 64, prtt: false }
    }
}

/// The sizes of trains.
#[derive(Debug, Clone, PartialEq)]
pub enum TrainSizes {
    /// These sizes.
    Listed(Vec<Bytes>),
    /// Sizes that are refined until gap and overheads are piecewise linear.
    Adaptive {
        /// The largest size.
        largest: Bytes,
        /// The relative deviation from a line above which a size is added.
        tolerance: f64,
    },
}

impl Default for TrainSizes {
    /// Adaptive sizes up to 32 KiB, refined where they deviate from a line by more than 10 %.
    fn default() -> Self {
        Self::Adaptive { largest: Bytes::new(32 * 1024), tolerance: 0.1 }
    }
}

/// Trains with their sizes: a whole campaign for the LogP family.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainDesign {
    /// The trains.
    pub overheads: OverheadDesign,
    /// Their sizes.
    pub sizes: TrainSizes,
    /// The sizes of send-receive experiments, which show for how many bytes of earlier messages a
    /// handshake waits; none is measured with two processors.
    pub send_receives: Vec<Bytes>,
}

impl Default for TrainDesign {
    /// Trains and sizes by default, and send-receive experiments of 128 and 512 KiB.
    fn default() -> Self {
        let send_receives = [128, 512].map(|kibibytes| Bytes::new(kibibytes << 10)).to_vec();
        Self { overheads: OverheadDesign::default(), sizes: TrainSizes::default(), send_receives }
    }
}

impl TrainDesign {
    /// Measures round trips of these sizes, which determine how long trains wait, then the trains.
    fn measure_sizes(
        &self,
        campaign: &mut Campaign<'_>,
        sizes: &[Bytes],
    ) -> Result<CampaignEnd, CampaignError> {
        let (processors, seed) = (campaign.processors(), campaign.order_seed());
        let end =
            campaign.run("round trips", &self.overheads.round_trips(processors, sizes, seed))?;
        if end != CampaignEnd::Complete {
            return Ok(end);
        }
        let trains = self.overheads.trains(campaign.samples(), processors, sizes, seed)?;
        campaign.run("overheads", &trains)
    }
}

impl Design for TrainDesign {
    fn measure(&self, campaign: &mut Campaign<'_>) -> Result<CampaignEnd, CampaignError> {
        let end = self.measure_trains(campaign)?;
        let plan = send_receives(campaign.processors(), &self.send_receives, campaign.order_seed());
        if end != CampaignEnd::Complete || plan.is_empty() {
            return Ok(end);
        }
        campaign.run("send-receives", &plan)
    }
}

/// The plan of send-receive experiments of these sizes at each processor, with the two that follow
/// it in cyclic order; empty with two processors.
pub fn send_receives(processors: usize, sizes: &[Bytes], seed: u64) -> Plan {
    let (i, size) = (Processor(0), Bytes::ZERO);
    further(&[Experiment::SendReceive { i, j: i, k: i, size }], processors, sizes, seed)
}

impl TrainDesign {
    /// Measures the trains of all sizes.
    fn measure_trains(&self, campaign: &mut Campaign<'_>) -> Result<CampaignEnd, CampaignError> {
        match &self.sizes {
            TrainSizes::Listed(sizes) => self.measure_sizes(campaign, sizes),
            &TrainSizes::Adaptive { largest, tolerance } => {
                let mut sizes = initial_train_sizes(campaign.samples(), largest);
                let mut end = CampaignEnd::Complete;
                while !sizes.is_empty() && end == CampaignEnd::Complete {
                    end = self.measure_sizes(campaign, &sizes)?;
                    sizes = refined_train_sizes(campaign.samples(), tolerance);
                }
                Ok(end)
            }
        }
    }
}

/// The minimum total size of a train of large messages in bytes: more than buffers hold.
const MIN_TRAIN_BYTES: u64 = 512 * 1024;

/// The minimum number of messages of such a train.
const MIN_TRAIN_MESSAGES: u32 = 16;

impl OverheadDesign {
    /// The plan of round trips with empty replies of these sizes and of empty messages; they
    /// determine how long trains wait.
    pub fn round_trips(&self, processors: usize, sizes: &[Bytes], seed: u64) -> Plan {
        let trip = |size| move |(i, j)| Experiment::RoundTrip { i, j, size, reply: Bytes::ZERO };
        let sizes: BTreeSet<Bytes> = sizes.iter().copied().chain([Bytes::ZERO]).collect();
        let rounds = self.rounds(processors);
        let of_size =
            |size| rounds.iter().map(move |round| round.iter().copied().map(trip(size)).collect());
        Plan::shuffled(sizes.into_iter().flat_map(of_size).collect(), seed)
    }

    /// The plan of trains of these sizes. Between calls there are waits of two to four round trips,
    /// so that every port is idle and every message has arrived; a train with readings keeps its
    /// wait.
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
                let trip =
                    |i, j| samples.get(&Experiment::RoundTrip { i, j, size, reply: Bytes::ZERO });
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
                    rounds.push(
                        round
                            .iter()
                            .map(|&(i, j)| experiment(i, j, kind, size, count, with_wait))
                            .collect(),
                    );
                }
            }
        }
        if missing.is_empty() {
            Ok(Plan::shuffled(rounds, seed))
        } else {
            Err(MissingRoundTrips(missing))
        }
    }

    /// Returns the trains of messages of a size: kind, number of messages, and true for trains with
    /// waits.
    fn kinds(&self, size: Bytes) -> Vec<(TrainKind, u32, bool)> {
        let fitting = u32::try_from(MIN_TRAIN_BYTES / size.get().max(1)).unwrap_or(u32::MAX);
        let mut kinds = vec![
            (TrainKind::SendOverhead, self.calls, true),
            (TrainKind::ReceiveOverhead, self.calls, true),
            (TrainKind::Gap, self.train.min(fitting.max(MIN_TRAIN_MESSAGES)), false),
        ];
        if self.prtt {
            let prtt = [(1, false), (self.train, false), (self.train, true)];
            kinds.extend(prtt.map(|(count, wait)| (TrainKind::Prtt, count, wait)));
        }
        kinds
    }

    /// The pairs of processors, in rounds of disjoint pairs.
    fn rounds(&self, processors: usize) -> Vec<Vec<(Processor, Processor)>> {
        let one_way =
            |(a, b): (Processor, Processor)| if (b.0 - a.0) % 2 == 1 { (a, b) } else { (b, a) };
        match self.pairs {
            TrainPairs::All => tournament(processors)
                .into_iter()
                .map(|round| round.into_iter().map(one_way).collect())
                .collect(),
            TrainPairs::Ring => {
                let next = |i: Processor| Processor((i.0 + 1) % processors as u32);
                // Two processors form one pair.
                let firsts = Processor::first(if processors == 2 { 1 } else { processors });
                let trip = |i| Experiment::RoundTrip {
                    i,
                    j: next(i),
                    size: Bytes::ZERO,
                    reply: Bytes::ZERO,
                };
                let rounds = packed(processors, &firsts.map(trip).collect::<Vec<_>>());
                let ends =
                    |e: Experiment| (e.placement().processors()[0], e.placement().processors()[1]);
                rounds.into_iter().map(|round| round.into_iter().map(ends).collect()).collect()
            }
        }
    }
}

/// The waits in nanoseconds of trains that have readings, by the pair and the train without its
/// wait.
fn known_waits(samples: &Samples) -> BTreeMap<(Processor, Processor, Train), u64> {
    let waits = samples.series().iter().filter_map(|series| match series.experiment {
        Experiment::Train { i, j, train } if train.delay > 0 => {
            Some(((i, j, Train { delay: 0, ..train }), train.delay))
        }
        _ => None,
    });
    waits.collect()
}
