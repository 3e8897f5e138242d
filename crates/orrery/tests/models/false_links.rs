//! Clusters without shared links: what ports, hosts, launches and noise explain is no link.

use orrery::machine::{Conditions, FlowTimes, NotModelled};
use orrery::measure::CommDesign;
use orrery::sample::file;
use orrery::schedule::Reading;

use crate::equal_ports::equal_ports;
use crate::flows::Flows;
use crate::prelude::*;
use crate::public_data::public_data;
use crate::shared_links::fitted;
use crate::skip::skip;
use crate::variants::few_or_all;

/// The processors on which a reading depends: of a set of exchanges, those of the pair that is
/// read, which are first.
pub fn read_processors(processors: &[Processor]) -> &[Processor] {
    if processors.len() == 3 { processors } else { &processors[..processors.len().min(2)] }
}

/// The factor of the times of each host in one launch.
#[derive(Debug)]
struct OfLaunch(Vec<f64>);

impl Conditions for OfLaunch {
    fn factor(&self, _: Seconds, processors: &[Processor]) -> f64 {
        read_processors(processors).iter().map(|one| self.0[one.index()]).fold(0.0, f64::max)
    }
}

/// Exchanges at the same time are slower than by themselves, although no link is shared: busy hosts
/// need longer for their messages, and protocols slow each pair of each set by another factor.
#[derive(Debug)]
struct BusyFlows {
    flows: Flows,
    hosts: Vec<f64>,
    /// The standard deviation of the logarithm of the factor of a pair, of which the amount counts.
    pairs: f64,
}

impl FlowTimes for BusyFlows {
    fn time(
        &self,
        program: &Program,
        placement: &Placement,
        reading: Reading,
    ) -> Option<Result<Seconds, NotModelled>> {
        let time = self.flows.time(program, placement, reading)?;
        let processors = placement.processors();
        if processors.len() < 4 {
            return Some(time);
        }
        let seed =
            processors.iter().fold(7, |sum: u64, one| sum * 31 % 1_000_003 + u64::from(one.0));
        let z: f64 = ChaCha8Rng::seed_from_u64(seed).sample(StandardNormal);
        let host = self.hosts[processors[0].index()].max(self.hosts[processors[1].index()]);
        Some(time.map(|time| time * host * (self.pairs * z.abs()).exp()))
    }
}

/// A cluster of 5 to 24 hosts whose ports differ up to fourfold, one of them half as fast as it
/// would be; no links.
fn cluster(rng: &mut ChaCha8Rng) -> Ports {
    let n = rng.random_range(5..25);
    let spread = rng.random_range(1.0_f64..4.0);
    let slow = rng.random_range(0..n);
    let mut between = |low: f64, ratio: f64| -> Vec<Estimate> {
        let of = |one: usize| if one == slow { 2.0 } else { 1.0 };
        (0..n)
            .map(|one| low * ratio.powf(rng.random_range(0.0..1.0)) * of(one))
            .map(Estimate::exact)
            .collect()
    };
    let (fixed_delay, byte_delay) = (between(6e-6, 3.0), between(0.1e-9, 5.0));
    let port_byte_delay = between(8e-9, spread);
    Ports {
        fixed_delay,
        byte_delay,
        port_byte_delay,
        link_latency: PerPair::from_fn(n, |_, _| Estimate::exact(rng.random_range(20e-6..30e-6))),
        ..equal_ports(n, [Estimate::exact(0.0); 5])
    }
}

/// Campaigns of one to three launches on a cluster, in each of which hosts are up to 20 % slower,
/// and a third of them up to 30 % slower if others are busy, too.
fn campaigns(truth: &Ports, rng: &mut ChaCha8Rng) -> Samples {
    let noise = rng.random_range(0.01..0.1);
    let mut samples = Samples::new(Provenance::new());
    let busy: Vec<f64> = (0..truth.processors())
        .map(|_| if rng.random_range(0..3) == 0 { rng.random_range(1.0..1.3) } else { 1.0 })
        .collect();
    let pairs = rng.random_range(0.0..0.1);
    for launch in 0..rng.random_range(1..4) {
        let factors = (0..truth.processors()).map(|_| rng.random_range(1.0..1.2)).collect();
        let machine =
            SimulatedMachine::new(truth.network(), noise, rng.random()).with_flows(Box::new(
                BusyFlows { flows: Flows(SharedPorts::new(truth)), hosts: busy.clone(), pairs },
            ));
        let mut machine = machine.with_conditions(Box::new(OfLaunch(factors)));
        let precision = Precision { min_reps: 5, ..Precision::default() };
        let mut campaign =
            Campaign::new(&mut machine, &mut samples).precision(precision).launch(launch);
        let design = CommDesign { shared_links: true, ..CommDesign::new(Bytes::new(32 << 10)) };
        assert_eq!(campaign.measure(&design).unwrap(), CampaignEnd::Complete);
    }
    samples
}

/// At most one in twenty clusters has a link that does not exist.
#[test]
fn clusters_without_links_have_none() {
    let clusters = few_or_all(10, 200);
    let mut wrong = Vec::new();
    for seed in 0..clusters {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let truth = cluster(&mut rng);
        let found = fitted(&campaigns(&truth, &mut rng)).shared_links.unwrap();
        if !found.links.is_empty() {
            wrong.push((seed, found.links));
        }
    }
    assert!(20 * wrong.len() as u64 <= clusters, "{wrong:?}");
}

/// Clusters whose truth is of no model's kind, in the folder `truths` of public data: files, and
/// the processors of each group that shares a link.
#[test]
fn uplinks_of_other_simulators_are_found_and_no_others() {
    let Some(folder) = public_data().map(|folder| folder.join("truths")) else { return };
    if !folder.is_dir() {
        return skip("the public data have no folder truths");
    }
    let clusters: [(&str, &[&str], usize, usize); 4] = [
        ("leaf24", &["comm", "over"], 4, 6),
        ("ppn4", &["comm", "over"], 6, 4),
        ("tree32", &["comm", "over"], 4, 8),
        // Two halves have one link.
        ("bb16", &["comm"], 1, 8),
    ];
    for (name, parts, groups, size) in clusters {
        let mut samples = Samples::new(Provenance::new());
        for part in parts {
            let path = folder.join(format!("{name}.{part}.csv.zst"));
            let read = file::read(path).unwrap().samples;
            if samples.count() == 0 {
                samples = read;
            } else {
                samples.extend(&read);
            }
        }
        let expected: Vec<Vec<Processor>> = (0..groups)
            .map(|group| {
                (group * size..(group + 1) * size).map(|one| Processor(one as u32)).collect()
            })
            .collect();
        let links = fitted(&samples).shared_links.unwrap().links;
        let mut found: Vec<Vec<Processor>> = links.iter().map(|link| link.group.clone()).collect();
        found.sort();
        assert_eq!(found, expected, "{name}");
        assert!(links.iter().all(|link| link.p_value < 1e-6), "{name}: {links:?}");
    }
}
