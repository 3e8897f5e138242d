//! The prior distribution: what is assumed before any row is read. Deviations are standard
//! deviations of log times.

use super::structure::TERMS;

/// The prior medians θ₀ of the parameters in the order of [`Term::ALL`](super::Term::ALL), in
/// seconds and seconds per byte, for networks of 100 to 200 Gbit/s. The last one is about a page
/// fault of 4 KiB in 0.8 µs.
pub(super) const MEDIANS: [f64; TERMS] = [3e-6, 0.7e-6, 3e-6, 0.1e-9, 0.1e-9, 0.2e-9];

/// The prior standard deviations √v of the logs of the parameters: times are known within a factor
/// of 2.7, rates within 2.
pub(super) const DEVIATIONS: [f64; TERMS] = [1.0, 1.0, 1.0, 0.7, 0.7, 0.7];

/// A deviation from the formulas: a constant part, and a part that varies smoothly with the size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deviation {
    pub(super) constant: f64,
    pub(super) smooth: f64,
}

/// The deviation of an operation: formulas are off by a factor of 1.6 to 2.
pub(super) const OPERATION: Deviation = Deviation { constant: 0.5, smooth: 0.4 };

/// The deviation of an algorithm of an operation.
pub(super) const ALGORITHM: Deviation = Deviation { constant: 0.5, smooth: 0.4 };

/// The deviation of one implementation of an algorithm: two implementations differ by about a
/// fifth.
pub(super) const IMPLEMENTATION: Deviation = Deviation { constant: 0.1, smooth: 0.15 };

/// The deviation of an operation between launches, which run on other nodes: a factor of 1.8 = exp
/// √(0.5² + 0.3²).
pub(super) const LAUNCH: Deviation = Deviation { constant: 0.5, smooth: 0.3 };

/// The deviation of one implementation between launches.
pub(super) const LAUNCH_IMPLEMENTATION: Deviation = Deviation { constant: 0.0, smooth: 0.15 };

/// The part of [`LAUNCH`] by which operations deviate on another number of processors, whose times
/// are of another launch, too: the largest one that 95 % intervals needed on a system.
///
/// Learnt by `studies/collectives/transfer.py` from numbers of nodes that were left out, on LUMI,
/// MareNostrum 5, and Leonardo with another library; judged on the other times of Leonardo.
const TRANSFER: f64 = 0.5;

/// The deviation of an operation on one number of processors.
pub(super) const PROCESSORS: Deviation =
    Deviation { constant: TRANSFER * LAUNCH.constant, smooth: TRANSFER * LAUNCH.smooth };

/// The deviation of one implementation on one number of processors.
pub(super) const PROCESSORS_IMPLEMENTATION: Deviation = LAUNCH_IMPLEMENTATION;

/// The deviation of an algorithm on powers of two, or on other numbers of processors: the counts
/// are those of powers of two, others need further steps. A guess, of a sixth.
pub(super) const PARITY: Deviation = Deviation { constant: 0.15, smooth: 0.15 };

/// The deviation of each row with several processes on each host: much more than the noise, so that
/// a row has the time that was read.
pub(super) const CROWDED_ROW: f64 = 1.0;

/// The length ℓ of smooth deviations in doublings of the size: a protocol or a cache level every 5
/// to 6 doublings.
pub(super) const LENGTH: f64 = 6.0;

/// The noise of a reading: p10 to p90 are 6 % of the median in the median row.
pub(super) const NOISE: f64 = 0.05;

/// The expected loss of the library's own choice against the best algorithm, as a difference of
/// logs: a guess in the middle of what default choices lose.
pub(super) const DEFAULT_LOSS: f64 = 0.2;

/// The deviations of the default's loss between operations and between sizes; only in its interval.
pub(super) const DEFAULT_DEVIATION: [f64; 2] = [0.2, 0.2];

/// The confidence level of intervals.
pub(super) const LEVEL: f64 = 0.9;
