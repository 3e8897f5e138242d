//! Least squares along critical paths: rows of coefficients from the engine, and estimates of
//! models with few parameters.

use super::correlations::Unknowns;
use super::{FitError, Observation, Observations};
use crate::comm::{Correlations, NamedParameters};
use orrery_base::numeric::{Estimate, LeastSquares, Solution, SparseRows};
use orrery_cluster::platform::Processor;
use orrery_play::engine::{Engine, EngineError, Network};

/// The difference of two critical paths, in standard deviations of the observation, up to which
/// both count as equally long.
const MAX_NOISE_DEVIATIONS: f64 = 2.0;

/// Returns the rows of observations along their critical paths on a network with these parameters,
/// weighted by 1/standard deviation. `previous` are rows of an earlier call; in it, those of these
/// observations begin at row `first`.
///
/// An observation keeps its earlier path unless the new path differs by more than noise. Without
/// this rule, two paths of equal length (two equal partners of a one-to-two experiment) alternate:
/// each time the path with overestimated parameters is chosen, and the parameters in which the
/// paths differ come out too small. A new path is shorter where messages reach a port in another
/// order.
pub(in crate::comm) fn play<N: Network>(
    mut network: N,
    parameters: &[f64],
    observations: &[&Observation],
    previous: Option<&SparseRows>,
    first: usize,
) -> Result<SparseRows, EngineError> {
    let mut engine = Engine::new();
    let mut rows = SparseRows::new();
    for (place, observation) in (first..).zip(observations) {
        let program = observation.experiment.program();
        let (program, placement) =
            program.unwrap_or_else(|| unreachable!("no call of the MPI library is observed"));
        let reading = program.reading();
        let outcome = engine.trace(&program, &placement, &mut network)?;
        let residual = (outcome.read(reading).get() - observation.seconds) / observation.deviation;
        let is_kept = |previous: &&SparseRows| {
            (residual - previous.residual(place, parameters)).abs() <= MAX_NOISE_DEVIATIONS
        };
        if let Some(previous) = previous.filter(is_kept) {
            rows.push_from(previous, place);
        } else {
            let row = outcome.row(reading);
            let terms = row.terms.iter().map(|term| (term.parameter as usize, term.factor));
            rows.push(terms, observation.seconds - row.constant.get(), 1.0 / observation.deviation);
        }
    }
    Ok(rows)
}

/// Returns true if each of these observations takes exactly the same time on both networks; false
/// if one of them cannot be simulated.
pub(in crate::comm) fn are_times_equal<N: Network>(
    mut networks: [N; 2],
    observations: &[&Observation],
) -> bool {
    let mut engine = Engine::new();
    observations.iter().all(|observation| {
        let Some((program, placement)) = observation.experiment.program() else { return false };
        let [one, other] = networks.each_mut().map(|network| {
            let outcome = engine.run(&program, &placement, network).ok()?;
            Some(outcome.read(program.reading()))
        });
        one.is_some() && one == other
    })
}

/// The number of solutions after which the best one is taken although paths still change.
const MAX_SOLUTIONS: usize = 30;

/// The number of successive solutions without improvement after which the search ends.
const MAX_SOLUTIONS_WITHOUT_GAIN: usize = 3;

/// The smallest relative decrease of the squared residuals that counts as improvement.
const MIN_RELATIVE_GAIN: f64 = 1e-6;

/// Estimates the parameters of a model by name, with their intervals and the correlations of their
/// errors.
///
/// The first rows are taken at the parameters `initial`, at which each experiment depends on the
/// parameters that it is meant to identify. Rows and solutions then alternate as in
/// [`path_search`](super::path_search).
///
/// # Errors
///
/// When the observations do not identify the parameters.
pub(in crate::comm) fn estimate_parameters<N: NamedParameters>(
    model: &'static str,
    observations: &Observations,
    list: &[Observation],
    initial: &[f64],
    network: impl Fn(&[f64]) -> N,
    level: f64,
) -> Result<(Vec<Estimate>, Correlations), FitError> {
    let list: Vec<&Observation> = list.iter().collect();
    let unidentified = |open: &[usize]| {
        let network = network(initial);
        let parameters = open.iter().map(|&p| network.parameter(p as u32).to_string()).collect();
        FitError::Unidentified { model, parameters }
    };
    let problem = |rows: &SparseRows| LeastSquares::new(initial.len()).with_rows(rows.clone());
    let mut rows = play(network(initial), initial, &list, None, 0)?;
    let mut best: Option<(SparseRows, Solution, f64)> = None;
    let mut since_best = 0;
    for _ in 0..MAX_SOLUTIONS {
        let solution = match problem(&rows).solve() {
            Ok(solution) => solution,
            Err(_) if best.is_some() => break,
            Err(open) => return Err(unidentified(&open.0)),
        };
        let next = play(network(&solution.values), &solution.values, &list, Some(&rows), 0)?;
        let cost: f64 = next.residuals(&solution.values).map(|residual| residual * residual).sum();
        let converged = next == rows;
        since_best += 1;
        if best.as_ref().is_none_or(|(.., least)| cost < least * (1.0 - MIN_RELATIVE_GAIN)) {
            best = Some((rows, solution, cost));
            since_best = 0;
        }
        if converged || since_best >= MAX_SOLUTIONS_WITHOUT_GAIN {
            break;
        }
        rows = next;
    }
    let (rows, solution, cost) =
        best.unwrap_or_else(|| unreachable!("the first solution is the best so far"));
    let covariance = problem(&rows).covariance().map_err(|open| unidentified(&open.0))?;
    let deviations = covariance.deviations();
    let named = network(initial);
    let mut cluster: Vec<usize> = (0..initial.len()).collect();
    cluster.sort_by_key(|&parameter| named.parameter(parameter as u32).name);
    let unknowns = Unknowns { cluster, processors: Vec::new(), pairs: Vec::new() };
    let correlations = Correlations::of(&covariance, &unknowns);
    let degrees = list.len().saturating_sub(initial.len()) as f64;
    let excess = (degrees > 0.0).then(|| cost / degrees);
    let factor = observations.half_width_factor(level, excess, degrees);
    let mut samples = vec![0; initial.len()];
    for (row, observation) in list.iter().enumerate() {
        rows.terms(row).for_each(|(parameter, _)| samples[parameter] += observation.count);
    }
    let each = solution.values.iter().zip(deviations).zip(samples);
    let estimate = |((value, deviation), samples): ((&f64, f64), u64)| {
        Estimate::not_negative(*value, factor.map(|factor| factor * deviation), level, samples)
    };
    Ok((each.map(estimate).collect(), correlations))
}

/// Returns a time and a size for initial parameters: a small fraction of the shortest observation,
/// so that all waits are longer, and the size of the largest message.
pub(in crate::comm) fn smallest_time_and_largest_size(list: &[Observation]) -> (f64, f64) {
    let shortest = list
        .iter()
        .map(|one| one.seconds)
        .filter(|seconds| *seconds > 0.0)
        .fold(f64::INFINITY, f64::min);
    let largest = list.iter().map(|one| one.experiment.size().get()).max().unwrap_or(1).max(1);
    (if shortest.is_finite() { shortest / 1000.0 } else { 1e-9 }, largest as f64)
}

/// Returns the observation with processors 0 and 1 in place of its own, for networks of two
/// processors; observations of more than one pair stay as they are.
pub(in crate::comm) fn on_two(one: &Observation) -> Observation {
    if one.experiment.pair().is_none() {
        return *one;
    }
    let fields = one.experiment.fields().with_processors(Processor::first(2));
    Observation { experiment: one.experiment.with_fields(&fields), ..*one }
}
