//! Models with thresholds: what they predict, and whether they predict better than without.

use orrery::measure::{AdaptiveSizes, adaptive_collectives};
use orrery::model::Prediction;
use orrery::model::file::{parse, to_text};

use crate::prelude::*;
use crate::support::{self, TrueThresholds};

/// Eight processors behind a switch, with thresholds.
pub fn truth() -> Model {
    parse(include_str!("../../../../examples/switched-eight.json"), "switched-eight.json")
        .unwrap()
        .model
}

fn linear(kind: CollectiveKind, root: u32, size: u64) -> Query {
    Query::Experiment(support::collective(kind, Algorithm::Linear, root, 8, size))
}

fn predict(model: &Model, kind: ModelKind, query: &Query) -> Prediction {
    Predictor::new(model, kind).unwrap().predict(query).unwrap()
}

/// Round trips, one-to-two, and scatter and gather where they turn.
fn campaign(truth: &Model, noise: f64) -> Samples {
    let network = || truth.network(ModelKind::Lmo).unwrap();
    let mut samples = support::campaign(network(), noise, 1, 10, support::Design::Full);
    let mut machine = SimulatedMachine::new(network(), noise, 1)
        .with_irregularities(Box::new(TrueThresholds(truth.thresholds.clone())));
    let what = support::linear_design(&CollectiveKind::SCATTER_GATHER, Vec::new());
    let sizes: AdaptiveSizes = "adaptive:0..200K:1K".parse().unwrap();
    loop {
        let next = adaptive_collectives(&what, &sizes, &samples, 1);
        if next.next.is_empty() {
            return samples;
        }
        support::run(&mut machine, &mut samples, &next.next, 20);
    }
}

#[test]
fn escalating_gathers_are_predicted_as_distributions() {
    let truth = truth();
    let calm = Model { thresholds: Vec::new(), ..truth.clone() };
    let query = linear(CollectiveKind::Gather, 0, 16_384);
    let without = predict(&calm, ModelKind::Lmo, &query).seconds.get() + 3e-9 * 16_384.0;
    let prediction = predict(&truth, ModelKind::Lmo, &query);
    let (low, high) = prediction.interval.unwrap();
    assert!((prediction.seconds.get() - without).abs() < 1e-12, "60 % of the times are calm");
    assert!((low.get() - without).abs() < 1e-12 && (high.get() - without - 0.25).abs() < 1e-12);
    assert!((prediction.escalation.unwrap() - 0.4).abs() < 1e-12);

    // Where six in ten escalate, the median does.
    let mut often = truth.clone();
    often.thresholds[1].escalations[0].probability.value = 0.5;
    let (prediction, predicted) =
        Predictor::new(&often, ModelKind::Lmo).unwrap().explain(&query).unwrap();
    assert!((prediction.seconds.get() - without - 0.2).abs() < 1e-12);
    let sum: f64 =
        predicted.contributions.iter().map(|contribution| contribution.seconds().get()).sum();
    assert!((sum - prediction.seconds.get()).abs() < 1e-12, "an explanation adds up");
}

#[test]
fn thresholds_affect_only_their_operation() {
    let truth = truth();
    let calm = Model { thresholds: Vec::new(), ..truth.clone() };
    let large = 131_072;
    for kind in CollectiveKind::SCATTER_GATHER {
        let (with, without) = (
            predict(&truth, ModelKind::Lmo, &linear(kind, 0, large)),
            predict(&calm, ModelKind::Lmo, &linear(kind, 0, large)),
        );
        assert!(with.seconds.get() > 3.0 * without.seconds.get(), "{kind}");
        assert_eq!((with.escalation, without.escalation), (None, None));
        let other_root = linear(kind, 1, large);
        let [with, without] =
            [&truth, &calm].map(|model| predict(model, ModelKind::Lmo, &other_root));
        assert_eq!((with.seconds, with.interval), (without.seconds, without.interval));
        assert_eq!(
            with.alarms.len(),
            1,
            "thresholds of another root show a change of protocol: {:?}",
            with.alarms
        );
        let tree = support::collective(kind, Algorithm::Binomial, 0, 8, large);
        let tree = Query::Experiment(tree);
        assert_eq!(predict(&truth, ModelKind::Lmo, &tree), predict(&calm, ModelKind::Lmo, &tree));
    }
}

