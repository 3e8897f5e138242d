use std::ops::Range;
use std::sync::Arc;

use super::SparseRows;
use super::block::{Block, BlockAssembler};
use super::block_structure::{BlockStructure, PartialVector, Position, RowsByBlock};
use super::covariance::Covariance;
use super::normal_equations::{
    CORRECTION_TOLERANCE, GRADIENT_TOLERANCE, NormalEquations, Unidentified,
};
use crate::numeric::parallel_map;

/// The solution of a non-negative least-squares problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// The values of the unknowns, none negative.
    pub values: Vec<f64>,
    /// The sum of the squared weighted residuals.
    pub residual: f64,
    /// True for each unknown that is not fixed at zero.
    pub free: Vec<bool>,
}

/// A least-squares problem that is solved repeatedly, with some rows replaced between two
/// solutions.
///
/// The normal equations and their last factor are kept and updated, so that the time of a solution
/// depends on the number of changed rows.
#[derive(Debug, Clone)]
pub struct UpdatableLeastSquares {
    structure: Arc<BlockStructure>,
    rows: SparseRows,
    /// The number of rows that are never replaced; they come first.
    permanent: usize,
    /// The permanent rows by block, and the variable rows by block.
    groupings: [RowsByBlock; 2],
    /// The normal equations of all rows; `None` before the first solution and after unidentified
    /// unknowns.
    equations: Option<NormalEquations>,
}

/// The maximum number of refinements of a solution; two recover the digits lost by squaring the
/// condition number.
const MAX_REFINEMENTS: usize = 3;

/// The relative size of a refinement step below which refinement ends.
const REFINEMENT_TOLERANCE: f64 = 1e-14;

/// The relative error of intermediate solutions.
const ROUGH_TOLERANCE: f64 = 0.03;

/// The maximum number of consecutive solutions without fewer KKT violations than before.
const MAX_STEPS_WITHOUT_PROGRESS: i32 = 3;

/// A solution with half the gradient of the sum of squares, Aᵀ(A·x − y), and the sum of squares,
/// all computed from the rows.
struct RefinedSolution {
    values: Vec<f64>,
    gradient: Vec<f64>,
    squares: f64,
}

impl UpdatableLeastSquares {
    /// Creates a problem with these permanent rows.
    pub(super) fn new(structure: Arc<BlockStructure>, rows: SparseRows) -> Self {
        let permanent = rows.len();
        let groupings = [RowsByBlock::default(), RowsByBlock::default()];
        let mut this = Self { structure, rows, permanent, groupings, equations: None };
        this.group_rows(0..permanent, 0);
        this.group_rows(permanent..permanent, 1);
        this
    }

    /// All rows, the permanent ones first.
    pub fn rows(&self) -> &SparseRows {
        &self.rows
    }

    /// Replaces the rows behind the permanent ones.
    pub fn replace_variable_rows(&mut self, others: &SparseRows) {
        let (permanent, before) = (self.permanent, self.rows.len() - self.permanent);
        let stays =
            |k: &usize| *k < before.min(others.len()) && self.rows.has(permanent + k, others, *k);
        let changed: Vec<usize> = (0..before.max(others.len())).filter(|k| !stays(k)).collect();
        let block = |row: usize, rows: &SparseRows| {
            (row < rows.len()).then(|| self.structure.block_of(rows.terms(row)))?
        };
        let mut touched: Vec<usize> =
            changed.iter().filter_map(|k| block(permanent + k, &self.rows)).collect();
        touched.extend(changed.iter().filter_map(|&k| block(k, others)));
        touched.sort_unstable();
        touched.dedup();
        self.rows.truncate(permanent);
        self.rows.append(others);
        self.group_rows(permanent..self.rows.len(), 1);
        if let Some(mut equations) = self.equations.take() {
            let whole = equations.replace_blocks(self.blocks(&touched));
            self.equations = whole.is_ok().then_some(equations);
        }
    }

    /// Groups rows by block as the permanent (`which` = 0) or the variable rows (1); if a row
    /// contains unknowns of two blocks, all unknowns become core.
    fn group_rows(&mut self, rows: Range<usize>, which: usize) {
        match RowsByBlock::of(&self.structure, &self.rows, rows) {
            Some(grouping) => self.groupings[which] = grouping,
            None => {
                let whole = BlockStructure::new(self.structure.unknowns(), []);
                let all = [0..self.permanent, self.permanent..self.rows.len()];
                self.groupings =
                    all.map(|rows| RowsByBlock::of(&whole, &self.rows, rows).unwrap_or_default());
                self.structure = Arc::new(whole);
                self.equations = None;
            }
        }
    }

