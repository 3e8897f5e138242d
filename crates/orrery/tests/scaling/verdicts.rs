//! Forecasts that say nothing, and the runs that would help.

use crate::prelude::*;

/// A region of runs at these points of a and b.
fn region(points: &[(f64, f64)], seconds: impl Fn(f64, f64) -> f64) -> Region {
    let run = |&(a, b): &(f64, f64)| {
        let mut run = Run::new(Seconds::new(seconds(a, b)));
        run.variables = [("a".to_owned(), a), ("b".to_owned(), b)].into();
        run
    };
    let runs: Vec<Run> = points.iter().map(run).collect();
    let model = fit_terms(&runs, TermOptions::default()).unwrap().model;
    Region { name: String::new(), model: model.into(), measured: MeasuredPoint::of_runs(&runs) }
}

fn at(a: f64, b: f64) -> Point {
    Point { variables: [("a".to_owned(), a), ("b".to_owned(), b)].into(), ..Point::default() }
}

fn grid(a: &[f64], b: &[f64]) -> Vec<(f64, f64)> {
    a.iter().flat_map(|&a| b.iter().map(move |&b| (a, b))).collect()
}

#[test]
fn four_points_do_not_determine_distant_times() {
    let region = region(&grid(&[10.0, 20.0], &[4.0, 8.0]), |a, b| {
        (1.0 + 0.01 * a * b) * (1.0 + 0.04 * (a + b).sin())
    });
    assert!(!region.forecast(&at(15.0, 6.0), 0.95).unwrap().is_worthless(), "between the runs");
    let far = at(1600.0, 640.0);
    assert!(region.forecast(&far, 0.95).unwrap().is_worthless());
    let run = region.helpful_run(&far, 0.95).unwrap();
    let between =
        |name: &str, low: f64, high: f64| run.variables[name] > low && run.variables[name] < high;
    assert!(between("a", 20.0, 1600.0) && between("b", 8.0, 640.0), "{run}");
}

#[test]
fn runs_that_follow_a_law_determine_distant_times() {
    let points = grid(&[10.0, 20.0, 40.0, 80.0], &[4.0, 8.0, 16.0, 32.0]);
    let region = region(&points, |a, b| (1.0 + 0.01 * a * b) * (1.0 + 0.01 * (3.0 * a + b).sin()));
    assert!(!region.forecast(&at(320.0, 128.0), 0.95).unwrap().is_worthless());
}

#[test]
fn a_cross_is_helped_by_its_missing_corner() {
    let mut points: Vec<(f64, f64)> =
        [4.0, 8.0, 16.0, 32.0, 64.0].iter().map(|&a| (a, 100.0)).collect();
    points.extend([200.0, 300.0, 400.0, 500.0].iter().map(|&b| (4.0, b)));
    let region =
        region(&points, |a, b| (1.0 + 1e-3 * a * b) * (1.0 + 0.03 * (3.0 * a + 7.0 * b).sin()));
    let corner = region.widest_corner(&at(1.0, 1.0), 0.95).unwrap();
    assert_eq!(corner.0, at(64.0, 500.0));
    assert!(corner.1.ratio() > 2.0, "{}", corner.1.ratio());
}

#[test]
fn variables_of_plausible_sums_are_asked_for() {
    let points = grid(&[10.0, 20.0, 40.0], &[4.0, 8.0, 16.0]);
    let region = region(&points, |a, b| 1.0 + 0.2 * (3.0 * a + 7.0 * b).sin());
    let only = Point { variables: [("a".to_owned(), 20.0)].into(), ..Point::default() };
    let error = region.forecast(&only, 0.95).unwrap_err();
    assert_eq!(error, ForecastError::MissingVariables { names: vec!["b".to_owned()] });
}

#[test]
fn one_repeated_run_among_many_does_not_widen_intervals() {
    let points = grid(&[10.0, 20.0, 40.0, 80.0, 160.0], &[4.0, 8.0, 16.0, 32.0]);
    let ratio = |points: &[(f64, f64)]| {
        let index = std::cell::Cell::new(0.0_f64);
        let law = |a: f64, b: f64| {
            (1.0 + 0.01 * a * b) * (1.0 + 0.02 * f64::sin(7.0 * index.replace(index.get() + 1.0)))
        };
        region(points, law).forecast(&at(80.0, 16.0), 0.95).unwrap().ratio()
    };
    let mut repeated = points.clone();
    repeated.push(points[7]);
    assert!(ratio(&repeated) < 1.3 * ratio(&points), "{} and {}", ratio(&repeated), ratio(&points));
}

#[test]
fn a_helpful_run_has_whole_processes() {
    let run = |n: f64, processes: f64| {
        let mut run = Run::new(Seconds::new(
            (1.0 + 1e-3 * n / processes) * (1.0 + 0.3 * (n + 7.0 * processes).sin()),
        ));
        run.variables = [("n".to_owned(), n), ("processes".to_owned(), processes)].into();
        run
    };
    let runs: Vec<Run> =
        grid(&[100.0, 200.0], &[1.0, 2.0]).into_iter().map(|(n, p)| run(n, p)).collect();
    let model = fit_terms(&runs, TermOptions::default()).unwrap().model;
    let region = Region {
        name: String::new(),
        model: model.into(),
        measured: MeasuredPoint::of_runs(&runs),
    };
    let asked = Point {
        variables: [("n".to_owned(), 300.0), ("processes".to_owned(), 3.0)].into(),
        ..Point::default()
    };
    let run = region.helpful_run(&asked, 0.95).unwrap();
    assert!(run.variables.values().all(|value| value.fract() < 1e-12), "{run}");
}

#[test]
fn the_best_sum_has_detected_terms_only() {
    // Products of both variables cannot be seen on a cross.
    let mut points: Vec<(f64, f64)> =
        [4.0, 8.0, 16.0, 32.0, 64.0].iter().map(|&a| (a, 100.0)).collect();
    points.extend([200.0, 300.0, 400.0, 500.0].iter().map(|&b| (4.0, b)));
    let region = region(&points, |a, b| (1.0 + 0.5 * a) * (1.0 + 0.01 * (3.0 * a + 7.0 * b).sin()));
    let model = region.model.as_terms().unwrap();
    let terms: Vec<String> = model.coefficients.iter().map(|c| c.term.to_string()).collect();
    assert!(terms.iter().all(|term| !term.contains('b')), "{terms:?}");
    assert!(model.variables().contains(&"b"), "alternatives contain it");
}
