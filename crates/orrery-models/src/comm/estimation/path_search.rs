//! Least squares along critical paths for models with parameters for each processor and each pair.
//!
//! The time of a schedule is linear in the parameters along its critical path. The engine returns
//! one row of coefficients for each observation at the current parameters. Weighted non-negative
//! least squares over all rows returns the next parameters, until the paths no longer change. If a
//! step makes the fit worse, half of the step is tried; the best parameters are kept.

use std::rc::Rc;

use super::correlations::Unknowns;
use super::critical_path_fit::{are_times_equal, play};
use super::{FitError, Observation, Observations, Termination};
use crate::comm::Correlations;
use orrery_base::numeric::{
    Estimate, LeastSquares, Solution, SparseRows, UpdatableLeastSquares, parallel_map,
};
use orrery_play::engine::{EngineError, Network};

/// The number of successive solutions without improvement after which the iteration ends.
const MAX_SOLUTIONS_WITHOUT_GAIN: usize = 2;

/// The smallest decrease of the squared residuals (in units of the spread) per parameter that
/// counts as a gain. A smaller one moves parameters by a fiftieth of their standard deviation on
/// average.
const MIN_GAIN_PER_PARAMETER: f64 = 3e-4;

/// The smallest decrease of the squared residuals, relative to what is left, that counts as a gain.
/// Without noise every decrease is large in units of the spread.
const MIN_RELATIVE_GAIN: f64 = 1e-2;

/// A relative difference of two costs below this is rounding: without noise costs consist of it.
const COST_TOLERANCE: f64 = 1e-9;

/// Squared residuals below this fraction of the squared observations are rounding.
const RELATIVE_ROUNDING: f64 = 1e-24;

/// A model whose parameters are estimated along critical paths.
pub(in crate::comm) trait PathModel: Sync {
    /// The network of the model.
    type Network: Network;

    /// The number of parameters.
    fn parameters(&self) -> usize;

    /// The parameters of each pair, which are independent of those of other pairs given the other
    /// parameters.
    fn pairs(&self) -> impl Iterator<Item = Vec<usize>>;

    /// The parameters of each processor and of each pair, in the order of their names.
    fn unknowns(&self) -> Unknowns;

    /// The network with these parameters.
    fn network(&self, parameters: &[f64]) -> Self::Network;

    /// Returns true if the critical path of an observation does not depend on the parameters.
    fn is_settled(&self, observation: &Observation) -> bool;

    /// Rows besides those of the observations.
    fn further_rows(&self) -> SparseRows {
        SparseRows::new()
    }

    /// The error for parameters that the rows do not determine.
    fn unidentified(&self, observations: &Observations, parameters: &[usize]) -> FitError;
}

/// The state of the iteration.
pub(in crate::comm) struct PathSearch<'a, M> {
    model: &'a M,
    observations: &'a Observations,
    /// Observations whose paths do not depend on the parameters, and those whose paths do.
    settled: Vec<&'a Observation>,
    open: Vec<&'a Observation>,
    /// The further rows, then those of all these observations, in this order.
    problem: UpdatableLeastSquares,
}

/// A solution, the rows of open paths that it was computed from, and the rows of the paths that
/// follow from it.
#[derive(Clone)]
pub(in crate::comm) struct Solved {
    rows: Rc<SparseRows>,
    solution: Solution,
    next: Rc<SparseRows>,
    cost: f64,
}

impl Solved {
    /// The weighted squared residuals.
    pub(in crate::comm) fn cost(&self) -> f64 {
        self.cost
    }

    /// The values of the parameters.
    pub(in crate::comm) fn values(&self) -> &[f64] {
        &self.solution.values
    }

    /// The same solution with intervals from these paths.
    pub(in crate::comm) fn along(self, rows: SparseRows) -> Self {
        Self { rows: Rc::new(rows), ..self }
    }
}

/// Values of the parameters with their intervals.
pub(in crate::comm) struct PathEstimates {
    pub(in crate::comm) values: Vec<f64>,
    /// Half the widths of the intervals; `None` if neither readings nor residuals determine them.
    pub(in crate::comm) half_widths: Option<Vec<f64>>,
    /// The number of readings that each parameter depends on.
    pub(in crate::comm) samples: Vec<u64>,
    /// The correlations of the errors.
    pub(in crate::comm) correlations: Correlations,
}

impl PathEstimates {
    /// The estimate of a parameter, not below 0, with the confidence level of the intervals.
    pub(in crate::comm) fn estimate(&self, parameter: usize, level: f64) -> Estimate {
        let half_width = self.half_widths.as_ref().map(|half_widths| half_widths[parameter]);
        Estimate::not_negative(self.values[parameter], half_width, level, self.samples[parameter])
    }
}

