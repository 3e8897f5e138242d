//! Traces in GOAL as schedules, and schedules as graphs of GOAL.

use crate::generator;
use crate::goal::read;

use generator::{dissemination, stencil};
use orrery::schedule::{Explicit, Operation, Rank, Request, Schedule, Tag, Transfer, operations};
use orrery::simulate::loggp::{LogGops, outcome, replay};
use orrery::trace::goal::{self, GoalGraph, OperationKind, SequentialSchedule};
use orrery::units::{Bytes, Seconds};

/// What a trace does one thing after the other takes as long when it went through a schedule.
#[test]
fn schedules_of_graphs_have_the_same_finish_times() {
    let round_trip = "num_ranks 2\nrank 0 {\na: send 64b to 1 tag 7\nb: recv 9b from 1 tag 7\nb requires a\n}\nrank 1 {\na: recv \
                      64b from 0 tag 7\nc: calc 5000\nc requires a\nb: send 9b to 0 tag 7\nb \
                      requires c\n}\n";
    for (name, text) in [
        ("round trip", round_trip.to_owned()),
        ("stencil", stencil(4, 3, 5, 2000, 7000)),
        ("large stencil", stencil(4, 4, 3, 200_000, 7000)),
        ("dissemination", dissemination(7, 2, 300, 9000)),
    ] {
        let goal = read(&text);
        let sequence =
            SequentialSchedule::new(&goal).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(sequence.ranks(), goal.ranks() as usize);
        let again = GoalGraph::from_schedule(&sequence).unwrap();
        assert_eq!(again.operations().len(), goal.operations().len(), "{name}");
        let finish = |goal: &GoalGraph| replay(goal, &LogGops::default()).unwrap().finish;
        assert_eq!(finish(&again), finish(&goal), "{name}");
    }
}

/// What is written of a schedule is the graph that is made of it.
#[test]
fn written_graphs_equal_graphs_of_the_schedule() {
    let text = stencil(3, 3, 3, 2000, 7000) + "// nothing behind\n";
    let trace = read(&text).to_trace("t.goal").unwrap();
    let speeds = vec![1e9; trace.ranks()];
    let schedule = trace.schedule(&speeds, Seconds::ZERO);
    let mut written = Vec::new();
    goal::write(&schedule, &mut written).unwrap();
    let (made, again) = (
        GoalGraph::from_schedule(&schedule).unwrap(),
        read(std::str::from_utf8(&written).unwrap()),
    );
    assert_eq!(again.operations().len(), made.operations().len());
    for number in 0..made.operations().len() as u32 {
        let shown = |goal: &GoalGraph| {
            let goal::GoalOperation { size, rank, peer, tag, kind, .. } =
                goal.operations()[number as usize];
            let peer = if kind == OperationKind::Calculate { 0 } else { peer };
            (size, rank, peer, tag, kind, goal.dependents(number).collect::<Vec<_>>())
        };
        assert_eq!(shown(&again), shown(&made), "{number}");
    }
}

#[test]
fn sequential_schedules_have_lines() {
    let text = "num_ranks 2\nrank 0 {\nr: recv 8b from 1\nc: calc 100\nd: calc 20\nd requires c\nd requires r\n}\n\
                rank 1 { send 8b to 0 }\n";
    let sequence = SequentialSchedule::new(&read(text)).unwrap();
    let receive = Transfer::Receive { from: Rank(1), size: Bytes::new(8), tag: Tag(0) };
    let calculate = |seconds| Operation::Compute(Seconds::new(seconds));
    let result: Vec<Operation> = operations(&sequence, Rank(0)).collect();
    assert_eq!(
        result,
        [
            Operation::Post(receive, Request(0)),
            calculate(100.0 * 1e-9),
            Operation::Wait(Request(0)),
            calculate(20.0 * 1e-9)
        ]
    );
    let lines: Vec<_> = (0..5).map(|statement| sequence.line(Rank(0), statement)).collect();
    assert_eq!(lines, [Some(3), Some(4), Some(3), Some(5), None]);
    // The last transfer is waited for at the end.
    assert_eq!(operations(&sequence, Rank(1)).last(), Some(Operation::Wait(Request(0))));
}

