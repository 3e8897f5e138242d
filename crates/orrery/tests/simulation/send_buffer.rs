//! Sends beyond the eager limit that complete when the rest of their message fits into a buffer.

use orrery::platform::{HostId, file};
use orrery::schedule::{Explicit, Operation, Rank, Request, Tag, Transfer};
use orrery::sharing::SharingLaw;
use orrery::simulate::{FlowModel, Outcome, Simulation};
use orrery::units::{Bytes, Seconds};
use proptest::prelude::*;

/// Links of 100 MB/s.
const CLUSTER: &str = "[[hosts]]\nnames = \"n[0-2]\"\nkind = \"k\"\ncores = 1\nspeed = \
    1e9\n[links]\nbandwidth = 1e8\n";

/// A message takes 10 ms.
const SIZE: Bytes = Bytes::new(1_000_000);

/// Messages from host 0 to each of these hosts, whose receives are posted at the given times.
fn play(model: FlowModel, late: &[f64]) -> Outcome {
    let receiver = |late: &f64| {
        vec![Operation::Compute(Seconds::new(*late)), Operation::receive(Rank(0), SIZE)]
    };
    let posts = (1..=late.len() as u32).map(|to| Operation::send(Rank(to), SIZE));
    let programs = std::iter::once(posts.collect()).chain(late.iter().map(receiver)).collect();
    run(model, programs)
}

/// Programs on a host each.
fn run(model: FlowModel, programs: Vec<Vec<Operation>>) -> Outcome {
    let topology = file::network(CLUSTER, "c.toml").unwrap().topology;
    let hosts: Vec<HostId> = (0..programs.len() as u32).map(HostId).collect();
    Simulation::new(&topology, &hosts, model).run(&Explicit::new(programs)).unwrap()
}

fn end(outcome: &Outcome, rank: usize) -> f64 {
    outcome.tasks[rank].end.get()
}

#[test]
fn a_send_waits_for_its_receive_and_for_what_does_not_fit() {
    for late in [0.0, 0.5] {
        for (buffer, waits) in
            [(0, 0.01), (250_000, 0.0075), (999_999, 1e-8), (1_000_000, 0.0), (5_000_000, 0.0)]
        {
            let outcome = play(FlowModel::MAXMIN.with_send_buffer(Bytes::new(buffer)), &[late]);
            let [send, receive] = [end(&outcome, 0), end(&outcome, 1)];
            assert!(
                (send - late - waits).abs() < 1e-12,
                "buffer {buffer}: {send} instead of {}",
                late + waits
            );
            assert!((receive - late - 0.01).abs() < 1e-12, "{receive}");
        }
    }
}

/// The second send starts at 7.5 ms, when 250 kB of the first message are left, and follows it on
/// the connection: its message leaves from 10 ms to 20 ms, and 250 kB of it are left at 17.5 ms.
#[test]
fn the_next_message_of_a_connection_follows() {
    let receive = Transfer::Receive { from: Rank(0), size: SIZE, tag: Tag::default() };
    let posts = [0, 1].map(|request| Operation::Post(receive, Request(request)));
    let waits = [0, 1].map(|request| Operation::Wait(Request(request)));
    let programs = vec![vec![Operation::send(Rank(1), SIZE); 2], [posts, waits].concat()];
    for model in [FlowModel::MAXMIN, FlowModel::from_law(SharingLaw::MaxMinPorts)] {
        for (buffer, of_send) in
            [(250_000, 0.0175), (1_250_000, 0.0075), (1_999_999, 1e-8), (2_000_000, 0.0)]
        {
            let outcome = run(model.clone().with_send_buffer(Bytes::new(buffer)), programs.clone());
            assert!(
                (end(&outcome, 0) - of_send).abs() < 1e-11,
                "buffer {buffer}: {}",
                end(&outcome, 0)
            );
            assert!(
                (end(&outcome, 1) - 0.02).abs() < 1e-11,
                "buffer {buffer}: {}",
                end(&outcome, 1)
            );
        }
    }
}

/// The second send starts at 7.5 ms, when 250 kB of the first message are left. They share the link
/// until these have left, at 12.5 ms; then 750 kB of the second are left, of which 500 kB do not
/// fit.
#[test]
fn connections_share_the_link() {
    for model in [FlowModel::MAXMIN, FlowModel::from_law(SharingLaw::MaxMinPorts)] {
        let outcome = play(model.with_send_buffer(Bytes::new(250_000)), &[0.0, 0.0]);
        let found = [end(&outcome, 0), end(&outcome, 1), end(&outcome, 2)];
        for (end, expected) in found.into_iter().zip([0.0175, 0.0125, 0.02]) {
            assert!((end - expected).abs() < 1e-12, "{found:?}");
        }
    }
}

#[test]
fn eager_sends_do_not_change() {
    for model in [FlowModel::MAXMIN, FlowModel::MAXMIN.with_send_buffer(Bytes::new(10))] {
        let outcome = play(model.with_eager(Bytes::new(2_000_000)), &[0.5]);
        assert!(end(&outcome, 0).abs() < 1e-12);
    }
}

proptest! {
    /// A larger buffer delays nothing: neither the sender nor the receivers, whose receives are
    /// posted already.
    #[test]
    fn a_larger_buffer_delays_nothing(one in 0_u64..2_000_000, other in 0_u64..2_000_000) {
        let of = |buffer: u64| play(FlowModel::MAXMIN.with_send_buffer(Bytes::new(buffer)), &[0.0, 0.0]);
        let (smaller, larger) = (of(one.min(other)), of(one.max(other)));
        prop_assert!(end(&larger, 0) <= end(&smaller, 0) * (1.0 + 1e-12));
        prop_assert!((end(&larger, 2) - end(&smaller, 2)).abs() < 1e-12);
    }
}
