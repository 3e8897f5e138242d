use std::collections::BTreeMap;
use std::path::Path;

use super::error::{Fault, Result, RunsError};
use super::{FORMAT, VERSION};
use crate::file::{self, Located};
use crate::json::{self, Node, Object, file_error};
use crate::run::{Configuration, KindTimes, Run, RunProblem, Runs, Share};
use crate::sample::Provenance;
use crate::units::Seconds;

/// Reads a runs file.
///
/// # Errors
///
/// A file that cannot be read, and the first fault in it.
pub fn read(path: impl AsRef<Path>) -> std::result::Result<Runs, RunsError> {
    let path = path.as_ref();
    parse(file::read(path)?, path)
}

/// Parses the content of a runs file; `name` is its name in errors.
///
/// # Errors
///
/// The first fault with its line, its column and its path in the JSON: a syntax error, a missing or
/// unknown key, or a wrong run (see [`Run::check`]).
pub fn parse(
    content: impl AsRef<[u8]>,
    name: impl AsRef<Path>,
) -> std::result::Result<Runs, RunsError> {
    let (content, path) = (content.as_ref(), name.as_ref());
    let text = json::text(content)
        .map_err(|(located, before)| file_error(path, &before, Located::<Fault>::from(located)))?;
    runs(text).map_err(|located| file_error(path, text, located))
}

/// Reads the object of a runs file.
fn runs(text: &str) -> Result<Runs> {
    match text.trim_start().chars().next() {
        None => return Err(Located { byte: 0, fault: Fault::Empty }),
        Some('{') => {}
        Some(_) => return Err(Located { byte: 0, fault: Fault::NotJson }),
    }
    let file = Node::root(text)?.object("an object")?;
    let format = file.needed("format", "\"orrery-runs\"")?;
    let found = format.string("\"orrery-runs\"")?;
    if found != FORMAT {
        return Err(format.refuse(Fault::Format { found }));
    }
    let version = file.needed("version", "1")?;
    if version.whole("1, the version of the format")? != VERSION {
        return Err(version.refuse(Fault::Version { found: version.text().to_owned() }));
    }
    check_keys(&file, &["format", "version", "provenance", "runs"])?;
    let mut provenance = Provenance::new();
    if let Some(node) = file.get("provenance") {
        for (key, node) in node.object("an object with strings")?.iter() {
            provenance.set(key, node.string("a string")?);
        }
    }
    let entries = file
        .needed("runs", "[{\"variables\": {\"n\": 9600}, \"seconds\": 12.5}]")?
        .array("an array of runs")?;
    let runs = entries.iter().map(|node| run(*node)).collect::<Result<_>>()?;
    Ok(Runs { provenance, runs })
}

/// Checks that an object has no other keys.
pub(super) fn check_keys(object: &Object, known: &[&'static str]) -> Result<()> {
    match object.iter().find(|(key, _)| !known.contains(key)) {
        Some((key, node)) => {
            Err(node.refuse(Fault::Unknown { key: key.to_owned(), known: known.to_vec() }))
        }
        None => Ok(()),
    }
}

/// The entries of the object with a key, in order; empty if the key is missing.
pub(super) fn entries<T>(
    object: &Object,
    key: &str,
    read: impl Fn(&str, Node) -> Result<T>,
) -> Result<Vec<T>> {
    let Some(node) = object.get(key) else { return Ok(Vec::new()) };
    node.object("an object")?.iter().map(|(key, node)| read(key, node)).collect()
}

/// Reads a run.
fn run(node: Node) -> Result<Run> {
    let object =
        node.object("an object, such as {\"variables\": {\"n\": 9600}, \"seconds\": 12.5}")?;
    check_keys(
        &object,
        &["origin", "region", "variables", "configuration", "seconds", "parts", "labels"],
    )?;
    let string = |key| object.get(key).map_or(Ok(String::new()), |node| node.string("a string"));
    let seconds = object.needed("seconds", "the time in seconds")?;
    let variables = entries(&object, "variables", |name, node| {
        Ok((name.to_owned(), node.number("a finite number")?))
    })?;
    let labels =
        entries(&object, "labels", |name, node| Ok((name.to_owned(), node.string("a string")?)))?;
    let run = Run {
        origin: string("origin")?,
        region: string("region")?,
        variables: variables.into_iter().collect(),
        configuration: Configuration { shares: entries(&object, "configuration", share)? },
        seconds: time(seconds)?,
        parts: entries(&object, "parts", part)?,
        labels: labels.into_iter().collect::<BTreeMap<_, _>>(),
    };
    run.check().map_err(|fault| {
        let place = match &fault {
            RunProblem::Time { .. } => Some(seconds),
            RunProblem::NotFinite { .. } | RunProblem::NotWhole { .. } => object.get("variables"),
            RunProblem::Processes { .. }
            | RunProblem::KindTwice { .. }
            | RunProblem::NoShare { .. } => object.get("configuration"),
            RunProblem::UnknownKind { .. } | RunProblem::Part { .. } => object.get("parts"),
        };
        place.unwrap_or(node).refuse(Fault::Run { run: run.origin.clone(), fault: Box::new(fault) })
    })?;
    Ok(run)
}

/// Reads a time in seconds.
pub(super) fn time(node: Node) -> Result<Seconds> {
    Ok(Seconds::new(node.number("a finite number of seconds")?))
}

/// Reads the share of a kind in a configuration.
pub(super) fn share(kind: &str, node: Node) -> Result<Share> {
    let object = node.object("an object with \"elements\" and \"processes\"")?;
    check_keys(&object, &["elements", "processes"])?;
    let number = |key, hint| {
        let node = object.needed(key, hint)?;
        let number = node.whole("a whole number")?;
        u32::try_from(number)
            .map_err(|_| Located::<Fault>::from(node.expected("a whole number below 4294967296")))
    };
    let elements = number("elements", "the number of elements of the kind")?;
    Ok(Share {
        kind: kind.to_owned(),
        elements,
        processes: number("processes", "the number of processes on each element")?,
    })
}

/// Reads the computation and communication times of a kind.
fn part(kind: &str, node: Node) -> Result<KindTimes> {
    let object = node.object("an object with \"computation\" and \"communication\"")?;
    check_keys(&object, &["computation", "communication"])?;
    let needed = |key| time(object.needed(key, "a time in seconds")?);
    Ok(KindTimes {
        kind: kind.to_owned(),
        computation: needed("computation")?,
        communication: needed("communication")?,
    })
}
