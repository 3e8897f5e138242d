//! Requests: their checks, their answers and their form in JSON.

use orrery::budget::Budget;
use orrery::request::{
    AlgorithmSelection, Algorithms, CollectiveRequest, MessageRequest, RepetitionRequest,
    RequestError, SeriesForecastRequest, ShareRequest, TuningRequest, ValidationRequest,
    VerificationRequest, fit_samples,
};
use orrery::sharing::{SharingLaw, scheme};
use orrery::tuning::mpi::Target;
use orrery::units::BytesPerSecond;

use crate::prelude::*;

/// An LMO model of six equal processors.
fn model() -> Model {
    let lmo = Hlmo::from_estimates([10e-6, 1e-9, 20e-6, 8e-9].map(Estimate::exact)).as_lmo(6);
    Model::new(6).with(ModelKind::Lmo, &lmo)
}

/// A scatter of blocks of 1 KiB.
fn scatter() -> CollectiveRequest {
    CollectiveRequest {
        sizes: vec![Bytes::new(1024)],
        ..CollectiveRequest::new(CollectiveKind::Scatter)
    }
}

#[test]
fn answers_are_those_of_the_predictor() {
    let model = model();
    let answers = scatter().queries(&model).unwrap().answers(&model).unwrap();
    assert_eq!(answers.len(), 2, "linear and binomial");
    let mut predictor = Predictor::new(&model, ModelKind::Lmo).unwrap();
    for ((prediction, _), algorithm) in answers.iter().zip([Algorithm::Linear, Algorithm::Binomial])
    {
        let query = Query::collective(
            CollectiveKind::Scatter,
            algorithm,
            Processor(0),
            6,
            Bytes::new(1024),
        );
        assert_eq!(*prediction, predictor.predict(&query).unwrap());
    }
}

#[test]
fn wrong_fields_are_named() {
    let model = model();
    let root = CollectiveRequest { root: Some(Processor(6)), ..scatter() };
    let root = root.queries(&model).unwrap_err();
    assert_eq!(root.to_string(), "root 6: valid ranks of 6 processors are 0 to 5");
    assert_eq!(
        root.worded(|field| format!("--{field}")),
        "--root 6: valid ranks of 6 processors are 0 to 5"
    );
    let field = |error: RequestError| match error {
        RequestError::Invalid { field, .. } | RequestError::Inapplicable { field, .. } => field,
        RequestError::Missing { fields, .. } => fields[0],
        other => panic!("{other}"),
    };
    let segments = |size| Some(vec![Bytes::new(size)]);
    let of = |operation| CollectiveRequest { operation, ..scatter() };
    let segmented = |operation, size| CollectiveRequest {
        algorithms: AlgorithmSelection {
            segments: segments(size),
            ..AlgorithmSelection::default()
        },
        ..of(operation)
    };
    let (scatter, alltoall) = (CollectiveKind::Scatter, CollectiveKind::Alltoall);
    let bruck = AlgorithmSelection::single(Algorithm::Bruck);
    for (request, expected) in [
        (CollectiveRequest { procs: Some(7), ..of(scatter) }, "procs"),
        (CollectiveRequest { sizes: Vec::new(), ..of(scatter) }, "sizes"),
        (segmented(scatter, 0), "segments"),
        (CollectiveRequest { algorithms: bruck, ..of(scatter) }, "algorithms"),
        (segmented(alltoall, 8192), "segments"),
        (CollectiveRequest { root: Some(Processor(0)), ..of(alltoall) }, "root"),
        (of(CollectiveKind::Barrier), "sizes"),
    ] {
        assert_eq!(field(request.queries(&model).unwrap_err()), expected);
    }
    let oneself = MessageRequest {
        to: Processor(0),
        sizes: vec![Bytes::new(1)],
        ..MessageRequest::default()
    };
    assert_eq!(field(oneself.queries(&model).unwrap_err()), "to");
    let none = of(scatter).queries(&Model::new(6)).unwrap_err();
    assert_eq!(none, RequestError::NoCommunication);
}

