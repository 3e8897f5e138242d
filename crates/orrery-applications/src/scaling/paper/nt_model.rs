//! N-T models: the times of one configuration over the problem size.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::homogeneous_run::HomogeneousRun;
use super::memory::{MemoryLimits, range_of};
use crate::scaling::observations::FitError;
use orrery_base::numeric;

/// The number of different sizes that an N-T model requires: Ta has four coefficients.
const MIN_SIZES: usize = 4;

/// The coefficients of computation and communication times over the problem size N.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NtCoefficients {
    /// P: the number of processes on all elements.
    pub processes: u64,
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

/// An N-T model: the times of one configuration of one kind over the problem size N.
///
/// Source: Kishimoto, Ichikawa (2004), section 3.2.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NtModel {
    /// The kind of the elements.
    pub kind: String,
    /// M_i: the processes on each element.
    pub per_element: u32,
    /// P: the number of processes on all elements.
    pub processes: u64,
    /// The index of its memory range, from 0.
    #[serde(default)]
    pub range: usize,
    /// k0 … k3 of the computation time.
    pub computation: [f64; 4],
    /// k4 … k6 of the communication time.
    pub communication: [f64; 3],
    /// The different sizes N that it was fitted to, ascending.
    pub sizes: Vec<f64>,
}

impl NtModel {
    /// The coefficients k0 to k6.
    pub fn coefficients(&self) -> NtCoefficients {
        let Self { processes, computation, communication, .. } = *self;
        NtCoefficients { processes, computation, communication }
    }
}

/// Fits the N-T models of all configurations. Returns them by kind, M_i, memory range and P, and
/// the names of runs whose memory range has too few sizes.
pub(super) fn nt_models(
    runs: &[HomogeneousRun],
    limits: &[MemoryLimits],
) -> Result<(Vec<NtModel>, Vec<String>), FitError> {
    let mut groups: BTreeMap<(&str, u32, u64), BTreeMap<usize, Vec<&HomogeneousRun>>> =
        BTreeMap::new();
    for run in runs {
        let configuration = (run.share.kind.as_str(), run.share.processes, run.processes);
        let range = range_of(limits, &run.share.kind, run.bytes());
        groups.entry(configuration).or_default().entry(range).or_default().push(run);
    }
    let (mut models, mut unused) = (Vec::new(), Vec::new());
    for ranges in groups.values() {
        let before = models.len();
        let mut largest = (0, None);
        for (&range, runs) in ranges {
            let sizes = different_sizes(runs);
            if sizes.len() >= MIN_SIZES {
                models.push(nt_model(runs, range, sizes)?);
            } else {
                unused.extend(runs.iter().map(|run| run.name.clone()));
                largest =
                    if sizes.len() > largest.0 { (sizes.len(), runs.first()) } else { largest };
            }
        }
        if let (true, (sizes, Some(first))) = (models.len() == before, largest) {
            return Err(FitError::Other(format!(
                "{} and the other runs on {} have {sizes} different size{}, but an N-T model has \
                    {MIN_SIZES} coefficients; measure at least {} more",
                first.name,
                first.configuration(),
                if sizes == 1 { "" } else { "s" },
                MIN_SIZES - sizes
            )));
        }
    }
    for MemoryLimits { kind, bytes } in limits {
        let has_model =
            |range: usize| models.iter().any(|model| model.kind == *kind && model.range == range);
        if let Some(range) = (0..=bytes.len()).find(|&range| !has_model(range)) {
            let low = if range == 0 { 0.0 } else { bytes[range - 1] };
            return Err(FitError::Other(format!(
                "no configuration of {kind} has {MIN_SIZES} different sizes in its memory range \
                    {range} (from {low:.3e} bytes per element); measure more sizes there, or give \
                    other limits"
            )));
        }
    }
    models.sort_by(|a, b| {
        let order =
            |model: &NtModel| (model.kind.clone(), model.per_element, model.range, model.processes);
        order(a).cmp(&order(b))
    });
    Ok((models, unused))
}

/// The different problem sizes, ascending.
fn different_sizes(runs: &[&HomogeneousRun]) -> Vec<f64> {
    let mut sizes: Vec<f64> = runs.iter().map(|run| run.size).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    sizes
}

