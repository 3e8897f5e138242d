//! GOAL, the group operation assembly language: for each rank a graph of sends, receives and
//! computations.
//!
//! Times are in nanoseconds. `b requires a` starts b after the end of a; `b irequires a` starts b
//! after the start of a. Source: Hoefler, Siebert, Lumsdaine, "Group operation assembly language: a
//! flexible way to express collective communication" (2009), and the texts that LogGOPSim reads.
//!
//! ```
//! use orrery_play::trace::goal::{GoalGraph, OperationKind};
//! let text = "num_ranks 2\nrank 0 {\na: send 64b to 1 tag 7\nb: calc 500 // work\nb requires a\n}\n\
//!             rank 1 { recv 64b from 0 tag 7 }\n";
//! let goal = GoalGraph::read(text.as_bytes(), "two.goal")?;
//! assert_eq!((goal.ranks(), goal.operations().len()), (2, 3));
//! assert_eq!(goal.operations()[1].kind, OperationKind::Calculate);
//! # Ok::<(), orrery_base::file::FileError>(())
//! ```

mod convert;
mod graph;
mod labels;
mod reader;
mod schedule;
mod sequential;
mod tokens;

pub use graph::{ANY, GoalGraph, GoalOperation, OperationKind};
pub use schedule::write;
pub use sequential::SequentialSchedule;

pub(super) use graph::MAX_OPERATIONS;
