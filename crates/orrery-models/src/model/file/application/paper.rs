//! Models of the method `paper`:
//! `{"region": "", "method": "paper", "size_models": […], "process_models": […], …}`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::paper_check::{Wrong, check};
use crate::model::file::error::{parsed, wrong_application as wrong};
use orrery_applications::scaling::Region;
use orrery_applications::scaling::paper::{
    Adjustment, Composition, MemoryLimits, NtCoefficients, NtModel, PaperModel, PtModel,
};
use orrery_base::file::Result;
use orrery_base::json::{Layout, Node};

/// A region with models of the method `paper`, as stored in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RegionText {
    region: String,
    method: String,
    runs: usize,
    kinds: Vec<String>,
    #[serde(default)]
    limits: Vec<LimitsText>,
    size_models: Vec<SizeText>,
    #[serde(default)]
    process_models: Vec<ProcessText>,
    #[serde(default)]
    compositions: Vec<CompositionText>,
    #[serde(default)]
    adjustment: Option<AdjustmentText>,
    #[serde(default)]
    constants: BTreeMap<String, f64>,
    #[serde(default)]
    unused: Vec<String>,
}

/// The memory limits of a kind, as stored in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitsText {
    kind: String,
    bytes: Vec<f64>,
}

/// An N-T model (time over the problem size), as stored in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SizeText {
    kind: String,
    per_element: u32,
    processes: u64,
    #[serde(default)]
    range: usize,
    computation: [f64; 4],
    communication: [f64; 3],
    sizes: Vec<f64>,
}

/// A P-T model (time over the number of processes), as stored in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProcessText {
    kind: String,
    per_element: u32,
    #[serde(default)]
    range: usize,
    computation: [f64; 2],
    communication: [f64; 3],
    reference: ReferenceText,
    sizes: (f64, f64),
    processes: (u64, u64),
    #[serde(default)]
    composed_from: Option<String>,
}

/// The reference of a P-T model, as stored in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReferenceText {
    processes: u64,
    computation: [f64; 4],
    communication: [f64; 3],
}

/// The factors of a composed model, as stored in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CompositionText {
    kind: String,
    from: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    per_element: Option<(u32, u32)>,
    computation: f64,
    communication: f64,
    #[serde(default)]
    estimated: bool,
}

/// An adjustment of large runs, as stored in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AdjustmentText {
    kind: String,
    from_processes: u32,
    intercept: f64,
    slope: f64,
    #[serde(default)]
    runs: usize,
}

/// Reads a region with models of the method `paper`.
pub(super) fn read(node: Node) -> Result<Region> {
    let text: RegionText = parsed(node)?;
    let name = text.region.clone();
    let model = model(text);
    match check(&model) {
        Ok(()) => Ok(Region { name, model: model.into(), measured: Vec::new() }),
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
    layout(&text(region, model)).map_err(|error| error.to_string())
}

/// Lays out a region with one line for each entry of its lists.
fn layout(text: &RegionText) -> serde_json::Result<Layout> {
    let entries = vec![
        ("region".to_owned(), line(&text.region)?),
        ("method".to_owned(), line(&text.method)?),
        ("runs".to_owned(), line(&text.runs)?),
        ("kinds".to_owned(), line(&text.kinds)?),
        ("limits".to_owned(), rows(&text.limits)?),
        ("size_models".to_owned(), rows(&text.size_models)?),
        ("process_models".to_owned(), rows(&text.process_models)?),
        ("compositions".to_owned(), rows(&text.compositions)?),
        ("adjustment".to_owned(), line(&text.adjustment)?),
        ("constants".to_owned(), line(&text.constants)?),
        ("unused".to_owned(), line(&text.unused)?),
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

/// Converts a region of the file to models.
fn model(text: RegionText) -> PaperModel {
    let limits = |t: LimitsText| MemoryLimits { kind: t.kind, bytes: t.bytes };
    let size = |t: SizeText| NtModel {
        kind: t.kind,
        processes: t.processes,
        per_element: t.per_element,
        range: t.range,
        coefficients: NtCoefficients { computation: t.computation, communication: t.communication },
        sizes: t.sizes,
    };
    let process = |t: ProcessText| PtModel {
        kind: t.kind,
        per_element: t.per_element,
        range: t.range,
        reference_processes: t.reference.processes,
        reference: NtCoefficients {
            computation: t.reference.computation,
            communication: t.reference.communication,
        },
        computation: t.computation,
        communication: t.communication,
        sizes: t.sizes,
        processes: t.processes,
        composed_from: t.composed_from,
    };
    let composition = |t: CompositionText| Composition {
        kind: t.kind,
        from: t.from,
        per_element: t.per_element,
        computation: t.computation,
        communication: t.communication,
        estimated: t.estimated,
    };
    let adjustment = |t: AdjustmentText| Adjustment {
        kind: t.kind,
        from_processes: t.from_processes,
        intercept: t.intercept,
        slope: t.slope,
        runs: t.runs,
    };
    PaperModel {
        kinds: text.kinds,
        limits: text.limits.into_iter().map(limits).collect(),
        nt_models: text.size_models.into_iter().map(size).collect(),
        pt_models: text.process_models.into_iter().map(process).collect(),
        compositions: text.compositions.into_iter().map(composition).collect(),
        adjustment: text.adjustment.map(adjustment),
        constants: text.constants,
        runs: text.runs,
        unused: text.unused,
    }
}

/// Converts models to a region of the file.
fn text(region: &str, model: &PaperModel) -> RegionText {
    let limits = |m: &MemoryLimits| LimitsText { kind: m.kind.clone(), bytes: m.bytes.clone() };
    let size = |m: &NtModel| SizeText {
        kind: m.kind.clone(),
        per_element: m.per_element,
        processes: m.processes,
        range: m.range,
        computation: m.coefficients.computation,
        communication: m.coefficients.communication,
        sizes: m.sizes.clone(),
    };
    let process = |m: &PtModel| ProcessText {
        kind: m.kind.clone(),
        per_element: m.per_element,
        range: m.range,
        computation: m.computation,
        communication: m.communication,
        reference: ReferenceText {
            processes: m.reference_processes,
            computation: m.reference.computation,
            communication: m.reference.communication,
        },
        sizes: m.sizes,
        processes: m.processes,
        composed_from: m.composed_from.clone(),
    };
    let composition = |m: &Composition| CompositionText {
        kind: m.kind.clone(),
        from: m.from.clone(),
        per_element: m.per_element,
        computation: m.computation,
        communication: m.communication,
        estimated: m.estimated,
    };
    let adjustment = |m: &Adjustment| AdjustmentText {
        kind: m.kind.clone(),
        from_processes: m.from_processes,
        intercept: m.intercept,
        slope: m.slope,
        runs: m.runs,
    };
    RegionText {
        region: region.to_owned(),
        method: "paper".to_owned(),
        runs: model.runs,
        kinds: model.kinds.clone(),
        limits: model.limits.iter().map(limits).collect(),
        size_models: model.nt_models.iter().map(size).collect(),
        process_models: model.pt_models.iter().map(process).collect(),
        compositions: model.compositions.iter().map(composition).collect(),
        adjustment: model.adjustment.as_ref().map(adjustment),
        constants: model.constants.clone(),
        unused: model.unused.clone(),
    }
}
