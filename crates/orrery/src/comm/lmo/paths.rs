use super::{Layout, Lmo, LmoNetwork, triplets};
use crate::comm::{FitError, Observations, PointToPoint};
use crate::engine::{Engine, Row};
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
const PATIENCE: usize = 6;

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
    let schedules: Vec<Observed> = observations.iter().map(Observed::of).collect();
    let mut engine = Engine::new();
    let mut present = start(observations, layout);
    let mut rows = trace(&mut engine, layout, &present, &schedules)?;
    let mut best: Option<(f64, Solution)> = None;
    let mut since_best = 0;
    let mut iterations = 0;
    let termination = loop {
        let solution = solve(observations, layout, &rows, &schedules)?;
        iterations += 1;
        let next = trace(&mut engine, layout, &solution.values, &schedules)?;
        let cost = cost(&next, &schedules, &solution.values);
        let settled = next.iter().zip(&rows).all(|(a, b)| a == b);
        // A gain in the last digits is none: without noise the cost is rounding alone.
        let better = best.as_ref().is_none_or(|(least, _)| cost < least * (1.0 - 1e-9));
        since_best = if better { 0 } else { since_best + 1 };
        if better {
            best = Some((cost, solution.clone()));
        }
        if settled {
            break Termination::PathsSettled { iterations };
        }
        if since_best >= PATIENCE {
            break Termination::NoFurtherGain { iterations };
        }
        present = if better {
            solution.values
        } else {
            present.iter().zip(&solution.values).map(|(a, b)| f64::midpoint(*a, *b)).collect()
        };
        rows = trace(&mut engine, layout, &present, &schedules)?;
    };
    let (cost, solution) = best.unwrap_or_else(|| unreachable!("the first solution is the best seen"));
    Ok((estimates(observations, layout, &solution, cost, &rows, level), termination))
}

/// An observation as a schedule to be played.
struct Observed {
    program: Program,
    placement: Placement,
    reading: Reading,
    seconds: f64,
    weight: f64,
}

impl Observed {
    fn of(observation: &crate::comm::Observation) -> Self {
        let (program, placement) = observation.experiment.program();
        let reading = program.reading();
        Self { program, placement, reading, seconds: observation.seconds, weight: 1.0 / observation.deviation }
    }
}

fn name(layout: Layout) -> &'static str {
    if layout.with_latency() { "lmo" } else { "lom" }
}

/// Where the iteration starts: the triplet solution, or a share of the round trips; everything positive.
fn start(observations: &Observations, layout: Layout) -> Vec<f64> {
    let shortest = observations.iter().map(|o| o.seconds).fold(f64::INFINITY, f64::min);
    let size = observations.iter().map(|o| o.experiment.size().get()).max().unwrap_or(1).max(1);
    let (fixed, per_byte) = (shortest / 8.0, shortest / 8.0 / size as f64);
    let processors = layout.processors();
    let least = |parameter: usize| {
        let is_fixed = parameter < processors || parameter >= layout.link_latency(0);
        if is_fixed { fixed } else { per_byte }
    };
    match triplets::closed_solution(observations, layout) {
        Some(values) => values.into_iter().enumerate().map(|(p, value)| value.max(1e-3 * least(p))).collect(),
        None => (0..layout.count()).map(least).collect(),
    }
}

/// The rows of all observations along their critical paths for these parameters.
fn trace(
    engine: &mut Engine,
    layout: Layout,
    parameters: &[f64],
    schedules: &[Observed],
) -> Result<Vec<Row>, FitError> {
    let mut network = LmoNetwork::from_parameters(layout, parameters.to_vec());
    let mut row = |observed: &Observed| {
        let outcome = engine.trace(&observed.program, &observed.placement, &mut network)?;
        Ok(outcome.row(observed.reading))
    };
    schedules.iter().map(&mut row).collect()
}

fn solve(
    observations: &Observations,
    layout: Layout,
    rows: &[Row],
    schedules: &[Observed],
) -> Result<Solution, FitError> {
    let mut problem = LeastSquares::new(layout.count());
    for (row, observed) in rows.iter().zip(schedules) {
        let terms = row.terms.iter().map(|term| (term.parameter as usize, term.factor));
        problem.push(terms, observed.seconds - row.constant.get(), observed.weight);
    }
    problem.solve().map_err(|unidentified| lacking(observations, layout, &unidentified.0))
}

fn cost(rows: &[Row], schedules: &[Observed], parameters: &[f64]) -> f64 {
    let residual =
        |(row, observed): (&Row, &Observed)| (row.value(parameters).get() - observed.seconds) * observed.weight;
    rows.iter().zip(schedules).map(residual).map(|r| r * r).sum()
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

fn estimates(
    observations: &Observations,
    layout: Layout,
    solution: &Solution,
    cost: f64,
    rows: &[Row],
    level: f64,
) -> Lmo {
    let degrees = rows.len().saturating_sub(layout.count()) as f64;
    let excess = (degrees > 0.0).then(|| cost / degrees);
    let half_widths = observations
        .half_width_factor(level, excess, degrees)
        .map(|factor| solution.deviations.iter().map(|d| factor * d).collect::<Vec<f64>>());
    let mut samples = vec![0; layout.count()];
    for (row, observation) in rows.iter().zip(observations.iter()) {
        row.terms.iter().for_each(|term| samples[term.parameter as usize] += observation.count);
    }
    Lmo::from_estimates(layout, &solution.values, half_widths.as_ref(), &samples, level)
}
