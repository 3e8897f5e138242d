//! Profiles of Caliper (`.cali`).
//!
//! A line is a record. Nodes are values of attributes in a tree; a node of an attribute with the property *nested* is a
//! region within that of its parent. Snapshots refer to nodes and have values of their own; globals describe the run.
//!
//! ```text
//! __rec=node,id=33,attr=32,data=main
//! __rec=ctx,ref=33,attr=66=69,data=0.301407=0.301407
//! __rec=globals,ref=161=151
//! ```

mod context;
mod error;
mod metric;
mod record;

use std::collections::BTreeMap;

pub use error::CaliperFault;

use super::error::{Fault, Result};
use super::mapping::{ColumnMapping, Target};
use super::parsed::{METRIC, Parsed, RemarkKind, budget};
use super::table;
use crate::file::Located;
use crate::run::{Run, variable};
use crate::units::Seconds;
use context::Context;
use metric::Metric;
use record::{Record, records};

/// The beginning of each record.
pub(super) const START: &str = "__rec=";

/// Values of the run with the number of processes, the preferred one last.
const PROCESSES: [&str; 2] = ["jobsize", "mpi.world.size"];

/// Beginnings of the names of values that Caliper adds.
const SETTINGS: [&str; 4] = ["cali.", "spot.", "opts:", "starttime."];

/// Reads a profile: a run for each region with its time by a metric, including the regions in it, the maximum over
/// processes and threads.
pub(super) fn read(text: &str, map: &ColumnMapping, metric: Option<&str>) -> Result<Parsed> {
    let mut context = Context::default();
    let mut globals = (0, Record::parse(""));
    for record in records(text) {
        let (byte, record) = record.map_err(located)?;
        match record.kind() {
            "node" => context.add(&record).map_err(|fault| at(byte, fault))?,
            "globals" => globals = (byte, record),
            _ => {}
        }
    }
    let metric = Metric::choose(&context, metric).map_err(|fault| at(0, fault))?;
    let budget = budget(text.as_bytes());
    let times = Times::read(text, &context, &metric, budget)?;
    let mut common = Run::new(Seconds::new(1.0));
    common.labels.insert(METRIC.to_owned(), metric.name.clone());
    let mut parsed = Parsed::default();
    let names = describe_run(&context, &globals.1, map, &mut common).map_err(|fault| at(globals.0, fault))?;
    if !names.is_empty() {
        parsed.remarks.push((globals.0, RemarkKind::Globals { names }));
    }
    let names = context.names(budget).map_err(|fault| at(0, fault))?;
    let bytes_of_run: usize = common.variables.keys().map(|name| name.len() + size_of::<f64>()).sum::<usize>()
        + common.labels.iter().map(|(name, text)| name.len() + text.len()).sum::<usize>();
    if names.len().saturating_mul(bytes_of_run) > budget {
        return Err(at(0, CaliperFault::TooLong { limit: budget }));
    }
    let mut zeros = (0, 0);
    for ((path, time), region) in times.maxima(&context).into_iter().enumerate().zip(names) {
        let byte = times.first[path];
        match time {
            Some(time) if time > 0.0 => {
                let mut run = common.clone();
                run.seconds = Seconds::new(metric.unit.seconds(time));
                run.region = region;
                parsed.runs.push((byte, run));
            }
            Some(_) => zeros = (if zeros.0 == 0 { byte } else { zeros.0 }, zeros.1 + 1),
            None => {}
        }
    }
    if zeros.1 > 0 {
        parsed.remarks.push((zeros.0, RemarkKind::Zeros { count: zeros.1, region: "regions".to_owned() }));
    }
    Ok(parsed)
}

/// A fault at a byte.
fn at(byte: usize, fault: CaliperFault) -> Located<Fault> {
    Located { byte, fault: fault.into() }
}

/// A located fault of the import.
fn located(fault: Located<CaliperFault>) -> Located<Fault> {
    at(fault.byte, fault.fault)
}

/// The values of a metric by path and location.
struct Times {
    /// The sums of the values of a path at a location, by path, then by location.
    sums: BTreeMap<(usize, usize), f64>,
    /// The byte of the first snapshot of each path.
    first: Vec<usize>,
}

