use std::sync::Arc;

use nalgebra::{DMatrix, DVector};

use super::block::{Block, Inverse, MIN_RELATIVE_PIVOT};
use super::block_structure::{BlockStructure, PartialVector, Position};
use super::covariance::Covariance;
use super::linear_solvers::{Cholesky, conjugate_gradients, symmetric_product};
use crate::numeric::parallel_map;

/// The unknowns that a least-squares problem does not determine: some combination of them changes
/// no observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unidentified(pub Vec<usize>);

/// The normal equations AᵀA·x = Aᵀy after block elimination, with a changeable set of free
/// unknowns; the others are zero.
///
/// With the core first, AᵀA = [[N, C], [Cᵀ, B]], where B is block-diagonal with blocks of at most
/// two unknowns. Eliminating the blocks leaves the Schur complement S = N − Σ_k C_k·B_k⁻¹·C_kᵀ of
/// the size of the core. Without blocks, all unknowns are core.
///
/// Changed blocks are updated in S one by one. An outdated factor of S serves as a preconditioner
/// of conjugate gradients; S is factored again only if they do not converge.
#[derive(Debug, Clone)]
pub(super) struct NormalEquations {
    structure: Arc<BlockStructure>,
    blocks: Vec<Block>,
    free: Vec<bool>,
    /// The inverse of each block.
    inverses: Vec<Inverse>,
    /// The lower triangle of S with all core unknowns free.
    schur: DMatrix<f64>,
    /// The right-hand side of the core after elimination, with all core unknowns free.
    reduced: DVector<f64>,
    /// The diagonal of N.
    diagonal: Vec<f64>,
    /// The largest value that each entry of `diagonal` has had: the scale of rounding errors after
    /// updates.
    max_diagonal: Vec<f64>,
    factor: Option<Cholesky>,
    /// True if `factor` is the factor of the current S.
    is_factor_current: bool,
    /// The core part of the last solution: the initial guess of the next one.
    last_solution: DVector<f64>,
}

/// Conjugate gradients get one iteration per this number of core unknowns: up to then they cost
/// less than a factorisation. Smaller matrices are always factored.
const MIN_UNKNOWNS_PER_STEP: usize = 128;

/// The relative error of the solution of a correction.
pub(super) const CORRECTION_TOLERANCE: f64 = 1e-4;

impl NormalEquations {
    /// Creates equations without rows and without free unknowns.
    pub(super) fn new(structure: &Arc<BlockStructure>) -> Self {
        let (size, blocks) = (structure.core().count(), structure.blocks());
        Self {
            structure: Arc::clone(structure),
            blocks: vec![Block::default(); blocks],
            free: vec![false; structure.unknowns()],
            inverses: vec![Inverse::ZERO; blocks],
            schur: DMatrix::zeros(size, size),
            reduced: DVector::zeros(size),
            diagonal: vec![0.0; size],
            max_diagonal: vec![0.0; size],
            factor: None,
            is_factor_current: false,
            last_solution: DVector::zeros(size),
        }
    }

    /// Replaces the blocks with these numbers.
    pub(super) fn replace_blocks(
        &mut self,
        blocks: impl IntoIterator<Item = (usize, Block)>,
    ) -> Result<(), Unidentified> {
        for (number, block) in blocks {
            let inverse = self.inverse(&block, number, &self.free)?;
            self.add_block(number, -1.0);
            self.blocks[number] = block;
            self.inverses[number] = inverse;
            self.add_block(number, 1.0);
            self.is_factor_current = false;
        }
        self.max_diagonal
            .iter_mut()
            .zip(&self.diagonal)
            .for_each(|(most, now)| *most = most.max(*now));
        Ok(())
    }

    /// Adds `sign` times the contribution of a block to the core.
    fn add_block(&mut self, number: usize, sign: f64) {
        let block = &self.blocks[number];
        for (row, column, product) in block.border_products() {
            self.schur[(row, column)] += sign * product;
            if row == column {
                self.diagonal[row] += sign * product;
            }
        }
        block.border_rhs().for_each(|(place, product)| self.reduced[place] += sign * product);
        self.update_schur(number, self.inverses[number], -sign);
    }

