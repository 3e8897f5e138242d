//! Algorithms of MPICH above its devices.
//!
//! MPICH reads its settings in each call. A device may carry out an operation itself, which its
//! settings exclude; where the forced algorithm cannot run, the call returns an error instead of
//! using another one.

use std::ffi::c_int;

use orrery::machine::ForcibleAlgorithm;
use orrery::sample::{Library, LibraryAlgorithm, NativeAlgorithm};
use orrery::schedule::{Algorithm, CollectiveKind};

use super::settings::{Settings, value, values};
use crate::MpiError;
use crate::calls::{Collective, Comm, ControlVariable};

/// The variable that selects between the algorithms of devices and those above them.
const DEVICES: &str = "MPIR_CVAR_DEVICE_COLLECTIVES";

/// The variable that selects what happens where a forced algorithm cannot run.
const FALLBACK: &str = "MPIR_CVAR_COLLECTIVE_FALLBACK";

/// The number of messages in each direction that a scattered alltoall has in flight; 0 for all.
const THROTTLE: &str = "MPIR_CVAR_ALLTOALL_THROTTLE";

/// The radix of a dissemination barrier.
const BARRIER_RADIX: &str = "MPIR_CVAR_BARRIER_DISSEM_KVAL";

/// The alltoall that runs in place only.
const IN_PLACE: &str = "pairwise_sendrecv_replace";

/// The settings that force an algorithm; `None` if the library cannot be forced to use it. They
/// have an effect on calls while they hold.
pub(super) fn settings(
    kind: CollectiveKind,
    algorithm: NativeAlgorithm,
) -> Result<Option<Settings>, MpiError> {
    let names = Library::Mpich.algorithm_names(kind);
    let name =
        names.iter().find(|(_, found)| *found == Some(algorithm.algorithm)).map(|(name, _)| *name);
    match name.filter(|_| algorithm.library == Library::Mpich) {
        Some(name) => forced(kind, name),
        None => Ok(None),
    }
}

/// The algorithms that the library can be forced to use for an operation on this number of ranks.
pub(super) fn algorithms(
    kind: CollectiveKind,
    ranks: usize,
) -> Result<Vec<ForcibleAlgorithm>, MpiError> {
    if !variables_have_effect()? {
        return Ok(Vec::new());
    }
    let mut algorithms = Vec::new();
    for &(name, algorithm) in Library::Mpich.algorithm_names(kind) {
        let Some(algorithm) = algorithm else { continue };
        let Some(settings) = forced(kind, name)? else { continue };
        settings.free()?;
        if has_schedule(kind, name, algorithm, ranks)? {
            algorithms.push(ForcibleAlgorithm::fixed(NativeAlgorithm {
                library: Library::Mpich,
                algorithm,
            }));
        }
    }
    Ok(algorithms)
}

/// Returns true if the variables have an effect: an alltoall that is forced to use an algorithm
/// that cannot run returns an error.
fn variables_have_effect() -> Result<bool, MpiError> {
    let kind = CollectiveKind::Alltoall;
    let Some(settings) = forced(kind, IN_PLACE)? else { return Ok(false) };
    let comm = Comm::own()?;
    let applied = settings.apply()?;
    let (send, mut receive) = ([0_u8; 1], [0_u8; 1]);
    // SAFETY: one rank sends a byte to itself; both buffers have one.
    let called = unsafe {
        Collective { kind, root: 0, bytes: 1 }.call(send.as_ptr(), receive.as_mut_ptr(), comm)
    };
    applied.reset()?;
    comm.free()?;
    Ok(called.is_err())
}

/// The settings that force the algorithm of a name; `None` if the library does not have the name,
/// or not all settings.
fn forced(kind: CollectiveKind, name: &str) -> Result<Option<Settings>, MpiError> {
    let operation = match kind {
        CollectiveKind::ReduceScatter => "REDUCE_SCATTER_BLOCK".to_owned(),
        other => other.name().to_uppercase(),
    };
    let algorithm = format!("MPIR_CVAR_{operation}_INTRA_ALGORITHM");
    let mut settings = Settings::default();
    let wanted = [
        (DEVICES, "none", &["all", "none", "percoll"][..]),
        (FALLBACK, "error", &["error", "print", "silent"]),
    ];
    let known: Vec<&str> = [AUTO, IN_PLACE]
        .into_iter()
        .chain(Library::Mpich.algorithm_names(kind).iter().map(|(name, _)| *name))
        .collect();
    for (variable, name, known) in
        wanted.into_iter().chain([(algorithm.as_str(), name, &known[..])])
    {
        let Some(variable) = ControlVariable::find(variable)? else {
            settings.free()?;
            return Ok(None);
        };
        let value = named(&variable, name, known);
        let Some(value) = value else {
            variable.free()?;
            settings.free()?;
            return Ok(None);
        };
        settings.add(variable, value);
    }
    Ok(Some(settings))
}

/// The name of the library's own choice, the first one of all enumerations of algorithms.
const AUTO: &str = "auto";

/// The number of the value `name` of a variable; `None` if it is not found. Values without names
/// are searched in the description, in which `known` are the names that may occur.
fn named(variable: &ControlVariable, name: &str, known: &[&str]) -> Option<c_int> {
    if !variable.items.is_empty() {
        return variable.items.iter().find(|(_, item)| item == name).map(|(value, _)| *value);
    }
    let values = values(&variable.description, known);
    if known.contains(&AUTO) && values.first() != Some(&(0, AUTO)) {
        return None;
    }
    values.into_iter().find(|(_, found)| *found == name).map(|(value, _)| value)
}

/// Returns true if the algorithm of a name has its schedule with the library's other settings.
fn has_schedule(
    kind: CollectiveKind,
    name: &str,
    algorithm: LibraryAlgorithm,
    ranks: usize,
) -> Result<bool, MpiError> {
    Ok(match name {
        // The same name for two schedules.
        "pairwise" if kind == CollectiveKind::Alltoall => {
            ranks.is_power_of_two()
                == (algorithm == LibraryAlgorithm::Scheduled(Algorithm::ExclusiveOr))
        }
        "scattered" => value(THROTTLE)?.is_some_and(|limit| limit == 0 || limit as usize >= ranks),
        "k_dissemination" => value(BARRIER_RADIX)? == Some(2),
        _ => true,
    })
}
