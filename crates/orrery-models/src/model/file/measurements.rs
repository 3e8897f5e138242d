//! What was measured on the way to the model:
//! `{"processors": 16, "measured": 12, "exchanging": 16, "exchange_backlog": 196608,
//! "launches": {…}, "linear": [{…}, …], "seen": {…}}`.

use std::collections::{BTreeMap, BTreeSet};

use super::error::wrong_measurement as wrong;
use super::warning::UnknownKeys;
use crate::model::{Measurements, SeenExperiments, Sweep};
use orrery_base::file::Result;
use orrery_base::json::{Layout, Node, list, quote};
use orrery_base::units::{Bytes, UnknownName};
use orrery_cluster::platform::Processor;
use orrery_measure::sample::LaunchDifference;

/// The key of the file.
pub(super) const KEY: &str = "measurements";

/// The expected form of a number of processors or launches.
const COUNT: &str = "a whole number";

/// The expected form of a relative deviation.
const DEVIATION: &str = "a relative deviation, such as 0.02";

/// Reads what was measured.
pub(super) fn read(node: Node, unknown: &mut UnknownKeys) -> Result<Measurements> {
    let object = node.object("an object with what was measured, such as {\"processors\": 16}")?;
    unknown.note_keys(
        &object,
        &["processors", "measured", "exchanging", "exchange_backlog", "launches", "linear", "seen"],
    );
    let launches = |node: Node| -> Result<LaunchDifference> {
        let object = node.object(
            "the difference of launches: {\"launches\": 3, \"between\": 0.08, \"expected\": 0.02}",
        )?;
        unknown.note_keys(&object, &["launches", "between", "expected"]);
        let relative = |key| -> Result<f64> {
            let node = object.needed(key, DEVIATION)?;
            let value = node.number(DEVIATION)?;
            if value < 0.0 { Err(wrong(node, &format!("{value} is negative"))) } else { Ok(value) }
        };
        let launches = count(object.needed("launches", COUNT)?)?;
        Ok(LaunchDifference {
            launches,
            between: relative("between")?,
            expected: relative("expected")?,
        })
    };
    let [processors, measured, exchanging] =
        ["processors", "measured", "exchanging"].map(|key| object.get(key).map(count).transpose());
    let backlog = |node: Node| node.whole("a size in bytes").map(Bytes::new);
    let exchange_backlog = object.get("exchange_backlog").map(backlog).transpose()?;
    let launches = object.get("launches").map(launches).transpose()?;
    let sweeps = object.optional("linear", |node| {
        let nodes = node.array("an array of linear operations")?;
        nodes.into_iter().map(|node| sweep(node, unknown)).collect()
    })?;
    let seen = object.optional("seen", seen)?;
    let (processors, measured, exchanging) = (processors?, measured?, exchanging?);
    Ok(Measurements { processors, measured, exchanging, exchange_backlog, sweeps, launches, seen })
}

/// Reads the sizes of each operation of the fit.
fn seen(node: Node) -> Result<SeenExperiments> {
    let object = node.object("the sizes of each operation: {\"roundtrip\": [0, 65536]}")?;
    let sizes = |node: Node| -> Result<BTreeSet<Bytes>> {
        let sizes = node.array("an array of sizes in bytes: [0, 65536]")?;
        sizes.iter().map(|size| Ok(Bytes::new(size.whole("a size in bytes")?))).collect()
    };
    let operations = object.iter().map(|(name, node)| Ok((name.to_owned(), sizes(node)?)));
    Ok(SeenExperiments(operations.collect::<Result<BTreeMap<_, _>>>()?))
}

/// Reads a number of processors or launches.
fn count(node: Node) -> Result<usize> {
    Ok(usize::try_from(node.whole(COUNT)?).unwrap_or(usize::MAX))
}

/// Reads the largest block of a linear operation.
fn sweep(node: Node, unknown: &mut UnknownKeys) -> Result<Sweep> {
    let object =
        node.object("{\"operation\": \"gather\", \"root\": 0, \"procs\": 8, \"largest\": 65536}")?;
    unknown.note_keys(&object, &["operation", "root", "procs", "largest"]);
    let operation = object.needed("operation", "\"scatter\" or \"gather\"")?;
    let whole = |key| -> Result<u64> { object.needed(key, COUNT)?.whole(COUNT) };
    Ok(Sweep {
        operation: operation
            .string("\"scatter\" or \"gather\"")?
            .parse()
            .map_err(|error: UnknownName| wrong(operation, &error.to_string()))?,
        root: Processor(u32::try_from(whole("root")?).unwrap_or(u32::MAX)),
        procs: usize::try_from(whole("procs")?).unwrap_or(usize::MAX),
        largest: Bytes::new(whole("largest")?),
    })
}

/// Lays out what was measured; `None` if nothing is known.
pub(super) fn write(measurements: &Measurements) -> Option<Layout> {
    let mut entries = Vec::new();
    for (key, count) in [
        ("processors", measurements.processors),
        ("measured", measurements.measured),
        ("exchanging", measurements.exchanging),
    ] {
        entries.extend(count.map(|count| (key.to_owned(), Layout::Line(count.to_string()))));
    }
    let backlog = measurements.exchange_backlog.map(|backlog| backlog.get().to_string());
    entries.extend(backlog.map(|line| ("exchange_backlog".to_owned(), Layout::Line(line))));
    if let Some(LaunchDifference { launches, between, expected }) = measurements.launches {
        let line = format!(
            "{{\"launches\": {launches}, \"between\": {between}, \"expected\": {expected}}}"
        );
        entries.push(("launches".to_owned(), Layout::Line(line)));
    }
    let row = |sweep: &Sweep| {
        let Sweep { operation, root, procs, largest } = sweep;
        let (operation, largest) = (quote(operation.name()), largest.get());
        format!(
            "{{\"operation\": {operation}, \"root\": {root}, \"procs\": {procs}, \"largest\": \
                {largest}}}"
        )
    };
    if !measurements.sweeps.is_empty() {
        entries.push((
            "linear".to_owned(),
            Layout::Rows(measurements.sweeps.iter().map(row).collect()),
        ));
    }
    let of_operation = |(name, sizes): (&String, &BTreeSet<Bytes>)| {
        (name.clone(), Layout::Line(list(sizes.iter().map(|size| size.get()))))
    };
    let seen: Vec<_> = measurements.seen.0.iter().map(of_operation).collect();
    if !seen.is_empty() {
        entries.push(("seen".to_owned(), Layout::Object(seen)));
    }
    (!entries.is_empty()).then_some(Layout::Object(entries))
}
