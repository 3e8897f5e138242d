//! Linear scatters and gathers in segments that avoid what happens beyond the thresholds of a
//! model.

use super::Candidate;
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;
use orrery_models::model::Model;
use orrery_program::schedule::{Algorithm, Collective, CollectiveKind, Rank};

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