    /// The rows of a block.
    fn rows_of_block(&self, block: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        self.groupings.iter().flat_map(move |grouping| grouping.rows(block))
    }

    /// Assembles the blocks with these numbers.
    fn blocks(&self, numbers: &[usize]) -> Vec<(usize, Block)> {
        let chunks: Vec<&[usize]> = numbers.chunks(BLOCKS_PER_CHUNK).collect();
        let blocks = parallel_map(chunks.len(), |chunk| {
            let mut assembler = BlockAssembler::default();
            let mut block = |&number: &usize| {
                (
                    number,
                    assembler.assemble(&self.rows, &self.structure, self.rows_of_block(number)),
                )
            };
            chunks[chunk].iter().map(&mut block).collect::<Vec<_>>()
        });
        blocks.into_iter().flatten().collect()
    }

    /// Takes the normal equations of all rows, or assembles them.
    fn normal_equations(&mut self) -> Result<NormalEquations, Unidentified> {
        if let Some(equations) = self.equations.take() {
            return Ok(equations);
        }
        let mut equations = NormalEquations::new(&self.structure);
        let all: Vec<usize> = (0..self.structure.blocks()).collect();
        equations.replace_blocks(self.blocks(&all))?;
        Ok(equations)
    }

    /// The covariance of the unknowns, (AᵀA)⁻¹, with all unknowns free.
    ///
    /// # Errors
    ///
    /// When the data do not determine the unknowns.
    pub fn covariance(&mut self) -> Result<Covariance, Unidentified> {
        self.normal_equations()?.covariance()
    }

    /// Solves the problem by block principal pivoting on the normal equations, see
    /// [`super::LeastSquares::solve`]; `free` is the initial free set, true for each free unknown.
    ///
    /// # Errors
    ///
    /// When the data do not determine the unknowns.
    pub fn solve(&mut self, free: &[bool]) -> Result<Solution, Unidentified> {
        let mut equations = self.normal_equations()?;
        equations.set_free(free)?;
        let mut free = free.to_vec();
        let size =
            (0..self.rows.len()).map(|row| self.rows.observation(row).powi(2)).sum::<f64>().sqrt();
        let (mut fewest, mut steps_left) = (usize::MAX, MAX_STEPS_WITHOUT_PROGRESS);
        // The free set is determined with rough solutions first, then with exact ones, finally with
        // refined ones.
        let (mut exact, mut refined) = (false, false);
        loop {
            let mut violations =
                equations.solve_and_check(if exact { 0.0 } else { ROUGH_TOLERANCE }, size)?;
            if !exact && (violations.is_empty() || violations.len() >= fewest) {
                (exact, fewest) = (true, usize::MAX);
                continue;
            }
            if refined || violations.is_empty() {
                let lengths = equations.column_norms();
                let solution = self.refine(&mut equations, &lengths)?;
                violations = solution.kkt_violations(&free, &lengths, size);
                if violations.is_empty() {
                    self.equations = Some(equations);
                    return Ok(solution.into_solution(free));
                }
                refined = true;
            }
            if violations.len() < fewest {
                (fewest, steps_left) = (violations.len(), MAX_STEPS_WITHOUT_PROGRESS);
            } else if steps_left == 0 {
                return self.descend(equations, size);
            } else {
                steps_left -= 1;
            }
            violations.iter().for_each(|&k| free[k] = !free[k]);
            equations.toggle(&violations)?;
        }
    }

