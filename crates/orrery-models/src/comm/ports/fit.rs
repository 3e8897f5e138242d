use super::in_ports::{self, is_two_to_one};
use super::start::start;
use super::{Layout, Ports, PortsNetwork, ProtocolLimits, SizeLaw, Uplinks};
use crate::comm::estimation::correlations::Unknowns;
use crate::comm::estimation::path_search::{PathModel, PathSearch, Solved, are_equivalent};
use crate::comm::{
    Correlations, Estimated, Estimator, FitError, NamedParameters, Observation, Observations,
    Termination, lmo,
};
use orrery_base::numeric::{Estimate, SparseRows, median};
use orrery_cluster::platform::{Hosts, LinkClass, Processor};
use orrery_measure::sample::ExperimentKind;

/// The name of the model.
const NAME: &str = "ports";

/// The weight with which a port or a flow is drawn to 0, relative to a median observation. It
/// decides only about those that no critical path contains.
const PULL: f64 = 1e-7;

/// A stronger weight with which a port or a flow is drawn to 0, relative to the root of the sum of
/// squares of as many of the largest observations as there are processors. It separates the port of
/// a processor from its processing if messages show only their sum.
const STRONG_PULL: f64 = 1e-5;

/// The weight with which the parameters of messages within a host are drawn to those of its other
/// processors, relative to a median observation. It decides where experiments show few of them.
const TOGETHER: f64 = 0.1;

/// The quantiles of the delays by a second message from which the starts of ports follow. The
/// second start is tried if the first ends with a poor fit: messages to partners behind a shared
/// link delay each other there, too.
const PORT_QUANTILES: [f64; 2] = [0.5, 0.25];

/// The level of the intervals by which in-ports are compared with out-ports where no others are
/// needed.
const TEST_LEVEL: f64 = 0.95;

/// The mean square of residuals, in units of their variance, from which a fit is poor.
const POOR: f64 = 4.0;

/// Estimates the model `ports` from any measured schedules by least squares along critical paths.
///
/// Effective sizes come first, from the round trips. A maximum of ports and flow is the branch that
/// the critical path contains. A port that bounds no measured message, such as that of the fastest
/// processor if its processing takes longer, is 0 without an interval. In-ports have capacities of
/// their own if two-to-one experiments contradict equal ports, and then differ from the out-ports
/// by more than noise and a tenth.
///
/// # Errors
///
/// When there are fewer than three processors, or when the experiments do not identify the
/// parameters: the error lists the missing ones.
pub fn fit(observations: &Observations, level: f64) -> Result<(Ports, Termination), FitError> {
    let Fitted { ports, termination, .. } = correlated_fit(observations, level)?;
    Ok((ports, termination))
}

/// As [`fit`], with the correlations of the errors of the parameters.
pub(super) fn correlated_fit(observations: &Observations, level: f64) -> Result<Fitted, FitError> {
    correlated_fit_with_uplinks(observations, level, &Uplinks::default(), None)
}

/// Estimates the model `ports` as [`fit`] does, with shared links, and the correlations of the
/// errors of its parameters. Delays of shared links without intervals are known; with intervals
/// they are further observations of unknowns. The search starts at the parameters of a model for
/// nearly the same links, if one is given, and keeps its kind of in-ports.
///
/// # Errors
///
/// As [`fit`].
pub(crate) fn correlated_fit_with_uplinks(
    observations: &Observations,
    level: f64,
    uplinks: &Uplinks,
    near: Option<&Ports>,
) -> Result<Fitted, FitError> {
    fit_with_uplinks(observations, Some(level), uplinks, near)
}

/// Estimates the values as [`correlated_fit_with_uplinks`] does, without their intervals, which
/// take most of its time.
///
/// # Errors
///
/// As [`fit`].
pub(crate) fn values_with_uplinks(
    observations: &Observations,
    uplinks: &Uplinks,
    near: Option<&Ports>,
) -> Result<Ports, FitError> {
    Ok(fit_with_uplinks(observations, None, uplinks, near)?.ports)
}

