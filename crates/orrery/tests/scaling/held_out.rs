//! Errors of runs that were left out of the fit, and which runs count as such.

use std::collections::BTreeSet;
use std::sync::Mutex;

use orrery::scaling::{Accuracy, FitError, HeldOut, LeftOut, RunsOfFit, held_out};

use crate::prelude::*;

/// A run with these variables and an exact time 1 + x·y².
fn run(variables: &[(&str, f64)]) -> Run {
    let get = |name: &str| {
        variables.iter().find(|(own, _)| *own == name).map_or(1.0, |(_, value)| *value)
    };
    let mut run = Run::new(Seconds::new(1.0 + get("x") * get("y").powi(2)));
    run.variables = variables.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    run
}

/// Runs on a grid of x and y.
fn grid(x: impl IntoIterator<Item = u32>, y: u32) -> Vec<Run> {
    let all =
        x.into_iter().flat_map(|x| (1..=y).map(move |y| run(&[("x", x.into()), ("y", y.into())])));
    all.collect()
}

fn fit(runs: &[&Run]) -> Result<ExecutionTimeModel, FitError> {
    Ok(fit_terms(runs.iter().copied(), TermOptions::default())?.model.into())
}

/// The held-out errors of runs, and the values of a variable that each fit left out.
fn left_out(runs: &[Run], name: &str) -> (Vec<HeldOut>, Vec<BTreeSet<u64>>) {
    let runs: Vec<&Run> = runs.iter().collect();
    let values = |runs: &[&Run]| {
        runs.iter().map(|run| run.variables[name] as u64).collect::<BTreeSet<u64>>()
    };
    let (all, left_out) = (values(&runs), Mutex::new(Vec::new()));
    // The parts do not depend on the model, so that a few runs are enough for it.
    let few: Vec<&Run> = runs.iter().copied().step_by(1 + runs.len() / 40).collect();
    let model = fit(&few).unwrap();
    let found = held_out(&runs, 0.95, |others| {
        left_out.lock().unwrap().push(all.difference(&values(others)).copied().collect());
        Ok(model.clone())
    });
    (found.unwrap(), left_out.into_inner().unwrap())
}

/// Which points were compared, sorted.
fn compared(held_out: &HeldOut) -> Vec<String> {
    let mut names: Vec<String> =
        held_out.points.iter().map(|point| point.point.to_string()).collect();
    names.sort();
    names
}

#[test]
fn every_run_is_left_out_once_for_its_size_and_once_for_its_configuration() {
    let runs = grid([1, 2, 4, 8, 16], 4);
    let (found, left_out) = left_out(&runs, "x");
    let ways: Vec<&LeftOut> = found.iter().map(|way| &way.left_out).collect();
    let x = || "x".to_owned();
    let largest = LeftOut::LargestSizes { variable: x(), from: 16.0 };
    assert_eq!(ways, [&largest, &LeftOut::Sizes { variable: x() }, &LeftOut::Configurations]);
    assert_eq!(found.iter().map(|way| way.fits).collect::<Vec<_>>(), [1, 5, 4]);
    assert_eq!(left_out.iter().filter(|values| **values == BTreeSet::from([16])).count(), 2);
    for x in [1, 2, 4, 8] {
        assert_eq!(
            left_out.iter().filter(|values| **values == BTreeSet::from([x])).count(),
            1,
            "{x}"
        );
    }
    // Without a configuration, all sizes are in the fit.
    assert_eq!(left_out.iter().filter(|values| values.is_empty()).count(), 4);
    let mut all: Vec<String> = runs.iter().map(|run| Point::of(run).to_string()).collect();
    all.sort();
    assert_eq!(compared(&found[1]), all);
    assert_eq!(compared(&found[2]), all);
    assert_eq!(
        compared(&found[0]),
        all.iter().filter(|name| name.contains("x = 16,")).cloned().collect::<Vec<_>>()
    );
}

#[test]
fn many_sizes_and_configurations_need_few_fits() {
    let runs = grid(1..=30, 20);
    let (found, left_out) = left_out(&runs, "x");
    assert_eq!(
        found.iter().map(|way| (way.fits, way.points.len())).collect::<Vec<_>>(),
        [(1, 80), (8, 600), (8, 600)]
    );
    // The largest eighth of the sizes, and parts with every eighth size.
    assert_eq!(found[0].left_out, LeftOut::LargestSizes { variable: "x".to_owned(), from: 27.0 });
    assert!(
        left_out.contains(&BTreeSet::from([27, 28, 29, 30]))
            && left_out.contains(&BTreeSet::from([1, 9, 17, 25]))
    );
    // No part has all configurations with one value of another variable.
    let blocks: Vec<Run> = (1..=30_u32)
        .flat_map(|x| {
            (0..24_u32)
                .map(move |k| run(&[("x", x.into()), ("y", (k / 8).into()), ("z", (k % 8).into())]))
        })
        .collect();
    let (_, left_out) = self::left_out(&blocks, "z");
    assert!(left_out.iter().all(BTreeSet::is_empty), "{left_out:?}");
}

