//! The N-T and P-T models of Kishimoto, Ichikawa, "An execution-time estimation model for
//! heterogeneous clusters" (2004), as published.
//!
//! An N-T model gives the computation and communication times of one configuration of one kind over
//! the problem size N. A P-T model combines those of all P with the same number of processes M_i on
//! each element:
//!
//! | | computation | communication |
//! |---|---|---|
//! | N-T | Ta = k0·N³ + k1·N² + k2·N + k3 | Tc = k4·N² + k5·N + k6 |
//! | P-T | Ta(N, P) = k7·Ta(N)/P + k8 | Tc(N, P) = k9·P·Tc(N) + k10·Tc(N)/P + k11 |
//!
//! The N-T model applies if all processes run on one element, the P-T model otherwise. Memory
//! ranges may have separate models. A kind that cannot be measured on several elements is composed
//! from the scaled P-T models of another kind. The estimates of a kind can be adjusted by a linear
//! transformation.

mod composition;
mod homogeneous_run;
mod memory;
mod model;
mod nt_model;
mod pt_model;

pub use composition::{Composition, CompositionRule};
pub use homogeneous_run::bytes_per_element;
pub use memory::{MemoryLimits, MemoryRanges};
pub use model::{Adjustment, AdjustmentRule, PaperModel, PaperTimes};
pub use nt_model::{NtCoefficients, NtModel};
pub use pt_model::PtModel;

use composition::compose;
use homogeneous_run::{HomogeneousRun, constants};
use nt_model::nt_models;
use pt_model::{ENOUGH_PROCESS_COUNTS, missing_pt_model, pt_models};

use super::observations::FitError;
use crate::run::Run;

/// The options of [`fit_paper`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PaperOptions {
    /// The memory ranges with separate models.
    pub memory: MemoryRanges,
    /// The compositions. A kind without P-T models and without a rule is composed from the kind
    /// that has the most, with estimated factors.
    pub compositions: Vec<CompositionRule>,
    /// The adjustment of the estimates of a kind; `None` for no adjustment.
    pub adjustment: Option<AdjustmentRule>,
    /// Count a time without parts as computation. P-T models then have no term that grows with P.
    /// If false, such runs are an error.
    pub undivided: bool,
}

/// Fits N-T and P-T models to the runs of one program.
///
/// The models are fitted to the homogeneous runs, those on elements of one kind; other runs are
/// only used for the adjustment. All rows have the same weight, and coefficients may be negative.
/// This method reproduces the paper; [`fit_terms`](super::fit_terms) is the default. Source:
/// Kishimoto, Ichikawa (2004), sections 3 and 4.1.
///
/// # Errors
///
/// No homogeneous runs; a run without size, configuration or parts, or with invalid numbers; a
/// variable that varies but is not in the models; fewer than four different sizes of a
/// configuration; no P-T model for a kind on several elements, of its own or of another kind;
/// invalid compositions; too few runs for the adjustment.
pub fn fit_paper<'a>(
    runs: impl IntoIterator<Item = &'a Run>,
    options: &PaperOptions,
) -> Result<PaperModel, FitError> {
    let runs: Vec<&Run> = runs.into_iter().collect();
    let homogeneous = HomogeneousRun::all(&runs, options.undivided)?;
    let mut kinds: Vec<String> = homogeneous.iter().map(|run| run.share.kind.clone()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let limits = options.memory.limits(&homogeneous, &kinds)?;
    let (nt_models, unused) = nt_models(&homogeneous, &limits)?;
    let mut pt_models = pt_models(&nt_models, ENOUGH_PROCESS_COUNTS)?;
    let compositions = compose(&options.compositions, &kinds, &nt_models, &mut pt_models)?;
    if let Some(error) = missing_pt_model(&nt_models, &pt_models) {
        return Err(error);
    }
    let mut model = PaperModel {
        kinds,
        limits,
        nt_models,
        pt_models,
        compositions,
        adjustment: None,
        constants: constants(&runs),
        runs: homogeneous.len(),
        unused,
    };
    if let Some(rule) = &options.adjustment {
        model.adjustment = Some(Adjustment::fit(rule, &runs, &model)?);
    }
    Ok(model)
}
