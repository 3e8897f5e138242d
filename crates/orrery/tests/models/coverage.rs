//! Intervals of predictions cover the true times: of data of the same kind of model, and of data of
//! another kind.

use orrery::comm::Ports;
use orrery::comm::lmo::{Layout, LmoNetwork};
use orrery::comm::ports::PortsNetwork;
use orrery::engine::{Engine, Network};
use orrery::machine::SimulatedMachine;
use orrery::measure::{CollectiveDesign, collectives, two_to_ones};
use orrery::model::{FitOptions, Model, ModelKind, Predictor, Query, fit};
use orrery::platform::{Placement, Processor};
use orrery::sample::{Experiment, Samples};
use orrery::units::Bytes;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::support::{BLOCKING, Design, M, campaign, differing, run};

/// The number of processors.
const N: usize = 8;

/// The true time of an experiment on a network.
fn truth(network: &mut dyn Network, experiment: &Experiment) -> f64 {
    let (program, placement): (_, Placement) = experiment.program().unwrap();
    Engine::new().run(&program, &placement, network).unwrap().read(program.reading()).get()
}

/// The collective operations of all roots and some sizes, without those of root 0.
fn unseen() -> impl Iterator<Item = Experiment> {
    let sizes = [500, 3000, 12_000, 30_000].map(Bytes::new);
    BLOCKING.into_iter().flat_map(move |(kind, algorithms)| {
        algorithms.iter().flat_map(move |&algorithm| {
            (u32::from(kind.has_root())..if kind.has_root() { N as u32 } else { 1 }).flat_map(
                move |root| {
                    sizes.map(|size| Experiment::Collective {
                        kind,
                        algorithm,
                        root: Processor(root),
                        procs: N,
                        size,
                    })
                },
            )
        })
    })
}

/// The number of unseen collective operations, and of those whose interval contains the true time.
fn covered(model: &Model, kind: ModelKind, network: &mut dyn Network) -> (usize, usize) {
    let mut predictor = Predictor::new(model, kind).unwrap();
    let mut count = (0, 0);
    for experiment in unseen() {
        let prediction = predictor.predict(&Query::Experiment(experiment)).unwrap();
        let (low, high) = prediction.interval.unwrap();
        let seconds = truth(network, &experiment);
        count.0 += 1;
        count.1 += usize::from(low.get() <= seconds && seconds <= high.get());
    }
    count
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

/// Ports of 8 to 80 ns/B, which LMO and Hockney do not have.
fn port_parameters(seed: u64) -> (orrery::comm::ports::Layout, Vec<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut spread = |low: f64, high: f64| low * (high / low).powf(rng.random_range(0.0..1.0));
    let layout = orrery::comm::ports::Layout::new(N);
    let pairs = layout.pairs().count();
    let mut parameters: Vec<f64> = (0..N).map(|_| spread(6e-6, 60e-6)).collect();
    parameters.extend((0..N).map(|_| spread(0.1e-9, 1e-9)));
    parameters.extend((0..N).map(|_| spread(8e-9, 80e-9)));
    parameters.extend(vec![0.0; pairs]);
    parameters.extend((0..pairs).map(|_| spread(10e-6, 60e-6)));
    (layout, parameters)
}

fn ports(seed: u64) -> PortsNetwork {
    let (layout, parameters) = port_parameters(seed);
    PortsNetwork::new(layout, parameters)
}

fn lmo(seed: u64) -> LmoNetwork {
    let (layout, truth): (Layout, Vec<f64>) = differing(N, true, 4.0, seed);
    LmoNetwork::from_parameters(layout, truth)
}

/// Adds up the coverage over seeds.
fn coverage(cases: impl Iterator<Item = (usize, usize)>) -> f64 {
    let (all, inside) = cases.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    inside as f64 / all as f64
}

#[test]
fn intervals_cover_times_of_another_kind_of_machine() {
    for kind in [ModelKind::Lmo, ModelKind::Hockney] {
        let cases = (0..12).map(|seed| {
            let mut network = ports(seed);
            let mut model = fitted(&samples(&network, 0.05, seed), kind);
            let errors = model.discrepancies[&kind].concurrent.unwrap();
            assert!(errors.relative > 0.02, "{kind}: {errors:?}");
            let with = covered(&model, kind, &mut network);
            model.discrepancies.clear();
            (with, covered(&model, kind, &mut network))
        });
        let (with, without): (Vec<_>, Vec<_>) = cases.unzip();
        let (with, without) = (coverage(with.into_iter()), coverage(without.into_iter()));
        assert!(with >= 0.9 && without < 0.8, "{kind}: {with}, {without} without discrepancies");
    }
}

#[test]
fn intervals_cover_times_of_the_same_kind_of_machine() {
    let part = coverage((0..25).map(|seed| {
        let mut network = lmo(seed);
        covered(
            &fitted(&samples(&network, 0.05, seed), ModelKind::Lmo),
            ModelKind::Lmo,
            &mut network,
        )
    }));
    assert!((0.92..=0.98).contains(&part), "{part}");
}

/// The same with in-ports of twice or half the capacity of out-ports, on which no collective
/// operation was measured.
#[test]
fn intervals_cover_times_of_machines_with_in_ports() {
    let part = coverage((0..12).map(|seed| {
        let (layout, mut parameters) = port_parameters(seed);
        let in_ports =
            (0..N).map(|i| parameters[layout.port_byte_delay(i)] * [0.5, 1.0, 2.0, 1.0][i % 4]);
        parameters.extend(in_ports.collect::<Vec<_>>());
        let mut network = PortsNetwork::new(layout.with_in_ports(), parameters);
        let mut samples = campaign(network.clone(), 0.05, seed, 5, Design::Spread);
        let plan = two_to_ones(&[], &samples, N, M, seed).unwrap();
        run(&mut SimulatedMachine::new(network.clone(), 0.05, seed + 1000), &mut samples, &plan, 5);
        let model = fitted(&samples, ModelKind::Ports);
        assert!(!model.get::<Ports>(ModelKind::Ports).unwrap().in_port_byte_delay.is_empty());
        covered(&model, ModelKind::Ports, &mut network)
    }));
    println!("{part}");
    assert!((0.92..=0.99).contains(&part), "{part}");
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
