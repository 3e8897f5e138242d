//! Conformance tests of machines: one test body for local, simulated and MPI machines.
//!
//! The machine must have at least three processors, better four, and no noise on its readings.

use super::{Batch, Machine, MachineError};
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::{Placement, Processor};
use orrery_program::schedule::{
    Algorithm, Collective, CollectiveKind, Completion, ConcurrentMessage, ConcurrentMessages,
    Explicit, OneToTwo, Operation, Program, Rank, Reading, Reducer, Request, RoundTrip, Schedule,
    SendReceive, Tag, Timer, Timing, Train, TrainKind, Transfer, TwoToOne,
};

/// Runs all conformance tests on a machine.
///
/// # Errors
///
/// The first violation.
pub fn conformance<M: Machine>(machine: &mut M) -> Result<(), Violation> {
    all(machine).map_err(Violation)
}

/// A violation of the rules of machines.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Violation(String);

/// Runs all conformance tests; an error is the first violation in words.
fn all<M: Machine>(machine: &mut M) -> Result<(), String> {
    let processors = machine.processors();
    if processors < 3 {
        return Err(format!("three processors are needed, the machine has {processors}"));
    }
    let kind = machine.provenance().get("machine").is_some();
    ensure(kind, || "the provenance lacks the kind of machine".into())?;
    round_trips(machine)?;
    one_to_two(machine)?;
    trains(machine)?;
    collectives(machine)?;
    matching(machine)?;
    posted(machine)?;
    eager(machine)?;
    concurrent(machine)?;
    timers(machine)?;
    root_minus_barrier(machine)?;
    global(machine)?;
    counts(machine)?;
    parallel(machine)?;
    unfit_batches(machine)?;
    impossible_programs(machine)
}

/// Batches that can run in parallel: disjoint ones, ones that share a processor, and repetitions of
/// one pair.
fn parallel<M: Machine>(machine: &mut M) -> Result<(), String> {
    let mut batches = Vec::new();
    for round in 0..6 {
        for (a, b) in orrery_cluster::platform::Pairs::of(machine.processors()).iter() {
            let (a, b) = if round % 2 == 0 { (a, b) } else { (b, a) };
            let trip = RoundTrip { out: Bytes::new(1 << (3 * round)), back: Bytes::new(round) };
            let mut batch = batch(Program::RoundTrip(trip), Placement::new([a, b]));
            batch.repetitions = 1 + round as u32;
            batches.push(batch);
        }
    }
    let before = machine.elapsed();
    let readings =
        machine.run_all(&batches).map_err(|error| format!("parallel batches: {error}"))?;
    let passed = machine.elapsed().get() - before.get();
    let counts = readings.iter().zip(&batches).all(|(r, b)| r.len() == b.repetitions as usize);
    ensure(counts && readings.len() == batches.len(), || {
        "parallel batches: wrong number of readings".into()
    })?;
    let sound = readings.iter().flatten().all(|r| r.get().is_finite() && r.get() > 0.0);
    ensure(sound, || "parallel batches: readings must be positive and finite".into())?;
    let longest =
        readings.iter().map(|of_batch| of_batch.iter().map(|r| r.get()).sum()).fold(0.0, f64::max);
    ensure(passed >= longest, || {
        format!("{passed} s passed on the machine, but one batch took {longest} s")
    })
}

/// One millisecond in seconds.
const MILLISECOND: f64 = 1e-3;

/// Returns `otherwise()` as an error unless `holds` is true.
fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// Returns a batch of three repetitions after one that is not read.
fn batch(program: Program, placement: Placement) -> Batch {
    let reading = program.reading();
    Batch { program, placement, reading, warm_up: 1, first_repetition: 0, repetitions: 3 }
}

/// Runs a batch and checks that the number of readings is right and that they are positive and
/// finite.
fn run<M: Machine>(machine: &mut M, what: &str, batch: &Batch) -> Result<Vec<f64>, String> {
    let readings = machine.run(batch).map_err(|error| format!("{what}: {error}"))?;
    let (expected, count) = (batch.repetitions as usize, readings.len());
    ensure(count == expected, || format!("{what}: {count} readings instead of {expected}"))?;
    let seconds: Vec<f64> = readings.into_iter().map(Seconds::get).collect();
    let sound = seconds.iter().all(|s| s.is_finite() && *s > 0.0);
    ensure(sound, || format!("{what}: readings must be positive and finite: {seconds:?}"))?;
    Ok(seconds)
}

