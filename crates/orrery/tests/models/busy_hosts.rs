//! Models of hosts that other programs share: readings are whole time slices as often as message
//! times.

use crate::prelude::*;
use crate::support::{Design, campaign, differing};

/// The samples with noise of a factor, and in half of the experiments with readings that waited for
/// a time slice.
fn disturbed(samples: &Samples, seed: u64) -> Samples {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut disturbed = Samples::new(Provenance::new());
    for series in samples.in_order() {
        let waiting = if rng.random_bool(0.5) { 0.0 } else { rng.random_range(0.0..1.0) };
        for sample in series.samples() {
            let slices =
                if rng.random_bool(waiting) { rng.random_range(0.001..0.024) } else { 0.0 };
            let seconds = Seconds::new(sample.seconds.get() * rng.random_range(0.5..2.0) + slices);
            disturbed.push(Sample { seconds, ..sample });
        }
    }
    disturbed
}

#[test]
fn readings_of_whole_time_slices_give_a_model_of_wide_intervals() {
    let options = FitOptions { kinds: Some(vec![ModelKind::Lmo]), ..FitOptions::default() };
    // Seeds at which the best solution has paths that leave out a delay, and others.
    for seed in (220..260).chain([284, 326, 377, 586]) {
        let (layout, truth) = differing(4, true, 1.5, seed);
        let network = LmoNetwork::from_parameters(layout, truth);
        let samples = disturbed(&campaign(network, 0.05, seed, 10, Design::default()), seed);
        let model =
            fit(&samples, &options).unwrap_or_else(|error| panic!("seed {seed}: {error}")).model;
        let lmo: Lmo = model.get(ModelKind::Lmo).unwrap();
        assert!(
            lmo.byte_delay.iter().all(|delay| delay.interval.is_some_and(|range| range.high > 0.0)),
            "seed {seed}: {:?}",
            lmo.byte_delay
        );
    }
}
