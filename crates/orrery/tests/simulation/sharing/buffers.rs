//! What fits into the buffer of a receiver does not wait; what does not, does.

use super::cluster;
use orrery::platform::HostId;
use orrery::schedule::{Explicit, Operation, Rank};
use orrery::simulate::{FlowModel, Outcome, Simulation};
use orrery::units::{Bytes, Seconds};

const SIZE: Bytes = Bytes::new(30_000);

/// Three messages of 30 kB to a rank that computes for a second before it takes them.
fn play(model: FlowModel) -> Outcome {
    let sends = vec![Operation::send(Rank(1), SIZE); 3];
    let mut receives = vec![Operation::Compute(Seconds::new(1.0))];
    receives.extend([Operation::receive(Rank(0), SIZE); 3]);
    let topology = cluster();
    Simulation::new(&topology, &[HostId(0), HostId(1)], model)
        .run(&Explicit::new(vec![sends, receives]))
        .unwrap()
}

#[test]
fn eager_sends_wait_for_buffer_space() {
    let sender =
        |buffer| play(FlowModel::MAXMIN.with_buffer(Bytes::new(buffer))).tasks[0].end.get();
    // Latency 10 µs and 300 µs for each message, one after the other.
    let transfers = 3.0 * (10e-6 + 300e-6);
    for buffer in [90_000, 1 << 30] {
        assert!(sender(buffer).abs() < 1e-12, "{buffer}: room for all three");
    }
    for buffer in [60_000, 89_999] {
        assert!(
            (sender(buffer) - 1.0 - transfers).abs() < 1e-9,
            "{buffer}: the third waits: {}",
            sender(buffer)
        );
    }
    assert!((sender(0) - 1.0 - transfers).abs() < 1e-9);
    let receiver = play(FlowModel::MAXMIN.with_buffer(Bytes::ZERO)).tasks[1].end.get();
    assert!((receiver - 1.0 - transfers).abs() < 1e-9);
}

/// A message that is taken makes room for the next one.
#[test]
fn buffer_space_is_released() {
    let round = |peer| [Operation::send(Rank(peer), SIZE), Operation::Compute(Seconds::new(0.1))];
    let sender: Vec<Operation> = (0..5).flat_map(|_| round(1)).collect();
    let mut receiver = vec![Operation::Compute(Seconds::new(0.05))];
    receiver.extend(
        (0..5).flat_map(|_| {
            [Operation::receive(Rank(0), SIZE), Operation::Compute(Seconds::new(0.1))]
        }),
    );
    let topology = cluster();
    let model = FlowModel::MAXMIN.with_buffer(SIZE);
    let simulation = Simulation::new(&topology, &[HostId(0), HostId(1)], model);
    let outcome = simulation.run(&Explicit::new(vec![sender, receiver])).unwrap();
    assert!(outcome.tasks[0].communicating.get().abs() < 1e-12, "{:?}", outcome.tasks[0]);
}
