use std::ops::Range;
use std::sync::Arc;

use super::blocks::{Block, Scratch};
use super::elimination::{CORRECTED, Elimination, NO_GRADIENT};
use super::parallel::parallel_map;
use super::partition::{Grouping, Part, Partition, Place};
use super::{Solution, SparseRows, Unidentified};

/// A least-squares problem that is solved time and again, of which some rows are exchanged between two solutions.
///
/// What the other rows add up to is kept, and so is the last factor: a solution costs what has changed.
#[derive(Debug, Clone)]
pub(crate) struct UpdatableLeastSquares {
    partition: Arc<Partition>,
    rows: SparseRows,
    /// So many rows stay; those behind them are exchanged.
    lasting: usize,
    /// The rows that stay, and the others, by block.
    groupings: [Grouping; 2],
    /// What all rows add up to; `None` until they are solved for, and when they did not determine the unknowns.
    elimination: Option<Elimination>,
}

/// How often a solution is refined on the rows; twice regains the digits that squaring the condition costs.
const REFINEMENTS: usize = 3;

/// Steps that are smaller than this part of the solution add nothing.
const ENOUGH: f64 = 1e-14;

/// What is left of the error of a solution that others will follow.
const FEW_DIGITS: f64 = 0.03;

/// So many solutions in a row may have no fewer broken conditions than one before them.
const PATIENCE: i32 = 3;

/// A solution, half the gradient of the sum of squares there, Aᵀ(A·x − y), and the sum of squares.
struct Trial {
    values: Vec<f64>,
    gradient: Vec<f64>,
    squares: f64,
}

impl UpdatableLeastSquares {
    /// The problem of these rows, which all stay.
    pub(super) fn new(partition: Arc<Partition>, rows: SparseRows) -> Self {
        let lasting = rows.len();
        let groupings = [Grouping::default(), Grouping::default()];
        let mut this = Self { partition, rows, lasting, groupings, elimination: None };
        this.group(0..lasting, 0);
        this.group(lasting..lasting, 1);
        this
    }

    /// All rows, those that stay first.
    pub(crate) fn rows(&self) -> &SparseRows {
        &self.rows
    }

    /// Exchanges the rows behind those that stay for others.
    pub(crate) fn exchange(&mut self, others: &SparseRows) {
        let (lasting, before) = (self.lasting, self.rows.len() - self.lasting);
        let stays = |k: &usize| *k < before.min(others.len()) && self.rows.has(lasting + k, others, *k);
        let changed: Vec<usize> = (0..before.max(others.len())).filter(|k| !stays(k)).collect();
        let block =
            |row: usize, rows: &SparseRows| (row < rows.len()).then(|| self.partition.block_of(rows.terms(row)))?;
        let mut touched: Vec<usize> = changed.iter().filter_map(|k| block(lasting + k, &self.rows)).collect();
        touched.extend(changed.iter().filter_map(|&k| block(k, others)));
        touched.sort_unstable();
        touched.dedup();
        self.rows.truncate(lasting);
        self.rows.append(others);
        self.group(lasting..self.rows.len(), 1);
        if let Some(mut elimination) = self.elimination.take() {
            let whole = elimination.replace(self.blocks(&touched));
            self.elimination = whole.is_ok().then_some(elimination);
        }
    }

    /// Groups these rows by block; when one of them joins two blocks, there are none any more.
    fn group(&mut self, rows: Range<usize>, which: usize) {
        match Grouping::of(&self.partition, &self.rows, rows) {
            Some(grouping) => self.groupings[which] = grouping,
            None => {
                let whole = Partition::new(self.partition.unknowns(), []);
                let all = [0..self.lasting, self.lasting..self.rows.len()];
                self.groupings = all.map(|rows| Grouping::of(&whole, &self.rows, rows).unwrap_or_default());
                self.partition = Arc::new(whole);
                self.elimination = None;
            }
        }
    }

    /// The rows of a block.
    fn of_block(&self, block: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        self.groupings.iter().flat_map(move |grouping| grouping.rows(block))
    }

    /// The blocks of these numbers as their rows make them.
    fn blocks(&self, numbers: &[usize]) -> Vec<(usize, Block)> {
        let pieces: Vec<&[usize]> = numbers.chunks(BLOCKS).collect();
        let blocks = parallel_map(pieces.len(), |piece| {
            let mut scratch = Scratch::default();
            let mut block =
                |&number: &usize| (number, scratch.block(&self.rows, &self.partition, self.of_block(number)));
            pieces[piece].iter().map(&mut block).collect::<Vec<_>>()
        });
        blocks.into_iter().flatten().collect()
    }

    /// What all rows add up to.
    fn eliminate(&mut self) -> Result<Elimination, Unidentified> {
        if let Some(elimination) = self.elimination.take() {
            return Ok(elimination);
        }
        let mut elimination = Elimination::new(&self.partition);
        let all: Vec<usize> = (0..self.partition.blocks()).collect();
        elimination.replace(self.blocks(&all))?;
        Ok(elimination)
    }

    /// The standard deviations of the unknowns, none being held: √diag (AᵀA)⁻¹.
    pub(crate) fn deviations(&mut self) -> Result<Vec<f64>, Unidentified> {
        let variances = self.eliminate()?.inverse_diagonal()?;
        Ok(variances.iter().map(|variance| variance.max(0.0).sqrt()).collect())
    }

