//! fit(simulate(model)) = model: the main test of every estimator.

use orrery::comm::FitError;
use orrery::comm::hockney::{self, HockneyEstimator, HockneyNetwork};
use orrery::comm::lmo::triplets;
use orrery::sample::Series;

use crate::coverage_count::Coverage;
use crate::prelude::*;
use crate::support::{BLOCKING, Design, M, all, campaign, differing, heterogeneous, run};
use crate::variants::few_or_all;

fn assert_recovered(found: &[f64], truth: &[f64], tolerance: f64) {
    for (place, (found, truth)) in found.iter().zip(truth).enumerate() {
        let error = (found / truth - 1.0).abs();
        assert!(error <= tolerance, "parameter {place}: {found} instead of {truth}: {error:e}");
    }
}

fn values(model: &Lmo) -> Vec<f64> {
    model.estimates().iter().map(|estimate| estimate.value).collect()
}

#[test]
fn paths_recover_every_parameter_of_sixteen_heterogeneous_processors() {
    for seed in 1..=3 {
        let (layout, truth) = heterogeneous(16, true, seed);
        for design in [Design::Spread, Design::Full] {
            let network = LmoNetwork::from_parameters(layout, truth.clone());
            let samples = campaign(network, 0.0, seed, 2, design);
            let (model, ..) = paths(&all(&samples), true, 0.95).unwrap();
            assert_recovered(&values(&model), &truth, 1e-9);
        }
    }
}

#[test]
fn paths_recover_a_cluster_of_several_chunks() {
    let (layout, truth) = heterogeneous(160, true, 9);
    let samples =
        campaign(LmoNetwork::from_parameters(layout, truth.clone()), 0.0, 9, 1, Design::Spread);
    let (model, ..) = paths(&all(&samples), true, 0.95).unwrap();
    assert_recovered(&values(&model), &truth, 1e-9);
}

#[test]
fn fits_do_not_depend_on_the_order_of_samples() {
    let (layout, truth) = heterogeneous(7, true, 6);
    let samples = campaign(LmoNetwork::from_parameters(layout, truth), 0.05, 6, 3, Design::Spread);
    let mut reversed = Samples::new(Provenance::new());
    samples
        .series()
        .iter()
        .rev()
        .flat_map(Series::samples)
        .for_each(|sample| reversed.push(sample));
    assert_eq!(
        paths(&all(&samples), true, 0.95).unwrap(),
        paths(&all(&reversed), true, 0.95).unwrap()
    );
}

#[test]
fn paths_recover_lom() {
    let (layout, truth) = heterogeneous(9, false, 4);
    let samples =
        campaign(LmoNetwork::from_parameters(layout, truth.clone()), 0.0, 4, 2, Design::Full);
    let (model, ..) = paths(&all(&samples), false, 0.95).unwrap();
    assert_recovered(&values(&model), &truth, 1e-9);
}

#[test]
fn paths_use_collectives() {
    // Collective operations from every root replace half of the one-to-two experiments.
    let (layout, truth) = heterogeneous(6, true, 5);
    let network = LmoNetwork::from_parameters(layout, truth.clone());
    let mut samples = Samples::new(Provenance::new());
    let whole = campaign(network.clone(), 0.0, 5, 2, Design::Full);
    for series in whole.series() {
        if !matches!(series.experiment, Experiment::OneToTwo { i: Processor(0..=2), .. }) {
            series.samples().for_each(|sample| samples.push(sample));
        }
    }
    let lacking = paths(&all(&samples), true, 0.95).unwrap_err();
    assert!(
        matches!(&lacking, FitError::Missing { missing, .. } if missing[0] == "one-to-two from \
            0 (0)"),
        "{lacking}"
    );
    let what = CollectiveDesign {
        operations: BLOCKING
            .iter()
            .flat_map(|(kind, list)| list.iter().map(|one| (*kind, *one)))
            .collect(),
        roots: Processor::first(6).collect(),
        ..CollectiveDesign::new(6, vec![Bytes::ZERO, Bytes::new(4096), M])
    };
    run(&mut SimulatedMachine::new(network, 0.0, 5), &mut samples, &collectives(&what, 5), 2);
    let (model, ..) = paths(&all(&samples), true, 0.95).unwrap();
    assert_recovered(&values(&model), &truth, 1e-9);
}

/// The campaign's times as the papers' formulas compose them, not as they are played.
fn composed(layout: Layout, truth: &[f64]) -> Samples {
    let n = layout.processors();
    let pairs = Pairs::of(n);
    let c = |i: Processor| truth[layout.fixed_delay(i)];
    let t = |i: Processor| truth[layout.byte_delay(i)];
    let rate = |i, j| truth[layout.link_byte_delay(pairs.index(i, j))];
    let latency = |i, j| {
        if layout.with_latency() { truth[layout.link_latency(pairs.index(i, j))] } else { 0.0 }
    };
    let message = |i, j, m: f64| c(i) + latency(i, j) + c(j) + m * (t(i) + rate(i, j) + t(j));
    let mut samples = Samples::new(Provenance::new());
    let mut push = |experiment, seconds| {
        samples.push(Sample { experiment, launch: 0, rep: 0, seconds: Seconds::new(seconds) });
    };
    for (i, j) in pairs.iter() {
        for (size, reply) in [(Bytes::ZERO, Bytes::ZERO), (M, M), (M, Bytes::ZERO)] {
            let seconds = message(i, j, size.get() as f64) + message(j, i, reply.get() as f64);
            push(Experiment::RoundTrip { i, j, size, reply }, seconds);
        }
    }
    for i in Processor::first(n) {
        for (j, k) in pairs.iter().filter(|&(j, k)| j != i && k != i) {
            for size in [Bytes::ZERO, M] {
                let m = size.get() as f64;
                let path = |x| 2.0 * (latency(i, x) + c(x)) + m * (rate(i, x) + t(x));
                let seconds = 2.0 * (2.0 * c(i) + m * t(i)) + f64::max(path(j), path(k));
                // The module's formula counts M·t_i twice: once for each message that is sent.
                push(Experiment::OneToTwo { i, j, k, size }, seconds);
            }
        }
    }
    samples
}

