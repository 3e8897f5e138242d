use std::fmt;

use serde::{Deserialize, Serialize};

use orrery_base::units::{Bytes, Seconds};

/// The number of a process within a program, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rank(pub u32);

impl Rank {
    /// Returns the number as an index into arrays per rank.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the first `count` ranks.
    pub fn first(count: usize) -> impl Iterator<Item = Self> {
        (0..count as u32).map(Self)
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The label that distinguishes messages of one sender; matching is by (source, tag) in the order
/// of sending.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Tag(pub u32);

impl Tag {
    /// The first tag of collective operations; those of a program's own messages are lower.
    pub const COLLECTIVE: u32 = 1 << 31;
    /// The first tag of collective operations in which all ranks give the same size.
    pub const EQUAL_SIZES: u32 = 3 << 30;
    /// The tag of a receive that accepts any; no message has it.
    pub const ANY: Self = Self(u32::MAX);

    /// Returns true if a receive of `expected` bytes with this tag accepts a message of `sent`
    /// bytes.
    ///
    /// As in MPI, a receive may be longer than its message, but not with the tags from
    /// [`Tag::EQUAL_SIZES`] on. A receive of 0 bytes has an unknown size, as after a probe.
    ///
    /// ```
    /// use orrery_program::schedule::Tag;
    /// use orrery_base::units::Bytes;
    /// let accepts = |tag: u32, expected, sent| Tag(tag).accepts(Bytes::new(expected), Bytes::new(sent));
    /// assert!(accepts(0, 8, 8) && accepts(0, 9, 8) && accepts(0, 0, 8) && !accepts(0, 7, 8));
    /// assert!(accepts(Tag::EQUAL_SIZES, 8, 8) && !accepts(Tag::EQUAL_SIZES, 9, 8));
    /// ```
    pub fn accepts(self, expected: Bytes, sent: Bytes) -> bool {
        sent == expected
            || self.0 < Self::EQUAL_SIZES && (expected == Bytes::ZERO || sent < expected)
    }
}

/// The handle of a posted (non-blocking) transfer, chosen by the program; it can be reused after
/// its wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Request(pub u32);

/// A named timer of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timer(pub u8);

impl Timer {
    /// The timer that every rank has: from its first operation to the end of its last one.
    pub const WHOLE: Self = Self(0);
    /// The number of timers of a rank, [`Timer::WHOLE`] included.
    pub const COUNT: usize = 8;
}

/// One end of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(isize)]
pub enum Transfer {
    /// Sends `size` bytes. What runs the schedule decides whether a send waits for its receive,
    /// such as by an eager limit.
    Send {
        /// The receiver.
        to: Rank,
        /// The size of the message.
        size: Bytes,
        /// The tag that the receiver expects.
        tag: Tag,
    } = 0,
    /// Receives the next message from `from` with this tag.
    Receive {
        /// The sender.
        from: Rank,
        /// The expected size of the message.
        size: Bytes,
        /// The tag of the message.
        tag: Tag,
    } = 1,
    /// Receives the message with this tag that arrives first, ties by rank of the sender.
    ReceiveAny {
        /// The expected size of the message.
        size: Bytes,
        /// The tag of the message.
        tag: Tag,
    } = 2,
}

/// An elementary operation of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(isize)]
pub enum Operation {
    /// A blocking transfer: the rank continues when its end of the transfer is complete.
    Do(Transfer) = 0,
    /// A posted transfer: the rank continues immediately; the transfer is served when it becomes
    /// ready.
    Post(Transfer, Request) = 1,
    /// Waits until a posted transfer is complete.
    Wait(Request) = 2,
    /// Tests if a posted transfer is complete and continues in either case; the request stays
    /// pending until its wait.
    Test(Request) = 3,
    /// Keeps the processor busy with computation for this duration.
    Compute(Seconds) = 4,
    /// Keeps the processor busy for this duration, measured by the clock.
    Spin(Seconds) = 5,
    /// Starts a named timer.
    Start(Timer) = 6,
    /// Stops a named timer; its reading is the sum of the durations between all its starts and
    /// stops.
    Stop(Timer) = 7,
    // New variants come last, because the noise of simulated machines depends on the position of
    // the variant.
    /// Combines this number of received bytes with own ones (`MPI_Reduce_local`).
    Combine(Bytes) = 8,
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
