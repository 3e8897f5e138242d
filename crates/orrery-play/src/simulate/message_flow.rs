//! Messages from their start: a number, a latency, then a flow.

use super::communication::Communication;
use super::error::SimulationError;
use super::rank_state::{ActiveFlow, MessageEnd, UncontendedTransfer, UnmatchedOperation};
use super::replay::Replay;
use orrery_base::units::Seconds;
use orrery_cluster::sharing::Transfer;
use orrery_cluster::sharing::maxmin::Demand;
use orrery_program::schedule::Rank;

impl Replay<'_> {
    /// Starts a message: its latency begins. Returns its number. An error if there is no route
    /// between the hosts.
    pub(super) fn start_message(
        &mut self,
        message: UnmatchedOperation,
        receiver: MessageEnd,
    ) -> Result<usize, SimulationError> {
        let model = &self.settings.model;
        let host = |end: MessageEnd| self.settings.hosts[end.rank.index()];
        let hosts = (host(message.end), host(receiver));
        let consent = self.consent(&message, receiver.rank);
        // The model's factors are those of the size on the wire.
        let size = (message.size + model.envelope()).get() as f64;
        let (latency_factor, factor) = model.factors(size);
        let times = &mut self.ranks[receiver.rank.index()].times;
        times.received = times.received + message.size;
        let number = self.allocate_number(receiver.rank);
        let ends = [message.end, receiver];
        let connection = self.connection(ends);
        let index = self.demand_index(number);
        let demand = &mut self.demands[index];
        let latency = self.route_demand.compute(
            model,
            self.settings.topology,
            hosts,
            latency_factor,
            demand,
        )?;
        self.flows[number] = Some(ActiveFlow { ends, has_started: false, rest_after_event: 0.0 });
        if let Some(order) = &mut self.order {
            order.add(connection, number);
        }
        self.uncontended[number] = UncontendedTransfer { rate: demand.bound, size, factor };
        // Its event is the end of the latency; the flow starts then.
        let latency = (latency * latency_factor + model.additional_latency(message.size)).max(0.0);
        self.queue.set(number, consent + latency);
        if let Some(outgoing) = self.outgoing.as_mut().filter(|_| consent <= self.now) {
            outgoing.add(hosts, number);
        }
        if let Some(derivatives) = &mut self.derivatives {
            derivatives.set_event(number);
            derivatives.set_route(number, self.route_demand.route());
        }
        if let Some(recorder) = &mut self.recorder {
            let [from, to] = ends.map(|end| end.rank);
            let start = Seconds::new(self.now);
            recorder.add(
                number,
                Communication::new([from, to], message.statement, message.size, start),
            );
        }
        if model.counts_latency {
            self.add_to_law(number, ends);
        }
        Ok(number)
    }

    /// Starts the flow of a message, after its latency.
    pub(super) fn start_flow(&mut self, number: usize) {
        let Some(flow) = &mut self.flows[number] else { return };
        flow.has_started = true;
        let ends = flow.ends;
        let uncontended = self.uncontended[number];
        // Its event is the end of the flow, as if it shared nothing. Updates of rates and penalties
        // move this event.
        self.queue.set_uncontended(number, uncontended.duration());
        let demand = &self.demands[self.demand_index(number)];
        if let Some(recorder) = &mut self.recorder {
            let hosts = ends.map(|end| self.settings.hosts[end.rank.index()]);
            recorder.start(number, hosts, demand, uncontended.rate);
        }
        if self.settings.model.shares_links {
            self.rates[number] = uncontended.rate;
            self.sharing.start(number, demand);
            if let Some(derivatives) = &mut self.derivatives {
                let weight_per_delay = self.settings.model.weight_per_delay(demand.inverse_weight);
                derivatives.start_flow(number, demand, weight_per_delay);
            }
        }
        if !self.settings.model.counts_latency {
            self.add_to_law(number, ends);
        }
        self.complete_after_handshake(number, ends);
        self.update_connection(ends, uncontended.size);
    }

    /// Adds a message to those that count for the sharing law.
    fn add_to_law(&mut self, number: usize, ends: [MessageEnd; 2]) {
        if let Some(active) = &mut self.active {
            let [from, to] = ends.map(|end| self.settings.hosts[end.rank.index()].0);
            active.start(number, Transfer::between(from, to));
        }
    }

    /// Allocates a number for a message to a rank; extends all tables by number if there is none
    /// free.
    fn allocate_number(&mut self, rank: Rank) -> usize {
        loop {
            if let Some(number) = self.numbers.take(rank) {
                return number;
            }
            self.numbers.add_block(rank);
            let end = self.numbers.end();
            self.flows.resize(end, None);
            self.uncontended.resize(end, UncontendedTransfer::default());
            self.rates.resize(end, 0.0);
            let none = Demand { links: Vec::new(), inverse_weight: 1.0, bound: 1.0 };
            self.demands.resize(self.demand_index(end - 1) + 1, none);
            self.queue.reserve(end);
        }
    }

    /// The index of the demand of a message; 0 for all if links are not shared.
    fn demand_index(&self, number: usize) -> usize {
        if self.settings.model.shares_links { number - self.ranks.len() } else { 0 }
    }
}
