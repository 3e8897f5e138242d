//! All regions of a program at one point, and runs that differ from the others of their point.

use orrery::model::{Model, file};
use orrery::request::ApplicationRequest;
use orrery::run::Metric;
use orrery::scaling::{Application, RegionOrder};

use crate::prelude::*;

/// The laws of the times of regions in the numbers of processes and cells.
type Law = fn(f64, f64) -> f64;

/// A solver whose exchange grows with the processes, and its output with the cells.
const REGIONS: [(&str, Law); 4] = [
    ("main->output", |_, cells| 1e-8 * cells),
    ("main", |processes, cells| 1e-8 * cells + 1e-7 * cells / processes + 1e-3 * processes),
    ("main->solve->exchange", |processes, _| 1e-3 * processes),
    ("main->solve", |processes, cells| 1e-7 * cells / processes + 1e-3 * processes),
];

fn model() -> Model {
    let region = |(name, law): &(&str, Law)| {
        let points = [2.0, 4.0, 8.0, 16.0, 32.0]
            .into_iter()
            .flat_map(|p| [1e6, 2e6, 4e6, 8e6, 16e6].map(|cells| (p, cells)));
        let run = |(processes, cells): (f64, f64)| {
            let mut run = Run::new(Seconds::new(law(processes, cells)));
            run.variables.insert("processes".to_owned(), processes);
            run.variables.insert("cells".to_owned(), cells);
            run
        };
        let runs: Vec<Run> = points.map(run).collect();
        let model = fit_terms(&runs, TermOptions::default()).unwrap().model.into();
        Region { name: (*name).to_owned(), measured: MeasuredPoint::of_model(&runs, &model), model }
    };
    let regions = REGIONS.iter().map(region).collect();
    Model {
        application: Some(Application { regions, ..Application::default() }),
        ..Model::default()
    }
}

fn request(order: RegionOrder) -> ApplicationRequest {
    let set = vec![("cells".to_owned(), "16e6".to_owned())];
    ApplicationRequest { processes: vec![1024.0], set, rank_by: Some(order), ..Default::default() }
}

