//! Laws of the engine on LMO and Hockney networks: the closed formulas of the papers where they
//! must agree, and as bounds where they are bounds.

use orrery::platform::Processor;
use orrery::schedule::{OneToTwo, RoundTrip};
use proptest::prelude::*;

use crate::prelude::*;

/// A heterogeneous cluster: processors and links differ up to a hundredfold.
#[derive(Debug, Clone)]
struct Cluster {
    fixed_delay: Vec<f64>,
    byte_delay: Vec<f64>,
    link_latency: Vec<f64>,
    link_byte_delay: Vec<f64>,
}

impl Cluster {
    fn network(&self) -> LmoNetwork {
        LmoNetwork::new(
            &self.fixed_delay,
            &self.byte_delay,
            Some(&self.link_latency),
            &self.link_byte_delay,
        )
    }

    fn processors(&self) -> usize {
        self.fixed_delay.len()
    }

    /// L + C + m·(1/β + t): from leaving the root's processor to the end of the receive.
    fn path(&self, root: usize, to: usize, m: f64) -> f64 {
        let pair = Pairs::of(self.processors()).index(Processor(root as u32), Processor(to as u32));
        self.link_latency[pair]
            + self.fixed_delay[to]
            + m * (self.link_byte_delay[pair] + self.byte_delay[to])
    }
}

