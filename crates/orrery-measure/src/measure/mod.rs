//! Campaigns: the experiments to measure, their order, the number of repetitions, and resumption
//! after an interruption.
//!
//! A [`Design`] is a set of experiments ([`CommDesign`], [`TrainDesign`], [`CollectiveDesign`],
//! [`AdaptiveCollectives`]); it yields [`Plan`]s, one after the other. A [`Campaign`] runs them on
//! a machine until the [`Precision`] is reached.

mod adaptive_sizes;
mod anchors;
mod campaign;
mod collectives;
mod comm;
mod further;
mod interference;
mod kernels;
mod overheads;
mod packing;
mod plan;
mod precision;
mod queue;
mod schemes;
mod shared_links;
mod train_sizes;

pub use adaptive_sizes::{AdaptiveSizes, AdaptiveSizesError};
pub use campaign::{Campaign, CampaignEnd, CampaignError, Design, Progress, Sink};
pub use collectives::{
    AdaptiveCollectives, AdaptivePlan, CollectiveDesign, adaptive_collectives, collectives,
};
pub use comm::{
    CommDesign, SizeChoice, TripletDesign, choose_size, one_to_twos, round_trips, two_to_ones,
};
pub use further::further_experiments;
pub use interference::{Interference, Pairing, Parallelism};
pub use kernels::{KernelCampaign, KernelCampaignError};
pub use overheads::{OverheadDesign, TrainDesign, TrainPairs, TrainSizes, send_receives};
pub use plan::{MissingRoundTrips, Plan};
pub use precision::{MEMORY_PER_READING, Precision, Statistic};
pub use schemes::{RowSink, SchemeCampaign, SchemeNodes, empty_scheme};
pub use train_sizes::{initial_train_sizes, refined_train_sizes};
