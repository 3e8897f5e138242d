//! The open connections, bounded in number and in the memory of their requests, of each peer and
//! of all.
//!
//! A connection waits for its peer, or its peer waits for an answer. Where one must be closed, it
//! is the slowest of those that wait for their peers, among those of the address that has most. So
//! an address has its share, and its slow connections make way for its quick ones.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::limits::Limits;

/// The bytes that each connection is taken to have sent when it starts to wait, so that it is not
/// the slowest before it can send any.
const CREDIT_BYTES: usize = 4 << 10;

/// The part of all connections that other addresses keep when programs of this host use the rest.
const SHARE_OF_OTHERS: usize = 4;

/// All open connections.
#[derive(Debug)]
pub(super) struct Connections {
    limits: Limits,
    open: Mutex<Open>,
}

/// The open connections by number.
#[derive(Debug, Default)]
struct Open {
    connections: BTreeMap<u64, Entry>,
    /// The number of connections so far.
    count: u64,
    /// The bytes of bodies in memory.
    held: usize,
}

/// An open connection, as the service sees it.
#[derive(Debug)]
struct Entry {
    address: IpAddr,
    phase: Phase,
    /// When the phase began.
    since: Instant,
    /// The bytes of the request that have arrived.
    received: usize,
    /// The bytes of the body in memory.
    held: usize,
    close: Arc<Notify>,
}

/// What a connection does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// It waits for a request, or for the peer to take an answer.
    Idle,
    /// It receives the header of a request.
    Head,
    /// It receives the body of a request.
    Body,
    /// An answer is made; the connection is not closed for others.
    Answer,
}

/// How a connection was admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admission {
    /// The connection is open, and all others remain.
    Free,
    /// A slow connection was closed for it.
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
        Arc::new(Self { limits: *limits, open: Mutex::default() })
    }

    /// Adds a connection of an address. If the address has its share, or there are as many as the
    /// limit, closes the slowest one; `None` if none waits for its peer.
    pub(super) fn open(self: &Arc<Self>, address: IpAddr) -> Option<(Connection, Admission)> {
        let (mut open, now) = (self.lock(), Instant::now());
        let of_address = open.of(address).count();
        let mut admission = Admission::Free;
        if of_address >= self.share(address) {
            open.close_slowest(address, now).then_some(())?;
            admission = Admission::Replaced;
        } else if open.connections.len() >= self.limits.connections {
            let mut counts = open.sums(|_| 1);
            counts.sort_unstable_by_key(|(count, _)| Reverse(*count));
            counts.into_iter().find(|(_, address)| open.close_slowest(*address, now))?;
            admission = Admission::Replaced;
        }
        open.count += 1;
        let (number, close) = (open.count, Arc::new(Notify::new()));
        let (phase, close_entry) = (Phase::Idle, Arc::clone(&close));
        let entry = Entry { address, phase, since: now, received: 0, held: 0, close: close_entry };
        open.connections.insert(number, entry);
        Some((Connection { number, all: Arc::clone(self), close }, admission))
    }

    /// The maximum number of connections of an address.
    fn share(&self, address: IpAddr) -> usize {
        let all = self.limits.connections;
        if address.is_loopback() {
            (all - all / SHARE_OF_OTHERS).max(1)
        } else {
            self.limits.connections_per_address
        }
    }

    /// Closes connections whose header takes too long; returns their number.
    pub(super) fn close_late_headers(&self, now: Instant) -> usize {
        let mut open = self.lock();
        let timeout = self.limits.header_timeout;
        let is_late = |entry: &Entry| {
            entry.phase == Phase::Head && now.saturating_duration_since(entry.since) > timeout
        };
        let late = open.connections.iter().filter(|(_, entry)| is_late(entry));
        let late: Vec<u64> = late.map(|(number, _)| *number).collect();
        late.iter().for_each(|number| open.close(*number));
        late.len()
    }

    /// The number of open connections.
    pub(super) fn len(&self) -> usize {
        self.lock().connections.len()
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// The connections of an address.
    fn of(&self, address: IpAddr) -> impl Iterator<Item = (&u64, &Entry)> {
        self.connections.iter().filter(move |(_, entry)| entry.address == address)
    }

    /// The sum of a quantity over the connections of each address.
    fn sums(&self, quantity: impl Fn(&Entry) -> usize) -> Vec<(usize, IpAddr)> {
        let mut sums = BTreeMap::new();
        for entry in self.connections.values() {
            *sums.entry(entry.address).or_insert(0) += quantity(entry);
        }
        sums.into_iter().map(|(address, sum)| (sum, address)).collect()
    }

    /// Closes the slowest connection of an address that waits for its peer; returns false if none
    /// does.
    fn close_slowest(&mut self, address: IpAddr, now: Instant) -> bool {
        let waiting = self.of(address).filter(|(_, entry)| entry.phase != Phase::Answer);
        let slowest = waiting.min_by(|(_, a), (_, b)| a.rate(now).total_cmp(&b.rate(now)));
        let number = slowest.map(|(number, _)| *number);
        number.into_iter().for_each(|number| self.close(number));
        number.is_some()
    }

    /// The slowest connection of an address that has a part of its body.
    fn slowest_body(&self, address: IpAddr, now: Instant) -> Option<u64> {
        let bodies = self.of(address).filter(|(_, entry)| entry.phase == Phase::Body);
        let bodies = bodies.filter(|(_, entry)| entry.held > 0);
        let slowest = bodies.min_by(|(_, a), (_, b)| a.rate(now).total_cmp(&b.rate(now)));
        slowest.map(|(number, _)| *number)
    }

    /// Closes a connection.
    fn close(&mut self, number: u64) {
        if let Some(entry) = self.remove(number) {
            entry.close.notify_one();
        }
    }

    /// Removes a connection and what it holds.
    fn remove(&mut self, number: u64) -> Option<Entry> {
        let removed = self.connections.remove(&number);
        self.held -= removed.as_ref().map_or(0, |entry| entry.held);
        removed
    }
}

