//! Error messages name the run or the configuration that causes them.

use orrery::scaling::paper::{AdjustmentRule, CompositionRule, MemoryLimits, MemoryRanges};
use orrery::scaling::{FitError, evaluate};

use super::cluster::{Truth, cluster, evaluation_plan};

use crate::prelude::*;

fn plan(cluster: &str, sizes: &[f64], elements: &[u32]) -> Vec<Run> {
    let cluster: Configuration = cluster.parse().unwrap();
    Truth::default().runs(&RunPlan::homogeneous(&cluster, sizes, |_| elements.to_vec()))
}

fn fit_error(runs: &[Run], options: &PaperOptions) -> FitError {
    fit_paper(runs, options).unwrap_err()
}

/// Asserts that a message contains these words.
fn assert_message(error: &impl std::fmt::Display, words: &[&str]) {
    let text = error.to_string();
    assert!(words.iter().all(|word| text.contains(word)), "{text}");
}

const FOUR: [f64; 4] = [800.0, 1600.0, 2400.0, 3200.0];

fn default_error(runs: &[Run]) -> FitError {
    fit_error(runs, &PaperOptions::default())
}

#[test]
fn too_few_sizes_name_the_configuration() {
    let mut runs = plan("pentium-ii=3x1", &FOUR, &[1, 2, 3]);
    runs.retain(|run| {
        run.configuration.to_string() != "pentium-ii=2x1" || run.variables["n"] < 3000.0
    });
    let error = default_error(&runs);
    assert_message(
        &error,
        &["plan:2", "pentium-ii=2x1", "3 different sizes", "has 4 coefficients", "at least 1 more"],
    );
    let alike = default_error(&plan("pentium-ii=1x1", &[800.0; 6], &[1]));
    assert_message(&alike, &["plan:1", "pentium-ii=1x1", "1 different size,", "at least 3 more"]);
}

#[test]
fn sizes_that_are_too_close_are_rejected() {
    let next = |n: f64| f64::from_bits(n.to_bits() + 1);
    let sizes = [800.0, next(800.0), next(next(800.0)), next(next(next(800.0)))];
    assert_message(
        &default_error(&plan("pentium-ii=1x1", &sizes, &[1])),
        &["plan:1", "pentium-ii=1x1", "too close"],
    );
}

#[test]
fn one_number_of_processes_is_too_few() {
    let error = default_error(&plan("pentium-ii=3x1", &FOUR, &[1, 2]));
    let words = ["pentium-ii", "1 processes per element", "P = 2 only", "requires 2 different P"];
    assert_message(&error, &words);
    // With another kind, the P-T models are composed.
    let mut runs = plan("pentium-ii=3x1", &FOUR, &[1, 2, 3]);
    runs.extend(plan("athlon=4x1", &FOUR, &[1, 2, 3, 4]));
    let model = fit_paper(&runs, &PaperOptions::default()).unwrap();
    assert_eq!(
        (model.compositions[0].kind.as_str(), model.compositions[0].from.as_str()),
        ("pentium-ii", "athlon")
    );
}

#[test]
fn missing_parts_are_reported() {
    let mut runs = plan("pentium-ii=4x1", &FOUR, &[1, 2, 3, 4]);
    runs[5].parts.clear();
    let error = default_error(&runs);
    assert_eq!(error, FitError::Undivided { run: "plan:6".into(), kind: "pentium-ii".into() });
    assert_message(&error, &["HPL_DETAILED_TIMING", "tracer", "count the total as computation"]);
    // With `undivided`, the N-T models reproduce the measured times.
    runs.iter_mut().for_each(|run| run.parts.clear());
    let model =
        fit_paper(&runs, &PaperOptions { undivided: true, ..PaperOptions::default() }).unwrap();
    for run in runs.iter().filter(|run| run.configuration.processes() == 1) {
        let forecast = model.forecast(&Point::of(run)).unwrap();
        assert!((forecast.seconds.get() / run.seconds.get() - 1.0).abs() < 1e-9);
    }
    assert!(
        model
            .nt_models
            .iter()
            .flat_map(|model| model.communication)
            .all(|k| k.abs() < f64::MIN_POSITIVE)
    );
}

#[test]
fn invalid_runs_are_named() {
    let with = |change: &dyn Fn(&mut Run)| {
        let mut runs = plan("pentium-ii=1x1", &FOUR, &[1]);
        change(&mut runs[2]);
        default_error(&runs)
    };
    let without = |name: &str| with(&|run| run.variables.retain(|known, _| known != name));
    let given = |name: &str, value| with(&|run| run.variables.extend([(name.to_owned(), value)]));
    assert_message(&without("n"), &["plan:3", "n is missing"]);
    assert_message(&with(&|run| run.configuration.shares.clear()), &["plan:3", "configuration"]);
    assert_message(&given("block", 64.0), &["plan:3", "block"]);
    assert_message(&given("n", f64::NAN), &["plan:3", "n is NaN"]);
    assert_message(&with(&|run| run.seconds = Seconds::ZERO), &["plan:3", "seconds is 0"]);
    assert_message(
        &with(&|run| run.parts[0].computation = Seconds::new(-1.0)),
        &["plan:3", "computation time is -1"],
    );
    assert_eq!(default_error(&[]), FitError::NoRuns);
    let mut mixed = Truth::default().runs(&evaluation_plan());
    mixed.retain(|run| run.configuration.shares.len() == 2);
    assert_message(&default_error(&mixed), &["plan:", "several kinds"]);
}