/// Runs explicit operations, rank r on processor r.
fn run_operations<M: Machine>(
    machine: &mut M,
    what: &str,
    ranks: Vec<Vec<Operation>>,
    reading: Option<Reading>,
) -> Result<Vec<f64>, String> {
    let placement = Placement::identity(ranks.len());
    let mut batch = batch(Program::Explicit(Explicit::new(ranks)), placement);
    batch.reading = reading.unwrap_or(batch.reading);
    run(machine, what, &batch)
}

/// Returns a send to a rank.
fn send(to: u32, size: u64, tag: u32) -> Transfer {
    Transfer::Send { to: Rank(to), size: Bytes::new(size), tag: Tag(tag) }
}

/// Returns a receive from a rank.
fn receive(from: u32, size: u64, tag: u32) -> Transfer {
    Transfer::Receive { from: Rank(from), size: Bytes::new(size), tag: Tag(tag) }
}

/// Returns a receive from any rank.
fn receive_any(size: u64, tag: u32) -> Transfer {
    Transfer::ReceiveAny { size: Bytes::new(size), tag: Tag(tag) }
}

/// Tests round trips of several pairs and sizes.
fn round_trips<M: Machine>(machine: &mut M) -> Result<(), String> {
    let last = machine.processors() as u32 - 1;
    for (i, j) in [(0, 1), (1, 0), (last, 1), (0, last)] {
        for (out, back) in [(0, 0), (1, 1), (1, 0), (65_536, 65_536), (1 << 20, 0), (0, 300_000)] {
            let program =
                Program::RoundTrip(RoundTrip { out: Bytes::new(out), back: Bytes::new(back) });
            let placement = Placement::new([Processor(i), Processor(j)]);
            run(
                machine,
                &format!("round trip {i}-{j} with {out} and {back} bytes"),
                &batch(program, placement),
            )?;
        }
    }
    Ok(())
}

/// Tests one-to-two, two-to-one and send-receive experiments on several processors and with several
/// sizes.
fn one_to_two<M: Machine>(machine: &mut M) -> Result<(), String> {
    let last = machine.processors() as u32 - 1;
    for places in [[0, 1, 2], [2, 1, 0], [last, 0, 1]] {
        for size in [0, 1, 65_536] {
            let size = Bytes::new(size);
            let placement = Placement::new(places.map(Processor));
            let program = Program::OneToTwo(OneToTwo { size });
            run(
                machine,
                &format!("one to two on {places:?} with {size} bytes"),
                &batch(program, placement.clone()),
            )?;
            let program = Program::TwoToOne(TwoToOne { size });
            run(
                machine,
                &format!("two to one on {places:?} with {size} bytes"),
                &batch(program, placement.clone()),
            )?;
            let program = Program::SendReceive(SendReceive { size });
            run(
                machine,
                &format!("send and receive on {places:?} with {size} bytes"),
                &batch(program, placement),
            )?;
        }
    }
    Ok(())
}

/// Tests trains of messages, of which readings of overheads exclude the waits.
fn trains<M: Machine>(machine: &mut M) -> Result<(), String> {
    for kind in TrainKind::ALL {
        for (size, count) in [(0, 1), (1, 40), (65_536, 20)] {
            let delay = if kind == TrainKind::Gap { 0 } else { 500_000 };
            let train = Train { kind, size: Bytes::new(size), reply: Bytes::ZERO, count, delay };
            let program = Program::Train(train);
            let what = format!("{} of {count} messages of {size} bytes", kind.name());
            let mut batch = batch(program, Placement::new([Processor(2), Processor(0)]));
            batch.repetitions = 2;
            let readings = run(machine, &what, &batch)?;
            let waited = f64::from(count - 1) * train.wait().get();
            let long = readings.iter().all(|seconds| *seconds >= waited);
            ensure(kind != TrainKind::Prtt || long, || {
                format!("{what}: {readings:?} s, but the waits take {waited} s")
            })?;
        }
    }
    Ok(())
}