impl<'a, M: PathModel> PathSearch<'a, M> {
    /// Starts the iteration at these parameters.
    pub(in crate::comm) fn new(
        model: &'a M,
        observations: &'a Observations,
        parameters: &[f64],
    ) -> Result<Self, FitError> {
        // Paths that do not depend on the parameters, those of most round trips, are played once;
        // each step replaces the rows of the others only.
        let (settled, open): (Vec<_>, Vec<_>) =
            observations.iter().partition(|one| model.is_settled(one));
        let mut rows = model.further_rows();
        rows.append(&trace(model, parameters, &settled, None)?);
        let problem = LeastSquares::new(model.parameters())
            .with_blocks(model.pairs())
            .with_rows(rows)
            .updatable();
        Ok(Self { model, observations, settled, open, problem })
    }

    /// The rows of the open paths at these parameters; those of `before` are kept unless the paths
    /// differ by more than noise.
    pub(in crate::comm) fn paths_at(
        &self,
        parameters: &[f64],
        before: Option<&SparseRows>,
    ) -> Result<SparseRows, FitError> {
        Ok(trace(self.model, parameters, &self.open, before)?)
    }

    /// Computes the first solution from these rows of open paths, with all parameters free, which
    /// shows if the experiments identify them.
    pub(in crate::comm) fn first_step(&mut self, rows: SparseRows) -> Result<Solved, FitError> {
        self.step(Rc::new(rows), &vec![true; self.model.parameters()])
    }

    /// Repeats from the first solution until the paths converge or the fit no longer improves.
    pub(in crate::comm) fn improve(
        &mut self,
        first: Solved,
    ) -> Result<(Solved, Termination), FitError> {
        let rounding = self.rounding();
        let mut best = first.clone();
        let mut present = first.solution.values.clone();
        let mut last = first;
        let mut solutions_without_gain = 0;
        for iterations in 1.. {
            // The solution has the paths that it was computed from: a fixed point. When only
            // rounding is left, paths of equal length may alternate for ever.
            if last.next == last.rows || best.cost <= rounding {
                // The last one is consistent with its paths and preferred unless it is worse by
                // more than the last digits.
                let is_as_good = last.cost <= best.cost * (1.0 + COST_TOLERANCE);
                let settled = if is_as_good { last } else { best };
                return Ok((settled, Termination::Converged { iterations }));
            }
            if solutions_without_gain >= MAX_SOLUTIONS_WITHOUT_GAIN {
                return Ok((best, Termination::NoImprovement { iterations }));
            }
            let rows = if solutions_without_gain == 0 {
                // After a gain: the paths of the solution.
                present.clone_from(&last.solution.values);
                Rc::clone(&last.next)
            } else {
                // The solution is beyond the range in which its rows hold. The paths half of the
                // way back to the best solution are closer to those that were linearized.
                move_halfway(&mut present, &best.solution.values);
                Rc::new(self.paths_at(&present, Some(&last.rows))?)
            };
            match self.step(rows, &last.solution.free) {
                Ok(step) => last = step,
                // These paths leave parameters undetermined: counts like a worse fit.
                Err(FitError::Missing { .. } | FitError::Unidentified { .. }) => {
                    solutions_without_gain += 1;
                    continue;
                }
                Err(error) => return Err(error),
            }
            // The best solution is kept, because costs need not decrease when paths change.
            let gain = best.cost - last.cost;
            if gain > 0.0 {
                best = last.clone();
                solutions_without_gain = 0;
            } else {
                solutions_without_gain += 1;
            }
            if self.is_negligible(gain, best.cost) {
                return Ok((best, Termination::NoImprovement { iterations: iterations + 1 }));
            }
        }
        unreachable!("the loop ends by returning")
    }

    /// Solves with these rows of open paths; `free` marks the unknowns that are probably not zero.
    fn step(&mut self, rows: Rc<SparseRows>, free: &[bool]) -> Result<Solved, FitError> {
        self.problem.replace_variable_rows(&rows);
        let solution = self.problem.solve(free);
        let solution = solution
            .map_err(|undetermined| self.model.unidentified(self.observations, &undetermined.0))?;
        // The rows are linear along the paths of the present parameters. With the solution other
        // paths may be the longest, so that the cost is that of the new paths.
        let next = Rc::new(self.paths_at(&solution.values, Some(&rows))?);
        let permanent = self.problem.rows().len() - rows.len();
        let settled = self.problem.rows().residuals(&solution.values).take(permanent);
        let cost = settled
            .chain(next.residuals(&solution.values))
            .map(|residual| residual * residual)
            .sum();
        Ok(Solved { rows, solution, next, cost })
    }

