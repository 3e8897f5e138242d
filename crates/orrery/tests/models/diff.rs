//! Differences between two models of one cluster: found where the clusters differ, and only there.

use orrery::comm::Hockney;
use orrery::model::{
    DiffError, DiffOptions, Discrepancies, MeasuredError, ModelDiff, Subject, diff,
};

use crate::prelude::*;
use crate::support::{Design, M, campaign};
use crate::variants::few_or_all;

fn options() -> DiffOptions {
    let sizes = vec![Bytes::ZERO, Bytes::new(1024), M];
    DiffOptions { kind: None, sizes, level: 0.95, tolerance: 0.05, by_number: false }
}

/// Equal processors and links, in the order of the layout: C, t, 1/β and L.
fn truth(processors: usize) -> (Layout, Vec<f64>) {
    let layout = Layout::new(processors, true);
    let pairs = layout.pairs().count();
    let blocks = [(processors, 20e-6), (processors, 0.5e-9), (pairs, 8e-9), (pairs, 30e-6)];
    (layout, blocks.into_iter().flat_map(|(count, value)| vec![value; count]).collect())
}

/// The place of a pair in the order of the layout, from the first pair.
fn pair(processors: usize, a: u32, b: u32) -> usize {
    Pairs::of(processors).index(Processor(a), Processor(b))
}

/// The models fitted to a campaign on hosts n0, n1, ….
fn fitted(truth: &(Layout, Vec<f64>), noise: f64, seed: u64) -> Model {
    let network = LmoNetwork::from_parameters(truth.0, truth.1.clone());
    let samples = campaign(network, noise, seed, 8, Design::Spread);
    let mut model = fit(&samples, &FitOptions::default()).unwrap().model;
    model.hosts = (0..model.processors()).map(|host| format!("n{host}")).collect();
    model
}

fn subjects(diff: &ModelDiff) -> Vec<Subject> {
    diff.findings.iter().map(|finding| finding.subject).collect()
}

#[test]
fn equal_clusters_do_not_differ() {
    // The largest number is 5 % of the cases and two standard deviations of a count.
    let (cases, most) = few_or_all((16, 2), (40, 5));
    let truth = truth(10);
    let models: Vec<Model> = (0..=cases).map(|seed| fitted(&truth, 0.05, seed)).collect();
    for kind in [Some(ModelKind::Hockney), Some(ModelKind::Lmo), None] {
        // Significance alone decides.
        let options = DiffOptions { tolerance: 0.0, kind, ..options() };
        let alarms = models
            .windows(2)
            .filter(|pair| diff(&pair[0], &pair[1], &options).unwrap().is_changed())
            .count();
        assert!(alarms <= most, "{alarms} of {cases} for {kind:?}");
    }
}

#[test]
fn a_degraded_link_and_a_slow_host_are_found() {
    let n = 10;
    let before = truth(n);
    let mut link = before.clone();
    link.1[2 * n + pair(n, 2, 7)] *= 1.5;
    let mut host = before.clone();
    host.1[5] *= 3.0;
    host.1[n + 5] *= 4.0;
    let mut both = host.clone();
    both.1[2 * n + pair(n, 2, 7)] *= 2.0;
    let old = fitted(&before, 0.02, 1);
    for (seed, (new, expected)) in [
        (&link, vec![Subject::Link(Processor(2), Processor(7))]),
        (&host, vec![Subject::Processor(Processor(5))]),
        (&both, vec![Subject::Link(Processor(2), Processor(7)), Subject::Processor(Processor(5))]),
    ]
    .into_iter()
    .enumerate()
    {
        let found = diff(&old, &fitted(new, 0.02, 10 + seed as u64), &options()).unwrap();
        assert_eq!(subjects(&found), expected, "{:?} {:?}", found.findings, found.kind);
        assert!(
            found.is_changed()
                && found.findings[0].relative > 0.2
                && found.findings[0].new > found.findings[0].old
        );
    }
}

