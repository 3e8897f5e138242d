//! Thresholds:
//! `[{"operation": "gather", "root": 0, "procs": 8, "gather_small": {…}, …, "escalations": [{…}]}, …]`.

use super::parameter::{self, Extent};
use super::warning::UnknownKeys;
use crate::comm::{Escalation, Thresholds};
use orrery_base::file::{Fault, Result};
use orrery_base::json::{Layout, Node, quote};
use orrery_base::numeric::Estimate;
use orrery_base::units::UnknownName;
use orrery_cluster::platform::Processor;
use orrery_program::schedule::CollectiveKind;

/// The key of the thresholds in `models`.
pub(super) const KEY: &str = "thresholds";

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
    let mut found = Thresholds::none(kind, root, usize::try_from(procs).unwrap_or(usize::MAX));
    let further_key = match kind {
        CollectiveKind::Scatter => None,
        CollectiveKind::Gather => Some("escalations"),
        _ => {
            let reason = format!("thresholds are of \"scatter\" or \"gather\", not of \"{kind}\"");
            return Err(wrong(operation, &reason));
        }
    };
    let is_own = |name: &str| name.starts_with("scatter") == (kind == CollectiveKind::Scatter);
    let names = found.values_mut().map(|(name, _)| name).into_iter().filter(|&name| is_own(name));
    let keys = ["operation", "root", "procs"].into_iter().chain(names).chain(further_key);
    unknown.note_keys(&object, &keys.collect::<Vec<_>>());
    let levels = further_key.and_then(|key| object.get(key));
    for node in levels.map_or(Ok(Vec::new()), |node| node.array("an array of escalations"))? {
        let object = node.object("an escalation: {\"seconds\": {…}, \"probability\": {…}}")?;
        unknown.note_keys(&object, &["seconds", "probability"]);
        let mut one = |key| -> Result<Estimate> {
            let node = object.needed(key, "{\"value\": …} with one number")?;
            Ok(parameter::read(node, Extent::One, unknown)?[0])
        };
        let (seconds, probability) = (one("seconds")?, one("probability")?);
        found.escalations.push(Escalation { seconds, probability });
    }
    for (name, value) in found.values_mut().into_iter().filter(|value| is_own(value.0)) {
        if let Some(node) = object.get(name) {
            *value = Some(parameter::read(node, extent(name), unknown)?[0]);
        }
    }
    Ok(found)
}

/// The extent of a threshold or slope: slopes have any sign.
fn extent(name: &str) -> Extent {
    if name.ends_with("_slope") { Extent::Signed } else { Extent::One }
}

/// Returns an error about thresholds at the position of a node.
fn wrong(node: Node, reason: &str) -> Fault {
    node.refuse(format!("{reason}; correct it here, or estimate the thresholds again"))
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
            entries.push((name.into(), parameter(name, &estimate, extent(name))?));
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
