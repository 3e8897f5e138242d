//! The plan file: runs to be made, as JSON with one run on each line.
//!
//! ```
//! use orrery_applications::run::file::plan;
//! let text = r#"{"format": "orrery-plan", "version": 1, "runs": [
//!   {"variables": {"n": 9600}, "configuration": {"athlon": {"elements": 1, "processes": 2}}, "seconds": 12.5}
//! ]}"#;
//! let read = plan::parse(text, "by-hand.json")?;
//! assert_eq!(read.runs[0].processes(), Some(2.0));
//! assert_eq!(plan::parse(plan::to_text(&read)?, "again")?, read);
//!
//! let error = plan::parse(text.replace("12.5", "0"), "by-hand.json").unwrap_err().to_string();
//! assert!(error.starts_with("by-hand.json:2:103: runs[0].seconds: run: its time is 0.0 s"), "{error}");
//! # Ok::<(), orrery_base::file::FileError>(())
//! ```

use std::path::Path;

use super::reader::{check_keys, entries, provenance_and_runs, share, time, variables, wrong_run};
use super::writer::{row, with_provenance};
use crate::run::{Configuration, Plan, PlanEntry};
use orrery_base::file::{self, FileError, FileKind, OutputFormat, Result};
use orrery_base::json::{self, Node};
use orrery_base::units::Seconds;

/// The name of such a file in messages.
const FILE: &str = "plan file";

/// Reads a plan file.
///
/// # Errors
///
/// A file that cannot be read, and the first fault in it.
pub fn read(path: impl AsRef<Path>) -> Result<Plan, FileError> {
    let path = path.as_ref();
    parse(file::read(path, FILE)?, path)
}

/// Parses the content of a plan file; `name` is its name in errors.
///
/// # Errors
///
/// The first fault with its line, its column and its path in the JSON: a syntax error, a missing or
/// unknown key, or a wrong run (see [`PlanEntry::check`]).
pub fn parse(content: impl AsRef<[u8]>, name: impl AsRef<Path>) -> Result<Plan, FileError> {
    let (content, path) = (content.as_ref(), name.as_ref());
    json::read(content, path, FileKind::Plan, plan)
}

/// Reads the object of a plan file.
fn plan(text: &str) -> Result<Plan> {
    let example = "[{\"variables\": {\"n\": 9600}}]";
    let (provenance, runs) = provenance_and_runs(text, FileKind::Plan, example, planned)?;
    Ok(Plan { provenance, runs })
}

/// Reads a run of a plan.
fn planned(node: Node) -> Result<PlanEntry> {
    let object = node.object("an object, such as {\"variables\": {\"n\": 9600}}")?;
    check_keys(&object, &["variables", "configuration", "seconds"])?;
    let planned = PlanEntry {
        variables: variables(&object)?,
        configuration: Configuration { shares: entries(&object, "configuration", share)? },
        seconds: object.get("seconds").map(time).transpose()?,
    };
    planned.check().map_err(|problem| {
        let place = object.get(problem.field).unwrap_or(node);
        place.refuse(wrong_run("", &problem))
    })?;
    Ok(planned)
}

/// Returns the text of a plan file, with a line for each run.
///
/// # Errors
///
/// The first wrong run (see [`PlanEntry::check`]).
pub fn to_text(plan: &Plan) -> Result<String, FileError> {
    for (place, planned) in plan.runs.iter().enumerate() {
        let wrong = |problem| wrong_run("", &problem).within(format!("runs[{place}]"));
        planned.check().map_err(wrong).map_err(FileError::unwritable(FILE))?;
    }
    let line = |run: &PlanEntry| row(&run.with_time(Seconds::ZERO), run.seconds);
    Ok(with_provenance(FileKind::Plan, &plan.provenance, plan.runs.iter().map(line).collect()))
}

/// Writes a plan file in one step. An existing one is replaced only with `force`, a file of another
/// kind never.
///
/// # Errors
///
/// An existing file, the first wrong run, and an error of the operating system.
pub fn write(path: impl AsRef<Path>, plan: &Plan, force: bool) -> Result<(), FileError> {
    file::write(
        path.as_ref(),
        OutputFormat::new(FILE, FileKind::Plan),
        to_text(plan)?.as_bytes(),
        force,
    )
}
