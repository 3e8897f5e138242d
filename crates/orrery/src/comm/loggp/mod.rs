//! The LogP and LogGP models: T(m) = L + o_s + o_r + max(m − 1, 0)·G for every pair of processors, G = 0 in LogP.

mod fit;
mod network;

pub use fit::fit;
pub use network::LogGpNetwork;

use crate::comm::FittedNetwork;
use crate::numeric::Estimate;

/// Parameters of LogGP, and of LogP, which is LogGP without a gap per byte; the same for all processors.
///
/// T(m) = L + o_s + o_r + max(m − 1, 0)·G seconds for m bytes. The gap g is the least time between the beginnings of two
/// messages of a port; where it is smaller than an overhead no experiment shows it, and the overhead stands for it.
///
/// Sources: Culler et al., "LogP: towards a realistic model of parallel computation", PPoPP 1993; Alexandrov et al.,
/// "LogGP: incorporating long messages into the LogP model", SPAA 1995.
#[derive(Debug, Clone, PartialEq)]
pub struct LogGp {
    /// L, latency of the network \[s\].
    pub latency: Estimate,
    /// o_s, for how long a send keeps its processor busy \[s\].
    pub send_overhead: Estimate,
    /// o_r, for how long the receive of one byte keeps its processor busy \[s\].
    pub receive_overhead: Estimate,
    /// g, gap between two messages of a port \[s\].
    pub gap: Estimate,
    /// G, gap for each further byte \[s/B\]; absent in LogP.
    pub byte_gap: Option<Estimate>,
}

impl LogGp {
    /// All estimates in the order L, o_s, o_r, g, G.
    pub fn estimates(&self) -> Vec<Estimate> {
        let always = [self.latency, self.send_overhead, self.receive_overhead, self.gap];
        always.into_iter().chain(self.byte_gap).collect()
    }

    /// The model of these estimates, in the order L, o_s, o_r, g, and G unless it is LogP; `None` for another number.
    pub fn from_estimates(estimates: &[Estimate]) -> Option<Self> {
        let (&[latency, send_overhead, receive_overhead, gap], rest) = estimates.split_first_chunk()?;
        let byte_gap = match *rest {
            [] => None,
            [byte_gap] => Some(byte_gap),
            _ => return None,
        };
        Some(Self { latency, send_overhead, receive_overhead, gap, byte_gap })
    }

    /// The names of the estimates in the model file.
    pub fn names(&self) -> &'static [&'static str] {
        &Layout::NAMES[..Layout { with_bytes: self.byte_gap.is_some() }.count()]
    }

    /// The model as a network of so many processors for the engine.
    pub fn network(&self, processors: usize) -> FittedNetwork<LogGpNetwork> {
        let estimates = self.estimates();
        let values: Vec<f64> = estimates.iter().map(|estimate| estimate.value).collect();
        FittedNetwork::new(LogGpNetwork::new(processors, &values), estimates)
    }
}

/// The number of each parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Layout {
    with_bytes: bool,
}

impl Layout {
    const LATENCY: usize = 0;
    const SEND_OVERHEAD: usize = 1;
    const RECEIVE_OVERHEAD: usize = 2;
    const GAP: usize = 3;
    const BYTE_GAP: usize = 4;
    const NAMES: [&'static str; 5] = ["latency", "send_overhead", "receive_overhead", "gap", "byte_gap"];

    const fn count(self) -> usize {
        if self.with_bytes { 5 } else { 4 }
    }
}