/// Tests collective operations by all algorithms from all roots.
fn collectives<M: Machine>(machine: &mut M) -> Result<(), String> {
    let ranks = machine.processors();
    for kind in CollectiveKind::ALL {
        let segmented = kind
            .algorithms_on(ranks)
            .filter_map(|algorithm| algorithm.with_segment(Bytes::new(10_000)));
        for algorithm in
            kind.algorithms_on(ranks).chain(segmented.filter(|algorithm| kind.has(*algorithm)))
        {
            for root in Rank::first(if kind.has_root() { ranks } else { 1 }) {
                for block in [0, 1, 65_536].map(Bytes::new) {
                    let program =
                        Program::Collective(Collective { kind, algorithm, root, ranks, block });
                    let what = format!("{kind}/{algorithm} from {root} with {block} bytes");
                    run(machine, &what, &batch(program, Placement::identity(ranks)))?;
                }
            }
        }
    }
    Ok(())
}

/// Tests that messages match receives by source and tag, in the order in which they were sent;
/// their sizes distinguish them.
fn matching<M: Machine>(machine: &mut M) -> Result<(), String> {
    let ranks = machine.processors() as u32;
    let sent = [send(1, 10, 1), send(1, 70_000, 2), send(1, 0, 3), send(1, 11, 1), send(1, 12, 1)];
    let taken = [
        receive(0, 0, 3),
        receive(0, 10, 1),
        receive(0, 70_000, 2),
        receive(0, 11, 1),
        receive(0, 12, 1),
    ];
    let programs = [sent.map(Operation::Do).to_vec(), taken.map(Operation::Do).to_vec()];
    run_operations(machine, "tags out of order", programs.to_vec(), None)?;

    let mut programs = vec![vec![Operation::Do(receive_any(5000, 7)); ranks as usize - 1]];
    programs.extend((1..ranks).map(|_| vec![Operation::Do(send(0, 5000, 7))]));
    run_operations(machine, "receives from any rank", programs, None)?;

    // Receives by name in descending order, independent of arrival; then a receive from any source
    // with another tag.
    let mut programs: Vec<Vec<Operation>> =
        vec![(1..ranks).rev().map(|r| Operation::Do(receive(r, r.into(), 0))).collect()];
    programs[0].extend((1..ranks).map(|_| Operation::Do(receive_any(1, 1))));
    programs.extend(
        (1..ranks).map(|r| vec![Operation::Do(send(0, 1, 1)), Operation::Do(send(0, r.into(), 0))]),
    );
    run_operations(machine, "receives by name, then from any rank", programs, None)?;

    let alone = vec![send(0, 100, 4), receive(0, 100, 4)].into_iter().map(Operation::Do);
    let programs = vec![alone.chain([Operation::Spin(Seconds::new(MILLISECOND))]).collect()];
    run_operations(machine, "a message to the own rank", programs, None)?;
    Ok(())
}

/// Tests posted transfers: waits and tests in any order, and requests that are reused.
fn posted<M: Machine>(machine: &mut M) -> Result<(), String> {
    use Operation::{Compute, Do, Post, Test, Wait};
    let (one, two) = (Request(1), Request(2));
    let busy = Compute(Seconds::new(MILLISECOND / 10.0));
    let programs = vec![
        vec![
            Post(receive(1, 65_536, 0), one),
            Post(receive(2, 1, 0), two),
            busy,
            Test(one),
            Wait(two),
            Wait(one),
        ],
        vec![Post(send(0, 65_536, 0), one), Test(one), busy, Wait(one)],
        vec![busy, Post(send(0, 1, 0), two), Wait(two)],
    ];
    run_operations(machine, "posted transfers", programs, None)?;

    // A request can be reused after its wait; posted receives of one tag match in order; sends do
    // not overtake.
    let programs = vec![
        vec![
            Post(send(1, 300_000, 0), one),
            Do(send(1, 2, 0)),
            Wait(one),
            Post(send(1, 3, 0), one),
            Wait(one),
        ],
        vec![
            Post(receive(0, 300_000, 0), two),
            Post(receive(0, 2, 0), one),
            Wait(one),
            Wait(two),
            Post(receive_any(3, 0), two),
            Wait(two),
        ],
    ];
    run_operations(machine, "reused requests", programs, None)?;
    Ok(())
}

