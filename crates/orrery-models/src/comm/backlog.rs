//! Data that meets at an in-port: what a played schedule makes switches buffer there.
//!
//! Links carry data to an in-port at the rate of one sender. If several send to it at the same
//! time, the data of all but one waits in the buffer of the switch, which loses what it cannot
//! hold. With r_s(t) the bytes of sender s that are under way to a port, the backlog is
//!
//! ```text
//! B = max over t of Σ_s r_s(t) − max_s r_s(t)
//! ```
//!
//! It is 0 where a port has one sender at a time. A linear gather of n processors with blocks m has
//! (n − 2)·m. Ranks on one host share its ports, and messages within a host pass none.
//!
//! Of a sender with messages to several ports, such as each rank of an alltoall whose messages are
//! posted together, it is unknown how much goes to one port at a time: between nothing, if they
//! leave in turn, and all. [`Backlog`] has both.

use std::collections::{BTreeMap, BTreeSet};

use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::{Hosts, Placement, Processor};
use orrery_play::engine::{Engine, EngineError, Message, Moment, Network, Path, Protocol, Sent};
use orrery_program::schedule::{Rank, Schedule};

/// The largest backlog at any in-port \[B\].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Backlog {
    /// From senders that have no message to another port under way, and none that waited for its
    /// receive: it certainly occurs.
    pub(crate) converging: f64,
    /// From all senders: it may occur.
    pub(crate) possible: f64,
    /// The largest number of times that the converging backlog of one port exceeds the limit.
    pub(crate) overflows: u64,
}

/// The number of each processor's port: that of its host, if the host is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HostPorts(Vec<usize>);

impl HostPorts {
    /// The ports of processors on these hosts.
    pub(crate) fn new(hosts: &Hosts, processors: usize) -> Self {
        let port = |one: Processor| hosts.number(one).unwrap_or(processors + one.index());
        Self(Processor::first(processors).map(port).collect())
    }

    /// Returns the port of a processor.
    pub(crate) fn of(&self, processor: Processor) -> usize {
        self.0.get(processor.index()).copied().unwrap_or(usize::MAX)
    }

    /// Returns the backlog of a linear gather of the first processors at this root, in blocks.
    pub(crate) fn blocks_of_gather(&self, root: Processor, processors: usize) -> f64 {
        let senders = Processor::first(processors).map(|one| (one, root, Bytes::new(1)));
        self.bound(senders)
    }

    /// Returns the backlog if all of these messages were under way at the same time: an upper bound
    /// of that of every order \[B\].
    pub(crate) fn bound(
        &self,
        messages: impl Iterator<Item = (Processor, Processor, Bytes)>,
    ) -> f64 {
        let mut data: BTreeMap<usize, BTreeMap<usize, f64>> = BTreeMap::new();
        for (from, to, size) in messages {
            let (from, to) = (self.of(from), self.of(to));
            if from != to {
                *data.entry(to).or_default().entry(from).or_default() += size.get() as f64;
            }
        }
        data.into_values().map(|port| waiting(port.into_values())).fold(0.0, f64::max)
    }
}

/// Returns the sum of all values but the largest.
fn waiting(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, largest) =
        values.fold((0.0, 0.0), |(sum, largest), one| (sum + one, f64::max(largest, one)));
    sum - largest
}

/// Plays a schedule and returns its backlog. Messages above `largest_eager` are sent when their
/// receive is posted; `limit` is the backlog whose excesses are counted \[B\].
///
/// # Errors
///
/// When the schedule cannot run to its end.
pub(crate) fn backlog<N: Network + ?Sized>(
    engine: &mut Engine,
    network: &mut N,
    ports: &HostPorts,
    largest_eager: Option<Bytes>,
    (schedule, placement): (&(impl Schedule + ?Sized), &Placement),
    limit: f64,
) -> Result<Backlog, EngineError> {
    let mut recording = Recording { network, ports, largest_eager, flights: Vec::new() };
    engine.run(schedule, placement, &mut recording)?;
    Ok(largest_backlog(recording.flights, limit))
}

