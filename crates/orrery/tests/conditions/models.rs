use orrery::comm::{Hlmo, Hockney, Lmo};
use orrery::conditions::{Conditions, Current};
use orrery::model::{LoadDoubt, MIN_FORECAST_PART, Model, ModelKind, Query};
use orrery::numeric::{Estimate, Interval};
use orrery::platform::{PerPair, Processor};
use orrery::units::{Bytes, Seconds};

use super::{conditions, link};
use crate::equal_ports::equal_ports;

fn estimate(value: f64) -> Estimate {
    let interval = Some(Interval { low: 0.8 * value, high: 1.2 * value, level: 0.95 });
    Estimate { interval, ..Estimate::exact(value) }
}

/// A model of hosts a, b, c, and a second processor of c.
fn model() -> Model {
    let pairs = |value| PerPair::from_fn(4, |_, _| estimate(value));
    let lmo = Hlmo::from_estimates([1e-5, 1e-9, 1e-4, 1e-8].map(estimate)).as_lmo(4);
    let (latency, byte_delay) = (pairs(1e-4), pairs(1e-8));
    let hockney = Hockney {
        latency,
        byte_delay,
        mean_latency: estimate(1e-4),
        mean_byte_delay: estimate(1e-8),
    };
    let ports = equal_ports(4, [1e-5, 1e-9, 1e-8, 1e-4, 0.0].map(estimate));
    let mut model = Model::new(4)
        .with(ModelKind::Lmo, &lmo)
        .with(ModelKind::Hockney, &hockney)
        .with(ModelKind::Ports, &ports);
    model.hosts = ["a", "b", "c", "c"].map(String::from).to_vec();
    model
}

/// The time of a message of 10 MB in seconds.
fn message(model: &Model, kind: ModelKind, from: u32, to: u32) -> f64 {
    let query = Query::message(Processor(from), Processor(to), Bytes::new(10_000_000));
    model.predict(kind, &query).expect("a message").seconds.get()
}

const KINDS: [ModelKind; 3] = [ModelKind::Lmo, ModelKind::Hockney, ModelKind::Ports];

fn idle() -> Conditions {
    let pairs = [("a", "b"), ("b", "a"), ("a", "c"), ("c", "a"), ("b", "c"), ("c", "b")];
    conditions(
        &[("a", 1.0), ("b", 1.0), ("c", 1.0)],
        pairs.map(|(from, to)| link(from, to, 1e-4, 1e8)).to_vec(),
    )
}

#[test]
fn idle_conditions_change_no_time() {
    let model = model();
    let present = idle().apply(&model);
    assert!(present.warnings().count() == 0);
    for kind in KINDS {
        assert!(
            (message(&present.model, kind, 0, 1) / message(&model, kind, 0, 1) - 1.0).abs() < 1e-12
        );
    }
    assert!((present.availability.of("a") - 1.0).abs() < 1e-12);
}

#[test]
fn a_slow_link_slows_its_messages_only() {
    let mut now = idle();
    // From b to a at a quarter of the bandwidth, with ten times the latency.
    now.links[1] = link("b", "a", 1e-3, 2.5e7);
    let model = model();
    let present = now.apply(&model);
    for kind in KINDS {
        let time = |model: &Model, from, to| message(model, kind, from, to);
        // 0.1 s of the link become 0.4 s, 0.1 ms of latency 1 ms; processors take as long as
        // before.
        let difference = time(&present.model, 0, 1) - time(&model, 0, 1);
        assert!((difference - 0.3009).abs() < 1e-9, "{kind}: {difference}");
        assert!((time(&present.model, 0, 2) / time(&model, 0, 2) - 1.0).abs() < 1e-12);
        // Two processors of one host.
        assert!((time(&present.model, 2, 3) / time(&model, 2, 3) - 1.0).abs() < 1e-12);
    }
    // The interval is that of the model times that of the link: 2.5e7 / 1.1 to 2.5e7 · 1.1, and 0.8
    // to 1.2.
    let lmo: Lmo = present.model.get(ModelKind::Lmo).expect("it has one");
    let delay = lmo.link_byte_delay.get(Processor(0), Processor(1)).interval.expect("it has one");
    assert!(
        (delay.low - 0.8e-8 * 4.0 / 1.1).abs() < 1e-15
            && (delay.high - 1.2e-8 * 4.0 / 0.9).abs() < 1e-15
    );
    // Means: 5 of the 6 pairs are on different hosts, and one of them is four times as slow.
    let hockney: Hockney = present.model.get(ModelKind::Hockney).expect("it has one");
    assert!((hockney.mean_byte_delay.value - 1e-8 * (4.0 + 4.0) / 5.0).abs() < 1e-15);
}

