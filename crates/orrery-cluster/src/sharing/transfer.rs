//! Transfers between nodes, and the conflicts between them.

use std::collections::BTreeMap;
use std::fmt;

/// A node of a network, by its number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(pub u32);

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A message in transit from one node to another: an arc of a directed multigraph.
///
/// ```
/// use orrery_cluster::sharing::{Node, Transfer};
/// let transfer = Transfer::between(0, 1);
/// assert_eq!(transfer.source, Node(0));
/// assert!(!transfer.is_local());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transfer {
    /// The node that sends.
    pub source: Node,
    /// The node that receives.
    pub destination: Node,
}

impl Transfer {
    /// The transfer between the nodes with these numbers.
    pub const fn between(source: u32, destination: u32) -> Self {
        Self { source: Node(source), destination: Node(destination) }
    }

    /// Returns true if source and destination are the same node. Such a transfer uses no network,
    /// affects no other and has the penalty 1.
    pub fn is_local(&self) -> bool {
        self.source == self.destination
    }
}

orrery_base::named_enum! {
    /// A kind of conflict between transfers that share a node (Vienne, Martinasso, Vincent, Méhaut,
    /// figure 1).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Conflict {
        /// C←X→: other transfers leave the source.
        Outgoing => "outgoing",
        /// C→X←: other transfers enter the destination.
        Income => "income",
        /// C→X→ or C←X←: other transfers enter the source, or leave the destination.
        IncomeOutgo => "income/outgo",
    }
}

/// The kinds of conflicts that each transfer is part of; none for a transfer within a node.
///
/// ```
/// use orrery_cluster::sharing::{Conflict, Transfer, conflicts};
/// let transfers = [(0, 1), (0, 2), (2, 3)].map(|(from, to)| Transfer::between(from, to));
/// let kinds = conflicts(&transfers);
/// assert_eq!(kinds[0], [Conflict::Outgoing]);
/// assert_eq!(kinds[1], [Conflict::Outgoing, Conflict::IncomeOutgo]);
/// assert_eq!(kinds[2], [Conflict::IncomeOutgo]);
/// ```
pub fn conflicts(transfers: &[Transfer]) -> Vec<Vec<Conflict>> {
    let (mut leaving, mut entering) =
        (BTreeMap::<Node, usize>::new(), BTreeMap::<Node, usize>::new());
    for transfer in transfers.iter().filter(|transfer| !transfer.is_local()) {
        *leaving.entry(transfer.source).or_default() += 1;
        *entering.entry(transfer.destination).or_default() += 1;
    }
    let is_part_of = |transfer: &Transfer, kind: Conflict| match kind {
        Conflict::Outgoing => leaving[&transfer.source] > 1,
        Conflict::Income => entering[&transfer.destination] > 1,
        Conflict::IncomeOutgo => {
            entering.contains_key(&transfer.source) || leaving.contains_key(&transfer.destination)
        }
    };
    let kinds = |transfer: &Transfer| {
        Conflict::ALL
            .into_iter()
            .filter(|&kind| !transfer.is_local() && is_part_of(transfer, kind))
            .collect()
    };
    transfers.iter().map(kinds).collect()
}
