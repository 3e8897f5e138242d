//! The engine of matched messages has the times of the engine, and ends early only beyond its
//! limit.

use orrery::comm::loggp::LogGpNetwork;
use orrery::comm::{Combining, PLogP, plogp};
use orrery::engine::{Completion, MatchedCollective, MatchedEngine, Message, single_message};
use orrery::model::{Model, ModelKind};
use orrery::platform::Processor;
use proptest::prelude::*;

use crate::prelude::*;

/// Values between 1 and `factor` times `low`; equal ones for the factor 1.
fn values(count: usize, low: f64, factor: f64, seed: u32) -> Vec<f64> {
    let fraction = |k: u32| f64::from((k + seed).wrapping_mul(2_654_435_761) >> 16) / 65536.0;
    (0..count as u32).map(|k| low * (1.0 + (factor - 1.0) * fraction(k))).collect()
}

/// A network of PLogP with gaps that leap.
fn plogp_network(processors: usize) -> Box<dyn Network> {
    let curve = |low: f64| {
        let sizes = [0, 1024, 1025, 65536].map(Bytes::new).to_vec();
        let values = [low, 2.0 * low, 3.0 * low, 20.0 * low].map(Estimate::exact).to_vec();
        plogp::Curve::new(sizes, values).unwrap()
    };
    let plogp = PLogP {
        latency: Estimate::exact(9e-6),
        send_overhead: curve(1e-6),
        receive_overhead: curve(2e-6),
        gap: curve(2.5e-6),
    };
    let model = Model::new(processors).with(ModelKind::PLogP, &plogp);
    model.network(ModelKind::PLogP).map(|network| network as Box<dyn Network>).unwrap()
}

/// A network of one of four kinds; with equal processors for the factor 1.
fn network(kind: usize, processors: usize, factor: f64, seed: u32) -> Combining<Box<dyn Network>> {
    let pairs = Pairs::of(processors).count();
    let each = |low| values(processors, low, factor, seed);
    let links = |low| values(pairs, low, factor, seed);
    let network: Box<dyn Network> = match kind {
        0 => {
            Box::new(LmoNetwork::new(&each(5e-6), &each(0.3e-9), Some(&links(5e-6)), &links(1e-9)))
        }
        1 => Box::new(HockneyNetwork::new(processors, &links(20e-6), &links(2e-9))),
        2 => Box::new(LogGpNetwork::new(processors, &[12e-6, 2e-6, 3e-6, 5e-6, 0.8e-9])),
        _ => plogp_network(processors),
    };
    Combining::new(network, each(0.2e-9).into_iter().map(Estimate::exact).collect())
}

