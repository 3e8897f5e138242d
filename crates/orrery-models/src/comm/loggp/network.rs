use crate::comm::point_to_point::PortTimes;
use crate::comm::{NamedParameters, ParameterId};
use orrery_base::units::{Bytes, Seconds};
use orrery_play::engine::{Message, Moment, Network, Occupancy, Path, Sent, Term};

/// The index of L in the list of parameters.
const LATENCY: usize = 0;
/// The index of o_s in the list of parameters.
const SEND_OVERHEAD: usize = 1;
/// The index of o_r in the list of parameters.
const RECEIVE_OVERHEAD: usize = 2;
/// The index of g in the list of parameters.
const GAP: usize = 3;
/// The index of G in the list of parameters; LogP has none.
const BYTE_GAP: usize = 4;

/// The names of the parameters in the model file.
pub(super) const NAMES: [&str; 5] =
    ["latency", "send_overhead", "receive_overhead", "gap", "byte_gap"];

/// LogP and LogGP as a network: processors are busy for the overheads, ports for the gaps.
///
/// With b = max(m − 1, 0) further bytes of a message and G = 0 in LogP:
///
/// - a send begins when the processor and its out-port are free: the processor is busy for o_s, the
///   port for g + b·G;
/// - the first byte arrives o_s + L later;
/// - a receive begins when processor and in-port are free and the first byte has arrived: the
///   processor is busy for o_r + b·G, the port for g + b·G.
///
/// Sources: Culler et al., "LogP: towards a realistic model of parallel computation", PPoPP 1993;
/// Alexandrov et al., "LogGP: incorporating long messages into the LogP model", SPAA 1995;
/// resources as in Hoefler, Schneider, Lumsdaine, "LogGOPSim" (2010).
#[derive(Debug, Clone)]
pub struct LogGpNetwork {
    parameters: Vec<f64>,
    ports: PortTimes,
}

impl LogGpNetwork {
    /// The network of n processors with L, o_s, o_r, g \[s\] and, unless it is LogP, G \[s/B\].
    ///
    /// # Panics
    ///
    /// When there are neither four nor five parameters: a bug of the caller.
    pub fn new(processors: usize, parameters: &[f64]) -> Self {
        assert!((4..=5).contains(&parameters.len()), "one value for each parameter");
        Self { parameters: parameters.to_vec(), ports: PortTimes::idle(processors) }
    }

    /// G \[s/B\]; `None` in LogP.
    fn byte_gap(&self) -> Option<f64> {
        self.parameters.get(BYTE_GAP).copied()
    }

    /// Returns the moment `parameter` and the gaps of the further bytes of a message after `start`.
    fn occupy(&self, parameter: usize, size: Bytes, start: Moment, path: &mut Path) -> Moment {
        let first = Term::new(parameter as u32, 1.0);
        let time = self.parameters[parameter];
        let Some(byte_gap) = self.byte_gap() else {
            return path.after(start, Seconds::new(time), first);
        };
        let further = size.get().saturating_sub(1) as f64;
        let duration = Seconds::new(time + further * byte_gap);
        path.after_two(start, duration, first, Term::new(BYTE_GAP as u32, further))
    }

    /// Returns the moment that is later than `start` by the time of the parameter of this index,
    /// and notes it on the path.
    fn after(&self, parameter: usize, start: Moment, path: &mut Path) -> Moment {
        path.after(
            start,
            Seconds::new(self.parameters[parameter]),
            Term::new(parameter as u32, 1.0),
        )
    }
}

impl NamedParameters for LogGpNetwork {
    fn parameter(&self, parameter: u32) -> ParameterId {
        ParameterId::of_all(NAMES[parameter as usize])
    }
}

impl Network for LogGpNetwork {
    fn processors(&self) -> usize {
        self.ports.processors()
    }

    fn reset(&mut self) {
        self.ports.reset();
    }

    fn send(&mut self, message: Message, start: Moment, path: &mut Path) -> Sent {
        let start = start.or_later(*self.ports.out_port(message.from));
        *self.ports.out_port(message.from) = self.occupy(GAP, message.size, start, path);
        let release = self.after(SEND_OVERHEAD, start, path);
        Sent { release, arrival: self.after(LATENCY, release, path) }
    }

    fn receive(&mut self, message: Message, start: Moment, path: &mut Path) -> Moment {
        let start = start.or_later(*self.ports.in_port(message.to));
        *self.ports.in_port(message.to) = self.occupy(GAP, message.size, start, path);
        self.occupy(RECEIVE_OVERHEAD, message.size, start, path)
    }

    fn grows_with_size(&self) -> bool {
        self.byte_gap().is_none_or(|gap| gap >= 0.0)
    }

    fn is_homogeneous(&self) -> bool {
        true
    }

    fn occupancy(&self, message: Message) -> Occupancy {
        let of = |parameter: usize| self.parameters[parameter];
        let further = message.size.get().saturating_sub(1) as f64;
        let bytes = self.byte_gap().map_or(0.0, |gap| further * gap);
        let (sender, overhead, gap) = (of(SEND_OVERHEAD), of(RECEIVE_OVERHEAD), of(GAP));
        // Ranks may end within the gaps of their last messages.
        let out_port = bytes + gap.min(sender + of(LATENCY) + overhead);
        Occupancy {
            sender,
            receiver: overhead + bytes,
            out_port,
            in_port: bytes + gap.min(overhead),
        }
    }
}
