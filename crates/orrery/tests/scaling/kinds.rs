//! One model for several kinds of elements, fitted to runs on single kinds: its forecasts and
//! choices of mixed configurations.

use std::collections::BTreeMap;

use orrery::platform::{Cluster, HostGroup};
use orrery::run::{Configuration, Run, Share};
use orrery::scaling::search::Search;
use orrery::scaling::{
    ElementTime, Layout, Point, RankedConfiguration, RunPlan, TermModel, TermOptions, TermTimes,
    fit_terms,
};
use orrery::units::Seconds;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

const KINDS: [&str; 2] = ["athlon", "pentium-ii"];

/// The true time of an element with m of P processes on a cluster like that of Kishimoto and
/// Ichikawa. Some effects are not exactly representable by the terms of the model.
fn element(kind: usize, n: f64, m: f64, processes: f64) -> f64 {
    let speed = [3.7e-10, 1.53e-9][kind];
    let computation = m * speed * n.powi(3) / processes + (m - 1.0) * 8e-9 * n * n;
    let between = if processes > m { 1.2e-7 * n * n + 2e-3 * n * processes.log2() } else { 0.0 };
    computation + between + 5e-8 * n * n * m / processes
}

fn truth(n: f64, configuration: &Configuration) -> f64 {
    let processes = configuration.processes() as f64;
    let time = |share: &Share| {
        let kind = KINDS.iter().position(|kind| *kind == share.kind).unwrap();
        element(kind, n, share.processes.into(), processes)
    };
    configuration.shares.iter().map(time).fold(0.0, f64::max)
}

/// The true element times for a search.
struct Truth(f64);

impl ElementTime for Truth {
    fn seconds(&self, kind: usize, processes: u32, layout: Layout) -> Option<f64> {
        Some(element(kind, self.0, processes.into(), layout.processes.into()))
    }
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
    Cluster::new(vec![hosts(&["a"], KINDS[0], 1), hosts(&["b", "c", "d", "e"], KINDS[1], 2)])
        .unwrap()
}

/// A model fitted to runs on single kinds, with 1 % noise.
fn fitted(seed: u64) -> TermModel {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let plan = RunPlan::nl(&"athlon=1x6,pentium-ii=8x6".parse().unwrap());
    let runs: Vec<Run> = plan
        .runs
        .iter()
        .map(|planned| {
            let noise: f64 = StandardNormal.sample(&mut rng);
            let mut run = Run::new(Seconds::new(
                truth(planned.size, &planned.configuration) * (1.0 + 0.01 * noise),
            ));
            run.variables.insert("n".to_owned(), planned.size);
            run.configuration = planned.configuration.clone();
            run
        })
        .collect();
    fit_terms(&runs, TermOptions::default()).unwrap().model
}

fn fixed(n: f64) -> BTreeMap<String, f64> {
    BTreeMap::from([("n".to_owned(), n)])
}

#[test]
fn chosen_mixed_configurations_are_within_one_percent_of_the_best() {
    let cluster = cluster();
    for seed in 0..5 {
        let model = fitted(seed);
        for n in [3200.0, 4800.0, 6400.0, 8000.0, 9600.0] {
            let times = TermTimes::new(&model, &KINDS, &fixed(n)).unwrap();
            let chosen = Search::new(cluster.kinds(), &times).best().unwrap();
            let best = Search::new(cluster.kinds(), &Truth(n)).best().unwrap();
            let (loss, own) =
                (truth(n, &chosen.candidate.configuration), chosen.candidate.time.get());
            assert!(chosen.proof.is_optimal());
            assert!(
                loss <= 1.01 * best.candidate.time.get(),
                "n = {n}: {} {loss}",
                chosen.candidate.configuration
            );
            assert!((own / loss - 1.0).abs() < 0.03, "n = {n}: {own} for {loss}");
        }
    }
}

#[test]
fn search_times_equal_forecasts() {
    let (cluster, model) = (cluster(), fitted(7));
    let times = TermTimes::new(&model, &KINDS, &fixed(6400.0)).unwrap();
    let search = Search::new(cluster.kinds(), &times);
    for candidate in search.exhaustive(342).unwrap() {
        let point =
            Point::of_configuration(&candidate.configuration, candidate.layout, &fixed(6400.0));
        let forecast = model.forecast(&point, 0.95).unwrap();
        assert!(
            (forecast.seconds.get() / candidate.time.get() - 1.0).abs() < 1e-12,
            "{}",
            candidate.configuration
        );
    }
}

#[test]
fn significantly_worse_configurations_are_slower() {
    let (cluster, model) = (cluster(), fitted(1));
    let times = TermTimes::new(&model, &KINDS, &fixed(9600.0)).unwrap();
    let ranking = Search::new(cluster.kinds(), &times).ranking(342).unwrap();
    let choices = RankedConfiguration::from_ranking(
        &model.clone().into(),
        &[],
        &ranking,
        &fixed(9600.0),
        0.95,
    )
    .unwrap();
    assert_eq!((choices.len(), choices[0].significantly_worse), (342, None));
    let far = choices.last().unwrap();
    assert_eq!(far.significantly_worse, Some(true), "{}", far.candidate.configuration);
    // Every significantly worse configuration is slower in truth.
    let best = truth(9600.0, &choices[0].candidate.configuration);
    let wrong = choices[1..].iter().filter(|c| c.significantly_worse == Some(true));
    let wrong = wrong.filter(|c| truth(9600.0, &c.candidate.configuration) < best).count();
    assert_eq!(wrong, 0);
}

#[test]
fn unmeasured_kinds_are_rejected() {
    let model = fitted(2);
    let error = TermTimes::new(&model, &["xeon"], &fixed(100.0)).unwrap_err().to_string();
    assert_eq!(error, "the model has no kind \"xeon\"; its kinds are athlon, pentium-ii");
    let error = TermTimes::new(&model, &KINDS, &BTreeMap::new()).unwrap_err().to_string();
    assert!(error.starts_with("the model requires the problem size n"), "{error}");
}
