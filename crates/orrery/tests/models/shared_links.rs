//! Links that groups of processors share: found by exchanges of several pairs at the same time, and
//! estimated by flows.

use orrery::comm::ports::{Layout, Uplinks};

use orrery::measure::CommDesign;
use orrery::sample::{ExchangeSet, MeasuredSet};

use rand::seq::SliceRandom;

use crate::equal_ports::equal_ports;
use crate::flows::Flows;
use crate::prelude::*;

const SIZE: Bytes = Bytes::new(128 << 10);

/// A cluster with these groups, each with an uplink as fast as this number of its ports.
pub(crate) fn cluster(processors: usize, groups: &[(Vec<u32>, f64)], seed: u64) -> Ports {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut spread =
        |low: f64, high: f64| Estimate::exact(low * (high / low).powf(rng.random_range(0.0..1.0)));
    let port_byte_delay: Vec<Estimate> = (0..processors).map(|_| spread(8e-9, 12e-9)).collect();
    let uplink = |(members, ports): &(Vec<u32>, f64)| {
        let mean = members.iter().map(|&one| port_byte_delay[one as usize].value).sum::<f64>()
            / members.len() as f64;
        Estimate::exact(mean / ports)
    };
    let members = groups
        .iter()
        .map(|(members, _)| members.iter().map(|&one| Processor(one)).collect())
        .collect();
    let uplinks = Uplinks::new(members, groups.iter().map(uplink).collect()).unwrap();
    Ports {
        fixed_delay: (0..processors).map(|_| spread(6e-6, 20e-6)).collect(),
        byte_delay: (0..processors).map(|_| spread(0.1e-9, 0.5e-9)).collect(),
        port_byte_delay,
        link_latency: PerPair::from_fn(processors, |_, _| spread(20e-6, 30e-6)),
        uplinks,
        ..equal_ports(processors, [Estimate::exact(0.0); 5])
    }
}

/// The samples of a campaign on a cluster, and the model that is fitted to them.
fn measured(truth: &Ports, noise: f64, seed: u64) -> (Samples, FitOutcome) {
    let samples = campaign(truth, noise, seed);
    let outcome = fitted(&samples);
    (samples, outcome)
}

/// The model `ports` that is fitted to samples.
pub fn fitted(samples: &Samples) -> FitOutcome {
    let options = FitOptions { kinds: Some(vec![ModelKind::Ports]), ..FitOptions::default() };
    fit(samples, &options).unwrap()
}

/// The samples of a campaign on a cluster.
pub(crate) fn campaign(truth: &Ports, noise: f64, seed: u64) -> Samples {
    campaign_with(truth, noise, seed, Vec::new())
}

/// The samples of a campaign on a cluster, in which the links of these groups are loaded.
pub(crate) fn campaign_with(
    truth: &Ports,
    noise: f64,
    seed: u64,
    groups: Vec<Vec<Processor>>,
) -> Samples {
    timed_campaign(truth, noise, seed, groups).0
}

/// The samples of a campaign on a cluster, and the virtual time that it takes.
pub(crate) fn timed_campaign(
    truth: &Ports,
    noise: f64,
    seed: u64,
    groups: Vec<Vec<Processor>>,
) -> (Samples, Seconds) {
    let machine = SimulatedMachine::new(truth.network(), noise, seed);
    let mut machine = machine.with_flows(Box::new(Flows(SharedPorts::new(truth))));
    let mut samples = Samples::new(Provenance::new());
    let precision = Precision { min_reps: if noise > 0.0 { 5 } else { 1 }, ..Precision::default() };
    let mut campaign = Campaign::new(&mut machine, &mut samples).precision(precision).seed(seed);
    let design = CommDesign { shared_links: true, groups, ..CommDesign::new(Bytes::new(32 << 10)) };
    assert_eq!(campaign.measure(&design).unwrap(), CampaignEnd::Complete);
    (samples, machine.elapsed())
}

/// Random groups of random processors: two or three switches, one of which may have two below it.
pub(crate) fn random_groups(processors: usize, rng: &mut ChaCha8Rng) -> Vec<(Vec<u32>, f64)> {
    let mut order: Vec<u32> = (0..processors as u32).collect();
    if rng.random_range(0..2) == 0 {
        order.shuffle(rng);
    }
    let switches = if processors < 9 { 2 } else { rng.random_range(2..4) };
    let mut groups = Vec::new();
    let size = processors.div_ceil(switches);
    for switch in order.chunks(size) {
        // Of two switches one link joins both.
        if switches > 2 || groups.is_empty() {
            groups.push((switch.to_vec(), rng.random_range(0.6..1.6)));
        }
        if switch.len() >= 8 && rng.random_range(0..2) == 0 {
            for half in switch.chunks(switch.len().div_ceil(2)) {
                groups.push((half.to_vec(), rng.random_range(1.2..1.8)));
            }
        }
    }
    groups
}

