//! Execution-time models of applications on clusters with different processing elements, and the
//! search of their best configuration.
//!
//! The time of a run is that of its slowest processing element, T = max_i T_i. The time T_i of an
//! element depends on its kind, the problem size, the number of processes, the process grid, and
//! the number of processes on the element. Source: Kishimoto, Ichikawa, "An execution-time
//! estimation model for heterogeneous clusters" (2004), section 3. The models as published are in
//! [`paper`].

mod accuracy;
pub mod advise;
mod application;
mod categories;
mod effects;
mod element_times;
mod evaluation;
mod fit;
mod forecast;
mod forecast_map;
mod growth;
mod held_out;
mod kind_costs;
mod kind_fit;
mod lack_of_fit;
mod law_change;
mod left_out;
mod measured;
mod mixture;
mod noise;
mod observations;
mod outliers;
pub mod paper;
mod plan;
mod point;
mod point_time;
mod ranked;
mod regions;
mod regression;
pub mod search;
mod selection;
mod term_model;
mod terms;
mod uncertainty;

pub use accuracy::{Accuracy, RunsOfFit};
pub use application::{Application, ExecutionTimeModel, Region, RegionError};
pub use effects::{Effect, Effects, LevelEffect, Levels};
pub use element_times::TermTimes;
pub use evaluation::{ComparedPoint, ErrorSummary, Evaluation, SizeDecision, evaluate};
pub use fit::{FittedTerms, TermOptions, fit_terms};
pub use forecast::{Forecast, ForecastError};
pub use forecast_map::{ForecastMap, MapAxis, MapCell};
pub use growth::Growth;
pub use held_out::{HeldOut, LeftOut, held_out};
pub use lack_of_fit::{ErrorFactor, GroupError, LackOfFit, Pattern, PatternShape, lack_of_fit};
pub use law_change::LawChange;
pub use measured::MeasuredPoint;
pub use noise::RegionNoise;
pub use observations::FitError;
pub use plan::{PlannedRun, RunPlan};
pub use point::{ElementTime, ElementVariables, Layout, Point};
pub use ranked::RankedConfiguration;
pub use regions::{RegionForecast, RegionOrder};
pub use term_model::{Alternative, BoundedKind, Coefficient, TermModel};
pub use terms::{Factor, Role, Term, TermFamily};
pub use uncertainty::Uncertainty;
