use orrery_base::file::{Fault, FaultKind};
use orrery_base::names::advice;

/// A wrong id.
pub(super) fn id(key: &str, found: &str) -> Fault {
    Fault::new(format!("{key} is {found:?}, which is no id; copy the profile again"))
}

/// A node that is not defined above.
pub(super) fn reference(key: &str, id: u64) -> Fault {
    Fault::new(format!("there is no {key} {id} above; copy the profile again"))
}

/// The profile has no metric of this name; `times` as in [`no_time`].
pub(in crate::run::import) fn no_metric(metric: &str, times: &[String]) -> Fault {
    let advice = match times {
        [] => of_times(times),
        times => advice(metric, "those of times", times),
    };
    Fault::new(format!("the profile has no metric {metric:?}; {advice}")).of_kind(FaultKind::Metric)
}

/// The profile has no metric that is taken as the time unless one is named; `times` are its metrics
/// in units of time, to choose from.
pub(in crate::run::import) fn no_time(times: &[String]) -> Fault {
    Fault::new(format!(
        "the profile has no metric that is known to be the time of a region; {}",
        of_times(times)
    ))
    .of_kind(FaultKind::Metric)
}

/// The metrics of times, for messages.
fn of_times(times: &[String]) -> String {
    if times.is_empty() {
        "it has none of times: record the profile with a timer".to_owned()
    } else {
        format!("those of times are {}", times.join(", "))
    }
}
