//! `GET /healthz`: whether the service answers and stores samples.

use hyper::StatusCode;
use serde::Serialize;

use super::super::refusal::Refusal;
use super::super::state::State;
use super::{Access, Answer, Route, ready};

pub(super) const ROUTE: Route = Route {
    method: "GET",
    path: "/healthz",
    access: Access::Open,
    answer: |state, _| ready(answer(&state)),
};

#[derive(Serialize)]
struct Body {
    status: &'static str,
}

/// Answers unless samples cannot be stored.
fn answer(state: &State) -> Result<Answer, Refusal> {
    let ok = Answer::json(&Body { status: "ok" });
    let unavailable = StatusCode::SERVICE_UNAVAILABLE;
    let failure = state.writer.failure();
    failure.map_or(ok, |refusal| Err(Refusal { status: unavailable, ..refusal }))
}
