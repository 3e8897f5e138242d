//! Models of the method `paper`:
//! `{"region": "", "method": "paper", "size_models": […], "process_models": […], …}`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::paper_check::{Wrong, check};
use crate::model::file::error::{parsed, wrong_application as wrong};
use orrery_applications::scaling::Region;
use orrery_applications::scaling::paper::{
    Adjustment, Composition, MemoryLimits, NtModel, PaperModel, PtModel,
};
use orrery_base::file::Result;
use orrery_base::json::{Layout, Node};

/// A region with models of the method `paper`, as read from the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RegionText {
    region: String,
    #[serde(rename = "method")]
    _method: String,
    runs: usize,
    kinds: Vec<String>,
    #[serde(default)]
    limits: Vec<MemoryLimits>,
    size_models: Vec<NtModel>,
    #[serde(default)]
    process_models: Vec<PtModel>,
    #[serde(default)]
    compositions: Vec<Composition>,
    #[serde(default)]
    adjustment: Option<Adjustment>,
    #[serde(default)]
    constants: BTreeMap<String, f64>,
    #[serde(default)]
    unused: Vec<String>,
}

/// Reads a region with models of the method `paper`.
pub(super) fn read(node: Node) -> Result<Region> {
    let text: RegionText = parsed(node)?;
    let model = PaperModel {
        kinds: text.kinds,
        limits: text.limits,
        nt_models: text.size_models,
        pt_models: text.process_models,
        compositions: text.compositions,
        adjustment: text.adjustment,
        constants: text.constants,
        runs: text.runs,
        unused: text.unused,
    };
    match check(&model) {
        Ok(()) => Ok(Region { name: text.region, model: model.into(), measured: Vec::new() }),
        Err(Wrong { key, entry, reason }) => {
            let list = node.object("an object")?.get(key).unwrap_or(node);
            let entry = entry.and_then(|entry| list.array("an array").ok()?.get(entry).copied());
            Err(wrong(entry.unwrap_or(list), &reason))
        }
    }
}

/// Lays out a region with models of the method `paper`, one line for each model.
pub(super) fn write(region: &str, model: &PaperModel) -> Result<Layout, String> {
    check(model).map_err(|Wrong { key, entry, reason }| match entry {
        Some(entry) => format!("{key}[{entry}]: {reason}"),
        None => format!("{key}: {reason}"),
    })?;
    layout(region, model).map_err(|error| error.to_string())
}

/// Lays out a region with one line for each entry of its lists.
fn layout(region: &str, model: &PaperModel) -> serde_json::Result<Layout> {
    let entries = vec![
        ("region".to_owned(), line(&region)?),
        ("method".to_owned(), line(&"paper")?),
        ("runs".to_owned(), line(&model.runs)?),
        ("kinds".to_owned(), line(&model.kinds)?),
        ("limits".to_owned(), rows(&model.limits)?),
        ("size_models".to_owned(), rows(&model.nt_models)?),
        ("process_models".to_owned(), rows(&model.pt_models)?),
        ("compositions".to_owned(), rows(&model.compositions)?),
        ("adjustment".to_owned(), line(&model.adjustment)?),
        ("constants".to_owned(), line(&model.constants)?),
        ("unused".to_owned(), line(&model.unused)?),
    ];
    Ok(Layout::Object(entries))
}

/// Lays out a value on one line.
fn line(value: &impl Serialize) -> serde_json::Result<Layout> {
    serde_json::to_string(value).map(Layout::Line)
}

/// Lays out a list with one line for each value.
fn rows(values: &[impl Serialize]) -> serde_json::Result<Layout> {
    values.iter().map(serde_json::to_string).collect::<serde_json::Result<_>>().map(Layout::Rows)
}
