//! The models by name; of communication models which parameters each has, and of what shape.

use super::error::{Fault, Result};
use super::parameter::{self, Shape};
use super::sharing;
use super::summary::Unread;
use super::{application, homogeneous, thresholds};
use crate::comm::{Hockney, Lmo};
use crate::json::{self, Layout, Node, Object};
use crate::model::Model;
use crate::numeric::Estimate;
use crate::platform::PerPair;

/// The keys of the models that this version reads.
const KINDS: [&str; 3] = ["hockney", "lom", "lmo"];

const FOR_PROCESSORS: &str = "{\"value\": […]} with one number for each processor";
const FOR_PAIRS: &str = "{\"value\": […]} with one number for each pair 0-1, 0-2, …, 1-2, …";
pub(super) const FOR_ALL: &str = "{\"value\": …} with one number";

/// Reads all models of n processors into `model`.
pub(super) fn read(models: &Object, n: usize, model: &mut Model, unread: &mut Unread) -> Result<()> {
    for (key, node) in models.iter() {
        match key {
            "hockney" => model.hockney = Some(hockney(node, n, unread)?),
            "lom" => model.lom = Some(lmo(node, n, false, unread)?),
            "lmo" => model.lmo = Some(lmo(node, n, true, unread)?),
            "hlmo" => model.hlmo = Some(homogeneous::hlmo(node, n, unread)?),
            "logp" => model.logp = Some(homogeneous::loggp(node, n, false, unread)?),
            "loggp" => model.loggp = Some(homogeneous::loggp(node, n, true, unread)?),
            "plogp" => model.plogp = Some(homogeneous::plogp(node, n, unread)?),
            application::KEY => model.application = Some(application::read(node)?),
            thresholds::KEY => model.thresholds = thresholds::read(node, n, unread)?,
            sharing::KEY => model.sharing = sharing::read(node, unread)?,
            _ => unread.model(key, node),
        }
    }
    Ok(())
}

fn hockney(node: Node, n: usize, unread: &mut Unread) -> Result<Hockney> {
    let object = enough(node, n)?;
    unread.keys(&object, &["latency", "byte_delay", "mean"]);
    let latency = per_pair(&object, "latency", n, unread)?;
    let byte_delay = per_pair(&object, "byte_delay", n, unread)?;
    let (mean_latency, mean_byte_delay) = match object.get("mean") {
        None => (mean(&latency), mean(&byte_delay)),
        Some(node) => {
            let object = node.object("an object with \"latency\" and \"byte_delay\"")?;
            unread.keys(&object, &["latency", "byte_delay"]);
            let mut one =
                |key| -> Result<_> { Ok(parameter::read(object.needed(key, FOR_ALL)?, Shape::One, unread)?[0]) };
            (one("latency")?, one("byte_delay")?)
        }
    };
    Ok(Hockney { latency, byte_delay, mean_latency, mean_byte_delay })
}

fn lmo(node: Node, n: usize, with_latency: bool, unread: &mut Unread) -> Result<Lmo> {
    let object = enough(node, n)?;
    let keys = ["fixed_delay", "byte_delay", "link_byte_delay", "link_latency"];
    unread.keys(&object, if with_latency { &keys } else { &keys[..3] });
    let mut per_processor = |key| parameter::read(object.needed(key, FOR_PROCESSORS)?, Shape::Processors(n), unread);
    let (fixed_delay, byte_delay) = (per_processor("fixed_delay")?, per_processor("byte_delay")?);
    let link_latency = with_latency.then(|| per_pair(&object, "link_latency", n, unread)).transpose()?;
    let link_byte_delay = per_pair(&object, "link_byte_delay", n, unread)?;
    Ok(Lmo { fixed_delay, byte_delay, link_latency, link_byte_delay })
}

/// A model, which needs two processors.
pub(super) fn enough(node: Node, n: usize) -> Result<Object> {
    if n < 2 {
        return Err(node.refuse(Fault::TooFew { found: n }));
    }
    Ok(node.object("an object with the parameters of the model")?)
}

fn per_pair(object: &Object, key: &'static str, n: usize, unread: &mut Unread) -> Result<PerPair<Estimate>> {
    let node = object.needed(key, FOR_PAIRS)?;
    let shape = Shape::Pairs(n);
    let values = parameter::read(node, shape, unread)?;
    PerPair::new(n, values).ok_or_else(|| node.refuse(Fault::HowMany))
}

/// The plain mean of the values, of which no interval is known.
fn mean(pairs: &PerPair<Estimate>) -> Estimate {
    let values = pairs.values();
    let count = values.len() as f64;
    let sum: f64 = values.iter().map(|estimate| estimate.value).sum();
    // The mean of finite numbers is finite, though their sum may not be.
    let mean = if sum.is_finite() { sum / count } else { values.iter().map(|e| e.value / count).sum() };
    Estimate::exact(mean.min(f64::MAX))
}

