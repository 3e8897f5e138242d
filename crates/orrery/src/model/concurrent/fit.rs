use std::collections::BTreeMap;

use super::transfers;
use crate::sample::{MeasuredScheme, MedianTime, NodeMessage, Timings, measured_penalties};
use crate::sharing::calibrate::{
    FitError, ReferencedSlowdowns, SchemeSlowdowns, SlowdownEstimate, fit_gige, fit_infiniband,
};
use crate::sharing::{GammaForm, Parameters};

/// What a fit to timings came to.
#[derive(Debug, Clone, PartialEq)]
pub struct SharingFit {
    /// The parameters of the laws that could be fitted.
    pub parameters: Parameters,
    /// The laws that could not, with the reason.
    pub skipped: Vec<(&'static str, FitError)>,
    /// How many slowdowns the laws were fitted to.
    pub slowdowns: usize,
    /// Schemes that were left out because their messages do not start together.
    pub delayed: Vec<String>,
}

/// Why no law can be fitted to timings.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SharingFitError {
    /// No message was measured both among others and by itself.
    #[error(
        "no communication was measured both with others under way and by itself; measure some with orrery measure scheme \
         --calibrate"
    )]
    Nothing,
    /// None of the laws that are asked for can be fitted.
    #[error("{}", .0.iter().map(|(law, why)| format!("no {law}: {why}")).collect::<Vec<_>>().join("; "))]
    NoLaw(Vec<(&'static str, FitError)>),
}

/// Fits the laws of Gigabit Ethernet and InfiniBand to measured schemes, as far as these tell their parameters.
///
/// The slowdown of each message is the median of its times over that of its lone times. Intervals take in that both err,
/// and that all messages of one pair of nodes are divided by the same reference.
///
/// # Errors
///
/// When nothing was measured that a law could be fitted to, or no law can; the reasons name the scheme that is lacking.
pub fn fit_sharing(timings: &Timings, networks: &[&str], level: f64) -> Result<SharingFit, SharingFitError> {
    let schemes = measured_penalties(timings);
    let delayed: Vec<String> =
        schemes.iter().filter(|scheme| !scheme.starts_together).map(|scheme| scheme.name.clone()).collect();
    let evidence = evidence(schemes.iter().filter(|scheme| scheme.starts_together));
    let slowdowns = evidence.schemes.iter().flat_map(|scheme| &scheme.slowdowns).flatten().count();
    if slowdowns == 0 {
        return Err(SharingFitError::Nothing);
    }
    let (mut parameters, mut skipped) = (Parameters::default(), Vec::new());
    for &network in networks {
        match network {
            "gige" => match fit_gige(&evidence, GammaForm::default(), level) {
                Ok(found) => parameters.gige = Some(found),
                Err(why) => skipped.push(("gige", why)),
            },
            _ => match fit_infiniband(&evidence, level) {
                Ok(found) => parameters.infiniband = Some(found),
                Err(why) => skipped.push(("infiniband", why)),
            },
        }
    }
    if parameters.is_empty() {
        return Err(SharingFitError::NoLaw(skipped));
    }
    Ok(SharingFit { parameters, skipped, slowdowns, delayed })
}

/// Slowdowns against numbered references.
fn evidence<'a>(schemes: impl Iterator<Item = &'a MeasuredScheme>) -> ReferencedSlowdowns {
    let mut evidence = ReferencedSlowdowns::default();
    let mut numbers: BTreeMap<NodeMessage, usize> = BTreeMap::new();
    for scheme in schemes {
        let mut slowdowns = Vec::new();
        let mut free = 0.0;
        for one in &scheme.communications {
            let quotient = |(time, alone): (MedianTime, MedianTime)| {
                let next = numbers.len();
                let reference = *numbers.entry(one.message).or_insert(next);
                if reference == next {
                    evidence.references.push(alone.variance);
                    evidence.readings += alone.readings;
                }
                evidence.free = alone.free;
                evidence.readings += time.readings;
                free = time.free;
                SlowdownEstimate { slowdown: time.seconds / alone.seconds, variance: time.variance, reference }
            };
            slowdowns.push(one.time.zip(one.reference).map(quotient));
        }
        evidence.schemes.push(SchemeSlowdowns { transfers: transfers(scheme), slowdowns, free });
    }
    evidence
}
