//! Runs of applications: problem sizes, configurations and times.
//!
//! A [`Run`] has *variables*, numbers with names. Names in [`variable`] have a fixed meaning; all
//! others are parameters of the application. On a cluster with several kinds of processing
//! elements, the [`Configuration`] of a run is the number of elements of each kind and of processes
//! on each. [`mod@file`] reads and writes runs, its module `import` (feature `import`) reads files
//! of other programs.
//!
//! ```
//! use orrery_applications::run::{Configuration, Run, variable};
//! use orrery_base::units::Seconds;
//! let configuration: Configuration = "athlon=1x2,pentium-ii=8x1".parse()?;
//! let mut run = Run::new(Seconds::new(129.7));
//! run.variables.insert(variable::PROBLEM_SIZE.to_owned(), 6400.0);
//! run.configuration = configuration;
//! assert_eq!(run.processes(), Some(10.0));
//! # Ok::<(), orrery_base::file::Fault>(())
//! ```

mod check;
mod configuration;
pub mod file;
mod filter;
pub mod hpl;
pub mod import;
mod metric;
mod names;
mod record;
pub mod variable;

pub use check::RunProblem;
pub use configuration::{Configuration, Share};
pub use filter::Filter;
pub use metric::Metric;
pub(crate) use names::{is_identifier, is_result};
pub use record::{KindTimes, Plan, PlanEntry, Run, Runs};
