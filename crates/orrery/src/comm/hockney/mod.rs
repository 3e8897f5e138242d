//! The Hockney model: T(i→j, m) = α_ij + β_ij·m.

mod fit;
mod fitted;
mod network;

pub use fit::{Way, fit};
pub use fitted::FittedHockney;
pub use network::HockneyNetwork;

use crate::numeric::Estimate;
use crate::platform::PerPair;

/// Parameters of the Hockney model of n processors: for each pair, and the mean over the pairs.
///
/// T(i→j, m) = α_ij + β_ij·m seconds for m bytes.
///
/// Source: Hockney, "The communication challenge for MPP: Intel Paragon and Meiko CS-2", Parallel Computing 20 (1994).
#[derive(Debug, Clone, PartialEq)]
pub struct Hockney {
    /// α_ij, latency of each pair \[s\].
    pub latency: PerPair<Estimate>,
    /// β_ij, delay per byte of each pair \[s/B\].
    pub byte_delay: PerPair<Estimate>,
    /// Mean of α over the pairs \[s\].
    pub mean_latency: Estimate,
    /// Mean of β over the pairs \[s/B\].
    pub mean_byte_delay: Estimate,
}

impl Hockney {
    /// How many processors the model speaks of.
    pub fn processors(&self) -> usize {
        self.latency.pairs().processors()
    }

    /// The model with its parameters for each pair as a network for the engine.
    pub fn network(&self) -> FittedHockney {
        FittedHockney::pairs(self)
    }

    /// The model with the mean parameters for every pair as a network for the engine.
    pub fn mean_network(&self) -> FittedHockney {
        FittedHockney::mean(self)
    }
}
