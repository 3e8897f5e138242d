//! What models are wrong by in collective operations: intervals before any was measured, and what
//! measured ones change.

use orrery::comm::Predicted;
use orrery::model::{Discrepancies, MeasuredError, Measurements, Prediction};

use crate::prelude::*;
use crate::support::{Design, campaign, collective, differing};

/// A model that is fitted to messages, with these measured errors.
fn model(errors: &[MeasuredError]) -> Model {
    let (layout, truth) = differing(6, true, 4.0, 3);
    let samples = campaign(LmoNetwork::from_parameters(layout, truth), 0.05, 3, 5, Design::Spread);
    let kinds = Some(vec![ModelKind::Lmo]);
    let mut model = fit(&samples, &FitOptions { kinds, ..FitOptions::default() }).unwrap().model;
    let discrepancies: &mut Discrepancies = model.discrepancies.entry(ModelKind::Lmo).or_default();
    discrepancies.collectives = errors.to_vec();
    model
}

fn measured(name: &str, size: u64, error: f64) -> MeasuredError {
    let algorithm = name.parse().unwrap();
    let (root, procs, size) = (Processor(0), 6, Bytes::new(size));
    MeasuredError { algorithm, root, procs, size, error, noise: 0.01 }
}

fn query(kind: CollectiveKind, algorithm: Algorithm, size: u64) -> Query {
    Query::Experiment(collective(kind, algorithm, 0, 6, size))
}

/// The time, and by which factor the upper end of its interval is larger.
fn predict(model: &Model, query: &Query) -> (f64, f64) {
    let prediction = Predictor::new(model, ModelKind::Lmo).unwrap().predict(query).unwrap();
    let high = prediction.interval.unwrap().1.get();
    (prediction.seconds.get(), high / prediction.seconds.get())
}

#[test]
fn measured_operations_say_most_about_themselves_and_little_about_others() {
    let linear = |size| query(CollectiveKind::Scatter, Algorithm::Linear, size);
    let alike = query(CollectiveKind::Broadcast, Algorithm::Linear, 8192);
    let other = query(CollectiveKind::Alltoall, Algorithm::Bruck, 8192);
    let (none, one) = (model(&[]), model(&[measured("scatter/linear", 8192, 0.4)]));
    let factor = |query: &Query| predict(&one, query).0 / predict(&none, query).0;
    let width = |model: &Model, query: &Query| predict(model, query).1;
    let queries = [linear(8192), alike, linear(64 << 10), other];
    let factors: Vec<f64> = queries.iter().map(factor).collect();
    assert!((factors[0] / 0.4_f64.exp() - 1.0).abs() < 0.02, "{factors:?}");
    assert!(factors.windows(2).all(|two| two[0] > two[1]) && factors[3] > 1.0, "{factors:?}");
    for query in &queries {
        assert!((1.5..3.0).contains(&width(&none, query)), "{}", width(&none, query));
    }
    assert!(width(&one, &queries[0]) < 1.12, "{}", width(&one, &queries[0]));
    let small = model(&[measured("scatter/linear", 8192, 0.1)]);
    assert!(width(&small, &queries[2]) < 0.97 * width(&none, &queries[2]));
}

/// Models that are right in all measured operations are trusted in others, those that are far off
/// are not.
#[test]
fn the_measured_errors_scale_the_intervals_of_all() {
    let names = ["scatter/linear", "gather/linear", "bcast/binomial", "allgather/ring"];
    let with = |error: f64| {
        let errors: Vec<MeasuredError> = names
            .iter()
            .flat_map(|name| [1024, 32 << 10].map(|size| measured(name, size, error)))
            .enumerate()
            .map(|(index, one)| MeasuredError {
                error: if index % 3 == 0 { -error } else { error },
                ..one
            })
            .collect();
        predict(&model(&errors), &query(CollectiveKind::Alltoall, Algorithm::Bruck, 8192)).1
    };
    let (right, off) = (with(0.01), with(0.8));
    assert!(right < 1.5 && off > 2.0, "{right} {off}");
}

/// The errors that two algorithms have in common cancel in their difference.
#[test]
fn differences_of_alike_operations_are_more_certain() {
    let model = model(&[]);
    let mut predictor = Predictor::new(&model, ModelKind::Lmo).unwrap();
    let mut explain = |kind, algorithm| predictor.explain(&query(kind, algorithm, 8192)).unwrap();
    let (scatter, gather) = (
        explain(CollectiveKind::Scatter, Algorithm::Linear),
        explain(CollectiveKind::Gather, Algorithm::Linear),
    );
    let broadcast = explain(CollectiveKind::Broadcast, Algorithm::Linear);
    let width = |one, other: &(Prediction, Predicted)| {
        predictor.difference_width(one, other) / other.1.seconds.get()
    };
    assert!(width(&scatter, &scatter) < 1e-6);
    assert!(width(&scatter, &broadcast) < 0.8 * width(&scatter, &gather));
}

/// Residuals are no test of intervals.
#[test]
fn validations_count_the_intervals_that_hold() {
    let mut model = model(&[]);
    let mut samples = Samples::new(Provenance::new());
    for (size, factor) in [(1024, 1.1), (8192, 0.9), (64 << 10, 9.0)] {
        let experiment = collective(CollectiveKind::Scatter, Algorithm::Linear, 0, 6, size);
        let seconds = Seconds::new(factor * predict(&model, &Query::Experiment(experiment)).0);
        (0..3).for_each(|rep| samples.push(Sample { experiment, launch: 0, rep, seconds }));
    }
    let parts = |model: &Model| -> Vec<Option<f64>> {
        let validation = validate(model, &samples, &[ModelKind::Lmo], 0.95).unwrap();
        validation.summary.iter().map(|one| one.inside).collect()
    };
    assert_eq!(parts(&model), [Some(2.0 / 3.0); 2]);
    model.measurements = Measurements::of(&samples);
    assert_eq!(parts(&model), [None; 2]);
}

/// A model without intervals counts as exact, and raises no alarm.
#[test]
fn models_by_hand_stay_exact() {
    let lmo = Lmo {
        fixed_delay: vec![Estimate::exact(10e-6); 6],
        byte_delay: vec![Estimate::exact(1e-9); 6],
        link_latency: Some(PerPair::from_fn(6, |_, _| Estimate::exact(20e-6))),
        link_byte_delay: PerPair::from_fn(6, |_, _| Estimate::exact(8e-9)),
    };
    let model = Model::new(6).with(ModelKind::Lmo, &lmo);
    let prediction = model
        .predict(ModelKind::Lmo, &query(CollectiveKind::Scatter, Algorithm::Linear, 8192))
        .unwrap();
    assert_eq!((prediction.interval, prediction.alarms.len()), (None, 0));
}