/// A message between two ports, under way from `start` to `arrival`.
#[derive(Debug, Clone, Copy)]
struct Flight {
    from: usize,
    to: usize,
    size: f64,
    /// True if it was sent when its receive was posted.
    has_waited: bool,
    start: f64,
    arrival: f64,
}

impl Flight {
    /// Returns the bytes that have not arrived at a time after the start.
    fn remaining(&self, time: f64) -> f64 {
        self.size * ((self.arrival - time) / (self.arrival - self.start)).clamp(0.0, 1.0)
    }
}

/// A network that records the messages between ports.
struct Recording<'a, N: ?Sized> {
    network: &'a mut N,
    ports: &'a HostPorts,
    largest_eager: Option<Bytes>,
    flights: Vec<Flight>,
}

impl<N: Network + ?Sized> Network for Recording<'_, N> {
    fn processors(&self) -> usize {
        self.network.processors()
    }

    fn reset(&mut self) {
        self.network.reset();
        self.flights.clear();
    }

    fn send(&mut self, message: Message, start: Moment, path: &mut Path) -> Sent {
        let sent = self.network.send(message, start, path);
        let (from, to) = (self.ports.of(message.from), self.ports.of(message.to));
        if from != to {
            let (start, arrival) = (start.time.get(), sent.arrival.time.get());
            let size = message.size.get() as f64;
            let has_waited = self.protocol(message.size) != Protocol::Eager;
            self.flights.push(Flight { from, to, size, has_waited, start, arrival });
        }
        sent
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
        self.network.combine(processor, size, start, path)
    }

    fn combination(&self, processor: Processor, size: Bytes) -> Seconds {
        self.network.combination(processor, size)
    }

    fn protocol(&self, size: Bytes) -> Protocol {
        match self.network.protocol(size) {
            Protocol::Eager if self.largest_eager.is_some_and(|largest| size > largest) => {
                Protocol::Rendezvous
            }
            own => own,
        }
    }

    fn pass_data(&mut self, handshake: Message, start: Moment, path: &mut Path) -> Moment {
        self.network.pass_data(handshake, start, path)
    }
}

/// Returns the largest backlog of messages. Between two starts no backlog grows, so that it is
/// evaluated at starts only.
fn largest_backlog(mut flights: Vec<Flight>, limit: f64) -> Backlog {
    // A message that takes no time is never under way.
    flights.retain(|flight| flight.arrival > flight.start);
    flights.sort_by(|a, b| a.start.total_cmp(&b.start));
    let mut arrivals: Vec<(f64, usize)> =
        flights.iter().map(|flight| (flight.arrival, flight.from)).collect();
    arrivals.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut arrived = arrivals.into_iter().peekable();
    // The messages that each sender has under way, and those that each port receives.
    let mut sent: BTreeMap<usize, usize> = BTreeMap::new();
    let mut received: BTreeMap<usize, InPort> = BTreeMap::new();
    let mut largest = Backlog::default();
    for beginning in flights.chunk_by(|a, b| a.start.total_cmp(&b.start).is_eq()) {
        let now = beginning[0].start;
        while let Some((_, from)) = arrived.next_if(|(arrival, _)| *arrival <= now) {
            sent.entry(from).and_modify(|count| *count -= 1);
        }
        let ports: BTreeSet<usize> = beginning.iter().map(|flight| flight.to).collect();
        for port in &ports {
            let port = received.entry(*port).or_default();
            port.flights.retain(|other| other.arrival > now);
            port.was_beyond = port.backlog(now, &sent).0 > limit;
        }
        for flight in beginning {
            *sent.entry(flight.from).or_default() += 1;
            received.entry(flight.to).or_default().flights.push(*flight);
        }
        for port in &ports {
            let port = received.entry(*port).or_default();
            let (converging, possible) = port.backlog(now, &sent);
            port.overflows += u64::from(!port.was_beyond && converging > limit);
            largest.converging = largest.converging.max(converging);
            largest.possible = largest.possible.max(possible);
            largest.overflows = largest.overflows.max(port.overflows);
        }
    }
    largest
}

