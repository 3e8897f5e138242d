use std::rc::Rc;

use super::{Layout, Lmo, LmoNetwork, triplets};
use crate::comm::{FitError, Observations, PointToPoint};
use crate::engine::{Engine, EngineError, Row};
use crate::numeric::{LeastSquares, Solution};
use crate::platform::{Placement, Processor};
use crate::sample::Experiment;
use crate::schedule::{Program, Reading};
use crate::units::Bytes;

/// Why the iteration of the paths estimator ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Termination {
    /// The critical paths did not change any more.
    PathsSettled {
        /// After so many solutions.
        iterations: usize,
    },
    /// The paths go on changing, but the fit does not improve any more; the best one seen is taken.
    NoFurtherGain {
        /// After so many solutions.
        iterations: usize,
    },
}

/// The paths estimator gives up improving after so many solutions without a better one.
const PATIENCE: usize = 3;

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
    let mut search = Search { observations, layout, schedules: Vec::new() };
    search.schedules = observations.iter().filter_map(Observed::of).collect();
    let even = even_start(observations, layout);
    let made_for = search.trace(&even, None)?;
    let closed = triplets::closed_solution(observations, layout);
    let start: Vec<f64> = match closed {
        Some(closed) => closed.iter().zip(&even).map(|(value, least)| value.max(1e-3 * least)).collect(),
        None => even.clone(),
    };
    // Where noise has turned the paths of the triplet solution away from what the experiments are made for, even
    // parameters bring them back.
    let first = search.first_step(&start, &made_for).or_else(|_| search.first_step(&even, &made_for))?;
    drop(made_for);
    let (best, termination) = search.improve(first)?;
    Ok((search.estimates(&best, level)?, termination))
}

/// The iteration under way.
struct Search<'a> {
    observations: &'a Observations,
    layout: Layout,
    schedules: Vec<Observed>,
}

/// A solution with the rows that it comes from and those that it leads to.
#[derive(Clone)]
struct Solved {
    rows: Rc<Vec<Row>>,
    solution: Solution,
    next: Rc<Vec<Row>>,
    cost: f64,
}

