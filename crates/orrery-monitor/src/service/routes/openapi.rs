//! `GET /openapi.json`: the description of all resources.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::{Access, Answer, Route, ready};

/// The description of all resources in the form of OpenAPI 3.1.
pub const OPENAPI: &str = include_str!("openapi.json");

pub(super) const ROUTE: Route = Route {
    method: "GET",
    path: "/openapi.json",
    access: Access::Token,
    answer: |_, _| ready(Ok(Answer::of("application/json", OPENAPI))),
};

/// The part of the description that requests are checked by.
#[derive(Default, Deserialize)]
struct Description {
    /// The operations by path and method.
    paths: BTreeMap<String, BTreeMap<String, Operation>>,
}

#[derive(Deserialize)]
struct Operation {
    #[serde(default)]
    parameters: Vec<Parameter>,
}

#[derive(Deserialize)]
struct Parameter {
    name: String,
}

impl AsRef<str> for Parameter {
    fn as_ref(&self) -> &str {
        &self.name
    }
}

impl Route {
    /// The parameters that the query may have: those of the description.
    pub(in super::super) fn parameters(&self) -> &'static [impl AsRef<str> + use<>] {
        static DESCRIPTION: LazyLock<Description> =
            LazyLock::new(|| serde_json::from_str(OPENAPI).unwrap_or_default());
        let methods = DESCRIPTION.paths.get(self.path);
        let operation = methods.and_then(|methods| methods.get(&self.method.to_lowercase()));
        operation.map_or(&[], |operation| operation.parameters.as_slice())
    }
}