impl Entry {
    /// The bytes per second of the present phase.
    fn rate(&self, now: Instant) -> f64 {
        let elapsed = now.saturating_duration_since(self.since).max(Duration::from_micros(1));
        (self.received + CREDIT_BYTES) as f64 / elapsed.as_secs_f64()
    }

    fn begin(&mut self, phase: Phase) {
        (self.phase, self.since, self.received) = (phase, Instant::now(), 0);
    }
}

impl Connection {
    /// Counts bytes that have arrived; the first ones begin the header of a request.
    pub(super) fn receive(&self, bytes: usize) {
        self.with_entry(|entry| {
            if entry.phase == Phase::Idle {
                entry.begin(Phase::Head);
            }
            entry.received += bytes;
        });
    }

    /// Marks the end of the header of a request.
    pub(super) fn begin_body(&self) {
        self.with_entry(|entry| entry.begin(Phase::Body));
    }

    /// Counts bytes of a body that are in memory until the end of the answer. If all bodies exceed
    /// `limit` with them, closes the slowest connections of the address with most; returns false if
    /// this is one of them.
    pub(super) fn hold(&self, bytes: usize, limit: usize) -> bool {
        let (mut open, now) = (self.all.lock(), Instant::now());
        let Some(entry) = open.connections.get_mut(&self.number) else { return false };
        entry.held += bytes;
        open.held += bytes;
        while open.held > limit {
            let mut sums = open.sums(|entry| entry.held);
            sums.sort_unstable_by_key(|(sum, _)| Reverse(*sum));
            let slowest = sums.into_iter().find_map(|(_, address)| open.slowest_body(address, now));
            let Some(number) = slowest else { return false };
            open.close(number);
            if number == self.number {
                return false;
            }
        }
        true
    }

    /// Marks the begin of an answer: the connection is not closed for others.
    pub(super) fn begin_answer(&self) {
        self.with_entry(|entry| entry.begin(Phase::Answer));
    }