    /// The cost below which residuals are rounding errors of the observations.
    fn rounding(&self) -> f64 {
        let weighted = self.observations.iter().map(|one| (one.seconds / one.deviation).powi(2));
        RELATIVE_ROUNDING * weighted.sum::<f64>()
    }

    /// Returns true if a change of the cost, up or down, is too small for another iteration.
    fn is_negligible(&self, gain: f64, cost: f64) -> bool {
        gain.abs() < MIN_GAIN_PER_PARAMETER * self.model.parameters() as f64
            && gain.abs() < MIN_RELATIVE_GAIN * cost
    }

    /// Returns the values of the best solution, with intervals of the confidence level `level`.
    pub(in crate::comm) fn estimates(
        &mut self,
        best: &Solved,
        level: f64,
    ) -> Result<PathEstimates, FitError> {
        let Solved { rows, solution, cost, .. } = best;
        // The last trial was perhaps not the best: the covariance is that along its own paths.
        self.problem.replace_variable_rows(rows);
        // Residuals beyond the noise of readings are lack of fit and widen the intervals.
        let degrees = self.observations.len().saturating_sub(self.model.parameters()) as f64;
        let excess = (degrees > 0.0).then(|| cost / degrees);
        let covariance = self.problem.covariance();
        let covariance =
            covariance.map_err(|open| self.model.unidentified(self.observations, &open.0))?;
        let deviations = covariance.deviations();
        let correlations = Correlations::of(&covariance, &self.model.unknowns());
        let half_widths = self
            .observations
            .half_width_factor(level, excess, degrees)
            .map(|factor| deviations.iter().map(|d| factor * d).collect::<Vec<f64>>());
        let samples = self.readings_by_parameter();
        Ok(PathEstimates { values: solution.values.clone(), half_widths, samples, correlations })
    }

    /// The number of readings of the observations on whose paths each parameter is.
    fn readings_by_parameter(&self) -> Vec<u64> {
        let mut readings = vec![0; self.model.parameters()];
        let rows = self.problem.rows();
        // Further rows come first; they are no readings.
        let first = rows.len() - self.settled.len() - self.open.len();
        for (row, observation) in (first..).zip(self.settled.iter().chain(&self.open)) {
            rows.terms(row).for_each(|(parameter, _)| readings[parameter] += observation.count);
        }
        readings
    }
}

/// Moves each value half of the way to its goal.
fn move_halfway(values: &mut [f64], goals: &[f64]) {
    for (value, goal) in values.iter_mut().zip(goals) {
        *value = f64::midpoint(*value, *goal);
    }
}

/// Returns the rows of observations along their critical paths for these parameters, weighted by
/// 1/standard deviation.
fn trace<M: PathModel>(
    model: &M,
    parameters: &[f64],
    observations: &[&Observation],
    before: Option<&SparseRows>,
) -> Result<SparseRows, EngineError> {
    // Chunks are independent of the number of threads, so that results are the same on any machine.
    let size = chunk_length(observations.len());
    let piece = |piece: usize| {
        let first = piece * size;
        let observations = &observations[first..observations.len().min(first + size)];
        play(model.network(parameters), parameters, observations, before, first)
    };
    let pieces = parallel_map(observations.len().div_ceil(size), piece);
    let mut rows = SparseRows::new();
    for piece in pieces {
        rows.append(&piece?);
    }
    Ok(rows)
}

/// Returns true if two models with these parameters predict the same time of each observation.
pub(in crate::comm) fn are_equivalent<M: PathModel>(
    models: [&M; 2],
    observations: &Observations,
    parameters: &[f64],
) -> bool {
    let observations: Vec<&Observation> = observations.iter().collect();
    let pieces: Vec<&[&Observation]> =
        observations.chunks(chunk_length(observations.len())).collect();
    let is_equal = |piece: usize| {
        are_times_equal(models.map(|model| model.network(parameters)), pieces[piece])
    };
    parallel_map(pieces.len(), is_equal).into_iter().all(|is_equal| is_equal)
}

/// The smallest number of observations in a chunk that is played sequentially, whatever the number
/// of threads.
const MIN_CHUNK_LENGTH: usize = 1 << 15;
/// The largest number of chunks. Each chunk has a network of its own, whose memory grows with the
/// number of parameters.
const MAX_CHUNKS: usize = 16;

/// The number of observations in a chunk that is played sequentially.
fn chunk_length(observations: usize) -> usize {
    MIN_CHUNK_LENGTH.max(observations.div_ceil(MAX_CHUNKS))
}
