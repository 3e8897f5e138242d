//! Profiles of Caliper (`.cali`).
//!
//! A line is a record. Nodes are values of attributes in a tree; a node of an attribute with the
//! property *nested* is a region within that of its parent. Snapshots refer to nodes and have
//! values of their own; globals describe the run.
//!
//! ```text
//! __rec=node,id=33,attr=32,data=main
//! __rec=ctx,ref=33,attr=66=69,data=0.301407=0.301407
//! __rec=globals,ref=161=151
//! ```

mod context;
mod error;
mod globals;
mod metric;
mod record;
mod times;

use super::mapping::ColumnMapping;
use super::parsed::{Parsed, RemarkKind, budget};
use super::{description, regions};
use crate::run::Run;
use crate::run::metric::METRIC;
use context::Context;
pub(super) use error::{no_metric, no_time};
use metric::Metric;
pub(super) use metric::{rank, unit};
use orrery_base::file::Result;
use orrery_base::units::Seconds;
use record::{Record, records};

/// The beginning of each record.
pub(super) const START: &str = "__rec=";

/// Reads a profile: a run for each region with its time by a metric, including the regions in it,
/// the maximum over processes and threads.
pub(super) fn read(text: &str, map: &ColumnMapping, metric: Option<&str>) -> Result<Parsed> {
    let mut context = Context::default();
    let mut globals = (0, Record::parse(""));
    for record in records(text) {
        let (byte, record) = record?;
        match record.kind() {
            "node" => context.add(&record).map_err(|fault| fault.at(byte))?,
            "globals" => globals = (byte, record),
            _ => {}
        }
    }
    let metric = Metric::choose(&context, metric).map_err(|fault| fault.at(0))?;
    let budget = budget(text.as_bytes());
    let times = times::read(text, &context, &metric, budget)?;
    let mut common = Run::new(Seconds::new(1.0));
    common.labels.insert(METRIC.to_owned(), metric.name.clone());
    let mut parsed = Parsed::default();
    let names = globals::describe(&context, &globals.1, map, &mut common)
        .map_err(|fault| fault.at(globals.0))?;
    if !names.is_empty() {
        parsed.remarks.push((globals.0, RemarkKind::Note(description::assumed(&names))));
    }
    let names = context.regions.names(budget).map_err(|fault| fault.at(0))?;
    let bytes_of_run: usize =
        common.variables.keys().map(|name| name.len() + size_of::<f64>()).sum::<usize>()
            + common.labels.iter().map(|(name, text)| name.len() + text.len()).sum::<usize>();
    if names.len().saturating_mul(bytes_of_run) > budget {
        return Err(regions::too_long(budget).at(0));
    }
    let mut zeros = (0, 0);
    for ((path, time), region) in times.maxima().into_iter().enumerate().zip(names) {
        let byte = times.first[path];
        match time {
            Some(time) if time > 0.0 => {
                let mut run = common.clone();
                run.seconds = Seconds::new(metric.unit.map_or(time, |unit| unit.seconds(time)));
                run.region = region;
                parsed.runs.push((byte, run));
            }
            Some(_) => zeros = (if zeros.0 == 0 { byte } else { zeros.0 }, zeros.1 + 1),
            None => {}
        }
    }
    if zeros.1 > 0 {
        parsed.remarks.push((zeros.0, RemarkKind::unusable(zeros.1, "regions")));
    }
    Ok(parsed)
}
