//! `GET /v1/kernel` and `GET /v1/best/host`: the time of a kernel on hosts now.

use std::sync::Arc;

use orrery::conditions::Current;
use orrery::kernel::Operands;
use orrery::model::{KernelAlarm, KernelChoice, LoadDoubt};
use orrery::request::{HostForecast, HostRequest, KernelRequest};
use serde::Serialize;

use super::super::present::{self, PresentModel};
use super::super::query::Query;
use super::super::refusal::Refusal;
use super::super::state::State;
use super::path::Forecast;
use super::{Access, Answer, Call, Route};

/// The time of a call on one host.
pub(super) const TIME: Route = Route {
    method: "GET",
    path: "/v1/kernel",
    access: Access::Token,
    answer: |state, call| Box::pin(time(state, call)),
};

/// The hosts with their times of a call.
pub(super) const BEST: Route = Route {
    method: "GET",
    path: "/v1/best/host",
    access: Access::Token,
    answer: |state, call| Box::pin(best(state, call)),
};

/// The time of a kernel on a host.
#[derive(Serialize)]
struct OnHost {
    host: String,
    /// The time now.
    seconds: f64,
    low: Option<f64>,
    high: Option<f64>,
    /// The time on the idle host.
    idle_seconds: f64,
    /// The part of a processor that the kernel gets; `null` if it is not known now.
    availability: Option<Forecast>,
    /// The memory of the call in bytes.
    space: u64,
    /// The free memory of the host in bytes.
    memory_free: Option<f64>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct BestHosts {
    kernel: String,
    /// The hosts with their times, the fastest first.
    hosts: Vec<OnHost>,
    /// The hosts that are left out, since their load is not known now.
    excluded: Vec<Excluded>,
}

/// A host that a choice leaves out.
#[derive(Serialize)]
pub(super) struct Excluded {
    host: String,
    reason: String,
}

/// Answers with the time of a call on the named host.
async fn time(state: Arc<State>, call: Call) -> Result<Answer, Refusal> {
    let query = &call.query;
    let request = HostRequest { call: kernel_request(query)?, unmonitored: true };
    request.call().map_err(Refusal::request)?;
    let host = query.needed("host", || {
        Refusal::bad("name a host: /v1/kernel?kernel=dgemm&m=100&n=100&k=100&host=node1")
    })?;
    let now = present::model(&state, query.duration("horizon")?).await?;
    let found = request.on(host, &now.present.model, &now.present.availability);
    Answer::json(&on_host(&now, &found.map_err(Refusal::request)?))
}

/// Answers with the times of a call on the hosts whose load is known now, the fastest first.
async fn best(state: Arc<State>, call: Call) -> Result<Answer, Refusal> {
    let query = &call.query;
    let unmonitored = query.flag("unmonitored")?;
    let request = HostRequest { call: kernel_request(query)?, unmonitored };
    let kernel = request.call().map_err(Refusal::request)?.kernel().to_string();
    let now = present::model(&state, query.duration("horizon")?).await?;
    let found = request.answers(&now.present.model, &now.present.availability);
    let found = found.map_err(Refusal::request)?;
    let hosts = found.hosts.iter().map(|one| on_host(&now, one)).collect();
    Answer::json(&BestHosts { kernel, hosts, excluded: excluded(&found.excluded) })
}

/// The request for a call that a query describes.
fn kernel_request(query: &Query) -> Result<KernelRequest, Refusal> {
    let example =
        || Refusal::bad("name a kernel: /v1/kernel?kernel=dgemm&m=100&n=100&k=100&host=node1");
    let kernel = query.needed("kernel", example)?.parse().map_err(Refusal::of)?;
    Ok(KernelRequest {
        kernel,
        variant: query.one("variant")?.map(str::to_owned),
        m: query.list("m")?,
        n: query.list("n")?,
        k: query.list("k")?,
        kernels: kernels(query)?,
    })
}

/// The hosts that a choice leaves out, with the reasons.
pub(super) fn excluded(hosts: &[(String, LoadDoubt)]) -> Vec<Excluded> {
    let one = |(host, doubt): &(String, LoadDoubt)| Excluded {
        host: host.clone(),
        reason: doubt.to_string(),
    };
    hosts.iter().map(one).collect()
}

/// The models of kernels that a request names.
pub(super) fn kernels(query: &Query) -> Result<KernelChoice, Refusal> {
    let threads = query.whole("threads")?.map(|threads| u32::try_from(threads).unwrap_or(u32::MAX));
    let operands =
        query.one("operands")?.map(str::parse::<Operands>).transpose().map_err(Refusal::of)?;
    Ok(KernelChoice {
        host: None,
        library: query.one("blas")?.map(str::to_owned),
        threads,
        operands,
    })
}

/// The time of a call on a host as an answer.
fn on_host(now: &PresentModel, found: &HostForecast) -> OnHost {
    let conditions = now.conditions.hosts.get(&found.host);
    let availability = conditions.and_then(|one| one.availability);
    let mut warnings: Vec<String> = found.forecast.alarms.iter().filter_map(warning).collect();
    if found.lacks_memory() {
        warnings.push("the call needs more memory than is free".to_owned());
    }
    let free = conditions.and_then(|one| one.memory_free?.fresh()).map(|one| one.ends()[0]);
    OnHost {
        host: found.host.clone(),
        seconds: found.forecast.seconds.get(),
        low: found.forecast.interval.map(|(low, _)| low.get()),
        high: found.forecast.interval.map(|(_, high)| high.get()),
        idle_seconds: found.idle.get(),
        availability: availability.and_then(Current::fresh).map(Forecast::from),
        space: found.space.get(),
        memory_free: free,
        warnings,
    }
}

/// The words of an alarm; `None` for a load that the answer contains.
fn warning(alarm: &KernelAlarm) -> Option<String> {
    (!matches!(alarm, KernelAlarm::Load { .. })).then(|| alarm.message())
}