impl Search<'_> {
    /// Solves with these rows; `free` are the unknowns that are probably not zero.
    fn step(&mut self, rows: Rc<Vec<Row>>, free: Vec<bool>) -> Result<Solved, FitError> {
        let problem = self.problem(&rows);
        let solution = problem.solve_from(free);
        let solution = solution.map_err(|open| lacking(self.observations, self.layout, &open.0))?;
        let next = Rc::new(self.trace(&solution.values, Some(&rows))?);
        let residual = |(row, observed): (&Row, &Observed)| {
            (row.value(&solution.values).get() - observed.seconds) * observed.weight
        };
        let cost = next.iter().zip(&self.schedules).map(residual).map(|r| r * r).sum();
        Ok(Solved { rows, solution, next, cost })
    }

    /// The first solution, with all parameters free: it tells whether the experiments identify them.
    fn first_step(&mut self, parameters: &[f64], made_for: &[Row]) -> Result<Solved, FitError> {
        let rows = Rc::new(self.trace(parameters, Some(made_for))?);
        self.step(rows, vec![true; self.layout.count()])
    }

    /// Steps on from the first solution until the paths settle, or the fit has not become better for some time.
    fn improve(&mut self, first: Solved) -> Result<(Solved, Termination), FitError> {
        let mut best = first.clone();
        let (mut present, mut since_best) = (first.solution.values.clone(), 0);
        let mut last = first;
        // Where nothing is left but rounding, paths of equal length may take turns for ever.
        let exact = ROUNDING * self.schedules.iter().map(|o| (o.seconds * o.weight).powi(2)).sum::<f64>();
        for iterations in 1.. {
            if last.next == last.rows || best.cost <= exact {
                // A gain in the last digits is none: without noise the cost is rounding alone.
                let settled = if last.cost <= best.cost * (1.0 + 1e-9) { last } else { best };
                return Ok((settled, Termination::PathsSettled { iterations }));
            }
            if since_best >= PATIENCE {
                return Ok((best, Termination::NoFurtherGain { iterations }));
            }
            let rows = if since_best == 0 {
                present.clone_from(&last.solution.values);
                Rc::clone(&last.next)
            } else {
                present.iter_mut().zip(&best.solution.values).for_each(|(a, b)| *a = f64::midpoint(*a, *b));
                Rc::new(self.trace(&present, Some(&last.rows))?)
            };
            match self.step(rows, last.solution.free.clone()) {
                Ok(step) => last = step,
                // These paths leave parameters open: as bad as a worse fit.
                Err(FitError::Missing { .. } | FitError::Unidentified { .. }) => {
                    since_best += 1;
                    continue;
                }
                Err(error) => return Err(error),
            }
            since_best = if last.cost < best.cost * (1.0 - WORTH_WHILE) { 0 } else { since_best + 1 };
            if last.cost < best.cost {
                best = last.clone();
            }
        }
        unreachable!("the loop ends by returning")
    }

    /// The rows of all observations along their critical paths for these parameters.
    ///
    /// An observation keeps the path that it had before as long as the new one is not longer by more than noise. Of paths
    /// that take equally long (two equal partners of a one-to-two experiment) the one whose parameters happen to be
    /// overestimated would be taken else, time and again, and what the two paths do not share would come out too small.
    fn trace(&self, parameters: &[f64], before: Option<&[Row]>) -> Result<Vec<Row>, FitError> {
        let network = LmoNetwork::from_parameters(self.layout, parameters.to_vec());
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let share = self.schedules.len().div_ceil(threads).max(LEAST_SHARE);
        let shares = self.schedules.chunks(share).enumerate();
        // Rows do not depend on each other, and are put together in order: any number of threads gives the same.
        std::thread::scope(|scope| {
            let traced = shares.map(|(number, schedules)| {
                let before = before.map(|before| &before[number * share..]);
                let network = network.clone();
                scope.spawn(move || trace(network, schedules, before))
            });
            let traced: Vec<_> = traced.collect();
            let mut rows = Vec::with_capacity(self.schedules.len());
            for thread in traced {
                rows.extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
            }
            Ok(rows)
        })
    }

    /// The rows with their observations as a least-squares problem.
    fn problem(&self, rows: &[Row]) -> LeastSquares {
        // Given the delays of the processors, the links do not know of each other.
        let pairs = 0..self.layout.pairs().count();
        let link = |pair| {
            let latency = self.layout.with_latency().then(|| self.layout.link_latency(pair));
            std::iter::once(self.layout.link_byte_delay(pair)).chain(latency).collect()
        };
        let mut problem = LeastSquares::new(self.layout.count()).with_blocks(pairs.map(link).collect());
        for (row, observed) in rows.iter().zip(&self.schedules) {
            let terms = row.terms.iter().map(|term| (term.parameter as usize, term.factor));
            problem.push(terms, observed.seconds - row.constant.get(), observed.weight);
        }
        problem
    }

    fn estimates(&self, best: &Solved, level: f64) -> Result<Lmo, FitError> {
        let Solved { rows, solution, cost, .. } = best;
        let degrees = rows.len().saturating_sub(self.layout.count()) as f64;
        let excess = (degrees > 0.0).then(|| cost / degrees);
        let deviations = self.problem(rows).deviations();
        let deviations = deviations.map_err(|open| lacking(self.observations, self.layout, &open.0))?;
        let half_widths = self
            .observations
            .half_width_factor(level, excess, degrees)
            .map(|factor| deviations.iter().map(|d| factor * d).collect::<Vec<f64>>());
        let mut samples = vec![0; self.layout.count()];
        for (row, observation) in rows.iter().zip(self.observations.iter()) {
            row.terms.iter().for_each(|term| samples[term.parameter as usize] += observation.count);
        }
        Ok(Lmo::from_estimates(self.layout, &solution.values, half_widths.as_ref(), &samples, level))
    }
}

