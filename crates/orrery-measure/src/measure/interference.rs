use crate::machine::{Batch, Machine, MachineError};
use orrery_base::numeric::median;
use orrery_base::units::Bytes;
use orrery_cluster::platform::{Placement, Processor};
use orrery_program::schedule::{Program, RoundTrip};

orrery_base::named_enum! {
    /// The choice whether experiments that share no processor run in parallel.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum Parallelism: "choice of parallel experiments" {
        /// They run in parallel.
        On => "on": "Always in parallel",
        /// One experiment runs at a time.
        Off => "off": "One experiment at a time",
        /// They run in parallel if a test finds that pairs do not disturb each other.
        #[default]
        Auto => "auto": "In parallel if pairs do not disturb each other",
    }
}

impl Parallelism {
    /// Returns true if experiments run in parallel on a machine. `Auto` tests with messages of
    /// `size` and returns the result of the test as well, if there are enough processors for one.
    ///
    /// # Errors
    ///
    /// When the machine fails during the test.
    pub fn decide(
        self,
        machine: &mut dyn Machine,
        size: Bytes,
    ) -> Result<(bool, Option<Interference>), MachineError> {
        match self {
            Self::On => Ok((true, None)),
            Self::Off => Ok((false, None)),
            Self::Auto => {
                let interference = Interference::measure(machine, size)?;
                Ok((interference.is_some_and(|found| found.is_negligible()), interference))
            }
        }
    }
}

/// The mutual disturbance of disjoint pairs of processors: times of the same round trips one at a
/// time and in parallel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interference {
    /// The pairs that disturb each other most.
    pub pairing: Pairing,
    /// The number of disjoint pairs that were compared.
    pub pairs: usize,
    /// The median over the pairs of the time in parallel, relative to the time by itself.
    pub ratio: f64,
    /// The largest ratio that noise explains.
    pub limit: f64,
}

orrery_base::named_enum! {
    /// A division of the processors into disjoint pairs.
    ///
    /// A link that joins two switches is shared by pairs of processors on both of them only. Ranks
    /// are placed on nodes in blocks or in turn, so that neighbours or distant processors are on
    /// different switches.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Pairing {
        /// Processors 2p and 2p + 1.
        Neighbours => "pairs of neighbours",
        /// Processors p and p + n/2.
        Halves => "pairs of two halves",
        /// Processors p and n − 1 − p.
        Ends => "pairs from both ends",
    }
}

impl Pairing {
    /// `pairs` disjoint pairs of this pairing, spread evenly over the processors; there must be two
    /// processors for each.
    pub(super) fn pairs(self, processors: usize, pairs: usize) -> Vec<[Processor; 2]> {
        let half = processors / 2;
        let place = |pair: usize| {
            let p = pair * half / pairs;
            let [i, j] = match self {
                Self::Neighbours => [2 * p, 2 * p + 1],
                Self::Halves => [p, p + half],
                Self::Ends => [p, processors - 1 - p],
            };
            [Processor(i as u32), Processor(j as u32)]
        };
        (0..pairs).map(place).collect()
    }
}

/// The limit of the ratio if there is little noise.
const MIN_LIMIT: f64 = 1.05;

/// The largest number of pairs that are compared at a time.
const MAX_PAIRS: usize = 32;

/// The number of readings of each pair in a round.
const REPETITIONS: u32 = 2;

/// The smallest and the largest number of rounds; after the smallest number, rounds are added only
/// until [`MAX_SECONDS`].
const ROUNDS: std::ops::RangeInclusive<u32> = 3..=25;

/// The time after which no further round is added for a pairing, in seconds.
const MAX_SECONDS: f64 = 0.1;

impl Interference {
    /// Compares the times of disjoint pairs one at a time and in parallel for each pairing; returns
    /// the one with the largest ratio to its limit, or `None` with fewer than four processors.
    ///
    /// # Errors
    ///
    /// When the machine fails.
    pub fn measure(machine: &mut dyn Machine, size: Bytes) -> Result<Option<Self>, MachineError> {
        let mut worst: Option<Self> = None;
        if machine.processors() >= 4 {
            for pairing in Pairing::ALL {
                let found = Self::of(machine, pairing, size)?;
                if worst.is_none_or(|worst| found.ratio / found.limit > worst.ratio / worst.limit) {
                    worst = Some(found);
                }
            }
        }
        Ok(worst)
    }

    /// Compares the times of the pairs of a pairing one at a time and in parallel, in turn.
    fn of(machine: &mut dyn Machine, pairing: Pairing, size: Bytes) -> Result<Self, MachineError> {
        let pairs = (machine.processors() / 2).min(MAX_PAIRS);
        let places = pairing.pairs(machine.processors(), pairs);
        let (mut alone, mut parallel) = (vec![Vec::new(); pairs], vec![Vec::new(); pairs]);
        let begin = machine.elapsed();
        for round in 0..*ROUNDS.end() {
            if round >= *ROUNDS.start() && (machine.elapsed() - begin).get() > MAX_SECONDS {
                break;
            }
            let batch = |pair: usize| {
                let program = Program::RoundTrip(RoundTrip { out: size, back: Bytes::ZERO });
                let reading = program.reading();
                let placement = Placement::new(places[pair]);
                let (warm_up, first_repetition, repetitions) =
                    (1, round * REPETITIONS, REPETITIONS);
                Batch { program, placement, reading, warm_up, first_repetition, repetitions }
            };
            let batches: Vec<Batch> = (0..pairs).map(batch).collect();
            for (pair, batch) in batches.iter().enumerate() {
                alone[pair].extend(machine.run(batch)?.iter().map(|seconds| seconds.get()));
            }
            for (pair, readings) in machine.run_all(&batches)?.iter().enumerate() {
                parallel[pair].extend(readings.iter().map(|seconds| seconds.get()));
            }
        }
        let ratios: Vec<f64> =
            parallel.iter().zip(&alone).map(|(p, a)| median(p) / median(a)).collect();
        let ratio = median(&ratios);
        let deviation =
            median(&ratios.iter().map(|r| (r - ratio).abs()).collect::<Vec<_>>()) / 0.6745;
        Ok(Self {
            pairing,
            pairs,
            ratio,
            limit: MIN_LIMIT.max(1.0 + 2.0 * deviation / (pairs as f64).sqrt()),
        })
    }

    /// Returns true if disjoint experiments may run in parallel.
    pub fn is_negligible(&self) -> bool {
        self.ratio <= self.limit
    }
}
