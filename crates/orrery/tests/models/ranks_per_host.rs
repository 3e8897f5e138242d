//! Several ranks on each host: links through memory and through the network have parameters of
//! their own, ranks of a host share its link, and the model of some ranks of each host predicts
//! what that of all does.

use orrery::comm::ports::Uplinks;
use orrery::comm::{LogGp, ParameterSet, TypedParameters};
use orrery::platform::{Hosts, LinkClass, ranks_per_host};
use proptest::prelude::*;

use crate::equal_ports::equal_ports;
use crate::prelude::*;
use crate::shared_links::campaign_with;
use crate::support::{self, Design, M, run};

/// Four hosts with three ranks each, in turn over the hosts.
const IN_TURN: [&str; 12] = ["a", "b", "c", "d", "a", "b", "c", "d", "a", "b", "c", "d"];

fn named(hosts: &[&str], mut samples: Samples) -> Samples {
    samples.provenance.set("hosts", hosts.join(" "));
    samples
}

/// Ranks with memory of 2 GB/s between those of a host, and a link of 100 MB/s that they share.
fn several_ranks(hosts: &[&str]) -> Ports {
    let (classes, count) = (Hosts::new(hosts), hosts.len());
    let of_class = |within: f64, across: f64| {
        let value =
            |a, b| if classes.class(a, b) == Some(LinkClass::WithinHost) { within } else { across };
        PerPair::from_fn(count, |a, b| Estimate::exact(value(a, b)))
    };
    let numbers: Vec<_> = Processor::first(count).filter_map(|one| classes.number(one)).collect();
    let members =
        |host| Processor::first(count).filter(|one| numbers[one.index()] == host).collect();
    let last = numbers.iter().max().unwrap();
    let groups: Vec<Vec<Processor>> = (0..=*last).map(members).collect();
    let links = vec![Estimate::exact(10e-9); groups.len()];
    Ports {
        fixed_delay: (0..count)
            .map(|rank| Estimate::exact(5e-6 + 1e-6 * (rank % 3) as f64))
            .collect(),
        byte_delay: vec![Estimate::exact(0.1e-9); count],
        port_byte_delay: vec![Estimate::exact(0.5e-9); count],
        link_latency: of_class(1e-6, 30e-6),
        flow_byte_delay: of_class(0.0, 10e-9),
        uplinks: Uplinks::new(groups, links).unwrap(),
        ..equal_ports(count, [Estimate::exact(0.0); 5])
    }
}

/// A campaign on such ranks; it loads the links of hosts.
fn campaign(hosts: &[&str], noise: f64, seed: u64) -> Samples {
    campaign_with(&several_ranks(hosts), noise, seed, Hosts::new(hosts).groups())
}

fn fitted(hosts: &[&str], samples: Samples) -> FitOutcome {
    let options =
        FitOptions { kinds: Some(vec![ModelKind::Ports, ModelKind::Lmo]), ..FitOptions::default() };
    fit(&named(hosts, samples), &options).unwrap()
}

const OPERATIONS: [(CollectiveKind, Algorithm); 6] = [
    (CollectiveKind::Scatter, Algorithm::Linear),
    (CollectiveKind::Gather, Algorithm::Binomial),
    (CollectiveKind::Broadcast, Algorithm::Binomial),
    (CollectiveKind::Allgather, Algorithm::Ring),
    (CollectiveKind::Allreduce, Algorithm::RecursiveDoubling),
    (CollectiveKind::Alltoall, Algorithm::Pairwise),
];

/// The largest relative error of the collective operations of all ranks.
fn largest_error(truth: &Ports, model: &Model, kind: ModelKind) -> f64 {
    let (machine, ranks) = (SharedPorts::new(truth), model.processors());
    let mut predictor = Predictor::new(model, kind).unwrap();
    let mut error = |(operation, algorithm): (CollectiveKind, Algorithm)| {
        let block = Bytes::new(32 << 10);
        let collective = Collective { kind: operation, algorithm, root: Rank(0), ranks, block };
        let ends = machine.ends(&collective, &Placement::identity(ranks), false).unwrap();
        let true_time = ends.into_iter().fold(Seconds::ZERO, Seconds::max);
        let query = support::collective(operation, algorithm, 0, ranks, block.get());
        let predicted = predictor.predict(&Query::Experiment(query)).unwrap().seconds;
        (predicted.get() / true_time.get() - 1.0).abs()
    };
    OPERATIONS.into_iter().map(&mut error).fold(0.0, f64::max)
}

