//! The derivatives of the ends of flows by the delays per byte of links.

use crate::sharing::maxmin::{Demand, MaxMin};

/// The largest relative difference of levels that count as equal.
const LEVEL_TOLERANCE: f64 = 1e-9;

/// The derivatives of flows in a simulation, which follow its changes of rates.
///
/// What is left of a flow at time t is a − ρ·t with constants a and ρ between changes of its rate. At a change at time t from ρ to
/// ρ′, a grows by (ρ′ − ρ)·t; the flow ends at a/ρ. With the order of events fixed, the derivatives follow from those of the rates:
/// the level λ of a saturated link of capacity c is (c − Σ ρ of flows that another link bounds) / Σ 1/φ of the others, whose rates are
/// λ/φ.
pub(super) struct FlowDerivatives {
    /// The delay per byte of each parameter, and the parameter of each link that has one.
    delays: Vec<f64>,
    parameter_of: Vec<Option<usize>>,
    flows: Vec<FlowState>,
    /// By flow: the derivatives of its rate, and of a; before its first rate those of its start, after its end those of its end.
    of_rate: Vec<f64>,
    of_line: Vec<f64>,
    /// By link: its level, and the derivatives of the level if it is saturated.
    levels: Vec<f64>,
    of_level: Vec<f64>,
    /// Scratch memory: links with changed levels, and a row of derivatives.
    changed: Vec<usize>,
    row: Vec<f64>,
}

/// A flow, by its number.
#[derive(Debug, Clone, Default)]
struct FlowState {
    rate: f64,
    /// φ, and its increase with the delay of each parameter of the route.
    inverse_weight: f64,
    weight_per_delay: f64,
    /// The parameters of its route.
    parameters: Vec<usize>,
    /// The parameter whose link is the bound of its rate.
    bound: Option<usize>,
    has_ended: bool,
}

impl FlowDerivatives {
    /// The derivatives by these delays \[s/B\]; the links of each parameter, in the numbering of the simulation.
    pub(super) fn new(delays: Vec<f64>, links: usize, parameters: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut parameter_of = vec![None; links];
        parameters.into_iter().for_each(|(link, parameter)| parameter_of[link] = Some(parameter));
        Self {
            of_level: vec![0.0; links * delays.len()],
            levels: vec![f64::INFINITY; links],
            row: vec![0.0; delays.len()],
            delays,
            parameter_of,
            flows: Vec::new(),
            of_rate: Vec::new(),
            of_line: Vec::new(),
            changed: Vec::new(),
        }
    }

    /// The number of parameters.
    fn count(&self) -> usize {
        self.delays.len()
    }

    /// A flow starts at a time with these derivatives; the links of its route, those included that it has for itself.
    pub(super) fn start(
        &mut self,
        flow: usize,
        demand: &Demand,
        route: impl Iterator<Item = usize>,
        weight_per_delay: f64,
        of_start: &[f64],
    ) {
        let count = self.count();
        if self.flows.len() <= flow {
            self.flows.resize_with(flow + 1, FlowState::default);
            self.of_rate.resize((flow + 1) * count, 0.0);
            self.of_line.resize((flow + 1) * count, 0.0);
        }
        let state = &mut self.flows[flow];
        (state.rate, state.has_ended) = (0.0, false);
        (state.inverse_weight, state.weight_per_delay) = (demand.inverse_weight, weight_per_delay);
        state.parameters.clear();
        state.parameters.extend(route.filter_map(|link| self.parameter_of[link]));
        let is_bound = |parameter: &usize| demand.bound * self.delays[*parameter] >= 1.0 - LEVEL_TOLERANCE;
        state.bound = state.parameters.iter().copied().find(is_bound);
        self.of_rate[flow * count..(flow + 1) * count].fill(0.0);
        self.of_line[flow * count..(flow + 1) * count].copy_from_slice(of_start);
    }

    /// A flow ends at `now`: returns the derivatives of its end.
    pub(super) fn end(&mut self, flow: usize, now: f64) -> &[f64] {
        let range = flow * self.count()..(flow + 1) * self.count();
        let state = &mut self.flows[flow];
        state.has_ended = true;
        // An empty flow ends when it starts.
        if state.rate > 0.0 {
            for (line, of_rate) in self.of_line[range.clone()].iter_mut().zip(&self.of_rate[range.clone()]) {
                *line = (*line - now * of_rate) / state.rate;
            }
        }
        &self.of_line[range]
    }

