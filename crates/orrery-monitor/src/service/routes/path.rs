//! `GET /v1/path`: latency and bandwidth between two hosts, also of a pair that nobody monitors.

use std::sync::Arc;

use orrery::conditions::Current;
use serde::Serialize;

use super::super::present;
use super::super::refusal::Refusal;
use super::super::state::State;
use super::{Access, Answer, Call, Route};

pub(super) const ROUTE: Route = Route {
    method: "GET",
    path: "/v1/path",
    access: Access::Token,
    answer: |state, call| Box::pin(answer(state, call)),
};

#[derive(Serialize)]
struct Body {
    /// The hosts from the sender to the receiver.
    hosts: Vec<String>,
    /// The sum of the latencies in seconds.
    latency: Option<Forecast>,
    /// The smallest bandwidth in bytes per second.
    bandwidth: Option<Forecast>,
    /// The same of idle links.
    idle_latency: Option<f64>,
    idle_bandwidth: Option<f64>,
    /// True if a link was measured in the other direction only.
    reversed: bool,
}

/// A forecast with its interval.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Forecast {
    value: f64,
    low: Option<f64>,
    high: Option<f64>,
    /// The age of the oldest last sample in seconds.
    age: f64,
}

impl From<Current> for Forecast {
    fn from(current: Current) -> Self {
        let (low, high) = current.interval.unzip();
        Self { value: current.value, low, high, age: current.age.get() }
    }
}

/// Answers with the conditions along the path between two hosts.
async fn answer(state: Arc<State>, call: Call) -> Result<Answer, Refusal> {
    let query = &call.query;
    let ends = || Refusal::bad("name both hosts: /v1/path?from=node1&to=node2");
    let (from, to) = (query.needed("from", ends)?, query.needed("to", ends)?);
    if from == to {
        return Err(Refusal::bad(
            "the parameters 'from' and 'to' are the same host; name two hosts",
        ));
    }
    let conditions = present::conditions(&state, query.duration("horizon")?).await?;
    let path = conditions.path(from, to).ok_or_else(|| {
        Refusal::missing(
            "no path of links that are monitored now leads from one host to the other; \
                /v1/conditions has the links",
        )
    })?;
    Answer::json(&Body {
        hosts: path.hosts,
        latency: path.latency.map(Forecast::from),
        bandwidth: path.bandwidth.map(Forecast::from),
        idle_latency: path.idle_latency,
        idle_bandwidth: path.idle_bandwidth,
        reversed: path.is_reversed,
    })
}
