use std::sync::Arc;

use nalgebra::{DMatrix, DVector};

use super::Unidentified;
use super::blocks::{Block, DEPENDENT, Inverse};
use super::cholesky::Cholesky;
use super::conjugate::{conjugate, symmetric_product};
use super::parallel::parallel_map;
use super::partition::{Part, Partition, Place};

/// Normal equations AᵀA·x = Aᵀy of which most unknowns are eliminated, and others may be held at zero.
///
/// With the core first: AᵀA = [[N, C], [Cᵀ, B]], B block-diagonal with blocks of at most two unknowns that meet each other
/// only through the core. The blocks are eliminated one by one, which leaves the Schur complement
/// S = N − Σ_k C_k·B_k⁻¹·C_kᵀ of the size of the core. Where nothing is known of blocks, all unknowns are core.
///
/// What changes is exchanged in S block by block. The factor of S is made anew only when it has become so different that
/// it is of no use in conjugate gradients.
#[derive(Debug, Clone)]
pub(super) struct Elimination {
    partition: Arc<Partition>,
    blocks: Vec<Block>,
    free: Vec<bool>,
    /// The inverse of each block.
    inverses: Vec<Inverse>,
    /// The lower triangle of S, nothing in the core being held.
    schur: DMatrix<f64>,
    /// What the elimination leaves of Aᵀy for the core, nothing being held.
    reduced: DVector<f64>,
    /// The diagonal of N, and the greatest that it ever was: what is left of it after exchanges is rounding.
    diagonal: Vec<f64>,
    greatest: Vec<f64>,
    factor: Option<Cholesky>,
    /// Whether the factor is that of S as it is.
    is_fresh: bool,
    /// The last solution for y, where the next one is probably near.
    guess: DVector<f64>,
}

/// A step of conjugate gradients is worth it as long as their number is below this part of the unknowns: then they cost
/// less than a factor. Small matrices are always factored.
const STEPS: usize = 128;

/// What is left of the error of a correction.
pub(super) const CORRECTED: f64 = 1e-4;

impl Elimination {
    /// Equations without rows, everything held.
    pub(super) fn new(partition: &Arc<Partition>) -> Self {
        let (size, blocks) = (partition.core().count(), partition.blocks());
        Self {
            partition: Arc::clone(partition),
            blocks: vec![Block::default(); blocks],
            free: vec![false; partition.unknowns()],
            inverses: vec![Inverse::HELD; blocks],
            schur: DMatrix::zeros(size, size),
            reduced: DVector::zeros(size),
            diagonal: vec![0.0; size],
            greatest: vec![0.0; size],
            factor: None,
            is_fresh: false,
            guess: DVector::zeros(size),
        }
    }

    /// Puts these in the place of the blocks of these numbers.
    pub(super) fn replace(&mut self, blocks: impl IntoIterator<Item = (usize, Block)>) -> Result<(), Unidentified> {
        for (number, block) in blocks {
            let inverse = self.inverse(&block, number, &self.free)?;
            self.count(number, -1.0);
            self.blocks[number] = block;
            self.inverses[number] = inverse;
            self.count(number, 1.0);
            self.is_fresh = false;
        }
        self.greatest.iter_mut().zip(&self.diagonal).for_each(|(most, now)| *most = most.max(*now));
        Ok(())
    }

    /// Adds what a block contributes, or takes it away.
    fn count(&mut self, number: usize, sign: f64) {
        let block = &self.blocks[number];
        for (row, column, product) in block.within() {
            self.schur[(row, column)] += sign * product;
            if row == column {
                self.diagonal[row] += sign * product;
            }
        }
        block.border_target().for_each(|(place, product)| self.reduced[place] += sign * product);
        self.reduce_by(number, self.inverses[number], -sign);
    }

    /// Adds C_k·X·C_kᵀ and C_k·X·y_k for the X of this inverse, or takes them away.
    fn reduce_by(&mut self, number: usize, inverse: Inverse, sign: f64) {
        let block = &self.blocks[number];
        for (row, column, product) in block.reduction(inverse) {
            self.schur[(row, column)] += sign * product;
        }
        let [x, y] = inverse.times(block.target);
        block.border.iter().for_each(|&(place, c)| self.reduced[place as usize] += sign * (c[0] * x + c[1] * y));
    }

    fn inverse(&self, block: &Block, number: usize, free: &[bool]) -> Result<Inverse, Unidentified> {
        let inverse = block.inverse(self.partition.of_block(free, number));
        inverse.ok_or_else(|| Unidentified(self.partition.block(number).collect()))
    }

