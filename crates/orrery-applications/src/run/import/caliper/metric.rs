//! The metric of a profile: the time, or another one that is named.
//!
//! The name of a metric is an attribute with the operations on it:
//! `max#inclusive#sum#time.duration` is the maximum over the processes of the time of a region,
//! including that of the regions in it. A scaled time is in seconds.

use super::context::{Attribute, Context, RecordedUnit};
use super::error;
use crate::run::import::mapping::Unit;
use orrery_base::file::Fault;

/// A metric.
#[derive(Debug, Clone)]
pub(super) struct Metric {
    pub(super) name: String,
    /// The unit of times; `None` of other metrics.
    pub(super) unit: Option<Unit>,
    /// True if values include those of the regions within a region.
    pub(super) is_inclusive: bool,
}

/// The durations that Caliper measures.
const DURATIONS: [&str; 2] = ["time.duration", "time.duration.ns"];

impl Metric {
    /// The named metric, or the one that is known to be the time.
    pub(super) fn choose(context: &Context, name: Option<&str>) -> Result<Self, Fault> {
        let numbers = || context.attributes().filter(|attribute| attribute.is_number);
        let known = || {
            numbers()
                .filter(|a| recorded_unit(a).is_some())
                .map(|attribute| attribute.name.clone())
                .collect::<Vec<_>>()
        };
        let found = match name {
            Some(name) => numbers().find(|attribute| attribute.name == name),
            None => {
                let ranked =
                    numbers().filter_map(|attribute| Some((rank(&attribute.name)?, attribute)));
                ranked.min_by_key(|(rank, _)| *rank).map(|(_, attribute)| attribute)
            }
        };
        let found = found.ok_or_else(|| match name {
            Some(name) => error::no_metric(name, &known()),
            None => error::no_time(&known()),
        })?;
        let (name, unit) = (found.name.clone(), recorded_unit(found));
        Ok(Self { is_inclusive: operations(&name).contains(&"inclusive"), name, unit })
    }
}

/// The operations of a metric and, last, its attribute.
fn operations(name: &str) -> Vec<&str> {
    name.split('#').collect()
}

/// The preference of a metric as the time of a region, 0 for the best: the inclusive time of the
/// slowest process, the inclusive time of each, the sum of exclusive times of each, the exclusive
/// time of each snapshot; `None` for others.
pub(in crate::run::import) fn rank(name: &str) -> Option<usize> {
    let operations = operations(name);
    let (attribute, operations) = operations.split_last()?;
    if !DURATIONS.contains(attribute) {
        return None;
    }
    match operations {
        ["max", "inclusive", ..] => Some(0),
        ["inclusive", ..] => Some(1),
        ["sum"] | ["sum" | "scale", "sum"] | ["sum", "scale"] => Some(2),
        [] => Some(3),
        _ => None,
    }
}

/// The recorded unit of a metric of times, or that of its name; `None` for other metrics.
fn recorded_unit(attribute: &Attribute) -> Option<Unit> {
    match attribute.unit {
        RecordedUnit::Time(unit) => Some(unit),
        RecordedUnit::Other => None,
        RecordedUnit::Missing => unit(&attribute.name),
    }
}

/// The unit of a metric of times by its name; `None` for other metrics.
pub(in crate::run::import) fn unit(name: &str) -> Option<Unit> {
    let operations = operations(name);
    let last = operations.last()?;
    let is_ratio =
        last.contains('/') || operations.iter().any(|operation| operation.ends_with("count"));
    if is_ratio
        || !["time", "duration"].iter().any(|word| last.split('.').any(|part| part == *word))
    {
        return None;
    }
    let is_nanoseconds =
        last.split('.').next_back() == Some("ns") && !operations.contains(&"scale");
    Some(if is_nanoseconds { Unit::Nanoseconds } else { Unit::Seconds })
}
