use super::{Moment, Path};
use crate::platform::Processor;
use crate::units::Bytes;

/// A message between two processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// The sender.
    pub from: Processor,
    /// The receiver.
    pub to: Processor,
    /// How many bytes.
    pub size: Bytes,
}

/// What becomes of a message that is sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sent {
    /// When the sender's processor is free again; the send is then complete.
    pub release: Moment,
    /// From when on the receiver's processor can serve it.
    pub arrival: Moment,
}

/// What a message occupies, and for how long. Every resource serves first come first served.
///
/// The engine calls both functions in the order of virtual time, never for a message to oneself (that costs nothing).
/// The network writes what passes into the path, so that each moment it returns knows what it waited for.
pub trait Network {
    /// How many processors it joins.
    fn processors(&self) -> usize;

    /// Makes all resources idle.
    fn reset(&mut self);

    /// The sender's processor turns to a message at `start`.
    fn send(&mut self, message: Message, start: Moment, path: &mut Path) -> Sent;

    /// The receiver's processor turns to a message at `start`, not before its arrival; returns when it is free again.
    fn receive(&mut self, message: Message, start: Moment, path: &mut Path) -> Moment;

    /// Whether a send begins only when its receive is posted and completes when that does; its processor is held until
    /// then. Otherwise sends are eager.
    fn is_rendezvous(&self) -> bool {
        false
    }
}

/// A network on which both ends of every message wait for each other (see [`Network::is_rendezvous`]).
#[derive(Debug)]
pub struct Rendezvous<'a, N: ?Sized>(pub &'a mut N);

impl<N: Network + ?Sized> Network for Rendezvous<'_, N> {
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

    fn is_rendezvous(&self) -> bool {
        true
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

    fn is_rendezvous(&self) -> bool {
        (**self).is_rendezvous()
    }
}
