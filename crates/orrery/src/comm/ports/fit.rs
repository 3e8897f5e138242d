use super::start::start;
use super::{Layout, Ports, PortsNetwork, SizeLaw, Uplinks};
use crate::comm::correlations::{Correlations, Unknowns};
use crate::comm::path_search::{PathModel, PathSearch, Solved};
use crate::comm::{FitError, NamedParameters, Observation, Observations, Termination, lmo};
use crate::numeric::{Estimate, SparseRows, median};

/// The name of the model.
const NAME: &str = "ports";

/// The weight with which a port or a flow is drawn to 0, relative to a median observation. It decides only about those that
/// no critical path contains.
const PULL: f64 = 1e-7;

/// The quantiles of the delays by a second message from which the starts of ports follow. The second start is tried if the first
/// ends with a poor fit: messages to partners behind a shared link delay each other there, too.
const PORT_QUANTILES: [f64; 2] = [0.5, 0.25];

/// The mean square of residuals, in units of their variance, from which a fit is poor.
const POOR: f64 = 4.0;

/// Estimates the model `ports` from any measured schedules by least squares along critical paths.
///
/// Effective sizes come first, from the round trips. A maximum of ports and flow is the branch that the critical path
/// contains. A port that bounds no measured message, such as that of the fastest processor if its processing takes longer,
/// is 0 without an interval.
///
/// # Errors
///
/// When there are fewer than three processors, or when the experiments do not identify the parameters: the error lists the
/// missing ones.
pub fn fit(observations: &Observations, level: f64) -> Result<(Ports, Termination), FitError> {
    let (ports, termination, _) = correlated_fit(observations, level)?;
    Ok((ports, termination))
}

/// As [`fit`], with the correlations of the errors of the parameters.
pub(super) fn correlated_fit(
    observations: &Observations,
    level: f64,
) -> Result<(Ports, Termination, Correlations), FitError> {
    correlated_fit_with_uplinks(observations, level, &Uplinks::default(), None)
}

/// Estimates the model `ports` as [`fit`] does, with known shared links, and the correlations of the errors of its parameters;
/// the search starts at the parameters of a model for nearly the same links, if one is given.
///
/// # Errors
///
/// As [`fit`].
pub(crate) fn correlated_fit_with_uplinks(
    observations: &Observations,
    level: f64,
    uplinks: &Uplinks,
    near: Option<&Ports>,
) -> Result<(Ports, Termination, Correlations), FitError> {
    let fit = Fit::new(observations, uplinks)?;
    let (mut search, best, termination) = fit.search(observations, near)?;
    let estimates = search.estimates(best, level)?;
    let is_bound = |p: usize| estimates.samples[p] > 0;
    let estimate = |p: usize| {
        if is_bound(p) { estimates.estimate(p, level) } else { Estimate { samples: Some(0), ..Estimate::exact(0.0) } }
    };
    Ok((fit.ports(estimate), termination, estimates.correlations))
}

/// The values alone, without intervals, which take most of the time.
///
/// # Errors
///
/// As [`fit`].
pub(crate) fn values_with_uplinks(
    observations: &Observations,
    uplinks: &Uplinks,
    near: Option<&Ports>,
) -> Result<Ports, FitError> {
    let fit = Fit::new(observations, uplinks)?;
    let (_, best, _) = fit.search(observations, near)?;
    Ok(fit.ports(|p| Estimate::exact(best.values()[p])))
}

/// The estimation problem.
struct Fit {
    layout: Layout,
    /// The weight of the rows that draw ports and flows to 0.
    pull: f64,
    size_law: SizeLaw,
    uplinks: Uplinks,
}

impl Fit {
    /// The problem of these observations.
    fn new(observations: &Observations, uplinks: &Uplinks) -> Result<Self, FitError> {
        let layout = Layout::new(observations.processors());
        if layout.processors() < 3 {
            return Err(lmo::too_few(NAME, layout.processors()));
        }
        // Two round trips of each pair and two one-to-two experiments of each processor; the memory below grows with them.
        let experiments = 2 * (layout.pairs().count() + layout.processors());
        if observations.len() < experiments
            && let Some(missing) = missing(observations, layout)
        {
            return Err(missing);
        }
        let weights: Vec<f64> =
            observations.iter().map(|one| one.experiment.size().get() as f64 / one.deviation).collect();
        let size_law = SizeLaw::estimate(observations);
        Ok(Self { layout, pull: PULL * median(&weights), size_law, uplinks: uplinks.clone() })
    }