#[test]
fn requests_are_read_back_from_json() {
    let mut request = scatter();
    request.models = vec![ModelKind::Lmo];
    request.algorithms.names = Algorithms::Named(vec![Algorithm::Binomial]);
    for names in [Algorithms::Usual, Algorithms::All, request.algorithms.names.clone()] {
        request.algorithms.names = names;
        let text = serde_json::to_string(&request).unwrap();
        assert_eq!(serde_json::from_str::<CollectiveRequest>(&text).unwrap(), request, "{text}");
    }
    let short: CollectiveRequest =
        serde_json::from_str(r#"{"operation": "scatter", "sizes": [1024]}"#).unwrap();
    assert_eq!(short, scatter());
    assert!(serde_json::from_str::<CollectiveRequest>(r#"{"operation": "fling"}"#).is_err());
    assert!(serde_json::from_str::<MessageRequest>(r#"{"frmo": 1}"#).is_err());
}

/// Readings of an experiment.
fn reading(experiment: Experiment) -> Samples {
    let mut samples = Samples::default();
    samples.push(Sample { experiment, launch: 0, rep: 0, seconds: Seconds::new(1e-3) });
    samples
}

/// A scatter by an MPI library, of an unknown algorithm.
fn native(procs: usize) -> Experiment {
    let (kind, root, size) = (CollectiveKind::Scatter, Processor(0), Bytes::new(1024));
    Experiment::Native { kind, algorithm: None, root, procs, size }
}

#[test]
fn a_validation_returns_what_it_leaves_out() {
    let (model, request) = (model(), ValidationRequest::default());
    let mut samples = reading(native(6));
    let validated = request.of_samples(&model, &samples).unwrap();
    assert_eq!((validated.compared.rows.len(), validated.native.len()), (0, 1));
    samples.extend(&reading(native(7)));
    assert_eq!(request.of_samples(&model, &samples).unwrap().too_large, 1);
    let nothing = request.of_samples(&model, &reading(native(7))).unwrap();
    let nothing = nothing.require_rows().unwrap_err();
    assert_eq!(
        nothing.to_string(),
        "the model predicts none of the experiments in the samples; give samples of its \
            processors, or other models"
    );
    let level = ValidationRequest { level: 1.0, ..request.clone() };
    let level = level.of_samples(&model, &samples).unwrap_err().to_string();
    assert_eq!(level, "level 1: it must lie between 0 and 1, such as 0.95");
    let absent = ValidationRequest { models: vec![ModelKind::PLogP], ..request };
    assert!(absent.of_samples(&model, &samples).unwrap_err().is_absent_from_model());
}

#[test]
fn a_fit_refuses_what_the_samples_lack() {
    let trip = Experiment::RoundTrip {
        i: Processor(0),
        j: Processor(1),
        size: Bytes::ZERO,
        reply: Bytes::ZERO,
    };
    let refused = |pair, samples: &Samples| {
        let options = FitOptions { pair: Some(pair), ..FitOptions::default() };
        fit_samples(&options, samples).unwrap_err().to_string()
    };
    let (zero, two) = (Processor(0), Processor(2));
    assert_eq!(
        refused((zero, two), &reading(trip)),
        "pair 0-2: there is no processor 2; those of the samples are 0 to 1"
    );
    assert_eq!(refused((zero, zero), &reading(trip)), "pair 0-0: give two different processors");
    assert!(refused((zero, two), &Samples::default()).starts_with("there are no readings"));
}

#[test]
fn options_of_fits_are_read_back_from_json() {
    let options = FitOptions {
        kinds: Some(vec![ModelKind::Lmo]),
        held_out: "1K..4K".parse().unwrap(),
        pair: Some((Processor(0), Processor(3))),
        ..FitOptions::default()
    };
    let text = serde_json::to_string(&options).unwrap();
    assert_eq!(serde_json::from_str::<FitOptions>(&text).unwrap(), options, "{text}");
    let short = r#"{"estimator": "triplets", "thresholds": {"slopes": "closed"}}"#;
    let short: FitOptions = serde_json::from_str(short).unwrap();
    assert_eq!(short.thresholds.unwrap().slopes.name(), "closed");
    assert!(serde_json::from_str::<FitOptions>(r#"{"estimator": "guess"}"#).is_err());
    assert!(serde_json::from_str::<FitOptions>(r#"{"pairs": 1}"#).is_err());
}

#[test]
fn repetitions_are_within_their_ranges_and_the_budget() {
    let usual = RepetitionRequest::default();
    assert_eq!(usual.checked().unwrap().precision, Precision::default());
    let many = RepetitionRequest { min_reps: 200, ..usual }.checked().unwrap();
    assert_eq!(many.precision.max_reps, 200);
    for (request, words) in [
        (
            RepetitionRequest { min_reps: 9, max_reps: Some(3), ..usual },
            "max_reps 3 is too small for min_reps 9",
        ),
        (RepetitionRequest { min_reps: 0, ..usual }, "min_reps 0"),
        (RepetitionRequest { eps: f64::NAN, ..usual }, "eps NaN"),
        (RepetitionRequest { level: 1.0, ..usual }, "level 1"),
        (RepetitionRequest { warm_up: u32::MAX, ..usual }, "before its first reading"),
        (RepetitionRequest { max_reps: Some(u32::MAX), ..usual }, "memory"),
    ] {
        let error = request.checked().unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn horizons_are_whole_samples_of_the_spacing() {
    let spacing = Some(Seconds::new(60.0));
    let at = |horizon: f64| {
        let horizon = Some(Seconds::new(horizon));
        SeriesForecastRequest { horizon, ..SeriesForecastRequest::default() }
    };
    let steps = [600.0, 100.0, 1.0].map(|horizon| at(horizon).options(spacing).unwrap().steps());
    assert_eq!(steps, [10, 2, 1]);
    assert!(at(60.0).options(None).unwrap_err().to_string().contains("spacing of samples"));
    assert!(at(1e9).options(spacing).unwrap_err().to_string().contains("1 to 100000"));
    let bounds = SeriesForecastRequest { min: Some(1.0), max: Some(0.0), ..at(60.0) };
    let bounds = bounds.options(spacing).unwrap_err().to_string();
    assert_eq!(bounds, "max 0 is too small for min 1; raise it, or lower the other");
    for wrong in [-60.0, 0.0, f64::NAN] {
        assert!(at(wrong).options(spacing).unwrap_err().to_string().starts_with("horizon"));
    }
    let unbounded = SeriesForecastRequest { min: Some(f64::NAN), ..at(60.0) };
    assert!(unbounded.options(spacing).unwrap_err().to_string().starts_with("min NaN"));
}

#[test]
fn times_of_shared_transfers_need_a_bandwidth_or_one_size() {
    let law = SharingLaw::MaxMinPorts;
    let two = scheme::parse("0 -> 1 1000000B\n0 -> 2 1000000B\n3 -> 3").unwrap();
    let reference = ShareRequest { reference: Some(Seconds::new(2.0)), bandwidth: None };
    let error = reference.penalties(&two, law).unwrap_err().to_string();
    assert!(error.contains("the transfers have different sizes; give the bandwidth"), "{error}");
    let stopped = ShareRequest { bandwidth: Some(BytesPerSecond::new(0.0)), reference: None };
    assert!(stopped.penalties(&two, law).unwrap_err().to_string().starts_with("bandwidth 0"));
    let request = ShareRequest { bandwidth: Some(BytesPerSecond::new(1e6)), reference: None };
    let shared = request.penalties(&two, law).unwrap();
    assert_eq!(shared.seconds, [Some(2.0), Some(2.0), None]);
    let budget = Budget::of_input(0);
    let (replayed, _) = request.simulate(&two, law, budget).unwrap();
    assert_eq!(replayed.iter().flatten().count(), 2);
    assert!(ShareRequest::default().simulate(&two, law, budget).is_err());
}

#[test]
fn rules_need_processors_and_verifications_enough_launches() {
    let (model, target) = (model(), Target::Mpich40);
    let request = TuningRequest { procs: vec![6, 4, 4], ..TuningRequest::default() };
    let operations = vec![CollectiveKind::Broadcast];
    let rules = TuningRequest { operations, ..request }.by_model(&model, target, None).unwrap();
    assert_eq!(rules.communicators.iter().map(|one| one.procs).collect::<Vec<_>>(), [4, 6]);
    let many = TuningRequest { procs: vec![7], ..TuningRequest::default() };
    assert!(many.by_model(&model, target, None).unwrap_err().to_string().starts_with("procs 7"));
    let verification = VerificationRequest { operations: Vec::new(), launches: 4, level: 0.99 };
    assert!(
        verification.operations(&[]).unwrap_err().to_string().starts_with("level 0.99: with 4")
    );
    let countless = VerificationRequest { launches: u32::MAX, ..verification };
    assert!(countless.operations(&[]).unwrap_err().to_string().starts_with("launches"));
}
