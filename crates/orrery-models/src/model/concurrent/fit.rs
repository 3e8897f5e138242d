//! The fit of sharing laws to timings.

use std::collections::BTreeMap;

use super::transfers;
use orrery_base::file::Fault;
use orrery_cluster::sharing::calibrate::{ReferencedSlowdowns, SchemeSlowdowns, SlowdownEstimate};
use orrery_cluster::sharing::{FittedLaws, LawKind};
use orrery_measure::sample::{
    MeasuredScheme, MedianTime, NodeMessage, Timings, measured_penalties,
};

/// The sharing laws that were fitted to timings.
#[derive(Debug, Clone, PartialEq)]
pub struct SharingFit {
    /// The fitted laws.
    pub laws: FittedLaws,
    /// The names of the laws that could not be fitted, with the reason.
    pub skipped: Vec<(&'static str, Fault)>,
    /// The number of slowdowns to which the laws were fitted.
    pub slowdowns: usize,
    /// The schemes that were left out because their messages do not start together.
    pub delayed: Vec<String>,
}

/// The reason why no law can be fitted to timings.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SharingFitError {
    /// No message was measured both among others and by itself.
    #[error("no communication was measured both among others and by itself")]
    Nothing,
    /// None of the requested laws can be fitted.
    #[error("{}", .0.iter().map(|(law, why)| format!("{law} was not fitted: \
        {why}")).collect::<Vec<_>>().join("; "))]
    NoLaw(Vec<(&'static str, Fault)>),
}

/// Fits sharing laws to measured schemes, as far as these identify their parameters.
///
/// The slowdown of a message is the median of its times over the median of its times by itself.
/// Intervals have the confidence level `level`; they account for the errors of both medians, and
/// for the reference that messages between the same nodes share.
///
/// # Errors
///
/// Timings without slowdowns, and timings to which none of the laws can be fitted, each with its
/// reason.
pub fn fit_sharing(
    timings: &Timings,
    kinds: &[&'static LawKind],
    level: f64,
) -> Result<SharingFit, SharingFitError> {
    let schemes = measured_penalties(timings);
    let delayed: Vec<String> = schemes
        .iter()
        .filter(|scheme| !scheme.starts_together)
        .map(|scheme| scheme.name.clone())
        .collect();
    let data = slowdowns(schemes.iter().filter(|scheme| scheme.starts_together));
    let slowdowns = data.schemes.iter().flat_map(|scheme| &scheme.slowdowns).flatten().count();
    if slowdowns == 0 {
        return Err(SharingFitError::Nothing);
    }
    let (mut laws, mut skipped) = (FittedLaws::default(), Vec::new());
    for kind in kinds {
        match kind.fit(&data, level) {
            Ok(law) => laws.insert(law),
            Err(why) => skipped.push((kind.name, why)),
        }
    }
    if laws.is_empty() {
        return Err(SharingFitError::NoLaw(skipped));
    }
    Ok(SharingFit { laws, skipped, slowdowns, delayed })
}

/// The slowdowns of the messages of schemes, with their references numbered in the order of their
/// first message.
fn slowdowns<'a>(schemes: impl Iterator<Item = &'a MeasuredScheme>) -> ReferencedSlowdowns {
    let mut data = ReferencedSlowdowns::default();
    let mut numbers: BTreeMap<NodeMessage, usize> = BTreeMap::new();
    for scheme in schemes {
        let mut slowdowns = Vec::new();
        let mut freedom = 0.0;
        for one in &scheme.communications {
            let slowdown = |(time, alone): (MedianTime, MedianTime)| {
                let next = numbers.len();
                let reference = *numbers.entry(one.message).or_insert(next);
                if reference == next {
                    data.references.push(alone.variance);
                    data.readings += alone.readings;
                }
                data.freedom = alone.free;
                data.readings += time.readings;
                freedom = time.free;
                SlowdownEstimate {
                    slowdown: time.seconds / alone.seconds,
                    variance: time.variance,
                    reference,
                }
            };
            slowdowns.push(one.time.zip(one.reference).map(slowdown));
        }
        data.schemes.push(SchemeSlowdowns { transfers: transfers(scheme), slowdowns, freedom });
    }
    data
}
