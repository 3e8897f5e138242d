use crate::comm::{NamedParameters, ParameterId};
use crate::engine::{Message, Moment, Network, Path, Sent, Term};
use crate::platform::Processor;
use crate::units::{Bytes, Seconds};

/// The names of the parameters, in the order C, t, L, 1/β.
pub(super) const NAMES: [&str; 4] =
    ["fixed_delay", "byte_delay", "link_latency", "link_byte_delay"];

/// HLMO as a network: LMO with equal processors and equal links.
///
/// Messages occupy the same resources as in [`LmoNetwork`](crate::comm::lmo::LmoNetwork). Source:
/// reference of the CPM module `LMO`, functions `HLMO_…`.
#[derive(Debug, Clone)]
pub struct HlmoNetwork {
    processors: usize,
    parameters: [f64; 4],
    /// The moment from which each directed link i→j (at index i·n + j) is free.
    free: Vec<Moment>,
}

impl HlmoNetwork {
    /// The network of n processors with C \[s\], t \[s/B\], L \[s\] and 1/β \[s/B\].
    pub fn new(processors: usize, parameters: [f64; 4]) -> Self {
        Self { processors, parameters, free: vec![Moment::START; processors * processors] }
    }

    /// Returns the moment at which a processor that starts on a message at `start` has processed
    /// it: C + m·t later.
    fn process(&self, size: Bytes, start: Moment, path: &mut Path) -> Moment {
        let bytes = size.get() as f64;
        let duration = Seconds::new(self.parameters[0] + bytes * self.parameters[1]);
        path.after_two(start, duration, Term::new(0, 1.0), Term::new(1, bytes))
    }

    /// Returns the index of the directed link between two processors.
    fn link(&self, from: Processor, to: Processor) -> usize {
        from.index() * self.processors + to.index()
    }
}

impl NamedParameters for HlmoNetwork {
    fn parameter(&self, parameter: u32) -> ParameterId {
        ParameterId::of_all(NAMES[parameter as usize])
    }
}

impl Network for HlmoNetwork {
    fn processors(&self) -> usize {
        self.processors
    }

    fn reset(&mut self) {
        self.free.fill(Moment::START);
    }

    fn send(&mut self, message: Message, start: Moment, path: &mut Path) -> Sent {
        let Message { from, to, size } = message;
        let release = self.process(size, start, path);
        let link = self.link(from, to);
        let bytes = size.get() as f64;
        let transfer = Seconds::new(bytes * self.parameters[3]);
        let leave = path.after(release.or_later(self.free[link]), transfer, Term::new(3, bytes));
        self.free[link] = leave;
        Sent {
            release,
            arrival: path.after(leave, Seconds::new(self.parameters[2]), Term::new(2, 1.0)),
        }
    }

    fn receive(&mut self, message: Message, start: Moment, path: &mut Path) -> Moment {
        self.process(message.size, start, path)
    }
}
