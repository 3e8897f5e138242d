//! `GET /v1/conditions`: the present load of all hosts and links, as a file of conditions.

use std::sync::Arc;

use orrery::conditions::file;

use super::super::present;
use super::super::refusal::Refusal;
use super::super::state::State;
use super::{Access, Answer, Call, Route};

pub(super) const ROUTE: Route = Route {
    method: "GET",
    path: "/v1/conditions",
    access: Access::Token,
    answer: |state, call| Box::pin(answer(state, call)),
};

/// Answers with the present conditions.
async fn answer(state: Arc<State>, call: Call) -> Result<Answer, Refusal> {
    let conditions = present::conditions(&state, call.query.duration("horizon")?).await?;
    Ok(Answer::of("application/json", file::to_text(&conditions)))
}
