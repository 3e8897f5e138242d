use std::fmt;

use serde::{Deserialize, Serialize};

use crate::units::{Bytes, Seconds};

/// The number of a process within a program, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rank(pub u32);

impl Rank {
    /// The number as an index into arrays per rank.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The first `count` ranks.
    pub fn first(count: usize) -> impl Iterator<Item = Self> {
        (0..count as u32).map(Self)
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What tells messages of one sender apart; matching is by (source, tag) in the order of sending.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tag(pub u32);

/// The handle of a posted (non-blocking) transfer, chosen by the program, free again after its wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Request(pub u32);

/// A named timer of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timer(pub u8);

impl Timer {
    /// The timer that every rank has without asking: from its first operation to the end of its last.
    pub const WHOLE: Self = Self(0);
    /// How many timers a rank has, [`Timer::WHOLE`] included.
    pub const COUNT: usize = 8;
}

/// One end of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transfer {
    /// Sends `size` bytes. Sends are eager: none waits for its receive to be posted.
    Send {
        /// The receiver.
        to: Rank,
        /// How many bytes.
        size: Bytes,
        /// The tag that the receiver names.
        tag: Tag,
    },
    /// Receives the next message of `from` with this tag.
    Receive {
        /// The sender.
        from: Rank,
        /// How many bytes are expected.
        size: Bytes,
        /// The tag that the sender gave.
        tag: Tag,
    },
    /// Receives whichever message with this tag arrives first, ties by rank of the sender.
    ReceiveAny {
        /// How many bytes are expected.
        size: Bytes,
        /// The tag that the sender gave.
        tag: Tag,
    },
}

/// An elementary operation of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// A blocking transfer: the rank goes on when its end of it is complete.
    Do(Transfer),
    /// A posted transfer: the rank goes on at once, the transfer is served when it becomes ready.
    Post(Transfer, Request),
    /// Waits until a posted transfer is complete.
    Wait(Request),
    /// Asks whether a posted transfer is complete, and goes on in either case; the request stays open for its wait.
    Test(Request),
    /// Keeps the processor busy with computation for so long.
    Compute(Seconds),
    /// Keeps the processor busy with waiting for so long, by the clock.
    Spin(Seconds),
    /// Starts a named timer.
    Start(Timer),
    /// Stops a named timer; its reading is the sum over all its starts and stops.
    Stop(Timer),
}

impl Operation {
    /// A blocking send with tag 0.
    pub const fn send(to: Rank, size: Bytes) -> Self {
        Self::Do(Transfer::Send { to, size, tag: Tag(0) })
    }

    /// A blocking receive with tag 0.
    pub const fn receive(from: Rank, size: Bytes) -> Self {
        Self::Do(Transfer::Receive { from, size, tag: Tag(0) })
    }
}
