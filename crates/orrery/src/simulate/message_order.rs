//! The order of messages between two hosts, which share one connection.

use std::collections::{BTreeMap, VecDeque};

use crate::platform::HostId;

/// The messages of each connection from one host to another that have not arrived, in the order of their sends.
///
/// Only the first of a connection flows; the next one follows when it ends, or when its own latency has passed.
#[derive(Debug, Default)]
pub(super) struct MessageOrder {
    connections: BTreeMap<(HostId, HostId), VecDeque<QueuedMessage>>,
}

/// A message of a connection.
#[derive(Debug)]
struct QueuedMessage {
    number: usize,
    /// True if its latency has passed.
    is_ready: bool,
}

impl MessageOrder {
    /// Adds a message that is sent.
    pub(super) fn add(&mut self, hosts: (HostId, HostId), number: usize) {
        self.connections.entry(hosts).or_default().push_back(QueuedMessage { number, is_ready: false });
    }

    /// Records that the latency of a message has passed; returns true if it can flow.
    pub(super) fn make_ready(&mut self, hosts: (HostId, HostId), number: usize) -> bool {
        let Some(queue) = self.connections.get_mut(&hosts) else { return true };
        if let Some(message) = queue.iter_mut().find(|message| message.number == number) {
            message.is_ready = true;
        }
        queue.front().is_none_or(|first| first.number == number)
    }

    /// Removes the first message, which has arrived; returns the next one if it can flow.
    pub(super) fn remove_first(&mut self, hosts: (HostId, HostId)) -> Option<usize> {
        let queue = self.connections.get_mut(&hosts)?;
        queue.pop_front();
        match queue.front() {
            Some(next) => next.is_ready.then_some(next.number),
            None => {
                self.connections.remove(&hosts);
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
        let (hosts, others) = ((HostId(0), HostId(1)), (HostId(1), HostId(0)));
        let mut order = MessageOrder::default();
        [(hosts, 5), (others, 6), (hosts, 7), (hosts, 4)]
            .into_iter()
            .for_each(|(hosts, number)| order.add(hosts, number));
        assert!(!order.make_ready(hosts, 4));
        assert!(order.make_ready(hosts, 5) && order.make_ready(others, 6));
        assert_eq!(order.remove_first(hosts), None);
        assert!(order.make_ready(hosts, 7));
        assert_eq!(order.remove_first(hosts), Some(4));
        assert_eq!((order.remove_first(hosts), order.remove_first(others)), (None, None));
        assert!(order.connections.is_empty());
    }
}