#[test]
fn forecasts_without_a_model_say_why() {
    let runs = Truth::default().runs(&RunPlan::nl(&cluster()));
    let model = fit_paper(&runs, &PaperOptions::default()).unwrap();
    let ask = |text: &str, n: Option<f64>| {
        let variables = n.map(|n| ("n".to_owned(), n)).into_iter().collect();
        model
            .forecast(&Point {
                variables,
                configuration: text.parse().unwrap_or_default(),
                ..Point::default()
            })
            .unwrap_err()
    };
    assert_message(&ask("xeon=1x1", Some(800.0)), &["xeon", "athlon, pentium-ii"]);
    assert_message(&ask("athlon=1x7", Some(800.0)), &["athlon", "7 processes per element"]);
    assert_message(&ask("athlon=1x1", None), &["problem size"]);
    assert_message(&ask("", Some(800.0)), &["configuration"]);
    assert_message(&ask("athlon=1x1", Some(f64::INFINITY)), &["n is inf"]);
    let mut falling = model.clone();
    falling.nt_models.iter_mut().for_each(|model| model.computation[3] = -1e6);
    let point = Point {
        variables: [("n".to_owned(), 1600.0)].into(),
        configuration: "athlon=1x1".parse().unwrap(),
        ..Point::default()
    };
    assert_message(&falling.forecast(&point).unwrap_err(), &["athlon", "N = 1600", "negative"]);
    assert_eq!(falling.element_seconds("athlon", 1600.0, 1, 1), None);
    // Points without an estimate are listed, and still count as the actual best.
    let points = Truth::default().runs(&evaluation_plan());
    let evaluation = evaluate(&points, |point| falling.forecast(point)).unwrap();
    assert!(
        evaluation.without_estimate.iter().all(|(point, _)| point.configuration.elements() == 1)
    );
    assert_eq!((evaluation.without_estimate.len(), evaluation.points.len()), (5 * 7, 5 * 55));
    assert_eq!(evaluation.decisions[0].actual.configuration.to_string(), "athlon=1x1");
    assert!(evaluation.decisions[0].loss() > 0.0);
}

#[test]
fn invalid_options_are_rejected() {
    let runs = Truth::default().runs(&RunPlan::nl(&cluster()));
    let rule = |kind: &str, from: &str, scales| {
        let rule = CompositionRule { kind: kind.into(), from: from.into(), scales };
        fit_error(&runs, &PaperOptions { compositions: vec![rule], ..PaperOptions::default() })
    };
    assert_message(&rule("athlon", "athlon", None), &["athlon", "same kind"]);
    assert_message(&rule("xeon", "athlon", None), &["xeon", "athlon, pentium-ii"]);
    assert_message(
        &rule("pentium-ii", "athlon", None),
        &["pentium-ii cannot", "athlon", "has no P-T models"],
    );
    assert_message(&rule("athlon", "pentium-ii", Some((0.0, 1.0))), &["above 0"]);
    let twice = CompositionRule { kind: "athlon".into(), from: "pentium-ii".into(), scales: None };
    let twice =
        PaperOptions { compositions: vec![twice.clone(), twice], ..PaperOptions::default() };
    assert_message(&fit_error(&runs, &twice), &["athlon cannot", "two rules"]);
    let mut apart = runs.clone();
    apart.retain(|run| {
        run.configuration.shares[0].kind == "athlon" || run.configuration.elements() > 1
    });
    assert_message(&default_error(&apart), &["athlon cannot", "pentium-ii", "the same sizes"]);

    let limits = |kind: &str, bytes: Vec<f64>| {
        let memory = MemoryRanges::At(vec![MemoryLimits { kind: kind.into(), bytes }]);
        fit_error(&runs, &PaperOptions { memory, ..PaperOptions::default() })
    };
    assert_message(&limits("xeon", vec![1.0]), &["xeon"]);
    assert_message(&limits("athlon", vec![2.0, 1.0]), &["athlon", "[2.0, 1.0]"]);
    assert_message(&limits("athlon", vec![1e15]), &["athlon", "range 1", "1.000e15"]);

    let beside: Configuration = "pentium-ii=8x1".parse().unwrap();
    let rule = AdjustmentRule { kind: "athlon".into(), from_processes: 6, size: 6400.0, beside };
    let options =
        |rule: AdjustmentRule| PaperOptions { adjustment: Some(rule), ..PaperOptions::default() };
    let mut all = runs.clone();
    all.extend(Truth::default().runs(&evaluation_plan()));
    assert_message(&fit_error(&all, &options(rule.clone())), &["athlon", "from 6", "found 1"]);
    assert_message(&fit_error(&runs, &options(rule.clone())), &["found 0"]);
    assert_message(
        &fit_error(&runs, &options(AdjustmentRule { kind: "xeon".into(), ..rule })),
        &["xeon"],
    );
}
