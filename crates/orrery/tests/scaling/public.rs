//! Term models of public HPL runs: `hpl/matrix_size.csv` and `hpl/geometry.csv` in the folder
//! `ORRERY_DATA`, runs on 32 nodes of a cluster by T. Cornebize (MIT licence). Without the folder
//! the tests are skipped.

use std::collections::BTreeMap;
use std::process::Command;

use orrery::numeric::{mean, median};
use orrery::scaling::{ErrorFactor, lack_of_fit};

use crate::prelude::*;
use crate::public_data::public_data;

/// The rows of a table by column name; `None` without public data.
fn rows(name: &str) -> Option<Vec<BTreeMap<String, String>>> {
    let mut reader = csv::Reader::from_path(public_data()?.join("hpl").join(name)).unwrap();
    let headers = reader.headers().unwrap().clone();
    let row = |row: csv::StringRecord| {
        headers.iter().zip(row.iter()).map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
    };
    Some(reader.records().map(|record| row(record.unwrap())).collect())
}

fn run(row: &BTreeMap<String, String>, columns: &[(&str, &str)]) -> Run {
    let mut run = Run::new(Seconds::new(row["time"].parse().unwrap()));
    run.variables = columns
        .iter()
        .map(|(name, column)| ((*name).to_owned(), row[*column].parse().unwrap()))
        .collect();
    run
}

fn fit(runs: &[Run]) -> TermModel {
    let refs: Vec<&Run> = runs.iter().collect();
    let fitted = fit_terms(refs, TermOptions::default()).unwrap();
    println!("{:?}: {:?}", fitted.model.family, fitted.families);
    fitted.model.coefficients.iter().for_each(|c| println!("  {:e} {}", c.estimate.value, c.term));
    fitted.model
}

/// The points with the times of their runs, in order.
fn points(runs: &[Run]) -> Vec<(Point, Vec<f64>)> {
    let mut points: Vec<(Point, Vec<f64>)> = Vec::new();
    for run in runs {
        match points.iter_mut().find(|(point, _)| *point == Point::of(run)) {
            Some((_, seconds)) => seconds.push(run.seconds.get()),
            None => points.push((Point::of(run), vec![run.seconds.get()])),
        }
    }
    points
}

/// The mean relative error of the forecasts, and the number of runs within their 95 % intervals.
fn held_out(model: &TermModel, points: &[(Point, Vec<f64>)]) -> (f64, usize) {
    let mut errors = Vec::new();
    let mut covered = 0;
    for (point, seconds) in points {
        let forecast = model.forecast(point, 0.95).unwrap();
        let (low, high) = forecast.interval.unwrap();
        assert!(
            forecast.extrapolated
                || !point.variables.contains_key("n")
                || point.variables.contains_key("p")
        );
        errors.push((forecast.seconds.get() / median(seconds) - 1.0).abs());
        covered += seconds.iter().filter(|s| (low.get()..=high.get()).contains(*s)).count();
    }
    (mean(&errors), covered)
}

#[test]
fn smaller_problems_forecast_larger_ones() {
    let Some(rows) = rows("matrix_size.csv") else { return };
    let (mut covered, mut all) = (0, 0);
    for (cooling, limit) in [("good", 0.00485), ("bad", 0.00675)] {
        let chosen =
            rows.iter().filter(|row| row["mode"] == "Reality" && row["cooling"] == cooling);
        let runs: Vec<Run> = chosen.map(|row| run(row, &[("n", "matrix_size")])).collect();
        let (small, large): (Vec<Run>, Vec<Run>) =
            runs.into_iter().partition(|run| run.variables["n"] <= 200_000.0);
        let model = fit(&small);
        assert_eq!(model.family, TermFamily::Hpl);
        let (error, inside) = held_out(&model, &points(&large));
        println!("{cooling}: {:.4} %, {inside} of {} inside", error * 100.0, large.len());
        assert!(error <= limit, "{cooling}: {error}");
        covered += inside;
        all += large.len();
        let (low, high) = model.forecast(&points(&large)[5].0, 0.95).unwrap().interval.unwrap();
        assert!(high < low * 1.3, "at 2.5 times the largest size: {low} to {high}");
    }
    let coverage = f64::from(covered as u32) / f64::from(all as u32);
    assert!(coverage >= 0.90, "{coverage}");
}

/// Models of three or four neighbouring sizes forecast all larger ones, up to ten times the time:
/// the mean error, and the share of runs within the intervals.
fn few_sizes(rows: &[BTreeMap<String, String>], count: usize, repetitions: usize) -> (f64, f64) {
    let sizes = [50_000.0, 75_000.0, 100_000.0, 125_000.0, 150_000.0, 175_000.0, 200_000.0];
    let (mut errors, mut covered, mut all) = (Vec::new(), 0, 0);
    for cooling in ["good", "bad"] {
        let chosen =
            rows.iter().filter(|row| row["mode"] == "Reality" && row["cooling"] == cooling);
        let runs: Vec<Run> = chosen.map(|row| run(row, &[("n", "matrix_size")])).collect();
        let of_size = |size: f64| {
            runs.iter()
                .filter(move |run| (run.variables["n"] - size).abs() < 0.5)
                .take(repetitions)
                .cloned()
        };
        for known in sizes.windows(count) {
            let small: Vec<Run> = known.iter().flat_map(|&size| of_size(size)).collect();
            let large: Vec<Run> =
                runs.iter().filter(|run| run.variables["n"] > known[count - 1]).cloned().collect();
            let (error, inside) = held_out(&fit(&small), &points(&large));
            errors.push(error);
            covered += inside;
            all += large.len();
        }
    }
    (mean(&errors), f64::from(covered as u32) / f64::from(all as u32))
}

