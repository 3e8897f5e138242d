use crate::comm::point_to_point::PortTimes;
use crate::comm::{NamedParameters, ParameterId};
use orrery_base::units::{Seconds, SecondsPerByte};
use orrery_cluster::platform::Pairs;
use orrery_play::engine::{
    Message, Moment, Network, Occupancy, Path, SenderContention, Sent, Term,
};

/// Hockney as a network: a message occupies the out-port of its sender and the in-port of its
/// receiver together.
///
/// A message occupies both ports for α_ij + β_ij·m, as soon as it is first in the queues of both;
/// ports serve messages by time of send. The sender's processor is busy until the end; the receive
/// completes at the end.
#[derive(Debug, Clone)]
pub struct HockneyNetwork {
    pairs: Pairs,
    /// α of each pair and β of each pair, or a single α and β for all pairs.
    parameters: Vec<f64>,
    ports: PortTimes,
}

impl HockneyNetwork {
    /// The network of n processors with α \[s\] and β \[s/B\] of each pair in packed order, or with
    /// one α and one β for all pairs.
    ///
    /// # Panics
    ///
    /// When there is neither one value nor one for each pair: a bug of the caller.
    pub fn new(processors: usize, latency: &[f64], byte_delay: &[f64]) -> Self {
        let pairs = Pairs::of(processors);
        assert!(latency.len() == byte_delay.len(), "α and β come together");
        assert!(
            latency.len() == 1 || latency.len() == pairs.count(),
            "a value for each pair, or one for all"
        );
        Self {
            pairs,
            parameters: [latency, byte_delay].concat(),
            ports: PortTimes::idle(processors),
        }
    }

    /// Returns the parameters: all α, then all β.
    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }
}

impl NamedParameters for HockneyNetwork {
    fn parameter(&self, parameter: u32) -> ParameterId {
        let half = self.parameters.len() / 2;
        let p = parameter as usize;
        let name = if p < half { "latency" } else { "byte_delay" };
        if half == 1 && self.processors() != 2 {
            return ParameterId::of_all(name);
        }
        let (a, b) = self.pairs.get(p % half).unzip();
        ParameterId { name, place: (a, b), size: None, group: None }
    }
}

impl Network for HockneyNetwork {
    fn processors(&self) -> usize {
        self.pairs.processors()
    }

    fn reset(&mut self) {
        self.ports.reset();
    }

    fn send(&mut self, message: Message, start: Moment, path: &mut Path) -> Sent {
        let Message { from, to, size } = message;
        let half = self.parameters.len() / 2;
        let latency = if half == 1 { 0 } else { self.pairs.index(from, to) };
        let byte_delay = half + latency;
        let start = start.or_later(*self.ports.out_port(from)).or_later(*self.ports.in_port(to));
        let duration = Seconds::new(self.parameters[latency])
            + size * SecondsPerByte::new(self.parameters[byte_delay]);
        let per_byte = Term::new(byte_delay as u32, size.get() as f64);
        let end = path.after_two(start, duration, Term::new(latency as u32, 1.0), per_byte);
        (*self.ports.out_port(from), *self.ports.in_port(to)) = (end, end);
        Sent { release: end, arrival: end }
    }

    fn receive(&mut self, _: Message, start: Moment, _: &mut Path) -> Moment {
        start
    }

    fn sender_contention(&self) -> SenderContention {
        SenderContention::InPort
    }

    fn grows_with_size(&self) -> bool {
        self.parameters[self.parameters.len() / 2..].iter().all(|delay| *delay >= 0.0)
    }

    fn is_homogeneous(&self) -> bool {
        self.parameters.len() == 2
    }

    fn occupancy(&self, Message { from, to, size }: Message) -> Occupancy {
        let half = self.parameters.len() / 2;
        let pair = if half == 1 { 0 } else { self.pairs.index(from, to) };
        let duration = self.parameters[pair] + size.get() as f64 * self.parameters[half + pair];
        Occupancy { sender: duration, in_port: duration, ..Occupancy::default() }
    }
}
