//! The default method on runs of High-Performance Linpack that others made public; skipped where there are none.
//!
//! They are found through `ORRERY_DATA`: `hpl/matrix_size.csv` and `hpl/geometry.csv`, runs of HPL on 32 nodes of a
//! cluster by T. Cornebize (MIT licence).

use std::collections::BTreeMap;
use std::path::PathBuf;

use orrery::numeric::{mean, median};
use orrery::platform::{Cluster, HostGroup};
use orrery::run::Run;
use orrery::scaling::search::{Grids, Search};
use orrery::scaling::{Point, TermFamily, TermModel, TermOptions, TermTimes, fit_terms};
use orrery::units::Seconds;

/// The rows of a table as names and words.
fn rows(name: &str) -> Option<Vec<BTreeMap<String, String>>> {
    let Some(data) = std::env::var_os("ORRERY_DATA") else {
        println!("skipped: ORRERY_DATA does not name a folder with public data");
        return None;
    };
    let mut reader = csv::Reader::from_path(PathBuf::from(data).join("hpl").join(name)).unwrap();
    let headers = reader.headers().unwrap().clone();
    let row =
        |row: csv::StringRecord| headers.iter().zip(row.iter()).map(|(a, b)| (a.to_owned(), b.to_owned())).collect();
    Some(reader.records().map(|record| row(record.unwrap())).collect())
}

fn run(row: &BTreeMap<String, String>, columns: &[(&str, &str)]) -> Run {
    let mut run = Run::new(Seconds::new(row["time"].parse().unwrap()));
    run.variables = columns.iter().map(|(name, column)| ((*name).to_owned(), row[*column].parse().unwrap())).collect();
    run
}

fn fit(runs: &[Run]) -> TermModel {
    let refs: Vec<&Run> = runs.iter().collect();
    let fitted = fit_terms(refs, TermOptions::default()).unwrap();
    println!("{:?}: {:?}", fitted.model.family, fitted.forecast_errors);
    fitted.model.coefficients.iter().for_each(|c| println!("  {:e} {}", c.estimate.value, c.term));
    fitted.model
}

/// Points with the times of their runs, in order.
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

/// The mean error of the typical times relative to the medians, and how many runs lie in their 95 % intervals.
fn held_out(model: &TermModel, points: &[(Point, Vec<f64>)]) -> (f64, usize) {
    let mut errors = Vec::new();
    let mut covered = 0;
    for (point, seconds) in points {
        let forecast = model.forecast(point, 0.95).unwrap();
        let (low, high) = forecast.interval.unwrap();
        assert!(forecast.extrapolated || !point.variables.contains_key("n") || point.variables.contains_key("p"));
        errors.push((forecast.seconds.get() / median(seconds) - 1.0).abs());
        covered += seconds.iter().filter(|s| (low.get()..=high.get()).contains(*s)).count();
    }
    (mean(&errors), covered)
}

#[test]
fn larger_problems_are_forecast_from_smaller_ones() {
    let Some(rows) = rows("matrix_size.csv") else { return };
    let (mut covered, mut all) = (0, 0);
    for (cooling, limit) in [("good", 0.00485), ("bad", 0.00675)] {
        let chosen = rows.iter().filter(|row| row["mode"] == "Reality" && row["cooling"] == cooling);
        let runs: Vec<Run> = chosen.map(|row| run(row, &[("n", "matrix_size")])).collect();
        let (small, large): (Vec<Run>, Vec<Run>) = runs.into_iter().partition(|run| run.variables["n"] <= 200_000.0);
        let model = fit(&small);
        assert_eq!(model.family, TermFamily::Hpl);
        let (error, inside) = held_out(&model, &points(&large));
        println!("{cooling}: {:.4} %, {inside} of {} inside", error * 100.0, large.len());
        assert!(error <= limit, "{cooling}: {error}");
        covered += inside;
        all += large.len();
    }
    let coverage = f64::from(covered as u32) / f64::from(all as u32);
    assert!((0.90..=0.99).contains(&coverage), "{coverage}");
}

#[test]
fn grids_are_forecast_from_other_grids() {
    let Some(rows) = rows("geometry.csv") else { return };
    let chosen = rows.iter().filter(|row| row["mode"] == "reality");
    let runs: Vec<Run> =
        chosen.map(|row| run(row, &[("n", "matrix_size"), ("p", "proc_p"), ("q", "proc_q")])).collect();
    let points = points(&runs);
    let (mut errors, mut covered) = (Vec::new(), 0);
    for point in &points {
        let others: Vec<Run> = runs.iter().filter(|run| Point::of(run) != point.0).cloned().collect();
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
    let best = points.iter().map(|(point, _)| point).min_by(|a, b| time(a).total_cmp(&time(b))).unwrap();
    assert_eq!((best.variables["p"], best.variables["q"]), (30.0, 32.0));
    // All runs had 960 processes: a search keeps to them, and finds the same grid among all.
    let nodes = (0..32).map(|k| format!("node{k}")).collect();
    let group = HostGroup { names: nodes, kind: "cpu".into(), cores: 32, processes: 1, memory: None, price: None };
    let cluster = Cluster::new(vec![group]).unwrap();
    let fixed = BTreeMap::from([("n".to_owned(), 250_000.0)]);
    let times = TermTimes::of(&model, &["cpu"], &fixed).unwrap();
    let found = Search { grids: Grids::All, ..Search::new(cluster.kinds(), &times) }.best().unwrap();
    assert_eq!(found.candidate.layout.grid, Some((30, 32)));
    assert_eq!(found.candidate.configuration.processes(), 960);
}
