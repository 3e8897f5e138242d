//! Whether rules help: measured times of the library's own choice, without rules and with them.

use std::collections::BTreeMap;

use rand::SeedableRng as _;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom as _;

use crate::collective::measured::launch_medians;
use orrery_base::numeric::{median, rank_sum_test, shift};
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::Processor;
use orrery_measure::sample::{Experiment, Samples};
use orrery_program::schedule::CollectiveKind;

/// An operation at a size, measured in several launches without rules and with them.
#[derive(Debug, Clone, PartialEq)]
pub struct Verified {
    /// The operation.
    pub operation: CollectiveKind,
    /// The size of the block of one process, or of the vector.
    pub size: Bytes,
    /// The median over launches of the median times without rules.
    pub default: Seconds,
    /// The same with rules.
    pub tuned: Seconds,
    /// The time with rules divided by that without them: the median over pairs of launches.
    pub ratio: f64,
    /// The confidence interval of the ratio; `None` with too few launches.
    pub interval: Option<(f64, f64)>,
    /// The two-sided p-value of the rank test of the launches.
    pub p_value: f64,
    /// What the rules do.
    pub verdict: Verdict,
}

orrery_base::named_enum! {
    /// What rules do to a time.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Verdict {
        /// It is shorter, significantly.
        Helps => "helps",
        /// It is longer, significantly.
        Hurts => "hurts",
        /// There is no significant difference.
        NoDifference => "not significant",
    }
}

/// The order of launches without rules (false) and with them, which the seed determines, each with
/// its number: so that a slow change of the machine meets both.
pub fn launch_order(launches: u32, seed: u64) -> Vec<(bool, u32)> {
    let mut order: Vec<_> =
        (0..launches).flat_map(|launch| [(false, launch), (true, launch)]).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    order
}

/// Compares the calls by the library's own choice in samples without rules and with them, at each
/// operation and size that both have.
///
/// The medians of launches are compared, since readings of a launch are not independent. A
/// difference is significant if the p-value of its point is at most 1 − `level`: of many points
/// without a difference, a part of 1 − `level` seems to have one.
pub fn verify(default: &Samples, tuned: &Samples, level: f64) -> Vec<Verified> {
    let (default, mut tuned) = (medians(default), medians(tuned));
    let both = default
        .into_iter()
        .filter_map(|(point, default)| Some((point, default, tuned.remove(&point)?)));
    let verified = |((operation, size, _), default, tuned): (Point, Vec<f64>, Vec<f64>)| {
        let p_value = rank_sum_test(&default, &tuned);
        let logs = |times: &[f64]| times.iter().map(|seconds| seconds.ln()).collect::<Vec<f64>>();
        let (difference, interval) = shift(&logs(&default), &logs(&tuned), level)?;
        let verdict = match difference {
            _ if p_value > 1.0 - level => Verdict::NoDifference,
            less if less < 0.0 => Verdict::Helps,
            _ => Verdict::Hurts,
        };
        Some(Verified {
            operation,
            size,
            default: Seconds::new(median(&default)),
            tuned: Seconds::new(median(&tuned)),
            ratio: difference.exp(),
            interval: interval.map(|(low, high)| (low.exp(), high.exp())),
            p_value,
            verdict,
        })
    };
    both.filter_map(verified).collect()
}

/// An operation, a size and a root.
type Point = (CollectiveKind, Bytes, Processor);

/// The medians of the launches, for calls by the library's own choice.
fn medians(samples: &Samples) -> BTreeMap<Point, Vec<f64>> {
    let mut all = BTreeMap::new();
    for series in samples.in_order() {
        let Experiment::Native { kind, algorithm: None, root, size, .. } = series.experiment else {
            continue;
        };
        let medians = launch_medians(series).into_values().filter(|seconds| *seconds > 0.0);
        all.insert((kind, size, root), medians.collect());
    }
    all
}
