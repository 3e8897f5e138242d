//! What most tests of the engine use.

pub use orrery::comm::hockney::HockneyNetwork;
pub use orrery::comm::lmo::LmoNetwork;
pub use orrery::engine::{Engine, Network};
pub use orrery::numeric::Estimate;
pub use orrery::platform::{Pairs, Placement};
pub use orrery::schedule::{
    Algorithm, Collective, CollectiveKind, Explicit, Operation, Program, Rank, Request, Schedule,
    Tag, Transfer,
};
pub use orrery::units::{Bytes, Seconds};
