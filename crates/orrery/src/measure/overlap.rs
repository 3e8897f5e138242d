use crate::machine::{Batch, Machine, MachineError};
use crate::numeric::median;
use crate::platform::{Placement, Processor};
use crate::schedule::{Program, RoundTrip};
use crate::units::Bytes;

/// What running experiments at the same time costs: the same round trips alone and together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interference {
    /// How many disjoint pairs were compared.
    pub pairs: usize,
    /// The median over the pairs of the time together, relative to the time alone.
    pub ratio: f64,
    /// Up to this ratio pairs do not disturb each other, as far as noise lets us see.
    pub limit: f64,
}

/// At least this much slower counts as disturbed, however little noise there is.
const LEAST: f64 = 1.05;

const PAIRS: usize = 8;
/// Repetitions of a turn that are read.
const REPETITIONS: u32 = 2;

/// There are at least so many turns, and further ones, up to the greatest number, while all together took no more seconds.
const TURNS: std::ops::RangeInclusive<u32> = 3..=25;
const PATIENCE: f64 = 0.1;

impl Interference {
    /// Compares a few disjoint pairs alone and together, in turn; `None` with fewer than four processors.
    ///
    /// # Errors
    ///
    /// When the machine fails.
    pub fn measure(machine: &mut dyn Machine, size: Bytes) -> Result<Option<Self>, MachineError> {
        let pairs = (machine.processors() / 2).min(PAIRS);
        if pairs < 2 {
            return Ok(None);
        }
        let (mut alone, mut together) = (vec![Vec::new(); pairs], vec![Vec::new(); pairs]);
        let begin = machine.elapsed();
        for turn in 0..*TURNS.end() {
            if turn >= *TURNS.start() && (machine.elapsed() - begin).get() > PATIENCE {
                break;
            }
            let batch = |pair: usize| {
                let program = Program::RoundTrip(RoundTrip { out: size, back: Bytes::ZERO });
                let reading = program.reading();
                let ends = [Processor(2 * pair as u32), Processor(2 * pair as u32 + 1)];
                let first_repetition = turn * REPETITIONS;
                Batch {
                    program,
                    placement: Placement::new(ends),
                    reading,
                    warm_up: 1,
                    first_repetition,
                    repetitions: REPETITIONS,
                }
            };
            let batches: Vec<Batch> = (0..pairs).map(batch).collect();
            for (pair, batch) in batches.iter().enumerate() {
                alone[pair].extend(machine.run(batch)?.iter().map(|seconds| seconds.get()));
            }
            for (pair, readings) in machine.run_all(&batches)?.iter().enumerate() {
                together[pair].extend(readings.iter().map(|seconds| seconds.get()));
            }
        }
        let ratios: Vec<f64> = together.iter().zip(&alone).map(|(t, a)| median(t) / median(a)).collect();
        let ratio = median(&ratios);
        let spread = median(&ratios.iter().map(|r| (r - ratio).abs()).collect::<Vec<_>>()) / 0.6745;
        Ok(Some(Self { pairs, ratio, limit: LEAST.max(1.0 + 2.0 * spread / (pairs as f64).sqrt()) }))
    }

    /// Whether disjoint experiments may run at the same time.
    pub fn is_negligible(&self) -> bool {
        self.ratio <= self.limit
    }
}
