use super::composition::compose;
use super::process_model::{pt_models, shortage};
use super::reading::{Reading, constants};
use super::size_model::nt_models;
use super::{Adjustment, AdjustmentRule, CompositionRule, MemoryRanges, PaperModel};
use crate::run::Run;
use crate::scaling::ScalingError;

/// How the models of the paper are made.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PaperOptions {
    /// Which memory ranges have models of their own.
    pub memory: MemoryRanges,
    /// Which kinds take their P-T models from which. A kind without any, of which no rule speaks, takes those of the kind
    /// that has most, with estimated factors.
    pub compositions: Vec<CompositionRule>,
    /// What the estimates of a kind are adjusted to; `None` leaves them.
    pub adjustment: Option<AdjustmentRule>,
    /// Take a time that is not divided as computation, with no communication. The P-T models then have no term that
    /// grows with P; without it, such runs are an error.
    pub undivided: bool,
}

/// Fits the models of the paper to the runs of one program.
///
/// Models are made of the homogeneous runs, those on one kind; the others serve the adjustment alone. All rows of a fit have
/// the same weight, and coefficients may be of either sign. It is there to compare with the paper;
/// [`fit_terms`](super::super::fit_terms) is the default method. Source: Kishimoto, Ichikawa (2004), sections 3 and 4.1.
///
/// # Errors
///
/// When there are no homogeneous runs; when a run lacks its size, configuration or division, or has numbers that are none,
/// or a variable varies that the models do not take; when a configuration has fewer than four different sizes, or a kind
/// with M_i on each was run on several elements with fewer than three different P and no other kind has P-T models; when a
/// composition or the adjustment has nothing to rest on.
pub fn fit_paper<'a>(
    runs: impl IntoIterator<Item = &'a Run>,
    options: &PaperOptions,
) -> Result<PaperModel, ScalingError> {
    let runs: Vec<&Run> = runs.into_iter().collect();
    let readings = Reading::all(&runs, options.undivided)?;
    let mut kinds: Vec<String> = readings.iter().map(|reading| reading.share.kind.clone()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let limits = options.memory.limits(&readings, &kinds)?;
    let (nt_models, unused) = nt_models(&readings, &limits)?;
    let mut pt_models = pt_models(&nt_models)?;
    let compositions = compose(&options.compositions, &kinds, &nt_models, &mut pt_models)?;
    if let Some(error) = shortage(&nt_models, &pt_models) {
        return Err(error.into());
    }
    let mut model = PaperModel {
        kinds,
        limits,
        nt_models,
        pt_models,
        compositions,
        adjustment: None,
        constants: constants(&runs),
        runs: readings.len(),
        unused,
    };
    if let Some(rule) = &options.adjustment {
        model.adjustment = Some(Adjustment::fit(rule, &runs, &model)?);
    }
    Ok(model)
}