    /// The lengths of the columns of A.
    pub(super) fn lengths(&self) -> Vec<f64> {
        let mut lengths = vec![0.0; self.free.len()];
        for (number, block) in self.blocks.iter().enumerate() {
            let members = self.partition.block(number).zip(block.squares());
            members.for_each(|(unknown, square)| lengths[unknown] = square.sqrt());
        }
        self.partition.core().zip(&self.greatest).for_each(|(unknown, square)| lengths[unknown] = square.sqrt());
        lengths
    }

    /// Holds at zero what is not free.
    pub(super) fn hold(&mut self, free: &[bool]) -> Result<(), Unidentified> {
        let changing: Vec<usize> = (0..free.len()).filter(|&unknown| self.free[unknown] != free[unknown]).collect();
        self.change(&changing)
    }

    /// Makes these unknowns free if they are held, and holds them if they are free.
    pub(super) fn change(&mut self, unknowns: &[usize]) -> Result<(), Unidentified> {
        unknowns.iter().for_each(|&unknown| self.free[unknown] = !self.free[unknown]);
        for &unknown in unknowns {
            self.is_fresh = false;
            if let Place::Block(number, _) = self.partition.place(unknown) {
                let number = number as usize;
                let inverse = self.inverse(&self.blocks[number], number, &self.free)?;
                let before = std::mem::replace(&mut self.inverses[number], inverse);
                self.reduce_by(number, before.minus(&inverse), 1.0);
            }
        }
        Ok(())
    }

    /// Factors S as it is, the unknowns that are not free held at zero.
    pub(super) fn factor(&mut self) -> Result<&Cholesky, Unidentified> {
        if !self.is_fresh {
            let squares: Vec<f64> = self.greatest.iter().map(|&square| some(square)).collect();
            let independent =
                |factor: &Cholesky| factor.pivots().zip(&squares).all(|(p, square)| p > DEPENDENT * square);
            let factor = Cholesky::of(self.free_schur(&squares)).filter(independent);
            let factor = factor.ok_or_else(|| {
                let dependent = dependent(self.free_schur(&squares), &squares);
                Unidentified(dependent.into_iter().map(|place| self.partition.of_place(place)).collect())
            });
            self.factor = Some(factor?);
            self.is_fresh = true;
        }
        Ok(self.factor.as_ref().unwrap_or_else(|| unreachable!("it has just been made")))
    }

    /// S with nothing but their squares for the unknowns that are held.
    fn free_schur(&self, squares: &[f64]) -> DMatrix<f64> {
        let mut schur = self.schur.clone();
        for (place, _) in self.partition.core().enumerate().filter(|&(_, unknown)| !self.free[unknown]) {
            schur.row_mut(place).fill(0.0);
            schur.column_mut(place).fill(0.0);
            schur[(place, place)] = squares[place];
        }
        schur
    }

    /// The core's part of the solution for this right-hand side, from which the blocks have been eliminated.
    fn solve_core(
        &mut self,
        mut reduced: DVector<f64>,
        guess: &DVector<f64>,
        accuracy: f64,
    ) -> Result<DVector<f64>, Unidentified> {
        let held: Vec<bool> = self.partition.core().map(|unknown| !self.free[unknown]).collect();
        let mask = |vector: &mut DVector<f64>| {
            vector.iter_mut().zip(&held).filter(|(_, held)| **held).for_each(|(value, _)| *value = 0.0);
        };
        mask(&mut reduced);
        if let Some(factor) = self.factor.as_ref().filter(|_| !self.is_fresh) {
            let precondition = |mut vector: DVector<f64>| {
                vector = factor.solve(vector);
                mask(&mut vector);
                vector
            };
            let product = |vector: &DVector<f64>| {
                let mut product = symmetric_product(&self.schur, vector);
                mask(&mut product);
                product
            };
            let mut guess = guess.clone();
            mask(&mut guess);
            let steps = held.len() / STEPS;
            if let Some(solution) = conjugate(product, precondition, &reduced, guess, steps, accuracy) {
                return Ok(solution);
            }
        }
        Ok(self.factor()?.solve(reduced))
    }

    /// What a right-hand side leaves for the core.
    fn reduce(&self, target: &[f64]) -> DVector<f64> {
        let Self { partition, blocks, inverses, .. } = self;
        let reductions = parallel_map(partition.pieces(), |piece| {
            let mut reduction = DVector::zeros(self.diagonal.len());
            for number in partition.piece(piece) {
                let weighted = inverses[number].times(partition.of_block(target, number));
                for &(place, c) in &blocks[number].border {
                    reduction[place as usize] += c[0] * weighted[0] + c[1] * weighted[1];
                }
            }
            reduction
        });
        let reduced = DVector::from_vec(partition.of_core(target));
        reductions.into_iter().fold(reduced, |reduced, reduction| reduced - reduction)
    }

