//! The schedules of simple experiments: round trip, one-to-two, two-to-one, send and receive,
//! exchanges, and lists of operations.

use serde::{Deserialize, Serialize};

use super::{Cursor, Operation, Rank, Request, Schedule, Tag, Transfer};
use orrery_base::units::Bytes;

/// Round trip of ranks 0 and 1: `out` bytes there, `back` bytes back. The time is read on the clock
/// of rank 0.
///
/// Source: Lastovetsky, Rychkov, O'Flynn, "A software tool for accurate estimation of parameters of
/// heterogeneous communication models", section 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RoundTrip {
    /// The size of the message from rank 0 to rank 1.
    pub out: Bytes,
    /// The size of the reply.
    pub back: Bytes,
}

impl Schedule for RoundTrip {
    fn ranks(&self) -> usize {
        2
    }

    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation> {
        match (rank, cursor.advance()) {
            (Rank(0), 0) => Some(Operation::send(Rank(1), self.out)),
            (Rank(0), 1) => Some(Operation::receive(Rank(1), self.back)),
            (Rank(1), 0) => Some(Operation::receive(Rank(0), self.out)),
            (Rank(1), 1) => Some(Operation::send(Rank(0), self.back)),
            _ => None,
        }
    }
}

/// One to two: rank 0 sends `size` bytes to rank 1, then to rank 2; both answer with empty
/// messages; rank 0 receives the reply of rank 1, then of rank 2, each from that rank. The time is
/// read on the clock of rank 0.
///
/// It separates the delays of a processor from those of its links, which round trips cannot do.
/// Source: as [`RoundTrip`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct OneToTwo {
    /// The size of the two messages from rank 0.
    pub size: Bytes,
}

impl Schedule for OneToTwo {
    fn ranks(&self) -> usize {
        3
    }

    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation> {
        match (rank, cursor.advance()) {
            (Rank(0), 0) => Some(Operation::send(Rank(1), self.size)),
            (Rank(0), 1) => Some(Operation::send(Rank(2), self.size)),
            (Rank(0), 2) => Some(Operation::receive(Rank(1), Bytes::ZERO)),
            (Rank(0), 3) => Some(Operation::receive(Rank(2), Bytes::ZERO)),
            (Rank(1 | 2), 0) => Some(Operation::receive(Rank(0), self.size)),
            (Rank(1 | 2), 1) => Some(Operation::send(Rank(0), Bytes::ZERO)),
            _ => None,
        }
    }
}

/// Two to one: rank 0 sends an empty message to rank 1, then to rank 2; both answer with `size`
/// bytes, so that their messages meet at rank 0, which receives that of rank 1, then that of rank
/// 2. The time is read on the clock of rank 0.
///
/// It shows how fast a processor receives several messages at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TwoToOne {
    /// The size of the two messages to rank 0.
    pub size: Bytes,
}

impl Schedule for TwoToOne {
    fn ranks(&self) -> usize {
        3
    }

    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation> {
        match (rank, cursor.advance()) {
            (Rank(0), place @ (0 | 1)) => {
                Some(Operation::send(Rank(place as u32 + 1), Bytes::ZERO))
            }
            (Rank(0), place @ (2 | 3)) => {
                Some(Operation::receive(Rank(place as u32 - 1), self.size))
            }
            (Rank(1 | 2), 0) => Some(Operation::receive(Rank(0), Bytes::ZERO)),
            (Rank(1 | 2), 1) => Some(Operation::send(Rank(0), self.size)),
            _ => None,
        }
    }
}

/// Send and receive, one step of a ring: rank 0 sends an empty message to rank 2 and `size` bytes
/// to rank 1, then receives `size` bytes of rank 2, which were sent meanwhile, and the empty answer
/// of rank 1. The time is read on the clock of rank 0.
///
/// If large messages wait for their receive, the handshake of the second one follows the data of
/// the first one. The time shows how many bytes of the first message go before that handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SendReceive {
    /// The size of both messages.
    pub size: Bytes,
}

impl Schedule for SendReceive {
    fn ranks(&self) -> usize {
        3
    }

    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation> {
        match (rank, cursor.advance()) {
            (Rank(0), 0) => Some(Operation::send(Rank(2), Bytes::ZERO)),
            (Rank(0), 1) => Some(Operation::send(Rank(1), self.size)),
            (Rank(0), 2) => Some(Operation::receive(Rank(2), self.size)),
            (Rank(0), 3) => Some(Operation::receive(Rank(1), Bytes::ZERO)),
            (Rank(1), 0) => Some(Operation::receive(Rank(0), self.size)),
            (Rank(1), 1) => Some(Operation::send(Rank(0), Bytes::ZERO)),
            (Rank(2), 0) => Some(Operation::receive(Rank(0), Bytes::ZERO)),
            (Rank(2), 1) => Some(Operation::send(Rank(0), self.size)),
            _ => None,
        }
    }
}

/// Exchanges of several pairs at the same time, ranks 2p and 2p + 1 for pair p: each rank posts a
/// receive and a send of `size` bytes and waits for both; the odd rank then answers with an empty
/// message. The time is read on the clock of rank 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Exchanges {
    /// The number of pairs.
    pub pairs: u32,
    /// The size of each message.
    pub size: Bytes,
}

impl Schedule for Exchanges {
    fn ranks(&self) -> usize {
        2 * self.pairs as usize
    }

    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation> {
        /// The tag of the answer.
        const ANSWER: Tag = Tag(1);
        let peer = Rank(rank.0 ^ 1);
        match (rank.0 % 2, cursor.advance()) {
            (_, 0) => Some(Operation::Post(
                Transfer::Receive { from: peer, size: self.size, tag: Tag(0) },
                Request(0),
            )),
            (_, 1) => Some(Operation::Post(
                Transfer::Send { to: peer, size: self.size, tag: Tag(0) },
                Request(1),
            )),
            (_, place @ (2 | 3)) => Some(Operation::Wait(Request(place as u32 - 2))),
            (0, 4) => Some(Operation::Do(Transfer::Receive {
                from: peer,
                size: Bytes::ZERO,
                tag: ANSWER,
            })),
            (1, 4) => {
                Some(Operation::Do(Transfer::Send { to: peer, size: Bytes::ZERO, tag: ANSWER }))
            }
            _ => None,
        }
    }
}

/// A schedule that is stored operation by operation.
#[derive(Debug, Clone, Default, PartialEq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Explicit {
    ranks: Vec<Vec<Operation>>,
}

impl Explicit {
    /// Creates a schedule from the operations of rank 0, of rank 1, ….
    pub fn new(ranks: Vec<Vec<Operation>>) -> Self {
        Self { ranks }
    }

    /// Ranks 0 and 1 send each other a message at the same time: each posts its send, receives, and
    /// waits for its send.
    pub fn exchange(size: Bytes) -> Self {
        let rank = |peer| {
            let send = Transfer::Send { to: Rank(peer), size, tag: Tag(0) };
            vec![
                Operation::Post(send, Request(0)),
                Operation::receive(Rank(peer), size),
                Operation::Wait(Request(0)),
            ]
        };
        Self::new(vec![rank(1), rank(0)])
    }
}

impl Schedule for Explicit {
    fn ranks(&self) -> usize {
        self.ranks.len()
    }

    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation> {
        self.ranks.get(rank.index())?.get(cursor.advance()).copied()
    }
}
