use orrery_base::file::{Fault, FaultKind};
use orrery_base::names::advice;

/// Compressed content that is damaged.
pub(super) fn damaged(member: &str) -> Fault {
    Fault::new(format!("{member} is damaged; copy the profile again"))
}

/// Content that is too long for the file.
pub(super) fn too_long(member: &str, limit: usize) -> Fault {
    Fault::new(format!(
        "{member} expands to more than {limit} bytes, far more than that of any \
        program; copy the profile again"
    ))
}

/// A call path or region that does not exist.
pub(super) fn reference(member: &str, item: &str, name: &str) -> Fault {
    Fault::new(format!(
        "{member} refers to {item} {name:?}, which does not exist; copy the profile again"
    ))
}

/// An unknown metric.
pub(super) fn no_metric(metric: &str, known: &[&str]) -> Fault {
    let advice = advice(metric, "metrics", known);
    Fault::new(format!("the profile has no metric {metric:?}; {advice}")).of_kind(FaultKind::Metric)
}

/// Content that is no archive, or an archive that ends early.
pub(super) fn not_archive() -> Fault {
    Fault::new(
        "this is not a whole profile of Score-P (a tar archive); copy it again, or give \
        another format",
    )
}
