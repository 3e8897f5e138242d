//! Execution-time models of applications on clusters whose processing elements differ, and the search of their best
//! configuration.
//!
//! A run takes as long as its slowest processing element, T = max_i T_i. The time T_i of an element depends on its kind,
//! on the size of the problem, on the number of processes and their grid, and on how many processes run on the element
//! itself. Source: Kishimoto, Ichikawa, "An execution-time estimation model for heterogeneous clusters" (2004),
//! section 3. Its models as they were published are in [`paper`].

pub mod advise;
mod application;
mod assess;
mod chain;
mod choice;
mod element_time;
mod error;
mod evaluation;
mod fit;
mod forecast;
mod general;
mod library;
mod model_times;
mod observations;
pub mod paper;
mod plan;
mod regression;
pub mod search;
mod term;
mod time_model;
mod times;
mod uncertainty;
mod view;

pub use application::{Application, Region};
pub use choice::RankedConfiguration;
pub use element_time::{ElementTime, Layout};
pub use error::ScalingError;
pub use evaluation::{ComparedPoint, Evaluation, SizeDecision, evaluate};
pub use fit::{FittedTerms, TermOptions, fit_terms};
pub use forecast::Forecast;
pub use library::TermFamily;
pub use model_times::TermTimes;
pub use plan::{PlannedRun, RunPlan};
pub use term::{Factor, Term};
pub use time_model::{Coefficient, Role, TermModel};
pub use times::ExecutionTimeModel;
pub use uncertainty::Uncertainty;
pub use view::{ElementVariables, Point};
