//! The sizes of segments among which a choice searches.

use std::ops::RangeInclusive;

use super::Candidate;
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;
use orrery_models::model::Model;
use orrery_program::schedule::{Algorithm, Collective, CollectiveKind, Rank};

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

/// Returns the linear algorithm in segments below the first threshold of an operation: M1 of a
/// gather, beyond which it escalates, or S of a scatter, beyond which sends wait; `None` if the
/// model has no such threshold for this root and number of processors.
///
/// Source: Lastovetsky, Rychkov, O'Flynn, "A software tool for accurate estimation of parameters of
/// heterogeneous communication models", 2008, section 4.
///
/// ```
/// use orrery_choices::collective::split_candidate;
/// use orrery_models::comm::Thresholds;
/// use orrery_models::model::Model;
/// use orrery_base::numeric::Estimate;
/// use orrery_cluster::platform::Processor;
/// use orrery_program::schedule::CollectiveKind;
/// let none = Thresholds::none(CollectiveKind::Gather, Processor(0), 8);
/// let gather = Thresholds { gather_small: Some(Estimate::exact(4096.0)), ..none };
/// let model = Model { thresholds: vec![gather], ..Model::default() };
/// let candidate = split_candidate(&model, CollectiveKind::Gather, 8, Processor(0));
/// assert_eq!(candidate.map(|one| one.algorithm.to_string()).as_deref(), Some("linear:4K"));
/// assert_eq!(split_candidate(&model, CollectiveKind::Scatter, 8, Processor(0)), None);
/// ```
pub fn split_candidate(
    model: &Model,
    operation: CollectiveKind,
    procs: usize,
    root: Processor,
) -> Option<Candidate> {
    let linear = Collective {
        kind: operation,
        algorithm: Algorithm::Linear,
        root: Rank(root.0),
        ranks: procs,
        block: Bytes::ZERO,
    };
    let segment = model.thresholds_of(&linear)?.segment()?;
    Algorithm::Linear.with_segment(segment).map(|algorithm| Candidate { algorithm, root })
}
