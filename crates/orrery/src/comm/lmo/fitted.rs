use super::{Layout, Lmo, LmoNetwork};
use crate::comm::{Parameter, PointToPoint};
use crate::engine::{Message, Moment, Network, Path, Sent};
use crate::numeric::Estimate;
use crate::platform::Processor;

/// A fitted LMO or LOM model as a network with named parameters and their estimates.
#[derive(Debug, Clone)]
pub struct FittedLmo {
    network: LmoNetwork,
    estimates: Vec<Estimate>,
}

impl FittedLmo {
    pub(super) fn new(model: &Lmo) -> Self {
        let estimates = model.estimates();
        let values = estimates.iter().map(|estimate| estimate.value).collect();
        Self { network: LmoNetwork::from_parameters(model.layout(), values), estimates }
    }

    fn layout(&self) -> Layout {
        self.network.layout()
    }
}

impl Network for FittedLmo {
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
}

impl PointToPoint for FittedLmo {
    fn estimate(&self, parameter: u32) -> Estimate {
        self.estimates[parameter as usize]
    }

    fn parameter(&self, parameter: u32) -> Parameter {
        let (n, pairs) = (self.layout().processors(), self.layout().pairs());
        let p = parameter as usize;
        let processor = |name, p: usize| Parameter { name, place: (Some(Processor(p as u32)), None) };
        let link = |name, p: usize| {
            let (a, b) = pairs.iter().nth(p).unzip();
            Parameter { name, place: (a, b) }
        };
        match p {
            _ if p < n => processor("fixed_delay", p),
            _ if p < 2 * n => processor("byte_delay", p - n),
            _ if p < 2 * n + pairs.count() => link("link_byte_delay", p - 2 * n),
            _ => link("link_latency", p - 2 * n - pairs.count()),
        }
    }
}
