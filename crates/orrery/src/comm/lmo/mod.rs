//! The LMO model: T(i→j, m) = C_i + m·t_i + L_ij + m/β_ij + C_j + m·t_j.

mod network;

pub use network::{Layout, LmoNetwork};

use crate::numeric::Estimate;
use crate::platform::PerPair;

/// Parameters of the LMO model of n processors, and of LOM, which is LMO without link latency.
///
/// T(i→j, m) = C_i + L_ij + C_j + m·(t_i + 1/β_ij + t_j) seconds for m bytes. Links are alike in both directions.
///
/// Sources: LMO: reference of the CPM module `LMO`; LOM: Lastovetsky, Rychkov, O'Flynn, "A software tool for accurate
/// estimation of parameters of heterogeneous communication models", section 3.
#[derive(Debug, Clone, PartialEq)]
pub struct Lmo {
    /// C_i, fixed processing delay of each processor \[s\]; n values.
    pub fixed_delay: Vec<Estimate>,
    /// t_i, processing delay per byte of each processor \[s/B\]; n values.
    pub byte_delay: Vec<Estimate>,
    /// L_ij, latency of each link \[s\]; absent in LOM.
    pub link_latency: Option<PerPair<Estimate>>,
    /// 1/β_ij, delay per byte of each link \[s/B\].
    pub link_byte_delay: PerPair<Estimate>,
}

impl Lmo {
    /// How many processors the model speaks of.
    pub fn processors(&self) -> usize {
        self.fixed_delay.len()
    }
}
