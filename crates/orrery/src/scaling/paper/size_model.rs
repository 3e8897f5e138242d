use std::collections::BTreeMap;

use super::PaperError;
use super::least_squares::least_squares;
use super::memory::{MemoryLimits, range_of};
use super::reading::Reading;
use crate::scaling::ScalingError;

/// How many different sizes an N-T model needs: Ta has four coefficients.
const SIZES: usize = 4;

/// Computation and communication over the size N.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NtCoefficients {
    /// k0 … k3: Ta = k0·N³ + k1·N² + k2·N + k3, in seconds.
    pub computation: [f64; 4],
    /// k4 … k6: Tc = k4·N² + k5·N + k6, in seconds.
    pub communication: [f64; 3],
}

impl NtCoefficients {
    /// Ta(N) in seconds.
    pub fn computation_at(&self, size: f64) -> f64 {
        self.computation.iter().fold(0.0, |sum, k| sum * size + k)
    }

    /// Tc(N) in seconds.
    pub fn communication_at(&self, size: f64) -> f64 {
        self.communication.iter().fold(0.0, |sum, k| sum * size + k)
    }
}

/// An N-T model: the times of one configuration of one kind.
///
/// Source: Kishimoto, Ichikawa (2004), section 3.2.
#[derive(Debug, Clone, PartialEq)]
pub struct NtModel {
    /// The kind of the elements.
    pub kind: String,
    /// P: the processes of all elements.
    pub processes: u64,
    /// M_i: the processes on each element.
    pub per_element: u32,
    /// The memory range that it holds for, from 0.
    pub range: usize,
    /// Its coefficients.
    pub coefficients: NtCoefficients,
    /// The different sizes N that it was fitted to, in ascending order.
    pub sizes: Vec<f64>,
}

/// The N-T models of all configurations, ordered by kind, M_i, memory range and P, and the names of those runs that are in
/// none: a configuration may have a few sizes only in one of its memory ranges.
pub(super) fn nt_models(
    readings: &[Reading],
    limits: &[MemoryLimits],
) -> Result<(Vec<NtModel>, Vec<String>), ScalingError> {
    let mut groups: BTreeMap<(&str, u32, u64), BTreeMap<usize, Vec<&Reading>>> = BTreeMap::new();
    for reading in readings {
        let configuration = (reading.share.kind.as_str(), reading.share.processes, reading.processes);
        let range = range_of(limits, &reading.share.kind, reading.bytes());
        groups.entry(configuration).or_default().entry(range).or_default().push(reading);
    }
    let (mut models, mut unused) = (Vec::new(), Vec::new());
    for ranges in groups.values() {
        let before = models.len();
        let mut most = (0, None);
        for (&range, readings) in ranges {
            let sizes = different_sizes(readings);
            if sizes.len() >= SIZES {
                models.push(nt_model(readings, range, sizes)?);
            } else {
                unused.extend(readings.iter().map(|reading| reading.name.clone()));
                most = if sizes.len() > most.0 { (sizes.len(), readings.first()) } else { most };
            }
        }
        if let (true, (sizes, Some(reading))) = (models.len() == before, most) {
            let (run, configuration) = (reading.name.clone(), reading.configuration());
            return Err(PaperError::TooFewSizes { run, configuration, sizes, needed: SIZES }.into());
        }
    }
    for MemoryLimits { kind, bytes } in limits {
        let filled = |range: usize| models.iter().any(|model| model.kind == *kind && model.range == range);
        if let Some(range) = (0..=bytes.len()).find(|&range| !filled(range)) {
            let low = if range == 0 { 0.0 } else { bytes[range - 1] };
            return Err(PaperError::EmptyRange { kind: kind.clone(), range, low, needed: SIZES }.into());
        }
    }
    models.sort_by(|a, b| {
        let order = |model: &NtModel| (model.kind.clone(), model.per_element, model.range, model.processes);
        order(a).cmp(&order(b))
    });
    Ok((models, unused))
}

fn different_sizes(readings: &[&Reading]) -> Vec<f64> {
    let mut sizes: Vec<f64> = readings.iter().map(|reading| reading.size).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    sizes
}

/// Every run is a row, all with the same weight.
fn nt_model(readings: &[&Reading], range: usize, sizes: Vec<f64>) -> Result<NtModel, ScalingError> {
    let first = readings[0];
    let of = |time: fn(&Reading) -> f64| readings.iter().map(|reading| time(reading)).collect::<Vec<f64>>();
    let cubes: Vec<[f64; 4]> = of(|r| r.size).into_iter().map(|n| [n * n * n, n * n, n, 1.0]).collect();
    let squares: Vec<[f64; 3]> = of(|r| r.size).into_iter().map(|n| [n * n, n, 1.0]).collect();
    let computation = least_squares(&cubes, &of(|r| r.computation));
    let communication = least_squares(&squares, &of(|r| r.communication));
    let Some((computation, communication)) = computation.zip(communication) else {
        let (run, configuration) = (first.name.clone(), first.configuration());
        return Err(PaperError::TooClose { run, configuration }.into());
    };
    let coefficients = NtCoefficients { computation, communication };
    let (kind, per_element) = (first.share.kind.clone(), first.share.processes);
    Ok(NtModel { kind, processes: first.processes, per_element, range, coefficients, sizes })
}
