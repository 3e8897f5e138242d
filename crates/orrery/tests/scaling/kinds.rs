//! One model for several kinds of elements, fitted to runs on single kinds: its forecasts and
//! choices of mixed configurations.

use std::collections::BTreeMap;

use orrery::scaling::RankedConfiguration;

use crate::prelude::*;
use crate::two_kinds::{KINDS, Truth, cluster, fixed, truth};

/// A model fitted to runs on single kinds, with 1 % noise.
fn fitted(seed: u64) -> TermModel {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let plan = RunPlan::nl(&"athlon=1x6,pentium-ii=8x6".parse().unwrap());
    let runs: Vec<Run> = plan
        .runs
        .iter()
        .map(|planned| {
            let noise: f64 = StandardNormal.sample(&mut rng);
            let point = planned.point();
            let mut run = Run::new(Seconds::new(truth(&point) * (1.0 + 0.01 * noise)));
            (run.variables, run.configuration) = (point.variables, point.configuration);
            run
        })
        .collect();
    fit_terms(&runs, TermOptions::default()).unwrap().model
}

fn true_time(n: f64, configuration: &Configuration) -> f64 {
    let configuration = configuration.clone();
    truth(&Point { variables: fixed(n), configuration, ..Point::default() })
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
                (true_time(n, &chosen.candidate.configuration), chosen.candidate.time.get());
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
    let best = true_time(9600.0, &choices[0].candidate.configuration);
    let wrong = choices[1..].iter().filter(|c| c.significantly_worse == Some(true));
    let wrong = wrong.filter(|c| true_time(9600.0, &c.candidate.configuration) < best).count();
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