/// The group or the other processors, whichever comes first.
fn normal(group: &[Processor], processors: usize) -> Vec<u32> {
    let inside: Vec<u32> = group.iter().map(|one| one.0).collect();
    let outside: Vec<u32> = (0..processors as u32).filter(|one| !inside.contains(one)).collect();
    inside.min(outside)
}

/// The groups whose link slows some pair of a measured set by more than a tenth.
fn saturated(truth: &Ports, samples: &Samples) -> Vec<usize> {
    let times = |ports: &Ports| -> Vec<f64> {
        let machine = SharedPorts::new(ports);
        let of = |set: &MeasuredSet| {
            let (program, placement) = set.set.program(set.set.pairs()[0].0);
            machine
                .ends(&program, &placement, false)
                .unwrap()
                .into_iter()
                .step_by(2)
                .map(Seconds::get)
                .collect::<Vec<_>>()
        };
        MeasuredSet::all(samples).0.iter().flat_map(of).collect()
    };
    let with = times(truth);
    let is_saturated = |group: &usize| {
        let mut delays = truth.uplinks.byte_delay().to_vec();
        delays[*group] = Estimate::exact(0.0);
        let without = times(&Ports {
            uplinks: truth.uplinks.clone().with_byte_delay(delays),
            ..truth.clone()
        });
        with.iter().zip(without).any(|(with, without)| *with > 1.15 * without)
    };
    (0..truth.uplinks.groups().len()).filter(is_saturated).collect()
}

/// The first clusters; all twenty take minutes without optimisation.
#[test]
fn groups_and_rates_return_without_noise() {
    check_clusters(0..7);
}

#[test]
#[ignore = "minutes without optimisation"]
fn groups_and_rates_return_on_twenty_clusters() {
    check_clusters(0..20);
}

fn check_clusters(seeds: std::ops::Range<u64>) {
    let (mut found_links, mut exact) = (0, 0);
    for seed in seeds.clone() {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let processors = [6, 8, 9, 12, 16, 20, 24, 32][seed as usize % 8];
        let groups = random_groups(processors, &mut rng);
        let truth = cluster(processors, &groups, seed);
        let (samples, outcome) = measured(&truth, 0.0, seed);
        let model: Ports = outcome.model.get(ModelKind::Ports).unwrap();
        let of = |ports: &Ports, wanted: &[usize]| {
            let mut found: Vec<(Vec<u32>, f64)> = wanted
                .iter()
                .map(|&group| {
                    (
                        normal(&ports.uplinks.groups()[group], processors),
                        ports.uplinks.byte_delay()[group].value,
                    )
                })
                .collect();
            found.sort_by(|a, b| a.0.cmp(&b.0));
            found
        };
        let expected = of(&truth, &saturated(&truth, &samples));
        let all = |ports: &Ports| of(ports, &(0..ports.uplinks.groups().len()).collect::<Vec<_>>());
        let (found, true_links) = (all(&model), all(&truth));
        for (group, _) in &expected {
            assert!(
                found.iter().any(|link| link.0 == *group),
                "{seed}: {group:?} is missing in {found:?}"
            );
        }
        for (group, delay) in &found {
            let true_link = true_links.iter().find(|link| link.0 == *group);
            let (_, true_delay) = true_link
                .unwrap_or_else(|| panic!("{seed}: {group:?} shares no link: {true_links:?}"));
            // A link that no set saturates is not found, but has a small part in the shares of
            // others.
            let tolerance = if found.len() == true_links.len() { 1e-6 } else { 0.03 };
            assert!(
                (delay - true_delay).abs() <= tolerance * true_delay,
                "{seed}: {group:?}, {delay}, {true_delay}"
            );
        }
        found_links += found.len();
        if found.len() < true_links.len() {
            continue;
        }
        exact += 1;
        let count = Layout::new(processors).count();
        for (estimate, truth) in model.estimates().iter().zip(&truth.estimates()).take(count) {
            let is_close = (estimate.value - truth.value).abs() <= 1e-6 * truth.value.max(1e-9);
            assert!(is_close, "{seed}: {estimate:?}, {truth:?}");
        }
        assert!(outcome.shared_links.unwrap().unexplained.is_empty());
    }
    assert!(exact > seeds.end / 2, "{exact}");
    assert!(found_links as u64 > seeds.end, "{found_links}");
}

