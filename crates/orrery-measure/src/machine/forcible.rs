use crate::sample::{LibraryAlgorithm, NativeAlgorithm};
use orrery_base::units::Bytes;
use orrery_program::schedule::Algorithm;

/// The segments into which a library divides the vector of an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForcibleSegments {
    /// The vector is not divided.
    None,
    /// Segments of a chosen size, or none.
    Optional,
    /// Segments of a chosen size.
    Required,
}

/// An algorithm that an MPI library can be forced to use, and what can be chosen of it.
///
/// ```
/// use orrery_measure::machine::{ForcibleAlgorithm, ForcibleSegments};
/// use orrery_program::schedule::Algorithm;
/// use orrery_base::units::Bytes;
/// let algorithm = "ompi/chain-4".parse()?;
/// let chain = ForcibleAlgorithm { algorithm, segments: ForcibleSegments::Optional, max_fanout: Some(32) };
/// let forced = chain.as_scheduled("chain-2:64K".parse()?).map(|forced| forced.to_string());
/// assert_eq!(forced.as_deref(), Some("ompi/chain-2:64K"));
/// assert_eq!(chain.as_scheduled(Algorithm::Chain(64, Bytes::ZERO)), None);
/// # Ok::<(), orrery_base::file::Fault>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForcibleAlgorithm {
    /// The algorithm with the usual fan-out and without segments.
    pub algorithm: NativeAlgorithm,
    /// Its segments.
    pub segments: ForcibleSegments,
    /// The largest fan-out that can be chosen; `None` if none can.
    pub max_fanout: Option<u8>,
}

impl ForcibleAlgorithm {
    /// An algorithm of which nothing can be chosen.
    pub const fn fixed(algorithm: NativeAlgorithm) -> Self {
        Self { algorithm, segments: ForcibleSegments::None, max_fanout: None }
    }

    /// The algorithm without segments; `None` if it has them always.
    pub fn whole(self) -> Option<NativeAlgorithm> {
        (self.segments != ForcibleSegments::Required).then_some(self.algorithm)
    }

    /// The algorithm with the usual fan-out and segments of this size; `None` for size 0, see
    /// [`whole`](Self::whole), or if it has no segments.
    pub fn with_segment(self, segment: Bytes) -> Option<NativeAlgorithm> {
        let LibraryAlgorithm::Scheduled(algorithm) = self.algorithm.algorithm else { return None };
        if self.segments == ForcibleSegments::None || segment == Bytes::ZERO {
            return None;
        }
        algorithm.with_segment(segment).map(|divided| self.scheduled(divided))
    }

    /// The algorithm of the library with the same schedule; `None` if the library cannot be forced
    /// to use it by this one.
    pub fn as_scheduled(self, wanted: Algorithm) -> Option<NativeAlgorithm> {
        let LibraryAlgorithm::Scheduled(algorithm) = self.algorithm.algorithm else { return None };
        let algorithm = match (algorithm.fanout(), wanted.fanout()) {
            (Some(usual), Some(fanout)) if usual != fanout => algorithm
                .with_fanout(fanout)
                .filter(|_| self.max_fanout.is_some_and(|most| fanout <= most))?,
            _ => algorithm,
        };
        let fanned = Self { algorithm: self.scheduled(algorithm), ..self };
        let found = match wanted.segment() {
            Bytes::ZERO => fanned.whole(),
            segment => fanned.with_segment(segment),
        };
        found.filter(|found| found.algorithm == LibraryAlgorithm::Scheduled(wanted))
    }

    /// Returns true if the library can be forced to use the algorithm `wanted` by this one, with
    /// its fan-out and segments.
    pub fn can_be(self, wanted: NativeAlgorithm) -> bool {
        match wanted.algorithm {
            LibraryAlgorithm::Scheduled(algorithm) => self.as_scheduled(algorithm) == Some(wanted),
            _ => self.whole() == Some(wanted),
        }
    }

    /// An algorithm with a schedule, of the same library.
    fn scheduled(self, algorithm: Algorithm) -> NativeAlgorithm {
        NativeAlgorithm { algorithm: LibraryAlgorithm::Scheduled(algorithm), ..self.algorithm }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_chosen_is_chosen() {
        let forcible = |name: &str, segments, max_fanout| {
            let algorithm = name.parse().expect("a name of an algorithm");
            ForcibleAlgorithm { algorithm, segments, max_fanout }
        };
        let optional = ForcibleSegments::Optional;
        let chain = forcible("ompi/chain-4", optional, Some(32));
        let binomial = forcible("ompi/binomial", optional, None);
        let ring = forcible("ompi/segmented-ring", ForcibleSegments::Required, None);
        let linear = forcible("ompi/linear", ForcibleSegments::None, None);
        for (forcible, wanted, expected) in [
            (chain, "chain", true),
            (chain, "chain-2", true),
            (chain, "chain-2:8K", true),
            (chain, "chain-33:8K", false),
            (chain, "pipeline", false),
            (binomial, "binomial", true),
            // The binomial tree is that to the base 2.
            (binomial, "knomial-2:8K", true),
            (binomial, "knomial-2", false),
            (ring, "segmented-ring", false),
            (ring, "segmented-ring:8K", true),
            (linear, "linear", true),
            (linear, "linear:8K", false),
        ] {
            let wanted: Algorithm = wanted.parse().expect("a name of an algorithm");
            let found = forcible.as_scheduled(wanted);
            assert_eq!(found.is_some(), expected, "{wanted} by {forcible:?}");
            if let Some(found) = found {
                assert_eq!(found.algorithm, LibraryAlgorithm::Scheduled(wanted));
                assert!(forcible.can_be(found));
            }
        }
        assert_eq!(ring.whole(), None);
        assert_eq!(chain.with_segment(Bytes::ZERO), None);
        let named = forcible("mpich/nonblocking", ForcibleSegments::None, None);
        assert!(named.can_be(named.algorithm) && !named.can_be(chain.algorithm));
    }
}
