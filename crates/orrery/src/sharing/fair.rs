//! Max-min fairness over the ports of the nodes: the reference that every other law is held against.

use super::ports::Ports;
use super::{PenaltyModel, SharingError, Transfer};

/// Every node sends and receives at the bandwidth of a lone transfer at most, and nobody is given more while another one
/// could be given more at the cost of those who have more.
///
/// Rates by progressive filling: all rates grow alike until a port is full, its transfers stop, the others go on. The
/// penalty is the inverse of the rate. Source: Bertsekas, Gallager, "Data networks" (1992), section 6.5.2.
///
/// ```
/// use orrery::sharing::{MaxMinPorts, PenaltyModel, Transfer};
/// let transfers = [(0, 1), (0, 2), (0, 3), (0, 4), (5, 4)].map(|(from, to)| Transfer::between(from, to));
/// assert_eq!(MaxMinPorts.penalties(&transfers)?, [4.0, 4.0, 4.0, 4.0, 4.0 / 3.0]); // the last takes what the fourth leaves
/// # Ok::<(), orrery::sharing::SharingError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MaxMinPorts;

/// Ports whose levels differ by no more than this part of it are full together.
const SAME: f64 = 1e-12;

/// A port while rates grow.
#[derive(Debug, Clone, Copy)]
struct Filling {
    /// What those who have stopped left over, as a part of the bandwidth.
    left: f64,
    /// How many have not stopped.
    growing: usize,
}

impl Filling {
    /// The rate at which it is full.
    fn level(&self) -> f64 {
        if self.growing == 0 { f64::INFINITY } else { self.left / self.growing as f64 }
    }

    fn stop(&mut self, rate: f64) {
        self.left = (self.left - rate).max(0.0);
        self.growing -= 1;
    }
}

impl PenaltyModel for MaxMinPorts {
    fn penalties(&self, transfers: &[Transfer]) -> Result<Vec<f64>, SharingError> {
        let ports = Ports::of(transfers);
        // Out-ports first, in-ports after them.
        let members: Vec<&Vec<usize>> = ports.out.iter().chain(&ports.into).collect();
        let mut filling: Vec<Filling> = members.iter().map(|port| Filling { left: 1.0, growing: port.len() }).collect();
        let mut penalties = vec![1.0; transfers.len()];
        let mut stopped = vec![false; transfers.len()];
        let mut open: Vec<usize> = (0..members.len()).collect();
        while let Some(level) = open.iter().map(|&port| filling[port].level()).min_by(f64::total_cmp) {
            let full: Vec<usize> =
                open.iter().copied().filter(|&port| filling[port].level() <= level * (1.0 + SAME)).collect();
            for transfer in full.iter().flat_map(|&port| members[port]) {
                if !std::mem::replace(&mut stopped[*transfer], true)
                    && let Some(ends) = ports.ends[*transfer]
                {
                    penalties[*transfer] = 1.0 / level;
                    filling[ends.out].stop(level);
                    filling[ports.out.len() + ends.into].stop(level);
                }
            }
            open.retain(|&port| filling[port].growing > 0);
        }
        Ok(penalties)
    }
}
