//! The metric of a graph frame: the time, or another one that is named.

use std::collections::BTreeSet;

use crate::run::import::caliper;
use crate::run::import::mapping::Unit;
use orrery_base::file::Result;

/// A metric.
pub(super) struct Metric {
    pub(super) name: String,
    /// The unit of times; `None` of other metrics.
    pub(super) unit: Option<Unit>,
    /// True if values include those of the regions within a region.
    pub(super) is_inclusive: bool,
}

impl Metric {
    /// The named metric, or the one that is known to be the time; `inclusive` are metrics that
    /// the file names as such.
    pub(super) fn choose(
        columns: &BTreeSet<String>,
        inclusive: &[String],
        name: Option<&str>,
    ) -> Result<Self> {
        let times =
            || columns.iter().filter(|name| unit(name).is_some()).cloned().collect::<Vec<_>>();
        let found = match name {
            Some(name) => columns.get(name),
            None => {
                let ranked = columns.iter().filter_map(|name| Some((rank(name)?, name)));
                ranked.min_by_key(|(rank, _)| *rank).map(|(_, name)| name)
            }
        };
        let found = found.ok_or_else(|| match name {
            Some(name) => caliper::no_metric(name, &times()),
            None => caliper::no_time(&times()),
        })?;
        Ok(Self {
            unit: unit(found),
            is_inclusive: inclusive.contains(found) || is_inclusive(found, columns),
            name: found.clone(),
        })
    }
}

/// The preference of a metric as the time of a region, 0 for the best; `None` for others.
fn rank(name: &str) -> Option<usize> {
    match name {
        "Max time/rank (inc)" | "Max time/rank" => Some(0),
        "time (inc)" => Some(1),
        "time" => Some(2),
        _ => caliper::rank(name),
    }
}

/// Returns true if a metric includes the regions within a region: by its name, or because there is
/// another one without them. Hatchet counts inclusive metrics of Caliper among the exclusive ones.
fn is_inclusive(name: &str, columns: &BTreeSet<String>) -> bool {
    let is_exclusive = name.ends_with("(exc)");
    let by_name = name.ends_with("(inc)") || name.split(['#', '.']).any(|word| word == "inclusive");
    let of_caliper = name.ends_with(" time/rank") || name == "Total time";
    !is_exclusive && (by_name || of_caliper || columns.contains(&format!("{name} (exc)")))
}

/// The unit of a metric of times; `None` for other metrics.
fn unit(name: &str) -> Option<Unit> {
    if name.contains(['#', '.']) {
        return caliper::unit(name);
    }
    let words: Vec<String> =
        name.split(|c: char| !c.is_alphanumeric() && c != '%').map(str::to_lowercase).collect();
    let has = |word: &str| words.iter().any(|other| other == word);
    if has("%") || !has("time") && !has("duration") {
        return None;
    }
    let units = [("ms", Unit::Milliseconds), ("us", Unit::Microseconds), ("ns", Unit::Nanoseconds)];
    let found = units.into_iter().find(|(name, _)| has(name));
    Some(found.map_or(Unit::Seconds, |(_, unit)| unit))
}
