//! Correlations of the errors of parameters:
//! `{"cluster": […], "processors": [[…], …], "pairs": [[…], …]}`.

use super::error::wrong_measurement as wrong;
use super::warning::UnknownKeys;
use crate::comm::{CorrelatedNames, Correlations};
use crate::model::ModelKind;
use orrery_base::file::Result;
use orrery_base::json::{Layout, Node, Object, list};
use orrery_cluster::platform::Pairs;

/// The key within a point-to-point model.
pub(super) const KEY: &str = "correlations";

/// The keys, by the places of parameters.
const KEYS: [&str; 3] = ["cluster", "processors", "pairs"];

/// The expected form of a correlation.
const FORM: &str = "a number from -1 to 1";

/// Reads the correlations of a kind of model of n processors.
pub(super) fn read(
    node: Node,
    kind: ModelKind,
    n: usize,
    unknown: &mut UnknownKeys,
) -> Result<Correlations> {
    let object = node.object("an object with correlations")?;
    unknown.note_keys(&object, &KEYS);
    let names = CorrelatedNames::of(kind);
    let of_cluster = CorrelatedNames::among(names.cluster.len());
    let cluster = object.optional(KEYS[0], |node| row(node, of_cluster, true))?;
    let processors =
        rows(&object, KEYS[1], n, CorrelatedNames::among(names.processors.len()), true)?;
    let pairs = rows(&object, KEYS[2], Pairs::of(n).count(), names.of_pair(), false)?;
    Ok(Correlations { cluster, processors, pairs })
}

/// Reads one row for each place; none if the key is missing.
fn rows(
    object: &Object,
    key: &str,
    places: usize,
    length: usize,
    is_bounded: bool,
) -> Result<Vec<Vec<f64>>> {
    let Some(node) = object.get(key) else { return Ok(Vec::new()) };
    let nodes = node.array("an array with a row for each processor or pair")?;
    if nodes.len() != places {
        return Err(wrong(
            node,
            &format!("the array has {} rows, but {places} are needed", nodes.len()),
        ));
    }
    nodes.into_iter().map(|node| row(node, length, is_bounded)).collect()
}

/// Reads the values of one place; bounded ones are correlations.
fn row(node: Node, length: usize, is_bounded: bool) -> Result<Vec<f64>> {
    let nodes = node.array("an array of correlations")?;
    if nodes.len() != length {
        return Err(wrong(
            node,
            &format!("the array has {} values, but {length} are needed", nodes.len()),
        ));
    }
    let correlation = |node: Node| {
        let value = node.number(FORM)?;
        if is_bounded && value.abs() > 1.0 {
            Err(wrong(node, &format!("{value} is no correlation, which is {FORM}")))
        } else {
            Ok(value)
        }
    };
    nodes.into_iter().map(correlation).collect()
}

/// Lays out the correlations.
pub(super) fn write(correlations: &Correlations) -> Layout {
    let mut entries = Vec::new();
    if !correlations.cluster.is_empty() {
        entries.push((KEYS[0].to_owned(), Layout::Line(list(&correlations.cluster))));
    }
    for (key, rows) in KEYS[1..].iter().zip([&correlations.processors, &correlations.pairs]) {
        if !rows.is_empty() {
            entries.push(((*key).to_owned(), Layout::Rows(rows.iter().map(list).collect())));
        }
    }
    Layout::Object(entries)
}
