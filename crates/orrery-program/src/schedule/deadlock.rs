//! The report of a deadlock.

use std::fmt;

use super::{Operation, Rank};

/// A rank that is blocked for ever.
#[derive(Debug, Clone, PartialEq)]
pub struct Blocked {
    /// The rank.
    pub rank: Rank,
    /// The index of the blocked operation among all operations of the rank, from 0.
    pub step: usize,
    /// The statement of the schedule, as its cursor counts: in a trace, the action.
    pub statement: u32,
    /// The operation.
    pub operation: Operation,
}

/// The ranks of a program that wait for each other, or for messages that are never sent.
///
/// ```
/// use orrery_program::schedule::{Blocked, Deadlock, Operation, Rank};
/// use orrery_base::units::Bytes;
/// let receive = Operation::receive(Rank(1), Bytes::new(8));
/// let blocked = vec![Blocked { rank: Rank(0), step: 2, statement: 0, operation: receive }];
/// assert_eq!(Deadlock { blocked }.to_string(), "deadlock: rank 0 waits at operation 2 (recv 8b from 1 tag 0)");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Deadlock {
    /// The blocked ranks.
    pub blocked: Vec<Blocked>,
}

impl std::error::Error for Deadlock {}

/// The maximum number of blocked ranks in a message; the others are counted.
const MAX_SHOWN: usize = 8;

impl Deadlock {
    /// The blocked ranks in words; `place` returns the position of an operation.
    pub fn describe(&self, place: impl Fn(&Blocked) -> String) -> String {
        let words = |one: &Blocked| {
            format!("rank {} waits at {} ({})", one.rank, place(one), one.operation)
        };
        let mut all: Vec<String> = self.blocked.iter().take(MAX_SHOWN).map(words).collect();
        if self.blocked.len() > MAX_SHOWN {
            all.push(format!("and {} more ranks", self.blocked.len() - MAX_SHOWN));
        }
        all.join("; ")
    }
}

impl fmt::Display for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "deadlock: {}", self.describe(|one| format!("operation {}", one.step)))
    }
}