/// Tests that sends do not wait for their receives to be posted.
fn eager<M: Machine>(machine: &mut M) -> Result<(), String> {
    let size = 8 << 20;
    let ranks = machine.processors() as u32;
    let programs = (0..ranks).map(|me| {
        let others = || (0..ranks).filter(move |&other| other != me);
        let sends = others().map(|other| Operation::Do(send(other, size, 0)));
        sends.chain(others().map(|other| Operation::Do(receive(other, size, 0)))).collect()
    });
    run_operations(machine, "large messages that cross", programs.collect(), None)?;

    // Rank 0 waits for rank 1, which waits for rank 2, which first sends a message to rank 0.
    let programs = vec![
        vec![receive(1, 1, 0), receive(2, size, 0)],
        vec![receive(2, 1, 0), send(0, 1, 0)],
        vec![send(0, size, 0), send(1, 1, 0)],
    ];
    let programs =
        programs.into_iter().map(|rank| rank.into_iter().map(Operation::Do).collect()).collect();
    run_operations(machine, "a large unexpected message", programs, None)?;
    Ok(())
}

/// Tests concurrent messages, each timed in turn: several from one rank, several to one, two of one
/// pair, both directions, and one that starts late.
fn concurrent<M: Machine>(machine: &mut M) -> Result<(), String> {
    let late = 2.0 * MILLISECOND;
    let arcs = [(0, 1, 0.0), (0, 2, 0.0), (1, 0, 0.0), (0, 1, 0.0), (2, 1, late)];
    for size in [0, 1 << 20] {
        let link = |&(from, to, delay): &(u32, u32, f64)| {
            let (from, to, size) = (Rank(from), Rank(to), Bytes::new(size));
            ConcurrentMessage { from, to, size, delay: Seconds::new(delay) }
        };
        let links: Vec<ConcurrentMessage> = arcs.iter().map(link).collect();
        for (timed, completion) in
            (0..links.len()).flat_map(|timed| Completion::ALL.map(|word| (timed, word)))
        {
            let scheme = ConcurrentMessages::new(&links, timed, completion);
            for program in [scheme.reference(), scheme].map(Program::Concurrent) {
                let what =
                    format!("message {timed} of a scheme, {size} bytes, {}", completion.name());
                let batch = batch(program.clone(), Placement::identity(program.ranks()));
                run(machine, &what, &batch)?;
            }
        }
    }
    Ok(())
}

/// Tests timers: intervals are summed, and the timer of the whole rank includes all operations.
fn timers<M: Machine>(machine: &mut M) -> Result<(), String> {
    use Operation::{Compute, Spin, Start, Stop};
    let (inner, time) = (Timer(3), Seconds::new(2.0 * MILLISECOND));
    let busy = vec![
        Start(inner),
        Spin(time),
        Stop(inner),
        Compute(time),
        Start(inner),
        Compute(time),
        Stop(inner),
    ];
    let programs = vec![busy, vec![Spin(Seconds::new(MILLISECOND))]];
    // Durations may be rounded to nanoseconds, and simulated times in the last digit.
    let least =
        |seconds: &[f64], times: f64| seconds.iter().all(|s| *s >= times * time.get() - 1e-8);
    let at = |rank, timer| Reading { timer, reducer: Reducer::At(Rank(rank)) };
    let maximum = |timer| Reading { timer, reducer: Reducer::Maximum };
    for (what, reading, times) in [
        ("the sum of a timer's starts and stops", at(0, inner), 2.0),
        ("the whole of a rank", at(0, Timer::WHOLE), 3.0),
        ("the whole of another rank", at(1, Timer::WHOLE), 0.5),
        ("a timer's maximum over the ranks", maximum(inner), 2.0),
        ("the maximum over the ranks", maximum(Timer::WHOLE), 3.0),
    ] {
        let seconds = run_operations(machine, what, programs.clone(), Some(reading))?;
        ensure(least(&seconds, times), || {
            format!("{what}: {seconds:?} s are less than {times} times 2 ms")
        })?;
    }
    Ok(())
}

