//! `GET /v1/forecast`: forecasts of series at a horizon.

use std::sync::Arc;

use hyper::StatusCode;
use orrery::forecast::ForecastOptions;
use orrery::request::SeriesForecastRequest;
use orrery::units::Seconds;
use serde::Serialize;

use super::super::board::LiveSeries;
use super::super::horizons::{Key, MAX_HORIZON_STEPS};
use super::super::refusal::Refusal;
use super::super::state::State;
use super::super::tracker::Tracked;
use super::prediction::SeriesState;
use super::{Access, Answer, Call, Route};
use crate::timestamp::Timestamp;

/// The maximum number of series in a request.
const MAX_SERIES: usize = 1_000;

pub(super) const ROUTE: Route = Route {
    method: "GET",
    path: "/v1/forecast",
    access: Access::Token,
    answer: |state, call| Box::pin(answer(state, call)),
};

/// The answer: the forecasts in the order of the requested series.
#[derive(Serialize)]
struct Body<'a> {
    /// The present time in seconds since 1970.
    time: f64,
    /// The horizon in seconds; `None` for the next sample.
    horizon: Option<f64>,
    forecasts: Vec<SeriesState<'a>>,
}

/// Answers with the forecasts of the named series.
async fn answer(state: Arc<State>, call: Call) -> Result<Answer, Refusal> {
    let (horizon, level) = (call.query.duration("horizon")?, call.query.number("level")?);
    let names: Vec<&str> = call.query.all("series").collect();
    if names.is_empty() || names.len() > MAX_SERIES {
        return Err(Refusal::bad(format!(
            "name 1 to {MAX_SERIES} series: /v1/forecast?series=node1/load&horizon=10m"
        )));
    }
    let series = names.into_iter().map(|name| find(&state, name)).collect::<Result<Vec<_>, _>>()?;
    let mut tracked = Vec::with_capacity(series.len());
    for series in &series {
        tracked.push(forecast(&state, series, horizon, level).await?);
    }
    let now = Timestamp::now();
    let forecasts = series
        .iter()
        .zip(tracked)
        .map(|(series, tracked)| SeriesState::new(series, tracked, now))
        .collect();
    Answer::json(&Body { time: now.seconds().get(), horizon: horizon.map(Seconds::get), forecasts })
}

/// The series of a name.
pub(super) fn find(state: &State, name: &str) -> Result<Arc<LiveSeries>, Refusal> {
    state.board.find(name).ok_or_else(|| {
        let name: String = name.chars().take(80).collect();
        Refusal::new(
            StatusCode::NOT_FOUND,
            format!("there are no samples of '{name}'; /v1/series lists all series"),
        )
    })
}

/// The forecast of a series at a horizon, by default that of the next sample, with intervals of a
/// level, by default the usual one; from memory if its forecaster is loaded. `None` without
/// samples.
pub(in super::super) async fn forecast(
    state: &Arc<State>,
    series: &Arc<LiveSeries>,
    horizon: Option<Seconds>,
    level: Option<f64>,
) -> Result<Option<Tracked>, Refusal> {
    let next = match series.next() {
        Some(next) => next,
        None => {
            let loaded = Arc::clone(series);
            let next = state
                .reader
                .run(move |store| loaded.load(store, Timestamp::now()).map(|()| loaded.next()))
                .await?;
            let Some(next) = next else { return Ok(None) };
            next
        }
    };
    let options = options(next, horizon, level)?;
    if options == next.options {
        return Ok(Some(next));
    }
    let key = Key::new(series.id, horizon, options.level());
    if let Some(forecast) = state.horizons.forecast(key, options.steps()) {
        return Ok(Some(forecast));
    }
    let (horizons, series) = (Arc::clone(&state.horizons), Arc::clone(series));
    state
        .reader
        .run(move |store| horizons.load(key, &series, options, store, Timestamp::now()))
        .await
}

/// The options of a forecast at a horizon, which is rounded to whole samples of the usual spacing,
/// at least one; one sample without a horizon or a known spacing. Refuses horizons of more than
/// [`MAX_HORIZON_STEPS`] samples.
fn options(
    next: Tracked,
    horizon: Option<Seconds>,
    level: Option<f64>,
) -> Result<ForecastOptions, Refusal> {
    let request = SeriesForecastRequest {
        horizon: horizon.filter(|_| next.spacing.is_some()),
        level: level.unwrap_or(next.options.level()),
        ..SeriesForecastRequest::default()
    };
    let steps = request.steps(next.spacing).map_err(Refusal::request)?;
    if steps > MAX_HORIZON_STEPS {
        let longest = next.spacing.map_or(0.0, Seconds::get) * MAX_HORIZON_STEPS as f64;
        return Err(Refusal::bad(format!(
            "the horizon is {steps} samples of this series, the maximum is {MAX_HORIZON_STEPS}; \
                request up to {longest:.0} s"
        )));
    }
    let options = request.options(next.spacing).map_err(Refusal::request)?;
    Ok(options.with_bounds(next.options.bounds()))
}
