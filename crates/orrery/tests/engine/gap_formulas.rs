//! Collective operations under LogGP and PLogP equal the closed formulas of the literature, or
//! those that follow from the resources where the literature leaves one out.
//!
//! p ranks, lg = log2 p, messages of m bytes in n segments, b = m − 1 further bytes, D = L + o_s +
//! o_r + b·G the time of one message. In LogGP ports are busy for g + b·G, processors for o_s and
//! o_r + b·G; in PLogP ports for g(m), processors for o_s(m) and o_r(m).
//!
//! Sources: Pješivac-Grbović and others, "Performance analysis of MPI collective operations",
//! Cluster Computing 10, 2007; Kielmann, Bal, Verstoep, "Fast measurement of LogP parameters for
//! message passing platforms", 2000.

use orrery::comm::loggp::LogGpNetwork;
use orrery::comm::plogp::Curve;
use orrery::comm::{FittedNetwork, PLogP, plogp::PLogPNetwork};

use crate::closed_forms::{self, GAMMA, assert_close};
use crate::prelude::*;

/// The size of a vector, or of a block; divisible by the numbers of ranks and segments.
const SIZE: u64 = 1 << 16;

/// The number of segments.
const SEGMENTS: f64 = 8.0;

/// The numbers of ranks.
const RANKS: [usize; 5] = [2, 4, 8, 16, 32];

/// L, o_s, o_r, g and G.
struct LogGp {
    latency: f64,
    send: f64,
    receive: f64,
    gap: f64,
    byte_gap: f64,
}

impl LogGp {
    fn network(&self, ranks: usize) -> LogGpNetwork {
        LogGpNetwork::new(ranks, &[self.latency, self.send, self.receive, self.gap, self.byte_gap])
    }

    /// b·G of a message.
    fn further(&self, size: f64) -> f64 {
        (size - 1.0).max(0.0) * self.byte_gap
    }

    /// D, the time of one message.
    fn message(&self, size: f64) -> f64 {
        self.latency + self.send + self.receive + self.further(size)
    }
}

/// A gap between o_s + o_r and L + o_s + o_r, as the formulas of the literature assume.
const USUAL: LogGp =
    LogGp { latency: 12e-6, send: 2e-6, receive: 3e-6, gap: 6e-6, byte_gap: 0.8e-9 };

/// Processors that are slower than ports: g < o_s + o_r.
const SLOW_PROCESSORS: LogGp =
    LogGp { latency: 12e-6, send: 5e-6, receive: 4e-6, gap: 6e-6, byte_gap: 0.8e-9 };

/// Ports whose gap exceeds the time of a message without bytes: g > L + o_s + o_r.
const SLOW_PORTS: LogGp =
    LogGp { latency: 4e-6, send: 2e-6, receive: 3e-6, gap: 15e-6, byte_gap: 0.8e-9 };

/// The time of all ranks.
fn time(kind: CollectiveKind, algorithm: Algorithm, network: impl Network) -> f64 {
    let (ranks, root, block) = (network.processors(), Rank(0), Bytes::new(SIZE));
    closed_forms::time(&Collective { kind, algorithm, root, ranks, block }, network)
}

fn segment() -> Bytes {
    Bytes::new(SIZE / SEGMENTS as u64)
}

