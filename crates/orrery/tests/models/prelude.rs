//! What most tests of models use.

pub use orrery::collective::{Candidate, CollectiveChoice, choose};
pub use orrery::comm::lmo::{Layout, LmoNetwork, paths};
pub use orrery::comm::ports::{PortsNetwork, SizeLaw};
pub use orrery::comm::thresholds::{Pieces, SlopeCorrection};
pub use orrery::comm::{Hlmo, Lmo, Observations, Ports, Thresholds, TypedParameters as _};
pub use orrery::engine::{Engine, Irregularity, Network};
pub use orrery::machine::{Batch, IrregularCollectives, Machine, SimulatedMachine};
pub use orrery::measure::{
    Campaign, CampaignEnd, CollectiveDesign, OverheadDesign, Precision, TrainPairs, TripletDesign,
    collectives, one_to_twos, round_trips,
};
pub use orrery::model::{
    Alarm, FitOptions, FitOutcome, Model, ModelKind, Predictor, Query, SharedPorts, fit, validate,
};
pub use orrery::numeric::{Estimate, Interval, median};
pub use orrery::platform::{Pairs, PerPair, Placement, Processor};
pub use orrery::sample::{Experiment, Provenance, Sample, Samples};
pub use orrery::schedule::{
    Algorithm, Collective, CollectiveKind, Explicit, Operation, Program, Rank,
};
pub use orrery::units::{Bytes, Seconds};
pub use rand::rngs::ChaCha8Rng;
pub use rand::{RngExt, SeedableRng};
pub use rand_distr::StandardNormal;