    /// Marks the end of an answer.
    pub(super) fn end_answer(&self) {
        let mut open = self.all.lock();
        if let Some(entry) = open.connections.get_mut(&self.number) {
            entry.begin(Phase::Idle);
            open.held -= std::mem::take(&mut entry.held);
        }
    }

    /// Calls a function with the entry, unless the connection is being closed.
    fn with_entry(&self, act: impl FnOnce(&mut Entry)) {
        if let Some(entry) = self.all.lock().connections.get_mut(&self.number) {
            act(entry);
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.all.lock().remove(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCAL: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn other(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    fn connections(limit: usize) -> Arc<Connections> {
        Connections::new(&Limits {
            connections: limit,
            connections_per_address: 2,
            ..Limits::default()
        })
    }

    fn is_open(connection: &Connection) -> bool {
        connection.all.lock().connections.contains_key(&connection.number)
    }

    #[test]
    fn the_slowest_connection_is_replaced_and_answers_are_not() {
        let all = connections(2);
        let (first, _) = all.open(LOCAL).expect("there is space");
        first.begin_body();
        first.begin_answer();
        let (second, _) = all.open(LOCAL).expect("there is space");
        second.receive(100);
        second.begin_body();
        let (third, admission) = all.open(LOCAL).expect("the unfinished body makes way");
        assert_eq!((admission, all.len()), (Admission::Replaced, 2));
        assert!(is_open(&first) && !is_open(&second) && is_open(&third));
        third.begin_answer();
        assert!(all.open(LOCAL).is_none());
        first.end_answer();
        assert!(all.open(LOCAL).is_some() && !is_open(&first));
    }

    #[test]
    fn quick_bodies_outlast_slow_ones() {
        let all = connections(2);
        let (slow, _) = all.open(LOCAL).expect("there is space");
        slow.begin_body();
        let (quick, _) = all.open(LOCAL).expect("there is space");
        quick.begin_body();
        std::thread::sleep(Duration::from_millis(5));
        quick.receive(1 << 20);
        assert!(all.open(LOCAL).is_some() && is_open(&quick) && !is_open(&slow));
    }

    #[test]
    fn an_address_has_a_share_and_leaves_room_for_others() {
        let all = connections(8);
        let ours: Vec<_> = (0..20).map(|_| all.open(LOCAL)).collect();
        assert_eq!((ours.iter().flatten().count(), all.len()), (20, 6));
        let others: Vec<_> = (0..3).map(|_| all.open(other(1))).collect();
        assert_eq!((others.iter().flatten().count(), all.len()), (3, 8));
        // The address with most makes way for a third one.
        assert_eq!(all.open(other(2)).map(|(_, admission)| admission), Some(Admission::Replaced));
        assert_eq!(all.lock().of(LOCAL).count(), 5);
    }

    #[test]
    fn memory_of_bodies_is_taken_from_the_slowest_of_the_largest() {
        let all = connections(8);
        let open = |address| {
            let (connection, _) = all.open(address).expect("there is space");
            connection.begin_body();
            connection
        };
        let [first, second, small] = [open(LOCAL), open(LOCAL), open(other(1))];
        assert!(first.hold(600, 1000) && second.hold(300, 1000) && small.hold(100, 1000));
        assert!(small.hold(100, 1000) && !is_open(&first) && is_open(&second));
        second.begin_answer();
        assert!(!small.hold(1000, 1000) && !is_open(&small) && is_open(&second));
        second.end_answer();
        assert_eq!(all.lock().held, 0);
    }

    #[test]
    fn late_headers_are_closed() {
        let all = connections(8);
        let (idle, _) = all.open(LOCAL).expect("there is space");
        let (late, _) = all.open(LOCAL).expect("there is space");
        late.receive(1);
        let now = Instant::now();
        assert_eq!(all.close_late_headers(now), 0);
        assert_eq!(all.close_late_headers(now + Limits::default().header_timeout * 2), 1);
        assert!(is_open(&idle) && !is_open(&late));
    }
}
