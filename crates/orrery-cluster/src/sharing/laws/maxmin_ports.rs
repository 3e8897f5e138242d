//! Max-min fairness over the ports of the nodes.

use super::kind::{Law, LawKind};
use crate::sharing::maxmin::{Demand, progressive_filling};
use crate::sharing::ports::{PortTable, TransferPorts};
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
/// Each out-port and each in-port carries at most the bandwidth of one uncontended transfer. The
/// rates are those of progressive filling: all grow together until a port is saturated; its
/// transfers keep their rate and the others continue to grow. The penalty of a transfer is the
/// inverse of its rate. Source: D. Bertsekas, R. Gallager, *Data Networks*, 1992, section 6.5.2.
///
/// ```
/// use orrery_cluster::sharing::{MaxMinPorts, PenaltyModel, Transfer};
/// let transfers = [(0, 1), (0, 2), (0, 3), (0, 4), (5, 4)].map(|(from, to)| Transfer::between(from, to));
/// // The last transfer takes what the fourth leaves of the port of node 4.
/// assert_eq!(MaxMinPorts.penalties(&transfers)?, [4.0, 4.0, 4.0, 4.0, 4.0 / 3.0]);
/// # Ok::<(), orrery_cluster::sharing::SharingError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MaxMinPorts;

impl PenaltyModel for MaxMinPorts {
    fn penalties(&self, transfers: &[Transfer]) -> Result<Vec<f64>, SharingError> {
        let ports = PortTable::of(transfers);
        // Each port is a link of capacity 1: out-ports first, in-ports after them. A transfer within
        // a node has none; its rate is that of an uncontended transfer.
        let first_in_port = ports.out.len();
        let demand = |ends: &Option<TransferPorts>| match ends {
            Some(TransferPorts { out, into }) => Demand {
                links: vec![(*out, 1.0), (first_in_port + into, 1.0)],
                inverse_weight: 1.0,
                bound: f64::INFINITY,
            },
            None => Demand { links: Vec::new(), inverse_weight: 1.0, bound: 1.0 },
        };
        let demands: Vec<Demand> = ports.ends.iter().map(demand).collect();
        let capacities = vec![1.0; first_in_port + ports.into.len()];
        let rates = progressive_filling(&capacities, &demands);
        Ok(rates.into_iter().map(|rate| 1.0 / rate).collect())
    }
}

impl Law for MaxMinPorts {
    fn kind(&self) -> &'static LawKind {
        &KIND
    }
}
