use std::sync::Arc;

use nalgebra::{DMatrix, DVector};

use super::blocks::{Blocks, DEPENDENT, Inverse};
use super::cholesky::Cholesky;
use super::parallel::in_pieces;
use super::partition::{Grouping, Partition};
use super::{Rows, Unidentified};

/// The normal matrix AᵀA of rows of which most unknowns come in small blocks that meet each other only through the core.
///
/// With the core first: [[N, C], [Cᵀ, B]], B block-diagonal with blocks of at most two unknowns. The blocks are eliminated
/// one by one, which leaves the Schur complement S = N − Σ_k C_k·B_k⁻¹·C_kᵀ of the size of the core. Where nothing is
/// known of blocks, all unknowns are core.
pub(super) struct Bordered {
    partition: Arc<Partition>,
    /// The lower triangle of N.
    core: DMatrix<f64>,
    pieces: Vec<Blocks>,
    /// The diagonal: the squared lengths of the columns.
    squares: Vec<f64>,
}

impl Bordered {
    pub(super) fn of(rows: &Rows, partition: &Arc<Partition>, grouping: &Grouping) -> Self {
        let size = partition.core().count();
        let mut core = DMatrix::zeros(size, size);
        for row in grouping.loose() {
            let terms = partition.core_terms(rows.terms(row));
            for (a, left) in terms.clone() {
                for (b, right) in terms.clone().filter(|(b, _)| *b <= a) {
                    core[(a, b)] += left * right;
                }
            }
        }
        let mut pieces = in_pieces(partition.pieces(), |piece| Blocks::of(rows, partition, grouping, piece));
        pieces.iter_mut().for_each(|blocks| blocks.give(&mut core));
        let mut squares = partition.join(pieces.iter().map(|blocks| blocks.squares(partition)));
        partition.core().enumerate().for_each(|(place, unknown)| squares[unknown] = core[(place, place)]);
        Self { partition: Arc::clone(partition), core, pieces, squares }
    }

    /// The squared lengths of the columns.
    pub(super) fn squares(&self) -> &[f64] {
        &self.squares
    }

    /// The product with a vector.
    pub(super) fn times(&self, vector: &[f64]) -> Vec<f64> {
        let of_core = self.partition.of_core(vector);
        let parts = in_pieces(self.pieces.len(), |piece| self.pieces[piece].times(&self.partition, vector, &of_core));
        let mut product = self.partition.join(parts);
        let mut within = DVector::zeros(of_core.len());
        within.sygemv(1.0, &self.core, &DVector::from_vec(of_core), 0.0);
        self.partition.core().zip(within.iter()).for_each(|(unknown, value)| product[unknown] += value);
        product
    }

    /// Eliminates the blocks and factors what is left, the unknowns that are not free held at zero.
    pub(super) fn factor(&self, free: &[bool]) -> Result<Factored<'_>, Unidentified> {
        let inverses = |blocks: &Blocks| vec![Inverse::HELD; blocks.len()];
        let inverses = self.pieces.iter().map(inverses).collect();
        let nothing = Cholesky::of(DMatrix::zeros(0, 0)).unwrap_or_else(|| unreachable!("there is nothing to factor"));
        let schur = self.core.clone();
        let mut factored = Factored { matrix: self, inverses, schur, held: Vec::new(), factor: nothing };
        factored.change(free)?;
        Ok(factored)
    }
}

/// A squared length to divide by: 1 for a column of zeros.
fn some(square: f64) -> f64 {
    if square > 0.0 { square } else { 1.0 }
}

/// A factored matrix: solutions and variances.
pub(super) struct Factored<'a> {
    matrix: &'a Bordered,
    inverses: Vec<Vec<Inverse>>,
    /// The lower triangle of S, nothing in the core being held.
    schur: DMatrix<f64>,
    /// The places of the core that are not free.
    held: Vec<usize>,
    factor: Cholesky,
}

