//! The open connections, bounded in number.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;

use super::limits::Limits;

/// All open connections.
#[derive(Debug)]
pub(super) struct Connections {
    limit: usize,
    limit_per_address: usize,
    open: Mutex<Open>,
}

/// The open connections by number.
#[derive(Debug, Default)]
struct Open {
    connections: BTreeMap<u64, Entry>,
    /// The number of connections so far.
    count: u64,
}

/// An open connection, as the service sees it.
#[derive(Debug)]
struct Entry {
    address: IpAddr,
    /// When the last answer was made; `None` while a request is answered.
    idle_since: Option<Instant>,
    close: Arc<Notify>,
}

/// How a connection was admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admission {
    /// The connection is open, and all others remain.
    Free,
    /// The connection that was idle for the longest time was closed for it.
    Replaced,
}

/// An open connection; it counts until it is dropped.
#[derive(Debug)]
pub(super) struct Connection {
    number: u64,
    all: Arc<Connections>,
    /// Notified when the connection must be closed.
    pub(super) close: Arc<Notify>,
}

impl Connections {
    pub(super) fn new(limits: &Limits) -> Arc<Self> {
        let (limit, limit_per_address) = (limits.connections, limits.connections_per_address);
        Arc::new(Self { limit, limit_per_address, open: Mutex::default() })
    }

    /// Adds a connection of an address. If there are as many as the limit, closes the one that is
    /// idle for the longest time; `None` if all are busy, or the address has too many.
    pub(super) fn open(self: &Arc<Self>, address: IpAddr) -> Option<(Connection, Admission)> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let of_address =
            || open.connections.values().filter(|entry| entry.address == address).count();
        if !address.is_loopback() && of_address() >= self.limit_per_address {
            return None;
        }
        let mut admission = Admission::Free;
        if open.connections.len() >= self.limit {
            let idle = open
                .connections
                .iter()
                .filter_map(|(number, entry)| Some((entry.idle_since?, *number)));
            let (_, oldest) = idle.min()?;
            open.connections.remove(&oldest).inspect(|entry| entry.close.notify_one());
            admission = Admission::Replaced;
        }
        open.count += 1;
        let (number, close) = (open.count, Arc::new(Notify::new()));
        let entry = Entry { address, idle_since: Some(Instant::now()), close: Arc::clone(&close) };
        open.connections.insert(number, entry);
        Some((Connection { number, all: Arc::clone(self), close }, admission))
    }

    /// The number of open connections.
    pub(super) fn len(&self) -> usize {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).connections.len()
    }
}

impl Connection {
    /// Marks the begin of a request: the connection is not closed for others.
    pub(super) fn begin(&self) {
        self.set_idle_since(None);
    }

    /// Marks the end of a request.
    pub(super) fn end(&self) {
        self.set_idle_since(Some(Instant::now()));
    }

    /// Marks the connection as idle since a time, or as busy for `None`.
    fn set_idle_since(&self, since: Option<Instant>) {
        let mut open = self.all.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = open.connections.get_mut(&self.number) {
            entry.idle_since = since;
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.all
            .open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .connections
            .remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(limit: usize) -> Arc<Connections> {
        Connections::new(&Limits {
            connections: limit,
            connections_per_address: 2,
            ..Limits::default()
        })
    }

    #[test]
    fn the_longest_idle_connection_is_replaced() {
        let (all, host) = (connections(2), IpAddr::from([127, 0, 0, 1]));
        let (first, _) = all.open(host).expect("there is space");
        let (second, _) = all.open(host).expect("there is space");
        first.begin();
        first.end();
        let (third, admission) = all.open(host).expect("the second one is replaced");
        assert_eq!((admission, all.len()), (Admission::Replaced, 2));
        first.begin();
        third.begin();
        assert!(all.open(host).is_none());
        drop(second);
        assert_eq!(all.len(), 2);
        drop(first);
        assert_eq!(all.open(host).map(|(_, admission)| admission), Some(Admission::Free));
    }

    #[test]
    fn an_address_has_a_share() {
        let (all, other) = (connections(10), IpAddr::from([192, 0, 2, 1]));
        let open: Vec<_> = (0..3).map(|_| all.open(other)).collect();
        assert_eq!(open.iter().flatten().count(), 2);
        assert!(all.open(IpAddr::from([192, 0, 2, 2])).is_some());
    }
}
