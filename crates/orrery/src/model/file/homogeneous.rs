//! Models whose parameters are the same for all processors: HLMO, LogP, LogGP and PLogP.

use super::error::{Fault, Result};
use super::kinds::{Entries, FOR_ALL, enough, parameters};
use super::parameter::{self, Shape};
use super::summary::Unread;
use crate::comm::plogp::Curve;
use crate::comm::{Hlmo, LogGp, PLogP};
use crate::json::{Layout, Node, Object};
use crate::model::Model;
use crate::numeric::Estimate;
use crate::units::Bytes;

const LOGGP: [&str; 5] = ["latency", "send_overhead", "receive_overhead", "gap", "byte_gap"];
const HLMO: [&str; 4] = ["fixed_delay", "byte_delay", "link_latency", "link_byte_delay"];
const PLOGP: [&str; 4] = ["latency", "send_overhead", "receive_overhead", "gap"];
const FOR_SIZES: &str = "{\"size\": […], \"value\": […]} with one number for each size";

fn one(object: &Object, key: &'static str, unread: &mut Unread) -> Result<Estimate> {
    Ok(parameter::read(object.needed(key, FOR_ALL)?, Shape::One, unread)?[0])
}

pub(super) fn loggp(node: Node, n: usize, with_bytes: bool, unread: &mut Unread) -> Result<LogGp> {
    let object = enough(node, n)?;
    let keys = if with_bytes { &LOGGP[..] } else { &LOGGP[..4] };
    unread.keys(&object, keys);
    let mut one = |key| one(&object, key, unread);
    Ok(LogGp {
        latency: one(LOGGP[0])?,
        send_overhead: one(LOGGP[1])?,
        receive_overhead: one(LOGGP[2])?,
        gap: one(LOGGP[3])?,
        byte_gap: with_bytes.then(|| one(LOGGP[4])).transpose()?,
    })
}

pub(super) fn hlmo(node: Node, n: usize, unread: &mut Unread) -> Result<Hlmo> {
    let object = enough(node, n)?;
    unread.keys(&object, &HLMO);
    let mut one = |key| one(&object, key, unread);
    Ok(Hlmo::from_estimates([one(HLMO[0])?, one(HLMO[1])?, one(HLMO[2])?, one(HLMO[3])?]))
}

pub(super) fn plogp(node: Node, n: usize, unread: &mut Unread) -> Result<PLogP> {
    let object = enough(node, n)?;
    unread.keys(&object, &PLOGP);
    let latency = one(&object, PLOGP[0], unread)?;
    let mut curve = |key| curve(object.needed(key, FOR_SIZES)?, unread);
    Ok(PLogP { latency, send_overhead: curve(PLOGP[1])?, receive_overhead: curve(PLOGP[2])?, gap: curve(PLOGP[3])? })
}

/// A function of the size.
fn curve(node: Node, unread: &mut Unread) -> Result<Curve> {
    let object = node.object(FOR_SIZES)?;
    let place = object.needed("size", FOR_SIZES)?;
    let size = |node: &Node| node.whole("a size in whole bytes").map(Bytes::new);
    let sizes =
        place.array("the sizes in whole bytes")?.iter().map(size).collect::<std::result::Result<Vec<_>, _>>()?;
    let values = parameter::read(node, Shape::Sizes(sizes.len()), unread)?;
    Curve::new(sizes, values).ok_or_else(|| place.refuse(Fault::Order))
}

/// Lays out those that the model holds. An error comes with its place.
pub(super) fn write(model: &Model) -> std::result::Result<Entries, (String, Fault)> {
    let mut kinds = Vec::new();
    let scalars = |place: &str, names: &[&'static str], estimates: &[Estimate]| {
        let each = names.iter().zip(estimates).map(|(name, one)| (*name, std::slice::from_ref(one), Shape::One));
        parameters(place, &each.collect::<Vec<_>>())
    };
    if let Some(hlmo) = &model.hlmo {
        kinds.push(("hlmo".into(), Layout::Object(scalars("models.hlmo", &HLMO, &hlmo.estimates())?)));
    }
    for (key, place, loggp) in [("logp", "models.logp", &model.logp), ("loggp", "models.loggp", &model.loggp)] {
        let Some(loggp) = loggp else { continue };
        let expected = if key == "loggp" { 5 } else { 4 };
        let estimates = loggp.estimates();
        if estimates.len() != expected {
            let fault = Fault::Shape { found: estimates.len(), expected, processors: model.processors() };
            return Err((place.into(), fault));
        }
        kinds.push((key.into(), Layout::Object(scalars(place, &LOGGP[..expected], &estimates)?)));
    }
    if let Some(plogp) = &model.plogp {
        let mut layout = scalars("models.plogp", &PLOGP[..1], &[plogp.latency])?;
        for (name, curve) in plogp.functions() {
            let sizes: Vec<String> = curve.sizes().iter().map(|size| size.get().to_string()).collect();
            let shape = Shape::Sizes(sizes.len());
            let mut entries = vec![("size".to_owned(), Layout::Line(format!("[{}]", sizes.join(", "))))];
            match parameter::write(curve.values(), shape) {
                Ok(Layout::Object(rest)) => entries.extend(rest),
                Ok(line) => entries.push(("value".into(), line)),
                Err((within, fault)) => return Err((format!("models.plogp.{name}{within}"), fault)),
            }
            layout.push((name.into(), Layout::Object(entries)));
        }
        kinds.push(("plogp".into(), Layout::Object(layout)));
    }
    Ok(kinds)
}
