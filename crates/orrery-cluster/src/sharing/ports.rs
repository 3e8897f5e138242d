//! The ports of nodes and the transfers at them, and the components that transfers form.

use std::collections::BTreeMap;

use super::{Node, Transfer};

/// The two ports of a transfer. Links are full duplex: the out-port and the in-port of a node are
/// separate resources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TransferPorts {
    /// The out-port of its source.
    pub(super) out: usize,
    /// The in-port of its destination.
    pub(super) into: usize,
}

/// The transfers at each port. Transfers within a node use no port.
#[derive(Debug, Clone, Default)]
pub(super) struct PortTable {
    /// The ports of each transfer.
    pub(super) ends: Vec<Option<TransferPorts>>,
    /// The transfers of each out-port, in ascending order until one is removed.
    pub(super) out: Vec<Vec<usize>>,
    /// The transfers of each in-port, in ascending order until one is removed.
    pub(super) into: Vec<Vec<usize>>,
}

impl PortTable {
    /// Numbers the ports in the order of their first transfer.
    pub(super) fn of(transfers: &[Transfer]) -> Self {
        let (mut sources, mut destinations) = (BTreeMap::new(), BTreeMap::new());
        let mut table = Self { ends: Vec::with_capacity(transfers.len()), ..Self::default() };
        for (k, transfer) in transfers.iter().enumerate() {
            if transfer.is_local() {
                table.ends.push(None);
                continue;
            }
            let out = port(&mut sources, &mut table.out, transfer.source);
            let into = port(&mut destinations, &mut table.into, transfer.destination);
            table.out[out].push(k);
            table.into[into].push(k);
            table.ends.push(Some(TransferPorts { out, into }));
        }
        table
    }

    /// Adds a transfer under this number, and its ports if they are new.
    pub(super) fn add(&mut self, number: usize, ends: TransferPorts) {
        let ports = self.out.len().max(ends.out + 1).max(ends.into + 1);
        self.out.resize(ports, Vec::new());
        self.into.resize(ports, Vec::new());
        self.ends.resize(self.ends.len().max(number + 1), None);
        self.ends[number] = Some(ends);
        self.out[ends.out].push(number);
        self.into[ends.into].push(number);
    }

    /// Removes a transfer and returns its ports, if it had some.
    pub(super) fn remove(&mut self, number: usize) -> Option<TransferPorts> {
        let ends = self.ends.get_mut(number)?.take()?;
        for port in [&mut self.out[ends.out], &mut self.into[ends.into]] {
            if let Some(place) = port.iter().position(|&other| other == number) {
                port.swap_remove(place);
            }
        }
        Some(ends)
    }

    /// Δ_o: the number of transfers that leave the source.
    pub(super) fn out_degree(&self, ends: TransferPorts) -> usize {
        self.out[ends.out].len()
    }

    /// Δ_i: the number of transfers that enter the destination.
    pub(super) fn in_degree(&self, ends: TransferPorts) -> usize {
        self.into[ends.into].len()
    }
}

/// Returns the port of a node; a node without one gets a new port with an empty list in
/// `transfers`.
fn port(known: &mut BTreeMap<Node, usize>, transfers: &mut Vec<Vec<usize>>, node: Node) -> usize {
    *known.entry(node).or_insert_with(|| {
        transfers.push(Vec::new());
        transfers.len() - 1
    })
}

/// The components of transfers: those that share a source or a destination, directly or through
/// others.
///
/// By every sharing law, penalties of a component depend on that component alone. Components are in
/// the order of their first transfer, the transfers of each in ascending order; a transfer within a
/// node is in none.
///
/// ```
/// use orrery_cluster::sharing::{Transfer, components};
/// let transfers = [(0, 1), (1, 0), (0, 2), (3, 3)].map(|(from, to)| Transfer::between(from, to));
/// // Links are full duplex: what node 1 sends does not compete with what it receives.
/// assert_eq!(components(&transfers), [vec![0, 2], vec![1]]);
/// ```
pub fn components(transfers: &[Transfer]) -> Vec<Vec<usize>> {
    let ports = PortTable::of(transfers);
    let mut seen = vec![false; transfers.len()];
    let (mut out_seen, mut into_seen) =
        (vec![false; ports.out.len()], vec![false; ports.into.len()]);
    let mut all = Vec::new();
    for first in 0..transfers.len() {
        if seen[first] || ports.ends[first].is_none() {
            continue;
        }
        seen[first] = true;
        let mut component = vec![first];
        let mut next = 0;
        while let Some(&transfer) = component.get(next) {
            next += 1;
            let Some(ends) = ports.ends[transfer] else { continue };
            let mut add_port = |port_seen: &mut bool, port: &[usize]| {
                if !std::mem::replace(port_seen, true) {
                    component.extend(
                        port.iter().filter(|&&other| !std::mem::replace(&mut seen[other], true)),
                    );
                }
            };
            add_port(&mut out_seen[ends.out], &ports.out[ends.out]);
            add_port(&mut into_seen[ends.into], &ports.into[ends.into]);
        }
        component.sort_unstable();
        all.push(component);
    }
    all
}
