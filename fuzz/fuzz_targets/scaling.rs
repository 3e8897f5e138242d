//! Execution-time models can be fitted to runs that are read, without a panic: what is fitted can
//! be written and read again, and forecasts the points of its runs.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::model::Model;
use orrery::model::file::{parse as parse_model, to_text};
use orrery::run::file::parse;
use orrery::scaling::{Application, MeasuredPoint, Region, TermOptions, fit_terms, lack_of_fit};

/// The number of runs, and of variables, up to which models are fitted.
const MAX_RUNS: usize = 40;
const MAX_VARIABLES: usize = 4;

fuzz_target!(|content: &[u8]| {
    let Ok(runs) = parse(content, "fuzz") else { return };
    let is_small = runs.runs.len() <= MAX_RUNS
        && runs.runs.iter().all(|run| run.variables.len() <= MAX_VARIABLES);
    if !is_small {
        return;
    }
    let Ok(fitted) = fit_terms(&runs.runs, TermOptions::default()) else { return };
    let model = fitted.model.into();
    let measured = MeasuredPoint::of_model(&runs.runs, &model);
    let region = Region { name: String::new(), model, measured };
    let (mean, mean_runs) = region.model.at_mean_levels(&runs.runs);
    let _ = lack_of_fit(&mean_runs, |point| mean.estimate(point));
    for measured in &region.measured {
        // A kind that never is the slowest of its runs has no forecast.
        if let Ok(forecast) = region.forecast(&measured.point, 0.95) {
            assert!(!forecast.seconds.get().is_nan());
        }
    }
    let model = Model {
        application: Some(Application { regions: vec![region], ..Application::default() }),
        ..Model::default()
    };
    let text = to_text(&model).expect("what was fitted can be written");
    assert_eq!(parse_model(&text, "fuzz").expect("what was written can be read").model, model);
});
