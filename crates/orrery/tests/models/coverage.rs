//! Intervals of predictions cover the true times: of data of the same kind of model, and of data of
//! another kind.

use orrery::measure::two_to_ones;

use crate::coverage_count::Coverage;
use crate::ports;
use crate::prelude::*;
use crate::support::{BLOCKING, Design, M, campaign, collective, differing, run};

/// The number of processors.
const N: usize = 8;

/// The true time of an experiment on a network.
fn truth(network: &mut dyn Network, experiment: &Experiment) -> f64 {
    let (program, placement): (_, Placement) = experiment.program().unwrap();
    Engine::new().run(&program, &placement, network).unwrap().read(program.reading()).get()
}

/// The collective operations of all roots and some sizes, without those of root 0.
fn unseen() -> Vec<Experiment> {
    let mut all = Vec::new();
    for (kind, algorithms) in BLOCKING {
        let roots = if kind.has_root() { 1..N as u32 } else { 0..1 };
        for (algorithm, root) in
            algorithms.iter().flat_map(|one| roots.clone().map(move |root| (*one, root)))
        {
            let sizes = [500, 3000, 12_000, 30_000];
            all.extend(sizes.map(|size| collective(kind, algorithm, root, N, size)));
        }
    }
    all
}

/// Counts the unseen collective operations.
fn count(coverage: &mut Coverage, model: &Model, kind: ModelKind, network: &mut dyn Network) {
    let mut predictor = Predictor::new(model, kind).unwrap().of_known_kind();
    for experiment in unseen() {
        let prediction = predictor.predict(&Query::Experiment(experiment)).unwrap();
        let (low, high) = prediction.interval.unwrap();
        coverage.add(low.get(), high.get(), truth(network, &experiment));
    }
}

/// Samples of a campaign with collective operations from root 0.
fn samples<N: Network + Clone>(network: &N, noise: f64, seed: u64) -> Samples {
    let processors = network.processors();
    let mut samples = campaign(network.clone(), noise, seed, 5, Design::Spread);
    let design = CollectiveDesign::new(processors, [1024, 4096, 32 << 10].map(Bytes::new).to_vec());
    let mut machine = SimulatedMachine::new(network.clone(), noise, seed + 1000);
    run(&mut machine, &mut samples, &collectives(&design, seed), 5);
    samples
}

fn fitted(samples: &Samples, kind: ModelKind) -> Model {
    // The corrections of algorithms have tests of their own.
    let options =
        FitOptions { kinds: Some(vec![kind]), corrections: false, ..FitOptions::default() };
    fit(samples, &options).unwrap().model
}

/// Ports, which LMO and Hockney do not have.
fn ports(seed: u64) -> PortsNetwork {
    let (layout, parameters) = ports::truth(N, 0, seed);
    PortsNetwork::new(layout, parameters)
}

fn lmo(seed: u64) -> LmoNetwork {
    let (layout, truth): (Layout, Vec<f64>) = differing(N, true, 4.0, seed);
    LmoNetwork::from_parameters(layout, truth)
}

#[test]
fn intervals_cover_times_of_another_kind_of_machine() {
    for kind in [ModelKind::Lmo, ModelKind::Hockney] {
        let [mut with, mut without] = [Coverage::default(); 2];
        for seed in 0..12 {
            let mut network = ports(seed);
            let mut model = fitted(&samples(&network, 0.05, seed), kind);
            let errors = model.discrepancies[&kind].concurrent.unwrap();
            assert!(errors.relative > 0.02, "{kind}: {errors:?}");
            count(&mut with, &model, kind, &mut network);
            model.discrepancies.clear();
            count(&mut without, &model, kind, &mut network);
        }
        assert!(with.part() >= 0.9 && without.part() < 0.8, "{kind}: {with:?}, {without:?}");
    }
}

#[test]
fn intervals_cover_times_of_the_same_kind_of_machine() {
    let mut coverage = Coverage::default();
    for seed in 0..25 {
        let mut network = lmo(seed);
        let model = fitted(&samples(&network, 0.05, seed), ModelKind::Lmo);
        count(&mut coverage, &model, ModelKind::Lmo, &mut network);
    }
    assert!((0.92..=0.98).contains(&coverage.part()), "{coverage:?}");
}

/// The same with in-ports of twice or half the capacity of out-ports, on which no collective
/// operation was measured.
#[test]
fn intervals_cover_times_of_machines_with_in_ports() {
    let mut coverage = Coverage::default();
    for seed in 0..12 {
        let (layout, parameters) = ports::truth(N, 0, seed);
        let (layout, parameters) = ports::with_in_ports(layout, parameters, &[0.5, 1.0, 2.0, 1.0]);
        let mut network = PortsNetwork::new(layout, parameters);
        let mut samples = campaign(network.clone(), 0.05, seed, 5, Design::Spread);
        let plan = two_to_ones(&[], &samples, N, M, seed).unwrap();
        run(&mut SimulatedMachine::new(network.clone(), 0.05, seed + 1000), &mut samples, &plan, 5);
        let model = fitted(&samples, ModelKind::Ports);
        assert!(!model.get::<Ports>(ModelKind::Ports).unwrap().in_port_byte_delay.is_empty());
        count(&mut coverage, &model, ModelKind::Ports, &mut network);
    }
    assert!((0.92..=0.99).contains(&coverage.part()), "{coverage:?}");
}

#[test]
fn exact_fits_have_no_discrepancy() {
    for seed in 0..3 {
        assert!(fitted(&samples(&lmo(seed), 0.0, seed), ModelKind::Lmo).discrepancies.is_empty());
        let exact = fitted(&samples(&ports(seed), 0.0, seed), ModelKind::Ports);
        assert!(!exact.discrepancies.contains_key(&ModelKind::Ports), "{:?}", exact.discrepancies);
    }
}

/// Noise alone is no discrepancy, or rarely.
#[test]
fn noise_is_no_discrepancy() {
    let found = (0..25).filter(|&seed| {
        let model = fitted(&samples(&lmo(seed), 0.05, seed), ModelKind::Lmo);
        !model.discrepancies.is_empty()
    });
    assert!(found.count() <= 2);
}

/// Round trips determine the time of a message better than its parts: their errors are correlated.
#[test]
fn errors_of_parameters_compensate_each_other() {
    let mut model = fitted(&samples(&lmo(1), 0.05, 1), ModelKind::Lmo);
    let query =
        Query::PointToPoint { from: Processor(2), to: Processor(5), size: Bytes::new(1000) };
    let half_width = |model: &Model| {
        Predictor::new(model, ModelKind::Lmo)
            .unwrap()
            .predict(&query)
            .unwrap()
            .uncertainty
            .readings
            .unwrap()
    };
    let correlated = half_width(&model);
    model.correlations.clear();
    assert!(correlated < 0.5 * half_width(&model), "{correlated}, {}", half_width(&model));
}

/// Correlations make a model file at most three times as long.
#[test]
fn correlations_are_small() {
    let mut model = fit(&samples(&lmo(1), 0.05, 1), &FitOptions::default()).unwrap().model;
    let length = |model: &Model| orrery::model::file::to_text(model).unwrap().len();
    let with = length(&model);
    model.correlations.clear();
    assert!(with < 3 * length(&model), "{with}, {}", length(&model));
}