#[test]
fn non_sequential_graphs_are_rejected_with_their_line() {
    for (own, message) in [
        ("a: calc 5\nb: send 8b to 1", "line 4: this operation does not depend on line 3, "),
        (
            "a: send 8b to 1\nb: calc 5\nb requires a\nc: calc 5",
            "line 6: this operation does not depend on line 3, ",
        ),
        (
            "a: calc 5\nb: calc 7\nb irequires a",
            "line 4: this operation runs during the computation of line 3",
        ),
        ("a: recv 8b from 1 tag -1", "line 3: this receives any tag"),
        (
            "a: calc 1\nb: calc 2\na requires b\nb requires a",
            "line 3: this operation requires itself through others",
        ),
    ] {
        let text = format!("num_ranks 2\nrank 0 {{\n{own}\n}}\nrank 1 {{ calc 1 }}\n");
        let error = SequentialSchedule::new(&read(&text)).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}\nfor {message}");
    }
}

/// A program that computes while a message is under way ends when the longer of both does.
#[test]
fn posted_transfers_overlap_with_computation() {
    let size = Bytes::new(1);
    let post = |transfer| Operation::Post(transfer, Request(3));
    let any = Transfer::ReceiveAny { size, tag: Tag(u32::MAX) };
    let send = Transfer::Send { to: Rank(1), size, tag: Tag(u32::MAX) };
    let finish = |microseconds: f64| {
        let compute = Operation::Compute(Seconds::new(microseconds * 1e-6));
        let schedule = Explicit::new(vec![
            vec![post(send), Operation::Wait(Request(3))],
            vec![
                post(any),
                compute,
                Operation::Wait(Request(3)),
                Operation::Spin(Seconds::new(1e-6)),
            ],
        ]);
        replay(&GoalGraph::from_schedule(&schedule).unwrap(), &LogGops::default()).unwrap().finish
            [1]
    };
    // o + L + o for the message, and the last microsecond; the processor is busy for o with it in
    // either case.
    let whole = [finish(1.0), finish(50.0)].map(|nanoseconds| nanoseconds as u64);
    assert_eq!(whole, [1500 + 2500 + 1500 + 1000, 50_000 + 1500 + 1000]);
}

/// Every operation that takes time has one event, which ends before its rank does.
#[test]
fn operations_are_observed_at_their_end() {
    for text in [
        stencil(4, 3, 5, 2000, 7000),
        stencil(3, 3, 3, 200_000, 7000),
        dissemination(7, 2, 300, 9000),
    ] {
        let goal = read(&text);
        let result = outcome(&goal, &LogGops::default(), true).unwrap();
        let ends = replay(&goal, &LogGops::default())
            .unwrap()
            .finish
            .into_iter()
            .map(|end| Seconds::new(end / 1e9));
        assert!(result.tasks.iter().map(|times| times.end).eq(ends));
        let mut lines: Vec<(u32, u32)> =
            result.events.iter().map(|event| (event.rank.0, event.statement)).collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), result.events.len());
        // Receives whose message was there take no time; everything else does.
        let timed = goal
            .operations()
            .iter()
            .filter(|operation| operation.kind != OperationKind::Receive)
            .count();
        assert!((timed..=goal.operations().len()).contains(&result.events.len()));
        assert!(result.events.is_sorted_by(|a, b| a.end <= b.end));
        for event in &result.events {
            assert!(
                event.start < event.end && event.end <= result.tasks[event.rank.index()].end,
                "{event:?}"
            );
        }
        for times in &result.tasks {
            assert!((times.computing + times.communicating - times.end).get().abs() < 1e-12);
        }
    }
}
