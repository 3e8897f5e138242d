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

/// Answers unless the last samples could not be stored.
fn answer(state: &State) -> Result<Answer, Refusal> {
    if state.writer.has_failed() {
        return Err(Refusal::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "samples are not stored; see the log of the service",
        ));
    }
    Answer::json(&Body { status: "ok" })
}