#[test]
fn two_slow_hosts_of_four_and_a_slower_network_are_found() {
    let before = truth(4);
    let mut hosts = before.clone();
    hosts.1[0] *= 4.0;
    hosts.1[1] *= 4.0;
    let mut network = before.clone();
    network.1[8..].iter_mut().for_each(|value| *value *= 1.5);
    let old = fitted(&before, 0.0, 1);
    let processors = |numbers: std::ops::Range<u32>| {
        numbers.map(|p| Subject::Processor(Processor(p))).collect::<Vec<_>>()
    };
    let mut found = subjects(&diff(&old, &fitted(&hosts, 0.0, 2), &options()).unwrap());
    found.sort_by_key(|subject| format!("{subject:?}"));
    assert_eq!(found, processors(0..2));
    let mut found = subjects(&diff(&old, &fitted(&network, 0.0, 2), &options()).unwrap());
    found.sort_by_key(|subject| format!("{subject:?}"));
    assert_eq!(found, processors(0..4));
}

/// An LMO model of three processors without intervals: C of processor 0, L of its links.
fn by_hand(fixed_delay: f64, latency: f64) -> Model {
    let lmo = Lmo {
        fixed_delay: [fixed_delay, 10e-6, 10e-6].map(Estimate::exact).to_vec(),
        byte_delay: vec![Estimate::exact(1e-9); 3],
        link_latency: Some(PerPair::from_fn(3, |a, _| {
            Estimate::exact(if a.0 == 0 { latency } else { 20e-6 })
        })),
        link_byte_delay: PerPair::from_fn(3, |_, _| Estimate::exact(8e-9)),
    };
    Model { hosts: ["a", "b", "c"].map(String::from).to_vec(), ..Model::default() }
        .with(ModelKind::Lmo, &lmo)
}

#[test]
fn parameters_that_trade_off_do_not_count() {
    let found = diff(&by_hand(10e-6, 20e-6), &by_hand(20e-6, 10e-6), &options()).unwrap();
    assert!(!found.is_changed() && found.changed_messages() == 0, "{:?}", found.findings);
    let changed: Vec<String> = found
        .parameters
        .iter()
        .filter(|parameter| parameter.change.is_change)
        .map(|parameter| parameter.parameter.to_string())
        .collect();
    assert_eq!(
        changed,
        ["fixed_delay of processor 0", "link_latency of link 0-1", "link_latency of link 0-2"]
    );
}

#[test]
fn the_tolerance_decides_without_intervals() {
    let (old, new) = (by_hand(10e-6, 20e-6), by_hand(14e-6, 20e-6));
    let found = diff(&old, &new, &options()).unwrap();
    assert_eq!(subjects(&found), [Subject::Processor(Processor(0))]);
    let (first, resolution) = (&found.findings[0], found.resolution);
    assert_eq!(
        (first.size, first.changed, first.links, first.p_value, resolution),
        (Bytes::ZERO, 2, 2, None, None)
    );
    assert!((first.old - 40e-6).abs() < 1e-12 && (first.relative - 0.1).abs() < 1e-9, "{first:?}");
    assert!(!diff(&old, &new, &DiffOptions { tolerance: 0.11, ..options() }).unwrap().is_changed());
}

#[test]
fn processors_are_matched_by_host() {
    let old = by_hand(10e-6, 20e-6);
    // Processor 2 of the new model is on host a, whose delay is the same.
    let mut new = by_hand(10e-6, 20e-6);
    let Lmo { mut fixed_delay, byte_delay, link_byte_delay, .. } = new.get(ModelKind::Lmo).unwrap();
    fixed_delay[2].value = 30e-6;
    let link_latency = Some(PerPair::from_fn(3, |_, _| Estimate::exact(20e-6)));
    new.set(ModelKind::Lmo, &Lmo { fixed_delay, byte_delay, link_latency, link_byte_delay });
    new.hosts = ["b", "a", "x"].map(String::from).to_vec();
    let found = diff(&old, &new, &options()).unwrap();
    let (a, b, c) = (Processor(0), Processor(1), Processor(2));
    assert_eq!(found.processors.common, [(a, b), (b, a)]);
    assert_eq!((&found.processors.lost[..], &found.processors.added[..]), (&[c][..], &[c][..]));
    assert!(found.is_changed() && found.findings.is_empty());
    // By number, the third processor is slower.
    let found = diff(&old, &new, &DiffOptions { by_number: true, ..options() }).unwrap();
    assert_eq!((found.processors.lost.len(), subjects(&found)), (0, vec![Subject::Processor(c)]));
    // A processor of an unknown host is compared by number.
    new.hosts[1] = String::new();
    let found = diff(&old, &new, &DiffOptions { by_number: false, ..options() });
    assert_eq!(found.unwrap_err(), DiffError::NoCommonProcessors { common: 1, lost: 2 });
}

