//! Advice on a cluster like that of Kishimoto and Ichikawa, whose times are known: decisions are found, and found cheaply.

use std::collections::BTreeMap;

use orrery::platform::{Cluster, HostGroup};
use orrery::run::{Run, Share};
use orrery::scaling::advise::{AdviceError, AdviceOptions, Advisor, DecisionStatus, SearchSpace, StopReason};
use orrery::scaling::search::{Grids, Search};
use orrery::scaling::{ElementTime, Layout, PlannedRun, Point, RunPlan, TermModel, TermOptions, fit_terms};
use orrery::units::Seconds;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

const KINDS: [&str; 2] = ["athlon", "pentium-ii"];

/// The time in seconds of an element of a kind with m of so many processes.
fn element(kind: usize, n: f64, m: f64, processes: f64) -> f64 {
    let speed = [3.7e-10, 1.53e-9][kind];
    let computation = m * speed * n.powi(3) / processes + (m - 1.0) * 8e-9 * n * n;
    let between = if processes > m { 1.2e-7 * n * n + 2e-3 * n * processes.log2() } else { 0.0 };
    computation + between + 5e-8 * n * n * m / processes
}

fn truth(point: &Point) -> f64 {
    let (n, processes) = (point.variables["n"], point.configuration.processes() as f64);
    let time = |share: &Share| {
        let kind = KINDS.iter().position(|kind| *kind == share.kind).unwrap();
        element(kind, n, share.processes.into(), processes)
    };
    point.configuration.shares.iter().map(time).fold(0.0, f64::max)
}

/// The law as a search sees it.
struct Truth(f64);

impl ElementTime for Truth {
    fn seconds(&self, kind: usize, processes: u32, layout: Layout) -> Option<f64> {
        Some(element(kind, self.0, processes.into(), layout.processes.into()))
    }
}

fn best(cluster: &Cluster, n: f64) -> f64 {
    Search::new(cluster.kinds(), &Truth(n)).best().unwrap().candidate.time.get()
}

fn cluster() -> Cluster {
    let hosts = |names: &[&str], kind: &str, cores| HostGroup {
        names: names.iter().map(|&name| name.to_owned()).collect(),
        kind: kind.to_owned(),
        cores,
        processes: 6,
        memory: None,
        price: None,
    };
    Cluster::new(vec![hosts(&["a"], KINDS[0], 1), hosts(&["b", "c", "d", "e"], KINDS[1], 2)]).unwrap()
}

fn field(cluster: &Cluster) -> SearchSpace<'_> {
    SearchSpace {
        kinds: cluster.kinds(),
        grids: Grids::None,
        blocks: Vec::new(),
        memory_overhead: None,
        fixed: BTreeMap::new(),
    }
}

/// Makes runs in virtual time, and adds up what they cost.
struct Laboratory {
    noise: Option<(f64, ChaCha8Rng)>,
    runs: Vec<Run>,
    cost: f64,
}

impl Laboratory {
    fn new(noise: f64, seed: u64) -> Self {
        let noise = (noise > 0.0).then(|| (noise, ChaCha8Rng::seed_from_u64(seed)));
        Self { noise, runs: Vec::new(), cost: 0.0 }
    }

    fn run(&mut self, point: &Point) {
        let factor = self.noise.as_mut().map_or(1.0, |(deviation, rng)| {
            let normal: f64 = StandardNormal.sample(rng);
            1.0 + *deviation * normal
        });
        let mut run = Run::new(Seconds::new(truth(point) * factor));
        run.variables = point.variables.clone();
        run.configuration = point.configuration.clone();
        self.cost += run.seconds.get();
        self.runs.push(run);
    }

    fn plan(&mut self, plan: &RunPlan) {
        plan.runs.iter().map(PlannedRun::point).for_each(|point| self.run(&point));
    }

    fn model(&self) -> TermModel {
        fit_terms(&self.runs, TermOptions::default()).unwrap().model
    }
}

/// A few cheap runs to begin with: each kind by itself, small.
fn pilot() -> RunPlan {
    RunPlan::homogeneous(&"athlon=1x2,pentium-ii=8x2".parse().unwrap(), &[400.0, 800.0, 1600.0], |most| {
        if most > 1 { vec![1, 4, most] } else { vec![1] }
    })
}

