//! The time to combine received data with own ones in reductions: m·γ_i for m bytes on processor i.

use super::{ParameterId, PointToPoint};
use orrery_base::numeric::Estimate;
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::Processor;
use orrery_play::engine::{
    Message, Moment, Network, Occupancy, Path, Protocol, SenderContention, Sent, Term,
};

/// The name of the delays per byte γ in model files and explanations.
pub const COMBINATION: &str = "combination_byte_delay";

/// The number of the parameter γ of processor 0; those of the network are lower.
const FIRST_PARAMETER: u32 = 1 << 30;

/// A network whose processors take time to combine data.
#[derive(Debug, Clone)]
pub struct Combining<N> {
    network: N,
    /// γ of each processor \[s/B\].
    byte_delay: Vec<Estimate>,
}

impl<N: Network> Combining<N> {
    /// The network with these delays per byte, one for each processor.
    pub fn new(network: N, byte_delay: Vec<Estimate>) -> Self {
        Self { network, byte_delay }
    }
}

impl<N: Network> Network for Combining<N> {
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

    fn combine(
        &mut self,
        processor: Processor,
        size: Bytes,
        start: Moment,
        path: &mut Path,
    ) -> Moment {
        let seconds = self.combination(processor, size);
        path.after(start, seconds, Term::new(FIRST_PARAMETER + processor.0, size.get() as f64))
    }

    fn combination(&self, processor: Processor, size: Bytes) -> Seconds {
        Seconds::new(size.get() as f64 * self.byte_delay[processor.index()].value)
    }

    fn sender_contention(&self) -> SenderContention {
        self.network.sender_contention()
    }

    fn protocol(&self, size: Bytes) -> Protocol {
        self.network.protocol(size)
    }

    fn pass_data(&mut self, handshake: Message, start: Moment, path: &mut Path) -> Moment {
        self.network.pass_data(handshake, start, path)
    }

    fn is_homogeneous(&self) -> bool {
        let is_same = |two: &[Estimate]| two[0].value.to_bits() == two[1].value.to_bits();
        self.network.is_homogeneous() && self.byte_delay.windows(2).all(is_same)
    }

    fn occupancy(&self, message: Message) -> Occupancy {
        self.network.occupancy(message)
    }

    fn grows_with_size(&self) -> bool {
        self.network.grows_with_size() && self.byte_delay.iter().all(|delay| delay.value >= 0.0)
    }
}

impl<N: PointToPoint> PointToPoint for Combining<N> {
    fn estimate(&self, parameter: u32) -> Estimate {
        match parameter.checked_sub(FIRST_PARAMETER) {
            Some(processor) => self.byte_delay[processor as usize],
            None => self.network.estimate(parameter),
        }
    }

    fn parameter(&self, parameter: u32) -> ParameterId {
        match parameter.checked_sub(FIRST_PARAMETER) {
            Some(processor) => ParameterId::of_processor(COMBINATION, Processor(processor)),
            None => self.network.parameter(parameter),
        }
    }
}
