//! The resources of the service, one file each, and the table of all routes.

mod conditions;
mod forecast;
mod health;
mod history;
mod kernel;
mod metrics;
mod openapi;
mod page;
mod path;
mod prediction;
mod routine;
mod samples;
mod series;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use hyper::StatusCode;
use hyper::body::Bytes;
use serde::Serialize;

pub(super) use forecast::forecast;
pub use openapi::OPENAPI;
pub(super) use prediction::SeriesState;

use super::query::Query;
use super::refusal::Refusal;
use super::state::State;

/// Who may use a route if the service has tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// All: it reveals nothing about the cluster.
    Open,
    /// Those with a token.
    Token,
}

/// A method and a path, and what answers there.
pub(super) struct Route {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) access: Access,
    pub(super) answer: fn(Arc<State>, Call) -> Answering,
}

/// What a request contains besides its route.
pub(super) struct Call {
    pub(super) query: Query,
    pub(super) body: Bytes,
}

/// The answer to a request.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) content_type: &'static str,
    pub(super) body: Bytes,
}

/// The future answer of a route.
type Answering = Pin<Box<dyn Future<Output = Result<Answer, Refusal>> + Send>>;

/// All routes.
pub(super) const ROUTES: &[Route] = &[
    samples::ROUTE,
    series::ROUTE,
    forecast::ROUTE,
    history::ROUTE,
    conditions::ROUTE,
    path::ROUTE,
    kernel::TIME,
    kernel::BEST,
    routine::TIME,
    routine::BEST,
    metrics::ROUTE,
    health::ROUTE,
    openapi::ROUTE,
    page::DOCUMENT,
    page::SCRIPT,
    page::STYLE,
];

/// The methods and paths of all resources.
pub fn resources() -> impl Iterator<Item = (&'static str, &'static str)> {
    ROUTES.iter().map(|route| (route.method, route.path))
}

impl Answer {
    /// A successful answer in JSON.
    fn json(value: &impl Serialize) -> Result<Self, Refusal> {
        let body = serde_json::to_vec(value)
            .map_err(|_| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "no JSON"))?;
        Ok(Self::of("application/json", body))
    }

    /// A successful answer of another type.
    fn of(content_type: &'static str, body: impl Into<Bytes>) -> Self {
        Self { status: StatusCode::OK, content_type, body: body.into() }
    }
}

/// A future that is ready.
fn ready(answer: Result<Answer, Refusal>) -> Answering {
    Box::pin(std::future::ready(answer))
}
