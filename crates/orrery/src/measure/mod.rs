//! Campaigns: what to measure ([`Plan`]), in which order, when to stop ([`Precision`]), and going on after a break.

mod adaptive;
mod campaign;
mod collectives;
mod comm;
mod overheads;
mod overlap;
mod packing;
mod plan;
mod precision;
mod queue;
mod schemes;
mod train_sizes;

pub use adaptive::AdaptiveSizes;
pub use campaign::{Campaign, CampaignEnd, CampaignError, Progress, Sink};
pub use collectives::{AdaptivePlan, CollectiveDesign, adaptive_collectives, collectives};
pub use comm::{MissingRoundTrips, TripletDesign, one_to_twos, round_trips};
pub use overheads::{OverheadDesign, TrainPairs};
pub use overlap::Interference;
pub use plan::Plan;
pub use precision::{Precision, Statistic};
pub use schemes::{RowSink, SchemeCampaign, SchemeError, SchemeNodes, SchemeProblem};
pub use train_sizes::{initial_train_sizes, refined_train_sizes};
