use super::transfers;
use crate::numeric::Estimate;
use crate::sample::{MeasuredPenalty, MeasuredScheme, Timings, measured_penalties};
use crate::sharing::{
    MaxMinPorts, Myrinet, ParameterError, Parameters, PenaltyModel, SharingError, mean_absolute_error, relative_error,
};

/// A message of a scheme: measured, and what a law says of it.
#[derive(Debug, Clone, PartialEq)]
pub struct PenaltyComparison {
    /// The law: `maxmin`, `gige`, `myrinet`, `infiniband`.
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
    /// The time by the law, T_p in seconds: its penalty times the measured time of the lone message.
    pub predicted: f64,
    /// E_rel = (T_p − T_m) / T_m, as a fraction.
    pub error: f64,
}

/// How far a law is off on a scheme.
#[derive(Debug, Clone, PartialEq)]
pub struct LawAccuracy {
    /// The law.
    pub law: &'static str,
    /// The scheme; nothing of all schemes together.
    pub scheme: Option<String>,
    /// How many messages were compared.
    pub communications: usize,
    /// E_abs, the mean of |E_rel|, as a fraction.
    pub error: f64,
    /// The largest |E_rel|, as a fraction.
    pub largest: f64,
}

/// Measured schemes against the laws of sharing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SharingValidation {
    /// Message by message, scheme by scheme, law by law.
    pub rows: Vec<PenaltyComparison>,
    /// E_abs of each law: over all messages first, the best law first; then scheme by scheme.
    pub summary: Vec<LawAccuracy>,
    /// What cannot be compared, with the reason: (law, scheme, why).
    pub refused: Vec<(&'static str, String, SharingError)>,
    /// Schemes that were left out because their messages do not start together.
    pub delayed: Vec<String>,
}

/// Compares measured schemes with max-min fairness, Myrinet's law, and the laws of which there are parameters.
///
/// # Errors
///
/// Parameters that make no law.
pub fn validate_sharing(
    parameters: &Parameters,
    timings: &Timings,
    level: f64,
) -> Result<SharingValidation, ParameterError> {
    let mut laws: Vec<(&'static str, Box<dyn PenaltyModel>)> = vec![("maxmin", Box::new(MaxMinPorts))];
    if let Some(gige) = parameters.gige {
        laws.push(("gige", Box::new(gige.law()?)));
    }
    laws.push(("myrinet", Box::new(Myrinet::default())));
    if let Some(infiniband) = parameters.infiniband {
        laws.push(("infiniband", Box::new(infiniband.law()?)));
    }
    let (schemes, delayed): (Vec<_>, Vec<_>) =
        measured_penalties(timings).into_iter().partition(|scheme| scheme.starts_together);
    let delayed = delayed.into_iter().map(|scheme| scheme.name).collect();
    let mut validation = SharingValidation { delayed, ..SharingValidation::default() };
    for scheme in &schemes {
        for (law, sharing) in &laws {
            match sharing.penalties(&transfers(scheme)) {
                Ok(penalties) => validation.rows.extend(rows(law, scheme, &penalties, level)),
                Err(why) => validation.refused.push((law, scheme.name.clone(), why)),
            }
        }
    }
    let mut whole: Vec<_> = laws.iter().filter_map(|(law, _)| summary(&validation.rows, law, None)).collect();
    whole.sort_by(|a, b| a.error.total_cmp(&b.error));
    let ranked: Vec<&'static str> = whole.iter().map(|summary| summary.law).collect();
    validation.summary = whole;
    for scheme in &schemes {
        let of_law = |law: &&'static str| summary(&validation.rows, law, Some(&scheme.name));
        let of_scheme: Vec<_> = ranked.iter().filter_map(of_law).collect();
        validation.summary.extend(of_scheme);
    }
    Ok(validation)
}

fn rows(law: &'static str, scheme: &MeasuredScheme, penalties: &[f64], level: f64) -> Vec<PenaltyComparison> {
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

fn summary(rows: &[PenaltyComparison], law: &'static str, scheme: Option<&str>) -> Option<LawAccuracy> {
    let own = || rows.iter().filter(|row| row.law == law && scheme.is_none_or(|scheme| row.scheme == scheme));
    let times: Vec<(f64, f64)> = own().map(|row| (row.predicted, row.observed.value)).collect();
    let error = mean_absolute_error(&times)? / 100.0;
    let largest = own().map(|row| row.error.abs()).fold(0.0, f64::max);
    Some(LawAccuracy { law, scheme: scheme.map(str::to_owned), communications: times.len(), error, largest })
}
