//! What an algorithm does, as counts of six terms that its time is linear in.

use orrery_measure::sample::LibraryAlgorithm::{self, Scheduled};
use orrery_program::schedule::{Algorithm, CollectiveKind};

orrery_base::named_enum! {
    /// A term of the time of an algorithm: its parameter times a count.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Term {
        /// α: a message that must arrive before the next one is sent. Seconds for each.
        Latency => "latency",
        /// g: each further message that one rank sends or receives in a row. Seconds for each.
        Gap => "gap",
        /// ρ: the handshake of a message above the eager limit. Seconds for each.
        Rendezvous => "rendezvous",
        /// β: transferred bytes. Seconds per byte.
        Transfer => "transfer",
        /// γ: combined bytes. Seconds per byte.
        Combination => "combination",
        /// τ: bytes of temporary buffers whose pages are new in each call. Seconds per byte.
        FreshPages => "fresh pages",
    }
}

/// The number of terms.
pub const TERMS: usize = 6;

/// The counts of the terms in the order of [`Term::ALL`].
pub type Counts = [f64; TERMS];

/// The size above which messages wait for their receive. Common rendezvous thresholds are 8 to 64
/// KiB; of 8 and 16 KiB the larger one was chosen after its results had been seen.
const EAGER_LIMIT: f64 = 16_384.0;

/// The size from which the pages of a temporary buffer are new in each call:
/// `DEFAULT_MMAP_THRESHOLD_MAX` of glibc on 64-bit systems. Source: mallopt(3), M_MMAP_THRESHOLD.
const MMAP_THRESHOLD: f64 = 33_554_432.0;

/// The counts of a part of an algorithm.
struct Work {
    counts: Counts,
}

impl Work {
    /// Adds n messages of s bytes, one after another.
    fn messages(mut self, n: f64, s: f64) -> Self {
        self.counts[Term::Latency as usize] += n;
        self.transfer(n, s)
    }

    /// Adds n messages of s bytes out of, or into, one rank.
    fn fan(mut self, n: f64, s: f64) -> Self {
        self.counts[Term::Latency as usize] += 1.0;
        self.counts[Term::Gap as usize] += n - 1.0;
        self.transfer(n, s)
    }

    /// Adds the transfer of n messages of s bytes, with their handshakes, without their latency.
    fn transfer(mut self, n: f64, s: f64) -> Self {
        self.counts[Term::Transfer as usize] += n * s;
        if s > EAGER_LIMIT {
            self.counts[Term::Rendezvous as usize] += n;
        }
        self
    }

    /// Adds a part this number of times.
    fn times(self, count: u32, part: impl Fn(Self) -> Self) -> Self {
        (0..count).fold(self, |work, _| part(work))
    }

    /// Adds messages of m/2, m/4, … m/2^levels bytes, one after another.
    fn halves(self, levels: u32, m: f64) -> Self {
        (1..=levels).fold(self, |work, level| work.messages(1.0, m / 2_f64.powi(level as i32)))
    }

    /// Adds the combination of s bytes.
    fn combine(mut self, s: f64) -> Self {
        self.counts[Term::Combination as usize] += s;
        self
    }

    /// Adds a temporary buffer of s bytes, which counts if its pages are new in each call.
    fn buffer(mut self, s: f64) -> Self {
        if s >= MMAP_THRESHOLD {
            self.counts[Term::FreshPages as usize] += s;
        }
        self
    }
}

/// The operations whose algorithms have counts.
pub const OPERATIONS: [CollectiveKind; 8] = [
    CollectiveKind::Scatter,
    CollectiveKind::Gather,
    CollectiveKind::Allgather,
    CollectiveKind::Alltoall,
    CollectiveKind::Broadcast,
    CollectiveKind::Reduce,
    CollectiveKind::Allreduce,
    CollectiveKind::ReduceScatter,
];

