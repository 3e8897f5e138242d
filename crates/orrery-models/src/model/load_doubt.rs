//! Reasons to doubt the load of a host, with their words.

use std::fmt;

use super::MIN_FORECAST_PART;
use orrery_base::units::Seconds;

/// Why the load of a host is doubtful.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LoadDoubt {
    /// It is not monitored.
    Unmonitored,
    /// Its last sample is too old to describe the present.
    Stale {
        /// The age of the sample.
        age: Seconds,
    },
    /// Its last sample is ahead of time, so that a clock is wrong.
    Ahead {
        /// The time by which it is ahead.
        by: Seconds,
    },
    /// It has a forecast, and too few samples for an interval.
    FewSamples,
}

impl LoadDoubt {
    /// Returns true if nothing is known of the present load.
    pub fn is_unknown(&self) -> bool {
        !matches!(self, Self::FewSamples)
    }
}

impl fmt::Display for LoadDoubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unmonitored => f.write_str("not monitored"),
            Self::Stale { age } => write!(f, "last sample {:.0} s old", age.get()),
            Self::Ahead { by } => write!(f, "last sample {:.0} s ahead", by.get()),
            Self::FewSamples => f.write_str("too few samples for an interval"),
        }
    }
}

/// Hosts with the reasons to doubt their load.
pub type DoubtfulHosts = [(String, LoadDoubt)];

/// The first hosts with their doubts, and the number of the others: `n2 (last sample 20 s old), n3
/// (not monitored)`.
pub fn doubtful_hosts(hosts: &DoubtfulHosts) -> String {
    const MAX_NAMED: usize = 5;
    let named = hosts.iter().take(MAX_NAMED).map(|(host, doubt)| {
        let host = if host.is_empty() { "the host" } else { host };
        format!("{host} ({doubt})")
    });
    let named = named.collect::<Vec<_>>().join(", ");
    match hosts.len().saturating_sub(MAX_NAMED) {
        0 => named,
        others => format!("{named} and {others} more"),
    }
}

/// What a prediction assumes of hosts whose load is not known now.
pub fn unknown_load(hosts: &DoubtfulHosts) -> String {
    format!(
        "the load of {} is not known now: kernels have their time without load, and the interval \
            reaches to that with {MIN_FORECAST_PART} of a processor",
        doubtful_hosts(hosts)
    )
}

/// What a prediction lacks on hosts with too few samples.
pub fn few_samples(hosts: &DoubtfulHosts) -> String {
    format!("the interval lacks the error of the load of {}", doubtful_hosts(hosts))
}

/// Why a choice leaves hosts out.
pub fn left_out(hosts: &DoubtfulHosts) -> String {
    format!("hosts whose load is not known now are left out: {}", doubtful_hosts(hosts))
}
