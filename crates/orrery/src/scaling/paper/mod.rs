//! The execution-time models of Kishimoto, Ichikawa, "An execution-time estimation model for heterogeneous clusters" (2004),
//! as they were published.
//!
//! An N-T model gives computation and communication of one configuration of one kind over the size N, a P-T model joins
//! those of all P with the same number of processes M_i on each element:
//!
//! | | computation | communication |
//! |---|---|---|
//! | N-T | Ta = k0·N³ + k1·N² + k2·N + k3 | Tc = k4·N² + k5·N + k6 |
//! | P-T | Ta(N, P) = k7·Ta(N)/P + k8 | Tc(N, P) = k9·P·Tc(N) + k10·Tc(N)/P + k11 |
//!
//! The N-T model holds where all processes run on one element, the P-T model elsewhere; memory ranges may have models of
//! their own. A kind that cannot be run on several elements takes the P-T models of another, scaled. Estimates of a kind
//! can be adjusted by a linear transformation.

mod adjustment;
mod breakpoint;
mod composition;
mod element_times;
mod error;
mod fit;
mod least_squares;
mod memory;
mod model;
mod process_model;
mod reading;
mod size_model;

pub use adjustment::{Adjustment, AdjustmentRule};
pub use composition::{Composition, CompositionRule};
pub use element_times::PaperTimes;
pub use error::PaperError;
pub use fit::{PaperOptions, fit_paper};
pub use memory::{MemoryLimits, MemoryRanges, bytes_per_element};
pub use model::PaperModel;
pub use process_model::PtModel;
pub use size_model::{NtCoefficients, NtModel};
