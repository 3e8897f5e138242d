use std::collections::BTreeMap;
use std::fmt;

use super::{Node, Transfer};

/// A simple pattern in which transfers share something (Vienne, Martinasso, Vincent, Méhaut, figure 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Conflict {
    /// C←X→: others leave its source.
    Outgoing,
    /// C→X←: others come to its destination.
    Income,
    /// C→X→ or C←X←: others come to its source, or leave its destination.
    IncomeOutgo,
}

impl Conflict {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Outgoing, Self::Income, Self::IncomeOutgo];

    /// The word in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Outgoing => "outgoing",
            Self::Income => "income",
            Self::IncomeOutgo => "income/outgo",
        }
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The kinds of conflicts that each transfer meets, none of a transfer within a node.
///
/// ```
/// use orrery::sharing::{Conflict, Transfer, conflicts};
/// let transfers = [(0, 1), (0, 2), (2, 3)].map(|(from, to)| Transfer::between(from, to));
/// let met = conflicts(&transfers);
/// assert_eq!(met[0], [Conflict::Outgoing]);
/// assert_eq!(met[1], [Conflict::Outgoing, Conflict::IncomeOutgo]);
/// assert_eq!(met[2], [Conflict::IncomeOutgo]);
/// ```
pub fn conflicts(transfers: &[Transfer]) -> Vec<Vec<Conflict>> {
    let (mut leaving, mut coming) = (BTreeMap::<Node, usize>::new(), BTreeMap::<Node, usize>::new());
    for transfer in transfers.iter().filter(|transfer| !transfer.is_local()) {
        *leaving.entry(transfer.source).or_default() += 1;
        *coming.entry(transfer.destination).or_default() += 1;
    }
    let met = |transfer: &Transfer, kind: Conflict| match kind {
        Conflict::Outgoing => leaving[&transfer.source] > 1,
        Conflict::Income => coming[&transfer.destination] > 1,
        Conflict::IncomeOutgo => coming.contains_key(&transfer.source) || leaving.contains_key(&transfer.destination),
    };
    let of = |transfer: &Transfer| {
        let kinds = Conflict::ALL.into_iter().filter(|&kind| !transfer.is_local() && met(transfer, kind));
        kinds.collect()
    };
    transfers.iter().map(of).collect()
}
