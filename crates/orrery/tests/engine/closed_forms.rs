//! Collective operations under Hockney, LogGP and PLogP equal the closed formulas of the
//! literature.
//!
//! Sources: Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in
//! MPICH", 2005; Pješivac-Grbović and others, "Performance analysis of MPI collective operations", 2005.

use orrery::comm::Combining;

use crate::prelude::*;

const ALPHA: f64 = 20e-6;
const BETA: f64 = 8e-9;
pub const GAMMA: f64 = 1e-9;

/// The time of an operation of all ranks on a network, with a time to combine bytes.
pub fn time(collective: &Collective, network: impl Network) -> f64 {
    let mut network = Combining::new(network, vec![Estimate::exact(GAMMA); collective.ranks]);
    let mut engine = Engine::new();
    let outcome =
        engine.run(collective, &Placement::identity(collective.ranks), &mut network).unwrap();
    Rank::first(collective.ranks).map(|rank| outcome.finish(rank).get()).fold(0.0, f64::max)
}

fn collective(kind: CollectiveKind, algorithm: Algorithm, ranks: usize, block: u64) -> Collective {
    Collective { kind, algorithm, root: Rank(0), ranks, block: Bytes::new(block) }
}

pub fn assert_close(observed: f64, expected: f64, what: &str) {
    assert!(
        (observed - expected).abs() <= 1e-9 * expected,
        "{what}: {observed} s, the formula {expected} s"
    );
}

#[test]
fn hockney_times_equal_the_closed_formulas() {
    use Algorithm::*;
    use CollectiveKind::*;
    let (alpha, beta, gamma) = (ALPHA, BETA, GAMMA);
    for ranks in [2_usize, 4, 8, 16, 32] {
        // Divisible by every number of parts and segments.
        let (m, segments) = (1_u64 << 20, 8.0);
        let segment = Bytes::new(m / 8);
        let (p, lg) = (ranks as f64, f64::from(ranks.ilog2()));
        let (bytes, part) = (m as f64, m as f64 / 8.0);
        let (message, short) = (alpha + beta * bytes, alpha + beta * part);
        let rest = (p - 1.0) / p;
        let cases = [
            (Broadcast, Linear, (p - 1.0) * message),
            (Broadcast, Pipeline(segment), (p + segments - 2.0) * short),
            (Broadcast, Chain(1, segment), (p + segments - 2.0) * short),
            (Broadcast, Binomial, lg * message),
            (Broadcast, Bine, lg * message),
            (Broadcast, ScatterAllgather, 2.0 * lg * alpha + 2.0 * rest * beta * bytes),
            (Broadcast, ScatterAllgatherRing, (lg + p - 1.0) * alpha + 2.0 * rest * beta * bytes),
            (Scatter, Linear, (p - 1.0) * message),
            (Gather, Linear, (p - 1.0) * message),
            (Scatter, Binomial, lg * alpha + (p - 1.0) * beta * bytes),
            (Gather, Binomial, lg * alpha + (p - 1.0) * beta * bytes),
            (Allgather, Ring, (p - 1.0) * message),
            (Allgather, RecursiveDoubling, lg * alpha + (p - 1.0) * beta * bytes),
            (Allgather, Bruck, lg * alpha + (p - 1.0) * beta * bytes),
            (Allgather, Bine, lg * alpha + (p - 1.0) * beta * bytes),
            (Allgather, NeighborExchange, p / 2.0 * alpha + (p - 1.0) * beta * bytes),
            (Alltoall, Pairwise, (p - 1.0) * message),
            (Alltoall, ExclusiveOr, (p - 1.0) * message),
            (Alltoall, Bruck, lg * alpha + lg * p / 2.0 * beta * bytes),
            (Reduce, Binomial, lg * (message + gamma * bytes)),
            (Reduce, Bine, lg * (message + gamma * bytes)),
            (Allreduce, RecursiveDoubling, lg * (message + gamma * bytes)),
            (Allreduce, BineDoubling, lg * (message + gamma * bytes)),
            (Allreduce, NonOverlapping, lg * (2.0 * message + gamma * bytes)),
            (Allreduce, Ring, 2.0 * (p - 1.0) * alpha + rest * (2.0 * beta + gamma) * bytes),
            (Allreduce, Rabenseifner, 2.0 * lg * alpha + rest * (2.0 * beta + gamma) * bytes),
            (Allreduce, Bine, 2.0 * lg * alpha + rest * (2.0 * beta + gamma) * bytes),
            (Reduce, Rabenseifner, 2.0 * lg * alpha + rest * (2.0 * beta + gamma) * bytes),
            (ReduceScatter, RecursiveHalving, lg * alpha + (p - 1.0) * (beta + gamma) * bytes),
            (ReduceScatter, Bine, lg * alpha + (p - 1.0) * (beta + gamma) * bytes),
            (ReduceScatter, Pairwise, (p - 1.0) * (message + gamma * bytes)),
            (ReduceScatter, Ring, (p - 1.0) * (message + gamma * bytes)),
            (Scan, Linear, (p - 1.0) * (message + gamma * bytes)),
            (Barrier, Dissemination, lg * alpha),
            (Barrier, RecursiveDoubling, lg * alpha),
            (Barrier, DoubleRing, 2.0 * p * alpha),
            (Barrier, Tree, 2.0 * lg * alpha),
        ];
        for (kind, algorithm, expected) in cases {
            let network = HockneyNetwork::new(ranks, &[alpha], &[beta]);
            let observed = time(&collective(kind, algorithm, ranks, m), network);
            assert_close(observed, expected, &format!("{kind}/{algorithm} of {ranks}"));
        }
    }
}