/// The rows of some observations, see [`Search::trace`].
fn trace(mut network: LmoNetwork, schedules: &[Observed], before: Option<&[Row]>) -> Result<Vec<Row>, EngineError> {
    let mut engine = Engine::new();
    let mut rows = Vec::with_capacity(schedules.len());
    for (place, observed) in schedules.iter().enumerate() {
        let outcome = engine.trace(&observed.program, &observed.placement, &mut network)?;
        let time = outcome.read(observed.reading).get();
        let kept = before.map(|before| &before[place]);
        let kept = kept.filter(|row| time - row.value(network.parameters()).get() <= WITHIN_NOISE / observed.weight);
        rows.push(kept.cloned().unwrap_or_else(|| outcome.row(observed.reading)));
    }
    Ok(rows)
}

/// A thread is not worth while for fewer observations.
const LEAST_SHARE: usize = 2048;

/// A fit that is better by less than this part of its squared residuals is no better than noise.
const WORTH_WHILE: f64 = 1e-4;

/// A path is longer than another by more than noise when the difference exceeds so many standard deviations of the
/// observation.
const WITHIN_NOISE: f64 = 2.0;

/// Squared residuals below this part of the squared observations are rounding.
const ROUNDING: f64 = 1e-24;

/// An observation as a schedule to be played.
struct Observed {
    program: Program,
    placement: Placement,
    reading: Reading,
    seconds: f64,
    weight: f64,
}

impl Observed {
    fn of(observation: &crate::comm::Observation) -> Option<Self> {
        let (program, placement) = observation.experiment.program()?;
        let reading = program.reading();
        Some(Self { program, placement, reading, seconds: observation.seconds, weight: 1.0 / observation.deviation })
    }
}

fn name(layout: Layout) -> &'static str {
    if layout.with_latency() { "lmo" } else { "lom" }
}

/// Parameters alike for all processors and all links: a share of the shortest time.
fn even_start(observations: &Observations, layout: Layout) -> Vec<f64> {
    let shortest = observations.iter().map(|o| o.seconds).fold(f64::INFINITY, f64::min);
    let size = observations.iter().map(|o| o.experiment.size().get()).max().unwrap_or(1).max(1);
    let (fixed, per_byte) = (shortest / 8.0, shortest / 8.0 / size as f64);
    let is_fixed = |p: usize| p < layout.processors() || p >= layout.link_latency(0);
    (0..layout.count()).map(|p| if is_fixed(p) { fixed } else { per_byte }).collect()
}

/// The experiments that a campaign has and these samples lack, or else the parameters that stay open.
fn lacking(observations: &Observations, layout: Layout, unidentified: &[usize]) -> FitError {
    let model = name(layout);
    let mut missing = Vec::new();
    let size = observations.iter().map(|o| o.experiment.size()).max().filter(|size| *size > Bytes::ZERO);
    let words = size.map_or("a size above 0".to_owned(), |size| format!("{size}"));
    for (a, b) in layout.pairs().iter() {
        let trips = |empty: bool| {
            observations.iter().any(|o| match o.experiment {
                Experiment::RoundTrip { i, j, size, reply } => {
                    (i.min(j), i.max(j)) == (a, b) && (size + reply == Bytes::ZERO) == empty
                }
                _ => false,
            })
        };
        if !trips(true) {
            missing.push(format!("round trip {a}-{b} (0 out, 0 back)"));
        }
        if !trips(false) {
            missing.push(format!("round trip {a}-{b} ({words} out)"));
        }
    }
    for root in Processor::first(layout.processors()) {
        let from = |empty: bool| {
            observations.iter().any(|o| match o.experiment {
                Experiment::OneToTwo { i, size, .. } => i == root && (size == Bytes::ZERO) == empty,
                _ => false,
            })
        };
        if !from(true) && layout.with_latency() {
            missing.push(format!("one-to-two from {root} (0)"));
        }
        if !from(false) {
            missing.push(format!("one-to-two from {root} ({words})"));
        }
    }
    if !missing.is_empty() {
        return FitError::Missing { model, count: missing.len(), missing };
    }
    let network = Lmo::from_estimates(layout, &vec![0.0; layout.count()], None, &vec![0; layout.count()], 0.95);
    let network = network.network();
    let parameters = unidentified.iter().map(|&p| network.parameter(p as u32).to_string()).collect();
    FitError::Unidentified { model, parameters }
}