    /// Solves it by block principal pivoting on the normal equations (see [`super::LeastSquares::solve`]), beginning with
    /// the unknowns that are probably free.
    pub(crate) fn solve(&mut self, free: &[bool]) -> Result<Solution, Unidentified> {
        let mut elimination = self.eliminate()?;
        elimination.hold(free)?;
        let mut free = free.to_vec();
        let size = (0..self.rows.len()).map(|row| self.rows.observation(row).powi(2)).sum::<f64>().sqrt();
        let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
        // What is free is found with few digits first, and then with those that the normal equations have; refined
        // solutions have the last word.
        let (mut exact, mut refined) = (false, false);
        loop {
            let mut broken = elimination.step(if exact { 0.0 } else { FEW_DIGITS }, size)?;
            if !exact && (broken.is_empty() || broken.len() >= fewest) {
                (exact, fewest) = (true, usize::MAX);
                continue;
            }
            if refined || broken.is_empty() {
                let lengths = elimination.lengths();
                let trial = self.refine(&mut elimination, &lengths)?;
                broken = trial.broken(&free, &lengths, size);
                if broken.is_empty() {
                    self.elimination = Some(elimination);
                    return Ok(trial.solution(free));
                }
                refined = true;
            }
            if broken.len() < fewest {
                (fewest, patience) = (broken.len(), PATIENCE);
            } else if patience == 0 {
                return self.descend(elimination, size);
            } else {
                patience -= 1;
            }
            broken.iter().for_each(|&k| free[k] = !free[k]);
            elimination.change(&broken)?;
        }
    }

    /// Solves it downhill, beginning where the last step came to: with what is free, as far towards the best values as none
    /// turns negative, which holds what reaches zero; at the best values, all is made free that would lower the sum of squares.
    /// From one of these to the next the sum falls, so that no set of free unknowns comes twice.
    fn descend(&mut self, mut elimination: Elimination, size: f64) -> Result<Solution, Unidentified> {
        let lengths = elimination.lengths();
        let mut values: Vec<f64> = elimination.solution().into_iter().map(|value| value.max(0.0)).collect();
        let mut free: Vec<bool> = values.iter().map(|&value| value > 0.0).collect();
        let mut least = f64::INFINITY;
        loop {
            elimination.hold(&free)?;
            elimination.step(0.0, size)?;
            let best = self.refine(&mut elimination, &lengths)?;
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
            let broken = best.broken(&free, &lengths, size);
            if broken.is_empty() || best.squares >= least {
                self.elimination = Some(elimination);
                return Ok(best.solution(free));
            }
            (least, values) = (best.squares, best.values);
            broken.iter().for_each(|&k| free[k] = true);
        }
    }

    /// The last solution of the normal equations, which has half of the digits where they are ill-conditioned, with all.
    fn refine(&self, elimination: &mut Elimination, lengths: &[f64]) -> Result<Trial, Unidentified> {
        let largest = |values: &[f64]| {
            values.iter().zip(lengths).fold(0.0, |most: f64, (value, length)| most.max((value * length).abs()))
        };
        let mut trial = self.on_rows(elimination.solution());
        for _ in 0..REFINEMENTS {
            let step = elimination.solve(&trial.gradient)?;
            let (by, of) = (largest(&step), largest(&trial.values));
            if by <= ENOUGH * of {
                break;
            }
            let values = trial.values.iter().zip(step).map(|(value, step)| value - step).collect();
            trial = self.on_rows(values);
            if CORRECTED * by <= ENOUGH * of {
                break;
            }
        }
        Ok(trial)
    }

    /// These values with what the rows themselves say of them.
    fn on_rows(&self, values: Vec<f64>) -> Trial {
        let partition = &self.partition;
        let parts = parallel_map(partition.pieces(), |piece| {
            let mut part = Part { core: vec![0.0; partition.core().count()], blocks: Vec::new() };
            let mut squares = 0.0;
            for block in partition.piece(piece) {
                let mut of_block = [0.0; 2];
                for row in self.of_block(block) {
                    let residual = self.rows.residual(row, &values);
                    squares += residual * residual;
                    for (unknown, factor) in self.rows.terms(row) {
                        match partition.place(unknown) {
                            Place::Core(place) => part.core[place as usize] += factor * residual,
                            Place::Block(_, place) => of_block[usize::from(place)] += factor * residual,
                        }
                    }
                }
                part.blocks.push(of_block);
            }
            (part, squares)
        });
        let squares = parts.iter().map(|(_, squares)| squares).sum();
        let gradient = partition.join(parts.into_iter().map(|(part, _)| part));
        Trial { values, gradient, squares }
    }
}

/// So many blocks are made at once, whatever the number of threads.
const BLOCKS: usize = 1024;

impl Trial {
    /// What is found with these unknowns free; the others are 0, and not its negative.
    fn solution(self, free: Vec<bool>) -> Solution {
        let values = self.values.into_iter().map(|value| if value > 0.0 { value } else { 0.0 }).collect();
        Solution { values, residual: self.squares, free }
    }

    /// The unknowns that break the conditions of Karush, Kuhn and Tucker for x ≥ 0; `lengths` are those of the columns,
    /// `size` that of y.
    fn broken(&self, free: &[bool], lengths: &[f64], size: f64) -> Vec<usize> {
        let least = -NO_GRADIENT * size;
        let breaks = |&k: &usize| if free[k] { self.values[k] < 0.0 } else { self.gradient[k] < least * lengths[k] };
        (0..free.len()).filter(breaks).collect()
    }
}