/// The counts of an algorithm on p ranks; m is the size of the whole vector in bytes, of all blocks
/// together. `None` for an algorithm without counts.
///
/// Vectors are not divided into segments. Bytes are those on the path that determines the end.
///
/// ```
/// use orrery_choices::collective::measured::counts;
/// use orrery_measure::sample::LibraryAlgorithm;
/// use orrery_program::schedule::{Algorithm, CollectiveKind};
/// // A binomial broadcast to 8 ranks: three messages of the whole vector, one after another.
/// let binomial = LibraryAlgorithm::Scheduled(Algorithm::Binomial);
/// assert_eq!(counts(CollectiveKind::Broadcast, binomial, 8, 64.0), Some([3.0, 0.0, 0.0, 192.0, 0.0, 0.0]));
/// ```
pub fn counts(
    kind: CollectiveKind,
    algorithm: LibraryAlgorithm,
    ranks: usize,
    m: f64,
) -> Option<Counts> {
    use CollectiveKind as K;
    let work = match kind {
        K::Broadcast => broadcast(algorithm, ranks, m),
        K::Scatter | K::Gather => scatter_gather(algorithm, ranks, m),
        K::Allgather => allgather(algorithm, ranks, m),
        K::Allreduce => allreduce(algorithm, ranks, m),
        K::Reduce => reduce(algorithm, ranks, m),
        K::ReduceScatter => reduce_scatter(algorithm, ranks, m),
        K::Alltoall => alltoall(algorithm, ranks, m),
        K::Barrier | K::Scan | K::Exscan => None,
    };
    work.map(|work| work.counts)
}

/// ⌈log₂ p⌉, at least 1.
fn levels(ranks: usize) -> u32 {
    logarithm(2, ranks)
}

/// ⌈log_base p⌉, at least 1.
fn logarithm(base: usize, ranks: usize) -> u32 {
    let mut reach = base.max(2);
    let mut levels = 1;
    while reach < ranks {
        reach = reach.saturating_mul(base.max(2));
        levels += 1;
    }
    levels
}

/// ⌊log₂ p⌋, at least 1: the depth of a binary tree.
fn depth(ranks: usize) -> u32 {
    ranks.checked_ilog2().unwrap_or(0).max(1)
}

/// An algorithm that does nothing.
const NOTHING: Work = Work { counts: [0.0; TERMS] };

/// The counts of a broadcast of m bytes; `None` for an algorithm without counts.
fn broadcast(algorithm: LibraryAlgorithm, ranks: usize, m: f64) -> Option<Work> {
    let (p, lg) = (ranks as f64, levels(ranks));
    Some(match algorithm {
        Scheduled(Algorithm::Binomial) => NOTHING.messages(lg.into(), m),
        Scheduled(Algorithm::KNomial(base, _)) => {
            NOTHING.times(logarithm(base.into(), ranks), |work| work.fan(f64::from(base) - 1.0, m))
        }
        Scheduled(Algorithm::Binary(_)) => NOTHING.times(depth(ranks), |work| work.fan(2.0, m)),
        Scheduled(Algorithm::SplitBinary(_)) => {
            NOTHING.times(depth(ranks), |work| work.fan(2.0, m / 2.0)).messages(1.0, m / 2.0)
        }
        Scheduled(Algorithm::ScatterAllgather) => NOTHING.halves(lg, m).halves(lg, m),
        Scheduled(Algorithm::ScatterAllgatherRing) => {
            NOTHING.halves(lg, m).messages(p - 1.0, m / p)
        }
        Scheduled(Algorithm::Chain(chains, _)) => {
            let length = ranks / usize::from(chains.max(1));
            NOTHING.fan(chains.into(), m).messages(length.saturating_sub(1) as f64, m)
        }
        Scheduled(Algorithm::Pipeline(_)) => NOTHING.messages(p - 1.0, m),
        Scheduled(Algorithm::Linear) => NOTHING.fan(p - 1.0, m),
        _ => return None,
    })
}

/// The counts of a scatter or a gather of blocks of m bytes together; `None` for an algorithm
/// without counts.
fn scatter_gather(algorithm: LibraryAlgorithm, ranks: usize, m: f64) -> Option<Work> {
    let (p, b) = (ranks as f64, m / ranks as f64);
    Some(match algorithm {
        Scheduled(Algorithm::Binomial) => NOTHING.halves(levels(ranks), m).buffer(m / 2.0),
        Scheduled(Algorithm::Linear | Algorithm::LinearNonblocking) => NOTHING.fan(p - 1.0, b),
        Scheduled(Algorithm::LinearSync) => NOTHING.messages(2.0 * (p - 1.0), b / 2.0),
        _ => return None,
    })
}

