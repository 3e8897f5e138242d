//! The derivatives of the ends of flows by the delays per byte of links.

use orrery_cluster::sharing::maxmin::{Demand, MaxMin};

/// The largest relative difference of levels that count as equal.
const LEVEL_TOLERANCE: f64 = 1e-9;

/// The derivatives of flows in a simulation, which follow its changes of rates.
///
/// What is left of a flow at time t is a − ρ·t with constants a and ρ between changes of its rate.
/// At a change at time t from ρ to ρ′, a grows by (ρ′ − ρ)·t; the flow ends at a/ρ. With the order
/// of events fixed, the derivatives follow from those of the rates: the level λ of a saturated link
/// of capacity c is (c − Σ ρ of flows that another link bounds) / Σ 1/φ of the others, whose rates
/// are λ/φ.
///
/// A link changes its level more often than its flows change their bottleneck. So each saturated
/// link has a line, too: the integral of its level is b + λ·t. While it bounds a flow, what is left
/// of that is k − (b + λ·t)/φ with a constant k = a + b/φ.
pub(super) struct FlowDerivatives {
    /// The delay per byte of each parameter, and the parameter of each link that has one.
    delays: Vec<f64>,
    parameter_of: Vec<Option<usize>>,
    flows: Vec<FlowState>,
    /// By flow: the derivatives of its rate, unless a link bounds it, and of a or k; before its
    /// first rate those of its start, after its end those of its end.
    of_rate: Vec<f64>,
    of_line: Vec<f64>,
    links: Vec<LinkLine>,
    /// By link: the derivatives of λ and b, if it is saturated.
    of_level: Vec<f64>,
    of_integral: Vec<f64>,
    /// Scratch memory: links with changed levels, flows with another bottleneck, a row of
    /// derivatives, and by link the sum of 1/φ of the flows that it bounds on another one, with the
    /// numbers of these links.
    changed: Vec<usize>,
    moved: Vec<usize>,
    row: Vec<f64>,
    shares: Vec<f64>,
    others: Vec<usize>,
}

/// The integral b + λ·t of the level of a link.
#[derive(Debug, Clone, Copy)]
struct LinkLine {
    /// λ, infinite if the link is not saturated.
    level: f64,
    /// b.
    integral: f64,
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
    /// The link whose line it follows.
    link: Option<usize>,
    has_ended: bool,
}

impl FlowDerivatives {
    /// The derivatives by these delays per byte \[s/B\]; `parameters` are pairs of a link, in the
    /// numbering of the simulation, and the index of its delay.
    pub(super) fn new(
        delays: Vec<f64>,
        links: usize,
        parameters: impl IntoIterator<Item = (usize, usize)>,
    ) -> Self {
        let mut parameter_of = vec![None; links];
        parameters.into_iter().for_each(|(link, parameter)| parameter_of[link] = Some(parameter));
        Self {
            of_level: vec![0.0; links * delays.len()],
            of_integral: vec![0.0; links * delays.len()],
            links: vec![LinkLine { level: f64::INFINITY, integral: 0.0 }; links],
            row: vec![0.0; delays.len()],
            delays,
            parameter_of,
            flows: Vec::new(),
            of_rate: Vec::new(),
            of_line: Vec::new(),
            changed: Vec::new(),
            moved: Vec::new(),
            shares: vec![0.0; links],
            others: Vec::new(),
        }
    }

    /// The number of parameters.
    fn count(&self) -> usize {
        self.delays.len()
    }

