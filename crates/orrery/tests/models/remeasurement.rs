//! One host measured again: old and new samples together give the model of the cluster as it is.

use orrery::measure::CommDesign;
use orrery::sample::{REMEASURED, supersede};

use crate::prelude::*;
use crate::support::{M, differing};

/// A campaign on the whole cluster, or on the part of processor 4 only.
fn measured(truth: &(Layout, Vec<f64>), triplets: TripletDesign, only: Vec<Processor>) -> Samples {
    let network = LmoNetwork::from_parameters(truth.0, truth.1.clone());
    let mut machine = SimulatedMachine::new(network, 0.0, 1);
    let hosts = (0..7).map(|host| format!("n{host}")).collect::<Vec<_>>().join(" ");
    let mut provenance = Provenance::new().with("hosts", hosts);
    if !only.is_empty() {
        provenance.set(REMEASURED, "n4");
    }
    let mut samples = Samples::new(provenance);
    let precision = Precision { min_reps: 1, max_reps: 1, ..Precision::default() };
    let design = CommDesign { triplets, only, ..CommDesign::new(M) };
    let mut campaign = Campaign::new(&mut machine, &mut samples).precision(precision);
    assert_eq!(campaign.measure(&design).unwrap(), CampaignEnd::Complete);
    samples
}

#[test]
fn a_host_measured_again_gives_the_model_of_the_changed_cluster() {
    let before = differing(7, true, 3.0, 5);
    let mut after = before.clone();
    // C and t of processor 4.
    after.1[4] *= 5.0;
    after.1[7 + 4] *= 3.0;
    for triplets in [TripletDesign::Spread, TripletDesign::Full] {
        let old = measured(&before, triplets, Vec::new());
        let new = measured(&after, triplets, vec![Processor(4)]);
        assert!(
            new.series().iter().all(|series| series
                .experiment
                .placement()
                .processors()
                .contains(&Processor(4)))
        );
        assert!(
            3 * new.series().len() < 2 * old.series().len(),
            "{} {}",
            new.series().len(),
            old.series().len()
        );
        let mut parts = [old, new];
        let superseded = supersede(&mut parts);
        // Three round trips with each of six processors.
        assert!(superseded.replaced >= 18, "{superseded:?}");
        let [mut samples, new] = parts;
        samples.extend(&new);
        let lmo: Lmo =
            fit(&samples, &FitOptions::default()).unwrap().model.get(ModelKind::Lmo).unwrap();
        for (place, estimate) in lmo.fixed_delay.iter().chain(&lmo.byte_delay).enumerate() {
            let truth = after.1[place];
            assert!(
                (estimate.value - truth).abs() < 1e-6 * truth,
                "{triplets:?}, {place}: {} {truth}",
                estimate.value
            );
        }
    }
}
