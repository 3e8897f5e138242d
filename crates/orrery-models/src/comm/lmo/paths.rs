use super::unidentified::{missing, name, too_few, unidentified};
use super::{Layout, Lmo, LmoNetwork, triplets};
use crate::comm::estimation::correlations::Unknowns;
use crate::comm::estimation::path_search::{PathModel, PathSearch};
use crate::comm::{Correlations, FitError, Observation, Observations, Termination};
use orrery_cluster::platform::Processor;

/// Estimates LMO or LOM from any measured schedules by least squares along critical paths, with the
/// correlations of the errors of the parameters: the default estimator.
///
/// The iteration starts from the triplet solution if there is one. Weights are 1/σ, with the spread
/// pooled for each kind of experiment. Intervals are computed from the covariance of the last
/// solution and are widened if the model fits worse than the spread explains.
///
/// # Errors
///
/// When there are fewer than three processors (two cannot separate processor and link), or when the
/// experiments do not identify the parameters: the error lists the missing ones.
pub fn paths(
    observations: &Observations,
    with_latency: bool,
    level: f64,
) -> Result<(Lmo, Termination, Correlations), FitError> {
    let layout = Layout::new(observations.processors(), with_latency);
    if layout.processors() < 3 {
        return Err(too_few(name(layout), layout.processors()));
    }
    // Fewer observations than parameters cannot identify them. The memory below grows with the
    // number of parameters.
    if observations.len() < layout.count()
        && let Some(missing) = missing(name(layout), observations, layout)
    {
        return Err(missing);
    }
    let even = even_start(observations, layout);
    let mut search = PathSearch::new(&layout, observations, &even)?;
    let made_for = search.paths_at(&even, None)?;
    let closed = triplets::closed_solution(observations, layout);
    let start: Vec<f64> = match closed {
        Some(closed) => {
            closed.iter().zip(&even).map(|(value, least)| value.max(1e-3 * least)).collect()
        }
        None => even.clone(),
    };
    // Noise can turn the paths of the triplet solution away from the paths that identify the
    // parameters. Equal parameters for all processors and links restore them.
    let rows = search.paths_at(&start, Some(&made_for));
    let first = rows
        .and_then(|rows| search.first_step(rows))
        .or_else(|_| search.first_step(made_for.clone()))?;
    let (best, termination) = search.improve(first)?;
    // With noise, a delay of 0 can be on none of the paths of the best solution. Its interval then
    // comes from the paths that the experiments are made for.
    let estimates = search
        .estimates(&best, level)
        .or_else(|_| search.estimates(&best.along(made_for), level))?;
    let lmo = Lmo::from_estimates(
        layout,
        &estimates.values,
        estimates.half_widths.as_ref(),
        &estimates.samples,
        level,
    );
    Ok((lmo, termination, estimates.correlations))
}

impl PathModel for Layout {
    type Network = LmoNetwork;

    fn parameters(&self) -> usize {
        self.count()
    }

    fn pairs(&self) -> impl Iterator<Item = Vec<usize>> {
        (0..Layout::pairs(*self).count()).map(|pair| {
            let latency = self.with_latency().then(|| self.link_latency(pair));
            std::iter::once(self.link_byte_delay(pair)).chain(latency).collect()
        })
    }

    fn unknowns(&self) -> Unknowns {
        let processors = Processor::first(self.processors());
        Unknowns {
            cluster: Vec::new(),
            processors: processors.map(|i| vec![self.byte_delay(i), self.fixed_delay(i)]).collect(),
            pairs: PathModel::pairs(self).collect(),
        }
    }

    fn network(&self, parameters: &[f64]) -> LmoNetwork {
        LmoNetwork::from_parameters(*self, parameters.to_vec())
    }

    fn is_settled(&self, observation: &Observation) -> bool {
        observation.experiment.program().is_some_and(|(program, _)| program.is_chain())
    }

    fn unidentified(&self, observations: &Observations, parameters: &[usize]) -> FitError {
        unidentified(observations, *self, parameters)
    }
}

/// Returns equal parameters for all processors and all links: a share of the shortest time.
fn even_start(observations: &Observations, layout: Layout) -> Vec<f64> {
    let shortest = observations.iter().map(|o| o.seconds).fold(f64::INFINITY, f64::min);
    let size = observations.iter().map(|o| o.experiment.size().get()).max().unwrap_or(1).max(1);
    layout.even(shortest / 8.0, shortest / 8.0 / size as f64)
}
