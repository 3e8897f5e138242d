use orrery_base::file::{Fault, FaultKind};

/// A wrong id.
pub(super) fn id(key: &str, found: &str) -> Fault {
    Fault::new(format!("{key} is {found:?}, which is no id; copy the profile again"))
}

/// A node that is not defined above.
pub(super) fn reference(key: &str, id: u64) -> Fault {
    Fault::new(format!("there is no {key} {id} above; copy the profile again"))
}

/// Regions that need more memory than their profile explains.
pub(super) fn too_long(limit: usize) -> Fault {
    Fault::new(format!(
        "the regions of the profile expand to more than {limit} bytes, far more \
        than those of any program; copy the profile again"
    ))
}

/// An unknown metric.
pub(super) fn no_metric(metric: &str, known: &[String]) -> Fault {
    Fault::new(format!("the profile has no metric {metric:?}; {}", of_times(known)))
        .of_kind(FaultKind::Metric)
}

/// No metric that is known to be the time.
pub(super) fn no_time(known: &[String]) -> Fault {
    Fault::new(format!(
        "the profile has no metric that is known to be the time of a region; {}",
        of_times(known)
    ))
    .of_kind(FaultKind::Metric)
}

/// The metrics of times, for messages.
fn of_times(known: &[String]) -> String {
    if known.is_empty() {
        "it has none of times: record the profile with a timer".to_owned()
    } else {
        format!("those of times are {}", known.join(", "))
    }
}