impl Times {
    /// Reads the snapshots with the metric; each process and thread is a location. Values of `budget` bytes at most are
    /// kept.
    fn read(text: &str, context: &Context, metric: &Metric, budget: usize) -> Result<Self> {
        const BYTES: usize = 64;
        let mut locations: BTreeMap<Vec<(u64, String)>, usize> = BTreeMap::new();
        let mut times = Self { sums: BTreeMap::new(), first: vec![0; context.paths()] };
        for record in records(text) {
            let (byte, record) = record.map_err(located)?;
            if record.kind() != "ctx" {
                continue;
            }
            let mut found = None;
            let mut location = Vec::new();
            for (id, value) in record.attributes().map_err(|fault| at(byte, fault))? {
                let name = context.attribute(id).map_err(|fault| at(byte, fault))?.name.as_str();
                if name == metric.name && found.is_none() {
                    let time = value.parse().ok().filter(|time: &f64| time.is_finite() && *time >= 0.0);
                    let fault = || CaliperFault::Value { metric: metric.name.clone(), found: value.to_owned() };
                    found = Some(time.ok_or_else(|| at(byte, fault()))?);
                } else if name == "mpi.rank" || name.ends_with("thread.id") {
                    location.push((id, value.to_owned()));
                }
            }
            let path = record.ids("ref").and_then(|ids| context.path(&ids)).map_err(|fault| at(byte, fault))?;
            let Some(time) = found.filter(|_| path > 0) else { continue };
            let next = locations.len();
            let location = *locations.entry(location).or_insert(next);
            times.first[path] = if times.first[path] == 0 { byte } else { times.first[path] };
            times.add((path, location), time, budget / BYTES)?;
        }
        if !metric.is_inclusive {
            // Paths are after those around them.
            for path in (1..context.paths()).rev() {
                let Some(parent) = context.parent(path) else { continue };
                let own: Vec<_> =
                    times.sums.range((path, 0)..(path + 1, 0)).map(|((_, l), time)| (*l, *time)).collect();
                for (location, time) in own {
                    times.add((parent, location), time, budget / BYTES)?;
                }
                if times.first[parent] == 0 {
                    times.first[parent] = times.first[path];
                }
            }
        }
        Ok(times)
    }

    /// Adds a value; there may be `most` sums.
    fn add(&mut self, place: (usize, usize), time: f64, most: usize) -> Result<()> {
        *self.sums.entry(place).or_default() += time;
        let limit = most.saturating_mul(64);
        if self.sums.len() > most { Err(at(0, CaliperFault::TooLong { limit })) } else { Ok(()) }
    }

    /// The maximum of each path over the locations; `None` for a path without values.
    fn maxima(&self, context: &Context) -> Vec<Option<f64>> {
        let mut maxima: Vec<Option<f64>> = vec![None; context.paths()];
        for ((path, _), time) in &self.sums {
            maxima[*path] = Some(maxima[*path].map_or(*time, |most| most.max(*time)));
        }
        maxima
    }
}

/// Adds the variables and mapped labels that describe a run. Returns the variables that are not mapped.
fn describe_run(
    context: &Context,
    globals: &Record,
    map: &ColumnMapping,
    run: &mut Run,
) -> std::result::Result<Vec<String>, CaliperFault> {
    let own = globals.attributes()?;
    let own = own.into_iter().map(|(id, value)| Ok((context.attribute(id)?, value)));
    let mut values = context.values(&globals.ids("ref")?)?;
    values.extend(own.collect::<std::result::Result<Vec<_>, CaliperFault>>()?);
    let mut names = Vec::new();
    for (attribute, value) in &values {
        let name = attribute.name.as_str();
        let number = value.parse().ok().filter(|value: &f64| attribute.is_number && value.is_finite());
        match (map.target(name), number) {
            (Some(Target::Variable(variable)), Some(number)) => drop(run.variables.insert(variable.clone(), number)),
            (Some(Target::Label(label)), _) => drop(run.labels.insert(label.clone(), (*value).to_owned())),
            (None, Some(number)) if is_variable(name, attribute.adiak_type.as_deref()) => {
                run.variables.insert(name.to_owned(), number);
                names.push(name.to_owned());
            }
            _ => {}
        }
    }
    let is_known = |name: &str| values.iter().any(|(attribute, _)| attribute.name == name);
    if let Some((name, _)) = map.entries.iter().find(|(name, _)| !is_known(name)) {
        let known = values.iter().map(|(attribute, _)| attribute.name.clone()).collect();
        return Err(CaliperFault::NoGlobal { name: name.clone(), known });
    }
    for name in PROCESSES {
        let found = values.iter().find(|(attribute, _)| attribute.name == name && map.target(name).is_none());
        if let Some(processes) = found.and_then(|(_, value)| value.parse().ok()) {
            run.variables.insert(variable::PROCESSES.to_owned(), processes);
        }
    }
    names.sort();
    names.dedup();
    Ok(names)
}

/// Returns true for a number of the run that is a parameter: no addition of Caliper, no date, no result.
fn is_variable(name: &str, adiak_type: Option<&str>) -> bool {
    !SETTINGS.iter().any(|start| name.starts_with(start))
        && !PROCESSES.contains(&name)
        && !adiak_type.is_some_and(|word| matches!(word, "date" | "timeval" | "path" | "version"))
        && !table::is_result(name)
        && !table::is_identifier(name)
}