/// Tests the timing at the root: it waits for the last rank, and its own work counts in full.
fn root_minus_barrier<M: Machine>(machine: &mut M) -> Result<(), String> {
    use Operation::Spin;
    let ranks = machine.processors();
    for kind in CollectiveKind::SCATTER_GATHER {
        for root in [Rank(0), Rank(ranks as u32 - 1)] {
            let collective = Collective {
                kind,
                algorithm: Algorithm::Binomial,
                root,
                ranks,
                block: Bytes::new(1024),
            };
            let program = Program::Collective(collective);
            let reading = program.reading_by(Timing::Root);
            let expected =
                Reading { timer: Timer::WHOLE, reducer: Reducer::RootMinusBarrier(root) };
            ensure(reading == expected, || format!("{kind} from {root} is read as {reading:?}"))?;
            let batch = Batch { reading, ..batch(program, Placement::identity(ranks)) };
            run(machine, &format!("{kind} from {root}, timed by the root"), &batch)?;
        }
    }
    let reading = Reading { timer: Timer::WHOLE, reducer: Reducer::RootMinusBarrier(Rank(0)) };
    let long = Seconds::new(50.0 * MILLISECOND);
    for (what, programs, least) in [
        ("a root that is busy", vec![vec![Spin(long)], vec![]], long.get() - 1e-8),
        // The time of the barrier is subtracted, which is long if processes share cores.
        (
            "a root that waits for others",
            vec![vec![Spin(Seconds::new(1e-6))], vec![Spin(long)]],
            long.get() / 2.0,
        ),
    ] {
        let seconds = run_operations(machine, what, programs, Some(reading))?;
        ensure(seconds.iter().all(|s| *s >= least), || {
            format!("{what}: {seconds:?} s are less than {least} s")
        })?;
    }
    Ok(())
}

/// Tests the timing on the global clock: all ranks start at a common time of it, and the work of
/// the slowest counts in full.
fn global<M: Machine>(machine: &mut M) -> Result<(), String> {
    let ranks = machine.processors();
    let reading = Reading { timer: Timer::WHOLE, reducer: Reducer::Global };
    for kind in CollectiveKind::ALL {
        for algorithm in kind.algorithms_on(ranks) {
            let root = Rank(if kind.has_root() { ranks as u32 - 1 } else { 0 });
            let program = Program::Collective(Collective {
                kind,
                algorithm,
                root,
                ranks,
                block: Bytes::new(1024),
            });
            let asked = program.reading_by(Timing::Global);
            ensure(asked == reading, || format!("{kind} is read as {asked:?}"))?;
            let batch = Batch { reading, ..batch(program, Placement::identity(ranks)) };
            run(
                machine,
                &format!("{kind}/{algorithm} from {root}, timed on the global clock"),
                &batch,
            )?;
        }
    }
    // The global clock of each pair is that of its first rank.
    let batches = orrery_cluster::platform::Pairs::of(ranks)
        .iter()
        .flat_map(|(a, b)| [[a, b], [b, a]])
        .map(|pair| {
            let trip = RoundTrip { out: Bytes::new(1), back: Bytes::new(1000) };
            Batch { reading, ..batch(Program::RoundTrip(trip), Placement::new(pair)) }
        });
    let readings = machine
        .run_all(&batches.collect::<Vec<_>>())
        .map_err(|error| format!("pairs on the global clock: {error}"))?;
    let sound =
        readings.iter().all(|of_pair| of_pair.len() == 3 && of_pair.iter().all(|r| r.get() > 0.0));
    ensure(sound, || {
        format!("pairs on the global clock: three positive readings each, not {readings:?}")
    })?;
    let long = Seconds::new(20.0 * MILLISECOND);
    for busy in 0..ranks {
        let programs = (0..ranks)
            .map(|rank| if rank == busy { vec![Operation::Spin(long)] } else { vec![] })
            .collect();
        let what = format!("rank {busy} is busy, timed on the global clock");
        let seconds = run_operations(machine, &what, programs, Some(reading))?;
        // The clocks are of two kinds, whose seconds may differ by 0.1 %.
        ensure(seconds.iter().all(|s| *s >= long.get() * 0.999), || {
            format!("{what}: {seconds:?} s are less than 20 ms")
        })?;
    }
    let alone = vec![vec![Operation::Spin(Seconds::new(MILLISECOND))]];
    run_operations(machine, "one rank, timed on the global clock", alone, Some(reading)).map(|_| ())
}

