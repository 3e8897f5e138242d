//! Intervals cover the truth on clusters whose ports and shared links are known: those of
//! parameters, and those of predictions of unseen collective operations, which the model with the
//! true parameters predicts.

use std::collections::BTreeMap;
use std::ops::Range;

use orrery::comm::Ports;
use orrery::model::{FitOutcome, Model, ModelKind, Predictor, Query};
use orrery::numeric::Estimate;
use orrery::platform::Processor;
use orrery::sample::Experiment;
use orrery::units::Bytes;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::shared_links::{campaign, cluster, fitted, random_groups};
use crate::support::BLOCKING;
use crate::variants::few_or_all;

/// The spread of readings.
const NOISE: f64 = 0.05;

/// The number of intervals of each name, and of those that contain the truth.
#[derive(Debug, Default)]
struct Tally(BTreeMap<String, (usize, usize)>);

impl Tally {
    /// Counts an interval; a parameter without one does not count.
    fn count(&mut self, name: &str, interval: Option<(f64, f64)>, truth: f64) {
        let Some((low, high)) = interval else { return };
        let (all, inside) = self.0.entry(name.to_owned()).or_default();
        *all += 1;
        *inside += usize::from(low <= truth && truth <= high);
    }

    fn estimate(&mut self, name: &str, estimate: &Estimate, truth: f64) {
        self.count(name, estimate.interval.map(|interval| (interval.low, interval.high)), truth);
    }

    /// The part of intervals whose name begins like this that contain the truth, and their number.
    fn part(&self, prefix: &str) -> (f64, usize) {
        let chosen =
            self.0.iter().filter(|(name, _)| name.starts_with(prefix)).map(|(_, count)| count);
        let (all, inside) = chosen.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        (inside as f64 / all.max(1) as f64, all)
    }

    /// Prints the coverage of each name, which the long study is read from.
    fn print(&self) {
        for (name, (all, inside)) in &self.0 {
            println!("{name:45} {all:7} {:6.1} %", 100.0 * *inside as f64 / *all as f64);
        }
    }
}

/// The delays of shared links by group, or by the other processors if these come first.
fn links(ports: &Ports) -> BTreeMap<Vec<Processor>, Estimate> {
    let normal = |group: &Vec<Processor>| {
        let all = Processor::first(ports.processors());
        let others: Vec<Processor> = all.filter(|one| !group.contains(one)).collect();
        others.min(group.clone())
    };
    ports
        .uplinks
        .groups()
        .iter()
        .map(normal)
        .zip(ports.uplinks.byte_delay().iter().copied())
        .collect()
}

/// A cluster, the campaign on it and the fit.
struct Case {
    truth: Ports,
    outcome: FitOutcome,
    rng: ChaCha8Rng,
}

