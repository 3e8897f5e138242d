//! Max-min fairness over the ports of the nodes.

use super::kind::{Law, LawKind};
use crate::sharing::ports::PortTable;
use crate::sharing::{PenaltyModel, SharingError, Transfer};

/// The registry entry.
pub(super) static KIND: LawKind = LawKind {
    name: "maxmin",
    about: "max-min fairness over the ports of the nodes",
    parameters: &[],
    fit: None,
};

/// Max-min fairness over the ports of the nodes, the reference for all other laws.
///
/// Each out-port and each in-port carries at most the bandwidth of one uncontended transfer.
/// Progressive filling computes the rates: all rates grow together until a port is saturated; its
/// transfers keep their rate and the others continue to grow. The penalty of a transfer is the
/// inverse of its rate. Source: D. Bertsekas, R. Gallager, *Data Networks*, 1992, section 6.5.2.
///
/// ```
/// use orrery::sharing::{MaxMinPorts, PenaltyModel, Transfer};
/// let transfers = [(0, 1), (0, 2), (0, 3), (0, 4), (5, 4)].map(|(from, to)| Transfer::between(from, to));
/// // The last transfer takes what the fourth leaves of the port of node 4.
/// assert_eq!(MaxMinPorts.penalties(&transfers)?, [4.0, 4.0, 4.0, 4.0, 4.0 / 3.0]);
/// # Ok::<(), orrery::sharing::SharingError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MaxMinPorts;

/// The largest relative difference of two levels that count as equal.
const LEVEL_TOLERANCE: f64 = 1e-12;

/// A port during progressive filling.
#[derive(Debug, Clone, Copy)]
struct FillingPort {
    /// The part of the bandwidth that the fixed transfers leave.
    free: f64,
    /// The number of transfers whose rate still grows.
    growing: usize,
}

impl FillingPort {
    /// The rate at which the port is saturated; infinite without growing transfers.
    fn level(&self) -> f64 {
        if self.growing == 0 { f64::INFINITY } else { self.free / self.growing as f64 }
    }

    /// Fixes the rate of one of its transfers.
    fn fix(&mut self, rate: f64) {
        self.free = (self.free - rate).max(0.0);
        self.growing -= 1;
    }
}

impl PenaltyModel for MaxMinPorts {
    fn penalties(&self, transfers: &[Transfer]) -> Result<Vec<f64>, SharingError> {
        let ports = PortTable::of(transfers);
        // Out-ports first, in-ports after them.
        let members: Vec<&Vec<usize>> = ports.out.iter().chain(&ports.into).collect();
        let mut filling: Vec<FillingPort> =
            members.iter().map(|port| FillingPort { free: 1.0, growing: port.len() }).collect();
        let mut penalties = vec![1.0; transfers.len()];
        let mut is_fixed = vec![false; transfers.len()];
        let mut open: Vec<usize> = (0..members.len()).collect();
        while let Some(level) =
            open.iter().map(|&port| filling[port].level()).min_by(f64::total_cmp)
        {
            let saturated: Vec<usize> = open
                .iter()
                .copied()
                .filter(|&port| filling[port].level() <= level * (1.0 + LEVEL_TOLERANCE))
                .collect();
            for &transfer in saturated.iter().flat_map(|&port| members[port]) {
                if !std::mem::replace(&mut is_fixed[transfer], true)
                    && let Some(ends) = ports.ends[transfer]
                {
                    penalties[transfer] = 1.0 / level;
                    filling[ends.out].fix(level);
                    filling[ports.out.len() + ends.into].fix(level);
                }
            }
            open.retain(|&port| filling[port].growing > 0);
        }
        Ok(penalties)
    }
}

impl Law for MaxMinPorts {
    fn kind(&self) -> &'static LawKind {
        &KIND
    }
}
