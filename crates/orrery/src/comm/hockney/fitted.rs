use super::{Hockney, HockneyNetwork};
use crate::comm::{Parameter, PointToPoint};
use crate::engine::{Message, Moment, Network, Path, Sent};
use crate::numeric::Estimate;
use crate::platform::Pairs;

/// A fitted Hockney model as a network with named parameters and their estimates.
#[derive(Debug, Clone)]
pub struct FittedHockney {
    network: HockneyNetwork,
    /// All α, then all β: of each pair, or of the mean alone.
    estimates: Vec<Estimate>,
}

impl FittedHockney {
    pub(super) fn pairs(model: &Hockney) -> Self {
        Self::new(model.processors(), model.latency.values(), model.byte_delay.values())
    }

    pub(super) fn mean(model: &Hockney) -> Self {
        Self::new(model.processors(), &[model.mean_latency], &[model.mean_byte_delay])
    }

    fn new(processors: usize, latency: &[Estimate], byte_delay: &[Estimate]) -> Self {
        let values = |estimates: &[Estimate]| estimates.iter().map(|estimate| estimate.value).collect::<Vec<_>>();
        let network = HockneyNetwork::new(processors, &values(latency), &values(byte_delay));
        Self { network, estimates: [latency, byte_delay].concat() }
    }
}

impl Network for FittedHockney {
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

impl PointToPoint for FittedHockney {
    fn estimate(&self, parameter: u32) -> Estimate {
        self.estimates[parameter as usize]
    }

    fn parameter(&self, parameter: u32) -> Parameter {
        let half = self.estimates.len() / 2;
        let p = parameter as usize;
        let name = if p < half { "latency" } else { "byte_delay" };
        if half == 1 && self.processors() != 2 {
            return Parameter { name, place: (None, None) };
        }
        let (a, b) = Pairs::of(self.processors()).iter().nth(p % half).unzip();
        Parameter { name, place: (a, b) }
    }
}
