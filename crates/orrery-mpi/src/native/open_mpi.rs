//! Algorithms of Open MPI's component coll/tuned.

use std::env;
use std::ffi::{CStr, c_int};

use orrery::machine::{ForcibleAlgorithm, ForcibleSegments};
use orrery::sample::{Library, LibraryAlgorithm, NativeAlgorithm};
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::Bytes;

use super::settings::{Settings, value};
use crate::MpiError;
use crate::calls::{Comm, ControlVariable, DYNAMIC_RULES, text};

/// The largest fan-out of chains; Open MPI reduces larger ones to it.
const MAX_CHAINS: u8 = 32;

/// The number of messages in each direction that a linear alltoall with synchronisation has in
/// flight, as in its schedule. Open MPI's default is all.
const ALLTOALL_REQUESTS: c_int = 4;

/// The settings that force an algorithm; `None` if the library cannot be forced to use it. They
/// have an effect on communicators that are made while they hold, the base of k-nomial trees on
/// calls.
pub(super) fn settings(
    kind: CollectiveKind,
    algorithm: NativeAlgorithm,
) -> Result<Option<Settings>, MpiError> {
    let Some(variable) = variable(kind)? else { return Ok(None) };
    // Of a binomial and a k-nomial tree, both of which can have the schedule, the latter has its
    // order of ranks too.
    let has_fanout =
        |name: &str| forcible(kind, name).is_some_and(|forcible| forcible.max_fanout.is_some());
    let can_be =
        |name: &str| forcible(kind, name).is_some_and(|forcible| forcible.can_be(algorithm));
    let items = variable.items.iter().filter(|(_, name)| can_be(name));
    let found = items.max_by_key(|(_, name)| has_fanout(name));
    let Some((value, others)) = found.map(|(value, name)| (*value, others(kind, name, algorithm)))
    else {
        variable.free()?;
        return Ok(None);
    };
    let mut settings = Settings::default();
    settings.add(variable, value);
    for Other { name, value, is_required } in others {
        match ControlVariable::find(&format!("{}{name}", variable_name(kind)))? {
            Some(other) => settings.add(other, value),
            None if is_required => {
                settings.free()?;
                return Ok(None);
            }
            None => {}
        }
    }
    Ok(Some(settings))
}

/// A setting beside the algorithm.
struct Other {
    /// What follows the name of the variable of the algorithm.
    name: &'static str,
    value: c_int,
    /// True if the algorithm is another one without this setting.
    is_required: bool,
}

/// The settings that an algorithm with a name of coll/tuned has beside it.
fn others(kind: CollectiveKind, name: &str, algorithm: NativeAlgorithm) -> Vec<Other> {
    let LibraryAlgorithm::Scheduled(algorithm) = algorithm.algorithm else { return Vec::new() };
    let segment = c_int::try_from(algorithm.segment().get()).unwrap_or(c_int::MAX);
    let fanout = algorithm.fanout().map_or(0, c_int::from);
    let is_windowed = kind == CollectiveKind::Alltoall && algorithm == Algorithm::LinearSync;
    let requests = if is_windowed { ALLTOALL_REQUESTS } else { 0 };
    let mut others = vec![
        Other { name: "_segmentsize", value: segment, is_required: segment != 0 },
        Other { name: "_max_requests", value: requests, is_required: is_windowed },
    ];
    match name {
        "chain" => others.push(Other { name: "_chain_fanout", value: fanout, is_required: true }),
        "knomial" => {
            others.push(Other { name: "_knomial_radix", value: fanout, is_required: true });
        }
        _ => {}
    }
    others
}

/// The algorithms that the library can be forced to use for an operation.
pub(super) fn algorithms(kind: CollectiveKind) -> Result<Vec<ForcibleAlgorithm>, MpiError> {
    let Some(variable) = variable(kind)? else { return Ok(Vec::new()) };
    let mut algorithms = Vec::new();
    for forcible in variable.items.iter().filter_map(|(_, name)| forcible(kind, name)) {
        // The library has all settings that the algorithm needs.
        let usual = forcible.whole().or_else(|| forcible.with_segment(Bytes::new(1)));
        if let Some(settings) = usual.map(|usual| settings(kind, usual)).transpose()?.flatten() {
            settings.free()?;
            algorithms.push(forcible);
        }
    }
    variable.free()?;
    Ok(algorithms)
}

