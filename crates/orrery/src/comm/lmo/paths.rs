use std::rc::Rc;

use super::unidentified::{name, unidentified};
use super::{Layout, Lmo, LmoNetwork, triplets};
use crate::comm::critical_path_fit::play;
use crate::comm::{FitError, Observation, Observations, Termination};
use crate::engine::EngineError;
use crate::numeric::{LeastSquares, Solution, SparseRows, UpdatableLeastSquares, parallel_map};

/// The paths estimator gives up improving after so many solutions without a better one.
const PATIENCE: usize = 2;

/// Estimates LMO, or LOM, from any measured schedules: the default estimator.
///
/// The time of a schedule is linear in the parameters along its critical path. Each observation gives one row of
/// coefficients, taken from the engine at the present parameters; weighted non-negative least squares over all rows
/// gives the next parameters, until the paths stop changing. It starts from the triplet solution where there is one.
/// When a step makes the fit worse, half of it is tried; the best parameters seen are kept.
///
/// Weights are 1/σ with the spread pooled for each kind of experiment; intervals come from the covariance of the last
/// solution, widened where the model fits worse than the spread explains.
///
/// # Errors
///
/// When there are fewer than three processors (two do not tell processor and link apart), or when the experiments do not
/// identify the parameters: those that are missing are named.
pub fn paths(observations: &Observations, with_latency: bool, level: f64) -> Result<(Lmo, Termination), FitError> {
    let layout = Layout::new(observations.processors(), with_latency);
    if layout.processors() < 3 {
        return Err(super::too_few(name(layout), layout.processors()));
    }
    let even = even_start(observations, layout);
    let mut search = Search::new(observations, layout, &even)?;
    let made_for = trace(layout, &even, &search.open, None)?;
    let closed = triplets::closed_solution(observations, layout);
    let start: Vec<f64> = match closed {
        Some(closed) => closed.iter().zip(&even).map(|(value, least)| value.max(1e-3 * least)).collect(),
        None => even.clone(),
    };
    // Where noise has turned the paths of the triplet solution away from what the experiments are made for, even
    // parameters bring them back.
    let first = search.first_step(&start, &made_for).or_else(|_| search.first_step(&even, &made_for))?;
    let (best, termination) = search.improve(first)?;
    Ok((search.estimates(best, level)?, termination))
}

/// The iteration under way.
struct Search<'a> {
    observations: &'a Observations,
    layout: Layout,
    /// The observations whose paths are the same whatever the parameters, and those whose paths they turn.
    settled: Vec<&'a Observation>,
    open: Vec<&'a Observation>,
    /// The rows of all of these, in this order.
    problem: UpdatableLeastSquares,
}

/// A solution with the rows of open paths that it comes from and those that it leads to.
#[derive(Clone)]
struct Solved {
    rows: Rc<SparseRows>,
    solution: Solution,
    next: Rc<SparseRows>,
    cost: f64,
}

impl<'a> Search<'a> {
    fn new(observations: &'a Observations, layout: Layout, parameters: &[f64]) -> Result<Self, FitError> {
        let is_settled = |observation: &&Observation| {
            observation.experiment.program().is_some_and(|(program, _)| program.is_chain())
        };
        let (settled, open): (Vec<_>, Vec<_>) = observations.iter().partition(is_settled);
        // Given the delays of the processors, the links do not know of each other.
        let link = |pair| {
            let latency = layout.with_latency().then(|| layout.link_latency(pair));
            std::iter::once(layout.link_byte_delay(pair)).chain(latency).collect::<Vec<_>>()
        };
        let links = (0..layout.pairs().count()).map(link);
        let rows = trace(layout, parameters, &settled, None)?;
        let problem = LeastSquares::new(layout.count()).with_blocks(links).with_rows(rows).updatable();
        Ok(Self { observations, layout, settled, open, problem })
    }

    /// Solves with these rows of open paths; `free` are the unknowns that are probably not zero.
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

    /// The first solution, with all parameters free: it tells whether the experiments identify them.
    fn first_step(&mut self, parameters: &[f64], made_for: &SparseRows) -> Result<Solved, FitError> {
        let rows = trace(self.layout, parameters, &self.open, Some(made_for))?;
        self.step(Rc::new(rows), &vec![true; self.layout.count()])
    }

    /// Steps on from the first solution until the paths settle, or the fit has not become better for some time.
    fn improve(&mut self, first: Solved) -> Result<(Solved, Termination), FitError> {
        let mut best = first.clone();
        let (mut present, mut since_best) = (first.solution.values.clone(), 0);
        let mut last = first;
        // Where nothing is left but rounding, paths of equal length may take turns for ever.
        let exact = ROUNDING * self.observations.iter().map(|o| (o.seconds / o.deviation).powi(2)).sum::<f64>();
        for iterations in 1.. {
            if last.next == last.rows || best.cost <= exact {
                // A gain in the last digits is none: without noise the cost is rounding alone.
                let settled = if last.cost <= best.cost * (1.0 + 1e-9) { last } else { best };
                return Ok((settled, Termination::Converged { iterations }));
            }
            if since_best >= PATIENCE {
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
                // These paths leave parameters open: as bad as a worse fit.
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
            if gain.abs() < WORTH_WHILE * self.layout.count() as f64 && gain.abs() < RESIDUE * best.cost {
                return Ok((best, Termination::NoImprovement { iterations: iterations + 1 }));
            }
        }
        unreachable!("the loop ends by returning")
    }

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

/// Squared residuals in units of the spread that fall by less than this for each parameter: on average, parameters move by a
/// fiftieth of their standard deviation.
const WORTH_WHILE: f64 = 3e-4;

/// Without noise no gain is small in that sense, but some are compared with what is left.
const RESIDUE: f64 = 1e-2;

/// Squared residuals below this part of the squared observations are rounding.
const ROUNDING: f64 = 1e-24;

/// Parameters alike for all processors and all links: a share of the shortest time.
fn even_start(observations: &Observations, layout: Layout) -> Vec<f64> {
    let shortest = observations.iter().map(|o| o.seconds).fold(f64::INFINITY, f64::min);
    let size = observations.iter().map(|o| o.experiment.size().get()).max().unwrap_or(1).max(1);
    let (fixed, per_byte) = (shortest / 8.0, shortest / 8.0 / size as f64);
    let is_fixed = |p: usize| p < layout.processors() || p >= layout.link_latency(0);
    (0..layout.count()).map(|p| if is_fixed(p) { fixed } else { per_byte }).collect()
}

/// At least so many observations are played one after the other, whatever the number of threads, and at least this part
/// of all: each piece has a network of its own, which is as large as the parameters are many.
const PIECE: usize = 1 << 15;
const PIECES: usize = 16;

/// The rows of observations along their critical paths for these parameters, weighted by their standard deviations.
fn trace(
    layout: Layout,
    parameters: &[f64],
    observations: &[&Observation],
    before: Option<&SparseRows>,
) -> Result<SparseRows, EngineError> {
    let size = PIECE.max(observations.len().div_ceil(PIECES));
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
