//! The operations whose messages share ports as flows.

use super::{Model, ModelKind};
use crate::comm::Ports;
use crate::schedule::{Collective, Operation, Rank, Transfer, operations};
use crate::units::Bytes;

/// The collective operations of a kind of model that are played by flows; in others, ports serve one message after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlayedFlows {
    /// All of them.
    All,
    /// Those in which a rank sends a message of more than this size and another one, without waiting in between.
    ///
    /// Messages up to the eager limit are handed over whole, and leave in this order. The data of larger ones follow when the
    /// receiver is ready, piece by piece, so that those of several messages leave at the same time.
    ConcurrentRendezvous {
        /// The eager limit.
        largest_eager: Bytes,
    },
}

impl PlayedFlows {
    /// The operations that a kind of model plays by flows; `None` if there are none.
    pub(crate) fn of(model: &Model, kind: ModelKind) -> Option<Self> {
        if kind.shares_ports() {
            return Some(Self::All);
        }
        let ports: Ports = model.get(kind).filter(|_| kind == ModelKind::Ports)?;
        ports.largest_eager().map(|largest_eager| Self::ConcurrentRendezvous { largest_eager })
    }

    /// Returns true if an operation is played by flows.
    pub(crate) fn contains(self, collective: &Collective) -> bool {
        match self {
            Self::All => true,
            Self::ConcurrentRendezvous { largest_eager } => {
                Rank::first(collective.ranks).any(|rank| sends_at_the_same_time(collective, rank, largest_eager))
            }
        }
    }
}

/// Returns true if a rank sends several messages, one of them of more than this size, without waiting in between.
fn sends_at_the_same_time(collective: &Collective, rank: Rank, largest_eager: Bytes) -> bool {
    let (mut sends, mut is_large) = (0, false);
    for operation in operations(collective, rank) {
        match operation {
            Operation::Do(Transfer::Send { size, .. }) | Operation::Post(Transfer::Send { size, .. }, _) => {
                sends += 1;
                is_large |= size > largest_eager;
            }
            Operation::Do(_) | Operation::Wait(_) => (sends, is_large) = (0, false),
            _ => {}
        }
        if sends > 1 && is_large {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{Algorithm, CollectiveKind};

    /// Returns true if an operation of eight ranks is played by flows with an eager limit of 64 KiB.
    fn is_played(kind: CollectiveKind, algorithm: Algorithm, size: u64) -> bool {
        let collective = Collective { kind, algorithm, root: Rank(0), ranks: 8, block: Bytes::new(size) };
        PlayedFlows::ConcurrentRendezvous { largest_eager: Bytes::new(64 << 10) }.contains(&collective)
    }

    #[test]
    fn large_messages_that_a_rank_sends_together_are_flows() {
        let (scatter, allgather) = (CollectiveKind::Scatter, CollectiveKind::Allgather);
        // The root sends four blocks, two and one.
        assert!(!is_played(scatter, Algorithm::Binomial, 16 << 10));
        assert!(is_played(scatter, Algorithm::Binomial, (16 << 10) + 1));
        assert!(is_played(scatter, Algorithm::Linear, 128 << 10));
        // One message at a time.
        assert!(!is_played(allgather, Algorithm::Ring, 1 << 20));
        assert!(!is_played(CollectiveKind::Gather, Algorithm::Binomial, 1 << 20));
    }
}