#[test]
fn ways_that_are_equal_or_empty_are_missing() {
    let one = |count: u32| (1..=count).map(|x| run(&[("x", x.into())])).collect::<Vec<Run>>();
    let names = |runs: &[Run]| {
        left_out(runs, "x").0.into_iter().map(|way| way.left_out).collect::<Vec<_>>()
    };
    let sizes = LeftOut::Sizes { variable: "x".to_owned() };
    assert_eq!(
        names(&one(5)),
        [LeftOut::LargestSizes { variable: "x".to_owned(), from: 5.0 }, sizes]
    );
    // The shape of a grid is no size.
    let grids: Vec<Run> = [(1.0, 12.0), (2.0, 6.0), (3.0, 4.0), (4.0, 3.0)]
        .map(|(p, q)| run(&[("n", 1000.0), ("p", p), ("q", q), ("x", p), ("y", 2.0)]))
        .into_iter()
        .map(|mut run| {
            run.variables.retain(|name, _| ["n", "p", "q"].contains(&name.as_str()));
            run
        })
        .collect();
    let runs: Vec<&Run> = grids.iter().collect();
    let found = held_out(&runs, 0.95, |_| Err(FitError::NoRuns)).unwrap();
    assert_eq!(
        found.iter().map(|way| &way.left_out).collect::<Vec<_>>(),
        [&LeftOut::Configurations]
    );
}

#[test]
fn fits_that_are_not_possible_are_counted() {
    let runs = grid([1, 2, 4, 8], 3);
    let runs: Vec<&Run> = runs.iter().collect();
    let fit = |others: &[&Run]| {
        if others.iter().any(|run| run.variables["x"] > 7.0) {
            fit(others)
        } else {
            Err(FitError::NoRuns)
        }
    };
    let found = held_out(&runs, 0.95, fit).unwrap();
    assert_eq!(
        found.iter().map(|way| (way.fits, way.skipped)).collect::<Vec<_>>(),
        [(0, 1), (3, 1), (3, 0)]
    );
    assert_eq!(found[0].errors(), None);
    let errors = found[1].errors().unwrap();
    assert_eq!((errors.points, errors.runs), (9, 9));
    assert!(errors.mean < 1e-6 && errors.worst.error().abs() < 1e-6, "{}", errors.mean);
}

#[test]
fn errors_of_left_out_runs_exceed_those_of_an_overfitted_model() {
    // Times without any dependence on x: a fit follows their noise.
    let noise = [0.3, -0.2, 0.1, -0.3, 0.25, -0.15, 0.2, -0.25];
    let runs: Vec<Run> = noise
        .iter()
        .zip(1..)
        .map(|(noise, x)| Run {
            seconds: Seconds::new(10.0 * (1.0 + noise)),
            ..run(&[("x", x.into())])
        })
        .collect();
    let region = region(&runs);
    let accuracy = region.accuracy(&runs.iter().collect::<Vec<_>>(), 0.95).unwrap();
    let in_sample = orrery::scaling::ErrorSummary::of(accuracy.points(true)).unwrap();
    let sizes = accuracy.held_out[1].errors().unwrap();
    assert!(sizes.mean > in_sample.mean, "{} {}", sizes.mean, in_sample.mean);
    assert!(sizes.worst.error().abs() >= sizes.median);
}

/// A region with a model of these runs.
fn region(runs: &[Run]) -> Region {
    let model = fit(&runs.iter().collect::<Vec<_>>()).unwrap();
    Region { name: String::new(), model, measured: MeasuredPoint::of_runs(runs) }
}

#[test]
fn runs_of_the_fit_and_others_are_distinguished() {
    let (fitted, others) = (grid([1, 2, 4, 8], 4), grid([3, 5], 4));
    let mut region = region(&fitted);
    let of = |region: &Region, runs: &[&[Run]]| -> Accuracy {
        let runs: Vec<&Run> = runs.iter().copied().flatten().collect();
        region.accuracy(&runs, 0.95).unwrap()
    };
    let counts = |accuracy: &Accuracy| (accuracy.points(true).len(), accuracy.points(false).len());
    let all = of(&region, &[&fitted]);
    assert_eq!((all.runs_of_fit, counts(&all), all.held_out.len()), (RunsOfFit::All, (16, 0), 3));
    let both = of(&region, &[&fitted, &others]);
    assert_eq!((both.runs_of_fit, counts(&both)), (RunsOfFit::All, (16, 8)));
    // The other runs are in no fit.
    assert_eq!(both.held_out, all.held_out);
    let new = of(&region, &[&others]);
    assert_eq!((new.runs_of_fit, counts(&new), new.held_out.len()), (RunsOfFit::None, (0, 8), 0));
    let part = of(&region, &[&fitted[4..], &others]);
    let missing = RunsOfFit::Some { missing: 4 };
    assert_eq!((part.runs_of_fit, counts(&part), part.held_out.len()), (missing, (12, 8), 0));
    region.measured.clear();
    let unknown = of(&region, &[&fitted]);
    assert_eq!(
        (unknown.runs_of_fit, counts(&unknown), unknown.held_out.len()),
        (RunsOfFit::Unknown, (0, 0), 0)
    );
    assert_eq!(unknown.evaluation.points.len(), 16);
}