/// Returns true if known shared links change the time of no observation, so that the model that was
/// estimated without them is the one with them: none is slower than the ports of the processors
/// that use it one after the other.
pub(crate) fn are_uplinks_idle(
    observations: &Observations,
    ports: &Ports,
    uplinks: &Uplinks,
) -> bool {
    let (layout, size_law, hosts) = (ports.layout(), &ports.size_law, ports.hosts());
    let parameters: Vec<f64> =
        ports.estimates()[..layout.count()].iter().map(|one| one.value).collect();
    let model = |uplinks: &Uplinks| Fit {
        layout,
        hosts: hosts.clone(),
        pull: 0.0,
        together: [0.0; 2],
        size_law: size_law.clone(),
        uplinks: uplinks.clone(),
        limits: observations.limits(),
        uplink_deviations: Vec::new(),
        are_in_ports_tested: Vec::new(),
    };
    uplinks.is_empty()
        || are_equivalent([&model(uplinks), &model(&Uplinks::default())], observations, &parameters)
}

/// The estimated model.
pub(crate) struct Fitted {
    pub(crate) ports: Ports,
    /// How the iteration ended.
    pub(crate) termination: Termination,
    /// The correlations of the errors of the parameters; none without intervals.
    pub(crate) correlations: Correlations,
    /// The weighted squared residuals.
    cost: f64,
}

/// Estimates a model, with parameters of messages within a host if there are others and the
/// observations identify them, or if `near` has them.
fn fit_with_uplinks(
    observations: &Observations,
    level: Option<f64>,
    uplinks: &Uplinks,
    near: Option<&Ports>,
) -> Result<Fitted, FitError> {
    let layout = Layout::new(observations.processors());
    let has_both = observations.hosts().are_mixed();
    if has_both && near.is_none_or(|near| near.within_host.is_some()) {
        let by_class = fit_in_ports(observations, layout.with_within_host(), level, uplinks, near);
        if by_class.is_ok() || near.is_some() {
            return by_class;
        }
    }
    fit_in_ports(observations, layout, level, uplinks, near)
}

/// Estimates the model of equal ports; returns that with in-ports instead if two-to-one experiments
/// contradict equal ports, or if `near` has in-ports. Without `level`, estimates have no intervals.
fn fit_in_ports(
    observations: &Observations,
    layout: Layout,
    level: Option<f64>,
    uplinks: &Uplinks,
    near: Option<&Ports>,
) -> Result<Fitted, FitError> {
    let with_in_ports = |level| {
        Fit::new(observations, layout.with_in_ports(), uplinks)?.fitted(observations, level, near)
    };
    if near.is_some_and(|near| near.layout().has_in_ports()) {
        return with_in_ports(level);
    }
    let basic = observations.filtered(|one| !is_two_to_one(one));
    let alike = Fit::new(&basic, layout, uplinks)?.fitted(&basic, level, near);
    let max_cost = match &alike {
        Ok(alike) => in_ports::max_cost(&alike.ports, alike.cost, basic.len(), observations)?,
        Err(_) => (basic.len() < observations.len()).then_some(f64::INFINITY),
    };
    if near.is_none()
        && let Some(max_cost) = max_cost
        && let Ok(found) = with_in_ports(level.or(Some(TEST_LEVEL)))
        && found.cost < max_cost
        && in_ports::differ(&found.ports)
    {
        return Ok(found);
    }
    alike
}

/// The estimation problem.
struct Fit {
    layout: Layout,
    hosts: Hosts,
    /// The weight of the rows that draw ports and flows to 0, and in-ports that were not tested to
    /// out-ports.
    pull: f64,
    /// The weights of the rows that draw fixed delays, and delays per byte, of messages within a host
    /// together.
    together: [f64; 2],
    size_law: SizeLaw,
    uplinks: Uplinks,
    limits: ProtocolLimits,
    /// The standard deviations of the delays of shared links, which are then unknowns, too; empty
    /// if the delays are known.
    uplink_deviations: Vec<f64>,
    /// True for processors whose in-ports were tested by several messages at the same time.
    are_in_ports_tested: Vec<bool>,
}

