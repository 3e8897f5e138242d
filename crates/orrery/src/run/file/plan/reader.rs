use std::path::Path;

use super::error::{PlanError, PlanFault, Result};
use super::{FORMAT, VERSION};
use crate::file::{self, Located};
use crate::json::{self, Node, file_error};
use crate::run::file::error::Fault;
use crate::run::file::reader::{entries, only, share, time};
use crate::run::{Configuration, Plan, PlanEntry, RunProblem};
use crate::sample::Provenance;

/// Reads a plan file.
///
/// # Errors
///
/// A file that cannot be opened, and whatever [`parse`] refuses.
pub fn read(path: impl AsRef<Path>) -> std::result::Result<Plan, PlanError> {
    let path = path.as_ref();
    parse(file::read(path)?, path)
}

/// Reads the content of a plan file; `name` is its name in errors.
///
/// # Errors
///
/// The first thing that is wrong, with its line, its column and its place in the JSON: JSON that is none, a key that is
/// missing or not known, a run that cannot be (see [`PlanEntry::check`]).
pub fn parse(content: impl AsRef<[u8]>, name: impl AsRef<Path>) -> std::result::Result<Plan, PlanError> {
    let (content, path) = (content.as_ref(), name.as_ref());
    let text = json::text(content)
        .map_err(|(located, before)| file_error(path, &before, Located::<PlanFault>::from(located)))?;
    plan(text).map_err(|located| file_error(path, text, located))
}

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
    only(&file, &["format", "version", "provenance", "runs"])?;
    let mut provenance = Provenance::new();
    for (key, word) in entries(&file, "provenance", |key, node| Ok((key.to_owned(), node.string("a string")?)))? {
        provenance.set(key, word);
    }
    let runs = file.needed("runs", "[{\"variables\": {\"n\": 9600}}]")?.array("an array of runs")?;
    Ok(Plan { provenance, runs: runs.iter().map(|node| planned(*node)).collect::<Result<_>>()? })
}

fn planned(node: Node) -> Result<PlanEntry> {
    let object = node.object("an object, such as {\"variables\": {\"n\": 9600}}")?;
    only(&object, &["variables", "configuration", "seconds"])?;
    let variables = entries(&object, "variables", |name, node| Ok((name.to_owned(), node.number("a finite number")?)))?;
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
