//! The search of general terms on data whose formula is known.

use orrery::run::import::{ColumnMapping, ImportOptions, Importer};

use crate::prelude::*;

/// The runs of a file, with a mapping of columns to variables if it is not empty.
fn imported(name: &str, map: &str) -> Vec<Run> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/scaling/").to_owned() + name;
    let map = if map.is_empty() { ColumnMapping::default() } else { map.parse().unwrap() };
    let mut importer = Importer::new(ImportOptions { map, ..ImportOptions::default() });
    importer.add(std::fs::read_to_string(path).unwrap(), name).unwrap();
    importer.finish().unwrap().runs.runs
}

fn general(runs: &[Run]) -> TermModel {
    fit_terms(runs, TermOptions { family: Some(TermFamily::General), ..TermOptions::default() })
        .unwrap()
        .model
}

/// The terms of a model besides the constant, sorted.
fn terms(model: &TermModel) -> Vec<String> {
    let mut terms: Vec<String> =
        model.coefficients.iter().map(|c| c.term.to_string()).filter(|t| t != "1").collect();
    terms.sort();
    terms
}

fn runs_at(points: &[Vec<f64>], names: &[&str], seconds: impl Fn(&[f64]) -> f64) -> Vec<Run> {
    let run = |point: &Vec<f64>| {
        let mut run = Run::new(Seconds::new(seconds(point)));
        run.variables = names.iter().zip(point).map(|(name, &x)| ((*name).to_owned(), x)).collect();
        run
    };
    points.iter().map(run).collect()
}

fn grid(axes: &[&[f64]]) -> Vec<Vec<f64>> {
    let extend = |points: Vec<Vec<f64>>, axis: &&[f64]| -> Vec<Vec<f64>> {
        let with = |point: &Vec<f64>| {
            axis.iter().map(|&x| [point.as_slice(), &[x]].concat()).collect::<Vec<_>>()
        };
        points.iter().flat_map(with).collect()
    };
    axes.iter().fold(vec![Vec::new()], extend)
}

fn forecast(model: &TermModel, names: &[&str], point: &[f64]) -> (f64, (f64, f64)) {
    let variables = names.iter().zip(point).map(|(name, &x)| ((*name).to_owned(), x)).collect();
    let forecast = model.forecast(&Point { variables, ..Point::default() }, 0.95).unwrap();
    let (low, high) = forecast.interval.expect("the model has an interval");
    (forecast.seconds.get(), (low.get(), high.get()))
}

#[test]
fn quotient_of_three_variables_is_found_at_random_points() {
    assert_eq!(terms(&general(&imported("product.csv", "a=a,b=b,c=c"))), ["a^2·b·c^-1"]);
}

#[test]
fn falling_and_rising_terms_of_one_variable_are_found() {
    let model = general(&imported("strong-scaling.csv", "x=x"));
    assert_eq!(terms(&model), ["x", "x^-1"]);
    let (seconds, _) = forecast(&model, &["x"], &[64.0]);
    assert!((seconds / (100.0 / 64.0 + 0.8 * 64.0) - 1.0).abs() < 1e-4, "{seconds}");
}

#[test]
fn product_of_three_variables_is_found_in_ten_percent_noise() {
    let runs = imported("three-parameters.txt", "");
    let model = general(&runs);
    let errors = runs.iter().map(|run| {
        let (seconds, _) =
            forecast(&model, &["p", "n", "m"], &["p", "n", "m"].map(|name| run.variables[name]));
        (seconds / run.seconds.get() - 1.0).abs()
    });
    let mean = errors.sum::<f64>() / runs.len() as f64;
    assert!(mean < 0.1, "{mean}");
    let (seconds, (low, high)) = forecast(&model, &["p", "n", "m"], &[256.0, 6400.0, 640.0]);
    let truth = 1.4e-12 * 256.0 * 8.0 * 6400.0_f64.powi(2) * 640.0_f64.powf(1.5) + 0.49;
    assert!((seconds / truth - 1.0).abs() < 0.5, "{seconds} for {truth}");
    assert!(low < truth && truth < high, "{truth} is not in {low} to {high}");
}

#[test]
fn sums_of_terms_with_different_exponents_are_exact_without_noise() {
    let (p, n) = ([4.0, 8.0, 16.0, 32.0, 64.0], [100.0, 200.0, 300.0, 400.0, 500.0]);
    let points = grid(&[&p, &n]);
    let law = |x: &[f64]| 1.0 + 2e-5 * x[1].powi(2) / x[0] + 3e-3 * x[1] * x[0].log2();
    let model = general(&runs_at(&points, &["p", "n"], law));
    assert_eq!(terms(&model), ["n^2·p^-1", "n·log2(p)"]);
}

