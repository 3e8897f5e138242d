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
pub use campaign::{Campaign, CampaignError, End, Progress, Sink};
pub use collectives::{Adapted, Collectives, adapted_collectives, collectives};
pub use comm::{MissingRoundTrips, Triplets, one_to_twos, round_trips};
pub use overheads::{Overheads, TrainPairs};
pub use overlap::Overlap;
pub use plan::Plan;
pub use precision::{Centre, Precision};
pub use schemes::{KeepRows, Nodes, SchemeCampaign, SchemeError, SchemeMisfit};
pub use train_sizes::{finer_sizes, first_sizes};
