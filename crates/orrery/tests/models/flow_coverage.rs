//! Intervals cover the truth on clusters whose ports and shared links are known: those of
//! parameters, and those of predictions of unseen collective operations, which the model with the
//! true parameters predicts.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::coverage_count::Coverage;
use crate::prelude::*;
use crate::shared_links::{campaign, cluster, fitted, random_groups};
use crate::support::{BLOCKING, collective};
use crate::variants::few_or_all;

/// The spread of readings.
const NOISE: f64 = 0.05;

/// The intervals of each name.
#[derive(Debug, Default)]
struct Tally(BTreeMap<String, Coverage>);

impl Tally {
    fn of(&mut self, name: &str) -> &mut Coverage {
        self.0.entry(name.to_owned()).or_default()
    }

    /// The intervals whose name begins like this.
    fn sum(&self, prefix: &str) -> Coverage {
        let chosen = self.0.iter().filter(|(name, _)| name.starts_with(prefix));
        chosen.fold(Coverage::default(), |sum, (_, one)| Coverage {
            all: sum.all + one.all,
            inside: sum.inside + one.inside,
        })
    }

    /// Prints the coverage of each name, which the long study is read from.
    fn print(&self) {
        for (name, coverage) in &self.0 {
            println!("{name:45} {:7} {:6.1} %", coverage.all, 100.0 * coverage.part());
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
                tally.of(&format!("parameter {name}")).estimate(estimate, truth.value);
            }
        }
        for (estimate, truth) in
            model.link_latency.values().iter().zip(self.truth.link_latency.values())
        {
            tally.of("parameter link_latency").estimate(estimate, truth.value);
        }
        let truths = links(&self.truth);
        for (group, estimate) in links(&model) {
            match truths.get(&group) {
                Some(truth) => tally.of("parameter shared link").estimate(&estimate, truth.value),
                None => tally.of("group").add(1.0, 1.0, 0.0),
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
            (
                kind,
                Predictor::new(model, kind).unwrap().of_known_kind(),
                Predictor::new(&truth, kind).unwrap(),
            )
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
                        let experiment = collective(kind, algorithm, root, processors, size);
                        let query = Query::Experiment(experiment);
                        for (model, predictor, truth) in &mut predictors {
                            let truth = truth.expected_time(&query).unwrap();
                            let prediction = predictor.predict(&query).unwrap();
                            let name = format!("{found}{model}: {kind} {algorithm} {size}");
                            if let Some((low, high)) = prediction.interval {
                                tally.of(&name).add(low.get(), high.get(), truth.get());
                            }
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
        let coverage = tally.sum(prefix);
        let (part, all) = (coverage.part(), coverage.all);
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
        let coverage = tally.sum(prefix);
        let (part, all) = (coverage.part(), coverage.all);
        println!("{prefix:45} {all:7} {:6.1} %", 100.0 * part);
    }
    for prefix in ["parameter shared", "parameter", "ports:", "ports-flows:"] {
        let coverage = tally.sum(prefix);
        let (part, all) = (coverage.part(), coverage.all);
        assert!((0.92..=0.98).contains(&part), "{prefix}: {part} of {all}");
    }
}
