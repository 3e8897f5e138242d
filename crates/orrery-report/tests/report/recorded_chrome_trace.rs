//! The trace of a recorded run for Chrome and Perfetto, read back.

use std::collections::BTreeMap;
use std::path::Path;

use orrery::trace::recording::{
    Body, Call, Completion, Function, Header, Message, Outcome, Peer, RankRecording, Record, Shape,
    encode, file,
};
use orrery_report::recorded_chrome_trace;
use serde_json::Value;

use crate::chrome_trace::number;

/// The ranks of the recorded example.
fn example() -> Vec<RankRecording> {
    file::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/recorded"))
        .expect("a recorded run")
}

/// Two ranks of one host: the first sends without waiting, the second waits for all messages at
/// once and for one alone.
fn nonblocking() -> Vec<RankRecording> {
    let call = |function, body| Record::Call(Call { function, gap: 1000, duration: 400, body });
    let post = |function, peer, request| {
        let peer = Peer::Rank(peer);
        call(
            function,
            Body::Post(request, Message { communicator: 0, peer, tag: Some(3), size: 8 }),
        )
    };
    let wait = |requests: &[u32]| {
        let all: Vec<_> = requests
            .iter()
            .map(|&request| Completion { request, outcome: Outcome::Done })
            .collect();
        call(Function::Waitall, Body::Complete(all.into()))
    };
    let send = [0, 1, 2].map(|request| post(Function::Isend, 1, request));
    let receive = [0, 1, 2].map(|request| post(Function::Irecv, 0, request));
    let calls = [
        [&send[..], &[wait(&[0, 1, 2])]].concat(),
        [&receive[..], &[wait(&[2]), wait(&[0, 1])]].concat(),
    ];
    let rank = |(rank, calls): (u32, &Vec<Record<'_>>)| {
        let (host, program, library) = ("host".to_owned(), "/bin/app".to_owned(), String::new());
        let header =
            Header { rank, ranks: 2, started: 1 << 60, clock: 5_000, host, program, library };
        let mut bytes = header.encode();
        let world =
            Record::Communicator { number: 0, joins_groups: false, members: vec![0, 1].into() };
        std::iter::once(&world).chain(calls).for_each(|record| encode(record, &mut bytes));
        RankRecording::new(bytes, "rank.orre").expect("a head")
    };
    (0..).zip(&calls).map(rank).collect()
}

/// The number of messages to ranks that the calls of all ranks send.
fn sent_messages(ranks: &[RankRecording]) -> usize {
    let is_send = |record: &Record<'_>| {
        let Record::Call(Call { function, body, .. }) = record else { return false };
        let message = match body {
            Body::Send(message) | Body::Exchange(message, ..) => message,
            Body::Post(_, message) if function.shape() == Shape::PostSend => message,
            _ => return false,
        };
        message.peer != Peer::None
    };
    ranks
        .iter()
        .flat_map(RankRecording::records)
        .filter(|record| is_send(record.as_ref().expect("a record")))
        .count()
}

#[test]
fn each_message_is_an_arrow_from_its_send_to_the_end_of_its_receive() {
    for (ranks, messages) in [(example(), 120), (nonblocking(), 3)] {
        let mut text = Vec::new();
        let counts = recorded_chrome_trace(&ranks, &mut text).expect("it is written");
        let trace: Value = serde_json::from_slice(&text).expect("it is JSON");
        let events = trace["traceEvents"].as_array().expect("events");
        let of =
            |phase: &str| events.iter().filter(|event| event["ph"] == phase).collect::<Vec<_>>();
        let slices = of("X");
        // The slice of the thread of an event that contains its time.
        let slice = |event: &Value| {
            let (at, tid) = (number(event, "ts"), &event["tid"]);
            let contains = |one: &&&Value| {
                let begin = number(one, "ts");
                one["tid"] == *tid
                    && one["pid"] == event["pid"]
                    && begin <= at
                    && at < begin + number(one, "dur")
            };
            let found: Vec<_> = slices.iter().filter(contains).collect();
            assert_eq!(found.len(), 1, "{event} is in no slice");
            found[0]["name"].as_str().expect("a name").to_owned()
        };
        let ends: BTreeMap<u64, &Value> =
            of("f").into_iter().map(|end| (end["id"].as_u64().unwrap(), end)).collect();
        let starts = of("s");
        assert_eq!(
            (starts.len(), ends.len(), counts.messages),
            (messages, messages, messages as u64)
        );
        assert_eq!(sent_messages(&ranks), messages);
        for start in starts {
            let end = ends[&start["id"].as_u64().unwrap()];
            assert_eq!((&start["args"]["from"], &end["args"]["to"]), (&start["tid"], &end["tid"]));
            assert_eq!(
                (&start["cat"], &start["name"]),
                (&end["cat"], &end["name"]),
                "an arrow is one by both"
            );
            assert!(
                ["MPI_Send", "MPI_Isend", "MPI_Sendrecv"].contains(&slice(start).as_str()),
                "{start}"
            );
            assert!(
                ["MPI_Recv", "MPI_Sendrecv", "MPI_Waitall", "MPI_Wait"]
                    .contains(&slice(end).as_str()),
                "{end}"
            );
            assert!(number(start, "ts") <= number(end, "ts"), "an arrow goes back");
        }
    }
}
