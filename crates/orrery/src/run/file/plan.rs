//! The plan file: runs to be made, as JSON with one run on each line.
//!
//! ```
//! use orrery::run::file::plan;
//! let text = r#"{"format": "orrery-plan", "version": 1, "runs": [
//!   {"variables": {"n": 9600}, "configuration": {"athlon": {"elements": 1, "processes": 2}}, "seconds": 12.5}
//! ]}"#;
//! let read = plan::parse(text, "by-hand.json")?;
//! assert_eq!(read.runs[0].processes(), Some(2.0));
//! assert_eq!(plan::parse(plan::to_text(&read)?, "again")?, read);
//!
//! let error = plan::parse(text.replace("12.5", "0"), "by-hand.json").unwrap_err().to_string();
//! assert!(error.starts_with("by-hand.json:2:103: runs[0].seconds: run: its time is 0.0 s"), "{error}");
//! # Ok::<(), plan::PlanError>(())
//! ```

use std::path::Path;

use super::error::Fault;
use super::reader::{check_keys, entries, share, time};
use super::writer::{configuration, number, object, variables};
use crate::file::{self, FileError, FileFault, Located};
use crate::json::{self, Layout, Node, file_error, quote};
use crate::run::{Configuration, Plan, PlanEntry, RunProblem};
use crate::sample::Provenance;

/// The name of the format in the file.
pub const FORMAT: &str = "orrery-plan";

/// The version of the format.
const VERSION: u64 = 1;

/// The reason why a plan file cannot be read or written.
pub type PlanError = FileError<PlanFault>;

impl FileFault for PlanFault {
    const FILE: &'static str = "plan file";
}

/// A fault of a plan file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PlanFault {
    /// The file is empty.
    #[error("the file is empty; write a plan with \"orrery scaling advise\"")]
    Empty,
    /// The file is not JSON.
    #[error("a plan file is JSON; write one with \"orrery scaling advise\"")]
    NotJson,
    /// The file has another format.
    #[error(
        "the format is {found:?}, not \"orrery-plan\"; name a plan file, as \"orrery scaling \
            advise\" writes it"
    )]
    Format {
        /// The name of the format in the file.
        found: String,
    },
    /// A fault that runs files can have, too.
    #[error(transparent)]
    Entry(#[from] Fault),
}

/// A result whose error has a position in the text.
type Result<T> = std::result::Result<T, Located<PlanFault>>;

impl From<Located<json::Fault>> for Located<PlanFault> {
    fn from(Located { byte, fault }: Located<json::Fault>) -> Self {
        Self { byte, fault: PlanFault::Entry(fault.into()) }
    }
}

impl From<Located<Fault>> for Located<PlanFault> {
    fn from(Located { byte, fault }: Located<Fault>) -> Self {
        Self { byte, fault: PlanFault::Entry(fault) }
    }
}

/// Reads a plan file.
///
/// # Errors
///
/// A file that cannot be read, and the first fault in it.
pub fn read(path: impl AsRef<Path>) -> std::result::Result<Plan, PlanError> {
    let path = path.as_ref();
    parse(file::read(path)?, path)
}

/// Parses the content of a plan file; `name` is its name in errors.
///
/// # Errors
///
/// The first fault with its line, its column and its path in the JSON: a syntax error, a missing or
/// unknown key, or a wrong run (see [`PlanEntry::check`]).
pub fn parse(
    content: impl AsRef<[u8]>,
    name: impl AsRef<Path>,
) -> std::result::Result<Plan, PlanError> {
    let (content, path) = (content.as_ref(), name.as_ref());
    let text = json::text(content).map_err(|(located, before)| {
        file_error(path, &before, Located::<PlanFault>::from(located))
    })?;
    plan(text).map_err(|located| file_error(path, text, located))
}