impl Fit {
    /// The problem of these observations.
    ///
    /// # Errors
    ///
    /// When there are fewer than three processors, or usual experiments are missing and the others
    /// are fewer than these.
    fn new(
        observations: &Observations,
        layout: Layout,
        uplinks: &Uplinks,
    ) -> Result<Self, FitError> {
        if layout.processors() < 3 {
            return Err(lmo::too_few(NAME, layout.processors()));
        }
        // Two round trips of each pair and two one-to-two experiments of each processor; the memory
        // below grows with them.
        let experiments = 2 * (layout.pairs().count() + layout.processors());
        if observations.len() < experiments
            && let Some(missing) = missing(observations, layout)
        {
            return Err(missing);
        }
        let weights: Vec<f64> = observations
            .iter()
            .map(|one| one.experiment.size().get() as f64 / one.deviation)
            .collect();
        let weight = median(&weights);
        let sizes = observations.iter().map(|one| one.experiment.size().get() as f64);
        let deviations = uplinks.byte_delay().iter().map(Estimate::deviation);
        let uplink_deviations: Vec<f64> =
            deviations.take_while(|deviation| *deviation > 0.0).collect();
        let are_uncertain = uplink_deviations.len() == uplinks.groups().len();
        let uplink_deviations = if are_uncertain { uplink_deviations } else { Vec::new() };
        Ok(Self {
            layout,
            hosts: observations.hosts().clone(),
            pull: PULL * weight,
            together: [TOGETHER * weight / sizes.fold(1.0, f64::max), TOGETHER * weight],
            size_law: super::size_law_fit::estimate(observations),
            uplinks: uplinks.clone(),
            limits: observations.limits(),
            uplink_deviations,
            are_in_ports_tested: in_ports::tested(observations),
        })
    }

