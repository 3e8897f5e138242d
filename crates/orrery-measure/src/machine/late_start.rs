use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The error that no repetition could start with all ranks in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error(
    "a rank missed the common start {tries} times in a row, most recently by {late:?}, although it \
        was announced {lead:?} \
     in advance; the machine is overloaded: use at most one rank per core, or time with each \
     rank's own clock"
)]
pub struct LateStart {
    /// The number of attempts.
    pub tries: u32,
    /// The delay of the last rank in the last attempt.
    pub late: Duration,
    /// The lead of the announcement before the start.
    pub lead: Duration,
}
