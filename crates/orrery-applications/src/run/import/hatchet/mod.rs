//! Graph frames of Hatchet and Thicket as JSON.
//!
//! `GraphFrame.to_json()` and `Thicket.to_json()` write a graph of nodes and a table with a row for
//! each node, profile, rank and thread; Thicket adds what describes each profile:
//!
//! ```text
//! {"graph": [{"0": {"data": {"name": "main"}, "children": [1]}, "1": …}],
//!  "dataframe_indices": ["node", "rank"], "dataframe": [{"node": 0, "rank": 0, "time": 1.5}, …],
//!  "inclusive_metrics": [], "exclusive_metrics": ["time"],
//!  "profile_idx_name": "profile", "metadata": [{"profile": 17, "problem_size": 100}, …]}
//! ```
//!
//! `GraphFrame.to_literal()` nests the nodes:
//!
//! ```text
//! [{"frame": {"name": "main"}, "metrics": {"time": 1.5, "time (inc)": 2.0}, "children": [{…}]}]
//! ```

mod frame;
mod literal;
mod metric;

use std::collections::BTreeSet;

use super::description::{self, Described};
use super::mapping::ColumnMapping;
use super::name_pattern::FileProperties;
use super::parsed::{Parsed, RemarkKind, budget};
use super::regions::{RegionTimes, RegionTree, too_long};
use crate::run::metric::METRIC;
use crate::run::{Run, variable};
use metric::Metric;
use orrery_base::file::Result;
use orrery_base::json::{Node, Object};
use orrery_base::units::Seconds;

/// A graph frame.
#[derive(Default)]
struct GraphFrame<'a> {
    regions: RegionTree,
    rows: Vec<Row<'a>>,
    /// The metrics that the file names as inclusive.
    inclusive: Vec<String>,
    /// The value with the name of the profile among those that describe it.
    profile: String,
    /// What describes each profile; `None` if nothing does.
    profiles: Vec<Option<Object<'a>>>,
    /// The number of ranks; 0 if they are not distinguished.
    ranks: usize,
}

/// The values of a node, of one profile, rank and thread.
struct Row<'a> {
    /// The path of regions.
    path: usize,
    profile: usize,
    /// The number of the rank and thread.
    location: usize,
    /// The object with the values by metric.
    values: Node<'a>,
}

impl Row<'_> {
    /// The values by metric.
    fn values(&self) -> Result<Object<'_>> {
        self.values.object("an object with the values of a node")
    }
}

/// Reads a graph frame: a run for each profile and region with its time by a metric, including the
/// regions in it, the maximum over ranks and threads.
pub(super) fn read(
    text: &str,
    map: &ColumnMapping,
    metric: Option<&str>,
    of_file: &FileProperties,
) -> Result<Parsed> {
    let root = Node::root(text)?;
    let mut frame = if root.is_array() { literal::read(&root)? } else { frame::read(&root)? };
    let metric = Metric::choose(&columns(&frame.rows)?, &frame.inclusive, metric)
        .map_err(|fault| fault.at(0))?;
    let budget = budget(text.as_bytes());
    let refuse = || too_long(budget).at(0);
    if frame.profiles.len().saturating_mul(frame.regions.len()) > budget / size_of::<usize>() {
        return Err(refuse());
    }
    let names = frame.regions.names(budget).map_err(|fault| fault.at(0))?;
    frame.rows.sort_by_key(|row| row.profile);
    let (mut parsed, mut variables) = (Parsed::default(), BTreeSet::new());
    let (mut zeros, mut unspent) = ((0, 0), budget);
    for rows in frame.rows.chunk_by(|a, b| a.profile == b.profile) {
        let mut common = Run::new(Seconds::new(1.0));
        common.labels.insert(METRIC.to_owned(), metric.name.clone());
        match &frame.profiles[rows[0].profile] {
            Some(metadata) => {
                variables.extend(describe(metadata, &frame.profile, map, &mut common)?);
            }
            None if of_file.variables.is_empty() && frame.ranks > 0 => {
                common.variables.insert(variable::PROCESSES.to_owned(), frame.ranks as f64);
            }
            None => {}
        }
        let bytes_of_run: usize =
            common.variables.keys().map(|name| name.len() + size_of::<f64>()).sum::<usize>()
                + common.labels.iter().map(|(name, text)| name.len() + text.len()).sum::<usize>();
        let times = times(rows, &metric, &frame.regions, budget)?;
        for (path, time) in times.maxima().into_iter().enumerate() {
            let (Some(time), byte) = (time, times.first[path]) else { continue };
            if time <= 0.0 {
                zeros = (if zeros.0 == 0 { byte } else { zeros.0 }, zeros.1 + 1);
                continue;
            }
            let bytes = names[path].len() + bytes_of_run;
            unspent = unspent.checked_sub(bytes).ok_or_else(refuse)?;
            let seconds = Seconds::new(metric.unit.map_or(time, |unit| unit.seconds(time)));
            let region = names[path].clone();
            parsed.runs.push((byte, Run { region, seconds, ..common.clone() }));
        }
    }
    if !variables.is_empty() {
        let names: Vec<String> = variables.into_iter().collect();
        parsed.remarks.push((0, RemarkKind::Note(description::assumed(&names))));
    }
    if zeros.1 > 0 {
        parsed.remarks.push((zeros.0, RemarkKind::unusable(zeros.1, "regions")));
    }
    if of_file.variables.is_empty() && frame.profiles.iter().all(Option::is_none) {
        parsed.remarks.push((0, RemarkKind::NoParameters));
    }
    Ok(parsed)
}

/// The names of the columns with numbers.
fn columns(rows: &[Row]) -> Result<BTreeSet<String>> {
    let mut columns = BTreeSet::new();
    for row in rows {
        for (name, node) in row.values()?.iter() {
            if !columns.contains(name) && node.number("").is_ok() {
                columns.insert(name.to_owned());
            }
        }
    }
    Ok(columns)
}

/// The times of the rows of a profile; null is the value of a node that has none.
fn times(
    rows: &[Row],
    metric: &Metric,
    regions: &RegionTree,
    budget: usize,
) -> Result<RegionTimes> {
    let mut times = RegionTimes::new(regions, budget);
    for row in rows {
        let values = row.values()?;
        let Some(node) = values.get(&metric.name).filter(|node| !node.is_null()) else { continue };
        times.add(row.path, row.location, node.number("a time")?, node.byte)?;
    }
    if !metric.is_inclusive {
        times.include_nested(regions)?;
    }
    Ok(times)
}

/// Adds the variables and mapped labels that describe a profile. Returns the variables that are not
/// mapped.
fn describe(
    metadata: &Object,
    profile: &str,
    map: &ColumnMapping,
    run: &mut Run,
) -> Result<Vec<String>> {
    let values = metadata.iter().filter(|(name, _)| *name != profile).map(|(name, node)| {
        let text = if node.is_null() { Ok(String::new()) } else { node.string("") };
        Described {
            name,
            text: text.unwrap_or_else(|_| node.text().to_owned()).into(),
            number: node.number("").ok(),
            is_description: false,
        }
    });
    let values: Vec<Described> = values.collect();
    description::describe(&values, map, run).map_err(|fault| metadata.node.refuse(fault))
}
