//! Recorded runs: the calls of MPI of each rank with their times, as the tracer writes them.
//!
//! A folder has a file for each rank ([`mod@file`]) with a [`Header`] and [`Record`]s.
//! [`RankRecording::totals`] sums computation and communication, [`for_each_message`] matches sends
//! and receives, [`to_trace`] makes a trace for simulation. [`encode`] makes the bytes of a record;
//! the tracer writes them.
//!
//! ```
//! use orrery_play::trace::recording::{Body, Call, Function, Header, RankRecording, Record, encode, to_trace};
//! let header = Header {
//!     rank: 0, ranks: 1, started: 0, clock: 0, host: "a".into(), program: "./app".into(), library: String::new(),
//! };
//! let mut bytes = header.encode();
//! let call = Call { function: Function::Finalize, gap: 1_000, duration: 500, body: Body::Plain };
//! encode(&Record::Call(call), &mut bytes);
//! encode(&Record::End, &mut bytes);
//! let rank = RankRecording::new(bytes, "rank-0.orre")?;
//! assert_eq!(rank.totals()?.computation.get(), 1e-6);
//! assert_eq!(to_trace(&[rank], 1e9).unwrap().actions(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod coding;
mod convert;
pub mod file;
mod function;
mod messages;
mod numbering;
mod rank;
mod record;
mod requests;
mod totals;

pub use coding::{MAX_MARK_BYTES, encode};
pub use convert::to_trace;
pub use function::{Function, Shape};
pub use messages::{CallTimes, MatchedMessage, for_each_message};
pub use rank::{CallClock, Ending, Header, RankRecording, RecordingError, Records, TimedCall};
pub use record::{Body, Call, Completion, Matched, Message, Outcome, Peer, Record};
pub use totals::{FunctionTotals, RankTotals};

pub(super) use rank::MAGIC;
