use super::least_squares::least_squares;
use super::{NtCoefficients, NtModel, PaperError};
use crate::scaling::ScalingError;

/// How many different P a P-T model needs: Tc has three coefficients.
pub(super) const PROCESSES: usize = 3;

/// A P-T model: the times of all configurations of one kind with the same number of processes on each element, where more
/// than one element takes part.
///
/// Ta(N, P) = k7·Ta(N)/P + k8 and Tc(N, P) = k9·P·Tc(N) + k10·Tc(N)/P + k11 in seconds. Ta(N) and Tc(N) are the N-T model
/// of the least measured P > M_i, the reference. Source: Kishimoto, Ichikawa (2004), section 3.3, where k11 is printed as
/// k12 and the reference is left open.
#[derive(Debug, Clone, PartialEq)]
pub struct PtModel {
    /// The kind of the elements.
    pub kind: String,
    /// M_i: the processes on each element.
    pub per_element: u32,
    /// The memory range that it holds for, from 0.
    pub range: usize,
    /// P of the reference.
    pub reference_processes: u64,
    /// The N-T model of the reference.
    pub reference: NtCoefficients,
    /// k7, k8.
    pub computation: [f64; 2],
    /// k9, k10, k11.
    pub communication: [f64; 3],
    /// The smallest and the largest N of the runs.
    pub sizes: (f64, f64),
    /// The smallest and the largest P of the runs.
    pub processes: (u64, u64),
    /// The kind that it was taken from, where it was composed.
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

fn computation_terms(reference: &NtCoefficients, size: f64, processes: f64) -> [f64; 2] {
    [reference.computation_at(size) / processes, 1.0]
}

fn communication_terms(reference: &NtCoefficients, size: f64, processes: f64) -> [f64; 3] {
    let time = reference.communication_at(size);
    [processes * time, time / processes, 1.0]
}

/// Where more than one element takes part.
fn several(model: &NtModel) -> bool {
    model.processes > u64::from(model.per_element)
}

/// The P-T models of all kinds, M_i and memory ranges that have enough N-T models.
pub(super) fn pt_models(models: &[NtModel]) -> Result<Vec<PtModel>, ScalingError> {
    let several: Vec<&NtModel> = models.iter().filter(|model| several(model)).collect();
    let alike = |a: &&NtModel, b: &&NtModel| a.kind == b.kind && a.per_element == b.per_element && a.range == b.range;
    several.chunk_by(alike).filter(|group| group.len() >= PROCESSES).map(pt_model).collect()
}

/// What measurements on several elements, that are too few for a P-T model, want: the first such kind and M_i with its P.
pub(super) fn shortage(models: &[NtModel], fitted: &[PtModel]) -> Option<PaperError> {
    let covered = |model: &&NtModel| {
        fitted.iter().any(|known| known.kind == model.kind && known.per_element == model.per_element)
    };
    let lacking = models.iter().filter(|model| several(model)).find(|model| !covered(model))?;
    let (kind, per_element) = (lacking.kind.clone(), lacking.per_element);
    let alike = models.iter().filter(|model| several(model) && model.kind == kind && model.per_element == per_element);
    let mut counts: Vec<u64> = alike.map(|model| model.processes).collect();
    counts.sort_unstable();
    counts.dedup();
    Some(PaperError::TooFewProcesses { kind, per_element, counts, needed: PROCESSES })
}

/// The rows are what the N-T models of each P give at the sizes that they were fitted to.
fn pt_model(group: &[&NtModel]) -> Result<PtModel, ScalingError> {
    let first = group[0];
    let reference = first.coefficients;
    let points = || group.iter().flat_map(|model| model.sizes.iter().map(|&size| (*model, size)));
    let computation: Vec<[f64; 2]> =
        points().map(|(model, size)| computation_terms(&reference, size, model.processes as f64)).collect();
    let communication: Vec<[f64; 3]> =
        points().map(|(model, size)| communication_terms(&reference, size, model.processes as f64)).collect();
    let work: Vec<f64> = points().map(|(model, size)| model.coefficients.computation_at(size)).collect();
    let talk: Vec<f64> = points().map(|(model, size)| model.coefficients.communication_at(size)).collect();
    let fitted = least_squares(&computation, &work).zip(least_squares(&communication, &talk));
    let (kind, per_element) = (first.kind.clone(), first.per_element);
    let Some((computation, communication)) = fitted else {
        return Err(PaperError::Undetermined { kind, per_element }.into());
    };
    let sizes = points().fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), (_, n)| (low.min(n), high.max(n)));
    Ok(PtModel {
        kind,
        per_element,
        range: first.range,
        reference_processes: first.processes,
        reference,
        computation,
        communication,
        sizes,
        processes: (first.processes, group.last().map_or(first.processes, |model| model.processes)),
        composed_from: None,
    })
}