fn cluster(processors: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Cluster> {
    processors.prop_flat_map(|n| {
        let pairs = Pairs::of(n).count();
        (
            prop::collection::vec(5e-6..500e-6, n),
            prop::collection::vec(0.3e-9..30e-9, n),
            prop::collection::vec(1e-6..100e-6, pairs),
            prop::collection::vec(0.8e-9..80e-9, pairs),
        )
            .prop_map(|(fixed_delay, byte_delay, link_latency, link_byte_delay)| Cluster {
                fixed_delay,
                byte_delay,
                link_latency,
                link_byte_delay,
            })
    })
}

fn collective(
    kind: CollectiveKind,
    algorithm: Algorithm,
    root: usize,
    ranks: usize,
    block: u64,
) -> Collective {
    Collective { kind, algorithm, root: Rank(root as u32), ranks, block: Bytes::new(block) }
}

fn time<S: Schedule + ?Sized>(schedule: &S, network: &mut impl Network) -> f64 {
    let mut engine = Engine::new();
    let outcome = engine.run(schedule, &Placement::identity(schedule.ranks()), network).unwrap();
    Rank::first(schedule.ranks()).map(|rank| outcome.finish(rank).get()).fold(0.0, f64::max)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

proptest! {
    #[test]
    fn linear_scatter_time_is_the_maximum_over_the_sending_order(
        c in cluster(2..=12), root in 0usize..12, m in 0u64..200_000,
    ) {
        let (n, root, bytes) = (c.processors(), root % c.processors(), m as f64);
        let observed = time(&collective(CollectiveKind::Scatter, Algorithm::Linear, root, n, m), &mut c.network());
        let send = c.fixed_delay[root] + bytes * c.byte_delay[root];
        let others: Vec<usize> = (0..n).filter(|&rank| rank != root).collect();
        let in_order = others.iter().enumerate().map(|(p, &to)| (p + 1) as f64 * send + c.path(root, to, bytes));
        let closed = in_order.fold(0.0, f64::max);
        prop_assert!(close(observed, closed), "{observed} {closed}");

        let slowest = others.iter().map(|&to| c.path(root, to, bytes)).fold(0.0, f64::max);
        let paper = (n - 1) as f64 * send + slowest;
        prop_assert!(observed <= paper * (1.0 + 1e-12));
        let last = c.path(root, *others.last().unwrap(), bytes);
        if last >= slowest {
            prop_assert!(close(observed, paper), "{observed} {paper}");
        }
    }

    #[test]
    fn scatter_formula_of_the_paper_holds_with_the_slowest_rank_last(
        c in cluster(2..=12), root in 0usize..12, m in 0u64..200_000,
    ) {
        let (n, root, bytes) = (c.processors(), root % c.processors(), m as f64);
        let mut others: Vec<usize> = (0..n).filter(|&rank| rank != root).collect();
        others.sort_by(|&a, &b| c.path(root, a, bytes).total_cmp(&c.path(root, b, bytes)));
        let mut ranks = vec![vec![Operation::receive(Rank(root as u32), Bytes::new(m))]; n];
        ranks[root] = others.iter().map(|&to| Operation::send(Rank(to as u32), Bytes::new(m))).collect();
        let observed = time(&Explicit::new(ranks), &mut c.network());
        let send = c.fixed_delay[root] + bytes * c.byte_delay[root];
        let paper = (n - 1) as f64 * send + c.path(root, *others.last().unwrap(), bytes);
        prop_assert!(close(observed, paper), "{observed} {paper}");
    }

    #[test]
    fn hockney_times_equal_closed_formulas(
        ranks in 1usize..40, root in 0usize..40, m in 0u64..1_000_000, alpha in 1e-7..1e-3, beta in 1e-11..1e-7,
    ) {
        let root = root % ranks;
        let bytes = m as f64;
        let linear = (ranks - 1) as f64 * (alpha + beta * bytes);
        let rounds = (ranks as f64).log2().ceil();
        let binomial = rounds * alpha + (ranks - 1) as f64 * beta * bytes;
        for kind in CollectiveKind::SCATTER_GATHER {
            let mut network = HockneyNetwork::new(ranks, &[alpha], &[beta]);
            let observed = time(&collective(kind, Algorithm::Linear, root, ranks, m), &mut network);
            prop_assert!(close(observed, linear), "linear {kind}: {observed} {linear}");
            let observed = time(&collective(kind, Algorithm::Binomial, root, ranks, m), &mut network);
            prop_assert!(close(observed, binomial), "binomial {kind}: {observed} {binomial}");
        }
    }

    #[test]
    fn critical_path_row_times_parameters_equals_the_time(
        c in cluster(2..=9), root in 0usize..9, m in 0u64..200_000, binomial: bool, gather: bool,
    ) {
        let algorithm = if binomial { Algorithm::Binomial } else { Algorithm::Linear };
        let kind = if gather { CollectiveKind::Gather } else { CollectiveKind::Scatter };
        let n = c.processors();
        let program = Program::Collective(collective(kind, algorithm, root % n, n, m));
        let mut network = c.network();
        let mut engine = Engine::new();
        let outcome = engine.trace(&program, &Placement::identity(n), &mut network).unwrap();
        let observed = outcome.read(program.reading());
        let row = outcome.row(program.reading());
        let steps = outcome.critical_path(program.reading());
        prop_assert!(close(observed.get(), row.value(network.parameters()).get()));
        prop_assert!(steps.windows(2).all(|pair| pair[0].to == pair[1].from), "the path has no \
            holes");
        prop_assert_eq!(steps.last().unwrap().to, observed);
    }

    #[test]
    fn time_grows_with_size(c in cluster(2..=9), root in 0usize..9, m in 0u64..200_000, more in 1u64..100_000) {
        let n = c.processors();
        // Where a rank sends and receives at the same time, its processor may serve the two in
        // another order, and then a larger size can take less time: algorithms by exchanges (ring,
        // pairwise) are left out.
        let cases = [
            (CollectiveKind::Scatter, Algorithm::Linear),
            (CollectiveKind::Scatter, Algorithm::Binomial),
            (CollectiveKind::Gather, Algorithm::Linear),
            (CollectiveKind::Gather, Algorithm::Binomial),
            (CollectiveKind::Broadcast, Algorithm::Binomial),
        ];
        for (kind, algorithm) in cases {
            let less = time(&collective(kind, algorithm, root % n, n, m), &mut c.network());
            let larger = time(&collective(kind, algorithm, root % n, n, m + more), &mut c.network());
            prop_assert!(larger > less, "{kind}/{algorithm}");
        }
    }

    #[test]
    fn scatter_and_gather_send_every_block_exactly_once(ranks in 1usize..70, root in 0usize..70, block in 1u64..1000) {
        for kind in CollectiveKind::SCATTER_GATHER {
            for &algorithm in kind.algorithms() {
                let schedule = collective(kind, algorithm, root % ranks, ranks, block);
                orrery::engine::check(&schedule).unwrap();
                let at_root = orrery::schedule::operations(&schedule, Rank((root % ranks) as u32));
                let moved: u64 = at_root
                    .map(|operation| match operation {
                        Operation::Do(transfer) | Operation::Post(transfer, _) => match transfer {
                            Transfer::Send { size, .. } | Transfer::Receive { size, .. } => size.get(),
                            Transfer::ReceiveAny { .. } => 0,
                        },
                        _ => 0,
                    })
                    .sum();
                prop_assert_eq!(moved, (ranks as u64 - 1) * block);
            }
        }
    }

    #[test]
    fn rounds_of_sends_and_receives_take_equal_times(
        ranks in 1usize..20, m in 0u64..1_000_000, alpha in 1e-7..1e-3, beta in 1e-11..1e-7,
    ) {
        let expected = (ranks - 1) as f64 * (alpha + beta * m as f64);
        for (kind, algorithm) in ROUNDS {
            let mut network = HockneyNetwork::new(ranks, &[alpha], &[beta]);
            let observed = time(&collective(kind, algorithm, 0, ranks, m), &mut network);
            prop_assert!(close(observed, expected), "{kind}: {observed} {expected}");
        }
    }
}

/// The operations of p − 1 rounds, in each of which every rank sends and receives a block.
const ROUNDS: [(CollectiveKind, Algorithm); 2] =
    [(CollectiveKind::Allgather, Algorithm::Ring), (CollectiveKind::Alltoall, Algorithm::Pairwise)];

proptest! {
    #[test]
    fn a_chain_has_the_same_critical_path_on_every_network(
        (here, there) in cluster(3..=3).prop_flat_map(|here| (Just(here), cluster(3..=3))), out in 0u64..200_000, back in 0u64..200_000,
    ) {
        let (out, back) = (Bytes::new(out), Bytes::new(back));
        let program = Program::RoundTrip(RoundTrip { out, back });
        prop_assert!(program.is_chain());
        let row = |c: &Cluster| {
            let placement = Placement::new([Processor(2), Processor(0)]);
            let mut engine = Engine::new();
            engine.trace(&program, &placement, &mut c.network()).unwrap().row(program.reading())
        };
        prop_assert_eq!(row(&here), row(&there));
    }
}

#[test]
fn schedules_whose_path_depends_on_parameters_are_not_chains() {
    let size = Bytes::new(1000);
    let program = Program::OneToTwo(OneToTwo { size });
    let row = |latency: [f64; 3]| {
        let mut network = LmoNetwork::new(&[1e-5; 3], &[1e-9; 3], Some(&latency), &[1e-9; 3]);
        let mut engine = Engine::new();
        engine
            .trace(&program, &Placement::identity(3), &mut network)
            .unwrap()
            .row(program.reading())
    };
    assert_ne!(row([1e-3, 1e-6, 1e-6]), row([1e-6, 1e-3, 1e-6]));
    assert!(!program.is_chain());
}

/// A question is refused by its number of operations, so that number may not overflow.
#[test]
fn a_larger_block_never_has_fewer_operations() {
    for kind in CollectiveKind::ALL {
        for &algorithm in kind.algorithms() {
            let algorithm = algorithm.with_segment(Bytes::new(1)).unwrap_or(algorithm);
            for ranks in [2, 3, 4, 5, 64, 1000].into_iter().filter(|&n| algorithm.runs_on(n)) {
                let operations = |bits: u32| {
                    let block = Bytes::new(u64::MAX >> (64 - bits));
                    let root = Rank(ranks as u32 - 1);
                    Collective { kind, algorithm, root, ranks, block }.operations()
                };
                let counts: Vec<u64> = (1..=64).map(operations).collect();
                assert!(counts.is_sorted(), "{kind} {algorithm} on {ranks} ranks: {counts:?}");
            }
        }
    }
}
