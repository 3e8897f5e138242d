//! The operations whose messages share ports as flows.

use super::{Model, ModelKind};
use crate::comm::Ports;
use crate::comm::ports::ProtocolLimits;
use orrery_play::engine::Protocol;
use orrery_program::schedule::{Collective, Operation, Rank, Transfer, operations};

/// The largest number of operations of all ranks, those of pairwise exchanges of 64 ranks, up to
/// which messages share ports as flows. Ports of larger ones serve one message after the other,
/// which takes a tenth of the time to predict.
const MAX_OPERATIONS: u64 = 1 << 14;

/// The collective operations of a kind of model that are played by flows; in others, ports serve
/// one message after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlayedFlows {
    /// All of them.
    All,
    /// Those of moderate size without a root, those in which all others send to the root at the same
    /// time, and those in which a rank sends a message beyond the eager limit and another one,
    /// without waiting in between.
    ///
    /// Without a root, ranks that run ahead meet others at the port of a slower one, which their
    /// messages then share. So do those of many senders at the port of the root, and arrive together,
    /// if the protocol of their size is known.
    /// Messages up to the eager limit are handed over whole, and leave a rank
    /// in this order. The data of larger ones follow when the receiver is ready, piece by piece, so
    /// that those of several messages leave at the same time. A send that holds its rank until the
    /// message has arrived is a wait.
    WhereMessagesMeet {
        /// The limits of protocols, as far as they are known.
        limits: ProtocolLimits,
    },
}

impl PlayedFlows {
    /// The operations that a kind of model plays by flows; `None` if there are none.
    pub fn of(model: &Model, kind: ModelKind) -> Option<Self> {
        if kind.shares_ports() {
            return Some(Self::All);
        }
        let ports: Ports = model.get(kind).filter(|_| kind == ModelKind::Ports)?;
        Some(Self::WhereMessagesMeet { limits: ports.limits() })
    }

    /// Returns true if an operation is played by flows.
    pub fn contains(self, collective: &Collective) -> bool {
        match self {
            Self::All => true,
            Self::WhereMessagesMeet { .. } if !collective.kind.has_root() => {
                collective.operations() <= MAX_OPERATIONS
            }
            Self::WhereMessagesMeet { limits } => {
                // The end of each message changes the rates of the others.
                let changes = (collective.ranks as u64).saturating_pow(2);
                let sends = |rank| sends_at_the_same_time(collective, rank, limits);
                limits.eager.is_some()
                    && (changes <= MAX_OPERATIONS && receives_from_all(collective)
                        || Rank::first(collective.ranks).any(sends))
            }
        }
    }
}

/// Returns true if the root receives from all others without sending in between.
fn receives_from_all(collective: &Collective) -> bool {
    let mut receives = 0;
    operations(collective, collective.root).any(|operation| {
        match operation {
            Operation::Do(Transfer::Send { .. }) | Operation::Post(Transfer::Send { .. }, _) => {
                receives = 0;
            }
            Operation::Do(_) | Operation::Post(..) => receives += 1,
            _ => {}
        }
        receives > 1 && receives + 1 == collective.ranks
    })
}

/// Returns true if a rank sends several messages, one of them beyond the eager limit, without
/// waiting in between.
fn sends_at_the_same_time(collective: &Collective, rank: Rank, limits: ProtocolLimits) -> bool {
    let (mut sends, mut is_large) = (0, false);
    for operation in operations(collective, rank) {
        let mut waits = matches!(operation, Operation::Do(_) | Operation::Wait(_));
        if let Operation::Do(Transfer::Send { size, .. })
        | Operation::Post(Transfer::Send { size, .. }, _) = operation
        {
            let protocol = limits.protocol(size);
            sends += 1;
            is_large |= protocol != Protocol::Eager;
            waits &= protocol == Protocol::Unbuffered;
        }
        if sends > 1 && is_large {
            return true;
        }
        if waits {
            (sends, is_large) = (0, false);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use orrery_base::units::Bytes;
    use orrery_program::schedule::{Algorithm, CollectiveKind};

    /// Returns true if an operation of eight ranks is played by flows with an eager limit of 64
    /// KiB.
    fn is_played(kind: CollectiveKind, algorithm: Algorithm, size: u64) -> bool {
        let collective =
            Collective { kind, algorithm, root: Rank(0), ranks: 8, block: Bytes::new(size) };
        let limits = ProtocolLimits { eager: Some(Bytes::new(64 << 10)), ..Default::default() };
        PlayedFlows::WhereMessagesMeet { limits }.contains(&collective)
    }

    #[test]
    fn large_messages_that_a_rank_sends_together_are_flows() {
        let scatter = CollectiveKind::Scatter;
        // The root sends four blocks, two and one.
        assert!(!is_played(scatter, Algorithm::Binomial, 16 << 10));
        assert!(is_played(scatter, Algorithm::Binomial, (16 << 10) + 1));
        assert!(is_played(scatter, Algorithm::Linear, 128 << 10));
        // All blocks at the same time, or one message at a time.
        assert!(is_played(CollectiveKind::Gather, Algorithm::Linear, 1));
        assert!(is_played(CollectiveKind::Reduce, Algorithm::Linear, 1));
        assert!(!is_played(CollectiveKind::Gather, Algorithm::Binomial, 1 << 20));
    }

    #[test]
    fn messages_of_operations_without_a_root_are_flows_unless_there_are_too_many() {
        let played = PlayedFlows::WhereMessagesMeet { limits: ProtocolLimits::default() };
        for (ranks, is_flow) in [(8, true), (64, true), (128, false)] {
            let (kind, algorithm) = (CollectiveKind::Alltoall, Algorithm::Pairwise);
            let collective =
                Collective { kind, algorithm, root: Rank(0), ranks, block: Bytes::new(8) };
            assert_eq!(
                played.contains(&collective),
                is_flow,
                "{ranks}: {}",
                collective.operations()
            );
        }
    }
}
