//! The discrepancies of models: `{"lmo": {"concurrent": {"relative": 0.08, "degrees": 24}}, …}`.

use std::collections::BTreeMap;

use super::error::wrong_measurement as wrong;
use super::warning::UnknownKeys;
use crate::model::{Discrepancies, Discrepancy, ModelKind};
use orrery_base::file::Result;
use orrery_base::json::{Layout, Node};
use orrery_base::units::UnknownName;

/// The key of the file.
pub(super) const KEY: &str = "discrepancies";

/// The keys of the groups of experiments.
const GROUPS: [&str; 2] = ["point_to_point", "concurrent"];

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
        unknown.note_keys(&object, &GROUPS);
        let mut group = |key| object.get(key).map(|node| discrepancy(node, unknown)).transpose();
        all.insert(
            kind,
            Discrepancies { point_to_point: group(GROUPS[0])?, concurrent: group(GROUPS[1])? },
        );
    }
    Ok(all)
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
        let groups =
            groups.filter_map(|(key, one)| Some((key.to_owned(), line(one.as_ref()?)))).collect();
        (kind.name().to_owned(), Layout::Object(groups))
    };
    (!all.is_empty()).then(|| Layout::Object(all.iter().map(entry).collect()))
}