impl Case {
    fn new(processors: usize, seed: u64, half_duplex: &[usize]) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let groups = random_groups(processors, &mut rng);
        let mut truth = cluster(processors, &groups, seed);
        if !half_duplex.is_empty() {
            truth.both_ports_byte_delay = vec![Estimate::exact(0.0); processors];
            half_duplex
                .iter()
                .for_each(|&one| truth.both_ports_byte_delay[one] = truth.port_byte_delay[one]);
        }
        let outcome = fitted(&campaign(&truth, NOISE, seed));
        Self { truth, outcome, rng }
    }

    /// Counts the intervals of the parameters.
    fn parameters(&self, tally: &mut Tally) {
        let model: Ports = self.outcome.model.get(ModelKind::Ports).unwrap();
        let of_processors = [
            ("fixed_delay", &model.fixed_delay, &self.truth.fixed_delay),
            ("byte_delay", &model.byte_delay, &self.truth.byte_delay),
            ("port_byte_delay", &model.port_byte_delay, &self.truth.port_byte_delay),
            (
                "both_ports_byte_delay",
                &model.both_ports_byte_delay,
                &self.truth.both_ports_byte_delay,
            ),
        ];
        for (name, estimates, truths) in of_processors {
            for (estimate, truth) in estimates.iter().zip(truths) {
                tally.estimate(&format!("parameter {name}"), estimate, truth.value);
            }
        }
        for (estimate, truth) in
            model.link_latency.values().iter().zip(self.truth.link_latency.values())
        {
            tally.estimate("parameter link_latency", estimate, truth.value);
        }
        let truths = links(&self.truth);
        for (group, estimate) in links(&model) {
            match truths.get(&group) {
                Some(truth) => tally.estimate("parameter shared link", &estimate, truth.value),
                None => tally.count("group", Some((1.0, 1.0)), 0.0),
            }
        }
    }

    /// Returns true if all shared links were found and no others: the others bound no measured
    /// message.
    fn has_all_links(&self) -> bool {
        let model: Ports = self.outcome.model.get(ModelKind::Ports).unwrap();
        links(&self.truth).into_keys().eq(links(&model).into_keys())
    }

    /// Counts the intervals of predictions of collective operations of this number of random roots.
    fn predictions(&mut self, roots: usize, sizes: &[u64], tally: &mut Tally) {
        let processors = self.truth.processors();
        let found = if self.has_all_links() { "" } else { "links missing, " };
        let model: &Model = &self.outcome.model;
        let truth = Model { hosts: model.hosts.clone(), ..Model::default() }
            .with(ModelKind::Ports, &self.truth);
        let mut predictors = [ModelKind::Ports, ModelKind::PortsFlows].map(|kind| {
            (kind, Predictor::new(model, kind).unwrap(), Predictor::new(&truth, kind).unwrap())
        });
        for (kind, algorithms) in BLOCKING {
            for &algorithm in algorithms {
                for _ in 0..if kind.has_root() { roots } else { 1 } {
                    let root = if kind.has_root() {
                        self.rng.random_range(0..processors as u32)
                    } else {
                        0
                    };
                    for &size in sizes {
                        let (root, size) = (Processor(root), Bytes::new(size));
                        let experiment = Experiment::Collective {
                            kind,
                            algorithm,
                            root,
                            procs: processors,
                            size,
                        };
                        let query = Query::Experiment(experiment);
                        for (model, predictor, truth) in &mut predictors {
                            let truth = truth.expected_time(&query).unwrap();
                            let prediction = predictor.predict(&query).unwrap();
                            let interval =
                                prediction.interval.map(|(low, high)| (low.get(), high.get()));
                            tally.count(
                                &format!("{found}{model}: {kind} {algorithm} {size}"),
                                interval,
                                truth.get(),
                            );
                        }
                    }
                }
            }
        }
    }
}

/// The coverage on the clusters of these seeds.
fn study(
    seeds: Range<u64>,
    processors: &[usize],
    roots: usize,
    sizes: &[u64],
    half_duplex: &[usize],
) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let mut case = Case::new(processors[seed as usize % processors.len()], seed, half_duplex);
        case.parameters(&mut tally);
        case.predictions(roots, sizes, &mut tally);
    }
    tally
}

/// The first clusters of the study.
#[test]
fn intervals_of_small_clusters_cover() {
    let tally = study(0..few_or_all(22, 40), &[6, 8], 1, &[1000, 100_000], &[]);
    tally.print();
    for (prefix, least) in [("parameter", 500), ("ports:", 200), ("ports-flows:", 200)] {
        let (part, all) = tally.part(prefix);
        assert!((0.92..=0.98).contains(&part) && all > least, "{prefix}: {part} of {all}");
    }
}

/// The study, from which the tables in the documents come.
#[test]
#[ignore = "minutes with optimisation"]
fn intervals_cover() {
    let (sizes, seeds) = (
        [1000, 8000, 32_000, 100_000],
        std::env::var("SEEDS").ok().and_then(|text| text.parse().ok()),
    );
    let tally = study(0..seeds.unwrap_or(160), &[6, 8, 9, 12, 16, 20, 24, 32], 3, &sizes, &[]);
    tally.print();
    for prefix in [
        "parameter shared",
        "parameter port",
        "parameter",
        "ports:",
        "ports-flows:",
        "links missing, ports:",
        "links missing, ports-flows:",
    ] {
        let (part, all) = tally.part(prefix);
        println!("{prefix:45} {all:7} {:6.1} %", 100.0 * part);
    }
    for prefix in ["parameter shared", "parameter", "ports:", "ports-flows:"] {
        let (part, all) = tally.part(prefix);
        assert!((0.92..=0.98).contains(&part), "{prefix}: {part} of {all}");
    }
}
