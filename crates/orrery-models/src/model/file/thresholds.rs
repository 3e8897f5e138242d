//! Thresholds:
//! `[{"operation": "gather", "root": 0, "procs": 8, "gather_small": {…}, …, "escalations": [{…}]}, …]`.

use super::error;
use super::parameter::{self, Extent};
use super::warning::UnknownKeys;
use crate::comm::{Escalation, Thresholds};
use orrery_base::file::{Fault, Result};
use orrery_base::json::{Layout, Node, Object, quote};
use orrery_base::numeric::Estimate;
use orrery_base::units::UnknownName;
use orrery_cluster::platform::Processor;
use orrery_program::schedule::CollectiveKind;

/// The key of the thresholds in `models`.
pub(super) const KEY: &str = "thresholds";

/// The keys of the thresholds of a scatter.
const OF_SCATTER: [&str; 4] = ["operation", "root", "procs", "scatter_threshold"];
/// The keys of the thresholds of a gather.
const OF_GATHER: [&str; 10] = [
    "operation",
    "root",
    "procs",
    "gather_small",
    "gather_large",
    "gather_small_slope",
    "gather_large_slope",
    "hlmo_small_slope",
    "hlmo_large_slope",
    "escalations",
];
/// The keys of an escalation.
const OF_ESCALATION: [&str; 2] = ["seconds", "probability"];

/// Reads the thresholds of a model of n processors.
pub(super) fn read(node: Node, n: usize, unknown: &mut UnknownKeys) -> Result<Vec<Thresholds>> {
    let mut all: Vec<Thresholds> = Vec::new();
    for node in node.array(
        "an array of thresholds, one entry for each operation, root and number of processors",
    )? {
        let one = entry(node, unknown)?;
        fault(&one, &all, n).map_or(Ok(()), |reason| Err(wrong(node, &reason)))?;
        all.push(one);
    }
    Ok(all)
}

/// Reads the thresholds of one operation.
fn entry(node: Node, unknown: &mut UnknownKeys) -> Result<Thresholds> {
    let object = node.object("the thresholds of an operation")?;
    let operation = object.needed("operation", "\"scatter\" or \"gather\"")?;
    let kind: CollectiveKind = operation
        .string("\"scatter\" or \"gather\"")?
        .parse()
        .map_err(|error: UnknownName| wrong(operation, &error.to_string()))?;
    let whole = |key, expected| -> Result<u64> { object.needed(key, expected)?.whole(expected) };
    let root = whole("root", "the rank of the root")?;
    let procs = whole("procs", "the number of processors that take part")?;
    let root = Processor(u32::try_from(root).unwrap_or(u32::MAX));
    let none = Thresholds::none(kind, root, usize::try_from(procs).unwrap_or(usize::MAX));
    match kind {
        CollectiveKind::Scatter => {
            unknown.note_keys(&object, &OF_SCATTER);
            Ok(Thresholds {
                scatter_threshold: optional(&object, "scatter_threshold", Extent::One, unknown)?,
                ..none
            })
        }
        CollectiveKind::Gather => {
            unknown.note_keys(&object, &OF_GATHER);
            let levels = object
                .get("escalations")
                .map(|node| node.array("an array of escalations"))
                .transpose()?;
            let level = |node: Node| {
                let object =
                    node.object("an escalation: {\"seconds\": {…}, \"probability\": {…}}")?;
                unknown.note_keys(&object, &OF_ESCALATION);
                let mut one = |key| -> Result<Estimate> {
                    Ok(parameter::read(
                        object.needed(key, "{\"value\": …} with one number")?,
                        Extent::One,
                        unknown,
                    )?[0])
                };
                Ok(Escalation { seconds: one("seconds")?, probability: one("probability")? })
            };
            let escalations =
                levels.unwrap_or_default().into_iter().map(level).collect::<Result<_>>()?;
            let mut one = |key, shape| optional(&object, key, shape, unknown);
            Ok(Thresholds {
                gather_small: one("gather_small", Extent::One)?,
                gather_large: one("gather_large", Extent::One)?,
                gather_small_slope: one("gather_small_slope", Extent::Signed)?,
                gather_large_slope: one("gather_large_slope", Extent::Signed)?,
                hlmo_small_slope: one("hlmo_small_slope", Extent::Signed)?,
                hlmo_large_slope: one("hlmo_large_slope", Extent::Signed)?,
                escalations,
                ..none
            })
        }
        _ => Err(wrong(
            operation,
            &format!("thresholds are of \"scatter\" or \"gather\", not of \"{kind}\""),
        )),
    }
}

/// Reads a number that may be missing: `None` then.
fn optional(
    object: &Object,
    key: &str,
    shape: Extent,
    unknown: &mut UnknownKeys,
) -> Result<Option<Estimate>> {
    object.get(key).map(|node| Ok(parameter::read(node, shape, unknown)?[0])).transpose()
}

/// Returns an error about thresholds at the position of a node.
fn wrong(node: Node, reason: &str) -> Fault {
    node.refuse(error::thresholds(reason))
}

/// Returns the reason why thresholds are invalid beside others in a model of n processors; `None`
/// if they are valid.
fn fault(one: &Thresholds, others: &[Thresholds], n: usize) -> Option<String> {
    let Thresholds { operation, root, procs, .. } = *one;
    if procs < 2 || procs > n {
        return Some(format!(
            "\"procs\" is {procs}, but the model has {n} processors, of which two or more take part"
        ));
    }
    if root.index() >= procs {
        return Some(format!(
            "\"root\" is {root}, but the ranks of {procs} processors are 0 to {}",
            procs - 1
        ));
    }
    if others
        .iter()
        .any(|other| (other.operation, other.root, other.procs) == (operation, root, procs))
    {
        return Some(format!(
            "the {operation} of {procs} processors with root {root} is there twice"
        ));
    }
    one.fault()
}

/// Lays out thresholds; `None` if there are none. An error includes its path.
pub(super) fn write(all: &[Thresholds]) -> Result<Option<Layout>> {
    let entry = |(number, one): (usize, &Thresholds)| -> Result<Layout> {
        let place = format!("models.{KEY}[{number}]");
        let parameter = |name: &str, estimate: &Estimate, shape| {
            parameter::write(&[*estimate], shape)
                .map_err(|fault| fault.within(format!("{place}.{name}")))
        };
        let mut entries: Vec<(String, Layout)> = vec![
            ("operation".into(), Layout::Line(quote(one.operation.name()))),
            ("root".into(), Layout::Line(one.root.to_string())),
            ("procs".into(), Layout::Line(one.procs.to_string())),
        ];
        for (name, estimate) in one.named() {
            let shape = if name.ends_with("_slope") { Extent::Signed } else { Extent::One };
            entries.push((name.into(), parameter(name, &estimate, shape)?));
        }
        if !one.escalations.is_empty() {
            let level = |escalation: &Escalation| {
                let seconds = parameter("escalations.seconds", &escalation.seconds, Extent::One)?;
                let probability =
                    parameter("escalations.probability", &escalation.probability, Extent::One)?;
                Ok(Layout::Object(vec![
                    ("seconds".into(), seconds),
                    ("probability".into(), probability),
                ]))
            };
            let levels = one.escalations.iter().map(level).collect::<Result<_>>()?;
            entries.push(("escalations".into(), Layout::Array(levels)));
        }
        Ok(Layout::Object(entries))
    };
    let entries = all.iter().enumerate().map(entry).collect::<Result<Vec<_>>>()?;
    Ok((!entries.is_empty()).then_some(Layout::Array(entries)))
}
