//! Sends that wait for their receive, beside eager ones.

use orrery::comm::ports::{Layout, PortsNetwork, ProtocolLimits};
use orrery::engine::EngineError;

use crate::prelude::*;

const C: f64 = 10e-6;
const L: f64 = 20e-6;
const G: f64 = 8e-9;

/// The size of the largest eager message.
const LIMIT: u64 = 1000;
/// The size of a message that waits for its receive.
const LARGE: u64 = 10_000;

use Operation::{Compute, Do, Post, Wait};

fn network(processors: usize) -> PortsNetwork {
    let layout = Layout::new(processors);
    let pairs = layout.pairs().count();
    let parameters = [
        vec![C; processors],
        vec![0.0; processors],
        vec![G; processors],
        vec![0.0; pairs],
        vec![L; pairs],
    ]
    .concat();
    PortsNetwork::new(layout, parameters).with_eager_limit(Some(Bytes::new(LIMIT)))
}

fn run(ranks: Vec<Vec<Operation>>) -> Result<Vec<f64>, EngineError> {
    let schedule = Explicit::new(ranks);
    let n = schedule.ranks();
    let mut engine = Engine::new();
    let outcome = engine.run(&schedule, &Placement::identity(n), &mut network(n))?;
    Ok(Rank::first(n).map(|rank| outcome.finish(rank).get()).collect())
}

fn send(to: u32, size: u64) -> Transfer {
    Transfer::Send { to: Rank(to), size: Bytes::new(size), tag: Tag(0) }
}

fn receive(from: u32, size: u64) -> Transfer {
    Transfer::Receive { from: Rank(from), size: Bytes::new(size), tag: Tag(0) }
}

fn close(observed: f64, expected: f64) {
    assert!((observed - expected).abs() < 1e-15, "{observed} instead of {expected}");
}

/// The time of a message of this size that is alone, from the start of the send to the end of the
/// receive.
fn alone(size: u64) -> f64 {
    C + L + size as f64 * G + C
}

#[test]
fn large_messages_wait_for_their_receive_and_small_ones_do_not() {
    let late = Seconds::new(1e-3);
    for (size, received, sent) in [(LIMIT, 1e-3 + C, C), (LARGE, 1e-3 + alone(LARGE), 1e-3 + C)] {
        let ends =
            run(vec![vec![Do(send(1, size))], vec![Compute(late), Do(receive(0, size))]]).unwrap();
        close(ends[0], sent);
        close(ends[1], received);
    }
}

/// While a posted send waits, its processor serves other work.
#[test]
fn a_send_that_waits_leaves_its_processor_free() {
    let request = Request(0);
    let (work, late) = (Seconds::new(1e-4), Seconds::new(1e-3));
    let first =
        vec![Post(send(1, LARGE), request), Compute(work), Do(send(1, LIMIT)), Wait(request)];
    let second = vec![Compute(late), Do(receive(0, LARGE)), Do(receive(0, LIMIT))];
    let ends = run(vec![first, second]).unwrap();
    close(ends[0], 1e-3 + C);
    // The eager message has arrived; it does not overtake the one that was sent before it.
    close(ends[1], 1e-3 + alone(LARGE) + C);
}

/// Messages of one source are received in the order of their sends, also by receives from any
/// source.
#[test]
fn eager_messages_do_not_overtake_those_that_wait() {
    let request = Request(0);
    let first = vec![Post(send(1, LARGE), request), Do(send(1, LIMIT)), Wait(request)];
    let of_any = |size| Do(Transfer::ReceiveAny { size: Bytes::new(size), tag: Tag(0) });
    for second in [[Do(receive(0, LARGE)), Do(receive(0, LIMIT))], [of_any(LARGE), of_any(LIMIT)]] {
        let second = [&[Compute(Seconds::new(1e-3))][..], &second].concat();
        let ends = run(vec![first.clone(), second]).unwrap();
        close(ends[1], 1e-3 + alone(LARGE) + C);
    }
}

#[test]
fn two_blocking_sends_that_wait_for_each_other_are_a_deadlock() {
    let both = |other| vec![Do(send(other, LARGE)), Do(receive(other, LARGE))];
    let error = run(vec![both(1), both(0)]).unwrap_err();
    assert!(
        matches!(error, EngineError::Deadlock(ref deadlock) if deadlock.blocked.len() == 2),
        "{error}"
    );
    assert!(run(vec![vec![Do(send(1, LARGE))], vec![]]).is_err());
}

/// Posted receives let every rank send at the same time, as in a ring.
#[test]
fn rings_of_large_messages_run() {
    for (kind, algorithm) in [
        (CollectiveKind::Allgather, Algorithm::Ring),
        (CollectiveKind::Alltoall, Algorithm::Pairwise),
    ] {
        for ranks in [2, 3, 7, 8] {
            let collective =
                Collective { kind, algorithm, root: Rank(0), ranks, block: Bytes::new(LARGE) };
            let program = Program::Collective(collective);
            let mut engine = Engine::new();
            let mut time = |network: &mut PortsNetwork| {
                let outcome = engine.run(&program, &Placement::identity(ranks), network).unwrap();
                outcome.read(program.reading()).get()
            };
            let waiting = time(&mut network(ranks));
            let eager = time(&mut network(ranks).with_eager_limit(None));
            // The receives are posted before the messages of their steps are sent.
            assert!((waiting / eager - 1.0).abs() < 1e-12, "{kind} {ranks}: {waiting} {eager}");
        }
    }
}

/// A send beyond the buffered limit completes when its message has arrived, which may be before its
/// receiver has processed it; other work of the sender goes on meanwhile.
#[test]
fn sends_that_are_not_buffered_complete_at_the_arrival() {
    let limits = ProtocolLimits { eager: Some(Bytes::new(LIMIT)), buffered: Some(Bytes::ZERO) };
    let mut network = network(2).with_limits(limits);
    let schedule = Explicit::new(vec![
        vec![Do(send(1, 2 * LIMIT)), Do(send(1, 0))],
        vec![Do(receive(0, 2 * LIMIT)), Do(receive(0, 0))],
    ]);
    let mut engine = Engine::new();
    let outcome = engine.run(&schedule, &Placement::identity(2), &mut network).unwrap();
    let arrival = C + L + 2.0 * LIMIT as f64 * G;
    close(outcome.finish(Rank(0)).get(), arrival + C);
    close(outcome.finish(Rank(1)).get(), arrival + C + L + C);
}