fn ask<'a>(laboratory: &Laboratory, model: &'a TermModel, cluster: &Cluster, size: f64) -> Advisor<'a> {
    Advisor::new(model, &laboratory.runs, &field(cluster), &[size], &[], AdviceOptions::default()).unwrap()
}

/// Asks, makes the run that is advised first, fits, and asks again, until the decision is certain or so many runs are made.
fn decide(laboratory: &mut Laboratory, cluster: &Cluster, size: f64, most: usize) -> (DecisionStatus, bool) {
    let mut left = most;
    loop {
        let model = laboratory.model();
        let advisor = ask(laboratory, &model, cluster, size);
        let advice = advisor.advise_up_to(Seconds::new(1e6), 1);
        let certain = advisor.is_certain(&advice.decisions);
        if certain || left == 0 || advice.runs.is_empty() {
            return (advice.decisions.into_iter().next().unwrap(), certain);
        }
        laboratory.run(&advice.runs[0].point);
        left -= 1;
    }
}

/// What the plan NL costs.
fn nl() -> f64 {
    let mut laboratory = Laboratory::new(0.0, 0);
    laboratory.plan(&RunPlan::nl(&"athlon=1x6,pentium-ii=8x6".parse().unwrap()));
    laboratory.cost
}

#[test]
fn without_noise_the_best_is_found() {
    let cluster = cluster();
    for size in [3200.0, 4800.0, 6400.0, 8000.0, 9600.0] {
        let mut laboratory = Laboratory::new(0.0, 0);
        laboratory.plan(&pilot());
        let (standing, certain) = decide(&mut laboratory, &cluster, size, 10);
        assert!(certain, "n = {size}: {standing:?}");
        let loss = truth(&standing.choice) / best(&cluster, size) - 1.0;
        assert!(loss.abs() < 1e-12, "n = {size}: {} {loss}", standing.choice.configuration);
        assert!(laboratory.cost < nl(), "n = {size}: {} s", laboratory.cost);
    }
}

#[test]
fn with_noise_what_is_certain_is_good_and_cheap() {
    let cluster = cluster();
    for (size, noise) in [(6400.0, 0.01), (8000.0, 0.01), (8000.0, 0.03)] {
        for seed in 0..4 {
            let mut laboratory = Laboratory::new(noise, seed);
            laboratory.plan(&pilot());
            let (standing, certain) = decide(&mut laboratory, &cluster, size, 12);
            let loss = truth(&standing.choice) / best(&cluster, size) - 1.0;
            let told = format!("n = {size}, noise {noise}, seed {seed}: {} {loss}", standing.choice.configuration);
            assert!(certain || noise > 0.02, "{told}: not certain");
            assert!(!certain || loss <= 0.01, "{told}: certain, but wrong");
            assert!(laboratory.cost < nl(), "{told}: {} s", laboratory.cost);
        }
    }
}

/// Three per cent of noise: nothing is certain after the pilot.
fn noisy() -> Laboratory {
    let mut laboratory = Laboratory::new(0.03, 1);
    laboratory.plan(&pilot());
    laboratory
}

#[test]
fn advice_keeps_to_the_budget_and_says_what_it_is_worth() {
    let (cluster, laboratory) = (cluster(), noisy());
    let model = laboratory.model();
    let advisor = ask(&laboratory, &model, &cluster, 6400.0);
    let advice = advisor.advise_up_to(Seconds::new(400.0), 25);
    assert_eq!(advice, advisor.advise_up_to(Seconds::new(400.0), 25), "the same query has the same answer");
    let now = &advice.decisions[0];
    assert!(now.probability < 0.95 && now.expected_loss > 0.0, "{now:?}");
    let mut spent = 0.0;
    for run in &advice.runs {
        spent += run.seconds.get();
        assert!((run.cost.get() - spent).abs() < 1e-9, "costs add up");
    }
    let last = advice.runs.last().unwrap();
    assert!(last.cost.get() <= 400.0);
    assert!(last.expected_loss < now.expected_loss, "{} after {}", last.expected_loss, now.expected_loss);
    assert!(last.probability > now.probability, "{} after {}", last.probability, now.probability);
    assert_eq!(advice.stop_reason == StopReason::Certain, last.probability >= 0.95);

    let none = advisor.advise(Seconds::new(1e-3));
    assert_eq!((none.runs.len(), none.stop_reason), (0, StopReason::BudgetUsed));
}

