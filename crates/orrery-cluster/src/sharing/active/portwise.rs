//! Penalties that depend only on the two ports of a transfer and on their neighbours.

use super::IncrementalPenalties;
use super::penalties::{BranchlessList, Penalties};
use crate::sharing::SharingError;
use crate::sharing::ports::TransferPorts;

/// A sharing law whose penalties are computed port by port.
///
/// The penalty of a transfer is the larger of the penalties that its two ports give it. The state
/// of a port depends on its own transfers and on the degrees of the ports at their other ends,
/// where the degree of a port is the number of its transfers.
pub(in crate::sharing) trait PortwiseLaw: std::fmt::Debug {
    /// The contribution of a port to the penalties of its transfers.
    type PortState: std::fmt::Debug + Clone + Copy + Default;

    /// Returns true if the state of a port can change when the degree of a neighbour at this side
    /// changes from `before` to `after`.
    fn is_affected(
        &self,
        state: &Self::PortState,
        neighbour: Side,
        before: usize,
        after: usize,
    ) -> bool;

    /// Returns the state of a port.
    fn port_state(&self, side: Side, port: &PortView<'_, Self::PortState>) -> Self::PortState;

    /// Returns the penalty of a transfer at a port from the states of both its ports. `parallel`
    /// counts the transfers between the same two ports, this one included.
    fn port_penalty(
        &self,
        port: &Self::PortState,
        other: &Self::PortState,
        parallel: impl FnOnce() -> usize,
    ) -> f64;
}

/// A side of a node's link: outgoing or incoming.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sharing) enum Side {
    /// The out-port: transfers leave the node.
    Source,
    /// The in-port: transfers enter the node.
    Destination,
}

impl Side {
    /// Both sides of a transfer, in the order of its ports.
    const BOTH: [Self; 2] = [Self::Source, Self::Destination];

    /// Returns the side of a port by its number.
    const fn of(port: usize) -> Self {
        if port.is_multiple_of(2) { Self::Source } else { Self::Destination }
    }
}

/// A port and its active transfers.
#[derive(Debug, Clone, Default)]
struct Port<S> {
    members: Vec<Member>,
    /// The number of members at the last update.
    degree: usize,
    state: S,
    /// True if the port is among those to update.
    is_marked: bool,
}

/// A transfer at a port.
#[derive(Debug, Clone, Copy)]
struct Member {
    transfer: usize,
    /// The port at the other end.
    other: usize,
}

/// A port and its neighbours, as a law reads them.
#[derive(Debug)]
pub(in crate::sharing) struct PortView<'a, S> {
    ports: &'a [Port<S>],
    number: usize,
}

impl<S> PortView<'_, S> {
    /// The number of transfers at the port.
    pub(in crate::sharing) fn degree(&self) -> usize {
        self.ports[self.number].members.len()
    }

    /// The port at the other end of each transfer.
    pub(in crate::sharing) fn neighbours(&self) -> impl ExactSizeIterator<Item = usize> + Clone {
        self.ports[self.number].members.iter().map(|member| member.other)
    }

    /// The degree of the port at the other end of each transfer.
    pub(in crate::sharing) fn neighbour_degrees(&self) -> impl Iterator<Item = usize> + Clone {
        self.neighbours().map(|other| self.ports[other].degree)
    }
}

/// Penalties by a [`PortwiseLaw`], updated in the neighbourhood of each change.
#[derive(Debug, Clone)]
pub(in crate::sharing) struct PortwisePenalties<L: PortwiseLaw> {
    law: L,
    /// The out-port of node n at 2n, its in-port at 2n + 1.
    ports: Vec<Port<L::PortState>>,
    /// The active transfers by number: their ports, and their places among the members of these.
    transfers: Vec<Option<[Place; 2]>>,
    /// The ports to update.
    marked: BranchlessList<usize>,
}

/// A transfer's port and its place among the port's members.
#[derive(Debug, Clone, Copy)]
struct Place {
    port: usize,
    member: usize,
}

impl<L: PortwiseLaw> PortwisePenalties<L> {
    /// Creates the penalties of a law without active transfers.
    pub(in crate::sharing) fn new(law: L) -> Self {
        Self { law, ports: Vec::new(), transfers: Vec::new(), marked: BranchlessList::default() }
    }

    /// Adds a port to those to update if the condition holds.
    #[inline]
    #[expect(
        clippy::needless_bitwise_bool,
        reason = "the lazy operator compiles to an unpredictable branch"
    )]
    fn mark_if(&mut self, port: usize, condition: bool) {
        let is_marked = &mut self.ports[port].is_marked;
        let is_new = condition & !*is_marked;
        *is_marked |= condition;
        self.marked.push_if(port, is_new);
    }

    /// Marks the neighbours that a port's new degree affects.
    fn propagate_degree(&mut self, number: usize) {
        let port = &mut self.ports[number];
        let after = port.members.len();
        let before = std::mem::replace(&mut port.degree, after);
        if before == after {
            return;
        }
        for k in 0..after {
            let other = self.ports[number].members[k].other;
            let is_affected =
                self.law.is_affected(&self.ports[other].state, Side::of(number), before, after);
            self.mark_if(other, is_affected);
        }
    }
}

impl<L: PortwiseLaw> IncrementalPenalties for PortwisePenalties<L> {
    fn start(&mut self, transfer: usize, ends: TransferPorts) {
        let ports = [2 * ends.out, 2 * ends.into + 1];
        let needed = ports[0].max(ports[1]) + 1;
        if self.ports.len() < needed {
            self.ports.resize(needed, Port::default());
            self.marked.reserve(needed);
        }
        if self.transfers.len() <= transfer {
            self.transfers.resize(transfer + 1, None);
        }
        let places = Side::BOTH.map(|side| {
            let (port, other) = (ports[side as usize], ports[1 - side as usize]);
            let members = &mut self.ports[port].members;
            members.push(Member { transfer, other });
            Place { port, member: members.len() - 1 }
        });
        self.transfers[transfer] = Some(places);
        ports.into_iter().for_each(|port| self.mark_if(port, true));
    }

    fn stop(&mut self, transfer: usize) {
        let Some(places) = self.transfers.get_mut(transfer).and_then(Option::take) else { return };
        for (side, Place { port, member }) in places.into_iter().enumerate() {
            let members = &mut self.ports[port].members;
            members.swap_remove(member);
            if let Some(moved) = members.get(member)
                && let Some(moved) = &mut self.transfers[moved.transfer]
            {
                moved[side].member = member;
            }
            self.mark_if(port, true);
        }
    }

    fn update(&mut self, penalties: &mut Penalties) -> Result<(), SharingError> {
        for k in 0..self.marked.as_slice().len() {
            self.propagate_degree(self.marked.as_slice()[k]);
        }
        for &number in self.marked.as_slice() {
            let state =
                self.law.port_state(Side::of(number), &PortView { ports: &self.ports, number });
            let port = &mut self.ports[number];
            (port.state, port.is_marked) = (state, false);
        }
        for &number in self.marked.as_slice() {
            let Port { members, state, .. } = &self.ports[number];
            for &Member { transfer, other } in members {
                let other_state = &self.ports[other].state;
                let parallel = || members.iter().filter(|member| member.other == other).count();
                let own = self.law.port_penalty(state, other_state, parallel);
                let others = self.law.port_penalty(other_state, state, parallel);
                penalties.set(transfer, own.max(others));
            }
        }
        self.marked.clear();
        Ok(())
    }
}
