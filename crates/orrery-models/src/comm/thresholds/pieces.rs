use super::{Escalation, Thresholds};
use orrery_base::numeric::{Estimate, Interval};
use orrery_base::units::Bytes;
use orrery_program::schedule::Collective;

/// The messages between the root and one rank of a linear operation: a block, or its segments.
///
/// ```
/// use orrery_models::comm::thresholds::Pieces;
/// use orrery_program::schedule::{Collective, CollectiveKind, Rank};
/// use orrery_base::units::Bytes;
/// let (kind, root, block) = (CollectiveKind::Gather, Rank(0), Bytes::new(10_000));
/// let gather = Collective { kind, algorithm: "linear:4K".parse()?, root, ranks: 8, block };
/// assert_eq!(Pieces::of(&gather), Pieces { block, size: Bytes::new(4096), count: 3 });
/// # Ok::<(), orrery_base::file::Fault>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pieces {
    /// The size of the block.
    pub block: Bytes,
    /// The size of the largest message.
    pub size: Bytes,
    /// The number of messages, at least 1.
    pub count: u64,
}

impl Pieces {
    /// The messages in which an operation sends the block of a rank: segments, if its algorithm has
    /// them and they are smaller than the block.
    pub fn of(collective: &Collective) -> Self {
        let (block, segment) = (collective.block, collective.algorithm.segment());
        if segment == Bytes::ZERO || block <= segment {
            return block.into();
        }
        Self { block, size: segment, count: block.get().div_ceil(segment.get()) }
    }
}

impl From<Bytes> for Pieces {
    /// A block in one message.
    fn from(block: Bytes) -> Self {
        Self { block, size: block, count: 1 }
    }
}

/// The number of pieces up to which the distribution of the number of escalated ones is exact.
const MAX_COUNTED: u64 = 64;

impl Thresholds {
    /// Returns the segments into which an operation has to be divided so that neither escalations
    /// nor waiting sends occur: M1 of a gather, S of a scatter, at the lower end of its interval;
    /// `None` without such a threshold.
    ///
    /// ```
    /// use orrery_models::comm::Thresholds;
    /// use orrery_base::numeric::Estimate;
    /// use orrery_cluster::platform::Processor;
    /// use orrery_program::schedule::CollectiveKind;
    /// use orrery_base::units::Bytes;
    /// let none = Thresholds::none(CollectiveKind::Gather, Processor(0), 8);
    /// let gather = Thresholds { gather_small: Some(Estimate::exact(5000.0)), ..none };
    /// assert_eq!(gather.segment(), Some(Bytes::new(5000)));
    /// ```
    pub fn segment(&self) -> Option<Bytes> {
        let threshold = self.gather_small.or(self.gather_large).or(self.scatter_threshold)?;
        let size = threshold.interval.map_or(threshold.value, |interval| interval.low);
        Some(Bytes::new(size as u64)).filter(|size| *size != Bytes::ZERO)
    }

    /// Returns the levels by which an operation in these pieces escalates; empty if it does not.
    ///
    /// Each of n pieces escalates by itself, with probability p. The levels of several pieces are j =
    /// 1 to n times the mean level, with binomial probabilities; of more than 64 pieces, the mean
    /// of all that escalate. The expected time is exact.
    pub fn escalations(&self, pieces: Pieces) -> Vec<Escalation> {
        let beyond_small =
            self.gather_small.is_some_and(|small| pieces.size.get() as f64 > small.value);
        if !beyond_small || self.is_serial(pieces.size) {
            return Vec::new();
        }
        let n = pieces.count;
        let Some((probability, level)) = self.mean_level().filter(|_| n > 1) else {
            return self.escalations.clone();
        };
        let times = |factor: f64| {
            let scaled = |i: Interval| Interval { low: factor * i.low, high: factor * i.high, ..i };
            Estimate { value: factor * level.value, interval: level.interval.map(scaled), ..level }
        };
        if n > MAX_COUNTED {
            let any = 1.0 - (1.0 - probability).powf(n as f64);
            let seconds = times(n as f64 * probability / any);
            return vec![Escalation { seconds, probability: Estimate::exact(any) }];
        }
        let choose = |j: u64| (0..j).map(|k| (n - k) as f64 / (k + 1) as f64).product::<f64>();
        let binomial = |j: u64| {
            choose(j) * probability.powf(j as f64) * (1.0 - probability).powf((n - j) as f64)
        };
        let of = |j: u64| Escalation {
            seconds: times(j as f64),
            probability: Estimate::exact(binomial(j)),
        };
        (1..=n).map(of).collect()
    }

    /// Returns the expected number of escalations of an operation in these pieces, and the mean
    /// level; `None` if there are none.
    pub fn expected_escalation(&self, pieces: Pieces) -> Option<(f64, Estimate)> {
        if self.escalations(pieces).is_empty() {
            return None;
        }
        self.mean_level().map(|(probability, level)| (pieces.count as f64 * probability, level))
    }

    /// Returns the probability that one message escalates, and the mean level by which it does;
    /// `None` if it never does.
    fn mean_level(&self) -> Option<(f64, Estimate)> {
        let probability: f64 = self.escalations.iter().map(|one| one.probability.value).sum();
        let mean = |of: &dyn Fn(&Estimate) -> f64| {
            self.escalations.iter().map(|one| one.probability.value * of(&one.seconds)).sum::<f64>()
                / probability
        };
        let first = self.escalations.first().filter(|_| probability > 0.0)?.seconds;
        let interval = first.interval.map(|interval| Interval {
            low: mean(&|level| level.interval.map_or(level.value, |interval| interval.low)),
            high: mean(&|level| level.interval.map_or(level.value, |interval| interval.high)),
            ..interval
        });
        Some((probability, Estimate { value: mean(&|level| level.value), interval, samples: None }))
    }
}
