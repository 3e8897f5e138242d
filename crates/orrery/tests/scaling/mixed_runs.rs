//! Kinds of elements that were measured only together with others.

use orrery::run::file;
use orrery::run::import::{ImportOptions, Importer};
use orrery::scaling::BoundedKind;

use crate::prelude::*;
use crate::two_kinds::{fixed, point};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/scaling/");

fn together() -> Vec<Run> {
    let mut importer = Importer::new(ImportOptions::default());
    importer
        .add(std::fs::read_to_string(format!("{DATA}together.csv")).unwrap(), "together.csv")
        .unwrap();
    importer.finish().unwrap().runs.runs
}

fn run(configuration: &str, n: f64, seconds: f64) -> Run {
    let mut run = Run::new(Seconds::new(seconds));
    run.variables.insert("n".to_owned(), n);
    run.configuration = configuration.parse().unwrap();
    run
}

fn fitted(runs: &[Run]) -> TermModel {
    fit_terms(runs, TermOptions::default()).unwrap().model
}

#[test]
fn a_kind_that_is_never_the_slowest_is_refused() {
    let model = fitted(&together());
    assert_eq!(model.bounded_kinds, [BoundedKind { kind: "fast".to_owned(), is_faster: false }]);
    let error = TermTimes::new(&model, &["fast", "slow"], &fixed(3000.0)).unwrap_err();
    assert!(error.to_string().contains("measure it alone, as fast=1x1"), "{error}");
    assert_eq!(model.forecast(&point("fast=1x1", 3000.0), 0.95).unwrap_err(), error);
    // The identified kind can be chosen.
    assert!(TermTimes::new(&model, &["slow"], &fixed(3000.0)).is_ok());
}

#[test]
fn the_named_run_identifies_the_kind() {
    let mut runs = together();
    let alone = |n: f64| {
        runs.iter().find(|r| {
            r.configuration.to_string() == "slow=1x1" && (r.variables["n"] - n).abs() < 0.5
        })
    };
    // The fast element is five times as fast.
    let seconds = alone(2000.0).unwrap().seconds.get() / 5.0;
    runs.push(run("fast=1x1", 2000.0, seconds));
    let model = fitted(&runs);
    assert_eq!(model.bounded_kinds, []);
    let [slow, fast] = ["slow=1x1", "fast=1x1"]
        .map(|one| model.forecast(&point(one, 4000.0), 0.95).unwrap().seconds);
    let ratio = slow.get() / fast.get();
    assert!((4.5..5.5).contains(&ratio), "{ratio}");
}

/// The truth of a cluster whose fast kind nearly is the slowest with several processes per element.
fn truth(configuration: &Configuration, n: f64) -> f64 {
    let processes = configuration.processes() as f64;
    let time = |kind: &str, m: f64| {
        (if kind == "fast" { 2e-10 } else { 5e-10 }) * n.powi(3) * m / processes + 0.01
    };
    configuration
        .shares
        .iter()
        .map(|share| time(&share.kind, share.processes.into()))
        .fold(0.0, f64::max)
}

#[test]
fn a_bound_below_the_slowest_kind_is_its_cost() {
    let mut runs = Vec::new();
    for n in [1000.0, 2000.0, 4000.0] {
        for one in [
            "fast=1x1,slow=1x1",
            "fast=1x2,slow=1x1",
            "fast=1x2,slow=3x1",
            "slow=1x1",
            "slow=2x1",
            "slow=4x1",
        ] {
            let configuration: Configuration = one.parse().unwrap();
            runs.push(run(one, n, truth(&configuration, n)));
        }
    }
    let model =
        fit_terms(&runs, TermOptions { family: Some(TermFamily::Hpl), ..TermOptions::default() })
            .unwrap()
            .model;
    assert_eq!(model.bounded_kinds, [BoundedKind { kind: "fast".to_owned(), is_faster: true }]);
    // Two processes on a fast element take 4/5 of the time of one on a slow element, so that its
    // cost is at most half.
    let seconds = |one: &str| model.estimate(&point(one, 4000.0)).unwrap().seconds;
    let ratio = seconds("fast=1x1") / seconds("slow=1x1");
    assert!((0.4..0.56).contains(&ratio), "{ratio}");
    // How much faster it is decides whether slow elements should take part: choices are refused.
    let refused = TermTimes::new(&model, &["fast", "slow"], &fixed(4000.0)).unwrap_err();
    assert!(refused.to_string().contains("measure it alone, as fast=1x1"), "{refused}");
    assert!(TermTimes::new(&model, &["slow"], &fixed(4000.0)).is_ok());
    // The interval contains the true time, far below the bound.
    let forecast = model.forecast(&point("fast=1x1", 4000.0), 0.95).unwrap();
    let (low, high) = forecast.interval.unwrap();
    let true_seconds = truth(&"fast=1x1".parse().unwrap(), 4000.0);
    assert!(low.get() <= true_seconds && true_seconds <= high.get(), "{forecast:?}");
}

#[test]
fn mixed_runs_of_three_kinds_identify_their_costs() {
    let text = std::fs::read_to_string(format!("{DATA}z2.json")).unwrap();
    let runs = file::parse(&text, "z2.json").unwrap().runs;
    let model = fitted(&runs);
    assert_eq!(model.bounded_kinds, []);
    // Forecasts of the measured configurations name the best of them, up to the noise of the runs.
    for n in [3000.0, 5000.0] {
        let measured: Vec<&Run> =
            runs.iter().filter(|run| (run.variables["n"] - n).abs() < 0.5).collect();
        let best = measured.iter().map(|run| run.seconds.get()).fold(f64::INFINITY, f64::min);
        let estimate = |run: &&&Run| model.forecast(&Point::of(run), 0.95).unwrap().seconds.get();
        let chosen = measured.iter().min_by(|a, b| estimate(a).total_cmp(&estimate(b))).unwrap();
        assert!(chosen.seconds.get() < 1.02 * best, "n = {n}: {}", chosen.configuration);
        assert!((estimate(&chosen) / chosen.seconds.get() - 1.0).abs() < 0.05, "n = {n}");
    }
}