#[test]
fn thresholds_improve_predictions_of_affected_operations() {
    let truth = truth();
    let samples = campaign(&truth, 0.02);
    let options = FitOptions { corrections: false, ..FitOptions::default() };
    let fitted = fit(&samples, &options).unwrap().model;
    assert_eq!(fitted.thresholds.len(), 2);
    assert_eq!(parse(to_text(&fitted).unwrap(), "m.json").unwrap().model, fitted);
    let without = fit(&samples, &FitOptions { thresholds: None, ..options }).unwrap().model;
    assert_eq!(
        (without.parameters(ModelKind::Lmo), without.thresholds.len()),
        (fitted.parameters(ModelKind::Lmo), 0)
    );
    let errors = |model: &Model, kind: CollectiveKind, beyond: f64| {
        let validation = validate(model, &samples, &[ModelKind::Lmo], 0.95).unwrap();
        let of = |experiment: Experiment| {
            let is_kind =
                matches!(experiment, Experiment::Collective { kind: of, .. } if of == kind);
            is_kind && experiment.size().get() as f64 > beyond
        };
        let errors: Vec<f64> = validation
            .rows
            .iter()
            .filter(|row| of(row.experiment))
            .map(|row| row.error.abs())
            .collect();
        assert!(errors.len() > 10);
        errors.iter().sum::<f64>() / errors.len() as f64
    };
    for (kind, beyond) in [(CollectiveKind::Scatter, 63_000.0), (CollectiveKind::Gather, 73_000.0)]
    {
        let (with, without) = (errors(&fitted, kind, beyond), errors(&without, kind, beyond));
        assert!(with < 0.02 && without > 0.7, "{kind}: {with} with thresholds, {without} without");
    }
}

/// HLMO takes its own corrections: beyond M2 gathers come out far better with them, up to M1 their
/// slope does.
#[test]
fn hlmo_has_its_own_slope_corrections() {
    let truth = truth();
    let samples = campaign(&truth, 0.0);
    let fitted = fit(&samples, &FitOptions::default()).unwrap().model;
    let mut uncorrected = fitted.clone();
    (uncorrected.thresholds[1].hlmo_small_slope, uncorrected.thresholds[1].hlmo_large_slope) =
        (None, None);
    let gather = |size| linear(CollectiveKind::Gather, 0, size);
    let time = |model: &Model, kind, size| predict(model, kind, &gather(size)).seconds.get();
    let error = |model: &Model, size| {
        time(model, ModelKind::Hlmo, size) / time(&truth, ModelKind::Lmo, size) - 1.0
    };
    for size in [80_000, 131_072, 200_000] {
        let (with, without) = (error(&fitted, size), error(&uncorrected, size));
        assert!(
            with.abs() < 0.002 && without < -0.03,
            "{size}: {with} with corrections, {without} without"
        );
    }
    // What the processor of the root takes more or less than a mean one is no matter of slopes.
    let rise = |model: &Model, kind| time(model, kind, 4096) - time(model, kind, 1024);
    let true_rise = rise(&truth, ModelKind::Lmo);
    assert!((rise(&fitted, ModelKind::Hlmo) / true_rise - 1.0).abs() < 0.002);
    assert!((rise(&uncorrected, ModelKind::Hlmo) / true_rise - 1.0).abs() > 0.02);
}

