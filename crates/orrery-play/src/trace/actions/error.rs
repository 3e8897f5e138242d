use std::io;

use super::totals::TooManyOperations;
use orrery_program::schedule::Rank;

/// The reason why a trace cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The operating system reports an error.
    #[error(transparent)]
    System(#[from] io::Error),
    /// An action that the format cannot represent.
    #[error(
        "rank {rank}, action {statement}: a time-independent trace cannot represent {item}; write \
            a binary trace (.orrt)"
    )]
    Unsupported {
        /// The rank of the action.
        rank: Rank,
        /// The position of the action, as in
        /// [`Cursor::statement`](orrery_program::schedule::Cursor::statement).
        statement: u32,
        /// What the format cannot represent.
        item: &'static str,
    },
    /// Too many operations without loops.
    #[error(transparent)]
    TooMany(#[from] TooManyOperations),
}
