//! Laws of applications that run at the same time.

use orrery::comm::lmo::LmoNetwork;
use orrery::platform::{HostId, Pairs, Placement, Topology, file};
use orrery::schedule::{Algorithm, Collective, CollectiveKind, Job, Jobs, Rank, Schedule};
use orrery::simulate::loggp::{LogGops, outcome};
use orrery::simulate::{FlowModel, JobOutcome, Outcome, Simulation, replay_point_to_point};
use orrery::trace::goal::GoalGraph;
use orrery::units::{Bytes, Seconds};

fn cluster() -> Topology {
    let text = "[[hosts]]\nnames = \"n[0-7]\"\nkind = \"k\"\ncores = 1\nspeed = \
        1e9\n[links]\nbandwidth = 1e8\nlatency = 1e-5\n";
    file::network(text, "c.toml").unwrap().topology
}

fn scatter(ranks: usize, bytes: u64) -> Collective {
    let (kind, algorithm) = (CollectiveKind::Scatter, Algorithm::Linear);
    Collective { kind, algorithm, root: Rank(0), block: Bytes::new(bytes), ranks }
}

fn play<S: Schedule + ?Sized>(schedule: &S, hosts: impl IntoIterator<Item = u32>) -> Outcome {
    let hosts: Vec<HostId> = hosts.into_iter().map(HostId).collect();
    Simulation::new(&cluster(), &hosts, FlowModel::MAXMIN).run(schedule).unwrap()
}

/// Jobs on disjoint hosts take their uncontended time, whenever they start.
#[test]
fn disjoint_jobs_do_not_affect_each_other() {
    let (one, two) = (scatter(4, 300_000), scatter(3, 70_000));
    let alone = [play(&one, 0..4), play(&two, 4..7)];
    for start in [0.0, 0.001, 5.0] {
        let start = Seconds::new(start);
        let jobs = Jobs::new(vec![
            Job { schedule: &one, start: Seconds::ZERO },
            Job { schedule: &two, start },
        ]);
        let outcome = play(&jobs, 0..7);
        for (job, (start, alone)) in [Seconds::ZERO, start].into_iter().zip(&alone).enumerate() {
            let result = JobOutcome::new(&outcome, start, jobs.ranks_of(job));
            let slowdown = result.slowdown(alone.end).unwrap();
            assert!((slowdown - 1.0).abs() < 1e-9, "{slowdown}");
            for (result, alone) in result.tasks.iter().zip(&alone.tasks) {
                assert!((result.communicating.get() - alone.communicating.get()).abs() < 1e-12);
                assert!(result.sleeping.get().abs() < 1e-12 && result.sent == alone.sent);
            }
        }
    }
}

/// Jobs on the same hosts slow each other, unless one starts when the other has ended.
#[test]
fn jobs_on_the_same_hosts_share() {
    let one = scatter(4, 300_000);
    let alone = play(&one, 0..4).end;
    let slowdown = |start: Seconds| {
        let jobs = Jobs::new(vec![
            Job { schedule: &one, start: Seconds::ZERO },
            Job { schedule: &one, start },
        ]);
        let outcome = play(&jobs, (0..4).chain(0..4));
        JobOutcome::new(&outcome, start, jobs.ranks_of(1)).slowdown(alone).unwrap()
    };
    assert!(slowdown(Seconds::ZERO) > 1.5);
    assert!((slowdown(alone * 1.01) - 1.0).abs() < 1e-9);
}

/// On point-to-point networks, jobs on disjoint processors do not affect each other.
#[test]
fn jobs_on_disjoint_pairs_take_their_uncontended_time() {
    let pairs = Pairs::of(7).count();
    let byte_delays: Vec<f64> = (0..pairs).map(|pair| 1e-8 + 1e-10 * pair as f64).collect();
    let mut network =
        LmoNetwork::new(&[1e-5; 7], &[1e-9; 7], Some(&vec![2e-5; pairs]), &byte_delays);
    let (one, two) = (scatter(4, 300_000), scatter(3, 70_000));
    let places = |first: usize, ranks: usize| {
        Placement::new(Placement::identity(7).processors()[first..first + ranks].iter().copied())
    };
    let alone = replay_point_to_point(&two, &places(4, 3), &mut network, None).unwrap();
    let jobs = [&one as &dyn Schedule, &two].map(|schedule| Job { schedule, start: Seconds::ZERO });
    let jobs = Jobs::new(jobs.to_vec());
    let mut events = Vec::new();
    let mut sink = |event| events.push(event);
    let outcome =
        replay_point_to_point(&jobs, &places(0, 7), &mut network, Some(&mut sink)).unwrap();
    assert_eq!(outcome.tasks[4..], alone.tasks[..]);
    assert!(!events.is_empty() && events.windows(2).all(|pair| pair[0].end <= pair[1].end));
    // Two ranks never share a processor.
    assert!(
        replay_point_to_point(
            &two,
            &Placement::new(places(0, 1).processors().repeat(3)),
            &mut network,
            None
        )
        .is_err()
    );
}

/// In the LogGOPS model jobs do not affect each other: combined outcomes equal that of a common
/// schedule.
#[test]
fn jobs_of_graphs_are_combined() {
    let (one, two) = (scatter(4, 300_000), scatter(3, 70_000));
    let start = Seconds::new(0.25);
    let replay = |schedule: &dyn Schedule| {
        outcome(&GoalGraph::from_schedule(schedule).unwrap(), &LogGops::default(), true).unwrap()
    };
    let concurrently =
        Outcome::concurrently([(replay(&one), Seconds::ZERO), (replay(&two), start)]);
    let jobs = Jobs::new(vec![
        Job { schedule: &one, start: Seconds::ZERO },
        Job { schedule: &two, start },
    ]);
    let together = replay(&jobs);
    assert_eq!(concurrently.tasks.len(), 7);
    for (rank, (result, expected)) in concurrently.tasks.iter().zip(&together.tasks).enumerate() {
        assert!(
            (result.end - expected.end).get().abs() < 1e-12,
            "{rank}: {result:?} is not {expected:?}"
        );
        assert!((result.communicating - expected.communicating).get().abs() < 1e-12, "{rank}");
        assert_eq!(
            (result.sent, result.received, result.messages),
            (expected.sent, expected.received, expected.messages)
        );
        // A graph has a computation where the schedule sleeps.
        let waits = if rank < 4 { Seconds::ZERO } else { start };
        assert_eq!((result.sleeping, expected.sleeping), (waits, Seconds::ZERO));
    }
    // The waits aside, the same operations of the same statements.
    let operations = |outcome: &Outcome| {
        let own = outcome.events.iter().filter(|event| event.statement > 0);
        let mut all: Vec<_> =
            own.map(|event| (event.rank, event.statement, event.operation.to_string())).collect();
        all.sort();
        all
    };
    assert_eq!(operations(&concurrently), operations(&together));
    assert_eq!(concurrently.events.len() + 3, together.events.len());
}