#[test]
fn runs_that_cannot_be_made_are_not_advised() {
    let (cluster, laboratory) = (cluster(), noisy());
    let model = laboratory.model();
    let mut advisor = ask(&laboratory, &model, &cluster, 6400.0);
    let first = |advisor: &Advisor| advisor.advise_up_to(Seconds::new(400.0), 1).runs[0].point.clone();
    let failed = first(&advisor);
    advisor.exclude(std::slice::from_ref(&failed));
    assert_ne!(first(&advisor), failed);
}

#[test]
fn what_was_measured_counts_as_such() {
    let (cluster, mut laboratory) = (cluster(), noisy());
    let model = laboratory.model();
    let before = ask(&laboratory, &model, &cluster, 6400.0).decision_status()[0].clone();
    let point = before.choice.clone();
    // The same model, but the configuration was seen to take twice as long: it is not chosen any more.
    laboratory.run(&point);
    laboratory.runs.last_mut().unwrap().seconds = Seconds::new(2.0 * before.seconds.get());
    let after = ask(&laboratory, &model, &cluster, 6400.0).decision_status()[0].clone();
    assert_ne!(after.choice.configuration, point.configuration);
    // Many runs that are faster than the model says: that is what is believed of it.
    for _ in 0..50 {
        laboratory.run(&point);
        laboratory.runs.last_mut().unwrap().seconds = Seconds::new(0.8 * before.seconds.get());
    }
    let after = ask(&laboratory, &model, &cluster, 6400.0).decision_status()[0].clone();
    assert_eq!(after.choice.configuration, point.configuration);
    let ratio = after.seconds / before.seconds;
    assert!((0.8..0.85).contains(&ratio) && after.probability > before.probability, "{ratio}: {after:?}");
}

#[test]
fn sizes_of_runs_can_be_given() {
    let (cluster, laboratory) = (cluster(), noisy());
    let model = laboratory.model();
    let sizes = [1000.0, 2000.0];
    let options = AdviceOptions { repetitions: 3, ..AdviceOptions::default() };
    let advisor = Advisor::new(&model, &laboratory.runs, &field(&cluster), &[6400.0], &sizes, options).unwrap();
    let advice = advisor.advise_up_to(Seconds::new(1000.0), 5);
    assert!(!advice.runs.is_empty());
    assert!(advice.runs.iter().all(|run| sizes.contains(&run.point.variables["n"])));
    assert!((advice.runs[0].cost.get() / advice.runs[0].seconds.get() - 3.0).abs() < 1e-9, "three repetitions");
}

#[test]
fn what_cannot_be_advised_is_told() {
    let (cluster, laboratory) = (cluster(), noisy());
    let model = laboratory.model();
    let refused = |model: &TermModel, cluster: &Cluster, sizes: &[f64]| {
        let options = AdviceOptions::default();
        Advisor::new(model, &[], &field(cluster), sizes, &[], options).map(|_| ()).unwrap_err()
    };
    assert_eq!(refused(&model, &cluster, &[]), AdviceError::NoSizes);
    let unsure = TermModel { uncertainty: None, ..model.clone() };
    assert!(refused(&unsure, &cluster, &[100.0]).to_string().contains("as many coefficients as points"));
    let other = Cluster::new(vec![HostGroup {
        names: vec!["x".into()],
        kind: "xeon".into(),
        cores: 1,
        processes: 1,
        memory: None,
        price: None,
    }]);
    assert!(refused(&model, &other.unwrap(), &[100.0]).to_string().contains("nothing of \"xeon\""));
    let alone = Cluster::new(vec![HostGroup {
        names: vec!["a".into()],
        kind: "athlon".into(),
        cores: 1,
        processes: 1,
        memory: None,
        price: None,
    }]);
    assert_eq!(refused(&model, &alone.unwrap(), &[100.0]), AdviceError::SingleCandidate { size: 100.0 });
}
