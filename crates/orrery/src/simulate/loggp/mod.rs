//! Replay of GOAL in the LogGOPS model: LogGP with an overhead for each byte and a limit above which sends are synchronous.
//!
//! With messages of m bytes:
//!
//! | what | occupies | for |
//! |---|---|---|
//! | a send | a processor of the sender | o + (m − 1)·O |
//! | | an interface of the sender | g + (m − 1)·G |
//! | its first byte | arrives | o + L after the send begins |
//! | a receive | a processor of the receiver | o + (m − 1)·max(O, G), from when the message is there, processor and interface free |
//! | | an interface of the receiver | g + (m − 1)·G |
//! | a computation | a processor | its time |
//!
//! A send of at most S bytes is complete when it has begun to be sent; a larger one when its message is received, and not
//! before. Receives take messages of their source and tag in the order of arrival. Source: Hoefler, Schneider, Lumsdaine,
//! "LogGOPSim: simulating large-scale applications in the LogGOPS model" (2010), and its program, whose times these are.
//!
//! ```
//! use orrery::simulate::loggp::{LogGops, replay};
//! use orrery::trace::goal::GoalGraph;
//! let text = "num_ranks 2\nrank 0 { send 64b to 1 tag 7 }\nrank 1 { recv 64b from 0 tag 7 }\n";
//! let goal = GoalGraph::read(text.as_bytes(), "two.goal")?;
//! let finish = replay(&goal, &LogGops::default())?.finish;
//! // o, and o + L + o + 63·G.
//! assert_eq!(finish, [1500.0, 5878.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod matching;
mod outcome;
mod queue;
mod replay;

pub use outcome::outcome;
pub use replay::{DeadlockError, ReplayTimes, UnfinishedOperation, replay};

/// The parameters of the model in nanoseconds, and per byte.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogGops {
    /// L: the latency.
    pub latency: f64,
    /// o: the overhead of a message.
    pub overhead: f64,
    /// g: the gap between messages of an interface.
    pub gap: f64,
    /// G: the gap for each further byte.
    pub byte_gap: f64,
    /// O: the overhead for each further byte.
    pub byte_overhead: f64,
    /// S: the largest message whose send does not wait for its receive.
    pub eager: u64,
}

impl Default for LogGops {
    /// Those of LogGOPSim: L 2500, o 1500, g 1000, G 6, O 0, S 65535.
    fn default() -> Self {
        Self { latency: 2500.0, overhead: 1500.0, gap: 1000.0, byte_gap: 6.0, byte_overhead: 0.0, eager: 65535 }
    }
}
