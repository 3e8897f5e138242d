//! The trace for Chrome and Perfetto, read back.

use std::collections::BTreeMap;

use orrery::platform::{HostId, xml};
use orrery::schedule::{Explicit, Operation, Rank, Request, Tag, Transfer};
use orrery::sharing::{GigabitEthernet, SharingLaw};
use orrery::simulate::{FlowModel, Outcome, Simulation};
use orrery::units::{Bytes, Seconds};
use orrery_report::chrome_trace;
use serde_json::Value;

/// Eight hosts on a switch.
const CLUSTER: &str = r#"<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-7" speed="1Gf" bw="100MBps" lat="5us"/>
</platform>"#;

/// Three compute and send to the first, one of them later than the others.
fn outcome() -> Outcome {
    let size = Bytes::new(1_000_000);
    let sender =
        |at: f64| vec![Operation::Compute(Seconds::new(at)), Operation::send(Rank(0), size)];
    let receive = |from| Transfer::Receive { from: Rank(from), size, tag: Tag::default() };
    let posted = (1..4).map(|from| Operation::Post(receive(from), Request(from)));
    let receiver = posted.chain((1..4).map(|from| Operation::Wait(Request(from)))).collect();
    let schedule = Explicit::new(vec![receiver, sender(1e-3), sender(1e-3), sender(4e-3)]);
    let topology = xml::parse(CLUSTER, "cluster.xml").expect("a valid platform").topology;
    let law = SharingLaw::GigabitEthernet(
        GigabitEthernet::new(0.75, 0.115, 0.036).expect("valid parameters"),
    );
    let hosts = [0, 1, 2, 3].map(HostId);
    let simulation =
        Simulation::new(&topology, &hosts, FlowModel::from_law(law)).with_events().with_conflicts();
    simulation.run(&schedule).expect("it ends")
}

pub fn number(event: &Value, key: &str) -> f64 {
    event[key].as_f64().unwrap_or_else(|| panic!("{event} has no {key}"))
}

#[test]
fn it_is_a_trace_whose_arrows_meet() {
    let outcome = outcome();
    let place = |rank: Rank, statement: u32| Some(format!("rank {rank}, \"line\" {statement}"));
    let text = chrome_trace(&outcome, &[0, 1, 2, 3], &["a", "b<", "c", "d"], place);
    let trace: Value = serde_json::from_str(&text).expect("it is JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let of = |phase: &str| events.iter().filter(|event| event["ph"] == phase).collect::<Vec<_>>();

    let times: Vec<f64> = events.iter().map(|event| number(event, "ts")).collect();
    assert!(times.windows(2).all(|two| two[0] <= two[1]), "times go back");
    let last = outcome.end.get() * 1e6;
    assert!(times.iter().all(|time| (0.0..=last * (1.0 + 1e-12)).contains(time)));

    let slices = of("X");
    assert_eq!(slices.len(), outcome.events.len());
    for (task, times) in outcome.tasks.iter().enumerate() {
        let own = slices.iter().filter(|slice| slice["tid"] == task);
        let mut before = 0.0;
        let mut sum = 0.0;
        for slice in own {
            assert!(number(slice, "ts") >= before - 1e-6, "slices of a task overlap");
            before = number(slice, "ts") + number(slice, "dur");
            sum += number(slice, "dur");
            assert!(
                slice["args"]["place"].as_str().is_some_and(|place| place.starts_with("rank "))
            );
        }
        let busy = (times.computing + times.communicating).get() * 1e6;
        assert!((sum - busy).abs() < 1e-6, "{sum} is not {busy}");
    }
    assert!(
        slices
            .iter()
            .any(|slice| slice["args"]["penalty"].as_f64().is_some_and(|penalty| penalty > 1.0))
    );

    // The last message starts at 4 ms; the first task waits for it from the end of the others on.
    let waiting = slices.iter().map(|slice| slice["args"]["waiting"].as_f64().unwrap_or(0.0));
    assert!(
        (waiting.fold(0.0, f64::max) - 1000.0).abs() < 1e-6,
        "the first task waits 1 ms for the first messages"
    );

    let arrows = |phase| -> BTreeMap<u64, (f64, u64)> {
        let told = of(phase).into_iter().map(|event| {
            (
                event["id"].as_u64().expect("an id"),
                (number(event, "ts"), event["tid"].as_u64().expect("a thread")),
            )
        });
        told.collect()
    };
    let (starts, ends) = (arrows("s"), arrows("f"));
    assert_eq!(starts.len(), 3);
    assert_eq!(starts.keys().collect::<Vec<_>>(), ends.keys().collect::<Vec<_>>());
    for (id, (start, from)) in &starts {
        assert!(start < &ends[id].0);
        assert_eq!((ends[id].1, *from == 0), (0, false));
    }

    let named = of("M").into_iter().map(|event| event["name"].as_str().unwrap().to_owned());
    let named: Vec<String> = named.collect();
    assert_eq!(named.iter().filter(|name| *name == "process_name").count(), 4);
    assert_eq!(named.iter().filter(|name| *name == "thread_name").count(), 4);
    for task in 1..4 {
        let name = format!("penalty of task {task}");
        let counter: Vec<f64> = of("C")
            .into_iter()
            .filter(|event| event["name"] == name.as_str())
            .map(|e| number(&e["args"], "penalty"))
            .collect();
        assert!(counter[0] >= 1.0 && counter.last() == Some(&0.0), "{counter:?}");
    }
}
