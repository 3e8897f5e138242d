//! A communicator of the program with what the library keeps for it.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::Bytes;

use crate::MpiError;
use crate::calls::Comm;

/// A duplicate of a communicator, and the algorithms that its ranks use.
#[derive(Debug)]
pub(crate) struct Carrier {
    comm: Comm,
    pub(super) rank: usize,
    pub(super) ranks: usize,
    decisions: Mutex<BTreeMap<Decision, Algorithm>>,
}

// SAFETY: a handle of MPI may be used by every thread; which of them may call MPI at the same time
// is the program's duty.
unsafe impl Send for Carrier {}

// SAFETY: as above; the decisions are locked.
unsafe impl Sync for Carrier {}

/// What an algorithm is chosen for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decision {
    /// The operation.
    pub kind: CollectiveKind,
    /// Its root.
    pub root: usize,
    /// The number of ranks.
    pub ranks: usize,
    /// The size of a block or of the vector, rounded up to four significant bits: similar sizes use
    /// one algorithm.
    pub size: Bytes,
    /// Identity and revision of the model on this rank.
    pub model: (u64, u64),
}

/// The number of bytes of the message that rank 0 sends: the text of a decision, or of the reason
/// why there is none.
const TEXT: usize = 512;

/// The first byte of the text of a decision.
const DECIDED: u8 = b'+';

impl Carrier {
    /// The carrier of a communicator that is its own.
    pub(crate) fn new(comm: Comm) -> Result<Self, MpiError> {
        Ok(Self { comm, rank: comm.rank()?, ranks: comm.size()?, decisions: Mutex::default() })
    }

    /// The communicator.
    pub(crate) const fn comm(&self) -> Comm {
        self.comm
    }

    /// The algorithm of an operation. Rank 0 chooses it at the first call for a decision and sends
    /// it to the others, so that all ranks use the same one even if they compute a little
    /// differently; all ranks must call this.
    pub(super) fn decide(
        &self,
        decision: Decision,
        choose: impl FnOnce(Decision) -> Result<Algorithm, String>,
    ) -> Result<Algorithm, MpiError> {
        let known =
            self.decisions.lock().unwrap_or_else(PoisonError::into_inner).get(&decision).copied();
        if let Some(algorithm) = known {
            return Ok(algorithm);
        }
        let mut text = [0; TEXT];
        if self.rank == 0 {
            let (first, content) = match choose(decision) {
                Ok(algorithm) => (DECIDED, algorithm.to_string()),
                Err(reason) => (0, reason),
            };
            let length = content.len().min(TEXT - 1);
            text[0] = first;
            text[1..=length].copy_from_slice(&content.as_bytes()[..length]);
        }
        self.comm.share_bytes(&mut text)?;
        let content =
            String::from_utf8_lossy(text[1..].split(|&byte| byte == 0).next().unwrap_or_default());
        if text[0] != DECIDED {
            return Err(MpiError::impossible(content));
        }
        let algorithm = content.parse::<Algorithm>().ok();
        let algorithm = algorithm.filter(|one| decision.kind.has(*one) && one.runs_on(self.ranks));
        let algorithm = algorithm.ok_or_else(|| {
            MpiError::impossible(format!(
                "{} has no algorithm {content} on {} ranks; link all ranks with the same library",
                decision.kind, self.ranks
            ))
        })?;
        self.decisions.lock().unwrap_or_else(PoisonError::into_inner).insert(decision, algorithm);
        Ok(algorithm)
    }
}

/// Rounds a size up to four significant bits.
pub(super) fn rounded(size: usize) -> Bytes {
    let size = size as u64;
    let step = 1 << (u64::BITS - size.leading_zeros()).saturating_sub(4);
    Bytes::new(size.div_ceil(step).saturating_mul(step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_up_to_four_significant_bits() {
        for (size, expected) in [
            (0, 0),
            (1, 1),
            (15, 15),
            (16, 16),
            (17, 18),
            (1000, 1024),
            (65_536, 65_536),
            (65_537, 73_728),
        ] {
            assert_eq!(rounded(size), Bytes::new(expected), "{size}");
        }
    }
}