    /// Adds `sign` times C_k·X·C_kᵀ to S and C_k·X·y_k to its right-hand side, where X is
    /// `inverse`.
    fn update_schur(&mut self, number: usize, inverse: Inverse, sign: f64) {
        let block = &self.blocks[number];
        for (row, column, product) in block.schur_update(inverse) {
            self.schur[(row, column)] += sign * product;
        }
        let [x, y] = inverse.apply(block.rhs);
        block
            .border
            .iter()
            .for_each(|&(place, c)| self.reduced[place as usize] += sign * (c[0] * x + c[1] * y));
    }

    /// The inverse of a block for these free unknowns; an error with the unknowns of the block if
    /// it is singular.
    fn inverse(
        &self,
        block: &Block,
        number: usize,
        free: &[bool],
    ) -> Result<Inverse, Unidentified> {
        let inverse = block.inverse(self.structure.block_values(free, number));
        inverse.ok_or_else(|| Unidentified(self.structure.block(number).collect()))
    }

    /// The Euclidean norms of the columns of A.
    pub(super) fn column_norms(&self) -> Vec<f64> {
        let mut lengths = vec![0.0; self.free.len()];
        for (number, block) in self.blocks.iter().enumerate() {
            let members = self.structure.block(number).zip(block.squared_norms());
            members.for_each(|(unknown, square)| lengths[unknown] = square.sqrt());
        }
        self.structure
            .core()
            .zip(&self.max_diagonal)
            .for_each(|(unknown, square)| lengths[unknown] = square.sqrt());
        lengths
    }

    /// Sets the free unknowns; all others are fixed at zero.
    pub(super) fn set_free(&mut self, free: &[bool]) -> Result<(), Unidentified> {
        let changing: Vec<usize> =
            (0..free.len()).filter(|&unknown| self.free[unknown] != free[unknown]).collect();
        self.toggle(&changing)
    }

    /// Exchanges these unknowns between the free and the fixed set.
    pub(super) fn toggle(&mut self, unknowns: &[usize]) -> Result<(), Unidentified> {
        unknowns.iter().for_each(|&unknown| self.free[unknown] = !self.free[unknown]);
        for &unknown in unknowns {
            self.is_factor_current = false;
            if let Position::Block(number, _) = self.structure.position(unknown) {
                let number = number as usize;
                let inverse = self.inverse(&self.blocks[number], number, &self.free)?;
                let before = std::mem::replace(&mut self.inverses[number], inverse);
                self.update_schur(number, before.minus(&inverse), 1.0);
            }
        }
        Ok(())
    }

    /// Factors S for the free core unknowns, unless the last factor is still that of S; an error if
    /// S is singular.
    pub(super) fn factor(&mut self) -> Result<&Cholesky, Unidentified> {
        if !self.is_factor_current {
            let squares: Vec<f64> =
                self.max_diagonal.iter().map(|&square| nonzero_or_one(square)).collect();
            let independent = |factor: &Cholesky| {
                factor.pivots().zip(&squares).all(|(p, square)| p > MIN_RELATIVE_PIVOT * square)
            };
            let factor = Cholesky::of(self.constrained_schur(&squares)).filter(independent);
            let factor = factor.ok_or_else(|| {
                let dependent = dependent_unknowns(self.constrained_schur(&squares), &squares);
                Unidentified(
                    dependent.into_iter().map(|place| self.structure.core_unknown(place)).collect(),
                )
            });
            self.factor = Some(factor?);
            self.is_factor_current = true;
        }
        Ok(self.factor.as_ref().unwrap_or_else(|| unreachable!("the factor was computed above")))
    }

    /// S with the rows and columns of fixed unknowns replaced by zeros, and their diagonal entries
    /// by those of `squares`.
    fn constrained_schur(&self, squares: &[f64]) -> DMatrix<f64> {
        let mut schur = self.schur.clone();
        for (place, _) in
            self.structure.core().enumerate().filter(|&(_, unknown)| !self.free[unknown])
        {
            schur.row_mut(place).fill(0.0);
            schur.column_mut(place).fill(0.0);
            schur[(place, place)] = squares[place];
        }
        schur
    }

