//! The times of a profile: values of a metric by region, process and thread.

use std::collections::BTreeMap;

use super::context::Context;
use super::metric::Metric;
use super::record::records;
use crate::run::import::regions::RegionTimes;
use orrery_base::file::{Fault, Result};

/// Reads the snapshots with the metric; each process and thread is a location. Values of `budget`
/// bytes at most are kept.
pub(super) fn read(
    text: &str,
    context: &Context,
    metric: &Metric,
    budget: usize,
) -> Result<RegionTimes> {
    let mut locations: BTreeMap<Vec<(u64, String)>, usize> = BTreeMap::new();
    let mut times = RegionTimes::new(&context.regions, budget);
    for record in records(text) {
        let (byte, record) = record?;
        if record.kind() != "ctx" {
            continue;
        }
        let mut found = None;
        let mut location = Vec::new();
        for (id, value) in record.attributes().map_err(|fault| fault.at(byte))? {
            let name = context.attribute(id).map_err(|fault| fault.at(byte))?.name.as_str();
            if name == metric.name && found.is_none() {
                let time = value.parse().ok().filter(|time: &f64| time.is_finite() && *time >= 0.0);
                let fault = || {
                    Fault::new(format!(
                        "{metric} is {value:?}, which is below 0 or no number; \
                        measure again",
                        metric = metric.name
                    ))
                };
                found = Some(time.ok_or_else(|| fault().at(byte))?);
            } else if name == "mpi.rank" || name.ends_with("thread.id") {
                location.push((id, value.to_owned()));
            }
        }
        let path =
            record.ids("ref").and_then(|ids| context.path(&ids)).map_err(|fault| fault.at(byte))?;
        let Some(time) = found.filter(|_| path > 0) else { continue };
        let next = locations.len();
        let location = *locations.entry(location).or_insert(next);
        times.add(path, location, time, byte)?;
    }
    if !metric.is_inclusive {
        times.include_nested(&context.regions)?;
    }
    Ok(times)
}
