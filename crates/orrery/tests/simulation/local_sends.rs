//! Sends beyond the eager limit that complete when their message starts to flow.

use orrery::platform::{HostId, file};
use orrery::schedule::{Explicit, Operation, Rank};
use orrery::simulate::{FlowModel, Outcome, Simulation};
use orrery::units::{Bytes, Seconds};

/// A message of 1 MB, which takes 10 ms; its receive is posted after `late` seconds.
fn play(model: FlowModel, late: f64) -> Outcome {
    let text = "[[hosts]]\nnames = \"n[0-1]\"\nkind = \"k\"\ncores = 1\nspeed = 1e9\n[links]\nbandwidth = 1e8\n";
    let topology = file::network(text, "c.toml").unwrap().topology;
    let size = Bytes::new(1_000_000);
    let receiver = vec![Operation::Compute(Seconds::new(late)), Operation::receive(Rank(0), size)];
    let schedule = Explicit::new(vec![vec![Operation::send(Rank(1), size)], receiver]);
    Simulation::new(&topology, &[HostId(0), HostId(1)], model).run(&schedule).unwrap()
}

/// The send waits for its receive in both cases; with local sends it does not wait for the data. The receiver has the same time.
#[test]
fn local_sends_wait_for_their_receive_only() {
    for late in [0.0, 0.5] {
        for (model, of_send) in [(FlowModel::MAXMIN, late + 0.01), (FlowModel::MAXMIN.with_local_sends(), late)] {
            let outcome = play(model, late);
            let [send, receive] = [0, 1].map(|rank: usize| outcome.tasks[rank].end.get());
            assert!((send - of_send).abs() < 1e-12, "{send} instead of {of_send}");
            assert!((receive - late - 0.01).abs() < 1e-12, "{receive}");
        }
    }
}

/// A send below the eager limit waits for nothing, with local sends and without.
#[test]
fn eager_sends_do_not_change() {
    for model in [FlowModel::MAXMIN, FlowModel::MAXMIN.with_local_sends()] {
        let outcome = play(model.with_eager(Bytes::new(2_000_000)), 0.5);
        assert!(outcome.tasks[0].end.get().abs() < 1e-12);
    }
}
