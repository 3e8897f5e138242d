use super::{Moment, Path, Term};
use orrery_base::units::{Bytes, Seconds, SecondsPerByte};
use orrery_cluster::platform::Processor;

/// A message between two processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// The sender.
    pub from: Processor,
    /// The receiver.
    pub to: Processor,
    /// The size of the message.
    pub size: Bytes,
}

/// The times of a message that is sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sent {
    /// When the sender's processor is free again; the send is then complete.
    pub release: Moment,
    /// The earliest time at which the receiver's processor can serve it.
    pub arrival: Moment,
}

/// Lower bounds of the times that a message occupies resources \[s\]. The last resource of an
/// operation is free when its ranks have ended.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Occupancy {
    /// The processor of the sender.
    pub sender: f64,
    /// The processor of the receiver.
    pub receiver: f64,
    /// The out-port of the sender.
    pub out_port: f64,
    /// The in-port of the receiver.
    pub in_port: f64,
}

/// When a send begins and completes. The sender's processor serves other work while a send waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// It begins at once, and completes when the sender's processor is free again.
    Eager,
    /// It begins when its receive is posted and the sender has the receiver's consent, which
    /// follows data that is on the way out already ([`Network::pass_data`]); it completes when the
    /// sender's processor is free again.
    Rendezvous,
    /// It begins as [`Protocol::Rendezvous`], and completes when its message has arrived: no buffer
    /// of the library or the system holds it meanwhile.
    Unbuffered,
    /// It begins as [`Protocol::Rendezvous`], and completes with its receive.
    Synchronous,
}

/// Where messages of different senders delay each other, apart from the processor of their
/// receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SenderContention {
    /// Nowhere.
    Nowhere,
    /// At the in-port of their receiver.
    InPort,
    /// Also on their way, or this is unknown.
    Anywhere,
}

/// The resources that a message occupies, and for how long. Every resource is first come, first
/// served.
///
/// The engine calls `send` and `receive` in the order of virtual time, never for a message from a
/// rank to itself, which takes no time. The network records its delays in the path, so that each
/// returned moment has its cause.
pub trait Network {
    /// Returns the number of processors.
    fn processors(&self) -> usize;

    /// Marks all resources idle.
    fn reset(&mut self);

    /// Starts a message at `start` on the sender's processor; returns when that processor is free
    /// and when the message arrives.
    fn send(&mut self, message: Message, start: Moment, path: &mut Path) -> Sent;

    /// Starts receiving a message that has arrived at `start`; returns when the receiver's
    /// processor is free again.
    fn receive(&mut self, message: Message, start: Moment, path: &mut Path) -> Moment;

    /// Starts to combine `size` received bytes with own ones at `start`; returns when the processor
    /// is free again. By default it takes no time.
    fn combine(
        &mut self,
        _processor: Processor,
        _size: Bytes,
        start: Moment,
        _path: &mut Path,
    ) -> Moment {
        start
    }

    /// Returns the protocol of messages of this size.
    fn protocol(&self, _size: Bytes) -> Protocol {
        Protocol::Eager
    }

    /// Returns when one of the two empty messages of a rendezvous, the sender's request to send or
    /// the receiver's consent, has left its processor. It is ready at `start`, takes no time of its
    /// own, and follows the data that is on the way out already. By default it leaves at once.
    fn pass_data(&mut self, _handshake: Message, start: Moment, _path: &mut Path) -> Moment {
        start
    }

    /// Returns lower bounds of the times that a message occupies resources. By default they are 0.
    fn occupancy(&self, _message: Message) -> Occupancy {
        Occupancy::default()
    }

    /// Returns a lower bound of the time of a combination, as [`Network::combine`] adds it. By
    /// default it is 0.
    fn combination(&self, _processor: Processor, _size: Bytes) -> Seconds {
        Seconds::ZERO
    }

    /// Returns where a network gives other results if sends of different processors are called in
    /// another order than that of time.
    fn sender_contention(&self) -> SenderContention {
        SenderContention::Anywhere
    }

    /// Returns true if no occupancy and no combination decreases while its size grows.
    fn grows_with_size(&self) -> bool {
        false
    }