    /// Solves the problem by an active set method, starting from the last solution; `size` is the
    /// norm of y.
    ///
    /// Moves towards the optimum of the free set until the first unknown reaches zero, which
    /// becomes fixed. At the optimum, all unknowns whose release lowers the sum of squares become
    /// free. The sum decreases from optimum to optimum, so that no free set occurs twice.
    fn descend(
        &mut self,
        mut equations: NormalEquations,
        size: f64,
    ) -> Result<Solution, Unidentified> {
        let lengths = equations.column_norms();
        let mut values: Vec<f64> =
            equations.solution().into_iter().map(|value| value.max(0.0)).collect();
        let mut free: Vec<bool> = values.iter().map(|&value| value > 0.0).collect();
        let mut least = f64::INFINITY;
        loop {
            equations.set_free(&free)?;
            equations.solve_and_check(0.0, size)?;
            let best = self.refine(&mut equations, &lengths)?;
            let negative = (0..free.len()).filter(|&k| free[k] && best.values[k] < 0.0);
            let reach = |k: usize| values[k] / (values[k] - best.values[k]);
            if let Some(first) = negative.min_by(|&a, &b| reach(a).total_cmp(&reach(b))) {
                let part = reach(first);
                for (k, best) in best.values.into_iter().enumerate() {
                    values[k] += part * (best - values[k]);
                    if best < 0.0 && (k == first || values[k] <= 0.0) {
                        (values[k], free[k]) = (0.0, false);
                    }
                }
                continue;
            }
            let violations = best.kkt_violations(&free, &lengths, size);
            if violations.is_empty() || best.squares >= least {
                self.equations = Some(equations);
                return Ok(best.into_solution(free));
            }
            (least, values) = (best.squares, best.values);
            violations.iter().for_each(|&k| free[k] = true);
        }
    }

    /// Refines the last solution of the normal equations, which has only half of the digits if they
    /// are ill-conditioned; `lengths` are the norms of the columns.
    fn refine(
        &self,
        equations: &mut NormalEquations,
        lengths: &[f64],
    ) -> Result<RefinedSolution, Unidentified> {
        let largest = |values: &[f64]| {
            values
                .iter()
                .zip(lengths)
                .fold(0.0, |most: f64, (value, length)| most.max((value * length).abs()))
        };
        let mut refined = self.evaluate(equations.solution());
        for _ in 0..MAX_REFINEMENTS {
            let step = equations.solve_correction(&refined.gradient)?;
            let (by, of) = (largest(&step), largest(&refined.values));
            if by <= REFINEMENT_TOLERANCE * of {
                break;
            }
            let values =
                refined.values.iter().zip(step).map(|(value, step)| value - step).collect();
            refined = self.evaluate(values);
            if CORRECTION_TOLERANCE * by <= REFINEMENT_TOLERANCE * of {
                break;
            }
        }
        Ok(refined)
    }

    /// Computes gradient and sum of squares of these values from the rows.
    fn evaluate(&self, values: Vec<f64>) -> RefinedSolution {
        let structure = &self.structure;
        let parts = parallel_map(structure.chunks(), |chunk| {
            let mut part =
                PartialVector { core: vec![0.0; structure.core().count()], blocks: Vec::new() };
            let mut squares = 0.0;
            for block in structure.chunk(chunk) {
                let mut of_block = [0.0; 2];
                for row in self.rows_of_block(block) {
                    let residual = self.rows.residual(row, &values);
                    squares += residual * residual;
                    for (unknown, factor) in self.rows.terms(row) {
                        match structure.position(unknown) {
                            Position::Core(place) => part.core[place as usize] += factor * residual,
                            Position::Block(_, place) => {
                                of_block[usize::from(place)] += factor * residual;
                            }
                        }
                    }
                }
                part.blocks.push(of_block);
            }
            (part, squares)
        });
        let squares = parts.iter().map(|(_, squares)| squares).sum();
        let gradient = structure.assemble(parts.into_iter().map(|(part, _)| part));
        RefinedSolution { values, gradient, squares }
    }
}

/// The number of blocks of a parallel task, independent of the number of threads.
const BLOCKS_PER_CHUNK: usize = 1024;

impl RefinedSolution {
    /// Converts to a solution with these free unknowns; the others are +0.
    fn into_solution(self, free: Vec<bool>) -> Solution {
        let values =
            self.values.into_iter().map(|value| if value > 0.0 { value } else { 0.0 }).collect();
        Solution { values, residual: self.squares, free }
    }

    /// The unknowns that violate the KKT conditions for x ≥ 0; `lengths` are the norms of the
    /// columns, `size` that of y.
    fn kkt_violations(&self, free: &[bool], lengths: &[f64], size: f64) -> Vec<usize> {
        let least = -GRADIENT_TOLERANCE * size;
        let breaks = |&k: &usize| {
            if free[k] { self.values[k] < 0.0 } else { self.gradient[k] < least * lengths[k] }
        };
        (0..free.len()).filter(breaks).collect()
    }
}
