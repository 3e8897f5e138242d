use super::point_to_point::{NamedParameters, ParameterId, PointToPoint};
use crate::engine::{Message, Moment, Network, Path, Sent};
use crate::numeric::Estimate;

/// The network of a fitted model, whose parameters have estimates.
#[derive(Debug, Clone)]
pub struct FittedNetwork<N> {
    network: N,
    /// In the order in which the network numbers its parameters.
    estimates: Vec<Estimate>,
}

impl<N: NamedParameters> FittedNetwork<N> {
    /// A network made of the values of these estimates.
    pub(super) fn new(network: N, estimates: Vec<Estimate>) -> Self {
        Self { network, estimates }
    }
}

impl<N: Network> Network for FittedNetwork<N> {
    fn processors(&self) -> usize {
        self.network.processors()
    }

    fn reset(&mut self) {
        self.network.reset();
    }

    fn send(&mut self, message: Message, start: Moment, path: &mut Path) -> Sent {
        self.network.send(message, start, path)
    }

    fn receive(&mut self, message: Message, start: Moment, path: &mut Path) -> Moment {
        self.network.receive(message, start, path)
    }

    fn is_rendezvous(&self) -> bool {
        self.network.is_rendezvous()
    }
}

impl<N: NamedParameters> PointToPoint for FittedNetwork<N> {
    fn estimate(&self, parameter: u32) -> Estimate {
        self.estimates[parameter as usize]
    }

    fn parameter(&self, parameter: u32) -> ParameterId {
        self.network.parameter(parameter)
    }
}
