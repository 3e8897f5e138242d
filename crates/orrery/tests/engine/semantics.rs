//! What the engine does operation by operation: matching, posted transfers, receives from any
//! source, timers, errors.

use orrery::engine::{EngineError, Event, check};
use orrery::schedule::{Reading, Reducer, Timer};

use crate::prelude::*;

const C: f64 = 10e-6;
const T: f64 = 1e-9;
const L: f64 = 20e-6;
const B: f64 = 8e-9;

fn network(processors: usize) -> LmoNetwork {
    let pairs = Pairs::of(processors).count();
    LmoNetwork::new(
        &vec![C; processors],
        &vec![T; processors],
        Some(&vec![L; pairs]),
        &vec![B; pairs],
    )
}

/// When each rank finishes on a homogeneous cluster.
fn finishes(ranks: Vec<Vec<Operation>>) -> Vec<f64> {
    let schedule = Explicit::new(ranks);
    let n = schedule.ranks();
    let mut engine = Engine::new();
    let outcome = engine.run(&schedule, &Placement::identity(n), &mut network(n)).unwrap();
    Rank::first(n).map(|rank| outcome.finish(rank).get()).collect()
}

fn assert_close(observed: f64, expected: f64) {
    assert!((observed - expected).abs() < 1e-15, "{observed} instead of {expected}");
}

const fn bytes(size: u64) -> Bytes {
    Bytes::new(size)
}

fn send(to: u32, size: u64, tag: u32) -> Transfer {
    Transfer::Send { to: Rank(to), size: bytes(size), tag: Tag(tag) }
}

fn receive(from: u32, size: u64, tag: u32) -> Transfer {
    Transfer::Receive { from: Rank(from), size: bytes(size), tag: Tag(tag) }
}

fn any(size: u64) -> Transfer {
    Transfer::ReceiveAny { size: bytes(size), tag: Tag(0) }
}

use Operation::{Compute, Do, Post, Start, Stop, Test, Wait};

#[test]
fn messages_share_a_directed_link_one_after_the_other() {
    // Posted one after the other; the second enters the link when the first has left it.
    let m = 100_000;
    let ends = finishes(vec![
        vec![Do(send(1, m, 0)), Do(send(1, m, 0))],
        vec![Do(receive(0, m, 0)), Do(receive(0, m, 0))],
    ]);
    let work = C + m as f64 * T;
    assert_close(ends[1], work + 2.0 * m as f64 * B + L + work);
}

#[test]
fn eager_sends_do_not_wait_for_their_receives() {
    let ends = finishes(vec![
        vec![Do(send(1, 0, 0)), Do(receive(1, 0, 0))],
        vec![Compute(Seconds::new(1.0)), Do(receive(0, 0, 0)), Do(send(0, 0, 0))],
    ]);
    assert_close(ends[0], 1.0 + 2.0 * C + L + C);
}

#[test]
fn messages_match_by_tag_in_sending_order() {
    let ends = finishes(vec![
        vec![Do(send(1, 1000, 7)), Do(send(1, 0, 8))],
        vec![Do(receive(0, 0, 8)), Do(receive(0, 1000, 7))],
    ]);
    let second_arrives = (C + 1000.0 * T) + 1000.0 * B + L;
    assert_close(ends[1], second_arrives.max(2.0 * C + 1000.0 * T + L) + C + C + 1000.0 * T);
}

#[test]
fn any_source_matches_the_earliest_arrival_then_the_lowest_rank() {
    // Ranks 2 and 1 arrive together, rank 3 earlier, although it comes last in every order of
    // numbers.
    let late = Compute(Seconds::new(1e-3));
    let ranks = vec![
        vec![Do(any(30)), Do(any(10)), Do(any(20))],
        vec![late, Do(send(0, 10, 0))],
        vec![late, Do(send(0, 20, 0))],
        vec![Do(send(0, 30, 0))],
    ];
    // The sizes say which message met which receive: 30 from rank 3, then 10 from rank 1, whose
    // message is shorter.
    finishes(ranks);
    let tie = vec![
        vec![Do(any(0)), Do(send(1, 5, 1)), Do(any(0))],
        vec![Do(send(0, 0, 0)), Do(receive(0, 5, 1))],
        vec![Do(send(0, 0, 0))],
    ];
    finishes(tie);
}

#[test]
fn earlier_any_source_receive_matches_before_a_named_one() {
    let ends = finishes(vec![
        vec![
            Post(any(4), Request(0)),
            Post(receive(1, 8, 0), Request(1)),
            Wait(Request(1)),
            Wait(Request(0)),
        ],
        vec![Do(send(0, 4, 0)), Do(send(0, 8, 0))],
    ]);
    assert!(ends[0] > 0.0);
}

