//! The present conditions of a cluster: forecasts of the load of hosts and of the network, from
//! monitoring.
//!
//! A fitted [`Model`](crate::model::Model) holds times without load. [`Conditions::apply`] returns
//! the model as it is now: links slower by their present bandwidth and latency, and the
//! availability of processors. [`Conditions::path`] answers latency and bandwidth of any pair of
//! hosts. [`file`](mod@file) reads and writes conditions as JSON; the service of `orrery monitor`
//! sends the same text.
//!
//! Sources: Caron, Suter, "Parallel extension of a dynamic performance forecasting tool" (INRIA
//! RR-4470, 2002), section 2; Quinson, "Dynamic performance forecasting for network-enabled servers
//! in a metacomputing environment" (2002).

pub mod file;
mod path;
mod present;

use std::collections::BTreeMap;

pub use path::ConditionsOfPath;
pub use present::Present;

use orrery_base::units::Seconds;

/// A forecast of a monitored quantity for the next moments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Current {
    /// The expected value.
    pub value: f64,
    /// The ends of its prediction interval; `None` if too few samples are known.
    pub interval: Option<(f64, f64)>,
    /// The age of the last sample; 0 if it is ahead.
    pub age: Seconds,
    /// The time by which the last sample is ahead of the monitor that reports it, so that a clock
    /// is wrong; 0 if it is not.
    pub ahead: Seconds,
    /// True if samples are missing for so long, or are so far ahead, that the value says nothing
    /// about the present.
    pub is_stale: bool,
}

impl Current {
    /// A value without interval that was measured just now.
    pub const fn exact(value: f64) -> Self {
        Self { value, interval: None, age: Seconds::ZERO, ahead: Seconds::ZERO, is_stale: false }
    }

    /// The forecast, unless it is stale.
    pub fn fresh(self) -> Option<Self> {
        (!self.is_stale).then_some(self)
    }

    /// The lower end of the interval, the value and the upper end; the value for all without an
    /// interval.
    pub fn ends(self) -> [f64; 3] {
        let (low, high) = self.interval.unwrap_or((self.value, self.value));
        [low, self.value, high]
    }
}

/// The conditions of a host; `None` for what is not monitored.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostConditions {
    /// The part of a processor that a new process gets: 0 to 1.
    pub availability: Option<Current>,
    /// The mean number of processes that run or wait for a processor.
    pub load: Option<Current>,
    /// The memory that new processes can have without swapping \[B\].
    pub memory_free: Option<Current>,
    /// The free swap space \[B\].
    pub swap_free: Option<Current>,
    /// The free space of file systems by folder \[B\].
    pub disk_free: BTreeMap<String, Current>,
}

/// The conditions of messages from one host to another; `None` for what is not monitored.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkConditions {
    /// The sender.
    pub from: String,
    /// The receiver.
    pub to: String,
    /// The time of an empty message \[s\].
    pub latency: Option<Current>,
    /// The bandwidth \[B/s\].
    pub bandwidth: Option<Current>,
    /// The latency when the link is idle: a low quantile of what was measured \[s\].
    pub idle_latency: Option<f64>,
    /// The bandwidth when the link is idle: a high quantile of what was measured \[B/s\].
    pub idle_bandwidth: Option<f64>,
}

/// The conditions of the hosts and links of a cluster at one time.
///
/// ```
/// use orrery_models::conditions::{Conditions, Current, LinkConditions};
/// use orrery_base::units::Seconds;
/// let link = |from: &str, to: &str, latency, bandwidth| LinkConditions {
///     from: from.into(),
///     to: to.into(),
///     latency: Some(Current::exact(latency)),
///     bandwidth: Some(Current::exact(bandwidth)),
///     idle_latency: None,
///     idle_bandwidth: None,
/// };
/// let links = vec![link("a", "b", 1e-4, 1e8), link("b", "c", 5e-5, 4e7)];
/// let conditions = Conditions { links, ..Conditions::default() };
/// // The pair a, c is not monitored: latencies add up, and the smallest bandwidth counts.
/// let path = conditions.path("a", "c").expect("a path by b");
/// assert_eq!(path.hosts, ["a", "b", "c"]);
/// assert!((path.latency.expect("both are known").value - 1.5e-4).abs() < 1e-12);
/// assert_eq!(path.bandwidth.map(|one| one.value), Some(4e7));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conditions {
    /// When they were collected: seconds since 1970-01-01 UTC.
    pub time: Seconds,
    /// The level of the intervals; `None` if it is unknown.
    pub level: Option<f64>,
    /// The hosts by name.
    pub hosts: BTreeMap<String, HostConditions>,
    /// The monitored pairs of hosts.
    pub links: Vec<LinkConditions>,
}