    /// Returns true if all processors and links are alike, and messages of different pairs meet
    /// only at processors and ports.
    fn is_homogeneous(&self) -> bool {
        false
    }
}

/// A network of equal links: a message of m bytes occupies its sender for α + β·m, and its receiver
/// not at all. Where both are 0, all operations take no time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct UniformNetwork {
    /// The number of processors.
    pub processors: usize,
    /// α.
    pub latency: Seconds,
    /// β.
    pub byte_delay: SecondsPerByte,
}

impl Network for UniformNetwork {
    fn processors(&self) -> usize {
        self.processors
    }

    fn reset(&mut self) {}

    fn send(&mut self, message: Message, start: Moment, path: &mut Path) -> Sent {
        let duration = self.latency + message.size * self.byte_delay;
        let (latency, per_byte) = (Term::new(0, 1.0), Term::new(1, message.size.get() as f64));
        let end = path.after_two(start, duration, latency, per_byte);
        Sent { release: end, arrival: end }
    }

    fn receive(&mut self, _: Message, start: Moment, _: &mut Path) -> Moment {
        start
    }
}

/// Returns the time of a message between two processors that do nothing else, until both are free
/// again; resets the network before.
///
/// The receive is posted at the start, so that the protocol makes no difference.
pub fn single_message<N: Network + ?Sized>(network: &mut N, message: Message) -> Seconds {
    let mut path = Path::default();
    network.reset();
    let sent = network.send(message, Moment::START, &mut path);
    let end = network.receive(message, sent.arrival, &mut path);
    sent.release.time.max(end.time)
}

/// A network on which every send waits for the end of its receive ([`Protocol::Synchronous`]).
#[derive(Debug)]
pub struct Synchronous<'a, N: ?Sized>(pub &'a mut N);

impl<N: Network + ?Sized> Network for Synchronous<'_, N> {
    fn processors(&self) -> usize {
        self.0.processors()
    }

    fn reset(&mut self) {
        self.0.reset();
    }

    fn send(&mut self, message: Message, start: Moment, path: &mut Path) -> Sent {
        self.0.send(message, start, path)
    }

    fn receive(&mut self, message: Message, start: Moment, path: &mut Path) -> Moment {
        self.0.receive(message, start, path)
    }

    fn combine(
        &mut self,
        processor: Processor,
        size: Bytes,
        start: Moment,
        path: &mut Path,
    ) -> Moment {
        self.0.combine(processor, size, start, path)
    }

    fn protocol(&self, _: Bytes) -> Protocol {
        Protocol::Synchronous
    }

    fn pass_data(&mut self, handshake: Message, start: Moment, path: &mut Path) -> Moment {
        self.0.pass_data(handshake, start, path)
    }
}

impl<N: Network + ?Sized> Network for Box<N> {
    fn processors(&self) -> usize {
        (**self).processors()
    }

    fn reset(&mut self) {
        (**self).reset();
    }

    fn send(&mut self, message: Message, start: Moment, path: &mut Path) -> Sent {
        (**self).send(message, start, path)
    }

    fn receive(&mut self, message: Message, start: Moment, path: &mut Path) -> Moment {
        (**self).receive(message, start, path)
    }

    fn combine(
        &mut self,
        processor: Processor,
        size: Bytes,
        start: Moment,
        path: &mut Path,
    ) -> Moment {
        (**self).combine(processor, size, start, path)
    }

    fn protocol(&self, size: Bytes) -> Protocol {
        (**self).protocol(size)
    }

    fn pass_data(&mut self, handshake: Message, start: Moment, path: &mut Path) -> Moment {
        (**self).pass_data(handshake, start, path)
    }

    fn occupancy(&self, message: Message) -> Occupancy {
        (**self).occupancy(message)
    }

    fn combination(&self, processor: Processor, size: Bytes) -> Seconds {
        (**self).combination(processor, size)
    }

    fn sender_contention(&self) -> SenderContention {
        (**self).sender_contention()
    }

    fn grows_with_size(&self) -> bool {
        (**self).grows_with_size()
    }

    fn is_homogeneous(&self) -> bool {
        (**self).is_homogeneous()
    }
}
