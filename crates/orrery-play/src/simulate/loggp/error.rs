use crate::trace::goal::{ANY, GoalOperation as Operation, OperationKind};

/// The reason why a replay has no times.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// Sends and receives do not match, or operations wait for each other.
    #[error(
        "{count} operations never end: {}; add missing sends or receives, and remove circular \
            dependencies",
        describe(first)
    )]
    Deadlock {
        /// The first few operations, those that have started first.
        first: Vec<UnfinishedOperation>,
        /// The number of operations that never end.
        count: usize,
    },
    /// A receive does not accept the size of its message,
    /// [`Tag::accepts`](orrery_program::schedule::Tag::accepts).
    #[error(
        "line {}: rank {} receives {}{} bytes here, but rank {} sends {} in line {}; correct one \
            of the sizes",
        receive.line, receive.rank, if send.size > receive.size { "at most " } else { "" }, receive.size,
        send.rank, send.size, send.line
    )]
    Size {
        /// The send.
        send: Operation,
        /// The receive.
        receive: Operation,
    },
}

/// An operation that never ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnfinishedOperation {
    /// The operation.
    pub operation: Operation,
    /// True if it has started and waits for another rank; false if it waits for operations of its
    /// own rank.
    pub has_started: bool,
}

/// The maximum number of operations in a message.
pub(super) const MAX_SHOWN: usize = 5;

/// Operations that never end, in words.
fn describe(waiting: &[UnfinishedOperation]) -> String {
    let one = |UnfinishedOperation { operation, has_started }: &UnfinishedOperation| {
        let Operation { rank, peer, tag, size, line, kind, .. } = *operation;
        let name = |number: u32| if number == ANY { "any".to_owned() } else { number.to_string() };
        let what = match kind {
            OperationKind::Send => format!("send of {size} bytes to rank {peer} with tag {tag}"),
            OperationKind::Receive => {
                format!("receive from rank {} with tag {}", name(peer), name(tag))
            }
            OperationKind::Calculate => "computation".to_owned(),
        };
        let why = if *has_started { "" } else { ", which waits for operations of its rank" };
        format!("line {line}: the {what} of rank {rank}{why}")
    };
    waiting.iter().map(one).collect::<Vec<_>>().join("; ")
}