#[test]
fn ranks_of_a_host_share_its_link() {
    for hosts in [&IN_TURN[..], &["a", "a", "a", "a", "b", "b", "b", "b", "c", "c", "c", "c"]] {
        let truth = several_ranks(hosts);
        let FitOutcome { model, .. } = fitted(hosts, campaign(hosts, 0.0, 1));
        let ports: Ports = model.get(ModelKind::Ports).unwrap();
        let mut groups = ports.uplinks.groups().to_vec();
        groups.sort();
        let mut expected = truth.uplinks.groups().to_vec();
        expected.sort();
        assert_eq!(groups, expected);
        let (flows, lmo) = (ModelKind::PortsFlows, ModelKind::Lmo);
        let errors = [flows, lmo].map(|kind| largest_error(&truth, &model, kind));
        assert!(errors[0] < 0.01 && errors[1] > 0.3, "{errors:?}");
        let noisy = fitted(hosts, campaign(hosts, 0.03, 2)).model;
        assert!(
            largest_error(&truth, &noisy, flows) < 0.1,
            "{}",
            largest_error(&truth, &noisy, flows)
        );
    }
}

fn broadcast(procs: usize) -> Query {
    let (kind, algorithm) = (CollectiveKind::Broadcast, Algorithm::Binomial);
    Query::Experiment(support::collective(kind, algorithm, 0, procs, 1024))
}

fn alarms(model: &Model, kind: ModelKind, query: &Query) -> Vec<&'static str> {
    let alarms = Predictor::new(model, kind).unwrap().predict(query).unwrap().alarms;
    let of_hosts =
        |alarm: &&Alarm| matches!(alarm, Alarm::SharedHost { .. } | Alarm::MixedLinks { .. });
    alarms.iter().filter(of_hosts).map(Alarm::name).collect()
}

#[test]
fn predictions_say_that_the_link_of_a_host_is_ignored_or_unknown() {
    let hosts = &IN_TURN[..];
    let model = fitted(hosts, campaign(hosts, 0.0, 1)).model;
    assert_eq!(alarms(&model, ModelKind::Lmo, &broadcast(12)), ["shared-host"]);
    assert_eq!(alarms(&model, ModelKind::PortsFlows, &broadcast(12)), [""; 0]);
    // The first four ranks are on different hosts.
    assert_eq!(alarms(&model, ModelKind::Lmo, &broadcast(4)), [""; 0]);
    // Without exchanges nothing is known about shared links.
    let samples = support::campaign(several_ranks(hosts).network(), 0.0, 1, 2, Design::Spread);
    let model = fit(&named(hosts, samples), &FitOptions::default()).unwrap().model;
    assert_eq!(alarms(&model, ModelKind::Lmo, &broadcast(12)), ["shared-host"]);
    assert_eq!(alarms(&model, ModelKind::PortsFlows, &broadcast(12)), ["shared-host"]);
    let mean = alarms(&model, ModelKind::HockneyMean, &broadcast(12));
    assert_eq!(mean, ["shared-host", "mixed-links"]);
    let one = model.with_ranks_per_host(1).unwrap();
    assert_eq!(alarms(&one, ModelKind::Lmo, &broadcast(4)), [""; 0]);
}