/// The order of regions, their shares and exponents are those of the laws.
#[test]
fn regions_are_ranked_by_share_and_growth() {
    let model = model();
    let names = |order| {
        let (_, regions) = request(order).regions(&model).unwrap();
        regions.iter().map(|one| one.region.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        names(RegionOrder::Share),
        ["main", "main->solve", "main->solve->exchange", "main->output"]
    );
    assert_eq!(
        names(RegionOrder::Tree),
        ["main", "main->output", "main->solve", "main->solve->exchange"]
    );
    assert_eq!(names(RegionOrder::Growth).last().unwrap(), "main->solve");
    let (point, regions) = request(RegionOrder::Tree).regions(&model).unwrap();
    assert_eq!(point.to_string(), "cells = 16000000, processes = 1024");
    let whole = REGIONS[1].1(1024.0, 16e6);
    for one in &regions {
        let law = REGIONS.iter().find(|(name, _)| *name == one.region.name).unwrap().1;
        let share = one.share.unwrap();
        assert!((share / (law(1024.0, 16e6) / whole) - 1.0).abs() < 0.05, "{one:?}");
        let exponent = (law(1034.0, 16e6) / law(1014.0, 16e6)).ln() / (1034.0_f64 / 1014.0).ln();
        let own = one.growth["processes"];
        assert!((own.exponent - exponent).abs() < 0.05, "{}: {own:?} {exponent}", one.region.name);
        let (low, high) = own.interval.unwrap();
        assert!(low - 1e-3 < exponent && exponent < high + 1e-3, "{own:?} {exponent}");
    }
    let depths: Vec<usize> = regions.iter().map(|one| one.depth).collect();
    assert_eq!(depths, [0, 1, 1, 2]);
}

/// A ranking is at one point; variables that no region has are refused.
#[test]
fn a_ranking_needs_one_point_of_known_variables() {
    let model = model();
    let refused = |request: ApplicationRequest| request.regions(&model).unwrap_err().to_string();
    let mut several = request(RegionOrder::Share);
    several.processes = vec![1024.0, 2048.0];
    assert!(refused(several).contains("the values give 2; give one of each"));
    let mut unknown = request(RegionOrder::Share);
    unknown.n = vec![100.0];
    let text = refused(unknown);
    assert!(text.starts_with("n 100: the model has no variable of this name"), "{text}");
    let mut missing = request(RegionOrder::Share);
    missing.set.clear();
    assert!(refused(missing.clone()).contains("the variable cells, which is missing"));
    missing.processes.clear();
    let text = refused(missing);
    assert!(text.contains("the variable cells and the number of processes, which are"), "{text}");
    let named =
        ApplicationRequest { region: Some("main".to_owned()), ..request(RegionOrder::Share) };
    assert!(refused(named).contains("region does not apply"));
}

/// A variable p of a program without a grid is its own: no number of processes gives its value.
#[test]
fn a_variable_p_is_no_grid() {
    let run = |p: f64| {
        let mut run = Run::new(Seconds::new(1e-3 * p * p));
        run.variables.insert("p".to_owned(), p);
        run
    };
    let runs: Vec<Run> = [2.0, 4.0, 8.0, 16.0, 32.0].map(run).to_vec();
    let fitted = fit_terms(&runs, TermOptions::default()).unwrap().model.into();
    let measured = MeasuredPoint::of_model(&runs, &fitted);
    let regions = vec![Region { name: String::new(), measured, model: fitted }];
    let model = Model {
        application: Some(Application { regions, ..Application::default() }),
        ..Model::default()
    };
    let processes = ApplicationRequest { processes: vec![64.0], ..Default::default() };
    for refused in [processes.answers(&model).err(), processes.regions(&model).err()] {
        let text = refused.unwrap().to_string();
        assert!(
            text.contains("no variable of this name")
                && text.contains("its variables are p; leave it out"),
            "{text}"
        );
    }
    let own = ApplicationRequest { p: vec![64.0], ..Default::default() };
    assert!((own.answers(&model).unwrap()[0].1.seconds.get() / 4.096 - 1.0).abs() < 1e-6);
}

/// Of two variables that vary together, none is known to change the time.
#[test]
fn variables_that_vary_together_are_named() {
    let of = |y: fn(f64) -> f64| {
        let run = |x: f64| {
            let mut run = Run::new(Seconds::new(x));
            run.variables.insert("x".to_owned(), x);
            run.variables.insert("y".to_owned(), y(x));
            run
        };
        let runs: Vec<Run> = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(run).to_vec();
        let model = fit_terms(&runs, TermOptions::default()).unwrap().model.into();
        let measured = MeasuredPoint::of_model(&runs, &model);
        Region { name: String::new(), measured, model }
    };
    assert_eq!(of(|x| 100.0 * x).varying_together(), [("x", "y")]);
    assert!(of(|x| (x / 2.0).floor() + 1.0).varying_together().is_empty());
}

/// Runs that are much too short or long are not the time of their point.
#[test]
fn outliers_hardly_count() {
    let times = [
        (4.0, [0.05, 12.0, 12.0, 3.0, 11.0]),
        (8.0, [7.0, 6.0, 5.5, 0.03, 6.2]),
        (16.0, [3.0, 3.1, 2.9, 0.01, 3.3]),
    ];
    let runs: Vec<Run> = times
        .iter()
        .flat_map(|(nodes, all)| {
            all.map(|seconds| {
                let mut run = Run::new(Seconds::new(seconds));
                run.variables.insert("nodes".to_owned(), *nodes);
                run
            })
        })
        .collect();
    let fitted = fit_terms(&runs, TermOptions::default()).unwrap();
    assert_eq!(fitted.outlying_runs, [0, 3, 8, 13]);
    for (nodes, seconds) in [(4.0, 12.0), (8.0, 6.0), (16.0, 3.0)] {
        let mut point = Point::default();
        point.variables.insert("nodes".to_owned(), nodes);
        let forecast = fitted.model.forecast(&point, 0.95).unwrap();
        assert!((forecast.seconds.get() / seconds - 1.0).abs() < 0.15, "{forecast:?}");
        assert!(!forecast.is_worthless(), "{forecast:?}");
    }
}

/// A model of another metric ranks its regions, but is no model of times to choose by.
#[test]
fn models_of_another_metric_do_not_choose() {
    let mut model = model();
    let application = model.application.as_mut().unwrap();
    application.metric = Metric::named("visits");
    let (_, regions) = request(RegionOrder::Share).regions(&model).unwrap();
    assert_eq!(regions.len(), 4);
    let refused = model.application.as_ref().unwrap().timed_region(Some("main")).unwrap_err();
    assert!(refused.to_string().contains("the metric visits, which is no time"), "{refused}");
    let text = file::to_text(&model).unwrap();
    let read = file::parse(&text, "m.json").unwrap().model;
    assert_eq!(read.application.unwrap().metric, Metric::named("visits"));
}
