//! Replays of traces end without a panic on networks with flows, on LogGOPS, and on the engine;
//! times are no NaN, and the sum over events does not exceed the end.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use orrery::comm::lmo::LmoNetwork;
use orrery::platform::{HostId, Placement, Topology, xml};
use orrery::schedule::Schedule;
use orrery::simulate::loggp::{LogGops, replay};
use orrery::simulate::{FlowModel, Simulation, replay_point_to_point};
use orrery::trace::actions::Trace;
use orrery::trace::goal::{GoalGraph, SequentialSchedule};
use orrery::trace::tit::Reader;
use orrery::units::Seconds;

/// The operations of a trace that is replayed.
const MAX_OPERATIONS: u64 = 20_000;

/// The ranks of a trace that is replayed.
const MAX_RANKS: usize = 32;

/// Four hosts on a switch.
static TOPOLOGY: LazyLock<Topology> = LazyLock::new(|| {
    let text = "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"\" suffix=\"\" \
        radical=\"0-3\" speed=\"1Gf\" \
                bw=\"125MBps\" lat=\"50us\"/></platform>";
    xml::parse(text, "cluster.xml").expect("a platform").topology
});

/// Replays a schedule on networks with flows and on the engine.
fn simulate(schedule: &dyn Schedule) {
    let ranks = schedule.ranks();
    let hosts: Vec<HostId> = (0..ranks as u32).map(|rank| HostId(rank % 4)).collect();
    for model in [FlowModel::MAXMIN, FlowModel::SMPI] {
        if let Ok(outcome) = Simulation::new(&TOPOLOGY, &hosts, model).with_events().run(schedule) {
            assert!(outcome.end.get() >= 0.0);
            assert!(
                outcome
                    .events
                    .iter()
                    .all(|event| event.start <= event.end && event.end <= outcome.end)
            );
        }
    }
    let mut network = LmoNetwork::new(
        &vec![1e-5; ranks],
        &vec![1e-9; ranks],
        None,
        &vec![1e-8; ranks * ranks.saturating_sub(1) / 2],
    );
    if let Ok(outcome) =
        replay_point_to_point(schedule, &Placement::identity(ranks), &mut network, None)
    {
        assert!(outcome.end.get() >= 0.0);
    }
}

/// Replays a time-independent trace.
fn actions(trace: &Trace) {
    if trace.ranks() <= MAX_RANKS && trace.check_length(MAX_OPERATIONS).is_ok() {
        let speeds = vec![1e9; trace.ranks()];
        simulate(&trace.schedule(&speeds, Seconds::ZERO));
    }
}

fuzz_target!(|text: &[u8]| {
    let mut reader = Reader::default();
    if reader.shared("fuzz", text).is_ok()
        && let Ok(trace) = reader.finish()
    {
        actions(&trace);
    }
    if let Ok(goal) = GoalGraph::read(text, "fuzz")
        && goal.ranks() as usize <= MAX_RANKS
    {
        let _ = replay(&goal, &LogGops::default());
        if let Ok(sequence) = SequentialSchedule::new(&goal) {
            simulate(&sequence);
        }
    }
});
