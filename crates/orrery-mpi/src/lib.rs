//! The MPI machine: schedules run on the ranks of an MPI job.
//!
//! All processes call [`Job::join`]. Rank 0 then starts an [`MpiMachine`] and runs batches on it;
//! all others call [`Job::serve`]. MPI is called directly, and every return code is checked.
//!
//! | file | content |
//! |---|---|
//! | `calls` | wrappers of MPI functions; with `executor`, `native` and `collective` the only unsafe code |
//! | `job` | a process of the job: it joins, serves, ends |
//! | `machine` | rank 0 sends batches and collects readings, within a time limit |
//! | `control` | the messages between rank 0 and the others |
//! | `task` | functions of the program that ranks run without messages to each other |
//! | `plan`, `memory` | the operations of a rank as MPI calls; the bytes that they transfer |
//! | `executor` | the calls and their times; the ranks that agree on a clock |
//! | `native` | calls of collective operations of the library, with forced algorithms |
//! | `collective` | collective operations on the data of a program, by chosen algorithms |
//! | `provenance` | where each rank runs, and other properties of the machine |
//!
//! ```no_run
//! use orrery::machine::{Batch, Machine};
//! use orrery::platform::Placement;
//! use orrery::schedule::{Program, RoundTrip};
//! use orrery::units::Bytes;
//! use orrery_mpi::{Job, MpiMachine, Options, ThreadLevel};
//!
//! let job = Job::join(ThreadLevel::Single)?;
//! if job.rank() == 0 {
//!     let mut machine = MpiMachine::start(&job, Options::default())?;
//!     let program = Program::RoundTrip(RoundTrip { out: Bytes::new(1024), back: Bytes::ZERO });
//!     let (reading, placement) = (program.reading(), Placement::identity(2));
//!     let batch = Batch { program, placement, reading, warm_up: 2, first_repetition: 0, repetitions: 10 };
//!     assert_eq!(machine.run(&batch)?.len(), 10);
//! } else {
//!     job.serve()?;
//! }
//! job.end()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod calls;
pub mod collective;
mod control;
mod executor;
mod job;
mod machine;
mod memory;
mod native;
mod plan;
mod provenance;
mod task;

pub use calls::{MpiError, RawComm, RawDatatype, RawOp, ReduceArguments, UserComm};
pub use job::ThreadLevel;
pub use job::{Job, Options};
pub use machine::MpiMachine;
pub use provenance::JobHost;
pub use task::{TaskEvent, TaskLink, Tasks};