/// The corrections of LMO are none of `ports`. Escalations and the change from eager sends, which
/// follow from readings alone, apply.
#[test]
fn ports_have_no_slope_corrections() {
    let fitted = fit(&campaign(&truth(), 0.0), &FitOptions::default()).unwrap().model;
    let mut uncorrected = fitted.clone();
    (uncorrected.thresholds[1].gather_small_slope, uncorrected.thresholds[1].gather_large_slope) =
        (None, None);
    let gather = |size| linear(CollectiveKind::Gather, 0, size);
    let time = |model: &Model, kind, size| predict(model, kind, &gather(size)).seconds;
    for size in [1024, 131_072] {
        assert_ne!(time(&fitted, ModelKind::Lmo, size), time(&uncorrected, ModelKind::Lmo, size));
        for kind in [ModelKind::Ports, ModelKind::PortsFlows] {
            assert_eq!(time(&fitted, kind, size), time(&uncorrected, kind, size));
            assert!(predict(&fitted, kind, &gather(16 << 10)).escalation.is_some());
        }
    }
}

#[test]
fn thresholds_are_estimated_without_a_point_to_point_model() {
    let truth = truth();
    let mut samples = Samples::default();
    let collective = |experiment: &Experiment| matches!(experiment, Experiment::Collective { .. });
    campaign(&truth, 0.0)
        .iter()
        .filter(|sample| collective(&sample.experiment))
        .for_each(|sample| samples.push(sample));
    let model = fit(&samples, &FitOptions::default()).unwrap().model;
    assert_eq!((model.kinds().len(), model.thresholds.len()), (0, 2));
    assert_eq!(model.thresholds[1].gather_small_slope, None);
}

/// Near a threshold that is not known exactly, an interval contains the times on both of its sides.
#[test]
fn intervals_reach_across_uncertain_thresholds() {
    let mut model = truth();
    let interval = Interval { low: 60_000.0, high: 66_000.0, level: 0.95 };
    let exact = |size| {
        predict(&truth(), ModelKind::Lmo, &linear(CollectiveKind::Scatter, 0, size)).seconds.get()
    };
    let (eager, serial) = (exact(63_000), exact(63_001));
    let scatter =
        model.thresholds.iter_mut().find(|one| one.operation == CollectiveKind::Scatter).unwrap();
    scatter.scatter_threshold =
        Some(Estimate { interval: Some(interval), ..Estimate::exact(63_000.0) });
    // The parameters get intervals, without which there is none of the time.
    for name in ["fixed_delay", "byte_delay", "link_latency", "link_byte_delay"] {
        let parameters = model.point_to_point.get_mut(&ModelKind::Lmo).unwrap();
        for one in &mut parameters.get_mut(name).unwrap().estimates {
            one.interval =
                Some(Interval { low: one.value * 0.999, high: one.value * 1.001, level: 0.95 });
        }
    }
    let ends = |size| {
        let (low, high) =
            predict(&model, ModelKind::Lmo, &linear(CollectiveKind::Scatter, 0, size))
                .interval
                .unwrap();
        (low.get(), high.get())
    };
    for size in [63_000, 63_001] {
        let (low, high) = ends(size);
        assert!(low < eager && high > serial, "{size}: {low} to {high}, {eager}, {serial}");
    }
    assert!(ends(59_999).1 < 1.01 * exact(59_999) && ends(66_001).0 > 0.99 * exact(66_001));
    // Neither algorithm is certainly the faster one where the threshold decides.
    let candidates = [Algorithm::Linear, Algorithm::Binomial]
        .map(|algorithm| Candidate { algorithm, root: Processor(0) })
        .to_vec();
    let choice = support::choice(CollectiveKind::Scatter, 8, candidates, (62_000, 64_000));
    let ranges = choose(&model, ModelKind::Lmo, &choice).unwrap();
    assert!(ranges.iter().all(|range| range.distinct == Some(false)), "{ranges:?}");
    assert_eq!(
        choose(&truth(), ModelKind::Lmo, &choice).unwrap().len(),
        2,
        "the threshold decides"
    );
}
