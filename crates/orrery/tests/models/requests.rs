//! Requests: their checks, their answers and their form in JSON.

use orrery::request::{
    AlgorithmSelection, Algorithms, CollectiveRequest, MessageRequest, RequestError,
};

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
