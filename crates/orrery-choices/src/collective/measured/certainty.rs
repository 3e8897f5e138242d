//! How sure a choice is: the probability that it is nearly as fast as the fastest one.

use orrery_base::numeric::normal_p_value;

/// The part by which a choice may be slower than the fastest one to count as right.
pub const TOLERANCE: f64 = 0.05;

/// How often choices at points that were not measured were right, by their lower bound from
/// [`all_slower`]: the smallest bound, and the part that was right among all algorithms of the
/// point, also those that had not been measured elsewhere.
///
/// Learnt by `studies/collectives/transfer.py` from sizes and numbers of nodes that were left out,
/// on LUMI, MareNostrum 5, and Leonardo with another library. The bound does not separate more: two
/// implementations of an algorithm are often equally fast, which makes low bounds too low, and the
/// fastest algorithm was sometimes not among the compared ones, which makes high bounds too high.
const FREQUENCIES: [(f64, f64); 2] = [(0.0, 0.77), (0.8, 0.86)];

/// How often choices were right by times of other numbers of processors of which none is a power of
/// two like that of the choice, or none is another number like it. Some algorithms need powers of
/// two, and libraries choose by them. Learnt as [`FREQUENCIES`].
const UNLIKE_FREQUENCY: f64 = 0.55;

/// How often a choice with this bound was right at a point that was not measured. `is_alike` is
/// true if one of the numbers of processors of its times is a power of two, if its own is one, or
/// another number otherwise.
pub(super) fn frequency(bound: f64, is_alike: bool) -> f64 {
    let reached = FREQUENCIES.iter().rev().find(|(smallest, _)| *smallest <= bound);
    let learnt = reached.unwrap_or(&FREQUENCIES[0]).1;
    if is_alike { learnt } else { UNLIKE_FREQUENCY }
}

/// A lower bound of the probability that no rival is faster by more than [`TOLERANCE`]: the product
/// over the rivals of Φ((d + ln(1 + tolerance))/s), where d is the mean and s the standard deviation
/// of the log time of the rival minus that of the choice.
///
/// All differences contain the time of the choice, so that they are positively correlated.
/// Source: Slepian, "The one-sided barrier problem for Gaussian noise", Bell System Technical
/// Journal 41 (1962).
pub(super) fn all_slower(rivals: impl IntoIterator<Item = (f64, f64)>) -> f64 {
    let is_slower = |(mean, deviation): (f64, f64)| {
        let z = (mean + TOLERANCE.ln_1p()) / deviation.max(MIN_DEVIATION);
        let tail = normal_p_value(z) / 2.0;
        if z < 0.0 { tail } else { 1.0 - tail }
    };
    rivals.into_iter().map(is_slower).product()
}

/// The smallest standard deviation of a difference of logs, below which rounding errors dominate.
const MIN_DEVIATION: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rivals_lower_the_probability() {
        let none = all_slower([]);
        assert!((none - 1.0).abs() < 1e-12, "{none}");
        let equal = all_slower([(-TOLERANCE.ln_1p(), 0.2)]);
        assert!((equal - 0.5).abs() < 1e-12, "{equal}");
        let two = all_slower([(-TOLERANCE.ln_1p(), 0.2); 2]);
        assert!((two - 0.25).abs() < 1e-12, "{two}");
        assert!(all_slower([(1.0, 0.2)]) > 0.999 && all_slower([(-1.0, 0.2)]) < 1e-3);
        assert!(all_slower([(0.0, 0.0)]) > 0.999 && all_slower([(-0.1, 0.0)]) < 1e-3);
    }

    #[test]
    fn frequencies_grow_with_the_bound() {
        for bounds in FREQUENCIES.windows(2) {
            assert!(bounds[0].0 < bounds[1].0 && bounds[0].1 <= bounds[1].1);
        }
        for bound in [0.0, 0.5, 1.0] {
            assert!(frequency(bound, true) >= frequency(0.0, true));
            assert!(frequency(bound, false) < frequency(bound, true));
        }
    }
}