#[test]
fn loggp_times_equal_the_closed_formulas() {
    use Algorithm::*;
    use CollectiveKind::*;
    let model = USUAL;
    let LogGp { latency, send, receive, gap, byte_gap } = model;
    for ranks in RANKS {
        let (p, lg, m) = (ranks as f64, f64::from(ranks.ilog2()), SIZE as f64);
        let (d, piece) = (model.message(m), m / SEGMENTS);
        let fixed = latency + send + receive;
        // Messages of m, 2m, … p/2·m bytes, and of m/2, m/4 … m/p.
        let doubling = lg * fixed + ((p - 1.0) * m - lg) * byte_gap;
        let halving = lg * fixed + ((p - 1.0) / p * m - lg) * byte_gap;
        let part = model.message(m / p);
        let combined = GAMMA * m;
        let cases = [
            (Broadcast, Linear, d + (p - 2.0) * (gap + model.further(m))),
            (Broadcast, Pipeline(Bytes::ZERO), (p - 1.0) * d),
            (
                Broadcast,
                Pipeline(segment()),
                (p - 1.0) * model.message(piece) + (SEGMENTS - 1.0) * (gap + model.further(piece)),
            ),
            (Broadcast, Binomial, lg * d),
            (Broadcast, ScatterAllgather, 2.0 * halving),
            (Broadcast, ScatterAllgatherRing, halving + (p - 1.0) * part),
            (Scatter, Linear, d + (p - 2.0) * (gap + model.further(m))),
            (Scatter, Binomial, doubling),
            // The root's port takes a message each g + b·G; literature: the same as for the
            // scatter.
            (Gather, Linear, d + (p - 2.0) * (gap + model.further(m))),
            (Gather, Binomial, doubling),
            (Allgather, Ring, (p - 1.0) * d),
            (Allgather, RecursiveDoubling, doubling),
            (Allgather, Bruck, doubling),
            (Alltoall, Pairwise, (p - 1.0) * d),
            (Alltoall, ExclusiveOr, (p - 1.0) * d),
            (Reduce, Binomial, lg * (d + combined)),
            (Allreduce, RecursiveDoubling, lg * (d + combined)),
            (Allreduce, Ring, 2.0 * (p - 1.0) * part + (p - 1.0) / p * combined),
            (Allreduce, Rabenseifner, 2.0 * halving + (p - 1.0) / p * combined),
            (ReduceScatter, Pairwise, (p - 1.0) * (d + combined)),
            // The literature adds the gap, lg·(L + o + max(g, o)): here it passes while the message
            // is in flight.
            (Barrier, Dissemination, lg * fixed),
            (Barrier, RecursiveDoubling, lg * fixed),
            (Barrier, DoubleRing, 2.0 * p * fixed),
        ];
        for (kind, algorithm, expected) in cases {
            let observed = time(kind, algorithm, model.network(ranks));
            assert_close(observed, expected, &format!("{kind}/{algorithm} of {ranks}"));
        }
    }
}

/// The literature's pipeline sends a segment each g + b·G. A rank between others receives and sends
/// each segment on one processor, which is the slowest part if o_s + o_r > g. It is busy from the
/// first segment on, n·(o_s + o_r + b·G). When segments are waiting, it receives the next one
/// before it sends the present one, as the engine serves what was ready first. So two receives and
/// the last two sends follow each other directly, g + b·G apart instead of o_r + b·G and o_s. With
/// more ranks the order depends on ties: the time is bounded.
#[test]
fn a_pipeline_of_slow_processors_is_bounded_by_their_overheads() {
    let (model, piece) = (SLOW_PROCESSORS, SIZE as f64 / SEGMENTS);
    let period = model.send + model.receive + model.further(piece);
    let last = (model.gap - model.receive) + (model.gap + model.further(piece) - model.send);
    check_slow_pipeline(model.message(piece), period, last, |ranks| model.network(ranks));
}

/// Checks a pipeline whose ranks between others take `period` for each segment, `last` more for the
/// last one.
fn check_slow_pipeline<N: Network>(
    message: f64,
    period: f64,
    last: f64,
    network: impl Fn(usize) -> N,
) {
    let time =
        |ranks| time(CollectiveKind::Broadcast, Algorithm::Pipeline(segment()), network(ranks));
    let least = |ranks: usize| (ranks - 1) as f64 * message + (SEGMENTS - 1.0) * period;
    assert_close(time(3), least(3) + last, "three ranks");
    for ranks in [4, 8, 16, 32] {
        let (observed, least) = (time(ranks), least(ranks));
        let most = least + (ranks - 2) as f64 * message;
        assert!(
            least < observed && observed < most,
            "{ranks} ranks: {observed} s, not {least} to {most} s"
        );
    }
}

/// The literature's lg·D of trees and exchanges assumes that a port is free when its rank has the
/// next message. Otherwise the first lg − 1 messages of a rank follow each other by the gap: (lg −
/// 1)·(g + b·G) + D.
#[test]
fn gaps_longer_than_messages_bound_trees_and_exchanges() {
    use Algorithm::{Binomial, Dissemination, Pairwise, Ring};
    use CollectiveKind::{Allgather, Alltoall, Barrier, Broadcast};
    let model = SLOW_PORTS;
    for ranks in RANKS {
        let (p, lg, m) = (ranks as f64, f64::from(ranks.ilog2()), SIZE as f64);
        let expected = |messages: f64, size: f64| {
            (messages - 1.0) * (model.gap + model.further(size)) + model.message(size)
        };
        let cases = [
            (Broadcast, Binomial, expected(lg, m)),
            (Barrier, Dissemination, expected(lg, 0.0)),
            (Allgather, Ring, expected(p - 1.0, m)),
            (Alltoall, Pairwise, expected(p - 1.0, m)),
        ];
        for (kind, algorithm, expected) in cases {
            let observed = time(kind, algorithm, model.network(ranks));
            assert_close(observed, expected, &format!("{kind}/{algorithm} of {ranks}"));
        }
    }
}