/// An in-port with the messages under way to it.
#[derive(Debug, Default)]
struct InPort {
    flights: Vec<Flight>,
    /// True if its converging backlog exceeded the limit before the last messages began.
    was_beyond: bool,
    /// How often it began to exceed the limit.
    overflows: u64,
}

impl InPort {
    /// Returns the converging and the possible backlog at a time; `sent` counts the messages that
    /// each sender has under way.
    fn backlog(&self, now: f64, sent: &BTreeMap<usize, usize>) -> (f64, f64) {
        let mut senders: BTreeMap<usize, (f64, usize)> = BTreeMap::new();
        let waited: BTreeSet<usize> =
            self.flights.iter().filter(|one| one.has_waited).map(|one| one.from).collect();
        for flight in &self.flights {
            let sender = senders.entry(flight.from).or_default();
            sender.0 += flight.remaining(now);
            sender.1 += 1;
        }
        if senders.len() < 2 {
            return (0.0, 0.0);
        }
        let has_one_port =
            |from: &usize, here: usize| sent.get(from) == Some(&here) && !waited.contains(from);
        let converging =
            senders.iter().filter(|(from, one)| has_one_port(from, one.1)).map(|(_, one)| one.0);
        (waiting(converging), waiting(senders.values().map(|one| one.0)))
    }
}

/// Returns the messages of a schedule between processors.
pub(crate) fn placed(
    messages: impl Iterator<Item = (Rank, Rank, Bytes)>,
    placement: &Placement,
) -> impl Iterator<Item = (Processor, Processor, Bytes)> {
    messages.map(|(from, to, size)| (placement.processor(from), placement.processor(to), size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use orrery_base::units::SecondsPerByte;
    use orrery_play::engine::UniformNetwork;
    use orrery_program::schedule::{Algorithm, Collective, CollectiveKind};

    const BLOCK: u64 = 10_000;

    /// The backlog of an operation of ranks on these hosts.
    fn of(kind: CollectiveKind, algorithm: Algorithm, hosts: &[&str], limit: f64) -> Backlog {
        let ranks = hosts.len();
        let block = Bytes::new(BLOCK);
        let collective = Collective { kind, algorithm, root: Rank(0), ranks, block };
        let (latency, byte_delay) = (Seconds::new(20e-6), SecondsPerByte::new(1e-9));
        let mut network = UniformNetwork { processors: ranks, latency, byte_delay };
        let ports = HostPorts::new(&Hosts::new(hosts), ranks);
        let schedule = (&collective, &Placement::identity(ranks));
        backlog(&mut Engine::new(), &mut network, &ports, None, schedule, limit).unwrap()
    }

    #[test]
    fn all_but_the_data_of_one_sender_waits_at_the_root_of_a_gather() {
        let (gather, linear) = (CollectiveKind::Gather, Algorithm::Linear);
        for ranks in 2..9 {
            let expected = (ranks - 2) as f64 * BLOCK as f64;
            let found = of(gather, linear, &vec![""; ranks], 0.5 * BLOCK as f64);
            assert_eq!((found.converging, found.possible), (expected, expected), "{ranks}");
            assert_eq!(found.overflows, u64::from(ranks > 2), "{ranks}");
            let ports = HostPorts::new(&Hosts::new(vec![""; ranks]), ranks);
            let blocks = ports.blocks_of_gather(Processor(0), ranks);
            assert!((blocks * BLOCK as f64 - expected).abs() < 0.5, "{ranks}");
        }
        // Two ranks of each host share its ports, and one sends within the host of the root.
        let found = of(gather, linear, &["a", "a", "b", "b", "c", "c"], f64::INFINITY);
        assert_eq!((found.converging, found.overflows), (2.0 * BLOCK as f64, 0));
    }

    #[test]
    fn a_port_with_one_sender_at_a_time_has_no_backlog() {
        for (kind, algorithm) in [
            (CollectiveKind::Scatter, Algorithm::Linear),
            (CollectiveKind::Allgather, Algorithm::Ring),
            (CollectiveKind::Broadcast, Algorithm::Binomial),
        ] {
            let found = of(kind, algorithm, &[""; 8], 0.0);
            assert_eq!(found, Backlog::default(), "{kind} {algorithm}");
        }
    }
}
