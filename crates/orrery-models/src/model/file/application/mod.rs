//! Execution-time models of applications:
//! `{"metric": "visits", "regions": [{"region": "", "method": "terms", …}, …], "measured": […]}`, one file for each
//! method and one for the measured points.

mod effects;
mod measured;
mod paper;
mod paper_check;
mod terms;

use super::error::{self, wrong_application as wrong};
use crate::model::Model;
use orrery_applications::run::Metric;
use orrery_applications::scaling::{Application, ExecutionTimeModel, Region};
use orrery_base::file::Result;
use orrery_base::json::{Layout, Node};
use orrery_base::numeric::Estimate;

/// The key of the application in `models`.
pub(super) const KEY: &str = "application";

/// Reads the models of an application into `model`.
pub(super) fn read(node: Node, model: &mut Model) -> Result<()> {
    let object = node.object("an object with the regions of the application")?;
    let regions = object
        .needed("regions", "[{\"region\": \"\", \"method\": \"terms\", \"coefficients\": […]}]")?;
    let nodes = regions.array("an array with the regions of the application")?;
    let mut regions = nodes.iter().map(|node| region(*node)).collect::<Result<Vec<Region>>>()?;
    let twice = (1..regions.len())
        .find(|&k| regions[..k].iter().any(|region| region.name == regions[k].name));
    if let Some(k) = twice {
        return Err(wrong(nodes[k], &format!("the region {:?} is there twice", regions[k].name)));
    }
    if regions.is_empty() {
        return Err(wrong(node, "there is no region"));
    }
    if let Some(node) = object.get("measured") {
        measured::read(node, &mut regions)?;
    }
    let metric =
        object.get("metric").map(|node| node.string("the name of a metric")).transpose()?;
    let metric = metric.map_or_else(Metric::default, Metric::named);
    model.application = Some(Application { metric, regions });
    Ok(())
}

/// Reads a region by its method; the default method is a sum of terms.
fn region(node: Node) -> Result<Region> {
    let object = node.object("an object with the models of a region")?;
    let Some(method) = object.get("method") else { return terms::read(node) };
    match method.string("\"terms\" or \"paper\"")?.as_str() {
        "terms" => terms::read(node),
        "paper" => paper::read(node),
        other => Err(wrong(method, &format!("unknown method {other:?}; known are terms, paper"))),
    }
}

/// Lays out the models of an application: a sum of terms on one line, models of the paper with a
/// line for each, then the measured points. `None` if the model has no application.
pub(super) fn write(model: &Model) -> Result<Option<Layout>> {
    let Some(application) = &model.application else { return Ok(None) };
    let region = |(place, region): (usize, &Region)| {
        let written = match &region.model {
            ExecutionTimeModel::Terms(model) => terms::write(&region.name, model),
            ExecutionTimeModel::Paper(model) => paper::write(&region.name, model),
        };
        written.map_err(|reason| {
            error::application(&reason).within(format!("models.{KEY}.regions[{place}]"))
        })
    };
    let regions = application.regions.iter().enumerate().map(region).collect::<Result<_, _>>()?;
    let metric = &application.metric;
    let named = (*metric != Metric::default()).then(|| Layout::string(metric.name()));
    let mut entries: Vec<_> = named.into_iter().map(|name| ("metric".into(), name)).collect();
    entries.push(("regions".into(), Layout::Array(regions)));
    if application.regions.iter().any(|region| !region.measured.is_empty()) {
        let measured = measured::write(&application.regions);
        let measured = measured.map_err(|reason: String| {
            error::application(&reason).within(format!("models.{KEY}"))
        })?;
        entries.push(("measured".into(), measured));
    }
    Ok(Some(Layout::Object(entries)))
}

/// The number of regions of the application.
pub(super) fn regions(model: &Model) -> usize {
    models(model).count()
}

/// The coefficients that have intervals: those of sums of terms.
pub(super) fn estimates(model: &Model) -> impl Iterator<Item = &Estimate> {
    let terms = models(model).filter_map(ExecutionTimeModel::as_terms);
    terms.flat_map(|model| model.coefficients.iter().map(|coefficient| &coefficient.estimate))
}

/// The number of coefficients without intervals: an N-T model has seven, a P-T model five.
pub(super) fn exact_coefficients(model: &Model) -> usize {
    let paper = models(model).filter_map(ExecutionTimeModel::as_paper);
    paper.map(|model| 7 * model.nt_models.len() + 5 * model.pt_models.len()).sum()
}

/// The execution-time models of all regions.
fn models(model: &Model) -> impl Iterator<Item = &ExecutionTimeModel> {
    model
        .application
        .iter()
        .flat_map(|application| application.regions.iter().map(|region| &region.model))
}