    /// The solution from its part of the core, for what the right-hand side has for each block.
    fn substitute(&self, target: impl Fn(usize) -> [f64; 2] + Sync, core: &DVector<f64>) -> Vec<f64> {
        let Self { partition, blocks, inverses, .. } = self;
        let parts = parallel_map(partition.pieces(), |piece| {
            let value = |number: usize| inverses[number].times(blocks[number].rest(target(number), core.as_slice()));
            Part { core: Vec::new(), blocks: partition.piece(piece).map(value).collect() }
        });
        let mut solution = partition.join(parts);
        partition.core().zip(core.iter()).for_each(|(unknown, value)| solution[unknown] = *value);
        solution
    }

    /// Solves for the right-hand side of a correction, to a few digits; what is not free is zero.
    pub(super) fn solve(&mut self, target: &[f64]) -> Result<Vec<f64>, Unidentified> {
        let reduced = self.reduce(target);
        let nothing = DVector::zeros(reduced.len());
        let core = self.solve_core(reduced, &nothing, CORRECTED)?;
        Ok(self.substitute(|number| self.partition.of_block(target, number), &core))
    }

    /// Solves for y, with this part of the error left that the last solution has now, and says which unknowns had better
    /// change sides (see [`Elimination::broken`]).
    pub(super) fn step(&mut self, accuracy: f64, size: f64) -> Result<Vec<usize>, Unidentified> {
        let guess = std::mem::replace(&mut self.guess, DVector::zeros(0));
        self.guess = self.solve_core(self.reduced.clone(), &guess, accuracy)?;
        Ok(self.broken(size))
    }

    /// The solution that the last step came to.
    pub(super) fn solution(&self) -> Vec<f64> {
        self.substitute(|number| self.blocks[number].target, &self.guess)
    }

    /// The unknowns that break the conditions of Karush, Kuhn and Tucker for x ≥ 0, `size` being the length of y; of a
    /// block in which one does, those that are on the wrong side for these values of the core.
    fn broken(&self, size: f64) -> Vec<usize> {
        let Self { partition, blocks, inverses, free, guess, .. } = self;
        let least = -NO_GRADIENT * size;
        let mut broken = Vec::new();
        let gradient = symmetric_product(&self.schur, guess) - &self.reduced;
        for (place, unknown) in partition.core().enumerate() {
            let length = self.greatest[place].sqrt();
            if if free[unknown] { guess[place] < 0.0 } else { gradient[place] < least * length } {
                broken.push(unknown);
            }
        }
        let of_blocks = parallel_map(partition.pieces(), |piece| {
            let mut broken = Vec::new();
            for number in partition.piece(piece) {
                let block = &blocks[number];
                let (free, squares) = (partition.of_block(free, number), block.squares());
                let rest = block.rest(block.target, guess.as_slice());
                let values = inverses[number].times(rest);
                let gradient = block.gradient(values, rest);
                let breaks = |k: usize| if free[k] { values[k] < 0.0 } else { gradient[k] < least * squares[k].sqrt() };
                if breaks(0) || breaks(1) {
                    let best = block.best(rest);
                    let members = partition.block(number).zip(free.iter().zip(&best));
                    broken.extend(members.filter(|(_, (now, best))| now != best).map(|(unknown, _)| unknown));
                }
            }
            broken
        });
        broken.extend(of_blocks.into_iter().flatten());
        broken
    }

    /// The diagonal of the inverse: diag S⁻¹ for the core, diag(B⁻¹ + B⁻¹·Cᵀ·S⁻¹·C·B⁻¹) for the blocks,
    /// all unknowns being free.
    pub(super) fn inverse_diagonal(&mut self) -> Result<Vec<f64>, Unidentified> {
        self.hold(&vec![true; self.free.len()])?;
        let core = self.factor()?.inverse();
        let Self { partition, blocks, inverses, .. } = &*self;
        let parts = parallel_map(partition.pieces(), |piece| {
            let variances = |number: usize| {
                let (block, inverse) = (&blocks[number], &inverses[number]);
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
                variances
            };
            Part { core: Vec::new(), blocks: partition.piece(piece).map(variances).collect() }
        });
        let mut diagonal = partition.join(parts);
        partition.core().enumerate().for_each(|(place, unknown)| diagonal[unknown] = core[(place, place)]);
        Ok(diagonal)
    }
}

/// A gradient that is not below this, in units of the lengths of y and of its column, is zero.
pub(super) const NO_GRADIENT: f64 = 1e-12;

/// A squared length to divide by: 1 for a column of zeros.
fn some(square: f64) -> f64 {
    if square > 0.0 { square } else { 1.0 }
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
