//! The algorithms of a collective operation that a call names.

use orrery::collective::{in_segments, with_common_segments};
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::Bytes;
use pyo3::prelude::*;

use crate::argument::{Words, sizes};
use crate::error;

/// The named algorithms, all for the word `all`, or the usual ones; those with segments after those
/// without.
pub(crate) fn named(
    operation: CollectiveKind,
    procs: usize,
    algorithms: Option<&Words>,
    segments: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<Algorithm>> {
    let mut found = match algorithms.map(Words::all_or_parse).transpose()? {
        None => operation
            .usual_algorithms()
            .iter()
            .copied()
            .filter(|algorithm| algorithm.runs_on(procs))
            .collect(),
        Some(None) => operation.algorithms_on(procs).collect(),
        Some(Some(named)) => checked(operation, procs, named)?,
    };
    if let Some(segments) = segments {
        let segments = sizes(segments)?;
        if segments.contains(&Bytes::ZERO) {
            return Err(error::argument("segments: a segment has at least 1 byte; leave out 0"));
        }
        let divided = in_segments(operation, &found, &segments);
        found.extend(divided);
    }
    Ok(found)
}

/// The algorithms among which one is chosen for sizes up to `largest`: as [`named`], and without
/// `segments` those with segments of common sizes.
pub(crate) fn candidates(
    operation: CollectiveKind,
    procs: usize,
    algorithms: Option<&Words>,
    segments: Option<&Bound<'_, PyAny>>,
    largest: Bytes,
) -> PyResult<Vec<Algorithm>> {
    let found = named(operation, procs, algorithms, segments)?;
    Ok(if segments.is_some() { found } else { with_common_segments(operation, found, largest) })
}

/// The named algorithms, if the operation has all of them and they run on the number of processors.
fn checked(
    operation: CollectiveKind,
    procs: usize,
    named: Vec<Algorithm>,
) -> PyResult<Vec<Algorithm>> {
    let list =
        |all: &[Algorithm]| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    if let Some(unknown) = named.iter().find(|algorithm| !operation.has(**algorithm)) {
        let has = list(operation.algorithms());
        return Err(error::argument(format!(
            "{operation} has no algorithm {unknown}; it has {has}"
        )));
    }
    if let Some(refused) = named.iter().find(|algorithm| !algorithm.runs_on(procs)) {
        return Err(error::argument(format!(
            "{operation}/{refused} needs a power of two of processors, not {procs}; choose another \
                number with procs"
        )));
    }
    if named.is_empty() {
        return Err(error::argument("algorithms: name one or more"));
    }
    Ok(named)
}
