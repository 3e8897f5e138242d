use super::error::SimulationError;
use super::model::FlowModel;
use crate::platform::{HostId, LinkId, Topology};
use crate::sharing::maxmin::Demand;

/// The link from a host to itself where a platform names none: SimGrid's, with the whole rate for every message.
const LOOPBACK_RATE: f64 = 498e6;
const LOOPBACK_LATENCY: f64 = 15e-6;

/// What messages between hosts ask of the links.
#[derive(Debug, Default)]
pub(super) struct Wires {
    there: Vec<LinkId>,
    back: Vec<LinkId>,
}

impl Wires {
    /// Writes down what a message between two hosts asks; gives Σ latency of its links, in seconds.
    ///
    /// Each link on the way has weight 1, each on the way of the answers the model's; a link on both ways has both. Links
    /// that every transfer has for itself are bounds.
    pub(super) fn between(
        &mut self,
        model: &FlowModel,
        topology: &Topology,
        (from, to): (HostId, HostId),
        demand: &mut Demand,
    ) -> Result<f64, SimulationError> {
        demand.links.clear();
        self.there.clear();
        self.back.clear();
        if !topology.append_route(from, to, &mut self.there) {
            if from != to {
                let name = |host: HostId| topology.hosts[host.index()].name.clone();
                return Err(SimulationError::NoRoute { from: name(from), to: name(to) });
            }
            demand.inverse_weight = model.share(LOOPBACK_LATENCY, [LOOPBACK_RATE].into_iter());
            demand.bound = LOOPBACK_RATE.min(model.window / (2.0 * LOOPBACK_LATENCY));
            return Ok(LOOPBACK_LATENCY);
        }
        if model.answers > 0.0 && !topology.append_route(to, from, &mut self.back) {
            self.back.clear();
        }
        let links = || self.there.iter().map(|link| &topology.links[link.index()]);
        let latency: f64 = links().map(|link| link.latency.get()).sum();
        let bandwidths = || links().map(|link| link.bandwidth.get());
        let window = if latency > 0.0 { model.window / (2.0 * latency) } else { f64::INFINITY };
        demand.bound = bandwidths().fold(window.min(f64::MAX), f64::min);
        demand.inverse_weight = model.share(latency, bandwidths());
        if !model.shares_links {
            return Ok(latency);
        }
        let there = self.there.iter().map(|link| (link, 1.0));
        for (link, weight) in there.chain(self.back.iter().map(|link| (link, model.answers))) {
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