    /// Solves the reduced system S·x = `reduced` for the free unknowns of the core; fixed ones are
    /// 0. `last_solution` is the first guess and `accuracy` the relative error of the iteration.
    fn solve_core(
        &mut self,
        mut reduced: DVector<f64>,
        last_solution: &DVector<f64>,
        accuracy: f64,
    ) -> Result<DVector<f64>, Unidentified> {
        let fixed: Vec<bool> = self.structure.core().map(|unknown| !self.free[unknown]).collect();
        let mask = |vector: &mut DVector<f64>| {
            vector
                .iter_mut()
                .zip(&fixed)
                .filter(|(_, fixed)| **fixed)
                .for_each(|(value, _)| *value = 0.0);
        };
        mask(&mut reduced);
        if let Some(factor) = self.factor.as_ref().filter(|_| !self.is_factor_current) {
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
            let mut last_solution = last_solution.clone();
            mask(&mut last_solution);
            let steps = fixed.len() / MIN_UNKNOWNS_PER_STEP;
            if let Some(solution) =
                conjugate_gradients(product, precondition, &reduced, last_solution, steps, accuracy)
            {
                return Ok(solution);
            }
        }
        Ok(self.factor()?.solve(reduced))
    }

    /// The right-hand side of the core after elimination of the blocks; `target` is that of all
    /// unknowns.
    fn reduce_rhs(&self, target: &[f64]) -> DVector<f64> {
        let Self { structure, blocks, inverses, .. } = self;
        let reductions = parallel_map(structure.chunks(), |chunk| {
            let mut reduction = DVector::zeros(self.diagonal.len());
            for number in structure.chunk(chunk) {
                let weighted = inverses[number].apply(structure.block_values(target, number));
                for &(place, c) in &blocks[number].border {
                    reduction[place as usize] += c[0] * weighted[0] + c[1] * weighted[1];
                }
            }
            reduction
        });
        let reduced = DVector::from_vec(structure.core_values(target));
        reductions.into_iter().fold(reduced, |reduced, reduction| reduced - reduction)
    }

    /// The solution for all unknowns from its core part, given the right-hand side of each block.
    fn back_substitute(
        &self,
        target: impl Fn(usize) -> [f64; 2] + Sync,
        core: &DVector<f64>,
    ) -> Vec<f64> {
        let Self { structure, blocks, inverses, .. } = self;
        let parts = parallel_map(structure.chunks(), |chunk| {
            let value = |number: usize| {
                inverses[number].apply(blocks[number].reduced_rhs(target(number), core.as_slice()))
            };
            PartialVector { core: Vec::new(), blocks: structure.chunk(chunk).map(value).collect() }
        });
        let mut solution = structure.assemble(parts);
        structure.core().zip(core.iter()).for_each(|(unknown, value)| solution[unknown] = *value);
        solution
    }

    /// Solves for the right-hand side `target` to [`CORRECTION_TOLERANCE`], for the refinement of a
    /// solution.
    pub(super) fn solve_correction(&mut self, target: &[f64]) -> Result<Vec<f64>, Unidentified> {
        let reduced = self.reduce_rhs(target);
        let nothing = DVector::zeros(reduced.len());
        let core = self.solve_core(reduced, &nothing, CORRECTION_TOLERANCE)?;
        Ok(self.back_substitute(|number| self.structure.block_values(target, number), &core))
    }

    /// Solves for y to the relative error `accuracy` and returns the unknowns that violate the KKT
    /// conditions, see [`kkt_violations`](Self::kkt_violations); `size` is the norm of y.
    pub(super) fn solve_and_check(
        &mut self,
        accuracy: f64,
        size: f64,
    ) -> Result<Vec<usize>, Unidentified> {
        let last_solution = std::mem::replace(&mut self.last_solution, DVector::zeros(0));
        self.last_solution = self.solve_core(self.reduced.clone(), &last_solution, accuracy)?;
        Ok(self.kkt_violations(size))
    }

    /// The last solution of the normal equations.
    pub(super) fn solution(&self) -> Vec<f64> {
        self.back_substitute(|number| self.blocks[number].rhs, &self.last_solution)
    }

