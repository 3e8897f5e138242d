//! The MPI machine: schedules run on the ranks of an MPI job.
//!
//! All processes of the job [`Job::join`]. Rank 0 then starts an [`MpiMachine`] machine and gives it batches; all others
//! [`Job::serve`] it. MPI is called directly, and no return code is dropped.
//!
//! | file | what stands there |
//! |---|---|
//! | `calls` | the functions of MPI, checked; with `player` the only unsafe code |
//! | `job` | a process in the job: it joins, serves, ends |
//! | `machine`, `watchdog` | rank 0 gives out batches and gathers readings, but not without end |
//! | `control`, `patience` | what rank 0 and the others tell each other, and how they wait for it |
//! | `synchronous` | whether a program's sends may wait for their receives |
//! | `plan`, `memory` | the operations of a rank, lowered to calls; the bytes that they move |
//! | `player`, `barrier`, `peers` | the calls, and their times; who agrees on a clock for them |
//! | `seat`, `provenance` | where each rank runs, and all else that a reader of samples needs to know |
//!
//! ```no_run
//! use orrery::machine::{Batch, Machine};
//! use orrery::platform::Placement;
//! use orrery::schedule::{Program, RoundTrip};
//! use orrery::units::Bytes;
//! use orrery_mpi::{Job, MpiMachine, Options};
//!
//! let job = Job::join()?;
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

mod barrier;
mod calls;
mod control;
mod error;
mod job;
mod machine;
mod memory;
mod patience;
mod peers;
mod plan;
mod player;
mod provenance;
mod seat;
mod synchronous;
mod watchdog;

pub use error::MpiError;
pub use job::Job;
pub use machine::{MpiMachine, Options};