/// Parameters of links across hosts and, as `within_host`, of links within a host.
fn of_classes(across: ParameterSet, within: &ParameterSet, names: &[&'static str]) -> ParameterSet {
    names.iter().fold(across, |set, name| {
        let own = within.get(name.strip_prefix("within_host.").unwrap()).unwrap();
        set.with_index(name, own.index.clone(), &own.estimates[..])
    })
}

const LOGGP: [&str; 5] = [
    "within_host.latency",
    "within_host.send_overhead",
    "within_host.receive_overhead",
    "within_host.gap",
    "within_host.byte_gap",
];

const HLMO: [&str; 4] = [
    "within_host.fixed_delay",
    "within_host.byte_delay",
    "within_host.link_latency",
    "within_host.link_byte_delay",
];

fn set_of<P: TypedParameters>(build: impl Fn(&[Estimate]) -> P, values: &[f64]) -> ParameterSet {
    build(&values.iter().copied().map(Estimate::exact).collect::<Vec<_>>()).to_set()
}

/// A model with one kind, whose parameters these are.
fn model_of(kind: ModelKind, parameters: ParameterSet) -> Model {
    let hosts = IN_TURN.map(String::from).to_vec();
    let mut model = Model { hosts, ..Model::default() };
    model.point_to_point.insert(kind, parameters);
    model
}

/// All round trips, one-to-two experiments and trains of a simulated machine.
fn measured(model: &Model, kind: ModelKind) -> Samples {
    let mut machine = SimulatedMachine::new(model.network(kind).unwrap(), 0.0, 1);
    let mut samples = Samples::new(Provenance::new());
    let (count, sizes) = (model.processors(), [Bytes::ZERO, Bytes::new(1), M]);
    run(&mut machine, &mut samples, &round_trips(count, &sizes, 1), 2);
    let plan = one_to_twos(Design::Full, &samples, count, M, 1).unwrap();
    run(&mut machine, &mut samples, &plan, 2);
    let trains = OverheadDesign { pairs: TrainPairs::All, calls: 2, train: 32, prtt: false };
    let plan = trains.trains(&samples, count, &sizes, 1).unwrap();
    run(&mut machine, &mut samples, &plan, 2);
    named(&IN_TURN, samples)
}

fn assert_same(found: &ParameterSet, truth: &ParameterSet) {
    let (names, expected): (Vec<_>, Vec<_>) =
        (found.iter().map(|one| one.name).collect(), truth.iter().map(|one| one.name).collect());
    assert_eq!(names, expected);
    for (found, truth) in found.iter().zip(truth.iter()) {
        let (one, other) = (found.estimates[0].value, truth.estimates[0].value);
        assert!((one / other - 1.0).abs() < 1e-6, "{}: {one:e} instead of {other:e}", found.name);
    }
}

#[test]
fn homogeneous_models_recover_themselves_for_each_class_of_links() {
    let loggp = |values: &[f64]| set_of(|all| LogGp::from_estimates(all).unwrap(), values);
    let hlmo = |values: &[f64]| set_of(|all| Hlmo::from_estimates(all.try_into().unwrap()), values);
    let (across, within) =
        ([12e-6, 2e-6, 3e-6, 5e-6, 8e-9], [0.5e-6, 0.3e-6, 0.4e-6, 0.9e-6, 0.4e-9]);
    let truths = [
        (ModelKind::LogGp, of_classes(loggp(&across), &loggp(&within), &LOGGP)),
        (ModelKind::LogP, of_classes(loggp(&across[..4]), &loggp(&within[..4]), &LOGGP[..4])),
        (
            ModelKind::Hlmo,
            of_classes(
                hlmo(&[5e-6, 0.5e-9, 20e-6, 8e-9]),
                &hlmo(&[2e-6, 0.2e-9, 0.5e-6, 0.4e-9]),
                &HLMO,
            ),
        ),
    ];
    for (kind, truth) in truths {
        let model = model_of(kind, truth.clone());
        let options = FitOptions { kinds: Some(vec![kind]), ..FitOptions::default() };
        let FitOutcome { model: found, mixed_links, .. } =
            fit(&measured(&model, kind), &options).unwrap();
        assert_eq!(mixed_links, []);
        assert_same(&found.point_to_point[&kind], &truth);
        // Messages of both classes are predicted, and explained by parameters of their own.
        let mut predictor = Predictor::new(&found, kind).unwrap();
        for to in [1, 4] {
            let query = Query::PointToPoint { from: Processor(0), to: Processor(to), size: M };
            let (prediction, explained) = predictor.explain(&query).unwrap();
            let expected = Predictor::new(&model, kind).unwrap().predict(&query).unwrap().seconds;
            assert!((prediction.seconds.get() / expected.get() - 1.0).abs() < 1e-6);
            let is_within = |one: &str| one.starts_with("within_host.");
            assert!(
                explained
                    .contributions
                    .iter()
                    .all(|one| is_within(one.parameter.name) == (to == 4))
            );
            let sum: f64 = explained.contributions.iter().map(|one| one.seconds().get()).sum();
            assert!((sum / expected.get() - 1.0).abs() < 1e-6);
            assert_eq!(alarms(&found, kind, &query), [""; 0]);
        }
    }
}

#[test]
fn plogp_has_functions_for_each_class_of_links() {
    let loggp = |values: &[f64]| set_of(|all| LogGp::from_estimates(all).unwrap(), values);
    let truth = of_classes(
        loggp(&[12e-6, 2e-6, 3e-6, 5e-6, 8e-9]),
        &loggp(&[0.5e-6, 0.3e-6, 0.4e-6, 0.9e-6, 0.4e-9]),
        &LOGGP,
    );
    let model = model_of(ModelKind::LogGp, truth);
    let options = FitOptions { kinds: Some(vec![ModelKind::PLogP]), ..FitOptions::default() };
    let found = fit(&measured(&model, ModelKind::LogGp), &options).unwrap().model;
    for (to, size) in [(1, 1), (4, 1), (1, M.get()), (4, M.get())] {
        let query =
            Query::PointToPoint { from: Processor(0), to: Processor(to), size: Bytes::new(size) };
        let [found, expected] =
            [(&found, ModelKind::PLogP), (&model, ModelKind::LogGp)].map(|(model, kind)| {
                Predictor::new(model, kind).unwrap().predict(&query).unwrap().seconds.get()
            });
        assert!(
            (found / expected - 1.0).abs() < 0.01,
            "to {to}, {size} bytes: {found:e} instead of {expected:e}"
        );
    }
    let parsed =
        orrery::model::file::parse(orrery::model::file::to_text(&found).unwrap(), "model.json")
            .unwrap();
    assert_eq!(parsed.model.point_to_point, found.point_to_point);
}

/// With two processors on each host HLMO cannot separate their delays from those of their links.
#[test]
fn links_of_both_classes_are_mixed_only_if_one_is_not_identified() {
    let hosts = ["a", "a", "b", "b"];
    let samples = support::campaign(several_ranks(&hosts).network(), 0.0, 1, 2, Design::Full);
    let options = FitOptions { kinds: Some(vec![ModelKind::Hlmo]), ..FitOptions::default() };
    let FitOutcome { model, mixed_links, .. } = fit(&named(&hosts, samples), &options).unwrap();
    assert!(matches!(&mixed_links[..], [(ModelKind::Hlmo, _)]), "{mixed_links:?}");
    assert_eq!(alarms(&model, ModelKind::Hlmo, &broadcast(4)), ["shared-host", "mixed-links"]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 24, ..ProptestConfig::default() })]
    /// A message between two of the selected processors takes the same time, with the same
    /// interval, by both models.
    #[test]
    fn some_ranks_of_each_host_keep_their_parameters(ranks in 1_usize..=3, from in 0_usize..12, to in 0_usize..12, size in 0_u64..100_000) {
        let model = noisy_model();
        let selected = ranks_per_host(&IN_TURN, ranks).unwrap();
        let some = model.with_ranks_per_host(ranks).unwrap();
        prop_assert_eq!(some.processors(), selected.len());
        let (from, to) = (from % selected.len(), to % selected.len());
        prop_assume!(from != to);
        for kind in some.kinds() {
            let message = |from, to| Query::PointToPoint { from, to, size: Bytes::new(size) };
            let of = |model, query| Predictor::new(model, kind).unwrap().predict(&query).unwrap();
            let all = of(model, message(selected[from], selected[to]));
            let one = of(&some, message(Processor(from as u32), Processor(to as u32)));
            prop_assert_eq!((all.seconds, all.interval), (one.seconds, one.interval));
        }
    }
}

/// A model that is fitted to noisy readings, with correlated errors.
fn noisy_model() -> &'static Model {
    static MODEL: std::sync::OnceLock<Model> = std::sync::OnceLock::new();
    MODEL.get_or_init(|| fitted(&IN_TURN, campaign(&IN_TURN, 0.03, 2)).model)
}

#[test]
fn one_rank_per_host_has_no_link_to_share() {
    let some = noisy_model().with_ranks_per_host(1).unwrap();
    let ports: Ports = some.get(ModelKind::Ports).unwrap();
    // Each host's link remains, with one rank behind it.
    assert!(ports.uplinks.groups().iter().all(|group| group.len() == 1));
    assert_eq!(some.hosts, ["a", "b", "c", "d"]);
    assert_eq!(some.provenance.get("processes per host"), Some("1"));
    let later = Provenance::new().with("hosts", "a b c d").with("processes per host", "1");
    assert_eq!(noisy_model().clone().of_measured(&later).hosts.len(), 4);
    let other = Provenance::new().with("hosts", "a b c e").with("processes per host", "1");
    assert_eq!(noisy_model().clone().of_measured(&other).hosts.len(), 12);
}
