//! The records of a rank: its calls with their times, and the communicators that they name.

use std::borrow::Cow;

use super::function::Function;

/// The other end of a message, as a rank of the whole job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Peer {
    /// No process (`MPI_PROC_NULL`): nothing is transferred.
    #[default]
    None,
    /// Any sender (`MPI_ANY_SOURCE`).
    Any,
    /// A rank.
    Rank(u32),
    /// A process that is not a rank of the job, such as one that was spawned.
    Foreign,
}

/// A message as a call names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Message {
    /// The number of the communicator at this rank.
    pub communicator: u32,
    /// The other end.
    pub peer: Peer,
    /// The tag; `None` for any (`MPI_ANY_TAG`).
    pub tag: Option<u32>,
    /// The size in bytes; of a receive that of its buffer.
    pub size: u64,
}

/// The message that a receive of any source or any tag has matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Matched {
    /// The sender.
    pub source: Peer,
    /// The tag.
    pub tag: u32,
}

/// A completed request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Completion {
    /// The number of the request.
    pub request: u32,
    /// How it ended.
    pub outcome: Outcome,
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outcome {
    /// The message is transferred as the request named it.
    #[default]
    Done,
    /// A receive of any source or any tag has matched a message.
    Matched(Matched),
    /// The request was cancelled.
    Cancelled,
}

/// The content of a call, by the [`Shape`](super::Shape) of its function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body<'a> {
    /// Nothing is recorded besides the times: the function has no content, or the call has failed.
    Plain,
    /// Consecutive calls without a result, such as `MPI_Iprobe` that finds no message: their
    /// number.
    Polls(u64),
    /// A message that is sent.
    Send(Message),
    /// A message that is received, and what it has matched.
    Receive(Message, Option<Matched>),
    /// A message that is sent and one that is received.
    Exchange(Message, Message, Option<Matched>),
    /// A request, nonblocking or persistent, and its message.
    Post(u32, Message),
    /// The persistent requests that start.
    Start(Cow<'a, [u32]>),
    /// The completed requests.
    Complete(Cow<'a, [Completion]>),
    /// A message that is found.
    Probe(Message, Matched),
    /// The request that is cancelled or freed.
    Request(u32),
    /// A collective operation: the number of the communicator, the rank of the root in it, the size
    /// of the block or of an element, and the sizes of all blocks; see
    /// [`Action::Collective`](super::super::actions::Action::Collective).
    Collective {
        /// The number of the communicator at this rank.
        communicator: u32,
        /// The rank of the root in the communicator; 0 without a root.
        root: u32,
        /// The size of the own block in bytes.
        size: u64,
        /// The sizes of all blocks, if the call names them.
        sizes: Cow<'a, [u64]>,
    },
}

/// A call of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call<'a> {
    /// The function.
    pub function: Function,
    /// The time in nanoseconds between the end of the previous call and the begin of this one.
    pub gap: u64,
    /// The duration in nanoseconds.
    pub duration: u64,
    /// The content.
    pub body: Body<'a>,
}

impl Call<'_> {
    /// The number of calls that this represents.
    pub fn calls(&self) -> u64 {
        if let Body::Polls(calls) = self.body { calls } else { 1 }
    }
}

/// A record of a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record<'a> {
    /// A call.
    Call(Call<'a>),
    /// A communicator that the following records name.
    Communicator {
        /// Its number at this rank; numbers of freed communicators are not used again.
        number: u32,
        /// True if it joins two groups (an intercommunicator); collective operations on it are not
        /// replayed.
        joins_groups: bool,
        /// The ranks of the job by their ranks in the communicator; [`u32::MAX`] for other
        /// processes.
        members: Cow<'a, [u32]>,
    },
    /// The record ends here because the disk is full or failed: the error number of the operating
    /// system.
    Stopped(u32),
    /// Calls of other threads during a call; they are not recorded.
    Overlapping(u64),
    /// The rank has called `MPI_Finalize`.
    End,
}
