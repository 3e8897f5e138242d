//! `GET /v1/history`: past values of a series, samples as far as they are kept, summaries before
//! them.

use std::sync::Arc;

use orrery::units::Seconds;
use serde::Serialize;

use super::super::refusal::Refusal;
use super::super::state::State;
use super::forecast::find;
use super::{Access, Answer, Call, Route};
use crate::timestamp::Timestamp;

/// The time before now from which values are returned unless the request has another one.
const DEFAULT_SPAN: Seconds = Seconds::new(3600.0);

/// The number of points unless the request has another one.
const DEFAULT_POINTS: usize = 1_000;
/// The maximum number of points.
const MAX_POINTS: usize = 10_000;

pub(super) const ROUTE: Route = Route {
    method: "GET",
    path: "/v1/history",
    access: Access::Token,
    answer: |state, call| Box::pin(answer(state, call)),
};

#[derive(Serialize)]
struct Body<'a> {
    series: &'a str,
    unit: &'static str,
    points: Vec<Point>,
}

/// A sample, or the summary of an interval that begins at the time.
#[derive(Serialize)]
struct Point {
    time: f64,
    /// Of the interval in seconds; 0 of a sample.
    width: f64,
    mean: f64,
    low: f64,
    high: f64,
    count: u64,
}

/// Answers with the points of a series between two times.
async fn answer(state: Arc<State>, call: Call) -> Result<Answer, Refusal> {
    let query = &call.query;
    let name = query
        .one("series")?
        .ok_or_else(|| Refusal::bad("name a series: /v1/history?series=node1/load"))?;
    let series = find(&state, name)?;
    let time = |seconds: f64| Timestamp::from_seconds(Seconds::new(seconds));
    let to = query.number("to")?.map_or_else(Timestamp::now, time);
    let from = query.number("from")?.map_or_else(|| to.after(Seconds::ZERO - DEFAULT_SPAN), time);
    let limit = query.number("limit")?.unwrap_or(DEFAULT_POINTS as f64);
    if !(1.0..=MAX_POINTS as f64).contains(&limit) {
        return Err(Refusal::bad(format!(
            "the parameter 'limit' must be 1 to {MAX_POINTS} points"
        )));
    }
    let id = series.id;
    let points = state.reader.run(move |store| store.history(id, from, to, limit as usize)).await?;
    let point = |point: crate::store::Point| Point {
        time: point.time.seconds().get(),
        width: point.width.get(),
        mean: point.mean,
        low: point.low,
        high: point.high,
        count: point.count,
    };
    let points = points.into_iter().map(point).collect();
    Answer::json(&Body { series: &series.text, unit: series.name.quantity().unit(), points })
}
