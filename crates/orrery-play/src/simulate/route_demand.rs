use super::error::SimulationError;
use super::flow_model::FlowModel;
use orrery_cluster::platform::{HostId, LinkId, Topology};
use orrery_cluster::sharing::maxmin::Demand;

/// Computes the demand of messages on the links of their routes; keeps the buffers for routes.
#[derive(Debug, Default)]
pub(super) struct RouteDemand {
    forward: Vec<LinkId>,
    reverse: Vec<LinkId>,
}

impl RouteDemand {
    /// The route of the last message; empty within a host.
    pub(super) fn route(&self) -> &[LinkId] {
        &self.forward
    }

    /// Sets `demand` to that of a message between two hosts; returns the sum of latencies of its
    /// links in seconds. An error if there is no route.
    ///
    /// Links of the route have weight 1, links of the reverse route the model's weight of
    /// acknowledgements; a link on both has the sum. FATPIPE links only bound the rate. `factor` is
    /// the latency factor of the message.
    pub(super) fn compute(
        &mut self,
        model: &FlowModel,
        topology: &Topology,
        (from, to): (HostId, HostId),
        factor: f64,
        demand: &mut Demand,
    ) -> Result<f64, SimulationError> {
        demand.links.clear();
        self.forward.clear();
        self.reverse.clear();
        let window = |latency: f64| {
            if latency > 0.0 { model.tcp_window / (2.0 * latency) } else { f64::INFINITY }
        };
        if !topology.append_route(from, to, &mut self.forward) {
            if from != to {
                let [from, to] = [from, to].map(|host| &topology.hosts[host.index()].name);
                return Err(SimulationError::Other(format!(
                    "there is no route from host {from} to host {to}; add one to the platform"
                )));
            }
            let (bandwidth, latency) = model.loopback;
            demand.inverse_weight = model.inverse_weight(latency, factor, [bandwidth].into_iter());
            demand.bound = bandwidth.min(window(latency));
            return Ok(latency);
        }
        if model.cross_traffic > 0.0 && !topology.append_route(to, from, &mut self.reverse) {
            self.reverse.clear();
        }
        let links = || self.forward.iter().map(|link| &topology.links[link.index()]);
        let latency: f64 = links().map(|link| link.latency.get()).sum();
        let bandwidths = || links().map(|link| link.bandwidth.get());
        demand.bound = bandwidths().fold(window(latency).min(f64::MAX), f64::min);
        demand.inverse_weight = model.inverse_weight(latency, factor, bandwidths());
        if !model.shares_links {
            return Ok(latency);
        }
        let forward = self.forward.iter().map(|link| (link, 1.0));
        for (link, weight) in
            forward.chain(self.reverse.iter().map(|link| (link, model.cross_traffic)))
        {
            if topology.links[link.index()].is_fatpipe {
                continue;
            }
            match demand.links.iter_mut().find(|(used, _)| *used == link.index()) {
                Some((_, sum)) => *sum += weight,
                None => demand.links.push((link.index(), weight)),
            }
        }
        Ok(latency)
    }
}
