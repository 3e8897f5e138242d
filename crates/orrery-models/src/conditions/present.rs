//! A fitted model under the present conditions.

use std::collections::BTreeMap;

use super::path::LinkGraph;
use super::{Conditions, ConditionsOfPath, Current};
use crate::model::{Availability, Factor, LinkSlowdown, LoadDoubt, Model, doubtful_hosts};
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::Processor;

/// A link counts as at most this much slower than when it was idle, so that times remain finite.
const MAX_SLOWDOWN: f64 = 1000.0;

/// A model under the present conditions.
#[derive(Debug, Clone)]
pub struct Present {
    /// The model with links slower by their present latency and bandwidth, and with the free memory
    /// of hosts.
    pub model: Model,
    /// The part of a processor that a new process gets, by host.
    pub availability: Availability,
    /// What the conditions do not say about the hosts of the model; predictions on them have it as
    /// alarms.
    pub host_warnings: Vec<String>,
    /// What the conditions do not say about its links.
    pub link_warnings: Vec<String>,
}

impl Present {
    /// What the conditions do not say about the cluster of the model.
    pub fn warnings(&self) -> impl Iterator<Item = &String> {
        self.host_warnings.iter().chain(&self.link_warnings)
    }
}

/// The forecast of a load, unless it says nothing about the present.
fn known(current: Current) -> Result<Current, LoadDoubt> {
    match current {
        Current { is_stale: false, .. } => Ok(current),
        Current { ahead, .. } if ahead > Seconds::ZERO => Err(LoadDoubt::Ahead { by: ahead }),
        Current { age, .. } => Err(LoadDoubt::Stale { age }),
    }
}

impl Conditions {
    /// The names of the first monitored hosts as text.
    pub fn host_names(&self) -> String {
        const MAX_NAMED: usize = 10;
        let hosts: Vec<&str> = self.hosts.keys().take(MAX_NAMED).map(String::as_str).collect();
        if hosts.is_empty() { "no hosts".to_owned() } else { hosts.join(", ") }
    }

    /// Returns true if the conditions say something about the load of a host or about a pair of
    /// hosts of the model.
    pub fn concern(&self, model: &Model) -> bool {
        let known = model.host_names();
        let is_host = |name: &String| known.contains(name.as_str());
        let hosts = self.hosts.iter().filter(|(name, _)| is_host(name));
        let is_fresh =
            |one: &super::HostConditions| one.availability.is_some_and(|current| !current.is_stale);
        let mut links = self.links.iter();
        hosts.map(|(_, one)| one).any(is_fresh)
            || links.any(|link| is_host(&link.from) && is_host(&link.to))
    }

    /// The model under these conditions: the availability of each host, the free memory instead of
    /// all memory, and slower links.
    ///
    /// The byte delay of a pair of processors is multiplied by its idle bandwidth over its present
    /// bandwidth, and its latency by the present latency over the idle latency: how much slower the
    /// link is than when it was measured, whatever protocol monitors it. Ratios below 1 count as 1.
    /// The slower direction counts. Of pairs that are not monitored the links of the shortest path
    /// count.
    pub fn apply(&self, model: &Model) -> Present {
        let mut present = Present {
            model: model.clone(),
            availability: Availability::default(),
            host_warnings: Vec::new(),
            link_warnings: Vec::new(),
        };
        self.load(&mut present);
        self.links(&mut present);
        present
    }

    /// Sets the availability and the free memory of the hosts, and warns of hosts without present
    /// values.
    fn load(&self, present: &mut Present) {
        let hosts: Vec<String> =
            present.model.host_names().into_iter().map(str::to_owned).collect();
        for host in &hosts {
            let conditions = self.hosts.get(host);
            let availability = std::mem::take(&mut present.availability);
            let current = conditions.and_then(|one| one.availability);
            present.availability = match current.ok_or(LoadDoubt::Unmonitored).and_then(known) {
                Ok(one) => availability.with_forecast(host.clone(), one.value, one.interval),
                Err(doubt) => availability.with_unknown(host.clone(), doubt),
            };
            if let Some(free) = conditions.and_then(|one| one.memory_free).and_then(Current::fresh)
            {
                let free = Bytes::new(free.ends()[0].max(0.0) as u64);
                let memory = present.model.host_memory.entry(host.clone()).or_insert(free);
                *memory = (*memory).min(free);
            }
        }
        let doubt = |host: &String| Some((host.clone(), present.availability.doubt(host)?));
        let (unknown, few): (Vec<_>, Vec<_>) =
            hosts.iter().filter_map(doubt).partition(|(_, doubt)| doubt.is_unknown());
        if !unknown.is_empty() {
            present.host_warnings.push(format!(
                "the load of {} is not known now: choices leave these hosts out, and other times \
                    of them have an interval from no load to the largest one",
                doubtful_hosts(&unknown)
            ));
        }
        if !few.is_empty() {
            present.host_warnings.push(format!(
                "the load of {} has no interval: those of times lack its error",
                doubtful_hosts(&few)
            ));
        }
    }