    /// Searches for the critical paths from the parameters of a similar model, or from several
    /// starts. The first value is the mean square of the residuals.
    fn search<'a>(
        &'a self,
        observations: &'a Observations,
        near: Option<&Ports>,
    ) -> Result<(f64, PathSearch<'a, Self>, Solved, Termination), FitError> {
        let layout = self.layout;
        let mut best: Option<(f64, PathSearch<_>, _, _)> = None;
        for quantile in PORT_QUANTILES {
            let given = |near: &Ports| {
                near.estimates()[..layout.count()].iter().map(|one| one.value).collect()
            };
            let started = near
                .map(given)
                .or_else(|| start(observations, layout, &self.size_law, &self.uplinks, quantile));
            let Some(mut parameters) = started else {
                return Err(
                    missing(observations, layout).unwrap_or_else(|| unidentified(layout, &[]))
                );
            };
            parameters.extend(self.uncertain_uplinks().map(|(delay, _)| delay));
            let mut search = PathSearch::new(self, observations, &parameters)?;
            let rows = search.paths_at(&parameters, None)?;
            let first = search.first_step(rows)?;
            let (found, termination) = search.improve(first)?;
            let excess =
                found.cost() / observations.len().saturating_sub(layout.count()).max(1) as f64;
            if best.as_ref().is_none_or(|(least, ..)| excess < *least) {
                best = Some((excess, search, found, termination));
            }
            if excess < POOR || near.is_some() {
                break;
            }
        }
        Ok(best.unwrap_or_else(|| unreachable!("the first start has a result")))
    }

    /// The model with the parameters that fit best, with intervals of this level or without. If the
    /// observations do not separate ports from processing, as with ranks whose messages within a
    /// host are much faster than those across hosts, ports are drawn to 0 more.
    fn fitted(
        self,
        observations: &Observations,
        level: Option<f64>,
        near: Option<&Ports>,
    ) -> Result<Fitted, FitError> {
        let fitted = self.fitted_with_pull(observations, level, near);
        // Usual experiments need not show the parameters of messages within a host.
        let is_undetermined = match &fitted {
            Err(FitError::Unidentified { .. }) => true,
            Err(FitError::Missing { .. }) => self.layout.has_within_host(),
            _ => false,
        };
        if !is_undetermined {
            return fitted;
        }
        let weight = |one: &Observation| one.experiment.size().get() as f64 / one.deviation;
        let largest = observations.iter().map(weight).fold(0.0, f64::max);
        let pull = STRONG_PULL * largest * (self.layout.processors() as f64).sqrt();
        Self { pull, ..self }.fitted_with_pull(observations, level, near)
    }

    /// The model with the parameters that fit best, as [`Fit::fitted`] returns it.
    fn fitted_with_pull(
        &self,
        observations: &Observations,
        level: Option<f64>,
        near: Option<&Ports>,
    ) -> Result<Fitted, FitError> {
        let (excess, mut search, best, termination) = self.search(observations, near)?;
        let cost = best.cost();
        let Some(level) = level else {
            let ports = self.ports(|p| Estimate::exact(best.values()[p]));
            return Ok(Fitted { ports, termination, correlations: Correlations::default(), cost });
        };
        let estimates = search.estimates(&best, level)?;
        let is_bound = |p: usize| estimates.samples[p] > 0;
        let mut ports = self.ports(|p| {
            let unbound = Estimate { samples: Some(0), ..Estimate::exact(0.0) };
            if is_bound(p) { estimates.estimate(p, level) } else { unbound }
        });
        in_ports::complete(&mut ports, &self.are_in_ports_tested, observations, excess)?;
        Ok(Fitted { ports, termination, correlations: estimates.correlations, cost })
    }

    /// The delays of shared links that are unknowns, with their standard deviations.
    fn uncertain_uplinks(&self) -> impl Iterator<Item = (f64, f64)> {
        self.uplinks
            .byte_delay()
            .iter()
            .map(|delay| delay.value)
            .zip(self.uplink_deviations.iter().copied())
    }

    /// The parameters of messages within a host that are drawn to 0: the delays of memory, and all
    /// of a processor that is alone on its host.
    fn drawn_within_host(&self) -> impl Iterator<Item = usize> {
        let layout = self.layout;
        let others = move |one: Processor| {
            Processor::first(layout.processors()).filter(move |other| *other != one)
        };
        let is_alone = move |one: Processor| {
            let class = |other| self.hosts.class(one, other);
            !others(one).any(|other| class(other) == Some(LinkClass::WithinHost))
        };
        let processors = if layout.has_within_host() { layout.processors() } else { 0 };
        Processor::first(processors).flat_map(move |one| {
            let [fixed, byte, port] = layout.of_processor(one.index(), true);
            let alone = is_alone(one).then_some([fixed, byte]);
            alone.into_iter().flatten().chain([port])
        })
    }

    /// Draws the parameters of messages within a host to those of its other processors. It decides
    /// about processors whose experiments do not show them: the memory is the same.
    fn draw_together_within_hosts(&self, rows: &mut SparseRows) {
        let layout = self.layout;
        let groups = if layout.has_within_host() { self.hosts.groups() } else { Vec::new() };
        for two in groups.iter().flat_map(|group| group.windows(2)) {
            let [a, b] = [two[0], two[1]].map(|one| layout.of_processor(one.index(), true));
            let [fixed, per_byte] = self.together;
            let weights = [fixed, per_byte, per_byte];
            for ((a, b), weight) in a.into_iter().zip(b).zip(weights) {
                rows.push([(a, 1.0), (b, -1.0)], 0.0, weight);
            }
        }
    }

    /// The model with these estimates of its parameters.
    fn ports(&self, estimate: impl Fn(usize) -> Estimate) -> Ports {
        let first = self.layout.count();
        let mut delays = self.uplinks.byte_delay().to_vec();
        for (group, delay) in delays.iter_mut().enumerate().take(self.uplink_deviations.len()) {
            let found = estimate(first + group);
            // No critical path contains a link that is faster than the ports.
            if found.samples != Some(0) {
                *delay = Estimate { samples: delay.samples, ..found };
            }
        }
        let uplinks = self.uplinks.clone().with_byte_delay(delays);
        Ports {
            uplinks,
            ..Ports::from_layout(self.layout, &self.hosts, self.size_law.clone(), estimate)
        }
    }
}

