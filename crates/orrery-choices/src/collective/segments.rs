//! The sizes of segments among which a choice searches.

use std::ops::RangeInclusive;

use orrery_base::units::Bytes;
use orrery_program::schedule::{Algorithm, CollectiveKind};

/// The binary logarithms of the sizes of segments: 1 KiB to 1 MiB.
const COMMON_SEGMENTS: RangeInclusive<u32> = 10..=20;

/// Returns algorithms of an operation that can divide their vectors, with segments of each of these
/// sizes.
pub fn in_segments(
    operation: CollectiveKind,
    algorithms: &[Algorithm],
    sizes: &[Bytes],
) -> Vec<Algorithm> {
    let divided =
        |size: Bytes| algorithms.iter().filter_map(move |algorithm| algorithm.with_segment(size));
    sizes
        .iter()
        .flat_map(|&size| divided(size))
        .filter(|algorithm| operation.has(*algorithm))
        .collect()
}

/// Returns algorithms of an operation, and after them those that can divide their vectors with
/// segments of powers of two from 1 KiB to 1 MiB that are smaller than `largest`.
///
/// ```
/// use orrery_choices::collective::with_common_segments;
/// use orrery_program::schedule::{Algorithm, CollectiveKind};
/// use orrery_base::units::Bytes;
/// let all = with_common_segments(CollectiveKind::Broadcast, vec!["pipeline".parse()?, Algorithm::Linear], Bytes::new(4096));
/// let names: Vec<String> = all.iter().map(ToString::to_string).collect();
/// assert_eq!(names, ["pipeline", "linear", "pipeline:1K", "pipeline:2K"]);
/// # Ok::<(), orrery_base::file::Fault>(())
/// ```
pub fn with_common_segments(
    operation: CollectiveKind,
    mut algorithms: Vec<Algorithm>,
    largest: Bytes,
) -> Vec<Algorithm> {
    let sizes: Vec<Bytes> =
        COMMON_SEGMENTS.map(|bit| Bytes::new(1 << bit)).filter(|size| *size < largest).collect();
    // A linear operation in segments is useful below the thresholds of a model only, which name its
    // segment.
    let is_whole = |algorithm: &Algorithm| {
        algorithm.segment() == Bytes::ZERO && *algorithm != Algorithm::Linear
    };
    let whole: Vec<Algorithm> = algorithms.iter().copied().filter(is_whole).collect();
    let divided = in_segments(operation, &whole, &sizes);
    let new: Vec<Algorithm> =
        divided.into_iter().filter(|algorithm| !algorithms.contains(algorithm)).collect();
    algorithms.extend(new);
    algorithms
}
