//! Sharing laws and measured schemes: the fit of laws to timings, and their comparison with them.

use std::collections::BTreeMap;

use orrery_base::file::Fault;
use orrery_base::numeric::Estimate;
use orrery_cluster::sharing::calibrate::{ReferencedSlowdowns, SchemeSlowdowns, SlowdownEstimate};
use orrery_cluster::sharing::{
    FittedLaws, LAWS, LawKind, PenaltyModel as _, SharingError, SharingLaw, Transfer,
    mean_absolute_error, relative_error,
};
use orrery_measure::sample::{
    MeasuredPenalty, MeasuredScheme, MedianTime, NodeMessage, Timings, measured_penalties,
};

/// The transfers of a measured scheme.
fn transfers(scheme: &MeasuredScheme) -> Vec<Transfer> {
    scheme
        .communications
        .iter()
        .map(|one| Transfer::between(one.message.source, one.message.destination))
        .collect()
}

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

/// The measured and the predicted time of a message among others.
#[derive(Debug, Clone, PartialEq)]
pub struct PenaltyComparison {
    /// The name of the law.
    pub law: &'static str,
    /// The scheme.
    pub scheme: String,
    /// The message.
    pub communication: String,
    /// The measured time T_m in seconds.
    pub observed: Estimate,
    /// The measured penalty.
    pub penalty: Estimate,
    /// The penalty by the law.
    pub predicted_penalty: f64,
    /// The predicted time T_p in seconds: the penalty by the law times the measured time of the
    /// message by itself.
    pub predicted: f64,
    /// E_rel = (T_p − T_m) / T_m, as a fraction.
    pub error: f64,
}

/// The accuracy of a law for one scheme or for all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct LawAccuracy {
    /// The name of the law.
    pub law: &'static str,
    /// The scheme; `None` for all schemes together.
    pub scheme: Option<String>,
    /// The number of messages that were compared.
    pub communications: usize,
    /// E_abs, the mean of |E_rel|, as a fraction.
    pub error: f64,
    /// The largest |E_rel|, as a fraction.
    pub largest: f64,
}

/// The comparison of sharing laws with measured schemes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SharingValidation {
    /// All comparisons, scheme by scheme, law by law, message by message.
    pub rows: Vec<PenaltyComparison>,
    /// The accuracy of each law: first over all messages, the best law first; then scheme by
    /// scheme.
    pub summary: Vec<LawAccuracy>,
    /// The comparisons that are impossible: law, scheme, reason.
    pub not_compared: Vec<(&'static str, String, SharingError)>,
    /// The schemes that were left out because their messages do not start together.
    pub delayed: Vec<String>,
}

/// Compares measured schemes with the laws without parameters and with the fitted ones.
pub fn validate_sharing(fitted: &FittedLaws, timings: &Timings, level: f64) -> SharingValidation {
    let law = |kind: &&'static LawKind| match fitted.get(kind.name) {
        Some(fitted) => Some(fitted.law()),
        None if kind.parameters.is_empty() => kind.law(&[]).ok(),
        None => None,
    };
    let laws: Vec<SharingLaw> = LAWS.iter().filter_map(law).collect();
    let (schemes, delayed): (Vec<_>, Vec<_>) =
        measured_penalties(timings).into_iter().partition(|scheme| scheme.starts_together);
    let delayed = delayed.into_iter().map(|scheme| scheme.name).collect();
    let mut validation = SharingValidation { delayed, ..SharingValidation::default() };
    for scheme in &schemes {
        for law in &laws {
            match law.penalties(&transfers(scheme)) {
                Ok(penalties) => {
                    validation.rows.extend(compare(law.name(), scheme, &penalties, level));
                }
                Err(why) => validation.not_compared.push((law.name(), scheme.name.clone(), why)),
            }
        }
    }
    let overall = laws.iter().filter_map(|law| accuracy(&validation.rows, law.name(), None));
    validation.summary = overall.collect();
    validation.summary.sort_by(|a, b| a.error.total_cmp(&b.error));
    let ranked: Vec<&'static str> = validation.summary.iter().map(|summary| summary.law).collect();
    for scheme in &schemes {
        let of_law = |law: &&'static str| accuracy(&validation.rows, law, Some(&scheme.name));
        let of_scheme: Vec<_> = ranked.iter().filter_map(of_law).collect();
        validation.summary.extend(of_scheme);
    }
    validation
}

/// Compares the messages of a scheme with their penalties by a law.
fn compare(
    law: &'static str,
    scheme: &MeasuredScheme,
    penalties: &[f64],
    level: f64,
) -> Vec<PenaltyComparison> {
    let row = |(one, &predicted_penalty): (&MeasuredPenalty, &f64)| {
        let (time, reference) = (one.time?, one.reference?);
        let predicted = predicted_penalty * reference.seconds;
        Some(PenaltyComparison {
            law,
            scheme: scheme.name.clone(),
            communication: one.name.clone(),
            observed: time.time(level),
            penalty: one.penalty(level)?,
            predicted_penalty,
            predicted,
            error: relative_error(predicted, time.seconds) / 100.0,
        })
    };
    scheme.communications.iter().zip(penalties).filter_map(row).collect()
}

/// The accuracy of a law for a scheme, or for all; `None` if no message was compared.
fn accuracy(
    rows: &[PenaltyComparison],
    law: &'static str,
    scheme: Option<&str>,
) -> Option<LawAccuracy> {
    let own = || {
        rows.iter().filter(|row| row.law == law && scheme.is_none_or(|scheme| row.scheme == scheme))
    };
    let times: Vec<(f64, f64)> = own().map(|row| (row.predicted, row.observed.value)).collect();
    let error = mean_absolute_error(&times)? / 100.0;
    let largest = own().map(|row| row.error.abs()).fold(0.0, f64::max);
    Some(LawAccuracy {
        law,
        scheme: scheme.map(str::to_owned),
        communications: times.len(),
        error,
        largest,
    })
}
