//! `GET /openapi.json`: the description of all resources.

use super::{Access, Answer, Route, ready};

/// The description of all resources in the form of OpenAPI 3.1.
pub const OPENAPI: &str = include_str!("openapi.json");

pub(super) const ROUTE: Route = Route {
    method: "GET",
    path: "/openapi.json",
    access: Access::Token,
    parameters: &[],
    answer: |_, _| ready(Ok(Answer::of("application/json", OPENAPI))),
};