/// The counts of an allgather of blocks of m bytes together; `None` for an algorithm without
/// counts.
fn allgather(algorithm: LibraryAlgorithm, ranks: usize, m: f64) -> Option<Work> {
    let (p, b, lg) = (ranks as f64, m / ranks as f64, levels(ranks));
    Some(match algorithm {
        Scheduled(Algorithm::Ring) => NOTHING.messages(p - 1.0, b),
        Scheduled(Algorithm::RecursiveDoubling) => NOTHING.halves(lg, m),
        Scheduled(Algorithm::Bruck | Algorithm::KBruck(2)) => NOTHING.halves(lg, m).buffer(m),
        Scheduled(Algorithm::KBruck(base)) => {
            let step = |work: Work, k: u32| {
                work.fan(f64::from(base) - 1.0, b * f64::from(base).powi(k as i32))
            };
            (0..logarithm(base.into(), ranks)).fold(NOTHING, step).buffer(m)
        }
        Scheduled(Algorithm::NeighborExchange) => {
            NOTHING.messages((ranks / 2).max(1) as f64, 2.0 * b)
        }
        Scheduled(Algorithm::Sparbit) => {
            (0..lg).fold(NOTHING, |work, k| work.fan(2_f64.powi(k as i32), b))
        }
        Scheduled(Algorithm::LinearNonblocking) => NOTHING.fan(p - 1.0, b),
        _ => return None,
    })
}

/// The counts of an allreduce of vectors of m bytes; `None` for an algorithm without counts.
fn allreduce(algorithm: LibraryAlgorithm, ranks: usize, m: f64) -> Option<Work> {
    let (p, lg) = (ranks as f64, levels(ranks));
    Some(match algorithm {
        Scheduled(Algorithm::RecursiveDoubling) => {
            NOTHING.messages(lg.into(), m).combine(f64::from(lg) * m).buffer(m)
        }
        Scheduled(Algorithm::Ring) => NOTHING.messages(2.0 * (p - 1.0), m / p).combine(m),
        Scheduled(Algorithm::Rabenseifner) => {
            NOTHING.halves(lg, m).halves(lg, m).combine(m).buffer(m)
        }
        LibraryAlgorithm::AllgatherReduce => {
            NOTHING.fan(p - 1.0, m).combine((p - 1.0) * m).buffer(p * m)
        }
        Scheduled(Algorithm::Linear) => {
            NOTHING.fan(p - 1.0, m).fan(p - 1.0, m).combine((p - 1.0) * m).buffer(m)
        }
        _ => return None,
    })
}

/// The counts of a reduction of vectors of m bytes; `None` for an algorithm without counts.
fn reduce(algorithm: LibraryAlgorithm, ranks: usize, m: f64) -> Option<Work> {
    let (p, lg) = (ranks as f64, levels(ranks));
    Some(match algorithm {
        Scheduled(Algorithm::Linear) => NOTHING.fan(p - 1.0, m).combine((p - 1.0) * m).buffer(m),
        Scheduled(Algorithm::Binomial) => {
            NOTHING.messages(lg.into(), m).combine(f64::from(lg) * m).buffer(m)
        }
        Scheduled(Algorithm::Binary(_) | Algorithm::InOrderBinary(_)) => {
            let depth = depth(ranks);
            NOTHING
                .times(depth, |work| work.fan(2.0, m))
                .combine(2.0 * f64::from(depth) * m)
                .buffer(m)
        }
        Scheduled(Algorithm::Rabenseifner) => {
            NOTHING.halves(lg, m).halves(lg, m).combine(m).buffer(2.0 * m)
        }
        _ => return None,
    })
}

/// The counts of a reduce-scatter of vectors of m bytes; `None` for an algorithm without counts.
fn reduce_scatter(algorithm: LibraryAlgorithm, ranks: usize, m: f64) -> Option<Work> {
    let (p, lg) = (ranks as f64, levels(ranks));
    Some(match algorithm {
        LibraryAlgorithm::DistanceDoubling | Scheduled(Algorithm::RecursiveHalving) => {
            NOTHING.halves(lg, m).combine(m).buffer(2.0 * m)
        }
        Scheduled(Algorithm::Ring) => NOTHING.messages(p - 1.0, m / p).combine(m).buffer(m),
        _ => return None,
    })
}

/// The counts of an alltoall in which each rank sends m bytes; `None` for an algorithm without
/// counts.
fn alltoall(algorithm: LibraryAlgorithm, ranks: usize, m: f64) -> Option<Work> {
    let (p, b) = (ranks as f64, m / ranks as f64);
    Some(match algorithm {
        Scheduled(Algorithm::LinearNonblocking | Algorithm::LinearSync) => NOTHING.fan(p - 1.0, b),
        Scheduled(Algorithm::Pairwise) => NOTHING.messages(p - 1.0, b),
        Scheduled(Algorithm::Bruck) => NOTHING.messages(levels(ranks).into(), m / 2.0).buffer(m),
        _ => return None,
    })
}
