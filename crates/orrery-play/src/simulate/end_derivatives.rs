//! The derivatives of the ends of ranks by the delays per byte of links, along the events that
//! ranks wait for.

use super::flow_derivatives::FlowDerivatives;
use orrery_cluster::platform::{LinkId, Topology};
use orrery_cluster::sharing::maxmin::{Demand, MaxMin};
use orrery_program::schedule::Rank;

/// The derivatives of all pending events of a replay.
pub(super) struct EndDerivatives {
    /// The number of parameters.
    count: usize,
    flows: FlowDerivatives,
    /// By number: the links of the route of a message.
    routes: Vec<Vec<LinkId>>,
    /// The derivatives of the present time, and of the first change of flows since the last update
    /// of rates.
    of_now: Vec<f64>,
    of_cause: Option<Vec<f64>>,
    /// By number: the derivatives of the event of a rank, also after it, and of the start of a
    /// flow.
    of_event: Vec<f64>,
    /// By rank: the derivatives of the time until which it is busy with overheads.
    of_busy: Vec<f64>,
}

impl EndDerivatives {
    /// The derivatives by the delays per byte of these parameters, each a set of links with the
    /// same delay, before the first event.
    pub(super) fn new(topology: &Topology, ranks: usize, parameters: &[Vec<LinkId>]) -> Self {
        let count = parameters.len();
        let delay = |links: &Vec<LinkId>| {
            links.first().map_or(0.0, |link| topology.links[link.index()].bandwidth.get().recip())
        };
        let numbered = parameters.iter().enumerate();
        let links = numbered
            .flat_map(|(parameter, links)| links.iter().map(move |link| (link.index(), parameter)));
        let delays = parameters.iter().map(delay).collect();
        // Hosts are resources of max-min sharing, too.
        let resources = topology.links.len() + topology.hosts.len();
        Self {
            count,
            flows: FlowDerivatives::new(delays, resources, links),
            routes: Vec::new(),
            of_now: vec![0.0; count],
            of_cause: None,
            of_event: vec![0.0; ranks * count],
            of_busy: vec![0.0; ranks * count],
        }
    }

    /// Takes over the derivatives of the event with a number, of a rank or a flow, as those of the
    /// present time.
    pub(super) fn enter_event(&mut self, number: usize) {
        self.of_now.copy_from_slice(&self.of_event[number * self.count..(number + 1) * self.count]);
    }

    /// Records that the event of a number is set to a time that is later than now by a constant.
    pub(super) fn set_event(&mut self, number: usize) {
        let range = number * self.count..(number + 1) * self.count;
        if self.of_event.len() < range.end {
            self.of_event.resize(range.end, 0.0);
        }
        self.of_event[range].copy_from_slice(&self.of_now);
    }

    /// Records that a rank is busy with overheads until a time that is later than now by a
    /// constant.
    pub(super) fn set_busy(&mut self, rank: Rank) {
        self.of_busy[rank.index() * self.count..][..self.count].copy_from_slice(&self.of_now);
    }

    /// Records that the event of a rank is set to the time until which it is busy.
    pub(super) fn set_event_to_busy(&mut self, rank: Rank) {
        let of_busy = &self.of_busy[rank.index() * self.count..][..self.count];
        self.of_event[rank.index() * self.count..][..self.count].copy_from_slice(of_busy);
    }

    /// Sets the route of a message, including links that no other message uses.
    pub(super) fn set_route(&mut self, number: usize, route: &[LinkId]) {
        if self.routes.len() <= number {
            self.routes.resize_with(number + 1, Vec::new);
        }
        self.routes[number].clear();
        self.routes[number].extend_from_slice(route);
    }

    /// Records that a flow starts now.
    pub(super) fn start_flow(&mut self, number: usize, demand: &Demand, weight_per_delay: f64) {
        let route = self.routes.get(number).into_iter().flatten().map(|link| link.index());
        self.flows.start(number, demand, route, weight_per_delay, &self.of_now);
        self.of_cause.get_or_insert_with(|| self.of_now.clone());
    }

    /// Makes the present time, `now` in seconds, that of the end of a flow.
    pub(super) fn end_flow(&mut self, number: usize, now: f64) {
        self.of_now.copy_from_slice(self.flows.end(number, now));
        self.of_cause.get_or_insert_with(|| self.of_now.clone());
    }

    /// Makes the present time, `now` in seconds, that at which a flow has transferred a given part
    /// of its message.
    pub(super) fn pass_flow(&mut self, number: usize, now: f64) {
        self.flows.pass(number, now, &mut self.of_now);
    }

    /// Follows the change of rates after starts and ends of flows; `sharing` has the new rates.
    pub(super) fn update_rates(&mut self, now: f64, sharing: &MaxMin) {
        if let Some(of_cause) = self.of_cause.take() {
            self.flows.update(now, &of_cause, sharing);
        }
    }

    /// The derivatives of the end of each rank by each parameter, after the last event.
    pub(super) fn of_ranks(self) -> Vec<Vec<f64>> {
        let ranks = self.of_busy.len() / self.count.max(1);
        (0..ranks)
            .map(|rank| self.of_event[rank * self.count..(rank + 1) * self.count].to_vec())
            .collect()
    }
}