    /// Starts a flow at a time with the derivatives `of_start`; `route` has all its links, also
    /// those that no other flow uses.
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
        (state.rate, state.link, state.has_ended) = (0.0, None, false);
        (state.inverse_weight, state.weight_per_delay) = (demand.inverse_weight, weight_per_delay);
        state.parameters.clear();
        state.parameters.extend(route.filter_map(|link| self.parameter_of[link]));
        let is_bound =
            |parameter: &usize| demand.bound * self.delays[*parameter] >= 1.0 - LEVEL_TOLERANCE;
        state.bound = state.parameters.iter().copied().find(is_bound);
        self.of_rate[flow * count..(flow + 1) * count].fill(0.0);
        self.of_line[flow * count..(flow + 1) * count].copy_from_slice(of_start);
    }

    /// Ends a flow at `now`; returns the derivatives of this time.
    pub(super) fn end(&mut self, flow: usize, now: f64) -> &[f64] {
        self.leave_link(flow);
        let range = flow * self.count()..(flow + 1) * self.count();
        let state = &mut self.flows[flow];
        state.has_ended = true;
        // An empty flow ends when it starts.
        if state.rate > 0.0 {
            for (line, of_rate) in
                self.of_line[range.clone()].iter_mut().zip(&self.of_rate[range.clone()])
            {
                *line = (*line - now * of_rate) / state.rate;
            }
        }
        &self.of_line[range]
    }

    /// Sets `derivatives` to those of the time `now`, at which a flow has transferred a given part
    /// of its message.
    pub(super) fn pass(&self, flow: usize, now: f64, derivatives: &mut [f64]) {
        let (range, rate) = (flow * self.count()..(flow + 1) * self.count(), self.flows[flow].rate);
        let lines = self.of_line[range.clone()].iter().zip(&self.of_rate[range]);
        if rate > 0.0 {
            derivatives
                .iter_mut()
                .zip(lines)
                .for_each(|(one, (line, of_rate))| *one = (line - now * of_rate) / rate);
        }
    }

    /// Follows the change of rates at `now`, whose derivatives are `of_now`.
    pub(super) fn update(&mut self, now: f64, of_now: &[f64], sharing: &MaxMin) {
        let (mut changed, mut moved) =
            (std::mem::take(&mut self.changed), std::mem::take(&mut self.moved));
        changed.clear();
        changed.extend(sharing.changed_levels().iter().map(|&link| link as usize));
        changed.retain(|&link| sharing.level(link).to_bits() != self.links[link].level.to_bits());
        changed.sort_by(|&a, &b| sharing.level(a).total_cmp(&sharing.level(b)).then(a.cmp(&b)));
        changed.dedup();
        moved.clear();
        for flow in sharing.changed().iter().map(|&flow| flow as usize) {
            let Some(state) = self.flows.get(flow).filter(|state| !state.has_ended) else {
                continue;
            };
            if state.link.is_none() || state.link != self.bottleneck(flow, sharing) {
                self.leave_link(flow);
                moved.push(flow);
            }
        }
        // A flow with the same rate as before may have another bottleneck, too.
        for &link in &changed {
            for (flow, _) in sharing.link_usage(link) {
                let follows = self.flows.get(flow).is_some_and(|state| state.link == Some(link));
                if follows && self.bottleneck(flow, sharing) != Some(link) {
                    self.leave_link(flow);
                }
            }
        }
        changed.iter().for_each(|&link| self.update_line(link, now, of_now, sharing));
        moved.iter().for_each(|&flow| self.update_flow(flow, now, of_now, sharing));
        (self.changed, self.moved) = (changed, moved);
    }

    /// The link that bounds the rate of a flow; `None` if its own bound does.
    fn bottleneck(&self, flow: usize, sharing: &MaxMin) -> Option<usize> {
        let level = sharing.rate(flow) * self.flows[flow].inverse_weight;
        sharing
            .bottleneck(flow)
            .filter(|&link| level >= sharing.level(link) * (1.0 - LEVEL_TOLERANCE))
    }

    /// Gives a flow a line of its own: ρ = λ/φ and a = k − b/φ of the link whose line it follows.
    fn leave_link(&mut self, flow: usize) {
        let Some(link) = self.flows[flow].link.take() else { return };
        let (LinkLine { level, integral }, count) = (self.links[link], self.count());
        let (own, of) = (flow * count..(flow + 1) * count, link * count..(link + 1) * count);
        let state = &mut self.flows[flow];
        let weight = 1.0 / state.inverse_weight;
        state.rate = level * weight;
        let (of_rate, of_line) = (&mut self.of_rate[own.clone()], &mut self.of_line[own]);
        of_rate
            .iter_mut()
            .zip(&self.of_level[of.clone()])
            .for_each(|(own, of_level)| *own = of_level * weight);
        of_line
            .iter_mut()
            .zip(&self.of_integral[of])
            .for_each(|(own, of_integral)| *own -= of_integral * weight);
        state.add_weight(-level * weight * weight, of_rate);
        state.add_weight(integral * weight * weight, of_line);
    }

    /// Computes the line of a flow with another rate or bottleneck than before.
    fn update_flow(&mut self, flow: usize, now: f64, of_now: &[f64], sharing: &MaxMin) {
        let (count, mut row) = (self.count(), std::mem::take(&mut self.row));
        let link = self.bottleneck(flow, sharing);
        let (old, new) = (self.flows[flow].rate, sharing.rate(flow));
        self.set_rate(flow, new, link, &mut row);
        let range = flow * count..(flow + 1) * count;
        let of_line = &mut self.of_line[range.clone()];
        let lines = of_line.iter_mut().zip(&mut self.of_rate[range]);
        for (((line, of_rate), &of_new), &of_now) in lines.zip(&row).zip(of_now) {
            let before = if old == 0.0 { new * *line } else { *line + (new - old) * of_now };
            *line = before + (of_new - *of_rate) * now;
            *of_rate = of_new;
        }
        self.row = row;
        let state = &mut self.flows[flow];
        (state.rate, state.link) = (new, link);
        if let Some(link) = link {
            let weight = 1.0 / state.inverse_weight;
            let of_integral = &self.of_integral[link * count..(link + 1) * count];
            of_line
                .iter_mut()
                .zip(of_integral)
                .for_each(|(own, of_integral)| *own += of_integral * weight);
            state.add_weight(-self.links[link].integral * weight * weight, of_line);
        }
    }

    /// Computes the line of a link whose level has changed at `now`; those of lower levels are
    /// known.
    fn update_line(&mut self, link: usize, now: f64, of_now: &[f64], sharing: &MaxMin) {
        let LinkLine { level: old, integral } = self.links[link];
        let new = sharing.level(link);
        self.links[link].level = new;
        if new.is_infinite() {
            return;
        }
        let range = link * self.count()..(link + 1) * self.count();
        let (of_level, of_integral) =
            (&mut self.of_level[range.clone()], &mut self.of_integral[range.clone()]);
        // A link that was not saturated starts a new integral.
        let (old, integral) = if old.is_finite() { (old, integral) } else { (0.0, 0.0) };
        if old == 0.0 {
            of_level.fill(0.0);
            of_integral.fill(0.0);
        }
        self.links[link].integral = integral + (old - new) * now;
        let lines = of_integral.iter_mut().zip(of_level).zip(of_now);
        lines.for_each(|((of_integral, of_level), of_now)| {
            *of_integral += *of_level * now + (old - new) * of_now;
        });
        self.update_level(link, sharing);
        let lines = self.of_integral[range.clone()].iter_mut().zip(&self.of_level[range]);
        lines.for_each(|(of_integral, of_level)| *of_integral -= of_level * now);
    }

    /// Computes the derivatives of the level of a saturated link.
    fn update_level(&mut self, link: usize, sharing: &MaxMin) {
        let mut row = std::mem::take(&mut self.row);
        row.fill(0.0);
        if let Some(parameter) = self.parameter_of[link] {
            row[parameter] = -self.delays[parameter].powi(-2);
        }
        let (level, mut weight) = (self.links[link].level, 0.0);
        let (mut shares, mut others) =
            (std::mem::take(&mut self.shares), std::mem::take(&mut self.others));
        for (flow, _) in sharing.link_usage(link) {
            let Some(state) = self.flows.get(flow) else { continue };
            let (rate, share) = (sharing.rate(flow), 1.0 / state.inverse_weight);
            if rate * state.inverse_weight >= level * (1.0 - LEVEL_TOLERANCE) {
                weight += share;
                state.add_weight(level * share * share, &mut row);
            } else if let Some(other) = self.bottleneck(flow, sharing) {
                if shares[other] == 0.0 {
                    others.push(other);
                }
                shares[other] += share;
                state.add_weight(rate * share, &mut row);
            } else if let Some(bound) = state.bound {
                row[bound] += rate * rate;
            }
        }
        for other in others.drain(..) {
            let share = std::mem::take(&mut shares[other]);
            let of_level = &self.of_level[other * self.count()..(other + 1) * self.count()];
            row.iter_mut().zip(of_level).for_each(|(sum, of_level)| *sum -= share * of_level);
        }
        let range = link * self.count()..(link + 1) * self.count();
        if weight > 0.0 {
            let share = 1.0 / weight;
            self.of_level[range].iter_mut().zip(&row).for_each(|(old, new)| *old = new * share);
        }
        (self.row, self.shares, self.others) = (row, shares, others);
    }

    /// Sets a row to the derivatives of the rate of a flow, which `link` bounds, or its own bound
    /// if that is `None`.
    fn set_rate(&self, flow: usize, rate: f64, link: Option<usize>, row: &mut [f64]) {
        let state = &self.flows[flow];
        if let Some(link) = link {
            let share = 1.0 / state.inverse_weight;
            let of_level = &self.of_level[link * self.count()..(link + 1) * self.count()];
            row.iter_mut().zip(of_level).for_each(|(own, of_level)| *own = share * of_level);
            state.add_weight(-rate * share, row);
        } else {
            row.fill(0.0);
            if let Some(bound) = state.bound {
                row[bound] = -rate * rate;
            }
        }
    }
}

impl FlowState {
    /// Adds the derivatives of φ times a factor to a row.
    fn add_weight(&self, factor: f64, row: &mut [f64]) {
        self.parameters
            .iter()
            .for_each(|&parameter| row[parameter] += factor * self.weight_per_delay);
    }
}