impl PathModel for Fit {
    type Network = PortsNetwork;

    fn parameters(&self) -> usize {
        self.layout.count() + self.uplink_deviations.len()
    }

    fn pairs(&self) -> impl Iterator<Item = Vec<usize>> {
        let layout = self.layout;
        (0..layout.pairs().count())
            .map(move |pair| vec![layout.flow_byte_delay(pair), layout.link_latency(pair)])
    }

    fn unknowns(&self) -> Unknowns {
        let layout = self.layout;
        let of_processor =
            |i| vec![layout.byte_delay(i), layout.fixed_delay(i), layout.port_byte_delay(i)];
        Unknowns {
            cluster: Vec::new(),
            processors: (0..layout.processors()).map(of_processor).collect(),
            pairs: self.pairs().collect(),
        }
    }

    fn network(&self, parameters: &[f64]) -> PortsNetwork {
        let (own, delays) = parameters.split_at(self.layout.count());
        let network = PortsNetwork::new(self.layout, own.to_vec()).with_limits(self.limits);
        let network = network.with_size_law(self.size_law.clone()).with_hosts(self.hosts.clone());
        if delays.is_empty() {
            return network.with_known_uplinks(self.uplinks.clone());
        }
        let delays = delays.iter().map(|&delay| Estimate::exact(delay)).collect();
        network.with_uplinks(self.uplinks.clone().with_byte_delay(delays))
    }

    fn is_settled(&self, _: &Observation) -> bool {
        // The slowest of the ports and the flow decides.
        false
    }

    fn further_rows(&self) -> SparseRows {
        let layout = self.layout;
        let mut rows = SparseRows::new();
        let drawn = (0..layout.processors()).map(|i| layout.port_byte_delay(i));
        let drawn = drawn.chain(self.drawn_within_host());
        let drawn =
            drawn.chain((0..layout.pairs().count()).map(|pair| layout.flow_byte_delay(pair)));
        drawn.for_each(|parameter| rows.push([(parameter, 1.0)], 0.0, self.pull));
        self.draw_together_within_hosts(&mut rows);
        for i in (0..layout.processors()).filter(|_| layout.has_in_ports()) {
            let (in_port, port) = (layout.in_port_byte_delay(i), layout.port_byte_delay(i));
            let drawn_to = if self.are_in_ports_tested[i] { 0.0 } else { -1.0 };
            rows.push([(in_port, 1.0), (port, drawn_to)], 0.0, self.pull);
        }
        for (group, (delay, deviation)) in self.uncertain_uplinks().enumerate() {
            rows.push([(layout.count() + group, 1.0)], delay, 1.0 / deviation);
        }
        rows
    }

    fn unidentified(&self, observations: &Observations, parameters: &[usize]) -> FitError {
        missing(observations, self.layout).unwrap_or_else(|| unidentified(self.layout, parameters))
    }
}

/// The error that lists the experiments missing from a usual campaign; `None` if none is missing.
fn missing(observations: &Observations, layout: Layout) -> Option<FitError> {
    lmo::missing(NAME, observations, lmo::Layout::new(layout.processors(), true))
}

/// The error for parameters that the experiments do not identify.
fn unidentified(layout: Layout, parameters: &[usize]) -> FitError {
    let network = PortsNetwork::new(layout, vec![0.0; layout.count()]);
    let parameters = parameters.iter().map(|&p| network.parameter(p as u32).to_string()).collect();
    FitError::Unidentified { model: NAME, parameters }
}

/// The estimation of the model `ports`, whether messages share ports as flows or not.
pub(in crate::comm) const ESTIMATOR: Estimator = Estimator {
    uses: &[ExperimentKind::RoundTrip, ExperimentKind::OneToTwo, ExperimentKind::TwoToOne],
    fit: |observations, options| {
        let fitted = correlated_fit(observations, options.level)?;
        let estimated = Estimated::new(&fitted.ports, fitted.correlations);
        Ok(Estimated { termination: Some(fitted.termination), ..estimated })
    },
    separates_classes: true,
    ..Estimator::BASIC
};
