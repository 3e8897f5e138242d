//! Campaigns that scale: the default design against the full one, rounds of disjoint experiments
//! against one at a time.

use std::collections::BTreeSet;
use std::error::Error;

use crate::prelude::*;
use crate::support::{Design, M, all, campaign, differing, measure};

use orrery::measure::Sink;

const N: usize = 16;

/// The messages of all readings.
fn messages(samples: &Samples) -> usize {
    let of_one = |experiment: &Experiment| match experiment {
        Experiment::RoundTrip { .. } | Experiment::Anchor { .. } | Experiment::Exchange { .. } => 2,
        Experiment::OneToTwo { .. }
        | Experiment::TwoToOne { .. }
        | Experiment::SendReceive { .. } => 4,
        Experiment::Exchanges { pairs, .. } => 2 * *pairs as usize,
        Experiment::Collective { .. }
        | Experiment::Native { .. }
        | Experiment::Train { .. }
        | Experiment::Combination { .. } => 0,
    };
    samples.series().iter().map(|series| of_one(&series.experiment) * series.readings.len()).sum()
}

/// The median width of the intervals of each family of parameters: C, t, 1/β, L.
fn widths(layout: Layout, samples: &Samples) -> [f64; 4] {
    let (model, ..) = paths(&all(samples), true, 0.95).unwrap();
    let widths: Vec<f64> =
        model.estimates().iter().map(|e| e.interval.map_or(0.0, |i| i.high - i.low)).collect();
    let (n, pairs) = (layout.processors(), layout.pairs().count());
    let ends = [0, n, 2 * n, 2 * n + pairs, 2 * n + 2 * pairs];
    std::array::from_fn(|family| median(&widths[ends[family]..ends[family + 1]]))
}

/// The numbers of readings and of experiments in each piece that a campaign stores.
#[derive(Default)]
struct Pieces(Vec<(usize, usize)>);

impl Sink for Pieces {
    fn record(&mut self, readings: &[Sample]) -> Result<(), Box<dyn Error + Send + Sync>> {
        let experiments: BTreeSet<Experiment> =
            readings.iter().map(|reading| reading.experiment).collect();
        self.0.push((readings.len(), experiments.len()));
        Ok(())
    }
}

#[test]
fn a_piece_is_an_experiment_or_several_in_parallel() {
    let (layout, truth) = differing(N, true, 1.0, 3);
    let plan = round_trips(N, &[M], 1);
    let count = plan.experiments().count();
    let pieces = |parallel| {
        let mut machine =
            SimulatedMachine::new(LmoNetwork::from_parameters(layout, truth.clone()), 0.0, 1);
        let (mut samples, mut pieces) = (Samples::default(), Pieces::default());
        let precision = Precision { min_reps: 3, max_reps: 3, ..Precision::default() };
        let campaign =
            Campaign::new(&mut machine, &mut samples).precision(precision).parallel(parallel);
        campaign.sink(&mut pieces).run("plan", &plan).unwrap();
        pieces.0
    };
    assert_eq!(pieces(false), vec![(3, 1); count]);
    // The first pass does not know how long experiments take.
    assert_eq!(pieces(true), [(3 * 8 * N, 8 * N), (3 * (count - 8 * N), count - 8 * N)]);
}

#[test]
fn default_design_is_as_precise_as_the_full_one_per_message() {
    // The design was chosen on the cluster of seed 3; the other clusters are independent tests.
    let clusters = [("homogeneous", 1.0), ("heterogeneous", 10.0), ("very heterogeneous", 100.0)];
    for (seed, (what, times)) in
        [3, 21, 22].into_iter().flat_map(|seed| clusters.map(|cluster| (seed, cluster)))
    {
        let (layout, truth) = differing(N, true, times, seed);
        let network = LmoNetwork::from_parameters(layout, truth);
        let full = campaign(network.clone(), 0.05, seed, 5, Design::Full);
        let one = campaign(network.clone(), 0.05, seed, 1, Design::Spread);
        let reps = (messages(&full) / messages(&one)) as u32;
        let spread = campaign(network, 0.05, seed, reps, Design::Spread);
        assert!(messages(&spread) <= messages(&full));
        let (wide, narrow) = (widths(layout, &full), widths(layout, &spread));
        for family in 0..4 {
            let ratio = narrow[family] / wide[family];
            assert!(ratio <= 1.0, "{what}, seed {seed}, family {family}: {ratio}");
        }
    }
}

/// Virtual time of round trips and of one-to-two experiments, one at a time and together.
fn times(times: f64, parallel: bool) -> (f64, f64) {
    let (layout, truth) = differing(N, true, times, 3);
    let mut machine = SimulatedMachine::new(LmoNetwork::from_parameters(layout, truth), 0.0, 1);
    let mut samples = Samples::new(Provenance::new());
    measure(&mut machine, &mut samples, &round_trips(N, &[Bytes::ZERO, M], 1), 5, parallel);
    let pairs = machine.elapsed().get();
    let plan = one_to_twos(Design::Full, &samples, N, M, 1).unwrap();
    measure(&mut machine, &mut samples, &plan, 5, parallel);
    (pairs, machine.elapsed().get() - pairs)
}

#[test]
fn parallel_experiments_save_time() {
    for (differing, least_pairs, least_triplets) in [(1.0, 5.0, 4.0), (10.0, 3.0, 3.0)] {
        let (one_pairs, one_triplets) = times(differing, false);
        let (pairs, triplets) = times(differing, true);
        let (of_pairs, of_triplets) = (one_pairs / pairs, one_triplets / triplets);
        println!("HH {differing} {of_pairs} {of_triplets}");
        assert!(of_pairs >= least_pairs, "pairs {of_pairs}");
        assert!(of_triplets >= least_triplets, "triplets {of_triplets}");
    }
}
