//! Latency and bandwidth of pairs and paths.

use orrery::comm::{Hockney, LogGp};
use orrery::model::{ConnectionError, Connections, Model, ModelKind, PredictError};
use orrery::numeric::{Estimate, Interval};
use orrery::platform::{PerPair, Processor};
use orrery::units::Bytes;

const SIZE: Bytes = Bytes::new(1 << 20);

/// An estimate with an interval of ±10 %.
fn measured(value: f64) -> Estimate {
    let interval = Interval { low: 0.9 * value, high: 1.1 * value, level: 0.95 };
    Estimate { value, interval: Some(interval), samples: Some(10) }
}

/// A Hockney model of four processors; the latency of a pair is 10 µs times one more than the
/// distance of its numbers.
fn hockney() -> Model {
    let distance = |i: Processor, j: Processor| f64::from(j.0 - i.0);
    let latency = PerPair::from_fn(4, |i, j| measured(10e-6 * (1.0 + distance(i, j))));
    let byte_delay = PerPair::from_fn(4, |i, j| measured(1e-9 * distance(i, j)));
    let [mean_latency, mean_byte_delay] = [0.0; 2].map(Estimate::exact);
    Model::new(4)
        .with(ModelKind::Hockney, &Hockney { latency, byte_delay, mean_latency, mean_byte_delay })
}

fn pair(a: u32, b: u32) -> (Processor, Processor) {
    (Processor(a), Processor(b))
}

#[test]
fn linear_models_have_their_parameters_at_any_size() {
    let model = hockney();
    let mut all = Connections::new(&model, ModelKind::Hockney).unwrap();
    let (from, to) = pair(3, 1);
    let latency = all.latency(from, to).unwrap();
    assert!((latency.seconds.get() - 30e-6).abs() < 1e-15);
    let (low, high) = latency.interval.unwrap();
    assert!((low.get() - 27e-6).abs() < 1e-12 && (high.get() - 33e-6).abs() < 1e-12);
    for size in [2, 3, 1000, 1 << 30] {
        let bandwidth = all.bandwidth(from, to, Bytes::new(size)).unwrap();
        assert!((bandwidth.rate.get() / 0.5e9 - 1.0).abs() < 1e-6, "{size}: {}", bandwidth.rate);
        // The latency is in both times, and its error not in their difference.
        let (low, high) = bandwidth.interval.unwrap();
        assert!(
            (low.get() * 1.1 / 0.5e9 - 1.0).abs() < 1e-6
                && (high.get() * 0.9 / 0.5e9 - 1.0).abs() < 1e-6
        );
    }
    let mut times = Vec::new();
    for kind in [ModelKind::Lmo, ModelKind::Ports, ModelKind::LogGp] {
        times.extend(Connections::new(&model, kind).err());
    }
    assert!(
        times.iter().all(|error| matches!(error, PredictError::NoSuchModel { .. }))
            && times.len() == 3
    );
}

#[test]
fn unknown_pairs_take_the_known_path_with_the_smallest_latency() {
    let model = hockney();
    let path = |known: &[(u32, u32)], from, to| {
        let known = known.iter().map(|&(a, b)| pair(a, b));
        let mut some = Connections::among(&model, ModelKind::Hockney, known).unwrap();
        some.path(Processor(from), Processor(to))
            .map(|path| path.into_iter().map(|one| one.0).collect::<Vec<_>>())
    };
    assert_eq!(path(&[(0, 3)], 3, 0), Ok(vec![3, 0]));
    // 20 + 20 + 20 µs, or 30 + 20 µs.
    assert_eq!(path(&[(0, 1), (1, 2), (2, 3), (0, 2)], 0, 3), Ok(vec![0, 2, 3]));
    assert_eq!(path(&[(0, 1), (1, 2), (2, 3)], 0, 3), Ok(vec![0, 1, 2, 3]));
    let (from, to) = pair(0, 3);
    assert_eq!(path(&[(0, 1), (2, 3)], 0, 3), Err(ConnectionError::NotConnected { from, to }));
    let known = [pair(0, 1), pair(1, 3)];
    let mut some = Connections::among(&model, ModelKind::Hockney, known).unwrap();
    let (latency, bandwidth) =
        (some.latency(from, to).unwrap(), some.bandwidth(from, to, SIZE).unwrap());
    assert!(
        (latency.seconds.get() - 50e-6).abs() < 1e-15
            && (bandwidth.rate.get() / 0.5e9 - 1.0).abs() < 1e-6
    );
    // Errors of the latencies of different pairs are independent: √(2² + 3²) µs.
    assert!((latency.interval.unwrap().1.get() - 50e-6 - 13.0_f64.sqrt() * 1e-6).abs() < 1e-12);
}

#[test]
fn processors_and_models_without_an_answer_are_refused() {
    let model = hockney();
    let mut all = Connections::new(&model, ModelKind::Hockney).unwrap();
    assert!(matches!(all.latency(Processor(0), Processor(4)), Err(ConnectionError::Predict(_))));
    assert!(matches!(all.latency(Processor(1), Processor(1)), Err(ConnectionError::Predict(_))));
    assert_eq!(all.latency_along(&[Processor(0)]), Err(ConnectionError::Path));
    assert_eq!(
        all.bandwidth(Processor(0), Processor(1), Bytes::new(1)),
        Err(ConnectionError::Size(Bytes::new(1)))
    );
    let among = |a, b| Connections::among(&model, ModelKind::Hockney, [pair(a, b)]).err();
    assert_eq!(among(2, 2), Some(PredictError::Oneself(Processor(2))));
    assert!(matches!(among(2, 9), Some(PredictError::NoSuchProcessor { processors: 4, .. })));
    let logp = LogGp::from_estimates(&[10e-6, 2e-6, 2e-6, 5e-6].map(Estimate::exact)).unwrap();
    let model = Model::new(4).with(ModelKind::LogP, &logp);
    let mut all = Connections::new(&model, ModelKind::LogP).unwrap();
    let error = all.bandwidth(Processor(0), Processor(1), SIZE).unwrap_err();
    assert_eq!(error, ConnectionError::Constant { kind: ModelKind::LogP, size: SIZE });
}

#[test]
fn alarms_name_sizes_that_were_not_measured() {
    let mut model = hockney();
    model.measured = Some((Bytes::ZERO, Bytes::new(1 << 16)));
    let mut all = Connections::new(&model, ModelKind::Hockney).unwrap();
    let (from, to) = pair(0, 1);
    assert_eq!(all.latency(from, to).unwrap().alarms, []);
    assert_eq!(all.bandwidth(from, to, SIZE).unwrap().alarms.len(), 1);
}
