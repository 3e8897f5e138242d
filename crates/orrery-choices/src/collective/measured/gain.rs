//! The value of a further reading, and the order of readings by it.
//!
//! Source: Frazier, Powell, Dayanik, "The knowledge-gradient policy for correlated normal beliefs",
//! INFORMS Journal on Computing 21 (2009).

use std::collections::BTreeSet;

use super::{Cell, MeasuredModel, Row, prior};

/// The nodes and the weights of Gauss-Hermite quadrature for the standard normal distribution: Σ
/// w·f(z) = E f(Z).
const NODES: [(f64, f64); 9] = [
    (-4.512_745_863_399_783, 2.234_584_400_774_660_7e-5),
    (-3.205_429_002_856_47, 0.002_789_141_321_231_769),
    (-2.076_847_978_677_83, 0.049_916_406_765_217_82),
    (-1.023_255_663_789_132_6, 0.244_097_502_894_939_53),
    (0.0, 0.406_349_206_349_206_35),
    (1.023_255_663_789_132_6, 0.244_097_502_894_939_53),
    (2.076_847_978_677_83, 0.049_916_406_765_217_82),
    (3.205_429_002_856_47, 0.002_789_141_321_231_769),
    (4.512_745_863_399_783, 2.234_584_400_774_660_7e-5),
];

/// The relative difference up to which gains are equal, so that rounding errors do not decide
/// between rows.
const EQUAL_GAINS: f64 = 1e-9;

/// The gain up to which a reading is not worth its time: a millionth of the time of one point.
const MIN_GAIN: f64 = 1e-6;

/// A row to read next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Advice {
    /// The index of the row.
    pub index: usize,
    /// The row.
    pub row: Row,
    /// The expected decrease of the sum, over all points and launches, of the log time of the
    /// chosen algorithm.
    pub gain: f64,
}

impl MeasuredModel<'_> {
    /// The expected decrease, by a reading of each of these rows, of the sum over all points and
    /// launches of the log time of the chosen algorithm.
    ///
    /// For a point with R launches, μ_a the mean log time of its algorithms over the launches, s_a =
    /// Cov(a, r)/√(P_rr + σ²) and a₀ the algorithm with the smallest mean: R·E[μ_a₀ + s_a₀·Z −
    /// min_a(μ_a + s_a·Z)] with a standard normal Z.
    pub fn gains(&self, rows: &[usize]) -> Vec<f64> {
        let mut gains = vec![0.0; rows.len()];
        for cell in self.design.cells_of_choice().filter(|cell| cell.implementations.len() > 1) {
            let means = self.cell_means(cell);
            let best = first_smallest(&means);
            let weight = cell.launches.len() as f64;
            for (gain, &row) in gains.iter_mut().zip(rows) {
                let scale = (self.covariance[(row, row)] + prior::NOISE.powi(2)).sqrt();
                let slopes: Vec<f64> = (0..means.len())
                    .map(|a| {
                        cell.rows_of(a).map(|of| self.covariance[(of, row)]).sum::<f64>()
                            / (weight * scale)
                    })
                    .collect();
                let decrease = |z: f64| {
                    let at = |a: usize| means[a] + slopes[a] * z;
                    at(best) - (0..means.len()).map(at).fold(f64::INFINITY, f64::min)
                };
                *gain += weight
                    * NODES.iter().map(|&(z, probability)| probability * decrease(z)).sum::<f64>();
            }
        }
        gains
    }

    /// The row with the largest gain among these; the first of equally good ones, `None` if there
    /// are none.
    pub fn next(&self, rows: &[usize]) -> Option<Advice> {
        let gains = self.gains(rows);
        let largest = gains.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let place = gains.iter().position(|gain| *gain >= largest * (1.0 - EQUAL_GAINS))?;
        Some(Advice {
            index: rows[place],
            row: self.design.rows()[rows[place]],
            gain: gains[place],
        })
    }

    /// The means of the log times of the implementations of a point over its launches.
    pub(super) fn cell_means(&self, cell: &Cell) -> Vec<f64> {
        let launches = cell.launches.len() as f64;
        let mean = |a| cell.rows_of(a).map(|row| self.means[row]).sum::<f64>() / launches;
        (0..cell.implementations.len()).map(mean).collect()
    }
}

/// The index of the smallest value, the first of equal ones.
pub(super) fn first_smallest(values: &[f64]) -> usize {
    (0..values.len()).fold(0, |best, index| if values[index] < values[best] { index } else { best })
}

/// The largest number of rows that are advised at a time. Advice is for the next readings; later
/// ones depend on their times.
pub const MAX_ADVICE: usize = 100;

/// The rows to read next, at most `budget` and [`MAX_ADVICE`], in the order of their gains: each is
/// chosen as if the times of those before it had been read and were as predicted. Only rows of the
/// latest launch of a point are advised, since earlier ones are over.
///
/// The list ends when no further reading is expected to improve choices by more than a millionth.
pub fn advise(model: &MeasuredModel, budget: usize) -> Vec<Advice> {
    let mut model = model.clone();
    let mut rows: Vec<usize> = Vec::new();
    for cell in model.design.cells_of_choice() {
        let last = cell.launches.len() - 1;
        rows.extend((0..cell.implementations.len()).map(|a| cell.rows_of(a).start + last));
    }
    let read: BTreeSet<usize> = model.read.iter().copied().collect();
    rows.retain(|row| !read.contains(row));
    let mut advised = Vec::new();
    while advised.len() < budget.min(MAX_ADVICE) {
        let Some(next) = model.next(&rows).filter(|next| next.gain > MIN_GAIN) else { break };
        rows.retain(|row| *row != next.index);
        model.read_at_mean(next.index);
        advised.push(next);
    }
    advised
}