/// A campaign on two switches of four processors, with each row changed by a function.
fn altered(change: impl Fn(Sample) -> Sample) -> Samples {
    let truth = cluster(8, &[((0..4).collect(), 1.0)], 3);
    let all = campaign(&truth, 0.0, 3);
    let mut samples = Samples::new(Provenance::new());
    all.iter().map(change).for_each(|sample| samples.push(sample));
    samples
}

/// The same campaign, with each experiment of concurrent exchanges changed by a function.
fn with_exchanges(change: impl Fn([Processor; 2], u32, u32) -> ([Processor; 2], u32)) -> Samples {
    altered(|sample| match sample.experiment {
        Experiment::Exchanges { i, j, size, set, pairs } => {
            let ([i, j], set) = change([i, j], set, pairs);
            Sample { experiment: Experiment::Exchanges { i, j, size, set, pairs }, ..sample }
        }
        _ => sample,
    })
}

#[test]
fn the_order_of_the_processors_of_a_pair_does_not_matter() {
    let plain = fitted(&with_exchanges(|pair, set, _| (pair, set)));
    assert_eq!(plain.shared_links.as_ref().unwrap().links.len(), 1);
    let swapped = fitted(&with_exchanges(
        |[i, j], set, _| if i.0 % 2 == 0 { ([j, i], set) } else { ([i, j], set) },
    ));
    assert_eq!(swapped.shared_links, plain.shared_links);
    assert_eq!(
        swapped.model.get::<Ports>(ModelKind::Ports),
        plain.model.get::<Ports>(ModelKind::Ports)
    );
}

#[test]
fn sets_whose_rows_contradict_each_other_are_not_used() {
    let sets = MeasuredSet::all(&altered(|sample| sample)).0.len();
    // The number of a set follows from its pairs.
    let renumbered =
        with_exchanges(|pair, set, pairs| (pair, if pairs > 1 { set ^ 1 } else { set }));
    let (used, unused) = MeasuredSet::all(&renumbered);
    assert_eq!((used.len(), unused), (0, sets));
    let found = fitted(&renumbered).shared_links.unwrap();
    assert_eq!((found.links.len(), found.sets, found.incomplete), (0, 0, sets));
    // A processor is in one pair of a set.
    let shared =
        with_exchanges(|[i, j], set, pairs| ([if pairs > 1 { Processor(0) } else { i }, j], set));
    assert_eq!(MeasuredSet::all(&shared).0.len(), 0);
}

#[test]
fn exchanges_that_take_no_time_do_not_count() {
    let (used, unused) = {
        let zero = |sample: Sample| match sample.experiment {
            Experiment::Exchanges { pairs: 2.., .. } => Sample { seconds: Seconds::ZERO, ..sample },
            _ => sample,
        };
        let found = fitted(&altered(zero)).shared_links.unwrap();
        (found.sets, found.incomplete)
    };
    assert_eq!((used, unused > 0), (0, true));
    let zero = |sample: Sample| match sample.experiment {
        Experiment::Exchanges { pairs: 1, .. } => Sample { seconds: Seconds::ZERO, ..sample },
        _ => sample,
    };
    assert_eq!(fitted(&altered(zero)).shared_links.unwrap().sets, 0);
}

#[test]
fn exchanges_shorter_than_their_overheads_show_no_link() {
    let short = |sample: Sample| match sample.experiment {
        Experiment::Exchanges { i, set, .. } => {
            let seconds = sample.seconds.get() * if set > 0 && i.0 < 4 { 1e-6 } else { 1.0 };
            Sample { seconds: Seconds::new(seconds), ..sample }
        }
        _ => sample,
    };
    let model: Ports = fitted(&altered(short)).model.get(ModelKind::Ports).unwrap();
    assert!(
        model.uplinks.byte_delay().iter().all(|delay| delay.value.is_finite() && delay.value > 0.0)
    );
}