#[test]
fn a_third_product_is_added_to_a_product_that_was_split() {
    let points = grid(&[
        &[4.0, 8.0, 16.0, 32.0, 64.0],
        &[100.0, 200.0, 300.0, 400.0, 500.0],
        &[10.0, 20.0, 40.0, 80.0, 160.0],
    ]);
    let law = |x: &[f64]| {
        2.869
            + 0.2046 * x[0] * x[0].log2()
            + 2.054e-3 * x[1] * x[1].log2()
            + 5.361e-7 * x[2].powi(3)
    };
    // Two repeated runs: they show that the rest is not noise.
    let runs =
        [runs_at(&points, &["p", "n", "m"], law), runs_at(&points, &["p", "n", "m"], law)].concat();
    assert_eq!(terms(&general(&runs)), ["m^3", "n·log2(n)", "p·log2(p)"]);
}

#[test]
fn outliers_among_single_runs_do_not_change_the_terms() {
    let points = grid(&[&[4.0, 8.0, 16.0, 32.0, 64.0], &[100.0, 200.0, 300.0, 400.0, 500.0]]);
    let law = |x: &[f64]| 1.0 + 1e-3 * x[0] * x[1];
    let mut runs = runs_at(&points, &["p", "n"], law);
    runs[7].seconds = Seconds::new(3.0 * runs[7].seconds.get());
    runs[13].seconds = Seconds::new(2.0 * runs[13].seconds.get());
    assert_eq!(terms(&general(&runs)), ["n·p"]);
}

/// Runs of 1 + 10⁻⁴·p·n with 2 % noise, where each variable is raised with the other at its least
/// value: a sum and a product fit equally well.
fn runs_on_a_cross() -> Vec<Run> {
    let points: Vec<Vec<f64>> = [4.0, 8.0, 16.0, 32.0, 64.0]
        .iter()
        .map(|&p| vec![p, 100.0])
        .chain([200.0, 300.0, 400.0, 500.0].iter().map(|&n| vec![4.0, n]))
        .collect();
    let noise = |x: &[f64]| 1.0 + 0.02 * (3.0 * x[0] + 7.0 * x[1]).sin();
    runs_at(&points, &["p", "n"], |x| (1.0 + 1e-4 * x[0] * x[1]) * noise(x))
}

#[test]
fn a_product_that_a_cross_cannot_show_is_within_the_interval() {
    let names = ["p", "n"];
    let product = |x: &[f64]| 1.0 + 1e-4 * x[0] * x[1];
    let model = general(&runs_on_a_cross());
    let (_, (low, high)) = forecast(&model, &names, &[256.0, 2000.0]);
    let truth = product(&[256.0, 2000.0]);
    assert!(
        low <= truth * (1.0 + 1e-6) && truth <= high * (1.0 + 1e-6),
        "{truth} is not in {low} to {high}"
    );
    assert!(high > 2.0 * low, "the sum is as plausible: {low} to {high}");
    assert!(!model.alternatives.is_empty());
}

#[test]
fn comparisons_include_the_alternatives() {
    let model = general(&runs_on_a_cross());
    let point = |p: f64, n: f64| Point {
        variables: [("p".to_owned(), p), ("n".to_owned(), n)].into(),
        ..Point::default()
    };
    // By a product the first is the longer one, by a sum the second.
    let (both, alone) = (point(100.0, 1000.0), point(4.0, 12_000.0));
    assert_eq!(model.compare(&both, &alone, 0.95).unwrap(), None);
    assert_eq!(model.compare(&both, &both, 0.95).unwrap(), None, "equal points");
    let single = TermModel { alternatives: Vec::new(), ..model };
    assert!(
        single.compare(&both, &alone, 0.95).unwrap().is_some(),
        "the best sum alone is certain"
    );
}

#[test]
fn probabilities_sum_to_one_whatever_the_runs() {
    // More products than a formula may have: no product beside the best formula counts as
    // undetected.
    let points = grid(&[&[4.0, 8.0, 16.0, 32.0, 64.0], &[100.0, 200.0, 300.0, 400.0, 500.0]]);
    let law = |x: &[f64]| {
        1.0 + x[0]
            + 1e-2 * x[1]
            + 1e-4 * x[0] * x[1]
            + 3e-9 * x[1].powi(3)
            + 50.0 / x[0]
            + 1e-3 * x[0].powi(2).log2() * x[1]
    };
    let model = general(&runs_at(&points, &["p", "n"], law));
    let alternatives: f64 =
        model.alternatives.iter().map(|alternative| alternative.probability).sum();
    assert!((0.0..=1.0 + 1e-9).contains(&alternatives), "{alternatives}");
    assert!(model.alternatives.iter().all(|alternative| alternative.probability.is_finite()));
}
