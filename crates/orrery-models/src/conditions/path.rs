//! Latency and bandwidth between any two hosts, along monitored links.

use std::collections::{BTreeMap, BTreeSet};

use super::{Conditions, Current, LinkConditions};
use orrery_base::numeric::ShortestPaths;
use orrery_base::units::Seconds;

/// The conditions of messages between two hosts, along a path of monitored links.
#[derive(Debug, Clone, PartialEq)]
pub struct ConditionsOfPath {
    /// The hosts from the sender to the receiver; two if the pair itself is monitored.
    pub hosts: Vec<String>,
    /// The sum of the latencies of the links \[s\]; `None` if one is unknown.
    pub latency: Option<Current>,
    /// The smallest bandwidth of the links \[B/s\]; `None` if one is unknown.
    pub bandwidth: Option<Current>,
    /// The sum of the latencies of idle links \[s\].
    pub idle_latency: Option<f64>,
    /// The smallest bandwidth of idle links \[B/s\].
    pub idle_bandwidth: Option<f64>,
    /// True if a link was measured in the other direction only.
    pub is_reversed: bool,
}

/// The monitored links as a graph, for questions about many pairs.
#[derive(Debug)]
pub(super) struct LinkGraph<'a> {
    hosts: Vec<&'a str>,
    /// The links by their ends, in both directions: the one that was measured in this direction,
    /// else the other one.
    links: BTreeMap<(usize, usize), (&'a LinkConditions, bool)>,
    /// The paths from a host, by the host.
    paths: BTreeMap<usize, ShortestPaths>,
}

impl<'a> LinkGraph<'a> {
    /// The graph of links that are not stale.
    pub fn new(conditions: &'a Conditions) -> Self {
        let is_fresh = |one: Option<Current>| one.is_none_or(|current| !current.is_stale);
        let is_known = |link: &&LinkConditions| link.latency.is_some() || link.bandwidth.is_some();
        let fresh = conditions.links.iter().filter(is_known);
        let fresh: Vec<_> =
            fresh.filter(|link| is_fresh(link.latency) && is_fresh(link.bandwidth)).collect();
        let hosts: BTreeSet<&str> =
            fresh.iter().flat_map(|link| [link.from.as_str(), &link.to]).collect();
        let hosts: Vec<&str> = hosts.into_iter().collect();
        let index = |name: &str| hosts.binary_search(&name).unwrap_or_default();
        let mut links = BTreeMap::new();
        for link in &fresh {
            links.entry((index(&link.to), index(&link.from))).or_insert((*link, true));
        }
        for link in fresh {
            links.insert((index(&link.from), index(&link.to)), (link, false));
        }
        Self { hosts, links, paths: BTreeMap::new() }
    }

    /// The path from one host to another: the pair itself if it is monitored, otherwise the path
    /// with the smallest latency; `None` if there is none.
    pub fn path(&mut self, from: &str, to: &str) -> Option<ConditionsOfPath> {
        let [from, to] = [from, to].map(|name| self.hosts.binary_search(&name).ok());
        let (from, to) = (from?, to?);
        let nodes = if self.links.contains_key(&(from, to)) {
            vec![from, to]
        } else {
            self.shortest(from, to)?
        };
        let hops: Vec<_> =
            nodes.windows(2).filter_map(|two| self.links.get(&(two[0], two[1]))).collect();
        let sum = |values: Vec<Option<f64>>| {
            values.into_iter().try_fold(0.0, |sum, one| Some(sum + one?))
        };
        let least = |values: Vec<Option<f64>>| {
            values.into_iter().try_fold(f64::INFINITY, |least, one| Some(least.min(one?)))
        };
        let currents = |pick: fn(&LinkConditions) -> Option<Current>| {
            hops.iter().map(move |(link, _)| pick(link))
        };
        let numbers = |pick: fn(&LinkConditions) -> Option<f64>| {
            hops.iter().map(|(link, _)| pick(link)).collect()
        };
        Some(ConditionsOfPath {
            hosts: nodes.into_iter().map(|node| self.hosts[node].to_owned()).collect(),
            latency: combined(currents(|link| link.latency), sum),
            bandwidth: combined(currents(|link| link.bandwidth), least),
            idle_latency: sum(numbers(|link| link.idle_latency)),
            idle_bandwidth: least(numbers(|link| link.idle_bandwidth)),
            is_reversed: hops.iter().any(|(_, is_reversed)| *is_reversed),
        })
    }

    /// The nodes of the path with the smallest latency; links without a known latency are not on
    /// it. `None` if no other links lead there.
    fn shortest(&mut self, from: usize, to: usize) -> Option<Vec<usize>> {
        let (links, count) = (&self.links, self.hosts.len());
        let paths = self.paths.entry(from).or_insert_with(|| {
            let neighbours = |node: usize| {
                let from_here = links.range((node, 0)..(node + 1, 0));
                let known = from_here.filter_map(|((_, next), (link, _))| {
                    Some((*next, link.latency?.value.max(0.0)))
                });
                Ok::<_, std::convert::Infallible>(known.collect())
            };
            match ShortestPaths::from(from, count, neighbours) {
                Ok(paths) => paths,
                Err(never) => match never {},
            }
        });
        paths.to(to).filter(|path| path.len() > 1)
    }
}

impl Conditions {
    /// The conditions of messages from one host to another; `None` if no path of monitored links
    /// leads there.
    ///
    /// A monitored pair is answered by its own link, other pairs by the path of links with the
    /// smallest latency: latencies add up, and the smallest bandwidth counts. Links that are stale
    /// are left out.
    pub fn path(&self, from: &str, to: &str) -> Option<ConditionsOfPath> {
        LinkGraph::new(self).path(from, to)
    }
}

/// The combination of the forecasts of all links of a path; `None` if one is unknown. It has an
/// interval if all have one.
fn combined(
    links: impl Iterator<Item = Option<Current>>,
    combine: impl Fn(Vec<Option<f64>>) -> Option<f64>,
) -> Option<Current> {
    let links: Vec<Current> = links.collect::<Option<_>>()?;
    let end = |pick: fn((f64, f64)) -> f64| {
        combine(links.iter().map(|one| one.interval.map(pick)).collect())
    };
    Some(Current {
        value: combine(links.iter().map(|one| Some(one.value)).collect())?,
        interval: end(|ends| ends.0).zip(end(|ends| ends.1)),
        age: links.iter().map(|one| one.age).fold(Seconds::ZERO, Seconds::max),
        ahead: Seconds::ZERO,
        is_stale: false,
    })
}
