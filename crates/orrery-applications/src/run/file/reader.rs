use std::collections::BTreeMap;
use std::path::Path;

use super::error::wrong_run;
use super::{FILE, VERSION};
use crate::run::{Configuration, KindTimes, Run, Runs, Share};
use orrery_base::file::{self, Fault, FaultKind, FileError, FileKind, Result};
use orrery_base::json::{self, Node, Object};
use orrery_base::units::Seconds;
use orrery_measure::sample::Provenance;

/// Reads a runs file.
///
/// # Errors
///
/// A file that cannot be read, and the first fault in it.
pub fn read(path: impl AsRef<Path>) -> Result<Runs, FileError> {
    let path = path.as_ref();
    parse(file::read(path, FILE)?, path)
}

/// Parses the content of a runs file; `name` is its name in errors.
///
/// # Errors
///
/// The first fault with its line, its column and its path in the JSON: a syntax error, a missing or
/// unknown key, or a wrong run (see [`Run::check`]).
pub fn parse(content: impl AsRef<[u8]>, name: impl AsRef<Path>) -> Result<Runs, FileError> {
    let (content, path) = (content.as_ref(), name.as_ref());
    json::read(content, path, runs)
}

/// Reads the object of a runs file.
fn runs(text: &str) -> Result<Runs> {
    let wrong =
        |message: &str| Fault::new(message).of_kind(FaultKind::Format(FileKind::Runs)).at(0);
    match text.trim_start().chars().next() {
        None => return Err(wrong("the file is empty")),
        Some('{') => {}
        Some(_) => return Err(wrong("a runs file is JSON")),
    }
    let file = Node::root(text)?.object("an object")?;
    json::check_format(&file, FileKind::Runs, VERSION)?;
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
            let known = known.join(", ");
            Err(node.refuse(format!(
                "unknown key {key:?}; keys here are {known}; correct its spelling, or remove it"
            )))
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

/// Reads a run and checks it.
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
    run.check().map_err(|problem| {
        let place = object.get(problem.field).unwrap_or(node);
        place.refuse(wrong_run(&run.origin, &problem))
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
        u32::try_from(number).map_err(|_| node.expected("a whole number below 4294967296"))
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