fn operations() -> impl Strategy<Value = Collective> {
    let algorithm = (prop::sample::select(CollectiveKind::ALL.to_vec()), 2..20_usize)
        .prop_flat_map(|(kind, ranks)| {
            let algorithms: Vec<Algorithm> = kind.algorithms_on(ranks).collect();
            (
                Just(kind),
                Just(ranks),
                prop::sample::select(algorithms),
                0..ranks,
                1..100_000_u64,
                prop::bool::ANY,
            )
        });
    algorithm.prop_map(|(kind, ranks, algorithm, root, block, is_divided)| {
        let divided = algorithm
            .with_segment(Bytes::new(block.div_ceil(5)))
            .filter(|one| is_divided && kind.has(*one));
        let root = if kind.has_root() { Rank(root as u32) } else { Rank(0) };
        Collective {
            kind,
            algorithm: divided.unwrap_or(algorithm),
            root,
            ranks,
            block: Bytes::new(block),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Times are equal to the last bit, also where many events occur at the same time.
    #[test]
    fn times_are_those_of_the_engine(
        collective in operations(),
        kind in 0..4_usize,
        is_homogeneous in prop::bool::ANY,
        seed in 0..1000_u32,
        next in 1..100_000_u64,
        part in 0.1..1.5_f64,
    ) {
        let ranks = collective.ranks;
        let mut network = network(kind, ranks, if is_homogeneous { 1.0 } else { 8.0 }, seed);
        let placement = Placement::identity(ranks);
        let mut matched = MatchedCollective::new(&collective).unwrap();
        let mut engine = MatchedEngine::default();
        let mut check = |matched: &MatchedCollective, collective: &Collective| {
            let time = Engine::new().run(collective, &placement, &mut network).unwrap().end();
            let unlimited = Seconds::new(f64::INFINITY);
            assert_eq!(engine.run(matched, &placement, &mut network, unlimited), Completion::At(time), "{collective:?}");
            assert!(engine.least_time().get() <= time.get() * (1.0 + 1e-12), "{collective:?}");
            let limit = Seconds::new(time.get() * part);
            let expected = if time <= limit { Completion::At(time) } else { Completion::Later };
            assert_eq!(engine.run(matched, &placement, &mut network, limit), expected, "{collective:?}");
            assert_eq!(engine.run(matched, &placement, &mut network, time), Completion::At(time), "{collective:?}");
            if let Some(one) = matched.of_one_rank().filter(|_| network.is_homogeneous()) {
                match engine.run(&one, &placement, &mut network, unlimited) {
                    Completion::At(alone) => {
                        assert!((alone - time).get().abs() <= 1e-12 * time.get(), "{collective:?} \
                            {alone:?} {time:?}");
                    }
                    other => assert_eq!(other, Completion::Unknown),
                }
            }
        };
        check(&matched, &collective);
        let other = Collective { block: Bytes::new(next), ..collective };
        if matched.set_block(other.block) {
            check(&matched, &other);
        }
    }

    /// All ranks of the common symmetric operations do the same, and one of them takes the time of
    /// all.
    #[test]
    fn one_rank_takes_the_time_of_all(
        (kind, algorithm) in prop::sample::select(vec![
            (CollectiveKind::Allgather, Algorithm::Ring),
            (CollectiveKind::Allgather, Algorithm::Bruck),
            (CollectiveKind::Alltoall, Algorithm::LinearNonblocking),
            (CollectiveKind::Alltoall, Algorithm::LinearSync),
            (CollectiveKind::Alltoall, Algorithm::Pairwise),
            (CollectiveKind::Alltoall, Algorithm::Bruck),
            (CollectiveKind::ReduceScatter, Algorithm::Ring),
            (CollectiveKind::ReduceScatter, Algorithm::Pairwise),
        ]),
        ranks in 2..70_usize,
        block in 1..100_000_u64,
        which in 2..4_usize,
    ) {
        let mut network = network(which, ranks, 1.0, 0);
        let collective = Collective { kind, algorithm, root: Rank(0), ranks, block: Bytes::new(block) };
        let placement = Placement::identity(ranks);
        let one = MatchedCollective::new(&collective).unwrap().of_one_rank().unwrap();
        let time = Engine::new().run(&collective, &placement, &mut network).unwrap().end();
        match MatchedEngine::default().run(&one, &placement, &mut network, Seconds::new(f64::INFINITY)) {
            Completion::At(alone) => prop_assert!((alone - time).get().abs() <= 1e-12 * time.get(), "{alone:?} {time:?}"),
            other => prop_assert_eq!(other, Completion::Unknown),
        }
    }

    /// A message takes the time of a program of a send and a receive.
    #[test]
    fn single_messages_take_the_time_of_a_broadcast_to_one(kind in 0..4_usize, seed in 0..1000_u32, size in 0..100_000_u64) {
        let mut network = network(kind, 5, 8.0, seed);
        let block = Bytes::new(size);
        let (from, to) = (Processor(3), Processor(1));
        let (kind, algorithm) = (CollectiveKind::Broadcast, Algorithm::Linear);
        let collective = Collective { kind, algorithm, root: Rank(0), ranks: 2, block };
        let time = Engine::new().run(&collective, &Placement::new([from, to]), &mut network).unwrap().end();
        prop_assert_eq!(single_message(&mut network, Message { from, to, size: block }), time);
    }
}