    /// The unknowns that violate the KKT conditions for x ≥ 0, where `size` is the norm of y. For a
    /// block with a violation, the unknowns outside of its optimal free set, given the values of
    /// the core.
    fn kkt_violations(&self, size: f64) -> Vec<usize> {
        let Self { structure, blocks, inverses, free, last_solution, .. } = self;
        let least = -GRADIENT_TOLERANCE * size;
        let mut violations = Vec::new();
        let gradient = symmetric_product(&self.schur, last_solution) - &self.reduced;
        for (place, unknown) in structure.core().enumerate() {
            let length = self.max_diagonal[place].sqrt();
            if if free[unknown] {
                last_solution[place] < 0.0
            } else {
                gradient[place] < least * length
            } {
                violations.push(unknown);
            }
        }
        let of_blocks = parallel_map(structure.chunks(), |chunk| {
            let mut violations = Vec::new();
            for number in structure.chunk(chunk) {
                let block = &blocks[number];
                let (free, squares) = (structure.block_values(free, number), block.squared_norms());
                let rest = block.reduced_rhs(block.rhs, last_solution.as_slice());
                let values = inverses[number].apply(rest);
                let gradient = block.gradient(values, rest);
                let breaks = |k: usize| {
                    if free[k] { values[k] < 0.0 } else { gradient[k] < least * squares[k].sqrt() }
                };
                if breaks(0) || breaks(1) {
                    let best = block.optimal_free_set(rest);
                    let members = structure.block(number).zip(free.iter().zip(&best));
                    violations.extend(
                        members.filter(|(_, (now, best))| now != best).map(|(unknown, _)| unknown),
                    );
                }
            }
            violations
        });
        violations.extend(of_blocks.into_iter().flatten());
        violations
    }

    /// The covariance (AᵀA)⁻¹ of all unknowns, with all of them free.
    pub(super) fn covariance(mut self) -> Result<Covariance, Unidentified> {
        self.set_free(&vec![true; self.free.len()])?;
        let core = self.factor()?.inverse();
        Ok(Covariance::new(self, core))
    }

    /// The number of unknowns.
    pub(super) fn unknowns(&self) -> usize {
        self.free.len()
    }

    /// The change of an unknown with the core, by position in the core: −B⁻¹·Cᵀ for an unknown of a
    /// block.
    pub(super) fn loadings(&self, unknown: usize) -> Vec<(usize, f64)> {
        match self.structure.position(unknown) {
            Position::Core(place) => vec![(place as usize, 1.0)],
            Position::Block(number, member) => {
                let (block, inverse) =
                    (&self.blocks[number as usize], &self.inverses[number as usize]);
                let loading = |&(place, c): &(u32, [f64; 2])| {
                    (place as usize, -inverse.apply(c)[usize::from(member)])
                };
                block.border.iter().map(loading).collect()
            }
        }
    }

    /// The entry of B⁻¹ for two unknowns of one block; 0 for others.
    pub(super) fn within_block(&self, a: usize, b: usize) -> f64 {
        match (self.structure.position(a), self.structure.position(b)) {
            (Position::Block(number, one), Position::Block(same, other)) if number == same => {
                let unit = if other == 0 { [1.0, 0.0] } else { [0.0, 1.0] };
                self.inverses[number as usize].apply(unit)[usize::from(one)]
            }
            _ => 0.0,
        }
    }
}

/// The relative magnitude below which a negative gradient counts as zero, in units of the norms of
/// y and the column.
pub(super) const GRADIENT_TOLERANCE: f64 = 1e-12;

/// Returns a divisor: the squared norm of a column, or 1 for a column of zeros.
fn nonzero_or_one(square: f64) -> f64 {
    if square > 0.0 { square } else { 1.0 }
}

/// The rows of a singular matrix with a component in its null space, found by its eigenvalues;
/// `squares` are the squared norms of the columns, by which it is scaled.
fn dependent_unknowns(mut matrix: DMatrix<f64>, squares: &[f64]) -> Vec<usize> {
    let size = matrix.nrows();
    for (row, column) in (0..size).flat_map(|row| (0..=row).map(move |column| (row, column))) {
        matrix[(row, column)] /= (squares[row] * squares[column]).sqrt();
        matrix[(column, row)] = matrix[(row, column)];
    }
    let eigen = nalgebra::SymmetricEigen::new(matrix);
    let flat = |e: usize| eigen.eigenvalues[e] < MIN_RELATIVE_PIVOT * size as f64;
    let takes_part = |k: usize, e: usize| flat(e) && eigen.eigenvectors[(k, e)].abs() > 1e-6;
    (0..size).filter(|&k| (0..size).any(|e| takes_part(k, e))).collect()
}