/// Tests that the number of readings equals the number of repetitions, for every warm-up and first
/// repetition.
fn counts<M: Machine>(machine: &mut M) -> Result<(), String> {
    let program = Program::RoundTrip(RoundTrip { out: Bytes::new(1), back: Bytes::new(1) });
    for (warm_up, first_repetition, repetitions) in [(0, 0, 1), (0, 0, 0), (5, 7, 20)] {
        let placement = Placement::identity(program.ranks());
        let batch =
            Batch { warm_up, first_repetition, repetitions, ..batch(program.clone(), placement) };
        run(machine, &format!("{repetitions} repetitions after {warm_up}"), &batch)?;
    }
    Ok(())
}

/// Tests that batches that do not fit are rejected, and the machine remains usable.
fn unfit_batches<M: Machine>(machine: &mut M) -> Result<(), String> {
    let processors = machine.processors();
    let beyond = Processor(processors as u32);
    let program = Program::RoundTrip(RoundTrip { out: Bytes::ZERO, back: Bytes::ZERO });
    let sound = batch(program, Placement::identity(2));
    let placed = |places: &[u32]| Batch {
        placement: Placement::new(places.iter().copied().map(Processor)),
        ..sound.clone()
    };
    let beyond_root = Reading { timer: Timer::WHOLE, reducer: Reducer::RootMinusBarrier(Rank(2)) };
    let named = Reading { timer: Timer(3), reducer: Reducer::RootMinusBarrier(Rank(0)) };
    let part = Reading { timer: Timer(3), reducer: Reducer::Global };
    let unread = Reading { timer: Timer::WHOLE, reducer: Reducer::At(Rank(2)) };
    for (batch, expected) in [
        (placed(&[0, 1, 2]), "the program has 2 ranks, but the placement has 3"),
        (placed(&[0, beyond.0]), "does not exist: the machine has"),
        (placed(&[1, 1]), "two ranks are placed on one processor"),
        (Batch { reading: unread, ..sound.clone() }, "the reading names rank 2"),
        (Batch { reading: beyond_root, ..sound.clone() }, "the reading names rank 2"),
        (Batch { reading: named, ..sound.clone() }, "timer 3 does not cover the whole rank"),
        (Batch { reading: part, ..sound.clone() }, "timer 3 does not cover the whole rank"),
    ] {
        match machine.run(&batch) {
            Err(MachineError::Batch(error)) if error.to_string().contains(expected) => {}
            other => {
                return Err(format!(
                    "a batch that does not fit: {other:?} instead of {expected:?}"
                ));
            }
        }
    }
    run(machine, "a batch after batches that do not fit", &sound).map(|_| ())
}

/// Tests that programs that cannot run to their end are rejected before they run, and the machine
/// remains usable.
fn impossible_programs<M: Machine>(machine: &mut M) -> Result<(), String> {
    let each = |a: Transfer, b: Transfer| vec![vec![Operation::Do(a)], vec![Operation::Do(b)]];
    for (what, ranks) in [
        ("a deadlock", each(receive(1, 1, 0), receive(0, 1, 0))),
        ("a receive with another tag", each(send(1, 1, 0), receive(0, 1, 1))),
        (
            "a message without a receive",
            vec![vec![Operation::send(Rank(1), Bytes::ZERO)], Vec::new()],
        ),
        ("a message of another size", each(send(1, 1, 0), receive(0, 2, 0))),
        ("a message to a rank that does not exist", each(send(5, 1, 0), send(0, 1, 0))),
        ("a wait without a request", vec![vec![Operation::Wait(Request(0))]]),
    ] {
        let placement = Placement::identity(ranks.len());
        match machine.run(&batch(Program::Explicit(Explicit::new(ranks)), placement)) {
            Err(MachineError::Schedule(_)) => {}
            other => return Err(format!("{what} must be refused before it runs: {other:?}")),
        }
    }
    let program = Program::RoundTrip(RoundTrip { out: Bytes::ZERO, back: Bytes::ZERO });
    run(machine, "a batch after impossible programs", &batch(program, Placement::identity(2)))
        .map(|_| ())
}