/// Reads the object of a plan file.
fn plan(text: &str) -> Result<Plan> {
    match text.trim_start().chars().next() {
        None => return Err(Located { byte: 0, fault: PlanFault::Empty }),
        Some('{') => {}
        Some(_) => return Err(Located { byte: 0, fault: PlanFault::NotJson }),
    }
    let file = Node::root(text)?.object("an object")?;
    let format = file.needed("format", "\"orrery-plan\"")?;
    let found = format.string("\"orrery-plan\"")?;
    if found != FORMAT {
        return Err(format.refuse(PlanFault::Format { found }));
    }
    let version = file.needed("version", "1")?;
    if version.whole("1, the version of the format")? != VERSION {
        return Err(version.refuse(Fault::Version { found: version.text().to_owned() }.into()));
    }
    check_keys(&file, &["format", "version", "provenance", "runs"])?;
    let mut provenance = Provenance::new();
    for (key, word) in
        entries(&file, "provenance", |key, node| Ok((key.to_owned(), node.string("a string")?)))?
    {
        provenance.set(key, word);
    }
    let runs =
        file.needed("runs", "[{\"variables\": {\"n\": 9600}}]")?.array("an array of runs")?;
    Ok(Plan { provenance, runs: runs.iter().map(|node| planned(*node)).collect::<Result<_>>()? })
}

/// Reads a run of a plan.
fn planned(node: Node) -> Result<PlanEntry> {
    let object = node.object("an object, such as {\"variables\": {\"n\": 9600}}")?;
    check_keys(&object, &["variables", "configuration", "seconds"])?;
    let variables = entries(&object, "variables", |name, node| {
        Ok((name.to_owned(), node.number("a finite number")?))
    })?;
    let planned = PlanEntry {
        variables: variables.into_iter().collect(),
        configuration: Configuration { shares: entries(&object, "configuration", share)? },
        seconds: object.get("seconds").map(time).transpose()?,
    };
    planned.check().map_err(|fault| {
        let key = match &fault {
            RunProblem::Time { .. } => "seconds",
            RunProblem::NotFinite { .. } | RunProblem::NotWhole { .. } => "variables",
            _ => "configuration",
        };
        let fault = Fault::Run { run: String::new(), fault: Box::new(fault) };
        object.get(key).unwrap_or(node).refuse(PlanFault::Entry(fault))
    })?;
    Ok(planned)
}

/// Returns the text of a plan file, with a line for each run.
///
/// # Errors
///
/// The first wrong run (see [`PlanEntry::check`]).
pub fn to_text(plan: &Plan) -> std::result::Result<String, PlanError> {
    for (place, planned) in plan.runs.iter().enumerate() {
        planned.check().map_err(|fault| {
            let fault = PlanFault::Entry(Fault::Run { run: String::new(), fault: Box::new(fault) });
            PlanError::Write { place: format!("runs[{place}]"), fault }
        })?;
    }
    let provenance =
        plan.provenance.iter().map(|(key, value)| (key.to_owned(), Layout::string(value)));
    let layout = Layout::Object(vec![
        ("format".into(), Layout::Line(quote(FORMAT))),
        ("version".into(), Layout::Line(VERSION.to_string())),
        ("provenance".into(), Layout::Object(provenance.collect())),
        ("runs".into(), Layout::Rows(plan.runs.iter().map(row).collect())),
    ]);
    Ok(format!("{layout}\n"))
}

/// Writes a plan file in one step. An existing file that is not empty is replaced only with
/// `force`.
///
/// # Errors
///
/// An existing file, the first wrong run, and an error of the operating system.
pub fn write(
    path: impl AsRef<Path>,
    plan: &Plan,
    force: bool,
) -> std::result::Result<(), PlanError> {
    file::write(path.as_ref(), to_text(plan)?.as_bytes(), force)
}

/// A run as a line of JSON, without empty entries.
fn row(planned: &PlanEntry) -> String {
    let mut entries = Vec::new();
    if !planned.variables.is_empty() {
        entries.push(("variables", variables(&planned.variables)));
    }
    if !planned.configuration.shares.is_empty() {
        entries.push(("configuration", configuration(&planned.configuration)));
    }
    if let Some(seconds) = planned.seconds {
        entries.push(("seconds", number(seconds.get())));
    }
    object(entries.into_iter())
}
