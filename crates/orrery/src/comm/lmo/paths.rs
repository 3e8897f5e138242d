use std::rc::Rc;

use super::unidentified::{missing, name, unidentified};
use super::{Layout, Lmo, LmoNetwork, triplets};
use crate::comm::critical_path_fit::play;
use crate::comm::{FitError, Observation, Observations, Termination};
use crate::engine::EngineError;
use crate::numeric::{LeastSquares, Solution, SparseRows, UpdatableLeastSquares, parallel_map};

/// The number of successive solutions without improvement after which the iteration ends.
const MAX_SOLUTIONS_WITHOUT_GAIN: usize = 2;

/// Estimates LMO or LOM from any measured schedules: the default estimator.
///
/// The time of a schedule is linear in the parameters along its critical path. The engine returns one row of
/// coefficients for each observation at the current parameters. Weighted non-negative least squares over all rows
/// returns the next parameters, until the paths no longer change. The iteration starts from the triplet solution if
/// there is one. If a step makes the fit worse, half of the step is tried; the best parameters are kept.
///
/// Weights are 1/σ, with the spread pooled for each kind of experiment. Intervals are computed from the covariance of
/// the last solution and are widened if the model fits worse than the spread explains.
///
/// # Errors
///
/// When there are fewer than three processors (two cannot separate processor and link), or when the experiments do not
/// identify the parameters: the error lists the missing ones.
pub fn paths(observations: &Observations, with_latency: bool, level: f64) -> Result<(Lmo, Termination), FitError> {
    let layout = Layout::new(observations.processors(), with_latency);
    if layout.processors() < 3 {
        return Err(super::too_few(name(layout), layout.processors()));
    }
    // Fewer observations than parameters identify them never; the memory below grows with the number of parameters.
    if observations.len() < layout.count()
        && let Some(missing) = missing(observations, layout)
    {
        return Err(missing);
    }
    let even = even_start(observations, layout);
    let mut search = Search::new(observations, layout, &even)?;
    let made_for = trace(layout, &even, &search.open, None)?;
    let closed = triplets::closed_solution(observations, layout);
    let start: Vec<f64> = match closed {
        Some(closed) => closed.iter().zip(&even).map(|(value, least)| value.max(1e-3 * least)).collect(),
        None => even.clone(),
    };
    // Noise can turn the paths of the triplet solution away from the paths that identify the parameters. Equal
    // parameters for all processors and links restore them.
    let first = search.first_step(&start, &made_for).or_else(|_| search.first_step(&even, &made_for))?;
    let (best, termination) = search.improve(first)?;
    Ok((search.estimates(best, level)?, termination))
}

/// The state of the iteration.
struct Search<'a> {
    observations: &'a Observations,
    layout: Layout,
    /// Observations whose paths do not depend on the parameters, and those whose paths do.
    settled: Vec<&'a Observation>,
    open: Vec<&'a Observation>,
    /// The rows of all these observations, in this order.
    problem: UpdatableLeastSquares,
}

/// A solution, the rows of open paths that it was computed from, and the rows of the paths that follow from it.
#[derive(Clone)]
struct Solved {
    rows: Rc<SparseRows>,
    solution: Solution,
    next: Rc<SparseRows>,
    cost: f64,
}

impl<'a> Search<'a> {
    /// Starts the iteration at these parameters.
    fn new(observations: &'a Observations, layout: Layout, parameters: &[f64]) -> Result<Self, FitError> {
        let is_settled = |observation: &&Observation| {
            observation.experiment.program().is_some_and(|(program, _)| program.is_chain())
        };
        let (settled, open): (Vec<_>, Vec<_>) = observations.iter().partition(is_settled);
        // Given the delays of the processors, the links are independent of each other.
        let link = |pair| {
            let latency = layout.with_latency().then(|| layout.link_latency(pair));
            std::iter::once(layout.link_byte_delay(pair)).chain(latency).collect::<Vec<_>>()
        };
        let links = (0..layout.pairs().count()).map(link);
        let rows = trace(layout, parameters, &settled, None)?;
        let problem = LeastSquares::new(layout.count()).with_blocks(links).with_rows(rows).updatable();
        Ok(Self { observations, layout, settled, open, problem })
    }

    /// Solves with these rows of open paths; `free` marks the unknowns that are probably not zero.
    fn step(&mut self, rows: Rc<SparseRows>, free: &[bool]) -> Result<Solved, FitError> {
        self.problem.replace_variable_rows(&rows);
        let solution = self.problem.solve(free);
        let solution =
            solution.map_err(|undetermined| unidentified(self.observations, self.layout, &undetermined.0))?;
        let next = Rc::new(trace(self.layout, &solution.values, &self.open, Some(&rows))?);
        let settled = self.problem.rows().residuals(&solution.values).take(self.settled.len());
        let cost = settled.chain(next.residuals(&solution.values)).map(|residual| residual * residual).sum();
        Ok(Solved { rows, solution, next, cost })
    }

    /// Computes the first solution, with all parameters free, which shows if the experiments identify them.
    fn first_step(&mut self, parameters: &[f64], made_for: &SparseRows) -> Result<Solved, FitError> {
        let rows = trace(self.layout, parameters, &self.open, Some(made_for))?;
        self.step(Rc::new(rows), &vec![true; self.layout.count()])
    }

