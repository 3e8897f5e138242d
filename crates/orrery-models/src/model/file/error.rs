use serde::de::DeserializeOwned;

use orrery_base::file::{Fault, Result};
use orrery_base::json::{Node, byte_at};
use orrery_base::names::with_nearest;

/// The model of an application is invalid.
pub(super) fn application(reason: &str) -> Fault {
    Fault::new(format!("{reason}; fit the model to the runs again, or correct it here"))
}

/// Returns an error at the node if a value lies outside its interval.
pub(super) fn check_inside(node: Node, value: f64, low: f64, high: f64) -> Result<()> {
    if low <= value && value <= high {
        return Ok(());
    }
    Err(node.refuse(format!(
        "the value {value:?} lies outside its interval from {low:?} to {high:?}; \
        correct one of them"
    )))
}

/// Returns an error at the node if a confidence level is not between 0 and 1.
pub(super) fn check_level(node: Node, level: f64) -> Result<()> {
    if level > 0.0 && level < 1.0 {
        return Ok(());
    }
    Err(node.refuse(format!(
        "the level {level:?} is not between 0 and 1, both excluded; write 0.95 for \
        95 %"
    )))
}

/// Returns an error about a record of the measurements at the position of a node.
pub(super) fn wrong_measurement(node: Node, reason: &str) -> Fault {
    node.refuse(format!("{reason}; correct it here, or fit the model again"))
}

/// A number is not finite.
pub(super) fn not_finite(value: f64) -> Fault {
    Fault::new(format!("{value} is not a finite number; measure it again, or correct it"))
}

/// The measured range ends before it begins.
pub(super) fn measured(smallest: u64, largest: u64) -> Fault {
    Fault::new(format!(
        "the measured range ends at {largest} bytes, before it begins at \
        {smallest}; exchange the two"
    ))
}

/// A rank is not the number of a processor.
pub(super) fn rank(rank: u64, processors: usize) -> Fault {
    Fault::new(format!(
        "there is no rank {rank}; the ranks of {processors} processors are 0 to \
        {}",
        processors.saturating_sub(1)
    ))
}

/// Returns an error at the node if a number is negative.
pub(super) fn check_not_negative(node: Node, value: f64) -> Result<()> {
    if value >= 0.0 {
        return Ok(());
    }
    Err(node.refuse(format!(
        "{value:?} is negative, but must be 0 or more; measure it again, or correct it"
    )))
}

/// The model has fewer than two processors.
pub(super) fn too_few(found: usize) -> Fault {
    Fault::new(format!(
        "the number of processors is {found}, but communication models need 2 or more"
    ))
}

/// An array has `found` entries in place of `expected`; `each` names the objects that have one
/// entry each, such as `processors` or `pairs`.
pub(super) fn length(found: usize, expected: usize, processors: usize, each: &str) -> Fault {
    Fault::new(format!(
        "the array has {found} entries, but there are {expected} {each}{}; add or \
        remove entries",
        if expected == processors && each == "processors" {
            String::new()
        } else {
            format!(" of {processors} processors")
        }
    ))
}

/// A model has parameters for another number of processors.
pub(super) fn shape(found: usize, expected: usize, processors: usize) -> Fault {
    Fault::new(format!(
        "it has {found} values, but {processors} processors need {expected}; this \
        is a bug of the caller"
    ))
}

/// Groups of processors form no tree.
pub(super) fn nested_groups() -> Fault {
    Fault::new(
        "the groups form no tree: of two groups one must contain the other, or they must \
        have no processor in common, and a group names a processor once; correct the groups",
    )
}

/// Deserializes a value; an error has its position.
pub(super) fn parsed<T: DeserializeOwned>(node: Node) -> Result<T> {
    serde_json::from_str(node.text()).map_err(|error| {
        let words = error.to_string();
        let reason = words.split(" at line ").next().unwrap_or_default().to_owned();
        let place = byte_at(node.text(), error.line(), error.column());
        application(&with_nearest(&reason)).at(node.byte + place)
    })
}

/// Returns an error about an application at the position of a node.
pub(super) fn wrong_application(node: Node, reason: &str) -> Fault {
    node.refuse(application(reason))
}
