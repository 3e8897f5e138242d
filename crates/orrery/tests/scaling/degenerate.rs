//! Few and degenerate runs are fitted and forecast, or refused with a reason: never a panic, and
//! never a number that is none.

use orrery::model::Model;
use orrery::request::{ApplicationRequest, ConfigurationRequest, SearchRequest, ValidationRequest};
use orrery::scaling::advise::{AdviceOptions, Advisor};
use orrery::scaling::search::Objective;
use orrery::scaling::{Application, lack_of_fit};
use proptest::prelude::*;

use crate::advise::search_space;
use crate::prelude::*;

/// Values of a variable: few different ones, so that runs coincide and variables are collinear, and
/// such that powers and products of them leave the range of numbers.
fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => (0_i32..6).prop_map(|k| f64::from(2_i32.pow(k as u32))),
        2 => (1_u32..500_000).prop_map(f64::from),
        1 => prop_oneof![Just(0.0), Just(-3.0), Just(1e-300), Just(1e150), Just(1e308)],
    ]
}

/// A time: equal ones, tiny and huge ones.
fn seconds() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => Just(1.0),
        4 => 0.9_f64..1.1,
        2 => 1e-3_f64..1e3,
        2 => prop_oneof![Just(5e-324), Just(1e-300), Just(1e-12), Just(1e12), Just(f64::MAX)],
    ]
}

const CONFIGURATIONS: [&str; 6] =
    ["a=1x1", "a=1x2", "b=1x1", "b=4x2", "a=1x2,b=2x1", "a=1x1,b=4x1"];

/// One to eight runs with some of the usual variables, and perhaps with configurations.
fn runs() -> impl Strategy<Value = Vec<Run>> {
    let names: &[&[&str]] = &[&["n"], &["n", "p", "q"], &["n", "processes"], &["x", "y"], &[]];
    let choices = (prop::sample::select(names), any::<bool>(), any::<bool>());
    choices.prop_flat_map(move |(names, has_kinds, is_collinear)| {
        let values = prop::collection::vec(value(), names.len());
        let one = (values, seconds(), prop::sample::select(&CONFIGURATIONS[..]));
        prop::collection::vec(one, 1..9).prop_map(move |drawn| {
            let run = |(values, seconds, configuration): (Vec<f64>, f64, &str)| {
                let mut run = Run::new(Seconds::new(seconds));
                let first = values.first().copied().unwrap_or_default();
                let each = names.iter().zip(values).map(|(name, value)| {
                    ((*name).to_owned(), if is_collinear { first } else { value })
                });
                run.variables = each.collect();
                if has_kinds {
                    run.configuration = configuration.parse().unwrap();
                }
                run
            };
            drawn.into_iter().map(run).collect()
        })
    })
}

/// Checks that a time is a number, and not below 0.
fn check(seconds: Seconds) {
    assert!(seconds.get() >= 0.0, "{seconds:?}");
}

