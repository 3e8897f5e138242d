//! Replay of GOAL in the LogGOPS model: LogGP with an overhead per byte and an eager limit.
//!
//! With messages of m bytes:
//!
//! | operation | occupies | for |
//! |---|---|---|
//! | send | a processor of the sender | o_s + (m − 1)·O |
//! | | an interface of the sender | g + (m − 1)·G |
//! | first byte of the message | arrives | o_s + L after the start of the send |
//! | receive | a processor of the receiver | o_r + (m − 1)·max(O, G), after arrival, when processor and interface are free |
//! | | an interface of the receiver | g + (m − 1)·G |
//! | computation | a processor | its time |
//!
//! A send of at most S bytes completes when its processor is free again; a larger one when its
//! message is received. Receives match messages of their source and tag in the order of arrival. In
//! LogGOPS o_s = o_r = o. Source: Hoefler, Schneider, Lumsdaine, "LogGOPSim: simulating large-scale
//! applications in the LogGOPS model" (2010); the times equal those of its program.
//!
//! ```
//! use orrery_play::simulate::loggp::{LogGops, replay};
//! use orrery_play::trace::goal::GoalGraph;
//! let text = "num_ranks 2\nrank 0 { send 64b to 1 tag 7 }\nrank 1 { recv 64b from 0 tag 7 }\n";
//! let goal = GoalGraph::read(text.as_bytes(), "two.goal")?;
//! let finish = replay(&goal, &LogGops::default())?.finish;
//! // o, and o + L + o + 63·G.
//! assert_eq!(finish, [1500.0, 5878.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod outcome;
mod queue;
mod replay;
mod waiting;

pub use outcome::outcome;
pub use replay::{ReplayError, ReplayTimes, UnfinishedOperation, replay};

/// The parameters of the model in nanoseconds, and per byte.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogGops {
    /// L: the latency.
    pub latency: f64,
    /// o_s: the overhead of a send.
    pub send_overhead: f64,
    /// o_r: the overhead of a receive.
    pub receive_overhead: f64,
    /// g: the gap between messages of an interface.
    pub gap: f64,
    /// G: the gap per byte after the first.
    pub byte_gap: f64,
    /// O: the overhead per byte after the first.
    pub byte_overhead: f64,
    /// S: the largest message, in bytes, whose send completes without its receive.
    pub eager: u64,
}

impl Default for LogGops {
    /// The defaults of LogGOPSim: L 2500, o 1500, g 1000, G 6, O 0, S 65535.
    fn default() -> Self {
        Self {
            latency: 2500.0,
            send_overhead: 1500.0,
            receive_overhead: 1500.0,
            gap: 1000.0,
            byte_gap: 6.0,
            byte_overhead: 0.0,
            eager: 65535,
        }
    }
}

impl LogGops {
    /// The valid times of parameters in nanoseconds, up to 11 days. Sums of them and products with
    /// sizes are finite.
    pub const TIMES: std::ops::RangeInclusive<f64> = 0.0..=1e15;

    /// Returns true if all times are valid.
    pub fn is_valid(&self) -> bool {
        let Self { latency, send_overhead, receive_overhead, gap, byte_gap, byte_overhead, .. } =
            self;
        [latency, send_overhead, receive_overhead, gap, byte_gap, byte_overhead]
            .into_iter()
            .all(|time| Self::TIMES.contains(time))
    }
}
