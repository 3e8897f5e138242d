//! Profiles of Score-P and Scalasca in the format of CubeLib 4 (`.cubex`).
//!
//! A profile is a tar archive. `anchor.xml`, plain or compressed by gzip, describes metrics, call
//! paths and locations (threads). For each metric, `ID.index` lists call paths and `ID.data` their
//! values, one for each location:
//!
//! ```text
//! CUBEX.INDEX  i32 1  i16 version  i8 1 (sparse)  i32 number  i32 call path …
//! CUBEX.DATA   value …
//! ZCUBEX.DATA  i64 chunks  (i64 position, i64 compressed position, i64 compressed size) …  zlib stream …
//! ```
//!
//! The first number gives the byte order. Call paths are numbered in the order of the call tree for
//! exclusive metrics, and in that of the expanded call paths for inclusive ones.

mod anchor;
mod archive;
mod error;
mod values;

use std::collections::BTreeMap;

use anchor::Anchor;
use archive::Archive;

use super::name_pattern::FileProperties;
use super::parsed::{Parsed, RemarkKind, budget};
use crate::run::metric::METRIC;
use crate::run::{Run, variable};
use orrery_base::file::{FileKind, Result, kind_of};
use orrery_base::units::Seconds;

/// The nodes that the XML of a file may have: far more than the description of any program for each
/// byte of its file.
fn max_nodes(content: &[u8]) -> u32 {
    u32::try_from(content.len().saturating_mul(4)).unwrap_or(u32::MAX).saturating_add(1 << 16)
}

/// The time of Score-P.
const TIME: &str = "time";

/// Returns true if content is a profile, or the beginning of one.
pub(super) fn is_profile(content: &[u8]) -> bool {
    kind_of(&content[..content.len().min(archive::BLOCK)]) == Some(FileKind::Profile)
        || Archive::new(content).is_ok_and(|archive| archive.member(anchor::MEMBER).is_ok())
}

/// Reads a profile: a run for each call path with its value of the named metric, otherwise of
/// `time`, including its callees, the maximum over the locations. Its variable is the number of
/// processes if the name of the file contains no others.
pub(super) fn read(
    content: &[u8],
    metric: Option<&str>,
    of_file: &FileProperties,
) -> Result<Parsed> {
    let archive = Archive::new(content)?;
    let budget = budget(content);
    let xml = anchor::text(&archive, budget)?;
    let document = anchor::parse(&xml, max_nodes(content))?;
    let anchor = Anchor::read(&document)?;
    let metric = anchor.metric(metric.unwrap_or(TIME))?;
    let names = anchor.names(budget)?;
    // Calls at several lines of the caller have the same name; they are one path.
    let mut firsts: BTreeMap<&str, usize> = BTreeMap::new();
    let firsts: Vec<usize> = names
        .iter()
        .enumerate()
        .map(|(place, name)| *firsts.entry(name).or_insert(place))
        .collect();
    let seconds = values::inclusive(&archive, &anchor, &metric, &firsts, budget)?;
    let mut common = Run::default();
    common.labels.insert(METRIC.to_owned(), metric.name.clone());
    let has_variables = !of_file.variables.is_empty();
    if !has_variables && anchor.processes > 0 {
        common.variables.insert(variable::PROCESSES.to_owned(), anchor.processes as f64);
    }
    let mut parsed = Parsed::default();
    let mut zeros = 0;
    for (place, region) in
        names.into_iter().enumerate().filter(|(place, _)| firsts[*place] == *place)
    {
        if seconds[place] == 0.0 {
            zeros += 1;
            continue;
        }
        let value = seconds[place];
        let seconds = Seconds::new(metric.unit.map_or(value, |unit| unit.seconds(value)));
        parsed.runs.push((0, Run { region, seconds, ..common.clone() }));
    }
    if zeros > 0 {
        parsed.remarks.push((0, RemarkKind::unusable(zeros, "call paths")));
    }
    if !has_variables {
        parsed.remarks.push((0, RemarkKind::NoParameters));
    }
    Ok(parsed)
}
