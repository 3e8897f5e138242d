//! Tables of the fastest candidate at given sizes, for all numbers of processors.

use super::times::Times;
use super::{Candidate, CollectiveChoice, EQUAL_TIMES};
use orrery_base::numeric::parallel_map;
use orrery_base::units::{Bytes, Seconds};
use orrery_models::model::{Model, ModelKind, PredictError};

/// The fastest candidate of a choice at a size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decision {
    /// The size of a block, or of the vector.
    pub size: Bytes,
    /// The first of the fastest candidates.
    pub best: Candidate,
    /// Its predicted time.
    pub seconds: Seconds,
}

/// Returns the fastest candidate at each of some sizes, by a kind of model, without intervals.
///
/// A candidate is played only until it is slower than another one. The result is that of a
/// prediction of all candidates.
///
/// ```
/// use orrery_choices::collective::{Candidate, CollectiveChoice, table};
/// use orrery_models::comm::LogGp;
/// use orrery_models::model::{Model, ModelKind};
/// use orrery_base::numeric::Estimate;
/// use orrery_cluster::platform::Processor;
/// use orrery_program::schedule::CollectiveKind;
/// use orrery_base::units::Bytes;
/// let parameters = [12e-6, 2e-6, 3e-6, 5e-6, 0.8e-9].map(Estimate::exact);
/// let loggp = LogGp::from_estimates(&parameters).expect("five parameters");
/// let model = Model { hosts: vec![String::new(); 16], ..Model::default() }.with(ModelKind::LogGp, &loggp);
/// let sizes = [1 << 3, 1 << 20].map(Bytes::new);
/// for procs in 2..=16 {
///     let algorithms = CollectiveKind::Allreduce.algorithms_on(procs);
///     let choice = CollectiveChoice {
///         operation: CollectiveKind::Allreduce,
///         library: None,
///         procs,
///         candidates: algorithms.map(|algorithm| Candidate { algorithm, root: Processor(0) }).collect(),
///         sizes: (sizes[0], sizes[1]),
///         step: 1,
///         merges: false,
///         kept: None,
///     };
///     assert_eq!(table(&model, ModelKind::LogGp, &choice, &sizes)?.len(), 2);
/// }
/// # Ok::<(), orrery_models::model::PredictError>(())
/// ```
///
/// # Errors
///
/// When the model does not contain the kind, or a root or the number of processors is too large for
/// it.
pub fn table(
    model: &Model,
    kind: ModelKind,
    choice: &CollectiveChoice,
    sizes: &[Bytes],
) -> Result<Vec<Decision>, PredictError> {
    let mut times = Times::new(model, kind, choice)?;
    let mut decisions = Vec::with_capacity(sizes.len());
    for &size in sizes {
        let times = times.at(size, 1.0 + EQUAL_TIMES, 1)?;
        // Those within rounding errors of the fastest remain; the first of them is chosen.
        let first =
            choice.candidates.iter().zip(times).find_map(|(best, time)| Some((*best, time?)));
        decisions.extend(first.map(|(best, seconds)| Decision { size, best, seconds }));
    }
    Ok(decisions)
}

/// Returns the tables of several choices, such as all operations on all numbers of processors, as
/// [`table`] returns that of one. With the feature `parallel` they are made on all cores.
///
/// # Errors
///
/// As [`table`], for the first choice with an error.
pub fn tables(
    model: &Model,
    kind: ModelKind,
    choices: &[CollectiveChoice],
    sizes: &[Bytes],
) -> Result<Vec<Vec<Decision>>, PredictError> {
    parallel_map(choices.len(), |index| table(model, kind, &choices[index], sizes))
        .into_iter()
        .collect()
}