/// Fits an N-T model with equal weights of all runs.
fn nt_model(runs: &[&HomogeneousRun], range: usize, sizes: Vec<f64>) -> Result<NtModel, FitError> {
    let first = runs[0];
    let of =
        |time: fn(&HomogeneousRun) -> f64| runs.iter().map(|run| time(run)).collect::<Vec<f64>>();
    let cubes: Vec<[f64; 4]> =
        of(|r| r.size).into_iter().map(|n| [n * n * n, n * n, n, 1.0]).collect();
    let squares: Vec<[f64; 3]> = of(|r| r.size).into_iter().map(|n| [n * n, n, 1.0]).collect();
    let computation = least_squares(&cubes, &of(|r| r.computation));
    let communication = least_squares(&squares, &of(|r| r.communication));
    let Some((computation, communication)) = computation.zip(communication) else {
        return Err(FitError::Other(format!(
            "{} and the other runs on {} have sizes that are too close together to determine the \
                coefficients of N³, N², N and 1; measure sizes further apart",
            first.name,
            first.configuration()
        )));
    };
    Ok(NtModel {
        kind: first.share.kind.clone(),
        per_element: first.share.processes,
        processes: first.processes,
        range,
        computation,
        communication,
        sizes,
    })
}

/// Solves a least-squares problem: returns the x that minimize Σ_e (Σ_k a_ek·x_k − y_e)², without
/// constraints or weights.
///
/// A zero column has the coefficient 0; `None` if the other coefficients are not determined. The
/// problem is that of `gsl_multifit_linear` in the GNU Scientific Library.
pub(super) fn least_squares<const K: usize>(
    rows: &[[f64; K]],
    observed: &[f64],
) -> Option<[f64; K]> {
    let column = |k: usize| rows.iter().map(|row| row[k]).collect::<Vec<f64>>();
    let kept: Vec<(usize, Vec<f64>)> = (0..K)
        .map(|k| (k, column(k)))
        .filter(|(_, column)| column.iter().any(|&a| a * a > 0.0))
        .collect();
    if rows.is_empty() || rows.len() < kept.len() {
        return None;
    }
    let columns: Vec<&[f64]> = kept.iter().map(|(_, column)| column.as_slice()).collect();
    // Components that rounding errors alone can cause count as zero.
    let solve =
        |right: &[f64]| numeric::least_squares(&columns, right, f64::EPSILON * rows.len() as f64);
    let mut values = [0.0; K];
    kept.iter().zip(solve(observed)?).for_each(|((k, _), value)| values[*k] = value);
    // One step of iterative refinement recovers digits where columns are nearly dependent.
    let residuals: Vec<f64> = rows
        .iter()
        .zip(observed)
        .map(|(row, y)| y - row.iter().zip(values).map(|(a, x)| a * x).sum::<f64>())
        .collect();
    kept.iter().zip(solve(&residuals)?).for_each(|((k, _), step)| values[*k] += step);
    values.iter().all(|value| value.is_finite()).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::least_squares;

    fn cubic(sizes: &[f64]) -> Vec<[f64; 4]> {
        sizes.iter().map(|n| [n * n * n, n * n, *n, 1.0]).collect()
    }

    /// The closed solution of a line through (0, 1), (1, 3), (2, 4), (3, 4): slope 1, intercept
    /// 1.5.
    #[test]
    fn line_fit_matches_closed_form() {
        let rows: Vec<[f64; 2]> = (0..4).map(|x| [f64::from(x), 1.0]).collect();
        let [slope, intercept] = least_squares(&rows, &[1.0, 3.0, 4.0, 4.0]).unwrap();
        assert!((slope - 1.0).abs() < 1e-14 && (intercept - 1.5).abs() < 1e-14);
    }

    #[test]
    fn sizes_up_to_a_million_keep_ten_digits() {
        for sizes in [[400.0, 1600.0, 3200.0, 6400.0, 9600.0], [1e4, 1e5, 2e5, 5e5, 1e6]] {
            let largest: f64 = sizes[4];
            // The terms of the largest time: 100 s, −20 s, 5 s, 1 s.
            let truth = [100.0 / largest.powi(3), -20.0 / largest.powi(2), 5.0 / largest, 1.0];
            let rows = cubic(&sizes);
            let times: Vec<f64> =
                rows.iter().map(|row| row.iter().zip(truth).map(|(a, x)| a * x).sum()).collect();
            let found = least_squares(&rows, &times).unwrap();
            assert!(found.iter().zip(truth).all(|(a, b)| (a / b - 1.0).abs() < 1e-10), "{found:?}");
        }
    }

    #[test]
    fn undetermined_coefficients_are_none() {
        assert_eq!(least_squares(&cubic(&[400.0, 800.0, 1600.0]), &[1.0, 2.0, 3.0]), None);
        assert_eq!(least_squares(&cubic(&[400.0; 6]), &[1.0; 6]), None);
        assert_eq!(least_squares::<2>(&[], &[]), None);
        assert_eq!(least_squares(&[[0.0, 1.0], [0.0, 1.0]], &[1.0, 3.0]), Some([0.0, 2.0]));
    }
}