/// How many processors the arrays of the models speak of; `None` when there is no array.
pub(super) fn infer(models: &Object) -> Result<Option<usize>> {
    let lengths = |wanted: &[&str]| -> Result<Option<(Node, usize)>> {
        for (_, node) in models.iter().filter(|(key, _)| KINDS.contains(key)) {
            let Ok(kind) = node.object("") else { continue };
            for (_, node) in kind.iter().filter(|(key, _)| wanted.contains(key)) {
                let Ok(parameter) = node.object("") else { continue };
                if let Some(value) = parameter.get("value").filter(Node::is_array) {
                    return Ok(Some((value, value.array("")?.len())));
                }
            }
        }
        Ok(None)
    };
    if let Some((_, n)) = lengths(&["fixed_delay"])? {
        return Ok(Some(n));
    }
    let Some((node, pairs)) = lengths(&["latency", "link_byte_delay", "link_latency"])? else { return Ok(None) };
    // n(n−1)/2 = pairs has n = (1 + √(1 + 8 pairs)) / 2.
    let n = usize::midpoint(1, (1 + 8 * pairs).isqrt());
    if n * (n - 1) / 2 == pairs { Ok(Some(n)) } else { Err(node.refuse(Fault::NoPairs { found: pairs })) }
}

/// Lays out all models. An error comes with its place.
pub(super) fn write(model: &Model) -> std::result::Result<Layout, (String, Fault)> {
    let n = model.processors();
    let mut kinds = Vec::new();
    if let Some(Hockney { latency, byte_delay, mean_latency, mean_byte_delay }) = &model.hockney {
        let pairs = [("latency", latency.values()), ("byte_delay", byte_delay.values())];
        let mut layout = parameters("models.hockney", &pairs.map(|(key, values)| (key, values, Shape::Pairs(n))))?;
        let means = [("latency", *mean_latency), ("byte_delay", *mean_byte_delay)];
        let means = means.each_ref().map(|(key, mean)| (*key, std::slice::from_ref(mean), Shape::One));
        layout.push(("mean".into(), Layout::Object(parameters("models.hockney.mean", &means)?)));
        kinds.push(("hockney".into(), Layout::Object(layout)));
    }
    for (key, place, lmo) in [("lom", "models.lom", &model.lom), ("lmo", "models.lmo", &model.lmo)] {
        let Some(Lmo { fixed_delay, byte_delay, link_latency, link_byte_delay }) = lmo else { continue };
        let mut all = vec![
            ("fixed_delay", &fixed_delay[..], Shape::Processors(n)),
            ("byte_delay", &byte_delay[..], Shape::Processors(n)),
        ];
        match (key, link_latency) {
            ("lmo", Some(latency)) => all.push(("link_latency", latency.values(), Shape::Pairs(n))),
            ("lmo", None) => {
                let fault = json::Fault::Missing { key: "link_latency".into(), hint: FOR_PAIRS }.into();
                return Err((place.into(), fault));
            }
            (_, Some(latency)) => {
                let found = latency.values().len();
                return Err((format!("{place}.link_latency"), Fault::Shape { found, expected: 0, processors: n }));
            }
            (_, None) => {}
        }
        all.push(("link_byte_delay", link_byte_delay.values(), Shape::Pairs(n)));
        kinds.push((key.into(), Layout::Object(parameters(place, &all)?)));
    }
    kinds.extend(homogeneous::write(model)?);
    match kinds.first() {
        Some((key, _)) if n < 2 => return Err((format!("models.{key}"), Fault::TooFew { found: n })),
        _ => {}
    }
    if let Some(layout) = thresholds::write(&model.thresholds, n)? {
        kinds.push((thresholds::KEY.into(), layout));
    }
    if let Some(layout) = sharing::write(&model.sharing)? {
        kinds.push((sharing::KEY.into(), layout));
    }
    if let Some(application) = &model.application {
        kinds.push((application::KEY.into(), application::write(application)?));
    }
    Ok(Layout::Object(kinds))
}

pub(super) type Entries = Vec<(String, Layout)>;

pub(super) fn parameters(
    place: &str,
    all: &[(&str, &[Estimate], Shape)],
) -> std::result::Result<Entries, (String, Fault)> {
    let one = |&(key, values, shape): &(&str, &[Estimate], Shape)| match parameter::write(values, shape) {
        Ok(layout) => Ok((key.to_owned(), layout)),
        Err((within, fault)) => Err((format!("{place}.{key}{within}"), fault)),
    };
    all.iter().map(one).collect()
}
