//! Requests: their checks, their answers and their form in JSON.

use orrery::comm::Lmo;
use orrery::model::{Model, ModelKind, Predictor, Query};
use orrery::numeric::Estimate;
use orrery::platform::{PerPair, Processor};
use orrery::request::{
    AlgorithmSelection, Algorithms, CollectiveRequest, MessageRequest, RequestError,
};
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::Bytes;

/// An LMO model of six equal processors.
fn model() -> Model {
    let lmo = Lmo {
        fixed_delay: vec![Estimate::exact(10e-6); 6],
        byte_delay: vec![Estimate::exact(1e-9); 6],
        link_latency: Some(PerPair::from_fn(6, |_, _| Estimate::exact(20e-6))),
        link_byte_delay: PerPair::from_fn(6, |_, _| Estimate::exact(8e-9)),
    };
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
    let wrong = |change: &dyn Fn(&mut CollectiveRequest)| {
        let mut request = scatter();
        change(&mut request);
        request.queries(&model).unwrap_err()
    };
    let root = wrong(&|request| request.root = Some(Processor(6)));
    assert_eq!(root.to_string(), "root 6: valid ranks of 6 processors are 0 to 5");
    assert_eq!(
        root.worded(|field| format!("--{field}")),
        "--root 6: valid ranks of 6 processors are 0 to 5"
    );
    let field = |error: RequestError| match error {
        RequestError::Invalid { field, .. }
        | RequestError::Missing { field, .. }
        | RequestError::Inapplicable { field, .. } => field,
        other => panic!("{other}"),
    };
    let segments = |size| Some(vec![Bytes::new(size)]);
    assert_eq!(field(wrong(&|request| request.procs = Some(7))), "procs");
    assert_eq!(field(wrong(&|request| request.sizes.clear())), "sizes");
    assert_eq!(field(wrong(&|request| request.algorithms.segments = segments(0))), "segments");
    assert_eq!(
        field(wrong(&|request| {
            request.algorithms = AlgorithmSelection::single(Algorithm::Bruck);
        })),
        "algorithms"
    );
    assert_eq!(
        field(wrong(&|request| {
            request.operation = CollectiveKind::Alltoall;
            request.algorithms.segments = segments(8192);
        })),
        "segments"
    );
    assert_eq!(
        field(wrong(&|request| {
            request.operation = CollectiveKind::Alltoall;
            request.root = Some(Processor(0));
        })),
        "root"
    );
    assert_eq!(field(wrong(&|request| request.operation = CollectiveKind::Barrier)), "sizes");
    let oneself = MessageRequest {
        to: Processor(0),
        sizes: vec![Bytes::new(1)],
        ..MessageRequest::default()
    };
    assert_eq!(field(oneself.queries(&model).unwrap_err()), "to");
    let none = scatter().queries(&Model::new(6)).unwrap_err();
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
