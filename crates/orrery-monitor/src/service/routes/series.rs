//! `GET /v1/series`: all series with their last samples and the forecasts of their next ones.

use serde::Serialize;

use super::super::refusal::Refusal;
use super::super::state::State;
use super::prediction::SeriesState;
use super::{Access, Answer, Call, Route, ready};
use crate::timestamp::Timestamp;

pub(super) const ROUTE: Route = Route {
    method: "GET",
    path: "/v1/series",
    access: Access::Token,
    answer: |state, call| ready(answer(&state, &call)),
};

#[derive(Serialize)]
struct Body<'a> {
    /// The present time in seconds since 1970.
    time: f64,
    /// The number of samples that are set aside.
    aside: u64,
    series: Vec<SeriesState<'a>>,
}

/// Answers with the states of the series, of one host or quantity if it is named.
fn answer(state: &State, call: &Call) -> Result<Answer, Refusal> {
    let (host, quantity, now) =
        (call.query.one("host")?, call.query.one("quantity")?, Timestamp::now());
    let mut all = state.board.all();
    all.retain(|series| {
        host.is_none_or(|host| series.name.host() == host)
            && quantity.is_none_or(|quantity| series.name.quantity().name() == quantity)
    });
    let series = all.iter().map(|series| SeriesState::new(series, series.next(), now)).collect();
    Answer::json(&Body { time: now.seconds().get(), aside: state.board.aside(), series })
}
