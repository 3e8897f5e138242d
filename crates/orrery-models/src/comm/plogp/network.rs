use super::weights;
use crate::comm::point_to_point::PortTimes;
use crate::comm::{NamedParameters, ParameterId};
use orrery_base::units::{Bytes, Seconds};
use orrery_play::engine::{Message, Moment, Network, Occupancy, Path, Sent, Term};

/// One of the three functions of PLogP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SizeFunction {
    Gap,
    SendOverhead,
    ReceiveOverhead,
}

impl SizeFunction {
    /// All functions, in the order of their parameters.
    pub(super) const ALL: [Self; 3] = [Self::Gap, Self::SendOverhead, Self::ReceiveOverhead];

    /// The name of the function in the model file.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Gap => "gap",
            Self::SendOverhead => "send_overhead",
            Self::ReceiveOverhead => "receive_overhead",
        }
    }
}

/// The sizes at which the functions are known. Parameters are numbered L, then g, o_s and o_r at
/// their sizes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Knots {
    pub(super) sizes: [Vec<Bytes>; 3],
}

impl Knots {
    /// Returns the index of the first parameter of a function.
    pub(super) fn first(&self, function: SizeFunction) -> usize {
        1 + self.sizes[..function as usize].iter().map(Vec::len).sum::<usize>()
    }

    /// Returns the number of parameters.
    pub(super) fn count(&self) -> usize {
        1 + self.sizes.iter().map(Vec::len).sum::<usize>()
    }
}

/// PLogP as a network: overheads and gaps are functions of the size.
///
/// - A send begins when the processor and its out-port are free: the processor is busy for o_s(m),
///   the port for g(m).
/// - The message has arrived L + g(m) later, or g(m) after the in-port of the receiver was free if
///   that is later; it occupies the in-port for the preceding g(m).
/// - A receive completes when the message has arrived, but not earlier than o_r(m) after processor
///   and receive were ready; the processor is busy for the preceding o_r(m).
///
/// Source: Kielmann, Bal, Verstoep, "Fast measurement of LogP parameters for message passing
/// platforms", IPDPS workshops 2000.
#[derive(Debug, Clone)]
pub struct PLogPNetwork {
    knots: Knots,
    parameters: Vec<f64>,
    ports: PortTimes,
}

impl PLogPNetwork {
    /// Returns the network of n processors with parameters in the order of the knots.
    pub(super) fn new(processors: usize, knots: Knots, parameters: Vec<f64>) -> Self {
        assert_eq!(parameters.len(), knots.count(), "one value for each parameter");
        Self { knots, parameters, ports: PortTimes::idle(processors) }
    }

    /// Returns the value of a function at a size \[s\], interpolated between its knots.
    fn value(&self, function: SizeFunction, size: Bytes) -> f64 {
        let first = self.knots.first(function);
        let sizes = &self.knots.sizes[function as usize];
        let values = &self.parameters[first..first + sizes.len()];
        weights(sizes, values, size).into_iter().map(|(place, weight)| weight * values[place]).sum()
    }

    /// Returns the moment `sign` × the value of a function after `start`.
    fn after(
        &self,
        function: SizeFunction,
        sign: f64,
        size: Bytes,
        start: Moment,
        path: &mut Path,
    ) -> Moment {
        let first = self.knots.first(function);
        let sizes = &self.knots.sizes[function as usize];
        let values = &self.parameters[first..first + sizes.len()];
        let terms = weights(sizes, values, size).map(|(place, weight)| (place, sign * weight));
        let seconds = terms.iter().map(|&(place, weight)| weight * values[place]).sum();
        let [one, other] = terms.map(|(place, weight)| Term::new((first + place) as u32, weight));
        path.after_two(start, Seconds::new(seconds), one, other)
    }
}

impl NamedParameters for PLogPNetwork {
    fn parameter(&self, parameter: u32) -> ParameterId {
        let p = parameter as usize;
        let function =
            SizeFunction::ALL.into_iter().rev().find(|function| self.knots.first(*function) <= p);
        function.map_or(ParameterId::of_all("latency"), |function| {
            let size =
                self.knots.sizes[function as usize].get(p - self.knots.first(function)).copied();
            ParameterId { size, ..ParameterId::of_all(function.name()) }
        })
    }
}

impl Network for PLogPNetwork {
    fn processors(&self) -> usize {
        self.ports.processors()
    }

    fn reset(&mut self) {
        self.ports.reset();
    }

    fn send(&mut self, message: Message, start: Moment, path: &mut Path) -> Sent {
        let Message { from, to, size } = message;
        let start = start.or_later(*self.ports.out_port(from));
        *self.ports.out_port(from) = self.after(SizeFunction::Gap, 1.0, size, start, path);
        let release = self.after(SizeFunction::SendOverhead, 1.0, size, start, path);
        let ahead = path.after(start, Seconds::new(self.parameters[0]), Term::new(0, 1.0));
        let begun = ahead.or_later(*self.ports.in_port(to));
        let arrived = self.after(SizeFunction::Gap, 1.0, size, begun, path);
        *self.ports.in_port(to) = arrived;
        // The receiver's processor may start so early that it is busy until the message has
        // arrived.
        let turned = self.after(SizeFunction::ReceiveOverhead, -1.0, size, arrived, path);
        Sent { release, arrival: start.or_later(turned) }
    }

    fn receive(&mut self, message: Message, start: Moment, path: &mut Path) -> Moment {
        self.after(SizeFunction::ReceiveOverhead, 1.0, message.size, start, path)
    }

    fn grows_with_size(&self) -> bool {
        SizeFunction::ALL.into_iter().all(|function| {
            let first = self.knots.first(function);
            self.parameters[first..first + self.knots.sizes[function as usize].len()].is_sorted()
        })
    }

    fn is_homogeneous(&self) -> bool {
        true
    }

    fn occupancy(&self, message: Message) -> Occupancy {
        let [gap, sender, receiver] =
            SizeFunction::ALL.map(|function| self.value(function, message.size));
        Occupancy { sender, receiver, out_port: gap, in_port: gap }
    }
}
