//! The reader of GOAL does not panic; a graph that is read can be replayed, made sequential and
//! written again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::simulate::loggp::{LogGops, replay};
use orrery::trace::goal::{self, GoalGraph};
use orrery::units::Seconds;

fuzz_target!(|text: &[u8]| {
    let Ok(goal) = GoalGraph::read(text, "fuzz") else { return };
    let _ = replay(&goal, &LogGops::default());
    let Ok(trace) = goal.to_trace("fuzz") else { return };
    let mut written = Vec::new();
    goal::write(&trace.schedule(&vec![1e9; trace.ranks()], Seconds::ZERO), &mut written)
        .expect("memory takes it");
    let again = GoalGraph::read(&written[..], "fuzz").expect("what was written can be read");
    assert_eq!(again.ranks(), goal.ranks());
    let messages = |goal: &GoalGraph| {
        goal.operations().iter().filter(|one| one.kind != goal::OperationKind::Calculate).count()
    };
    assert_eq!(messages(&again), messages(&goal));
});
