//! Algorithms of Open MPI's component coll/tuned.

use std::env;

use orrery::sample::{Library, LibraryAlgorithm, NativeAlgorithm};
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::Bytes;

use super::settings::{Settings, value};
use crate::MpiError;
use crate::calls::{ControlVariable, DYNAMIC_RULES};

/// The settings that force an algorithm; `None` if the library cannot be forced to use it. They have an effect on communicators
/// that are made while they hold.
pub(super) fn settings(kind: CollectiveKind, algorithm: NativeAlgorithm) -> Result<Option<Settings>, MpiError> {
    let Some(variable) = variable(kind)? else { return Ok(None) };
    let is_named = |name: &str| tuned(kind, name) == Some(algorithm);
    let Some(value) = variable.items.iter().find(|(_, name)| is_named(name)).map(|(value, _)| *value) else {
        variable.free()?;
        return Ok(None);
    };
    let mut settings = Settings::default();
    settings.add(variable, value);
    Ok(Some(settings))
}

/// The algorithms that the library can be forced to use for an operation.
pub(super) fn algorithms(kind: CollectiveKind) -> Result<Vec<NativeAlgorithm>, MpiError> {
    let Some(variable) = variable(kind)? else { return Ok(Vec::new()) };
    let algorithms = variable.items.iter().filter_map(|(_, name)| tuned(kind, name)).collect();
    variable.free()?;
    Ok(algorithms)
}

/// Components of Open MPI that may carry out an operation before coll/tuned does.
const OTHER_COMPONENTS: [&str; 5] = ["hcoll", "ucc", "han", "xhc", "acoll"];

/// The priority of a component of collective operations; `None` if the library does not have it.
fn priority(component: &str) -> Result<Option<i32>, MpiError> {
    value(&format!("coll_{component}_priority"))
}

/// Returns true if the variables of coll/tuned have an effect: the dynamic rules are on, and no other component precedes it.
fn variables_have_effect() -> Result<bool, MpiError> {
    let is_on = |value: String| ["1", "true", "yes", "enabled"].contains(&value.as_str());
    let Some(tuned) = priority("tuned")?.filter(|_| env::var(DYNAMIC_RULES).is_ok_and(is_on)) else { return Ok(false) };
    for component in OTHER_COMPONENTS {
        if priority(component)?.is_some_and(|other| other >= tuned) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The variable of coll/tuned for an operation; `None` in other libraries, and where it has no effect.
fn variable(kind: CollectiveKind) -> Result<Option<ControlVariable>, MpiError> {
    if !variables_have_effect()? {
        return Ok(None);
    }
    let operation = match kind {
        CollectiveKind::ReduceScatter => "reduce_scatter_block",
        other => other.name(),
    };
    ControlVariable::find(&format!("coll_tuned_{operation}_algorithm"))
}

/// The algorithm of a name of coll/tuned; `None` for the library's own choice and for algorithms without a schedule.
/// Source: coll_tuned_*_decision.c and coll_base_*.c of Open MPI 4.1.
fn tuned(kind: CollectiveKind, name: &str) -> Option<NativeAlgorithm> {
    use CollectiveKind as K;
    let whole = Bytes::ZERO;
    let algorithm = match (kind, name) {
        // A gather and a broadcast.
        (K::Allgather, "linear") => return None,
        (K::Alltoall, "linear") | (_, "linear_nb") => Algorithm::LinearNonblocking,
        // A reduction and a scatter.
        (K::ReduceScatter, "basic_linear") | (K::Allreduce, "nonoverlapping") => Algorithm::NonOverlapping,
        (_, "linear" | "basic_linear") => Algorithm::Linear,
        (_, "linear_sync") => Algorithm::LinearSync,
        (_, "binomial") => Algorithm::Binomial,
        (_, "knomial") => Algorithm::KNomial(4, whole),
        (_, "binary" | "binary_tree") => Algorithm::Binary(whole),
        (_, "split_binary_tree") => Algorithm::SplitBinary(whole),
        (_, "in-order_binary") => Algorithm::InOrderBinary(whole),
        (_, "chain") => Algorithm::Chain(4, whole),
        (_, "pipeline") => Algorithm::Pipeline(whole),
        (_, "scatter_allgather") => Algorithm::ScatterAllgather,
        (_, "scatter_allgather_ring") => Algorithm::ScatterAllgatherRing,
        (_, "ring") => Algorithm::Ring,
        (_, "recursive_doubling") => Algorithm::RecursiveDoubling,
        (_, "recursive_halving") => Algorithm::RecursiveHalving,
        (K::Barrier, "bruck") => Algorithm::Dissemination,
        (_, "bruck" | "modified_bruck") => Algorithm::Bruck,
        (_, "neighbor") => Algorithm::NeighborExchange,
        (_, "double_ring") => Algorithm::DoubleRing,
        (_, "tree") => Algorithm::Tree,
        (_, "rabenseifner") => Algorithm::Rabenseifner,
        (_, "pairwise") => Algorithm::Pairwise,
        _ => return None,
    };
    let algorithm = LibraryAlgorithm::Scheduled(algorithm);
    algorithm.carries_out(kind).then_some(NativeAlgorithm { library: Library::OpenMpi, algorithm })
}
