//! Clusters whose kinds were measured with few processes: composed models of the paper, and runs
//! with the times of parts.

use orrery::scaling::paper::PaperModel;

use crate::prelude::*;
use crate::two_kinds::point;

const SIZES: [f64; 4] = [1000.0, 2000.0, 3000.0, 4000.0];

/// Computation and communication of an element: Ta of N³/P and N²/P, Tc of N²·P, N²/P and N between
/// elements.
fn law(kind: &str, configuration: &Configuration, n: f64) -> (f64, f64) {
    let total = configuration.processes() as f64;
    let share = configuration.shares.iter().find(|share| share.kind == kind).unwrap();
    let m = f64::from(share.processes);
    let speed = if kind == "fast" { 3e9 } else { 1e9 } / (m * (1.0 + 0.04 * (m - 1.0)));
    let work = (0.67 * n.powi(3) + 200.0 * n * n) / total / speed + 0.02;
    let talk = if configuration.elements() > 1 {
        8.0 * n * n * 2e-8 * (0.02 * total + 0.5 / total) + 6e-6 * n
    } else {
        8e-9 * n * n * (m - 1.0)
    };
    (work, talk)
}

/// The time of a run: that of the slowest kind.
fn truth(configuration: &Configuration, n: f64) -> f64 {
    let kinds = configuration.shares.iter().map(|share| law(&share.kind, configuration, n));
    kinds.fold(0.0, |longest, (work, talk)| f64::max(longest, work + talk))
}

/// Runs with or without the times of the parts, with 1.5 % noise.
fn runs(configurations: &[&str], has_parts: bool) -> Vec<Run> {
    let configurations = configurations.iter().map(|text| text.parse::<Configuration>().unwrap());
    let each = configurations.flat_map(|configuration| SIZES.map(|n| (configuration.clone(), n)));
    let run = |(index, (configuration, n)): (usize, (Configuration, f64))| {
        let noise = 1.0 + 0.02 * (7.0 * index as f64).sin();
        let mut run = Run::new(Seconds::new(noise * truth(&configuration, n)));
        run.variables.insert("n".to_owned(), n);
        let parts = configuration.shares.iter().filter(|_| has_parts).map(|share| {
            let (work, talk) = law(&share.kind, &configuration, n);
            let [computation, communication] =
                [work, talk].map(|seconds| Seconds::new(noise * seconds));
            KindTimes { kind: share.kind.clone(), computation, communication }
        });
        run.parts = parts.collect();
        run.configuration = configuration;
        run
    };
    each.enumerate().map(run).collect()
}

const ALONE: [&str; 9] = [
    "fast=1x1", "fast=2x1", "fast=3x1", "fast=1x3", "fast=2x3", "fast=3x3", "slow=1x1", "slow=2x1",
    "slow=4x1",
];

#[test]
fn models_of_the_paper_are_composed_for_each_number_of_processes() {
    // Two P of each kind and M_i only: none has a model of its own with three.
    let of_two = fit_paper(&runs(&ALONE, true), &PaperOptions::default()).unwrap();
    // With three P of the slow kind, the fast kind is composed from it, with 3 processes on an
    // element from 1.
    let mut three = ALONE.to_vec();
    three.push("slow=3x1");
    let composed = fit_paper(&runs(&three, true), &PaperOptions::default()).unwrap();
    let each: Vec<_> = composed
        .compositions
        .iter()
        .map(|c| (c.kind.as_str(), c.from.as_str(), c.per_element))
        .collect();
    assert_eq!(each, [("fast", "slow", None), ("fast", "slow", Some((3, 1)))]);
    for (model, limit) in [(&of_two, 0.06), (&composed, 0.06)] {
        for text in ["fast=3x1,slow=4x1", "fast=3x3,slow=4x1", "fast=1x3,slow=2x1"] {
            assert!(error(model, text) < limit, "{text}: {}", error(model, text));
        }
    }
}

/// The relative error of the estimate at N = 4000.
fn error(model: &PaperModel, configuration: &str) -> f64 {
    let point = point(configuration, 4000.0);
    (model.forecast(&point).unwrap().seconds.get() / truth(&point.configuration, 4000.0) - 1.0)
        .abs()
}

#[test]
fn one_p_of_all_kinds_is_refused() {
    let error =
        fit_paper(&runs(&["fast=1x1", "fast=2x1", "slow=1x1"], true), &PaperOptions::default())
            .unwrap_err();
    assert!(
        error.to_string().contains("was measured on several elements with P = 2 only"),
        "{error}"
    );
}

#[test]
fn times_of_parts_do_not_hurt() {
    let fit = |has_parts: bool| {
        fit_terms(&runs(&ALONE, has_parts), TermOptions::default()).unwrap().model
    };
    let mean = |model: &TermModel| {
        let texts =
            ["fast=3x1,slow=4x1", "fast=3x3,slow=4x1", "fast=1x3,slow=2x1", "fast=2x1,slow=1x1"];
        let error = |text: &str| {
            let point = point(text, 6000.0);
            let seconds = model.forecast(&point, 0.95).unwrap().seconds.get();
            (seconds / truth(&point.configuration, 6000.0) - 1.0).abs()
        };
        texts.iter().map(|text| error(text)).sum::<f64>() / texts.len() as f64
    };
    let (with, without) = (mean(&fit(true)), mean(&fit(false)));
    assert!(with <= without + 0.01 && with < 0.1, "{with} with parts, {without} without");
}

#[test]
fn parts_identify_kinds_of_mixed_runs() {
    // The fast kind is never the slowest: only its parts show its cost.
    let mixed = [
        "fast=1x1,slow=1x1",
        "fast=1x1,slow=2x1",
        "fast=2x1,slow=2x1",
        "fast=1x3,slow=1x1",
        "fast=2x3,slow=4x1",
    ];
    let model = fit_terms(&runs(&mixed, true), TermOptions::default()).unwrap().model;
    assert_eq!(model.bounded_kinds, []);
    let forecast = model.forecast(&point("fast=2x1", 3000.0), 0.95).unwrap().seconds.get();
    let expected = truth(&"fast=2x1".parse().unwrap(), 3000.0);
    assert!((forecast / expected - 1.0).abs() < 0.25, "{forecast} for {expected}");
}