impl Factored<'_> {
    /// Factors again with other unknowns held at zero. Blocks in which none changes are eliminated already.
    pub(super) fn change(&mut self, free: &[bool]) -> Result<(), Unidentified> {
        let Bordered { partition, pieces, squares, .. } = self.matrix;
        let inverses = in_pieces(pieces.len(), |piece| pieces[piece].inverses(partition, free));
        let inverses = inverses.into_iter().collect::<Result<Vec<_>, _>>()?;
        for ((blocks, before), after) in pieces.iter().zip(&self.inverses).zip(&inverses) {
            let changed = blocks.iter().zip(before).zip(after).filter(|((_, before), after)| before != after);
            for ((block, before), after) in changed {
                let reduction = block.reduction(before.minus(after));
                reduction.for_each(|(row, column, product)| self.schur[(row, column)] += product);
            }
        }
        self.inverses = inverses;
        let unknowns: Vec<usize> = partition.core().collect();
        let squares: Vec<f64> = unknowns.iter().map(|&unknown| some(squares[unknown])).collect();
        self.held = (0..unknowns.len()).filter(|&place| !free[unknowns[place]]).collect();
        let independent = |factor: &Cholesky| factor.pivots().zip(&squares).all(|(p, square)| p > DEPENDENT * square);
        let factor = Cholesky::of(self.free_schur(&squares)).filter(independent);
        self.factor = factor.ok_or_else(|| {
            let dependent = dependent(self.free_schur(&squares), &squares);
            Unidentified(dependent.into_iter().map(|place| unknowns[place]).collect())
        })?;
        Ok(())
    }

    /// S with nothing but their squares for the unknowns that are held.
    fn free_schur(&self, squares: &[f64]) -> DMatrix<f64> {
        let mut schur = self.schur.clone();
        for &place in &self.held {
            schur.row_mut(place).fill(0.0);
            schur.column_mut(place).fill(0.0);
            schur[(place, place)] = squares[place];
        }
        schur
    }

    /// Solves for this right-hand side; what is not free is zero.
    pub(super) fn solve(&self, target: &[f64]) -> Vec<f64> {
        let Bordered { partition, pieces, .. } = self.matrix;
        let reductions = in_pieces(pieces.len(), |piece| {
            let mut reduction = vec![0.0; self.matrix.core.nrows()];
            for (block, inverse) in pieces[piece].iter().zip(&self.inverses[piece]) {
                let weighted = inverse.times(partition.of_block(target, block.number));
                for &(place, c) in block.border {
                    reduction[place as usize] += c[0] * weighted[0] + c[1] * weighted[1];
                }
            }
            reduction
        });
        let mut reduced = DVector::from_vec(partition.of_core(target));
        reductions.into_iter().for_each(|reduction| reduced -= DVector::from_vec(reduction));
        self.held.iter().for_each(|&place| reduced[place] = 0.0);
        let core = self.factor.solve(reduced);
        let parts = in_pieces(pieces.len(), |piece| {
            let mut part = pieces[piece].part(partition);
            for (block, inverse) in pieces[piece].iter().zip(&self.inverses[piece]) {
                let mut rest = partition.of_block(target, block.number);
                for &(place, c) in block.border {
                    rest[0] -= c[0] * core[place as usize];
                    rest[1] -= c[1] * core[place as usize];
                }
                part.blocks.push(inverse.times(rest));
            }
            part
        });
        let mut solution = partition.join(parts);
        partition.core().zip(core.iter()).for_each(|(unknown, value)| solution[unknown] = *value);
        solution
    }

    /// The diagonal of the inverse: diag S⁻¹ for the core, diag(B⁻¹ + B⁻¹·Cᵀ·S⁻¹·C·B⁻¹) for the blocks,
    /// all unknowns being free.
    pub(super) fn inverse_diagonal(&self) -> Vec<f64> {
        let Bordered { partition, pieces, .. } = self.matrix;
        let core = self.factor.inverse();
        let parts = in_pieces(pieces.len(), |piece| {
            let mut part = pieces[piece].part(partition);
            for (block, inverse) in pieces[piece].iter().zip(&self.inverses[piece]) {
                let mut variances = inverse.diagonal();
                for (row, &(a, left)) in block.border.iter().enumerate() {
                    let left = inverse.times(left);
                    for &(b, right) in &block.border[..=row] {
                        let right = inverse.times(right);
                        // The lower triangle stands for both.
                        let twice = if a == b { 1.0 } else { 2.0 };
                        let both = twice * core[(a as usize, b as usize)];
                        variances[0] += left[0] * both * right[0];
                        variances[1] += left[1] * both * right[1];
                    }
                }
                part.blocks.push(variances);
            }
            part
        });
        let mut diagonal = partition.join(parts);
        partition.core().enumerate().for_each(|(place, unknown)| diagonal[unknown] = core[(place, place)]);
        diagonal
    }
}

/// The unknowns that take part in directions along which the sum of squares does not change.
fn dependent(mut matrix: DMatrix<f64>, squares: &[f64]) -> Vec<usize> {
    let size = matrix.nrows();
    for (row, column) in (0..size).flat_map(|row| (0..=row).map(move |column| (row, column))) {
        matrix[(row, column)] /= (squares[row] * squares[column]).sqrt();
        matrix[(column, row)] = matrix[(row, column)];
    }
    let eigen = nalgebra::SymmetricEigen::new(matrix);
    let flat = |e: usize| eigen.eigenvalues[e] < DEPENDENT * size as f64;
    let takes_part = |k: usize, e: usize| flat(e) && eigen.eigenvectors[(k, e)].abs() > 1e-6;
    (0..size).filter(|&k| (0..size).any(|e| takes_part(k, e))).collect()
}
