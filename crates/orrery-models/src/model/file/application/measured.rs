//! Measured points:
//! `{"region": "", "variables": {"n": 9600}, "configuration": {…}, "seconds": [12.5, 12.6]}`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::file::error::{parsed, wrong_application as wrong};
use orrery_applications::run::{Configuration, Run, Share};
use orrery_applications::scaling::{MeasuredPoint, Point, Region};
use orrery_base::file::Result;
use orrery_base::json::{Layout, Node};
use orrery_base::units::Seconds;

/// The runs of a point, as stored in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MeasuredText {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    region: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    variables: BTreeMap<String, f64>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    configuration: BTreeMap<String, ShareText>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    variant: BTreeMap<String, String>,
    seconds: Vec<f64>,
}

/// The elements of a kind and the processes on each, as stored in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShareText {
    elements: u32,
    processes: u32,
}

/// Reads measured points and adds each to its region.
pub(super) fn read(node: Node, regions: &mut [Region]) -> Result<()> {
    for node in node.array("an array with the measured points")? {
        let text: MeasuredText = parsed(node)?;
        let unknown =
            || wrong(node, &format!("there is no region {:?} in \"regions\"", text.region));
        let region =
            regions.iter_mut().find(|region| region.name == text.region).ok_or_else(unknown)?;
        let share = |(kind, share): (String, ShareText)| Share {
            kind,
            elements: share.elements,
            processes: share.processes,
        };
        let configuration =
            Configuration { shares: text.configuration.into_iter().map(share).collect() };
        let point = Point { variables: text.variables, configuration, ..Point::default() };
        let measured = MeasuredPoint { point, variant: text.variant, seconds: text.seconds };
        check(&measured).map_err(|reason| wrong(node, &reason))?;
        region.measured.push(measured);
    }
    Ok(())
}

/// Lays out the measured points of all regions, one line for each; an error names the point.
pub(super) fn write(regions: &[Region]) -> Result<Layout, String> {
    let mut rows = Vec::new();
    for (region, measured) in
        regions.iter().flat_map(|region| region.measured.iter().map(move |m| (&region.name, m)))
    {
        let share = |share: &Share| {
            let Share { kind, elements, processes } = share.clone();
            (kind, ShareText { elements, processes })
        };
        let text = MeasuredText {
            region: region.clone(),
            variables: measured.point.variables.clone(),
            configuration: measured.point.configuration.shares.iter().map(share).collect(),
            variant: measured.variant.clone(),
            seconds: measured.seconds.clone(),
        };
        rows.push(serde_json::to_string(&text).map_err(|error| error.to_string())?);
    }
    Ok(Layout::Rows(rows))
}

/// Validates a measured point: each of its times makes a valid run.
fn check(measured: &MeasuredPoint) -> Result<(), String> {
    if measured.seconds.is_empty() {
        return Err("the measured point has no time, but needs at least one".to_owned());
    }
    measured.seconds.iter().try_for_each(|&seconds| {
        let mut run = Run::new(Seconds::new(seconds));
        run.variables.clone_from(&measured.point.variables);
        run.configuration.clone_from(&measured.point.configuration);
        run.check().map_err(|problem| problem.to_string())
    })
}
