use std::collections::BTreeMap;

use orrery::conditions::{Conditions, Current, HostConditions, LinkConditions, file};
use orrery::units::Seconds;
use proptest::prelude::*;

fn current() -> impl Strategy<Value = Current> {
    let interval = proptest::option::of((0.0..1.0_f64, 0.0..1e9_f64));
    (0.0..1e12_f64, interval, 0.0..1e6_f64, 0.0..1e4_f64, any::<bool>()).prop_map(
        |(value, interval, age, ahead, is_stale)| Current {
            value,
            interval: interval.map(|(part, above)| (value * part, value + above)),
            age: Seconds::new(age),
            ahead: Seconds::new(ahead),
            is_stale,
        },
    )
}

fn host() -> impl Strategy<Value = HostConditions> {
    let one = || proptest::option::of(current());
    let disks = prop::collection::btree_map("/[a-z\"\\\\]{0,5}", current(), 0..3);
    (one(), one(), one(), one(), disks).prop_map(
        |(availability, load, memory_free, swap_free, disk_free)| HostConditions {
            availability,
            load,
            memory_free,
            swap_free,
            disk_free,
        },
    )
}

fn link() -> impl Strategy<Value = LinkConditions> {
    let (one, number) =
        (|| proptest::option::of(current()), || proptest::option::of(0.0..1e12_f64));
    let parts = ("[a-z]{1,5}", "[a-z]{1,5}", one(), one(), number(), number());
    parts.prop_map(|(from, to, latency, bandwidth, idle_latency, idle_bandwidth)| LinkConditions {
        from,
        to,
        latency,
        bandwidth,
        idle_latency,
        idle_bandwidth,
    })
}

proptest! {
    #[test]
    fn texts_are_read_back(
        time in 0.0..4e9_f64,
        level in proptest::option::of(0.5..0.999_f64),
        hosts in prop::collection::btree_map("[a-z0-9.\"]{1,5}", host(), 0..4),
        links in prop::collection::vec(link(), 0..4),
    ) {
        let hosts: BTreeMap<String, HostConditions> = hosts;
        let conditions = Conditions { time: Seconds::new(time), level, hosts, links };
        prop_assert_eq!(file::parse(file::to_text(&conditions), "again").expect("it was written"), conditions);
    }
}

#[test]
fn faults_have_a_place_and_a_remedy() {
    let text = r#"{"format": "orrery-conditions", "version": 1, "time": 1, "hosts": {"a": {"load": {"value": 1}}}}"#;
    let fault =
        |from: &str, to: &str| file::parse(text.replace(from, to), "now").unwrap_err().to_string();
    assert!(file::parse(text, "now").is_ok());
    assert!(
        fault("orrery-conditions", "orrery-runs")
            .starts_with("now:1:1: this looks like runs of an application in place of conditions")
    );
    assert!(fault("\"version\": 1", "\"version\": 2").contains("reads version 1"));
    assert!(
        fault("\"value\": 1", "\"value\": -1")
            .ends_with("this is -1, but times, sizes, rates and parts are not negative")
    );
    assert!(
        fault("\"value\": 1", "\"value\": 3, \"low\": 4, \"high\": 5")
            .contains("the interval is 4 to 5, and the value is 3")
    );
    assert!(fault("{\"value\": 1}", "{}").contains("there is no key \"value\""));
    assert!(fault(", \"hosts\"", "\"hosts\"").contains("correct the JSON here"));
    assert!(
        fault("{\"value\": 1}", "{\"value\": 1, \"stale\": 0}")
            .contains("true or false is expected")
    );
}
