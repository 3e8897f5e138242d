use std::collections::BTreeMap;

use super::{Experiment, Samples, SpreadGroup, pooled_spreads};
use orrery_base::numeric::{median, median_variance_factor};
use orrery_base::units::Bytes;
use orrery_cluster::platform::{Placement, Processor};
use orrery_program::schedule::{Exchanges, Program};

/// Pairs of processors that exchange messages at the same time; no processor is in two of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExchangeSet {
    pairs: Vec<(Processor, Processor)>,
    /// The size of each message.
    pub size: Bytes,
}

impl ExchangeSet {
    /// The set of these pairs, in any order.
    pub fn new(pairs: impl IntoIterator<Item = (Processor, Processor)>, size: Bytes) -> Self {
        let mut pairs: Vec<_> = pairs.into_iter().map(|(a, b)| (a.min(b), a.max(b))).collect();
        pairs.sort_unstable();
        Self { pairs, size }
    }

    /// The pairs, ascending, each with the lower processor first.
    pub fn pairs(&self) -> &[(Processor, Processor)] {
        &self.pairs
    }

    /// Returns true if no processor is in two pairs, or twice in one.
    fn is_disjoint(&self) -> bool {
        let mut members: Vec<Processor> = self.pairs.iter().flat_map(|&(i, j)| [i, j]).collect();
        members.sort_unstable();
        members.windows(2).all(|two| two[0] != two[1])
    }

    /// The number of the set in samples files, which follows from its pairs; 0 for one pair.
    pub fn number(&self) -> u32 {
        if self.pairs.len() < 2 {
            return 0;
        }
        // The hash FNV-1a, so that campaigns of several launches agree.
        let words = self.pairs.iter().flat_map(|&(i, j)| [i.0, j.0]).flat_map(u32::to_le_bytes);
        let hash = words.fold(0x811c_9dc5, |hash: u32, byte| {
            (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        });
        hash.max(1)
    }

    /// The experiments that read each of the pairs.
    pub fn experiments(&self) -> impl Iterator<Item = Experiment> {
        let (size, set, pairs) = (self.size, self.number(), self.pairs.len() as u32);
        self.pairs.iter().map(move |&(i, j)| Experiment::Exchanges { i, j, size, set, pairs })
    }

    /// The program that reads the pair whose lower processor is i, and the processor of each rank.
    pub fn program(&self, i: Processor) -> (Program, Placement) {
        let read = self.pairs.iter().filter(|pair| pair.0 == i);
        let others = self.pairs.iter().filter(|pair| pair.0 != i);
        let placement = Placement::new(read.chain(others).flat_map(|&(i, j)| [i, j]));
        (
            Program::Exchanges(Exchanges { pairs: self.pairs.len() as u32, size: self.size }),
            placement,
        )
    }
}

/// The times of the pairs of a set.
type PairTimes = BTreeMap<(Processor, Processor), ExchangeTime>;

/// The median time of an exchange, with its standard deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExchangeTime {
    /// The median \[s\].
    pub seconds: f64,
    /// The standard deviation of the median \[s\].
    pub deviation: f64,
    /// The number of readings.
    pub readings: usize,
}

/// The measured times of a set, in the order of its pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredSet {
    /// The pairs.
    pub set: ExchangeSet,
    /// The times of each pair by itself.
    pub alone: Vec<ExchangeTime>,
    /// The times of each pair with all others at the same time.
    pub together: Vec<ExchangeTime>,
}

/// The times of all exchanges, each with its pair, lower processor first, its size, and the number
/// and the pairs of its set.
fn times(
    samples: &Samples,
) -> impl Iterator<Item = ((Processor, Processor), Bytes, (u32, u32), ExchangeTime)> {
    let hosts = samples.hosts();
    let is_exchange = |experiment: &Experiment| matches!(experiment, Experiment::Exchanges { .. });
    let series: Vec<_> =
        samples.series().iter().filter(|series| is_exchange(&series.experiment)).collect();
    let spreads = pooled_spreads(series.iter().copied(), &hosts);
    series.into_iter().filter_map(move |one| {
        let Experiment::Exchanges { i, j, size, set, pairs } = one.experiment else { return None };
        let readings = one.seconds();
        let (seconds, spread) =
            (median(&readings), spreads[&SpreadGroup::of(&one.experiment, &hosts)]);
        let deviation = seconds * spread * median_variance_factor(readings.len()).sqrt();
        let time = ExchangeTime { seconds, deviation, readings: readings.len() };
        Some(((i.min(j), i.max(j)), size, (set, pairs), time))
    })
}

