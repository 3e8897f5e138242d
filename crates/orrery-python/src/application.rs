//! Applications: forecasts of their times, maps over two variables, and rankings of their regions.

use std::sync::Arc;

use orrery::request::ApplicationRequest;
use orrery::run::Configuration;
use orrery::scaling::{ForecastMap, RegionOrder};
use orrery_report::{notebook, tables};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::argument::{self, Words};
use crate::model::Model;
use crate::table::{self, Table};
use crate::{error, work};

/// The values of a variable, or the levels of a category.
#[derive(FromPyObject)]
enum Values {
    /// A number.
    Number(f64),
    /// Numbers.
    Numbers(Vec<f64>),
    /// A level.
    Level(String),
    /// Levels.
    Levels(Vec<String>),
}

impl Values {
    /// The values as a list of the request.
    fn text(self) -> String {
        let words = |numbers: Vec<f64>| numbers.iter().map(f64::to_string).collect();
        let words: Vec<String> = match self {
            Self::Number(number) => words(vec![number]),
            Self::Numbers(numbers) => words(numbers),
            Self::Level(level) => vec![level],
            Self::Levels(levels) => levels,
        };
        words.join(",")
    }
}

/// The request for these values, in their order.
fn request(
    values: &Bound<'_, PyDict>,
    configuration: Option<Words>,
    level: f64,
) -> PyResult<ApplicationRequest> {
    let entry = |(name, values): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name: String = name.extract()?;
        let wrong = |_| error::argument(format!("{name}: a number, a text or a list is expected"));
        Ok((name.clone(), values.extract::<Values>().map_err(wrong)?.text()))
    };
    let set = values.iter().map(entry).collect::<PyResult<Vec<_>>>()?;
    // A configuration has commas of its own.
    let configurations: Vec<Configuration> = match configuration {
        None => Vec::new(),
        Some(Words::One(text)) => vec![argument::parse(&text)?],
        Some(Words::Many(texts)) => {
            texts.iter().map(|text| argument::parse(text)).collect::<PyResult<_>>()?
        }
    };
    Ok(ApplicationRequest { configurations, set, level, ..ApplicationRequest::default() })
}

/// Forecasts the times of runs of an application for all combinations of values.
///
/// `values` has a number, a level of a category or a list for each variable, such as `{"n": 9600,
/// "processes": [4, 8]}`; `configuration` is a text such as `athlon=1x2,pentium-ii=8x1`, or a list.
///
/// Columns: the variables, configuration, seconds (value of a metric that is no time), low, high,
/// extrapolated, slowest_kind.
#[pyfunction]
#[pyo3(signature = (model, values, *, configuration = None, region = None, level = 0.95))]
pub(crate) fn predict_application(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    values: &Bound<'_, PyDict>,
    configuration: Option<Words>,
    region: Option<String>,
    level: f64,
) -> PyResult<Table> {
    let request = ApplicationRequest { region, ..request(values, configuration, level)? };
    let fitted = Arc::clone(&model.get().fitted);
    let (forecasts, warnings) = work::run(py, move |_| {
        let rows = request.answers(&fitted).map_err(error::request)?;
        let region = request.region(&fitted).map_err(error::request)?;
        let metric = request.metric(&fitted).map_err(error::request)?;
        Ok((tables::forecasts(metric, &rows), tables::varying_together_sentences([region])))
    })?;
    warnings.iter().try_for_each(|words| error::warn(py, words))?;
    Ok(table::of_report(forecasts))
}

/// Forecasts the times of a region over the two variables that vary most in its runs: at the measured
/// values, and at twice and four times the largest ones. A notebook shows the heat map.
///
/// Columns: those of `predict_application`, measured (the median of the runs of a point), and reason
/// (why there is no time).
#[pyfunction]
#[pyo3(signature = (model, *, region = None, level = 0.95))]
pub(crate) fn forecast_map(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    region: Option<String>,
    level: f64,
) -> PyResult<Table> {
    let request = ApplicationRequest { region, level, ..ApplicationRequest::default() };
    let fitted = Arc::clone(&model.get().fitted);
    let (metric, map, warnings) = work::run(py, move |_| {
        let metric = request.metric(&fitted).map_err(error::request)?.clone();
        let region = request.region(&fitted).map_err(error::request)?;
        let map = request.forecast_map(&fitted).map_err(error::request)?;
        Ok((metric, map, tables::varying_together_sentences([region])))
    })?;
    warnings.iter().try_for_each(|words| error::warn(py, words))?;
    let shown = metric.clone();
    let columns = move |map: &ForecastMap| table::columns(&tables::forecast_map(&metric, map));
    let html = move |map: &ForecastMap| notebook::forecast_map(&shown, map, level);
    Ok(Table::of("rows", &Arc::new(map), columns, html))
}

/// Ranks all regions of an application at one point: by `share` of the time, by `growth`, or as in
/// the call `tree`.
///
/// Columns: region, depth (the number of its callers), seconds or value, low, high, share,
/// `growth:NAME`, `growth_low:NAME` and `growth_high:NAME` (the exponent of the time in each variable
/// that varies in the runs, and its interval), extrapolated, reason.
#[pyfunction]
#[pyo3(signature = (model, values, *, rank_by = "share", configuration = None, level = 0.95))]
pub(crate) fn rank_regions(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    values: &Bound<'_, PyDict>,
    rank_by: &str,
    configuration: Option<Words>,
    level: f64,
) -> PyResult<Table> {
    let rank_by: RegionOrder = argument::parse(rank_by)?;
    let request =
        ApplicationRequest { rank_by: Some(rank_by), ..request(values, configuration, level)? };
    let fitted = Arc::clone(&model.get().fitted);
    let (ranked, warnings) = work::run(py, move |_| {
        let (point, regions) = request.regions(&fitted).map_err(error::request)?;
        let warnings = tables::varying_together_sentences(regions.iter().map(|one| one.region));
        let metric = request.metric(&fitted).map_err(error::request)?;
        Ok((tables::regions(metric, &point, &regions), warnings))
    })?;
    warnings.iter().try_for_each(|words| error::warn(py, words))?;
    Ok(table::of_report(ranked))
}
