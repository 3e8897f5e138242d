//! P-T models: the times of all configurations of a kind over the problem size and the number of
//! processes.

use serde::{Deserialize, Serialize};

use super::nt_model::{NtCoefficients, NtModel, least_squares};
use crate::scaling::observations::FitError;

/// The number of different P that show how far a P-T model may be wrong: Tc has three coefficients.
pub(super) const ENOUGH_PROCESS_COUNTS: usize = 3;

/// The least number of different P that determine a P-T model.
pub(super) const MIN_PROCESS_COUNTS: usize = 2;

/// A P-T model: the times of all configurations of one kind with several elements and the same
/// number of processes on each.
///
/// Ta(N, P) = k7·Ta(N)/P + k8 and Tc(N, P) = k9·P·Tc(N) + k10·Tc(N)/P + k11 in seconds. Ta(N) and
/// Tc(N) are the N-T model of the least measured P > M_i, the reference. Source: Kishimoto,
/// Ichikawa (2004), section 3.3, which prints k11 as k12 and does not define the reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PtModel {
    /// The kind of the elements.
    pub kind: String,
    /// M_i: the processes on each element.
    pub per_element: u32,
    /// The index of its memory range, from 0.
    #[serde(default)]
    pub range: usize,
    /// k7, k8.
    pub computation: [f64; 2],
    /// k9, k10, k11.
    pub communication: [f64; 3],
    /// The N-T model of the reference.
    pub reference: NtCoefficients,
    /// The smallest and the largest N of the runs.
    pub sizes: (f64, f64),
    /// The smallest and the largest P of the runs.
    pub processes: (u64, u64),
    /// The kind from which it was composed; `None` for a fitted model.
    #[serde(default)]
    pub composed_from: Option<String>,
}

impl PtModel {
    /// Ta(N, P) in seconds.
    pub fn computation_at(&self, size: f64, processes: u64) -> f64 {
        let terms = computation_terms(&self.reference, size, processes as f64);
        self.computation.iter().zip(terms).map(|(k, term)| k * term).sum()
    }

    /// Tc(N, P) in seconds.
    pub fn communication_at(&self, size: f64, processes: u64) -> f64 {
        let terms = communication_terms(&self.reference, size, processes as f64);
        self.communication.iter().zip(terms).map(|(k, term)| k * term).sum()
    }
}

/// The terms of k7 and k8.
fn computation_terms(reference: &NtCoefficients, size: f64, processes: f64) -> [f64; 2] {
    [reference.computation_at(size) / processes, 1.0]
}

/// The terms of k9, k10 and k11.
fn communication_terms(reference: &NtCoefficients, size: f64, processes: f64) -> [f64; 3] {
    let time = reference.communication_at(size);
    [processes * time, time / processes, 1.0]
}

/// Returns true if more than one element takes part.
fn has_several_elements(model: &NtModel) -> bool {
    model.processes > u64::from(model.per_element)
}

/// Fits the P-T models of all kinds, M_i and memory ranges with N-T models of at least `counts`
/// different P.
pub(super) fn pt_models(models: &[NtModel], counts: usize) -> Result<Vec<PtModel>, FitError> {
    let several: Vec<&NtModel> =
        models.iter().filter(|model| has_several_elements(model)).collect();
    let same_group = |a: &&NtModel, b: &&NtModel| {
        a.kind == b.kind && a.per_element == b.per_element && a.range == b.range
    };
    several.chunk_by(same_group).filter(|group| group.len() >= counts).map(pt_model).collect()
}

/// The error for the first kind and M_i with runs on several elements but no P-T model; `None` if
/// all have one.
pub(super) fn missing_pt_model(models: &[NtModel], fitted: &[PtModel]) -> Option<FitError> {
    let covered = |model: &&NtModel| {
        fitted
            .iter()
            .any(|known| known.kind == model.kind && known.per_element == model.per_element)
    };
    let uncovered =
        models.iter().filter(|model| has_several_elements(model)).find(|model| !covered(model))?;
    let (kind, per_element) = (uncovered.kind.clone(), uncovered.per_element);
    let group = models.iter().filter(|model| {
        has_several_elements(model) && model.kind == kind && model.per_element == per_element
    });
    let mut counts: Vec<u64> = group.map(|model| model.processes).collect();
    counts.sort_unstable();
    counts.dedup();
    let counts = counts.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    Some(FitError::Other(format!(
        "{kind} with {per_element} processes per element was measured on several elements with P = \
            {counts} only, but a P-T model requires {MIN_PROCESS_COUNTS} different P; measure more, \
            or compose it from another kind"
    )))
}

/// Fits a P-T model to the values of the N-T models of each P at their measured sizes.
fn pt_model(group: &[&NtModel]) -> Result<PtModel, FitError> {
    let first = group[0];
    let reference = first.coefficients();
    let points = || group.iter().flat_map(|model| model.sizes.iter().map(|&size| (*model, size)));
    let computation: Vec<[f64; 2]> = points()
        .map(|(model, size)| computation_terms(&reference, size, model.processes as f64))
        .collect();
    let communication: Vec<[f64; 3]> = points()
        .map(|(model, size)| communication_terms(&reference, size, model.processes as f64))
        .collect();
    let computation_times: Vec<f64> =
        points().map(|(model, size)| model.coefficients().computation_at(size)).collect();
    let communication_times: Vec<f64> =
        points().map(|(model, size)| model.coefficients().communication_at(size)).collect();
    let fitted = least_squares(&computation, &computation_times)
        .zip(least_squares(&communication, &communication_times));
    let (kind, per_element) = (first.kind.clone(), first.per_element);
    let Some((computation, communication)) = fitted else {
        return Err(FitError::Other(format!(
            "the N-T models of {kind} with {per_element} processes per element do not determine a \
                P-T model; measure other sizes or other P"
        )));
    };
    let sizes = points()
        .fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), (_, n)| (low.min(n), high.max(n)));
    Ok(PtModel {
        kind,
        per_element,
        range: first.range,
        computation,
        communication,
        reference,
        sizes,
        processes: (first.processes, group.last().map_or(first.processes, |model| model.processes)),
        composed_from: None,
    })
}