/// The algorithm of a name of coll/tuned, and what can be chosen of it; `None` for the library's
/// own choice and for algorithms without a schedule.
fn forcible(kind: CollectiveKind, name: &str) -> Option<ForcibleAlgorithm> {
    let algorithm = tuned(kind, name)?;
    let segments = match (kind, name) {
        (CollectiveKind::Allreduce, "segmented_ring") => ForcibleSegments::Required,
        (
            CollectiveKind::Broadcast,
            "chain" | "pipeline" | "split_binary_tree" | "binary_tree" | "binomial" | "knomial",
        )
        | (
            CollectiveKind::Reduce,
            "chain" | "pipeline" | "binary" | "binomial" | "in-order_binary",
        ) => ForcibleSegments::Optional,
        _ => ForcibleSegments::None,
    };
    let max_fanout = match name {
        "chain" => Some(MAX_CHAINS),
        "knomial" => Some(Algorithm::MAX_FANOUT),
        _ => None,
    };
    Some(ForcibleAlgorithm { algorithm, segments, max_fanout })
}

/// Components of Open MPI that may carry out an operation before coll/tuned does.
const OTHER_COMPONENTS: [&str; 5] = ["hcoll", "ucc", "han", "xhc", "acoll"];

/// The key of a communicator's info object that selects components, and the value that leaves all
/// operations to coll/tuned.
///
/// Source: `coll_base_comm_select.c` of Open MPI 4.1 and later; coll/han makes its own
/// communicators with it.
const PREFERENCE: (&CStr, &CStr) =
    (c"ompi_comm_coll_preference", c"tuned,^hcoll,ucc,han,xhc,acoll");

/// The communicator for calls with a forced algorithm: `comm`, or a duplicate that leaves all
/// operations to coll/tuned, after which `comm` is freed.
pub(super) fn left_to_tuned(comm: Comm) -> Result<Comm, MpiError> {
    if !has_preference()? {
        return Ok(comm);
    }
    let duplicate = comm.with_info(PREFERENCE.0, PREFERENCE.1)?;
    comm.free()?;
    Ok(duplicate)
}

/// Returns true if the library knows the key [`PREFERENCE`], which came with coll/han.
fn has_preference() -> Result<bool, MpiError> {
    Ok(priority("han")?.is_some())
}

/// The priority of a component of collective operations; `None` if the library does not have it.
fn priority(component: &str) -> Result<Option<i32>, MpiError> {
    value(&format!("coll_{component}_priority"))
}

/// The variable with the name of a file of rules, which precede the variables.
const RULES_FILE: &str = "coll_tuned_dynamic_rules_filename";

/// Returns true if the variables of coll/tuned have an effect: the dynamic rules are on, none are
/// read from a file, and a communicator can be left to coll/tuned, or no other component precedes
/// it.
fn variables_have_effect() -> Result<bool, MpiError> {
    let is_on = |value: String| ["1", "true", "yes", "enabled"].contains(&value.as_str());
    let Some(tuned) = priority("tuned")?.filter(|_| env::var(DYNAMIC_RULES).is_ok_and(is_on))
    else {
        return Ok(false);
    };
    if text(RULES_FILE)?.is_some_and(|file| !file.is_empty()) {
        return Ok(false);
    }
    if has_preference()? {
        return Ok(true);
    }
    for component in OTHER_COMPONENTS {
        if priority(component)?.is_some_and(|other| other >= tuned) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The variable of coll/tuned for an operation; `None` in other libraries, and where it has no
/// effect.
fn variable(kind: CollectiveKind) -> Result<Option<ControlVariable>, MpiError> {
    if !variables_have_effect()? {
        return Ok(None);
    }
    ControlVariable::find(&variable_name(kind))
}

/// The name of the variable of coll/tuned for an operation.
fn variable_name(kind: CollectiveKind) -> String {
    let operation = match kind {
        CollectiveKind::ReduceScatter => "reduce_scatter_block",
        other => other.name(),
    };
    format!("coll_tuned_{operation}_algorithm")
}

/// The algorithm of a name of coll/tuned; `None` for the library's own choice and for algorithms
/// without a schedule.
fn tuned(kind: CollectiveKind, name: &str) -> Option<NativeAlgorithm> {
    let names = Library::OpenMpi.algorithm_names(kind);
    let (_, algorithm) = names.iter().find(|(known, _)| *known == name)?;
    Some(NativeAlgorithm { library: Library::OpenMpi, algorithm: (*algorithm)? })
}
