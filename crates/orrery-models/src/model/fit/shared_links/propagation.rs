//! The part of the errors of shared links that those of the other parameters cause.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::estimation::{Solution, linearised, solve};
use super::trials::{Measured, Trials};
use crate::comm::Correlations;
use crate::comm::ports::Uplinks;
use orrery_base::numeric::{Estimate, parallel_map, student_quantile};

/// The number of draws of the other parameters. Their quantile is 8 % larger than that of the
/// normal distribution.
const DRAWS: usize = 16;

/// The seed of the first draw, so that a fit is repeatable.
const SEED: u64 = 1;

/// The uplinks of the model with intervals that contain the errors of the other parameters.
///
/// Each draw of the other parameters changes the explained times, and by the linear problem of the
/// estimation the delays. Their standard deviation over the draws is independent of the noise of
/// the exchanges.
pub(super) fn widened(
    solution: &Solution,
    correlations: &Correlations,
    measured: &Measured<'_>,
) -> Uplinks {
    let selection = &solution.selection;
    let uplinks = &measured.ports.uplinks;
    if uplinks.byte_delay().iter().all(|delay| delay.interval.is_none()) {
        return uplinks.clone();
    }
    let (explained, effects) = linearised(selection, &Trials::new(selection, measured));
    let delays = |explained: &[f64]| solve(selection, explained, &effects, measured.level);
    let present = delays(&explained);
    // The delays depend on the times of these sets only.
    let mut wanted: Vec<usize> =
        effects.iter().map(|effect| selection.times[effect.time].set).collect();
    wanted.dedup();
    let ranges = selection.ranges(measured.sets.len());
    let drawn_delays = |draw: usize| {
        let ports =
            measured.ports.drawn(correlations, &mut ChaCha8Rng::seed_from_u64(SEED + draw as u64));
        let trials = Trials::new(selection, &Measured { ports: &ports, ..*measured });
        let mut times = trials.times(&selection.delays, &wanted).into_iter();
        let mut drawn = explained.clone();
        for &set in &wanted {
            drawn[ranges[set].clone()]
                .iter_mut()
                .zip(&mut times)
                .for_each(|(drawn, time)| *drawn = time);
        }
        delays(&drawn)
    };
    let mut squares = vec![0.0; present.len()];
    for drawn in parallel_map(DRAWS, drawn_delays) {
        for (sum, (drawn, present)) in squares.iter_mut().zip(drawn.iter().zip(&present)) {
            *sum += (drawn.value - present.value).powi(2);
        }
    }
    let quantile = student_quantile(DRAWS as f64, measured.level);
    let widen = |(estimate, sum): (&Estimate, f64)| {
        estimate.widened(quantile * (sum / DRAWS as f64).sqrt())
    };
    let delays = uplinks.byte_delay().iter().zip(squares).map(widen).collect();
    uplinks.clone().with_byte_delay(delays)
}