    /// Searches for the critical paths from the parameters of a similar model, or from several starts.
    fn search<'a>(
        &'a self,
        observations: &'a Observations,
        near: Option<&Ports>,
    ) -> Result<(PathSearch<'a, Self>, Solved, Termination), FitError> {
        let layout = self.layout;
        let mut best: Option<(f64, PathSearch<_>, _, _)> = None;
        for quantile in PORT_QUANTILES {
            let given = |near: &Ports| near.estimates()[..layout.count()].iter().map(|one| one.value).collect();
            let started =
                near.map(given).or_else(|| start(observations, layout, &self.size_law, &self.uplinks, quantile));
            let Some(parameters) = started else {
                return Err(missing(observations, layout).unwrap_or_else(|| unidentified(layout, &[])));
            };
            let mut search = PathSearch::new(self, observations, &parameters)?;
            let made_for = search.paths_at(&parameters)?;
            let first = search.first_step(&parameters, &made_for)?;
            let (found, termination) = search.improve(first)?;
            let excess = found.cost() / observations.len().saturating_sub(layout.count()).max(1) as f64;
            if best.as_ref().is_none_or(|(least, ..)| excess < *least) {
                best = Some((excess, search, found, termination));
            }
            if excess < POOR || near.is_some() {
                break;
            }
        }
        let (_, search, found, termination) = best.unwrap_or_else(|| unreachable!("the first start has a result"));
        Ok((search, found, termination))
    }

    /// The model with these estimates of its parameters.
    fn ports(&self, estimate: impl Fn(usize) -> Estimate) -> Ports {
        let ports = Ports::from_layout(self.layout, self.size_law.clone(), estimate);
        Ports { uplinks: self.uplinks.clone(), ..ports }
    }
}

impl PathModel for Fit {
    type Network = PortsNetwork;

    fn parameters(&self) -> usize {
        self.layout.count()
    }

    fn pairs(&self) -> impl Iterator<Item = Vec<usize>> {
        let layout = self.layout;
        (0..layout.pairs().count()).map(move |pair| vec![layout.flow_byte_delay(pair), layout.link_latency(pair)])
    }

    fn unknowns(&self) -> Unknowns {
        let layout = self.layout;
        let of_processor = |i| vec![layout.byte_delay(i), layout.fixed_delay(i), layout.port_byte_delay(i)];
        Unknowns {
            cluster: Vec::new(),
            processors: (0..layout.processors()).map(of_processor).collect(),
            pairs: self.pairs().collect(),
        }
    }

    fn network(&self, parameters: &[f64]) -> PortsNetwork {
        let network = PortsNetwork::new(self.layout, parameters.to_vec());
        network.with_size_law(self.size_law.clone()).with_known_uplinks(self.uplinks.clone())
    }

    fn is_settled(&self, _: &Observation) -> bool {
        // The slowest of the ports and the flow decides.
        false
    }

    fn further_rows(&self) -> SparseRows {
        let layout = self.layout;
        let mut rows = SparseRows::new();
        let drawn = (0..layout.processors()).map(|i| layout.port_byte_delay(i));
        let drawn = drawn.chain((0..layout.pairs().count()).map(|pair| layout.flow_byte_delay(pair)));
        drawn.for_each(|parameter| rows.push([(parameter, 1.0)], 0.0, self.pull));
        rows
    }

    fn unidentified(&self, observations: &Observations, parameters: &[usize]) -> FitError {
        missing(observations, self.layout).unwrap_or_else(|| unidentified(self.layout, parameters))
    }
}

/// The error that lists the experiments missing from a usual campaign.
fn missing(observations: &Observations, layout: Layout) -> Option<FitError> {
    lmo::missing(NAME, observations, lmo::Layout::new(layout.processors(), true))
}

/// The error for parameters that the experiments do not identify.
fn unidentified(layout: Layout, parameters: &[usize]) -> FitError {
    let network = PortsNetwork::new(layout, vec![0.0; layout.count()]);
    let parameters = parameters.iter().map(|&p| network.parameter(p as u32).to_string()).collect();
    FitError::Unidentified { model: NAME, parameters }
}