#[test]
fn triplets_recover_from_times_composed_by_the_papers_formulas() {
    for with_latency in [true, false] {
        for seed in 1..=3 {
            let (layout, truth) = heterogeneous(8, with_latency, seed);
            let model = triplets(&all(&composed(layout, &truth)), with_latency, 0.95).unwrap();
            assert_recovered(&values(&model), &truth, 1e-9);
        }
    }
}

#[test]
fn hockney_is_recovered_by_both_estimators() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let pairs = Pairs::of(5).count();
    let alpha: Vec<f64> = (0..pairs).map(|_| rng.random_range(1e-6..1e-4)).collect();
    let beta: Vec<f64> = (0..pairs).map(|_| rng.random_range(1e-10..1e-8)).collect();
    let samples = campaign(HockneyNetwork::new(5, &alpha, &beta), 0.0, 1, 2, Design::Full);
    for way in [HockneyEstimator::Regression, HockneyEstimator::Empty] {
        let model = hockney::fit(&all(&samples), way, 0.95).unwrap().0;
        let latency: Vec<f64> =
            model.latency.values().iter().map(|estimate| estimate.value).collect();
        let byte_delay: Vec<f64> =
            model.byte_delay.values().iter().map(|estimate| estimate.value).collect();
        assert_recovered(&latency, &alpha, 1e-9);
        assert_recovered(&byte_delay, &beta, 1e-9);
        assert_recovered(
            &[model.mean_latency.value],
            &[alpha.iter().sum::<f64>() / pairs as f64],
            1e-9,
        );
    }
}

#[test]
fn lmo_rejects_two_processors_with_the_reason() {
    let samples = campaign(HockneyNetwork::new(2, &[1e-6], &[1e-9]), 0.0, 1, 2, Design::Full);
    let error = paths(&all(&samples), true, 0.95).unwrap_err().to_string();
    assert!(
        error.contains("at least 3 processors, but the samples have 2")
            && error.contains("one-to-two"),
        "{error}"
    );
    assert!(triplets(&all(&samples), true, 0.95).is_err());
    assert!(hockney::fit(&all(&samples), HockneyEstimator::Regression, 0.95).is_ok());
}

#[test]
fn missing_experiments_are_named() {
    let (layout, truth) = heterogeneous(4, true, 8);
    let whole = campaign(LmoNetwork::from_parameters(layout, truth), 0.0, 8, 2, Design::Full);
    let without = |drop: &dyn Fn(&Experiment) -> bool| {
        let observations = Observations::from_samples(&whole, |experiment| !drop(experiment));
        paths(&observations, true, 0.95).unwrap_err().to_string()
    };
    // One-to-two experiments also depend on the link; without them, no experiment does.
    let (one, three) = (Processor(1), Processor(3));
    let error = without(&|e| match *e {
        Experiment::RoundTrip { i, j, .. } => [i, j] == [one, three],
        Experiment::OneToTwo { i, j, k, .. } => [one, three].iter().all(|p| [i, j, k].contains(p)),
        _ => false,
    });
    assert!(error.contains("round trip 1-3 (0 out, 0 back)"), "{error}");
    let error = without(&|e| matches!(e, Experiment::OneToTwo { i: a, size: M, .. } if *a == one));
    assert!(error.contains("one-to-two from 1 (32K)"), "{error}");
    let observations = Observations::from_samples(&whole, |e| {
        !matches!(e, Experiment::OneToTwo { i: Processor(1), .. })
    });
    let error = triplets(&observations, true, 0.95).unwrap_err().to_string();
    assert!(error.contains("one-to-two 1→"), "{error}");
}

/// The coverage of parameters of each family: C, t, 1/β, L.
fn coverage(times: f64, design: Design) -> [Coverage; 4] {
    let mut coverage = [Coverage::default(); 4];
    for seed in 0..few_or_all(50, 100) {
        let (layout, truth) = differing(8, true, times, 11);
        let network = LmoNetwork::from_parameters(layout, truth.clone());
        let (model, ..) =
            paths(&all(&campaign(network, 0.05, seed, 15, design)), true, 0.95).unwrap();
        let ends = [8, 16, 16 + layout.pairs().count()];
        for (place, (estimate, truth)) in model.estimates().iter().zip(&truth).enumerate() {
            let family = ends.iter().filter(|&&end| place >= end).count();
            coverage[family].estimate(estimate, *truth);
        }
    }
    coverage
}

#[test]
fn intervals_cover_at_their_confidence_level() {
    let (spread, full) = (Design::Spread, Design::Full);
    let cases = few_or_all(
        vec![(100.0, spread)],
        [1.0, 10.0, 100.0].into_iter().flat_map(|times| [(times, spread), (times, full)]).collect(),
    );
    for (times, design) in cases {
        for (family, covered) in coverage(times, design).into_iter().enumerate() {
            assert!(
                (0.92..=0.98).contains(&covered.part()),
                "{design:?}, up to {times} times, family {family}: {covered:?}"
            );
        }
    }
}
