//! The time to combine data in reductions: measured, fitted and predicted.

use orrery::comm::Combining;
use orrery::model::file;

use crate::prelude::*;
use crate::support::{Design, campaign, collective, differing, fit_kind, run};

const N: usize = 5;

/// The samples of messages, and of reductions if `reduces`, on a cluster whose processors combine
/// data at different rates.
fn samples(delays: &[f64], reduces: bool) -> (Samples, Combining<LmoNetwork>) {
    let (layout, truth) = differing(N, true, 3.0, 7);
    let network = || LmoNetwork::from_parameters(layout, truth.clone());
    let mut all = campaign(network(), 0.0, 1, 3, Design::Full);
    let kind = if reduces { CollectiveKind::Allreduce } else { CollectiveKind::Allgather };
    let design = CollectiveDesign {
        operations: vec![(kind, Algorithm::Ring)],
        ..CollectiveDesign::new(N, [0, 1000, 60_000].map(Bytes::new).to_vec())
    };
    let combining =
        || Combining::new(network(), delays.iter().copied().map(Estimate::exact).collect());
    let mut machine = SimulatedMachine::new(combining(), 0.0, 1);
    run(&mut machine, &mut all, &collectives(&design, 1), 3);
    (all, combining())
}

#[test]
fn delays_of_processors_return_and_reductions_are_predicted() {
    let delays = [0.2, 0.3, 0.5, 1.0, 2.0].map(|nanoseconds| nanoseconds * 1e-9);
    let (samples, mut network) = samples(&delays, true);
    let model = fit_kind(&samples, ModelKind::Lmo);
    let found: Vec<f64> = model.combination.iter().map(|delay| delay.value).collect();
    assert!(
        found.iter().zip(&delays).all(|(found, truth)| (found / truth - 1.0).abs() < 1e-9),
        "{found:?}"
    );
    for algorithm in [Algorithm::Ring, Algorithm::RecursiveDoubling, Algorithm::Rabenseifner] {
        let experiment = collective(CollectiveKind::Allreduce, algorithm, 0, N, 300_000);
        let (program, placement): (_, Placement) = experiment.program().unwrap();
        let mut engine = Engine::new();
        let expected =
            engine.run(&program, &placement, &mut network).unwrap().read(program.reading()).get();
        let mut predictor = Predictor::new(&model, ModelKind::Lmo).unwrap();
        let (prediction, predicted) = predictor.explain(&Query::Experiment(experiment)).unwrap();
        assert!(
            (prediction.seconds.get() / expected - 1.0).abs() < 1e-6,
            "{algorithm}: {prediction:?} {expected}"
        );
        assert!(
            predicted
                .contributions
                .iter()
                .any(|one| one.parameter.name == "combination_byte_delay")
        );
        assert!(!prediction.alarms.contains(&Alarm::Combination));
    }
    // The file keeps the delays.
    let text = file::to_text(&model).unwrap();
    assert_eq!(file::parse(text, "m.json").unwrap().model.combination, model.combination);
}

#[test]
fn reductions_without_a_measured_combination_raise_an_alarm() {
    let (samples, _) = samples(&[1e-9; N], false);
    let model = fit_kind(&samples, ModelKind::Lmo);
    assert!(model.combination.is_empty());
    let mut predictor = Predictor::new(&model, ModelKind::Lmo).unwrap();
    let mut alarms = |kind, algorithm| {
        let query = Query::Experiment(collective(kind, algorithm, 0, N, 1000));
        predictor.predict(&query).unwrap().alarms
    };
    assert!(alarms(CollectiveKind::Reduce, Algorithm::Binomial).contains(&Alarm::Combination));
    assert!(!alarms(CollectiveKind::Broadcast, Algorithm::Binomial).contains(&Alarm::Combination));
}
