use std::collections::BTreeMap;
use std::path::Path;

use super::{FILE, VERSION};
use crate::run::{Configuration, KindTimes, Run, RunProblem, Runs, Share};
use orrery_base::file::{self, Fault, FileError, FileKind, Result};
use orrery_base::json::{self, Node, Object};
use orrery_base::names::advice;
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
    json::read(content, path, FileKind::Runs, runs)
}

/// Reads the object of a runs file.
fn runs(text: &str) -> Result<Runs> {
    let example = "[{\"variables\": {\"n\": 9600}, \"seconds\": 12.5}]";
    let (provenance, runs) = provenance_and_runs(text, FileKind::Runs, example, run)?;
    Ok(Runs { provenance, runs })
}

/// Reads the object of a file of this kind, whose `runs` are an array such as `example`.
pub(super) fn provenance_and_runs<T>(
    text: &str,
    kind: FileKind,
    example: &str,
    read: impl Fn(Node) -> Result<T>,
) -> Result<(Provenance, Vec<T>)> {
    let file = Node::root(text)?.object("an object")?;
    json::check_format(&file, kind, VERSION)?;
    check_keys(&file, &["format", "version", "provenance", "runs"])?;
    let mut provenance = Provenance::new();
    let string = |key: &str, node: Node| Ok((key.to_owned(), node.string("a string")?));
    for (key, word) in entries(&file, "provenance", string)? {
        provenance.set(key, word);
    }
    let runs = file.needed("runs", example)?.array("an array of runs")?;
    Ok((provenance, runs.into_iter().map(read).collect::<Result<_>>()?))
}

/// Checks that an object has no other keys.
pub(super) fn check_keys(object: &Object, known: &[&'static str]) -> Result<()> {
    match object.iter().find(|(key, _)| !known.contains(key)) {
        Some((key, node)) => {
            let advice = advice(key, "keys here", known);
            Err(node.refuse(format!(
                "unknown key {key:?}; {advice}; correct its spelling, or remove it"
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
    object.optional(key, |node| {
        node.object("an object")?.iter().map(|(key, node)| read(key, node)).collect()
    })
}

/// Reads a run and checks it.
fn run(node: Node) -> Result<Run> {
    let object =
        node.object("an object, such as {\"variables\": {\"n\": 9600}, \"seconds\": 12.5}")?;
    check_keys(
        &object,
        &["origin", "region", "variables", "configuration", "seconds", "parts", "labels"],
    )?;
    let string = |key| object.optional(key, |node| node.string("a string"));
    let seconds = object.needed("seconds", "the time in seconds")?;
    let labels =
        entries(&object, "labels", |name, node| Ok((name.to_owned(), node.string("a string")?)))?;
    let run = Run {
        origin: string("origin")?,
        region: string("region")?,
        variables: variables(&object)?,
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

/// The fault of a wrong run; `origin` is the file and line that it was read from, if known.
pub(super) fn wrong_run(origin: &str, problem: &RunProblem) -> Fault {
    let space = if origin.is_empty() { "" } else { " " };
    Fault::new(format!("run{space}{origin}: {problem}"))
}

/// Reads the variables of a run.
pub(super) fn variables(run: &Object) -> Result<BTreeMap<String, f64>> {
    let variable = |name: &str, node: Node| Ok((name.to_owned(), node.number("a finite number")?));
    Ok(entries(run, "variables", variable)?.into_iter().collect())
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
