//! The order of messages of one connection: between two hosts, or between two ranks.

use std::collections::{BTreeMap, VecDeque};

/// The ends of a connection: the numbers of two hosts or of two ranks, the sending one first.
pub(super) type ConnectionEnds = (u32, u32);

/// The messages of each connection that have not arrived, in the order of their sends.
///
/// Only the first of a connection flows; the next one follows when it ends, or when its own latency
/// has passed.
#[derive(Debug, Default)]
pub(super) struct MessageOrder {
    connections: BTreeMap<ConnectionEnds, VecDeque<QueuedMessage>>,
}

/// A message of a connection.
#[derive(Debug)]
struct QueuedMessage {
    number: usize,
    /// True if its latency has passed.
    is_ready: bool,
}

impl MessageOrder {
    /// Adds a message that is sent, behind those of its connection; its latency has not passed.
    pub(super) fn add(&mut self, ends: ConnectionEnds, number: usize) {
        self.connections
            .entry(ends)
            .or_default()
            .push_back(QueuedMessage { number, is_ready: false });
    }

    /// Records that the latency of a message has passed; returns true if it can flow, because it is
    /// the first one of its connection.
    pub(super) fn make_ready(&mut self, ends: ConnectionEnds, number: usize) -> bool {
        let Some(queue) = self.connections.get_mut(&ends) else { return true };
        if let Some(message) = queue.iter_mut().find(|message| message.number == number) {
            message.is_ready = true;
        }
        queue.front().is_none_or(|first| first.number == number)
    }

    /// The first message of a connection; `None` if there is none.
    pub(super) fn first(&self, ends: ConnectionEnds) -> Option<usize> {
        self.connections.get(&ends)?.front().map(|message| message.number)
    }

    /// The messages of a connection in their order, true if their latency has passed.
    pub(super) fn messages(&self, ends: ConnectionEnds) -> impl Iterator<Item = (usize, bool)> {
        let messages = self.connections.get(&ends).into_iter().flatten();
        messages.map(|message| (message.number, message.is_ready))
    }

    /// Removes the first message of a connection, which has arrived; returns the next one if its
    /// latency has passed, so that it can flow.
    pub(super) fn remove_first(&mut self, ends: ConnectionEnds) -> Option<usize> {
        let queue = self.connections.get_mut(&ends)?;
        queue.pop_front();
        match queue.front() {
            Some(next) => next.is_ready.then_some(next.number),
            None => {
                self.connections.remove(&ends);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_follow_each_other() {
        let (one, other) = ((0, 1), (1, 0));
        let mut order = MessageOrder::default();
        [(one, 5), (other, 6), (one, 7), (one, 4)]
            .into_iter()
            .for_each(|(ends, number)| order.add(ends, number));
        assert!(!order.make_ready(one, 4));
        assert!(order.make_ready(one, 5) && order.make_ready(other, 6));
        assert_eq!(order.remove_first(one), None);
        assert!(order.make_ready(one, 7));
        assert_eq!(order.remove_first(one), Some(4));
        assert_eq!((order.remove_first(one), order.remove_first(other)), (None, None));
        assert!(order.connections.is_empty());
    }
}
