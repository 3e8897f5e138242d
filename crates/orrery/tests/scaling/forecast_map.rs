//! Forecasts over two variables.

use super::prelude::*;

/// A region of runs at these points whose time is the product of all variables; `points` have
/// names and values.
fn region(points: &[Vec<(&str, f64)>]) -> Region {
    let run = |point: &Vec<(&str, f64)>| {
        let mut run = Run::new(Seconds::new(point.iter().map(|(_, value)| value).product()));
        run.variables = point.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        run
    };
    let runs: Vec<Run> = points.iter().map(run).collect();
    let model = fit_terms(&runs, TermOptions::default()).expect("the runs have a model").model;
    Region { name: String::new(), model: model.into(), measured: MeasuredPoint::of_runs(&runs) }
}

/// All combinations of n, processes and threads.
fn grid(n: &[f64], processes: &[f64], threads: &[f64]) -> Vec<Vec<(&'static str, f64)>> {
    let mut points = Vec::new();
    for (n, processes) in n.iter().flat_map(|n| processes.iter().map(move |p| (*n, *p))) {
        let point = |threads: &f64| vec![("threads", *threads), ("n", n), ("processes", processes)];
        points.extend(threads.iter().map(point));
    }
    points
}

const PROCESSES: [f64; 5] = [4.0, 8.0, 16.0, 32.0, 64.0];
const SIZES: [f64; 5] = [10.0, 20.0, 30.0, 40.0, 50.0];

#[test]
fn a_map_has_the_measured_values_and_larger_ones() {
    let region = region(&grid(&SIZES, &PROCESSES, &[1.0, 2.0, 4.0]));
    let map = region.forecast_map(0.95).unwrap();
    assert_eq!((map.columns.variable.as_str(), map.rows.variable.as_str()), ("n", "processes"));
    assert_eq!(map.columns.values, [&SIZES[..], &[100.0, 200.0]].concat());
    assert_eq!(map.rows.values, [&PROCESSES[..], &[128.0, 256.0]].concat());
    assert_eq!((map.columns.measured, map.rows.measured), (5, 5));
    // The variable with the fewest values is fixed at the largest one.
    assert_eq!(map.fixed.to_string(), "threads = 4");
    assert_eq!(map.cells.len(), 49);
    assert_eq!(map.cells.iter().filter(|cell| cell.measured.is_some()).count(), 25);
    for (processes, cells) in map.by_row() {
        for (n, cell) in map.columns.values.iter().zip(cells) {
            let forecast = cell.forecast.as_ref().unwrap();
            assert!((forecast.seconds.get() / (4.0 * n * processes) - 1.0).abs() < 1e-6);
            assert_eq!(forecast.extrapolated, *n > 50.0 || processes > 64.0);
            assert_eq!(cell.measured.is_some(), !forecast.extrapolated);
        }
    }
}

#[test]
fn a_map_of_many_values_has_the_ends_and_some_between() {
    let sizes: Vec<f64> = (1..=40).map(f64::from).collect();
    let map = region(&grid(&sizes, &PROCESSES, &[1.0])).forecast_map(0.95).unwrap();
    let values = &map.columns.values;
    assert_eq!((values.len(), map.columns.measured), (12, 10));
    assert_eq!((values[0], values[9], values[11]), (1.0, 40.0, 160.0));
    assert!(values.is_sorted());
}

#[test]
fn a_map_needs_two_variables() {
    let one = region(&grid(&[100.0], &PROCESSES, &[1.0]));
    let error = one.forecast_map(0.95).unwrap_err().to_string();
    assert!(error.ends_with("on which the time depends; there is only processes"), "{error}");
    let none = Region { measured: Vec::new(), ..one };
    assert!(none.forecast_map(0.95).is_err());
}

/// The sides of a grid of given processes are fixed: no other grid has these processes.
#[test]
fn a_map_keeps_the_grid_of_the_processes() {
    let mut points = Vec::new();
    for (n, block) in
        [100.0, 200.0, 400.0, 800.0].map(|n| [16.0, 32.0, 64.0].map(|b| (n, b))).concat()
    {
        for (p, q) in [(1.0, 4.0), (2.0, 2.0), (2.0, 4.0), (1.0, 8.0)] {
            let processes = p * q;
            points.push(vec![
                ("n", n),
                ("block", block),
                ("p", p),
                ("q", q),
                ("processes", processes),
            ]);
        }
    }
    let map = region(&points).forecast_map(0.95).unwrap();
    assert_eq!((map.columns.variable.as_str(), map.rows.variable.as_str()), ("n", "block"));
    assert_eq!(map.fixed.to_string(), "p = 2, processes = 8, q = 4");
    assert!(map.cells.iter().all(|cell| cell.forecast.is_ok()));
}