#[test]
fn few_sizes_have_honest_intervals() {
    let Some(rows) = rows("matrix_size.csv") else { return };
    for (count, repetitions, limit) in [(3, 1, 0.08), (4, 1, 0.055), (3, 30, 0.045), (4, 30, 0.025)]
    {
        let (error, coverage) = few_sizes(&rows, count, repetitions);
        println!(
            "{count} sizes, at most {repetitions} runs each: {:.2} %, coverage {coverage:.3}",
            error * 100.0
        );
        assert!(error <= limit, "{count} sizes, {repetitions} runs: {error}");
        assert!(coverage >= 0.85, "{count} sizes, {repetitions} runs: {coverage}");
    }
}

#[test]
fn other_grids_forecast_a_grid() {
    let Some(rows) = rows("geometry.csv") else { return };
    let chosen = rows.iter().filter(|row| row["mode"] == "reality");
    let runs: Vec<Run> = chosen
        .map(|row| run(row, &[("n", "matrix_size"), ("p", "proc_p"), ("q", "proc_q")]))
        .collect();
    let points = points(&runs);
    let (mut errors, mut covered) = (Vec::new(), 0);
    for point in &points {
        let others: Vec<Run> =
            runs.iter().filter(|run| Point::of(run) != point.0).cloned().collect();
        let (error, inside) = held_out(&fit(&others), std::slice::from_ref(point));

        errors.push(error);
        covered += inside;
    }
    let coverage = f64::from(covered as u32) / f64::from(runs.len() as u32);
    println!(
        "mean {:.3} %, largest {:.2} %, coverage {coverage:.3}",
        mean(&errors) * 100.0,
        errors.iter().fold(0.0, |a: f64, &b| a.max(b)) * 100.0
    );
    assert!(mean(&errors) <= 0.0270, "{}", mean(&errors));
    assert!((0.90..=0.99).contains(&coverage), "{coverage}");
    let model = fit(&runs);
    let time = |point: &Point| model.forecast(point, 0.95).unwrap().seconds.get();
    let best =
        points.iter().map(|(point, _)| point).min_by(|a, b| time(a).total_cmp(&time(b))).unwrap();
    assert_eq!((best.variables["p"], best.variables["q"]), (30.0, 32.0));
    // All runs have 960 processes: the search keeps this number and finds the same grid.
    let nodes = (0..32).map(|k| format!("node{k}")).collect();
    let group = HostGroup {
        names: nodes,
        kind: "cpu".into(),
        cores: 32,
        processes: 1,
        memory: None,
        price: None,
    };
    let cluster = Cluster::new(vec![group]).unwrap();
    let fixed = BTreeMap::from([("n".to_owned(), 250_000.0)]);
    let times = TermTimes::new(&model, &["cpu"], &fixed).unwrap();
    let found =
        Search { grids: Grids::All, ..Search::new(cluster.kinds(), &times) }.best().unwrap();
    assert_eq!(found.candidate.layout.grid, Some((30, 32)));
    assert_eq!(found.candidate.configuration.processes(), 960);
}

#[test]
fn pooled_cooling_is_lack_of_fit() {
    let Some(rows) = rows("matrix_size.csv") else { return };
    let lack = |cooling: &[&str]| {
        let chosen = rows
            .iter()
            .filter(|row| row["mode"] == "Reality" && cooling.contains(&row["cooling"].as_str()));
        let label = |row: &BTreeMap<String, String>| {
            BTreeMap::from([("cooling".to_owned(), row["cooling"].clone())])
        };
        let runs: Vec<Run> = chosen
            .map(|row| Run { labels: label(row), ..run(row, &[("n", "matrix_size")]) })
            .collect();
        let model = fit(&runs);
        lack_of_fit(&runs, |point| model.forecast(point, 0.95))
    };
    assert_eq!(lack(&["good"]), None);
    assert_eq!(lack(&["bad"]), None);
    let pattern = lack(&["good", "bad"]).unwrap().pattern.unwrap();
    assert_eq!(pattern.factor, ErrorFactor::Label("cooling".to_owned()));
}

/// Without public data, each test of this file prints one line to standard error, in spite of the
/// test harness's capture.
#[test]
fn skipped_tests_are_reported_on_stderr() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["public::", "--skip", "skipped_tests_are_reported_on_stderr", "--test-threads=2"])
        .env_remove("ORRERY_DATA")
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let mut skipped: Vec<&str> =
        stderr.lines().filter(|line| line.starts_with("skipped: ")).collect();
    skipped.sort_unstable();
    let why = "ORRERY_DATA names no folder with public data";
    let expected = [
        "few_sizes_have_honest_intervals",
        "other_grids_forecast_a_grid",
        "pooled_cooling_is_lack_of_fit",
        "smaller_problems_forecast_larger_ones",
    ]
    .map(|test| format!("skipped: public::{test}: {why}"));
    assert_eq!(skipped, expected, "{stderr}");
}
