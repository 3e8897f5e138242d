//! Who loses how much to whom, worked out by hand.

use orrery::platform::HostId;
use orrery::schedule::{Explicit, Operation, Rank};
use orrery::sharing::{Conflict, Infiniband, SharingLaw};
use orrery::simulate::{FlowModel, Outcome, Simulation};
use orrery::units::{Bytes, Seconds};

use super::{BANDWIDTH, cluster, gige, play};

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

fn losses(outcome: &Outcome, of: usize) -> Vec<(usize, f64)> {
    outcome.communications[of].losses.iter().map(|loss| (loss.culprit, loss.lost.get())).collect()
}

/// Two messages to one host, the second from the middle of the first on: 1 MB takes 10 ms
/// uncontended.
#[test]
fn messages_at_one_port_lose_time_to_each_other() {
    let outcome = play(&[(1, 0, 1_000_000, 0.0), (2, 0, 1_000_000, 0.005)], FlowModel::MAXMIN);
    // 5 ms alone, 10 ms with half of the rate, and the second has 5 ms alone at the end.
    for (one, other) in [(0, 1), (1, 0)] {
        let result = &outcome.communications[one];
        close(result.lost.get(), 5e-3);
        assert_eq!(result.conflicts, [Conflict::Income]);
        close(result.mean_penalty(), (5.0 * 1.0 + 10.0 * 2.0) / 15.0);
        close(result.largest_penalty(), 2.0);
        let lost = losses(&outcome, one);
        assert_eq!(lost.len(), 1);
        assert_eq!(lost[0].0, other);
        close(lost[0].1, 5e-3);
    }
    let pairs = outcome.pair_losses();
    assert_eq!(pairs.len(), 2);
    let senders: Vec<_> =
        pairs.iter().map(|pair| (pair.victim, pair.culprit, pair.communications)).collect();
    assert!(senders.contains(&(Rank(0), Rank(2), 1)) && senders.contains(&(Rank(2), Rank(0), 1)));
    let tasks = outcome.task_conflicts();
    assert_eq!(tasks[1].counts, [0, 1, 0]);
    close(tasks[0].lost.get(), 5e-3);
    close(tasks[1].lost.get(), 0.0);
}

/// A receive that is posted 10 ms before its message: the wait for the sender is no part of the
/// transfer and of its penalty.
#[test]
fn waiting_for_a_late_sender_is_not_part_of_the_transfer() {
    let size = Bytes::new(1_000_000);
    let late = vec![Operation::Spin(Seconds::new(0.01)), Operation::send(Rank(1), size)];
    let schedule = Explicit::new(vec![late, vec![Operation::receive(Rank(0), size)]]);
    let (topology, hosts) = (cluster(), [HostId(0), HostId(1)]);
    let simulation =
        Simulation::new(&topology, &hosts, FlowModel::MAXMIN).with_events().with_conflicts();
    let outcome = simulation.run(&schedule).expect("it ends");
    let receive =
        outcome.events.iter().find(|event| event.rank == Rank(1) && event.communication.is_some());
    let receive = receive.expect("the receive takes time");
    let message = &outcome.communications[receive.communication.expect("it waits for the message")];
    close(outcome.transfer_start(receive).expect("it is recorded").get(), 0.01);
    assert_eq!((receive.start.get(), message.mean_penalty(), message.lost.get()), (0.0, 1.0, 0.0));
}

/// A third message that is slowed elsewhere has a smaller rate at the port and a smaller part of
/// the loss.
#[test]
fn losses_are_divided_by_rate() {
    // Host 0 sends to 1, 2 and 3, and 4 sends to 1. Each of host 0 has a third; what is left at
    // host 1 goes to 4.
    let messages = [
        (0, 1, 1_000_000, 0.0),
        (0, 2, 1_000_000, 0.0),
        (0, 3, 1_000_000, 0.0),
        (4, 1, 1_000_000, 0.0),
    ];
    let outcome = play(&messages, FlowModel::MAXMIN);
    let last = losses(&outcome, 3);
    assert_eq!(last.len(), 1, "only the first comes to host 1 too");
    // 4 has two thirds for 15 ms, and loses a third of that time to the first one.
    close(last[0].1, 5e-3);
    // The first is held up at host 0 by its two companions alike, and not by 4.
    let first = losses(&outcome, 0);
    assert_eq!(first.iter().map(|loss| loss.0).collect::<Vec<_>>(), [1, 2]);
    close(first[0].1, first[1].1);
}

/// By a law both ports delay a message.
#[test]
fn losses_by_a_law_include_both_ports() {
    let messages = [
        (0, 1, 1_000_000, 0.0),
        (0, 2, 1_000_000, 0.0),
        (3, 1, 1_000_000, 0.0),
        (5, 0, 1_000, 0.0),
    ];
    let outcome = play(&messages, FlowModel::from_law(gige()));
    let blamed: Vec<usize> = losses(&outcome, 0).iter().map(|loss| loss.0).collect();
    assert_eq!(blamed, [1, 2]);
    assert_eq!(outcome.communications[0].conflicts, Conflict::ALL);
    assert_eq!(outcome.communications[3].conflicts, [Conflict::IncomeOutgo]);
    close(outcome.communications[3].lost.get(), 0.0);
}

/// Without links of their own, messages by InfiniBand may take less than half each: 2·0.925.
#[test]
fn infiniband_rates_of_two_senders_exceed_one_half() {
    let law = SharingLaw::Infiniband(Infiniband::SIMGRID);
    let messages = [(0, 1, 1_000_000, 0.0), (0, 2, 1_000_000, 0.0)];
    let alone = 1e6 / BANDWIDTH;
    close(play(&messages, FlowModel::from_law(law)).end.get(), 1e-5 + 1.85 * alone);
    // The link of host 0 does not carry that much.
    close(
        play(&messages, FlowModel::from_law(law).with_shared_links()).end.get(),
        1e-5 + 2.0 * alone,
    );
}

#[test]
fn messages_within_a_host_do_not_count() {
    let law = SharingLaw::Infiniband(Infiniband::SIMGRID);
    let outcome = play(
        &[(0, 0, 1_000_000, 0.0), (0, 1, 1_000_000, 0.0), (0, 0, 1_000_000, 0.0)],
        FlowModel::from_law(law),
    );
    for one in &outcome.communications {
        close(one.largest_penalty(), 1.0);
        assert!(one.conflicts.is_empty());
    }
}