/// Forecasts, validations and choices by a model.
fn ask(model: ExecutionTimeModel, runs: &[Run], at: &[f64]) {
    let measured = MeasuredPoint::of_model(runs, &model);
    let region = Region { name: String::new(), model, measured };
    let (mean, levelled) = region.model.at_mean_levels(runs);
    let _ = lack_of_fit(&levelled, |point| mean.estimate(point));
    let model = Model {
        application: Some(Application { regions: vec![region], ..Application::default() }),
        ..Model::default()
    };
    let given = |name: &str| {
        if runs[0].variables.contains_key(name) { at.to_vec() } else { Vec::new() }
    };
    for level in [0.5, 0.95, 1.0 - 1e-12] {
        let request = ApplicationRequest {
            n: given("n"),
            p: given("p"),
            q: given("q"),
            processes: given("processes"),
            configurations: vec![runs[0].configuration.clone()],
            level,
            ..ApplicationRequest::default()
        };
        for (_, forecast) in request.answers(&model).unwrap_or_default() {
            check(forecast.seconds);
            if let Some((low, high)) = forecast.interval {
                check(low);
                check(high);
            }
        }
        let _ = ValidationRequest { level, ..ValidationRequest::default() }.of_runs(&model, runs);
    }
    let hosts = |kind: &str| HostGroup {
        names: vec![format!("{kind}0"), format!("{kind}1")],
        kind: kind.to_owned(),
        cores: 2,
        processes: 2,
        memory: None,
        price: None,
    };
    let cluster = Cluster::new(vec![hosts("a"), hosts("b")]).unwrap();
    let choice = ConfigurationRequest {
        region: None,
        n: given("n"),
        search: SearchRequest { needs_matrix: Some(false), ..SearchRequest::default() },
        objective: Objective::default(),
        deadline: None,
        top: 2,
        level: 0.95,
    };
    if let Ok(at_levels) = choice.at_levels(&model) {
        let _ = choice.answers(at_levels, &cluster);
    }
    let region = &model.application.as_ref().unwrap().regions[0];
    let space = search_space(&cluster);
    let advisor = Advisor::new(
        &region.model,
        &region.measured,
        &space,
        &given("n"),
        &[],
        AdviceOptions::default(),
    );
    if let Ok(advisor) = advisor {
        let advice = advisor.advise_up_to(Seconds::new(1e6), 2);
        advisor.is_certain(&advice.decisions);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn few_and_degenerate_runs_are_answered_or_refused(
        runs in runs(),
        at in prop::collection::vec(value(), 1..3),
        family in prop::sample::select(
            &[None, Some(TermFamily::Hpl), Some(TermFamily::Scalapack), Some(TermFamily::General)][..]
        ),
    ) {
        let options = TermOptions { family, ..TermOptions::default() };
        if let Ok(fitted) = fit_terms(&runs, options) {
            ask(fitted.model.into(), &runs, &at);
        }
        if let Ok(paper) = fit_paper(&runs, &PaperOptions::default()) {
            ask(paper.into(), &runs, &at);
        }
    }
}

/// Eight grids of one matrix on 960 processes, whose times a sum of many terms reproduces so well
/// that variances of forecasts by fits without a part of them are not numbers.
#[test]
fn runs_of_one_size_on_different_grids() {
    let grids = [(160, 6), (32, 30), (3, 320), (20, 48), (10, 96), (80, 12), (5, 192), (1, 960)];
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let runs: Vec<Run> = grids
        .iter()
        .map(|&(p, q)| {
            let (p, q) = (f64::from(p), f64::from(q));
            let mut run = Run::new(Seconds::new((p / 2.0 + 3e4 / q) * rng.random_range(0.7..1.4)));
            let variables = [("n", 250_000.0), ("p", p), ("q", q)];
            run.variables =
                variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            run
        })
        .collect();
    let fitted = fit_terms(&runs, TermOptions::default()).unwrap();
    ask(fitted.model.into(), &runs, &[960.0, 1.0, 250_000.0]);
}

/// Below 1, logarithms are negative: a sum of terms that is below 0 is no time.
#[test]
fn times_below_0_are_refused() {
    let runs: Vec<Run> = [(8.0, 1.0), (29_972.0, 1.0), (1.0, 1e-12), (42_062.0, 1.0)]
        .into_iter()
        .map(|(n, seconds)| {
            let mut run = Run::new(Seconds::new(seconds));
            run.variables = [("n".to_owned(), n)].into_iter().collect();
            run
        })
        .collect();
    let options = TermOptions { family: Some(TermFamily::General), ..TermOptions::default() };
    let model = fit_terms(&runs, options).unwrap().model;
    let at = |n: f64| Point {
        variables: [("n".to_owned(), n)].into_iter().collect(),
        ..Point::default()
    };
    assert!(model.forecast(&at(8.0), 0.95).is_ok());
    let error = model.forecast(&at(1e-300), 0.95).unwrap_err().to_string();
    assert!(error.contains("no valid time so far outside"), "{error}");
}
