//! Requests about applications, parallel routines, simulations, files of MPI libraries and series.

mod application;
mod configuration;
mod forecast;
mod grid;
mod host;
mod levels;
mod plan;
mod redistribution;
mod routine;
mod share;
mod simulation;
mod tuning;
mod validation;

pub use application::ApplicationRequest;
pub use configuration::{ChosenConfigurations, ConfigurationRequest, SearchRequest};
pub use forecast::SeriesForecastRequest;
pub use grid::GridRequest;
pub use host::{ChosenHosts, HostForecast, HostRequest};
pub use levels::RegionAtLevels;
pub use plan::PlanRequest;
pub use redistribution::RedistributionRequest;
pub use routine::{ExplainedRoutine, RoutineRequest};
pub use share::{ShareRequest, SharedTransfers};
pub use simulation::{
    Assumed, CandidateNetwork, EagerLimits, NetworkCandidate, NetworkRequest, NetworkTime,
    PlacedApplication, RankPlacement, RankedNetworks, SharedLinks, SimulatedApplication,
    SimulatedPlatform, UnusedSetting, host_speeds,
};
pub use tuning::{TuningRequest, VerificationRequest};
pub use validation::{ValidatedRoutines, ValidatedRuns};

use super::{
    RequestError, check_answers, check_level, check_positive, check_rank, check_work, kinds, procs,
    request_of,
};