/// g(m), o_s(m) or o_r(m): a line from its value for empty messages.
fn curve(empty: f64, per_byte: f64) -> Curve {
    let largest = 32 * SIZE;
    let at = |size: u64| Estimate::exact(empty + per_byte * size as f64);
    Curve::new(vec![Bytes::ZERO, Bytes::new(largest)], vec![at(0), at(largest)]).unwrap()
}

fn plogp(ranks: usize, overhead_per_byte: f64) -> FittedNetwork<PLogPNetwork> {
    let model = PLogP {
        latency: Estimate::exact(9e-6),
        send_overhead: curve(1e-6, overhead_per_byte),
        receive_overhead: curve(2e-6, overhead_per_byte),
        gap: curve(4e-6, 1e-9),
    };
    model.network(ranks)
}

#[test]
fn plogp_times_equal_the_closed_formulas() {
    use Algorithm::*;
    use CollectiveKind::*;
    let gap = |size: f64| 4e-6 + 1e-9 * size;
    let latency = 9e-6;
    for ranks in RANKS {
        let (p, lg, m) = (ranks as f64, f64::from(ranks.ilog2()), SIZE as f64);
        let (message, piece) = (latency + gap(m), m / SEGMENTS);
        let doubling: f64 = (0..ranks.ilog2()).map(|k| latency + gap(f64::from(1 << k) * m)).sum();
        let halving: f64 = (1..=ranks.ilog2()).map(|k| latency + gap(m / f64::from(1 << k))).sum();
        let part = latency + gap(m / p);
        let combined = GAMMA * m;
        let cases = [
            (Broadcast, Linear, latency + (p - 1.0) * gap(m)),
            (Broadcast, Pipeline(Bytes::ZERO), (p - 1.0) * message),
            (
                Broadcast,
                Pipeline(segment()),
                (p - 1.0) * (latency + gap(piece)) + (SEGMENTS - 1.0) * gap(piece),
            ),
            (Broadcast, Binomial, lg * message),
            (Broadcast, ScatterAllgather, 2.0 * halving),
            (Broadcast, ScatterAllgatherRing, halving + (p - 1.0) * part),
            (Scatter, Linear, latency + (p - 1.0) * gap(m)),
            (Scatter, Binomial, doubling),
            (Gather, Linear, latency + (p - 1.0) * gap(m)),
            (Gather, Binomial, doubling),
            (Allgather, Ring, (p - 1.0) * message),
            (Allgather, RecursiveDoubling, doubling),
            (Allgather, Bruck, doubling),
            (Alltoall, Pairwise, (p - 1.0) * message),
            (Reduce, Binomial, lg * (message + combined)),
            (Allreduce, RecursiveDoubling, lg * (message + combined)),
            (Allreduce, Ring, 2.0 * (p - 1.0) * part + (p - 1.0) / p * combined),
            (ReduceScatter, Pairwise, (p - 1.0) * (message + combined)),
            (Barrier, Dissemination, lg * (latency + gap(0.0))),
            (Barrier, RecursiveDoubling, lg * (latency + gap(0.0))),
            (Barrier, DoubleRing, 2.0 * p * (latency + gap(0.0))),
        ];
        for (kind, algorithm, expected) in cases {
            let observed = time(kind, algorithm, plogp(ranks, 0.2e-9));
            assert_close(observed, expected, &format!("{kind}/{algorithm} of {ranks}"));
        }
    }
}

/// As in LogGP, where o_s(m) + o_r(m) > g(m).
#[test]
fn a_pipeline_under_plogp_is_bounded_by_overheads() {
    let piece = SIZE as f64 / SEGMENTS;
    let (per_byte, gap) = (0.9e-9, 4e-6 + 1e-9 * piece);
    let (send, receive) = (1e-6 + per_byte * piece, 2e-6 + per_byte * piece);
    check_slow_pipeline(9e-6 + gap, send + receive, gap - send, |ranks| plogp(ranks, per_byte));
}