#[test]
fn models_without_common_kind_are_refused() {
    let old = by_hand(10e-6, 20e-6);
    let exact = |value| PerPair::from_fn(3, |_, _| Estimate::exact(value));
    let mean = Estimate::exact(1.0);
    let hockney = Hockney {
        latency: exact(1e-5),
        byte_delay: exact(1e-8),
        mean_latency: mean,
        mean_byte_delay: mean,
    };
    let new =
        Model { hosts: old.hosts.clone(), ..Model::default() }.with(ModelKind::Hockney, &hockney);
    let error = diff(&old, &new, &options()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the models have no kind in common: the old one has lmo, the new one hockney, \
            hockney-mean; fit both with a common kind"
    );
    let error =
        diff(&old, &new, &DiffOptions { kind: Some(ModelKind::Lmo), ..options() }).unwrap_err();
    assert_eq!(error.to_string(), "the model has no lmo; it has hockney, hockney-mean");
}

/// The model by hand with errors in measured collective operations, each known to 2 %.
fn with_errors(errors: &[(&str, u64, f64)]) -> Model {
    let measured = |&(name, size, factor): &(&str, u64, f64)| MeasuredError {
        algorithm: name.parse().unwrap(),
        root: Processor(0),
        procs: 3,
        size: Bytes::new(size),
        error: factor.ln(),
        noise: 0.02,
    };
    let collectives = errors.iter().map(measured).collect();
    let all = Discrepancies { collectives, ..Discrepancies::default() };
    Model { discrepancies: [(ModelKind::Lmo, all)].into(), ..by_hand(10e-6, 20e-6) }
}

#[test]
fn errors_in_collective_operations_that_changed_are_found() {
    let name = "native/bcast/ompi/binomial";
    let old = with_errors(&[(name, 1024, 1.5), (name, 8192, 1.2), ("bcast/linear", 9, 2.0)]);
    let same = diff(&old, &old, &options()).unwrap();
    assert!(!same.is_changed() && same.errors.len() == 3, "{:?}", same.errors);
    // That of the large size changed; that of the small one did within its interval; only one model
    // has the others.
    let new = with_errors(&[(name, 1024, 1.55), (name, 8192, 1.9), ("bcast/binomial", 9, 2.0)]);
    let found = diff(&old, &new, &options()).unwrap();
    assert!(found.is_changed() && found.findings.is_empty());
    let changes: Vec<_> =
        found.errors.iter().map(|one| (one.size.get(), one.change.is_change)).collect();
    assert_eq!(changes, [(1024, false), (8192, true)]);
    assert!(found.errors[1].change.p_value.unwrap() < 1e-6);
    // Other processors have other errors.
    let other = Model { hosts: ["a", "b", "d"].map(String::from).to_vec(), ..new };
    assert!(diff(&old, &other, &options()).unwrap().errors.is_empty());
}

#[test]
fn too_many_pairs_are_refused() {
    let estimate = Estimate::exact(1e-6);
    let hlmo = Hlmo {
        fixed_delay: estimate,
        byte_delay: estimate,
        link_latency: estimate,
        link_byte_delay: estimate,
    };
    let model = Model::new(3000).with(ModelKind::Hlmo, &hlmo);
    let error = diff(&model, &model, &options()).unwrap_err();
    assert_eq!(error.to_string(), "the models have too many pairs of processors");
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(
        cause,
        "the comparison of all pairs takes 26991000 operations; its budget is 10000000"
    );
}