#[test]
fn what_is_not_monitored_is_said() {
    let mut now = idle();
    now.links.retain(|link| link.from != "c" && link.to != "c");
    now.hosts.remove("b");
    if let Some(host) = now.hosts.get_mut("c") {
        host.availability =
            host.availability.map(|one| Current { is_stale: true, value: 0.1, ..one });
    }
    if let Some(host) = now.hosts.get_mut("a") {
        host.availability = Some(Current::exact(0.5));
    }
    let ahead = Current { ahead: Seconds::new(3600.0), is_stale: true, ..Current::exact(0.1) };
    let mut future = now.clone();
    if let Some(host) = future.hosts.get_mut("c") {
        host.availability = Some(ahead);
    }
    let future = future.apply(&model());
    let doubts = ["b", "c"].map(|host| future.availability.doubt(host));
    assert_eq!(
        doubts,
        [Some(LoadDoubt::Unmonitored), Some(LoadDoubt::Ahead { by: Seconds::new(3600.0) })]
    );
    assert!((future.availability.of("c") - 1.0).abs() < 1e-12);
    let present = now.apply(&model());
    let expected = [
        "the load of b (not monitored), c (last sample 0 s old) is not known now: choices leave \
            these hosts out, and other times of them have an interval from no load to the largest \
            one",
        "the load of a (too few samples for an interval) has no interval: those of times lack its \
            error",
        "2 of 3 pairs of hosts are not on monitored paths: messages count as without load",
    ];
    assert!(present.warnings().eq(expected), "{:?}", present.warnings().collect::<Vec<_>>());
    assert_eq!(present.availability.interval("a"), (0.5, 0.5));
    // An unknown load may be any.
    for host in ["b", "c"] {
        assert_eq!(present.availability.interval(host), (MIN_FORECAST_PART, 1.0));
        assert!(present.availability.unknown(host).is_some());
    }
    let candidates = present.availability.candidates(&model(), false);
    assert_eq!(candidates.processors, [Processor(0)]);
    assert_eq!(candidates.excluded.iter().map(|(host, _)| host).collect::<Vec<_>>(), ["b", "c"]);
    assert_eq!((present.availability.of("b"), present.availability.of("c")), (1.0, 1.0));
    assert!(
        now.concern(&model())
            && !conditions(&[("x", 0.5)], vec![link("a", "x", 1e-4, 1e8)]).concern(&model())
    );
}

#[test]
fn pairs_without_a_link_of_their_own_take_a_path() {
    let mut now = idle();
    now.links
        .retain(|link| (link.from.as_str(), link.to.as_str()) != ("a", "c") && link.from != "c");
    now.links
        .iter_mut()
        .filter(|link| link.from == "b")
        .for_each(|link| link.bandwidth = Some(super::about(5e7)));
    let model = model();
    let present = now.apply(&model);
    let expected = "1 of 3 pairs of hosts are not monitored: the links of the shortest path count";
    assert!(present.warnings().eq([expected]));
    let difference =
        message(&present.model, ModelKind::Lmo, 0, 2) - message(&model, ModelKind::Lmo, 0, 2);
    assert!((difference - 0.1).abs() < 1e-9, "{difference}");
}

#[test]
fn free_memory_bounds_the_memory_of_hosts() {
    let mut now = idle();
    for (name, free) in [("a", 1e9), ("b", 8e9)] {
        if let Some(host) = now.hosts.get_mut(name) {
            host.memory_free = Some(Current::exact(free));
        }
    }
    let mut model = model();
    model.host_memory.insert("b".into(), Bytes::new(4_000_000_000));
    let memory = now.apply(&model).model.host_memory;
    assert_eq!(memory.get("a"), Some(&Bytes::new(1_000_000_000)));
    assert_eq!((memory.get("b"), memory.get("c")), (Some(&Bytes::new(4_000_000_000)), None));
}