/// The size of each message is its number, and the engine requires that a receive has the size of
/// its message.
#[test]
fn hundreds_of_messages_match_in_the_order_of_each_source_and_tag() {
    let size = |tag: u32, k: u32| u64::from(1000 * tag + k);
    let sends = |tags: [u32; 3]| {
        (0..300)
            .map(|k| Do(send(2, size(tags[k as usize % 3], k / 3), tags[k as usize % 3])))
            .collect()
    };
    // All messages have arrived before the first receive: by tag, the last tag first, alternating
    // between the sources.
    let receives = [3, 1, 2].into_iter().flat_map(|tag| {
        (0..100).flat_map(move |k| {
            [Do(receive(1, size(tag, k), tag)), Do(receive(0, size(tag, k), tag))]
        })
    });
    let late = std::iter::once(Compute(Seconds::new(1e3))).chain(receives).collect();
    finishes(vec![sends([1, 2, 3]), sends([3, 1, 2]), late]);
    // All receives are posted before the first message, those from any source with a tag of its
    // own.
    let mut early: Vec<Operation> = Vec::new();
    for (k, number) in (0..100).zip((0..).step_by(3)) {
        let any = Transfer::ReceiveAny { size: bytes(size(2, k)), tag: Tag(2) };
        early.push(Post(receive(0, size(1, k), 1), Request(number)));
        early.push(Post(any, Request(number + 1)));
        early.push(Post(receive(0, size(3, k), 3), Request(number + 2)));
    }
    early.extend((0..300).map(|number| Wait(Request(number))));
    finishes(vec![sends([1, 2, 3]), vec![], early]);
}

#[test]
fn posted_transfers_overlap_computation_in_fifo_order() {
    // The message arrives during the computation, is served after it, without pre-emption.
    let ends = finishes(vec![
        vec![
            Post(receive(1, 0, 0), Request(9)),
            Compute(Seconds::new(1e-3)),
            Test(Request(9)),
            Wait(Request(9)),
        ],
        vec![Do(send(0, 0, 0))],
    ]);
    assert_close(ends[0], 1e-3 + C);
    // Posted sends occupy the processor before the computation that was posted behind them.
    let ends = finishes(vec![
        vec![Post(send(1, 0, 0), Request(0)), Compute(Seconds::new(1e-3)), Wait(Request(0))],
        vec![Do(receive(0, 0, 0))],
    ]);
    assert_close(ends[0], C + 1e-3);
    assert_close(ends[1], 2.0 * C + L);
}

#[test]
fn messages_to_the_own_rank_take_no_time_and_keep_their_order() {
    let ends = finishes(vec![vec![Do(send(0, 1_000_000, 0)), Do(receive(0, 1_000_000, 0))]]);
    assert_close(ends[0], 0.0);
    let error =
        check(&Explicit::new(vec![vec![Do(receive(0, 1, 0)), Do(send(0, 1, 0))]])).unwrap_err();
    assert!(matches!(error, EngineError::Deadlock(_)), "{error}");
}

#[test]
fn timers_sum_their_intervals() {
    let timer = Timer(3);
    let pause = Compute(Seconds::new(0.25));
    let schedule = Explicit::new(vec![
        vec![
            pause,
            Start(timer),
            pause,
            Stop(timer),
            pause,
            Start(timer),
            pause,
            pause,
            Stop(timer),
        ],
        vec![Start(timer), pause, Stop(timer)],
    ]);
    let mut engine = Engine::new();
    let mut network = network(2);
    let outcome = engine.trace(&schedule, &Placement::identity(2), &mut network).unwrap();
    assert_close(outcome.timer(Rank(0), timer).get(), 0.75);
    assert_close(outcome.timer(Rank(0), Timer::WHOLE).get(), 1.25);
    let maximum = Reading { timer, reducer: Reducer::Maximum };
    let at_one = Reading { timer, reducer: Reducer::At(Rank(1)) };
    assert_close(outcome.read(maximum).get(), 0.75);
    assert_close(outcome.read(at_one).get(), 0.25);
    assert_close(outcome.row(maximum).value(&[]).get(), 0.75);
}

/// Barriers are ideal: the root leaves the one that follows when the last rank has ended.
#[test]
fn root_and_global_timing_read_the_end_of_the_last_rank() {
    let long = Compute(Seconds::new(0.5));
    let schedule =
        Explicit::new(vec![vec![Do(send(1, 0, 0))], vec![Do(receive(0, 0, 0)), long], vec![long]]);
    let (mut engine, mut network) = (Engine::new(), network(3));
    let outcome = engine.trace(&schedule, &Placement::identity(3), &mut network).unwrap();
    let reading = |reducer| Reading { timer: Timer::WHOLE, reducer };
    for root in [0, 1, 2].map(|root| reading(Reducer::RootMinusBarrier(Rank(root)))) {
        assert_close(outcome.read(root).get(), 2.0 * C + L + 0.5);
        assert_eq!(outcome.read(root), outcome.end());
        assert_eq!(outcome.read(root), outcome.read(reading(Reducer::Maximum)));
        assert_eq!(outcome.row(root), outcome.row(reading(Reducer::Maximum)));
    }
    let global = reading(Reducer::Global);
    assert_eq!(
        (outcome.read(global), outcome.row(global)),
        (outcome.end(), outcome.row(reading(Reducer::Maximum)))
    );
}