/// Four switches of processors whose ports differ up to fourfold: links hardly slow the pairs of
/// slow ports.
#[test]
fn ports_may_differ_among_groups() {
    let groups: Vec<(Vec<u32>, f64)> =
        (0..4).map(|one| ((4 * one..4 * one + 4).collect(), 0.8)).collect();
    for seed in 0..3 {
        let mut truth = cluster(16, &groups, seed);
        let times = |i: usize| [1.0, 3.0, 2.0, 4.0, 2.5, 1.5][(i + seed as usize) % 6];
        truth.port_byte_delay.iter_mut().enumerate().for_each(|(i, one)| one.value *= times(i));
        let found = fitted(&campaign(&truth, 0.02, seed)).shared_links.unwrap();
        let groups: Vec<usize> = found.links.iter().map(|link| link.group.len()).collect();
        assert_eq!((groups, found.unlocated), (vec![4; 4], Vec::new()), "{seed}");
    }
}

/// Each row of a small set costs as much as a large file.
#[test]
fn thousands_of_sets_are_refused_with_the_operations_that_they_need() {
    let truth = cluster(16, &[((0..8).collect(), 1.0)], 3);
    let mut samples = campaign(&truth, 0.0, 3);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut order: Vec<Processor> = Processor::first(16).collect();
    for rep in 0..4000 {
        order.shuffle(&mut rng);
        let pairs = order.chunks(2).map(|pair| (pair[0], pair[1]));
        let single = pairs.clone().map(|pair| ExchangeSet::new([pair], SIZE));
        for experiment in single
            .chain([ExchangeSet::new(pairs, SIZE)])
            .flat_map(|set| set.experiments().collect::<Vec<_>>())
        {
            if samples.get(&experiment).is_none() {
                samples.push(Sample { experiment, launch: 0, rep, seconds: Seconds::new(1e-3) });
            }
        }
    }
    let options = FitOptions { kinds: Some(vec![ModelKind::Ports]), ..FitOptions::default() };
    let error = fit(&samples, &options).unwrap_err().to_string();
    assert!(error.starts_with("the search for shared links in the exchanges takes "), "{error}");
}

/// Three switches, of which one has a link that no set of exchanges saturates: shares of the others
/// show it without noise.
#[test]
fn links_that_no_set_saturates_return_from_shares() {
    let (processors, seed) = (12, 19);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let truth = cluster(processors, &random_groups(processors, &mut rng), seed);
    let (samples, outcome) = measured(&truth, 0.0, seed);
    assert_eq!(saturated(&truth, &samples), [0, 1]);
    let model: Ports = outcome.model.get(ModelKind::Ports).unwrap();
    let found = outcome.shared_links.unwrap();
    assert_eq!(found.unidentified, [[Processor(0); 0]; 0]);
    for (group, delay) in truth.uplinks.groups().iter().zip(truth.uplinks.byte_delay()) {
        let link = model.uplinks.groups().iter().position(|other| other == group).unwrap();
        let error = model.uplinks.byte_delay()[link].value / delay.value - 1.0;
        assert!(error.abs() < 1e-6, "{group:?}: {error}");
        assert!(found.links[link].p_value < 1e-4, "{group:?}: {found:?}");
        assert_eq!(found.links[link].slowdown <= 1.0, group.contains(&Processor(1)), "{group:?}");
    }
    // With noise its interval contains its delay.
    let noisy: Ports = fitted(&campaign(&truth, 0.05, seed)).model.get(ModelKind::Ports).unwrap();
    assert_eq!(noisy.uplinks.groups(), model.uplinks.groups());
    for (estimate, exact) in noisy.uplinks.byte_delay().iter().zip(model.uplinks.byte_delay()) {
        let interval = estimate.interval.unwrap();
        assert!(
            interval.low < exact.value && exact.value < interval.high,
            "{estimate:?}, {exact:?}"
        );
    }
}

/// Three switches, of which one has a link that neither slows pairs nor changes their shares by
/// much.
#[test]
fn links_that_nothing_shows_are_named_as_not_identified() {
    let groups = [((0..4).collect(), 0.6), ((4..8).collect(), 0.7), ((8..12).collect(), 20.0)];
    let truth = cluster(12, &groups, 19);
    for noise in [0.0, 0.05] {
        let found = fitted(&campaign(&truth, noise, 19)).shared_links.unwrap();
        let links: Vec<u32> = found.links.iter().map(|link| link.group[0].0).collect();
        assert_eq!(links, [0, 4], "{noise}: {found:?}");
        assert_eq!(found.unidentified, [[8, 9, 10, 11].map(Processor)], "{noise}");
    }
}
