//! Runs of applications: how large the problem was, on which configuration of the cluster, and how long it took.
//!
//! A [`Run`] has *variables*, numbers with names. Some names have a meaning, see [`variable`]; any other name is a
//! parameter of the application, of which nothing is known but its values. Where the processing elements of a cluster
//! differ, the run also says how many of each kind took part, and with how many processes on each: its
//! [`Configuration`].
//!
//! ```
//! use orrery::run::{Configuration, Run, variable};
//! use orrery::units::Seconds;
//! let configuration: Configuration = "athlon=1x2,pentium-ii=8x1".parse()?;
//! let mut run = Run::new(Seconds::new(129.7));
//! run.variables.insert(variable::PROBLEM_SIZE.to_owned(), 6400.0);
//! run.configuration = configuration;
//! assert_eq!(run.processes(), Some(10.0));
//! # Ok::<(), orrery::run::ConfigurationError>(())
//! ```

mod check;
mod configuration;
pub mod file;
mod filter;
pub mod import;
mod plan;
mod record;
pub mod variable;

pub use check::RunProblem;
pub use configuration::{Configuration, ConfigurationError, Share};
pub use filter::{Filter, FilterError};
pub use plan::{Plan, PlanEntry};
pub use record::{KindTimes, Run, Runs};