#[test]
fn invalid_schedules_are_rejected_with_the_cause() {
    let diagnose = |ranks| check(&Explicit::new(ranks)).unwrap_err();
    let error = diagnose(vec![
        vec![Do(receive(1, 0, 0))],
        vec![Do(receive(2, 0, 0))],
        vec![Do(receive(0, 0, 0))],
    ]);
    let EngineError::Deadlock(deadlock) = &error else { panic!("{error}") };
    assert_eq!(deadlock.blocked.iter().map(|b| b.rank.0).collect::<Vec<_>>(), [0, 1, 2]);

    let error = diagnose(vec![vec![Do(send(1, 0, 0))], vec![]]);
    assert!(error.to_string().starts_with("rank 0 sends a message to rank 1 that"), "{error}");

    let error = diagnose(vec![vec![Do(send(1, 8, 0))], vec![Do(receive(0, 9, 0))]]);
    assert!(
        error.to_string().starts_with("rank 0 sends 8 bytes to rank 1, which expects 9;"),
        "{error}"
    );

    let error = diagnose(vec![vec![Do(send(1, 8, 1))], vec![Do(receive(0, 8, 2))]]);
    assert!(matches!(error, EngineError::Deadlock(_)), "{error}");

    let error = diagnose(vec![vec![Do(send(5, 8, 1))]]);
    assert!(
        error.to_string().contains("names a rank that does not exist; valid ranks are 0 to 0"),
        "{error}"
    );

    let error = diagnose(vec![vec![Wait(Request(3))]]);
    assert_eq!(error.to_string(), "operation 0 of rank 0: request 3 was not posted");

    let error = diagnose(vec![vec![
        Post(receive(0, 1, 0), Request(0)),
        Post(receive(0, 1, 0), Request(0)),
    ]]);
    assert!(error.to_string().contains("posted again"), "{error}");

    let error = diagnose(vec![vec![Post(receive(0, 1, 0), Request(0))]]);
    assert!(matches!(error, EngineError::Deadlock(_)), "{error}");

    let error = diagnose(vec![vec![Compute(Seconds::new(-1.0))]]);
    assert!(error.to_string().contains("a duration must not be negative"), "{error}");
}

#[test]
fn engine_is_reusable_after_an_error() {
    let mut engine = Engine::new();
    let mut network = network(2);
    let bad = Explicit::new(vec![vec![Do(receive(1, 0, 0))], vec![]]);
    let good = Explicit::new(vec![vec![Do(receive(1, 0, 0))], vec![Do(send(0, 0, 0))]]);
    let placement = Placement::identity(2);
    assert!(engine.run(&bad, &placement, &mut network).is_err());
    let first = engine.run(&good, &placement, &mut network).unwrap().finish(Rank(0));
    let second = engine.run(&good, &placement, &mut network).unwrap().finish(Rank(0));
    assert_eq!(first, second);
    assert_close(first.get(), 2.0 * C + L);
}

/// Reported operations cover a program without gaps: blocking transfers, computations, and waits
/// for posted transfers.
#[test]
fn blocking_operations_are_reported_to_the_observer() {
    let size = Bytes::new(1000);
    let receive = |size| Transfer::Receive { from: Rank(0), size: Bytes::new(size), tag: Tag(0) };
    // A receive of a trace can be longer than its message.
    let post = Post(receive(1007), Request(0));
    let schedule = Explicit::new(vec![
        vec![Compute(Seconds::new(1.0)), Operation::send(Rank(1), size)],
        vec![
            post,
            Operation::Spin(Seconds::new(0.25)),
            Wait(Request(0)),
            Compute(Seconds::new(2.0)),
        ],
    ]);
    let mut network = LmoNetwork::new(&[0.5; 2], &[0.0; 2], Some(&[0.125]), &[0.0]);
    let mut records = Vec::new();
    let mut watch = |record: Event| {
        records.push((record.rank.0, record.start.get(), record.end.get()));
    };
    Engine::new().watch(&schedule, &Placement::identity(2), &mut network, &mut watch).unwrap();
    records.sort_by(|a, b| a.partial_cmp(b).unwrap());
    assert_eq!(
        records,
        [(0, 0.0, 1.0), (0, 1.0, 1.5), (1, 0.0, 0.25), (1, 0.25, 2.125), (1, 2.125, 4.125)]
    );
    let short = Explicit::new(vec![vec![Operation::send(Rank(1), size)], vec![Do(receive(999))]]);
    let error = Engine::new()
        .watch(&short, &Placement::identity(2), &mut network, &mut |_| ())
        .unwrap_err();
    assert!(error.to_string().contains("sends 1000 bytes to rank 1, which expects 999"), "{error}");
}
