//! What most tests of execution-time models use.

pub use orrery::platform::{Cluster, HostGroup};
pub use orrery::run::{Configuration, KindTimes, Run, Share};
pub use orrery::scaling::paper::{PaperOptions, fit_paper};
pub use orrery::scaling::search::{Grids, Search};
pub use orrery::scaling::{
    ElementTime, ExecutionTimeModel, ForecastError, Layout, MeasuredPoint, Point, Region, RunPlan,
    TermFamily, TermModel, TermOptions, TermTimes, fit_terms,
};
pub use orrery::units::Seconds;
pub use rand::rngs::ChaCha8Rng;
pub use rand::{RngExt, SeedableRng};
pub use rand_distr::{Distribution, StandardNormal};
