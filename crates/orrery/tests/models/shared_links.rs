//! Links that groups of processors share: found by exchanges of several pairs at the same time, and estimated by flows.

use orrery::comm::Ports;
use orrery::comm::ports::{Layout, SizeLaw, Uplinks};
use orrery::machine::{FlowTimes, NotModelled, SimulatedMachine};
use orrery::measure::{Campaign, CampaignEnd, CommDesign, Precision};
use orrery::model::{FitOptions, FitOutcome, ModelKind, SharedPorts, fit};
use orrery::numeric::Estimate;
use orrery::platform::{PerPair, Placement, Processor};
use orrery::sample::{MeasuredSet, Provenance, Samples};
use orrery::schedule::{Program, Reading, Reducer};
use orrery::units::{Bytes, Seconds};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const SIZE: Bytes = Bytes::new(128 << 10);

/// Exchanges of a machine whose ports and shared links are known.
#[derive(Debug)]
struct Flows(SharedPorts);

impl FlowTimes for Flows {
    fn time(&self, program: &Program, placement: &Placement, reading: Reading) -> Option<Result<Seconds, NotModelled>> {
        let (Program::Exchanges(_), Reducer::At(rank)) = (program, reading.reducer) else { return None };
        Some(Ok(self.0.ends(program, placement, false).unwrap()[rank.index()]))
    }
}

/// A cluster with these groups, each with an uplink as fast as this number of its ports.
fn cluster(processors: usize, groups: &[(Vec<u32>, f64)], seed: u64) -> Ports {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut spread = |low: f64, high: f64| Estimate::exact(low * (high / low).powf(rng.random_range(0.0..1.0)));
    let port_byte_delay: Vec<Estimate> = (0..processors).map(|_| spread(8e-9, 12e-9)).collect();
    let uplink = |(members, ports): &(Vec<u32>, f64)| {
        let mean = members.iter().map(|&one| port_byte_delay[one as usize].value).sum::<f64>() / members.len() as f64;
        Estimate::exact(mean / ports)
    };
    let members = groups.iter().map(|(members, _)| members.iter().map(|&one| Processor(one)).collect()).collect();
    let uplinks = Uplinks::new(members, groups.iter().map(uplink).collect()).unwrap();
    Ports {
        fixed_delay: (0..processors).map(|_| spread(6e-6, 20e-6)).collect(),
        byte_delay: (0..processors).map(|_| spread(0.1e-9, 0.5e-9)).collect(),
        port_byte_delay,
        link_latency: PerPair::from_fn(processors, |_, _| spread(20e-6, 30e-6)),
        flow_byte_delay: PerPair::from_fn(processors, |_, _| Estimate::exact(0.0)),
        size_law: SizeLaw::default(),
        uplinks,
    }
}

/// The samples of a campaign on a cluster, and the model that is fitted to them.
fn measured(truth: &Ports, noise: f64, seed: u64) -> (Samples, FitOutcome) {
    let machine = SimulatedMachine::new(truth.network(), noise, seed);
    let mut machine = machine.with_flows(Box::new(Flows(SharedPorts::new(truth))));
    let mut samples = Samples::new(Provenance::new());
    let precision = Precision { min_reps: if noise > 0.0 { 5 } else { 1 }, ..Precision::default() };
    let mut campaign = Campaign::new(&mut machine, &mut samples).precision(precision).seed(seed);
    let design = CommDesign { shared_links: Some(SIZE), ..CommDesign::new(Bytes::new(32 << 10)) };
    assert_eq!(campaign.measure(&design).unwrap(), CampaignEnd::Complete);
    let options = FitOptions { kinds: Some(vec![ModelKind::Ports]), ..FitOptions::default() };
    let outcome = fit(&samples, &options).unwrap();
    (samples, outcome)
}

/// Random groups of random processors: two or three switches, one of which may have two below it.
fn random_groups(processors: usize, rng: &mut ChaCha8Rng) -> Vec<(Vec<u32>, f64)> {
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
        let without = times(&Ports { uplinks: truth.uplinks.clone().with_byte_delay(delays), ..truth.clone() });
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
                    (normal(&ports.uplinks.groups()[group], processors), ports.uplinks.byte_delay()[group].value)
                })
                .collect();
            found.sort_by(|a, b| a.0.cmp(&b.0));
            found
        };
        let expected = of(&truth, &saturated(&truth, &samples));
        let all = |ports: &Ports| of(ports, &(0..ports.uplinks.groups().len()).collect::<Vec<_>>());
        let (found, true_links) = (all(&model), all(&truth));
        for (group, _) in &expected {
            assert!(found.iter().any(|link| link.0 == *group), "{seed}: {group:?} is missing in {found:?}");
        }
        for (group, delay) in &found {
            let true_link = true_links.iter().find(|link| link.0 == *group);
            let (_, true_delay) =
                true_link.unwrap_or_else(|| panic!("{seed}: {group:?} shares no link: {true_links:?}"));
            // A link that no set saturates is not found, but has a small part in the shares of others.
            let tolerance = if found.len() == true_links.len() { 1e-6 } else { 0.03 };
            assert!((delay - true_delay).abs() <= tolerance * true_delay, "{seed}: {group:?}, {delay}, {true_delay}");
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