    /// The rates have changed at `now`, whose derivatives these are.
    pub(super) fn update(&mut self, now: f64, of_now: &[f64], sharing: &MaxMin) {
        self.update_levels(sharing);
        let count = self.count();
        let mut row = std::mem::take(&mut self.row);
        for flow in sharing.changed().iter().map(|&flow| flow as usize) {
            if self.flows.get(flow).is_none_or(|state| state.has_ended) {
                continue;
            }
            row.fill(0.0);
            self.add_rate(flow, 1.0, sharing, &mut row);
            let (old, new) = (self.flows[flow].rate, sharing.rate(flow));
            self.flows[flow].rate = new;
            let range = flow * count..(flow + 1) * count;
            let lines = self.of_line[range.clone()].iter_mut().zip(&mut self.of_rate[range]);
            for (((line, of_rate), &of_new), &of_now) in lines.zip(&row).zip(of_now) {
                let before = if old == 0.0 { new * *line } else { *line + (new - old) * of_now };
                *line = before + (of_new - *of_rate) * now;
                *of_rate = of_new;
            }
        }
        self.row = row;
    }

    /// Computes the derivatives of the levels that have changed, from the lowest level up.
    fn update_levels(&mut self, sharing: &MaxMin) {
        let mut changed = std::mem::take(&mut self.changed);
        changed.clear();
        for link in sharing.changed_levels().iter().map(|&link| link as usize) {
            let level = sharing.level(link);
            if level.to_bits() != self.levels[link].to_bits() {
                self.levels[link] = level;
                changed.extend(level.is_finite().then_some(link));
            }
        }
        changed.sort_by(|&a, &b| self.levels[a].total_cmp(&self.levels[b]).then(a.cmp(&b)));
        changed.iter().for_each(|&link| self.update_level(link, sharing));
        self.changed = changed;
    }

    /// Computes the derivatives of the level of a saturated link.
    fn update_level(&mut self, link: usize, sharing: &MaxMin) {
        let mut row = std::mem::take(&mut self.row);
        row.fill(0.0);
        if let Some(parameter) = self.parameter_of[link] {
            row[parameter] = -self.delays[parameter].powi(-2);
        }
        let (level, mut weight) = (self.levels[link], 0.0);
        for (flow, _) in sharing.link_usage(link) {
            let Some(state) = self.flows.get(flow) else { continue };
            if sharing.rate(flow) * state.inverse_weight < level * (1.0 - LEVEL_TOLERANCE) {
                self.add_rate(flow, -1.0, sharing, &mut row);
            } else {
                weight += 1.0 / state.inverse_weight;
                state.add_weight(level / state.inverse_weight.powi(2), &mut row);
            }
        }
        let range = link * self.count()..(link + 1) * self.count();
        if weight > 0.0 {
            self.of_level[range].iter_mut().zip(&row).for_each(|(old, new)| *old = new / weight);
        }
        self.row = row;
    }

    /// Adds the derivatives of the rate of a flow times a factor.
    fn add_rate(&self, flow: usize, factor: f64, sharing: &MaxMin, row: &mut [f64]) {
        let (rate, state) = (sharing.rate(flow), &self.flows[flow]);
        let level = rate * state.inverse_weight;
        let bottleneck = sharing.bottleneck(flow);
        let Some(link) = bottleneck.filter(|&link| level >= self.levels[link] * (1.0 - LEVEL_TOLERANCE)) else {
            if let Some(bound) = state.bound {
                row[bound] -= factor * rate * rate;
            }
            return;
        };
        let of_level = &self.of_level[link * self.count()..(link + 1) * self.count()];
        row.iter_mut().zip(of_level).for_each(|(sum, of_level)| *sum += factor * of_level / state.inverse_weight);
        state.add_weight(-factor * rate / state.inverse_weight, row);
    }
}

impl FlowState {
    /// Adds the derivatives of φ times a factor.
    fn add_weight(&self, factor: f64, row: &mut [f64]) {
        self.parameters.iter().for_each(|&parameter| row[parameter] += factor * self.weight_per_delay);
    }
}