/// The times of the exchanges of single pairs, by pair, lower processor first, and size.
pub fn single_exchanges(
    samples: &Samples,
) -> BTreeMap<((Processor, Processor), Bytes), ExchangeTime> {
    let alone = times(samples).filter(|(.., (_, pairs), time)| *pairs == 1 && time.seconds > 0.0);
    alone.map(|(pair, size, _, time)| ((pair, size), time)).collect()
}

/// The smallest relative increase of a time that counts: rates within a tenth of each other do not
/// show a shared link.
const MIN_INCREASE: f64 = 0.1;

/// The number of standard deviations that an increase exceeds.
const DEVIATIONS: f64 = 4.0;

impl MeasuredSet {
    /// The complete sets among samples, by size, then by number, and the number of the others: a
    /// pair is missing, together or alone, or takes no time, or the rows of a set contradict each
    /// other.
    pub fn all(samples: &Samples) -> (Vec<Self>, usize) {
        let mut alone = BTreeMap::new();
        let mut sets: BTreeMap<(Bytes, u32, u32), PairTimes> = BTreeMap::new();
        for (pair, size, (set, pairs), time) in times(samples) {
            if pairs == 1 {
                alone.insert((pair, size), time);
            } else {
                sets.entry((size, set, pairs)).or_default().insert(pair, time);
            }
        }
        let found = sets.len();
        let measured = |((size, number, pairs), together): (_, PairTimes)| {
            let alone = together
                .keys()
                .map(|&pair| alone.get(&(pair, size)).copied())
                .collect::<Option<Vec<_>>>()?;
            let set = ExchangeSet::new(together.keys().copied(), size);
            let together: Vec<ExchangeTime> = together.into_values().collect();
            let is_whole =
                together.len() == pairs as usize && set.is_disjoint() && set.number() == number;
            let take_time = alone.iter().chain(&together).all(|time| time.seconds > 0.0);
            (is_whole && take_time).then_some(Self { set, alone, together })
        };
        let complete: Vec<Self> = sets.into_iter().filter_map(measured).collect();
        let incomplete = found - complete.len();
        (complete, incomplete)
    }

    /// Each pair, with the effect of the other pairs on it.
    pub fn slowdowns(&self) -> impl Iterator<Item = ((Processor, Processor), Slowdown)> {
        let is_slowed = |(alone, together): (&ExchangeTime, &ExchangeTime)| {
            let increase = together.seconds - alone.seconds;
            increase > MIN_INCREASE * alone.seconds
                && increase > DEVIATIONS * together.deviation.hypot(alone.deviation)
        };
        let times = || self.alone.iter().zip(&self.together);
        let slowed = times().filter(|pair| is_slowed(*pair)).map(|(_, together)| together.seconds);
        let shortest = slowed.fold(f64::INFINITY, f64::min);
        let slowdown = move |pair: (&ExchangeTime, &ExchangeTime)| {
            if is_slowed(pair) {
                Slowdown::Slowed
            } else if pair.0.seconds * (1.0 + MIN_INCREASE) < shortest {
                Slowdown::Unaffected
            } else {
                Slowdown::Unknown
            }
        };
        self.set.pairs.iter().copied().zip(times().map(slowdown))
    }
}

/// What the other pairs of a set do to a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slowdown {
    /// It takes longer than by itself, by more than noise and by more than a tenth.
    Slowed,
    /// It does not, but would if it shared a link with any pair that is slowed.
    Unaffected,
    /// It takes as long by itself as pairs that are slowed, and may share their links.
    Unknown,
}
