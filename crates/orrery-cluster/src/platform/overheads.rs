//! Processor time of sends and receives, as a function of the size of a message.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{HostId, Hosts, LinkClass, Processor};

/// A time that is piecewise linear in the size m of a message: a + b·m, with a and b by ranges of
/// sizes.
///
/// The range of a size is the last one whose lower bound is below the size; sizes below all bounds
/// belong to the first range.
///
/// ```
/// use orrery_cluster::platform::PiecewiseTime;
/// // 10 µs + 1 ns/B, and 20 µs + 0.5 ns/B for more than 5000 bytes.
/// let time = PiecewiseTime::new(vec![(0, 10e-6, 1e-9), (5000, 20e-6, 0.5e-9)]);
/// assert_eq!([time.seconds(0), time.seconds(5000)].map(|t| (t * 1e6).round()), [10.0, 15.0]);
/// assert_eq!((time.seconds(10_000) * 1e6).round(), 25.0);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PiecewiseTime {
    /// Lower bound in bytes, a in seconds, b in seconds per byte; in the order of bounds. All hosts
    /// of a cluster share them.
    ranges: Arc<[(u64, f64, f64)]>,
}

impl PiecewiseTime {
    /// The time with these ranges in any order: lower bound in bytes, a in seconds, b in seconds
    /// per byte.
    pub fn new(mut ranges: Vec<(u64, f64, f64)>) -> Self {
        ranges.sort_by_key(|&(bound, ..)| bound);
        Self { ranges: ranges.into() }
    }

    /// The time in seconds for a message of this size in bytes.
    pub fn seconds(&self, size: u64) -> f64 {
        let above = self.ranges.partition_point(|&(bound, ..)| bound < size);
        let range = self.ranges.get(above.saturating_sub(1));
        range.map_or(0.0, |&(_, constant, per_byte)| constant + per_byte * size as f64)
    }

    /// Returns true if the time is 0 for all sizes.
    pub fn is_zero(&self) -> bool {
        self.ranges.iter().all(|&(_, constant, per_byte)| constant == 0.0 && per_byte == 0.0)
    }
}

/// As in SimGrid: `0:1e-5:1e-9;5000:2e-5:5e-10`, each range with its lower bound in bytes, a and b.
impl fmt::Display for PiecewiseTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = |(bound, constant, per_byte): &(u64, f64, f64)| {
            format!("{bound}:{constant:e}:{per_byte:e}")
        };
        f.write_str(&self.ranges.iter().map(range).collect::<Vec<_>>().join(";"))
    }
}

/// The overheads of the ranks on one host; `None` for the default of the platform.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overheads {
    /// The time of a blocking send below the eager limit, before its message leaves (`smpi/os`).
    pub send: Option<PiecewiseTime>,
    /// The time of a non-blocking send, before its message leaves (`smpi/ois`).
    pub posted_send: Option<PiecewiseTime>,
    /// The time at the end of a receive whose send did not wait for it (`smpi/or`).
    pub receive: Option<PiecewiseTime>,
}

/// The overheads of all hosts of a platform.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostOverheads {
    /// The overheads of hosts that have none of their own.
    pub default: Overheads,
    /// The overheads of single hosts.
    pub hosts: BTreeMap<HostId, Overheads>,
    /// The overheads of messages through memory, if they differ.
    pub through_memory: Option<MemoryOverheads>,
}

/// The overheads of messages between hosts of a platform that are processors of one machine, as in
/// platforms of fitted models.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryOverheads {
    /// The machine of each host, by number.
    pub machines: Hosts,
    /// The overheads of single hosts.
    pub hosts: BTreeMap<HostId, Overheads>,
}

impl MemoryOverheads {
    /// Returns true if messages between two hosts pass the memory of one machine.
    pub fn are_for(&self, a: HostId, b: HostId) -> bool {
        let [a, b] = [a, b].map(|host| Processor(host.0));
        self.machines.class(a, b) == Some(LinkClass::WithinHost)
    }
}

impl HostOverheads {
    /// The overheads of a host, those of the platform where it has none: blocking send,
    /// non-blocking send, receive.
    pub fn of(&self, host: HostId) -> [PiecewiseTime; 3] {
        self.chosen(self.hosts.get(&host))
    }

    /// The same of messages through memory; none if they do not differ.
    pub fn through_memory(&self, host: HostId) -> Option<[PiecewiseTime; 3]> {
        let own = self.through_memory.as_ref()?.hosts.get(&host)?;
        Some(self.chosen(Some(own)))
    }

    /// These overheads, completed by those of the platform.
    fn chosen(&self, own: Option<&Overheads>) -> [PiecewiseTime; 3] {
        let choose = |field: fn(&Overheads) -> &Option<PiecewiseTime>| {
            own.and_then(|own| field(own).clone())
                .or_else(|| field(&self.default).clone())
                .unwrap_or_default()
        };
        [choose(|own| &own.send), choose(|own| &own.posted_send), choose(|own| &own.receive)]
    }

    /// Returns true if no host has an overhead above 0.
    pub fn are_zero(&self) -> bool {
        let is_zero = |own: &Overheads| {
            [&own.send, &own.posted_send, &own.receive]
                .into_iter()
                .flatten()
                .all(PiecewiseTime::is_zero)
        };
        let of_memory = self.through_memory.iter().flat_map(|memory| memory.hosts.values());
        is_zero(&self.default) && self.hosts.values().chain(of_memory).all(is_zero)
    }
}
