//! The discrepancies of models:
//! `{"lmo": {"concurrent": {"relative": 0.08, "degrees": 24}, "collectives": [{"algorithm": "bcast/binomial", "root": 0, "procs": 16, "size": 1024, "error": 0.2, "noise": 0.01}]}, …}`.

use std::collections::BTreeMap;

use super::error::wrong_measurement as wrong;
use super::warning::UnknownKeys;
use crate::model::collective_errors::MAX_ERROR;
use crate::model::{Discrepancies, Discrepancy, MeasuredError, ModelKind, UnknownAlgorithm};
use orrery_base::file::Result;
use orrery_base::json::{Layout, Node, quote};
use orrery_base::units::{Bytes, UnknownName};
use orrery_cluster::platform::Processor;

/// The key of the file.
pub(super) const KEY: &str = "discrepancies";

/// The keys of the groups of experiments.
const GROUPS: [&str; 2] = ["point_to_point", "concurrent"];

/// The key of the errors in measured collective operations.
const COLLECTIVES: &str = "collectives";

/// The expected form of the error in a measured collective operation.
const MEASURED: &str = "{\"algorithm\": \"bcast/binomial\", \"root\": 0, \"procs\": 16, \"size\": \
    1024, \"error\": 0.2, \"noise\": 0.01}";

/// The expected form of a discrepancy.
const FORM: &str = "{\"relative\": 0.08, \"degrees\": 24}";

/// Reads the discrepancies of all kinds of models.
pub(super) fn read(
    node: Node,
    unknown: &mut UnknownKeys,
) -> Result<BTreeMap<ModelKind, Discrepancies>> {
    let object = node.object("an object with discrepancies by model")?;
    let mut all = BTreeMap::new();
    for (key, node) in object.iter() {
        let kind: ModelKind =
            key.parse().map_err(|error: UnknownName| wrong(node, &error.to_string()))?;
        let object = node.object("{\"point_to_point\": {…}, \"concurrent\": {…}}")?;
        unknown.note_keys(&object, &[GROUPS[0], GROUPS[1], COLLECTIVES]);
        let collectives = object.optional(COLLECTIVES, |node| {
            let rows = node.array("an array of the errors in measured collective operations")?;
            rows.into_iter().map(|row| measured(row, unknown)).collect()
        })?;
        let mut group = |key| object.get(key).map(|node| discrepancy(node, unknown)).transpose();
        all.insert(
            kind,
            Discrepancies {
                point_to_point: group(GROUPS[0])?,
                concurrent: group(GROUPS[1])?,
                collectives,
            },
        );
    }
    Ok(all)
}

/// Reads the error in a measured collective operation.
fn measured(node: Node, unknown: &mut UnknownKeys) -> Result<MeasuredError> {
    let object = node.object(MEASURED)?;
    unknown.note_keys(&object, &["algorithm", "root", "procs", "size", "error", "noise"]);
    let name = object.needed("algorithm", MEASURED)?;
    let algorithm = name
        .string("the name of an algorithm, such as bcast/binomial")?
        .parse()
        .map_err(|error: UnknownAlgorithm| wrong(name, &error.to_string()))?;
    let whole = |key| object.needed(key, MEASURED)?.whole("a whole number");
    let root = whole("root")?;
    let root = u32::try_from(root)
        .map_err(|_| wrong(node, &format!("the root {root} must be below 2^32")))?;
    let number = |key| object.needed(key, MEASURED)?.number("a number, such as 0.02");
    let error = MeasuredError {
        algorithm,
        root: Processor(root),
        procs: usize::try_from(whole("procs")?).unwrap_or(usize::MAX),
        size: Bytes::new(whole("size")?),
        error: number("error")?,
        noise: number("noise")?,
    };
    if !error.is_readable() {
        return Err(wrong(
            node,
            &format!(
                "error must be between -{MAX_ERROR} and {MAX_ERROR}, noise between 0 and \
                    {MAX_ERROR}, procs above 0"
            ),
        ));
    }
    Ok(error)
}

/// Reads a discrepancy: a relative standard deviation and its degrees of freedom.
fn discrepancy(node: Node, unknown: &mut UnknownKeys) -> Result<Discrepancy> {
    let object = node.object(FORM)?;
    unknown.note_keys(&object, &["relative", "degrees"]);
    let node = object.needed("relative", FORM)?;
    let relative = node.number("a relative standard deviation, such as 0.08")?;
    if relative < 0.0 {
        return Err(wrong(node, &format!("{relative} is negative")));
    }
    Ok(Discrepancy { relative, degrees: object.needed("degrees", FORM)?.whole("a whole number")? })
}

/// Lays out the discrepancies; `None` if there are none.
pub(super) fn write(all: &BTreeMap<ModelKind, Discrepancies>) -> Option<Layout> {
    let line = |one: &Discrepancy| {
        Layout::Line(format!("{{\"relative\": {}, \"degrees\": {}}}", one.relative, one.degrees))
    };
    let entry = |(kind, of): (&ModelKind, &Discrepancies)| {
        let groups = GROUPS.into_iter().zip([&of.point_to_point, &of.concurrent]);
        let mut groups: Vec<_> =
            groups.filter_map(|(key, one)| Some((key.to_owned(), line(one.as_ref()?)))).collect();
        if !of.collectives.is_empty() {
            let rows = of.collectives.iter().map(row).collect();
            groups.push((COLLECTIVES.to_owned(), Layout::Rows(rows)));
        }
        (kind.name().to_owned(), Layout::Object(groups))
    };
    (!all.is_empty()).then(|| Layout::Object(all.iter().map(entry).collect()))
}

/// Lays out the error in a measured collective operation.
fn row(one: &MeasuredError) -> String {
    format!(
        "{{\"algorithm\": {}, \"root\": {}, \"procs\": {}, \"size\": {}, \"error\": {}, \"noise\": {}}}",
        quote(&one.algorithm.to_string()),
        one.root.0,
        one.procs,
        one.size.get(),
        one.error,
        one.noise
    )
}