    /// Repeats from the first solution until the paths converge or the fit no longer improves.
    fn improve(&mut self, first: Solved) -> Result<(Solved, Termination), FitError> {
        let mut best = first.clone();
        let (mut present, mut since_best) = (first.solution.values.clone(), 0);
        let mut last = first;
        // When only rounding is left, paths of equal length may alternate for ever.
        let exact =
            RELATIVE_ROUNDING * self.observations.iter().map(|o| (o.seconds / o.deviation).powi(2)).sum::<f64>();
        for iterations in 1.. {
            if last.next == last.rows || best.cost <= exact {
                // A gain in the last digits does not count: without noise the cost consists of rounding.
                let settled = if last.cost <= best.cost * (1.0 + 1e-9) { last } else { best };
                return Ok((settled, Termination::Converged { iterations }));
            }
            if since_best >= MAX_SOLUTIONS_WITHOUT_GAIN {
                return Ok((best, Termination::NoImprovement { iterations }));
            }
            let rows = if since_best == 0 {
                present.clone_from(&last.solution.values);
                Rc::clone(&last.next)
            } else {
                present.iter_mut().zip(&best.solution.values).for_each(|(a, b)| *a = f64::midpoint(*a, *b));
                Rc::new(trace(self.layout, &present, &self.open, Some(&last.rows))?)
            };
            match self.step(rows, &last.solution.free) {
                Ok(step) => last = step,
                // These paths leave parameters undetermined: counts like a worse fit.
                Err(FitError::Missing { .. } | FitError::Unidentified { .. }) => {
                    since_best += 1;
                    continue;
                }
                Err(error) => return Err(error),
            }
            let gain = best.cost - last.cost;
            since_best = if gain > 0.0 { 0 } else { since_best + 1 };
            if gain > 0.0 {
                best = last.clone();
            }
            if gain.abs() < MIN_GAIN_PER_PARAMETER * self.layout.count() as f64
                && gain.abs() < MIN_RELATIVE_GAIN * best.cost
            {
                return Ok((best, Termination::NoImprovement { iterations: iterations + 1 }));
            }
        }
        unreachable!("the loop ends by returning")
    }

    /// Returns the best solution as a model, with intervals of the confidence level `level`.
    fn estimates(&mut self, best: Solved, level: f64) -> Result<Lmo, FitError> {
        let Solved { rows, solution, cost, .. } = best;
        self.problem.replace_variable_rows(&rows);
        let degrees = self.observations.len().saturating_sub(self.layout.count()) as f64;
        let excess = (degrees > 0.0).then(|| cost / degrees);
        let deviations = self.problem.deviations();
        let deviations = deviations.map_err(|open| unidentified(self.observations, self.layout, &open.0))?;
        let half_widths = self
            .observations
            .half_width_factor(level, excess, degrees)
            .map(|factor| deviations.iter().map(|d| factor * d).collect::<Vec<f64>>());
        let mut samples = vec![0; self.layout.count()];
        let rows = self.problem.rows();
        for (row, observation) in self.settled.iter().chain(&self.open).enumerate() {
            rows.terms(row).for_each(|(parameter, _)| samples[parameter] += observation.count);
        }
        Ok(Lmo::from_estimates(self.layout, &solution.values, half_widths.as_ref(), &samples, level))
    }
}

/// The smallest decrease of the squared residuals (in units of the spread) per parameter that counts as a gain. A
/// smaller one moves parameters by a fiftieth of their standard deviation on average.
const MIN_GAIN_PER_PARAMETER: f64 = 3e-4;

/// The smallest decrease of the squared residuals, relative to what is left, that counts as a gain. Without noise every
/// decrease is large in units of the spread.
const MIN_RELATIVE_GAIN: f64 = 1e-2;

/// Squared residuals below this fraction of the squared observations are rounding.
const RELATIVE_ROUNDING: f64 = 1e-24;

/// Returns equal parameters for all processors and all links: a share of the shortest time.
fn even_start(observations: &Observations, layout: Layout) -> Vec<f64> {
    let shortest = observations.iter().map(|o| o.seconds).fold(f64::INFINITY, f64::min);
    let size = observations.iter().map(|o| o.experiment.size().get()).max().unwrap_or(1).max(1);
    let (fixed, per_byte) = (shortest / 8.0, shortest / 8.0 / size as f64);
    let is_fixed = |p: usize| p < layout.processors() || p >= layout.link_latency(0);
    (0..layout.count()).map(|p| if is_fixed(p) { fixed } else { per_byte }).collect()
}

/// The smallest number of observations in a chunk that is played sequentially, whatever the number of threads.
const MIN_CHUNK_LENGTH: usize = 1 << 15;
/// The largest number of chunks. Each chunk has a network of its own, whose memory grows with the number of parameters.
const MAX_CHUNKS: usize = 16;

/// Returns the rows of observations along their critical paths for these parameters, weighted by 1/standard deviation.
fn trace(
    layout: Layout,
    parameters: &[f64],
    observations: &[&Observation],
    before: Option<&SparseRows>,
) -> Result<SparseRows, EngineError> {
    let size = MIN_CHUNK_LENGTH.max(observations.len().div_ceil(MAX_CHUNKS));
    let piece = |piece: usize| {
        let network = LmoNetwork::from_parameters(layout, parameters.to_vec());
        let first = piece * size;
        play(network, parameters, &observations[first..observations.len().min(first + size)], before, first)
    };
    let pieces = parallel_map(observations.len().div_ceil(size), piece);
    let mut rows = SparseRows::new();
    for piece in pieces {
        rows.append(&piece?);
    }
    Ok(rows)
}
