//! The execution-time models of an application, without the feature `applications`: they are
//! refused.

use crate::model::Model;
use orrery_base::file::Result;
use orrery_base::json::{Layout, Node};
use orrery_base::numeric::Estimate;

/// The key of the application in `models`.
pub(super) const KEY: &str = "application";

/// Refuses the models of an application.
pub(super) fn read(node: Node, _: &mut Model) -> Result<()> {
    Err(node.refuse(
        "execution-time models of applications need the feature \"applications\" of \
        orrery-model; build with it",
    ))
}

/// No application is written.
#[expect(clippy::unnecessary_wraps, reason = "with the feature, an application can be invalid")]
pub(super) fn write(_: &Model) -> Result<Option<Layout>> {
    Ok(None)
}

/// A model has no regions.
pub(super) fn regions(_: &Model) -> usize {
    0
}

/// There are no coefficients with intervals.
pub(super) fn estimates(_: &Model) -> impl Iterator<Item = &Estimate> {
    std::iter::empty()
}

/// There are no coefficients without intervals.
pub(super) fn exact_coefficients(_: &Model) -> usize {
    0
}