    /// Makes the links of a model of messages slower, and warns of pairs without present values.
    fn links(&self, present: &mut Present) {
        if present.model.point_to_point.is_empty() {
            return;
        }
        let mut graph = LinkGraph::new(self);
        let mut known: BTreeMap<(String, String), Option<ConditionsOfPair>> = BTreeMap::new();
        let model = &present.model;
        let host =
            |processor: Processor| model.hosts.get(processor.index()).map_or("", String::as_str);
        let slowed = model.with_slow_links(|i, j| {
            let (from, to) = (host(i).min(host(j)), host(i).max(host(j)));
            if from == to && !from.is_empty() {
                return LinkSlowdown::NONE;
            }
            let pair = known.entry((from.to_owned(), to.to_owned()));
            pair.or_insert_with(|| of_pair(&mut graph, from, to))
                .as_ref()
                .map_or(LinkSlowdown::NONE, |one| one.slowdown)
        });
        present.model = slowed;
        let pairs = known.len();
        let unknown = known.values().filter(|one| one.is_none()).count();
        let paths = known.values().flatten().filter(|one| one.is_path).count();
        present.link_warnings.extend((unknown > 0).then(|| {
            format!(
                "{unknown} of {pairs} pairs of hosts are not on monitored paths: messages count as \
                    without load"
            )
        }));
        present.link_warnings.extend((paths > 0).then(|| {
            format!(
                "{paths} of {pairs} pairs of hosts are not monitored: the links of the shortest \
                    path count"
            )
        }));
    }
}

/// The slowdown of messages between two hosts, and whether it is that of a path over others.
struct ConditionsOfPair {
    slowdown: LinkSlowdown,
    is_path: bool,
}

/// The slowdown of messages between two hosts, of the slower direction; `None` if no path is
/// monitored.
fn of_pair(graph: &mut LinkGraph, a: &str, b: &str) -> Option<ConditionsOfPair> {
    let both = [graph.path(a, b), graph.path(b, a)];
    let is_path = both.iter().flatten().any(|path| path.hosts.len() > 2);
    let slowdown = both.iter().flatten().map(slowdown).reduce(|one, other| LinkSlowdown {
        latency: slower(one.latency, other.latency),
        byte_delay: slower(one.byte_delay, other.byte_delay),
    })?;
    Some(ConditionsOfPair { slowdown, is_path })
}

/// The larger factor.
fn slower(one: Factor, other: Factor) -> Factor {
    if other.value > one.value { other } else { one }
}

/// How much slower a path is than when it was idle.
fn slowdown(path: &ConditionsOfPath) -> LinkSlowdown {
    let latency = path
        .latency
        .zip(path.idle_latency)
        .map(|(now, idle)| now.ends().map(|now| ratio(now, idle)));
    let bandwidth = path
        .bandwidth
        .zip(path.idle_bandwidth)
        .map(|(now, idle)| now.ends().map(|now| ratio(idle, now)));
    LinkSlowdown {
        latency: latency.map_or(Factor::NONE, |[low, value, high]| Factor::new(value, low, high)),
        byte_delay: bandwidth
            .map_or(Factor::NONE, |[high, value, low]| Factor::new(value, low, high)),
    }
}

/// A ratio of two quantities that are not negative, at most [`MAX_SLOWDOWN`].
fn ratio(of: f64, to: f64) -> f64 {
    if to > 0.0 { (of / to).min(MAX_SLOWDOWN) } else { MAX_SLOWDOWN }
}
