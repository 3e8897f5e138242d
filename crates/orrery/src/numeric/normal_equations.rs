use std::sync::Arc;

use super::bordered::{Bordered, Factored};
use super::parallel::in_pieces;
use super::partition::{Grouping, Part, Partition, Place};
use super::{Rows, Unidentified};

/// The normal equations AᵀA·x = Aᵀy of rows A·x = y.
pub(super) struct NormalEquations<'a> {
    rows: &'a Rows,
    partition: Arc<Partition>,
    grouping: Grouping,
    matrix: Bordered,
    /// Aᵀy.
    target: Vec<f64>,
    lengths: Vec<f64>,
    size: f64,
}

/// How often a solution is refined on the rows; twice regains the digits that squaring the condition costs.
const REFINEMENTS: usize = 3;

/// Steps that are smaller than this part of the solution add nothing.
const ENOUGH: f64 = 1e-14;

/// A solution, half the gradient of the sum of squares there, Aᵀ(A·x − y), and the sum of squares.
pub(super) struct Trial {
    pub(super) values: Vec<f64>,
    gradient: Vec<f64>,
    pub(super) squares: f64,
}

impl<'a> NormalEquations<'a> {
    pub(super) fn of(rows: &'a Rows, partition: &Arc<Partition>) -> Self {
        let grouped = Grouping::of(partition, rows).map(|grouping| (Arc::clone(partition), grouping));
        let (partition, grouping) = grouped.unwrap_or_else(|| {
            let whole = Arc::new(Partition::new(partition.unknowns(), []));
            let grouping = Grouping::of(&whole, rows).unwrap_or_else(|| unreachable!("no blocks, none joined"));
            (whole, grouping)
        });
        let matrix = Bordered::of(rows, &partition, &grouping);
        let lengths = matrix.squares().iter().map(|square| square.sqrt()).collect();
        let mut this = Self { rows, partition, grouping, matrix, target: Vec::new(), lengths, size: 0.0 };
        let origin = this.on_rows(vec![0.0; this.partition.unknowns()]);
        this.size = origin.squares.sqrt();
        this.target = origin.gradient.into_iter().map(|gradient| -gradient).collect();
        this
    }

    /// The standard deviations of the unknowns: √diag (AᵀA)⁻¹.
    pub(super) fn deviations(&self) -> Result<Vec<f64>, Unidentified> {
        let variances = self.factor(&vec![true; self.lengths.len()])?.inverse_diagonal();
        Ok(variances.iter().map(|variance| variance.max(0.0).sqrt()).collect())
    }

    /// The matrix factored with the unknowns that are not free held at zero.
    pub(super) fn factor(&self, free: &[bool]) -> Result<Factored<'_>, Unidentified> {
        self.matrix.factor(free)
    }

    /// The solution of these equations, which has half of the digits where they are ill-conditioned.
    pub(super) fn solve(&self, factor: &Factored) -> Trial {
        let values = factor.solve(&self.target);
        let gradient = self.matrix.times(&values).iter().zip(&self.target).map(|(a, b)| a - b).collect();
        Trial { values, gradient, squares: f64::NAN }
    }

    /// The solution with all its digits, from one with some of them.
    pub(super) fn refine(&self, factor: &Factored, first: Trial) -> Trial {
        let mut trial = self.on_rows(first.values);
        for _ in 0..REFINEMENTS {
            let step = factor.solve(&trial.gradient);
            if self.largest(&step) <= ENOUGH * self.largest(&trial.values) {
                break;
            }
            let values = trial.values.iter().zip(step).map(|(value, step)| value - step).collect();
            trial = self.on_rows(values);
        }
        trial
    }

    /// The unknowns that break the conditions of Karush, Kuhn and Tucker for x ≥ 0.
    pub(super) fn broken(&self, trial: &Trial, free: &[bool]) -> Vec<usize> {
        let least = -1e-12 * self.size;
        let breaks = |&k: &usize| {
            if free[k] { trial.values[k] < 0.0 } else { trial.gradient[k] < least * self.lengths[k] }
        };
        (0..free.len()).filter(breaks).collect()
    }

    /// The largest value, each in units in which its column has unit length.
    fn largest(&self, values: &[f64]) -> f64 {
        values.iter().zip(&self.lengths).fold(0.0, |most: f64, (value, length)| most.max((value * length).abs()))
    }

    /// These values with what the rows themselves say of them.
    fn on_rows(&self, values: Vec<f64>) -> Trial {
        let mut squares = 0.0;
        let pieces = self.partition.pieces();
        let parts = in_pieces(pieces + 1, |piece| {
            let mut sums = Sums::new(&self.partition);
            if piece == pieces {
                self.grouping.loose().for_each(|row| sums.add(self, row, &values));
            } else {
                for block in self.partition.piece(piece) {
                    sums.part.blocks.push([0.0; 2]);
                    self.grouping.rows(block).for_each(|row| sums.add(self, row, &values));
                }
            }
            sums
        });
        let parts = parts.into_iter().map(|sums| {
            squares += sums.squares;
            sums.part
        });
        let gradient = self.partition.join(parts);
        Trial { values, gradient, squares }
    }
}

/// Sums over rows, of which those of one block follow each other.
struct Sums {
    part: Part,
    squares: f64,
}

impl Sums {
    fn new(partition: &Partition) -> Self {
        Self { part: Part { core: vec![0.0; partition.core().count()], blocks: Vec::new() }, squares: 0.0 }
    }

    fn add(&mut self, equations: &NormalEquations, row: usize, values: &[f64]) {
        let residual = equations.rows.residual(row, values);
        self.squares += residual * residual;
        for (unknown, factor) in equations.rows.terms(row) {
            match (equations.partition.place(unknown), self.part.blocks.last_mut()) {
                (Place::Core(place), _) => self.part.core[place as usize] += factor * residual,
                (Place::Block(_, place), Some(block)) => block[usize::from(place)] += factor * residual,
                (Place::Block(..), None) => unreachable!("rows that touch a block follow it"),
            }
        }
    }
}
