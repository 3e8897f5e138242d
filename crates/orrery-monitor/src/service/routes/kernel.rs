//! `GET /v1/kernel` and `GET /v1/best/host`: the time of a kernel on hosts now.

use std::sync::Arc;

use orrery::conditions::Current;
use orrery::kernel::{KernelCall, Operands};
use orrery::model::{Forecaster, KernelChoice, KernelPredictError};
use orrery::request::KernelRequest;
use orrery::units::Seconds;
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
    /// The part of a processor that the kernel gets; `null` if it is not known now, which counts as 1.
    availability: Option<Forecast>,
    /// The memory of the call in bytes.
    space: u64,
    /// The free memory of the host in bytes.
    memory_free: Option<f64>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct Hosts {
    kernel: String,
    /// The hosts with their times, the fastest first.
    hosts: Vec<OnHost>,
}

/// Answers with the time of a call on the named host.
async fn time(state: Arc<State>, call: Call) -> Result<Answer, Refusal> {
    let query = &call.query;
    let (kernel, choice) = (kernel_call(query)?, kernels(query)?);
    let host = query.needed("host", || {
        Refusal::bad("name a host: /v1/kernel?kernel=dgemm&m=100&n=100&k=100&host=node1")
    })?;
    let now = present::model(&state, query.duration("horizon")?).await?;
    Answer::json(&on_host(&now, &kernel, &choice, host)?)
}

/// Answers with the times of a call on all hosts, the fastest first.
async fn best(state: Arc<State>, call: Call) -> Result<Answer, Refusal> {
    let query = &call.query;
    let (kernel, choice) = (kernel_call(query)?, kernels(query)?);
    let now = present::model(&state, query.duration("horizon")?).await?;
    let of_kernels = now.present.model.kernels.iter();
    let mut names: Vec<&String> =
        of_kernels.flat_map(|one| one.equal_hosts.iter().chain([&one.conditions.host])).collect();
    names.sort();
    names.dedup();
    let all = names.into_iter().map(|host| on_host(&now, &kernel, &choice, host));
    let (mut hosts, mut faults) = (Vec::new(), Vec::new());
    all.for_each(|one| match one {
        Ok(one) => hosts.push(one),
        Err(fault) => faults.push(fault),
    });
    if let (true, Some(fault)) = (hosts.is_empty(), faults.first()) {
        return Err(fault.clone());
    }
    // Hosts without the memory come last.
    let lacks_memory = |one: &OnHost| one.memory_free.is_some_and(|free| (one.space as f64) > free);
    hosts.sort_by(|a, b| {
        lacks_memory(a).cmp(&lacks_memory(b)).then(a.seconds.total_cmp(&b.seconds))
    });
    Answer::json(&Hosts { kernel: kernel.kernel().to_string(), hosts })
}

/// The call that a request describes.
fn kernel_call(query: &Query) -> Result<KernelCall, Refusal> {
    let example =
        || Refusal::bad("name a kernel: /v1/kernel?kernel=dgemm&m=100&n=100&k=100&host=node1");
    let kernel = query.needed("kernel", example)?.parse().map_err(Refusal::of)?;
    let request = KernelRequest {
        kernel,
        variant: query.one("variant")?.map(str::to_owned),
        m: query.list("m")?,
        n: query.list("n")?,
        k: query.list("k")?,
        kernels: KernelChoice::default(),
    };
    request.call().map_err(Refusal::request)
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

/// The time of a call on a host, with warnings: dimensions that were not measured, load that is
/// unknown, more memory than is free.
fn on_host(
    now: &PresentModel,
    call: &KernelCall,
    choice: &KernelChoice,
    host: &str,
) -> Result<OnHost, Refusal> {
    let missing = |error: KernelPredictError| Refusal::request(error.into());
    let idle = Forecaster::new(&now.present.model).with_kernels(choice.clone());
    let loaded =
        idle.clone().with_availability(now.present.availability.clone()).map_err(Refusal::of)?;
    let best = idle.kernel_time(call, host).map_err(missing)?;
    let time = loaded.kernel_time(call, host).map_err(missing)?;
    let space = idle.kernel_space(call, host).map_err(missing)?.get();
    let conditions = now.conditions.hosts.get(host);
    let availability = conditions.and_then(|one| one.availability);
    let mut warnings: Vec<String> = best.extrapolated.iter().map(outside).collect();
    match availability {
        None => {
            warnings.push("the load of the host is not monitored: it counts as idle".to_owned());
        }
        Some(current) if current.ahead > Seconds::ZERO => {
            let ahead = current.ahead.get();
            warnings.push(format!(
                "the last sample of the load is {ahead:.0} s ahead: the host counts as idle"
            ));
        }
        Some(current) if current.is_stale => {
            let age = current.age.get();
            warnings.push(format!(
                "the last sample of the load is {age:.0} s old: the host counts as idle"
            ));
        }
        Some(current) if current.interval.is_none() => {
            warnings.push(
                "there are too few samples of the load for an interval: that of the time lacks its \
                    error".to_owned(),
            );
        }
        Some(_) => {}
    }
    let memory_free = conditions.and_then(|one| one.memory_free?.fresh()).map(|one| one.ends()[0]);
    if memory_free.is_some_and(|free| space as f64 > free) {
        warnings.push("the call needs more memory than is free".to_owned());
    }
    Ok(OnHost {
        host: host.to_owned(),
        seconds: time.seconds.get(),
        low: time.interval.map(|(low, _)| low.get()),
        high: time.interval.map(|(_, high)| high.get()),
        idle_seconds: best.seconds.get(),
        availability: availability.and_then(Current::fresh).map(Forecast::from),
        space,
        memory_free,
        warnings,
    })
}

/// The words about a dimension that was not measured: its name, its value and the measured range.
fn outside((name, value, [low, high]): &(char, u64, [u64; 2])) -> String {
    format!("{name} = {value} is outside the measured {low} to {high}")
}
