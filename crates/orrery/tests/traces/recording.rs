//! Recorded runs: records read back, files may be cut anywhere, and conversion names what ranks
//! have matched.

use std::borrow::Cow;

use orrery::trace::actions::Trace;
use orrery::trace::recording::{
    Body, Call, Completion, Ending, Function, Header, Matched, MatchedMessage, Message, Outcome,
    Peer, RankRecording, Record, RecordingError, Shape, encode, for_each_message, to_trace,
};
use orrery::trace::tit;
use proptest::prelude::*;

fn header(rank: u32, ranks: u32) -> Header {
    let (host, program, library) = ("host".to_owned(), "/bin/app".to_owned(), "MPI 4".to_owned());
    Header { rank, ranks, started: 1_700_000_000_000_000_000, clock: 5_000, host, program, library }
}

fn file(rank: u32, ranks: u32, records: &[Record<'_>]) -> Vec<u8> {
    let mut bytes = header(rank, ranks).encode();
    records.iter().for_each(|record| encode(record, &mut bytes));
    bytes
}

fn recording(rank: u32, ranks: u32, records: &[Record<'_>]) -> RankRecording {
    RankRecording::new(file(rank, ranks, records), "rank.orre").unwrap()
}

fn world(ranks: u32) -> Record<'static> {
    Record::Communicator {
        number: 0,
        joins_groups: false,
        members: (0..ranks).collect::<Vec<_>>().into(),
    }
}

fn call(function: Function, body: Body<'static>) -> Record<'static> {
    Record::Call(Call { function, gap: 1000, duration: 100, body })
}

fn message(peer: Peer, tag: Option<u32>) -> Message {
    Message { communicator: 0, peer, tag, size: 8 }
}

/// The lines of a trace as a time-independent one, without computation.
fn lines(trace: &Trace) -> Vec<String> {
    let mut text = Vec::new();
    tit::write(trace, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let is_message =
        |line: &&str| !["init", "finalize", "compute"].contains(&line.split(' ').nth(1).unwrap());
    text.lines().filter(is_message).map(str::to_owned).collect()
}

fn peers() -> impl Strategy<Value = Peer> {
    prop_oneof![
        Just(Peer::None),
        Just(Peer::Any),
        Just(Peer::Foreign),
        any::<u32>().prop_map(Peer::Rank)
    ]
}

fn messages() -> impl Strategy<Value = Message> {
    let tag = proptest::option::of(0..1_u32 << 31);
    (any::<u32>(), peers(), tag, any::<u64>()).prop_map(|(communicator, peer, tag, size)| Message {
        communicator,
        peer,
        tag,
        size,
    })
}

fn matches() -> impl Strategy<Value = Matched> {
    (peers(), 0..1_u32 << 31).prop_map(|(source, tag)| Matched { source, tag })
}

fn completions() -> impl Strategy<Value = Completion> {
    let outcome = prop_oneof![
        Just(Outcome::Done),
        matches().prop_map(Outcome::Matched),
        Just(Outcome::Cancelled)
    ];
    (any::<u32>(), outcome).prop_map(|(request, outcome)| Completion { request, outcome })
}

/// The content of a call of a function.
fn bodies(function: Function) -> BoxedStrategy<Body<'static>> {
    let matched = |message: Message| {
        let matched = if message.is_wild() {
            proptest::option::of(matches()).boxed()
        } else {
            Just(None).boxed()
        };
        (Just(message), matched)
    };
    let body = match function.shape() {
        Shape::Plain | Shape::Unsupported => Just(Body::Plain).boxed(),
        Shape::Send => messages().prop_map(Body::Send).boxed(),
        Shape::Receive => messages()
            .prop_flat_map(matched)
            .prop_map(|(message, matched)| Body::Receive(message, matched))
            .boxed(),
        Shape::Exchange => (messages(), messages().prop_flat_map(matched))
            .prop_map(|(sent, (message, matched))| Body::Exchange(sent, message, matched))
            .boxed(),
        Shape::PostSend | Shape::PostReceive | Shape::PersistentSend | Shape::PersistentReceive => {
            (any::<u32>(), messages())
                .prop_map(|(request, message)| Body::Post(request, message))
                .boxed()
        }
        Shape::Start => proptest::collection::vec(any::<u32>(), 0..5)
            .prop_map(|list| Body::Start(list.into()))
            .boxed(),
        Shape::Complete => proptest::collection::vec(completions(), 0..5)
            .prop_map(|list| Body::Complete(list.into()))
            .boxed(),
        Shape::Probe => (messages(), matches())
            .prop_map(|(message, matched)| Body::Probe(message, matched))
            .boxed(),
        Shape::Cancel | Shape::Free => any::<u32>().prop_map(Body::Request).boxed(),
        Shape::Collective(_) => (
            any::<u32>(),
            any::<u32>(),
            any::<u64>(),
            proptest::collection::vec(any::<u64>(), 0..5),
        )
            .prop_map(|(communicator, root, size, sizes)| Body::Collective {
                communicator,
                root,
                size,
                sizes: sizes.into(),
            })
            .boxed(),
    };
    prop_oneof![8 => body, 1 => Just(Body::Plain), 1 => any::<u64>().prop_map(Body::Polls)].boxed()
}

fn records() -> impl Strategy<Value = Record<'static>> {
    let calls = (proptest::sample::select(Function::ALL), any::<u64>(), 0..1_u64 << 40);
    let calls = calls.prop_flat_map(|(function, gap, duration)| {
        bodies(function).prop_map(move |body| Record::Call(Call { function, gap, duration, body }))
    });
    let members = proptest::collection::vec(prop_oneof![0..9_u32, any::<u32>()], 0..6);
    let communicators =
        (any::<u32>(), any::<bool>(), members).prop_map(|(number, joins_groups, members)| {
            Record::Communicator { number, joins_groups, members: Cow::Owned(members) }
        });
    prop_oneof![
        20 => calls,
        2 => communicators,
        1 => any::<u32>().prop_map(Record::Stopped),
        1 => any::<u64>().prop_map(Record::Overlapping),
        1 => Just(Record::End),
    ]
}

proptest! {
    #[test]
    fn records_read_back(written in proptest::collection::vec(records(), 0..12)) {
        let rank = recording(3, 7, &written);
        prop_assert_eq!(&rank.header, &header(3, 7));
        prop_assert_eq!(rank.records().collect::<Result<Vec<_>, _>>().unwrap(), written);
    }

    #[test]
    fn a_cut_file_has_a_prefix_of_the_records(written in proptest::collection::vec(records(), 1..6), zeros in 0..9_usize) {
        let (bytes, head) = (file(0, 1, &written), header(0, 1).encode().len());
        for length in 0..=bytes.len() {
            // Files that were extended before the process was killed end with zeros.
            let cut = [&bytes[..length], &vec![0; if length < bytes.len() { 0 } else { zeros }]].concat();
            match RankRecording::new(cut, "rank.orre") {
                Err(_) => prop_assert!(length < head),
                Ok(rank) => {
                    let mut records = rank.records();
                    let found: Vec<_> = records.by_ref().collect::<Result<_, _>>().unwrap();
                    prop_assert!(length >= head && written.starts_with(&found));
                    let whole: usize = {
                        let mut own = Vec::new();
                        found.iter().for_each(|record| encode(record, &mut own));
                        head + own.len()
                    };
                    prop_assert_eq!(records.is_torn(), whole < length);
                }
            }
        }
    }

    #[test]
    fn damaged_files_are_read_or_refused(
        written in proptest::collection::vec(records(), 1..8), at in any::<proptest::sample::Index>(), byte in any::<u8>(),
    ) {
        let mut bytes = file(0, 1, &written);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(rank) = RankRecording::new(bytes, "rank.orre") {
            let _ = rank.totals();
            let _ = for_each_message(std::slice::from_ref(&rank), |_| Ok::<(), RecordingError>(()));
            if let Ok(trace) = to_trace(&[rank], 1e9) {
                prop_assert_eq!(trace.ranks(), 1);
            }
        }
    }
}

/// A rank that is killed before it has written the head of its file leaves zeros, or nothing.
#[test]
fn ranks_killed_before_their_head_have_no_record() {
    for content in [vec![0_u8; 4096], Vec::new()] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("rank-0.orre"), file(0, 2, &[])).unwrap();
        std::fs::write(folder.path().join("rank-1.orre"), &content).unwrap();
        let mut found = Vec::new();
        let expected = orrery::trace::recording::file::for_each(folder.path(), |rank| {
            found.push(rank.header.rank);
            Ok(())
        });
        assert_eq!((expected.unwrap(), found), (2, vec![0]));
        let error = orrery::trace::recording::file::load(folder.path()).unwrap_err().to_string();
        assert!(error.contains("1 of 2 ranks have recorded their calls"), "{error}");
    }
}

#[test]
fn receives_of_any_source_name_what_they_matched() {
    let any = message(Peer::Any, None);
    let matched = |source, tag| Matched { source: Peer::Rank(source), tag };
    let complete = |list: &[(u32, Outcome)]| {
        let list: Vec<_> =
            list.iter().map(|&(request, outcome)| Completion { request, outcome }).collect();
        Body::Complete(list.into())
    };
    let zero = [
        world(2),
        call(Function::Recv, Body::Receive(any, Some(matched(1, 5)))),
        call(Function::Irecv, Body::Post(0, any)),
        call(Function::Irecv, Body::Post(1, any)),
        call(Function::Irecv, Body::Post(2, any)),
        call(
            Function::Waitall,
            complete(&[(1, Outcome::Matched(matched(1, 7))), (0, Outcome::Matched(matched(1, 6)))]),
        ),
        call(Function::Cancel, Body::Request(2)),
        call(Function::Wait, complete(&[(2, Outcome::Cancelled)])),
        call(Function::Irecv, Body::Post(2, any)),
        Record::End,
    ];
    let sends =
        [5, 6, 7].map(|tag| call(Function::Send, Body::Send(message(Peer::Rank(0), Some(tag)))));
    let one = [&[world(2)], &sends[..], &[Record::End]].concat();
    let trace = to_trace(&[recording(0, 2, &zero), recording(1, 2, &one)], 1e9).unwrap();
    let expected = [
        "0 recv 1 5 8",
        "0 irecv 1 6 8",
        "0 irecv 1 7 8",
        "0 waitall",
        "1 send 0 5 8",
        "1 send 0 6 8",
        "1 send 0 7 8",
    ];
    assert_eq!(lines(&trace), expected);
    // The time between calls: one microsecond before each of them.
    assert_eq!(trace.profile()[1]["compute"].flops.to_bits(), 3000_f64.to_bits());
}

#[test]
fn persistent_requests_are_posted_at_their_starts() {
    let done = |request| Completion { request, outcome: Outcome::Done };
    let rounds = [
        call(Function::Startall, Body::Start(vec![0, 1].into())),
        call(Function::Waitall, Body::Complete(vec![done(0), done(1)].into())),
    ];
    let own = |peer| {
        let peer = Peer::Rank(peer);
        let begin = [
            world(2),
            call(Function::Send_init, Body::Post(0, message(peer, Some(1)))),
            call(Function::Recv_init, Body::Post(1, message(peer, Some(1)))),
        ];
        [&begin[..], &rounds, &rounds, &[call(Function::Request_free, Body::Request(0))]].concat()
    };
    let trace = to_trace(&[recording(0, 2, &own(1)), recording(1, 2, &own(0))], 1e9).unwrap();
    let round = ["0 isend 1 1 8", "0 irecv 1 1 8", "0 waitall"];
    assert_eq!(lines(&trace)[..6], [round, round].concat());
}

/// The messages between two ranks: their sizes, and the numbers of the calls that sent and received
/// them.
fn matched_messages(zero: &[Record<'_>], one: &[Record<'_>]) -> Vec<(u64, u64, u64)> {
    let ranks = [recording(0, 2, zero), recording(1, 2, one)];
    let mut found = Vec::new();
    for_each_message(&ranks, |message: MatchedMessage| {
        assert_eq!((message.from, message.to), (0, 1));
        // Each call begins a microsecond after the one before and lasts 100 ns.
        assert_eq!((message.sent.begin % 1100, message.received.end % 1100), (1000, 0));
        found.push((message.size, message.sent.begin / 1100, message.received.begin / 1100));
        Ok::<(), RecordingError>(())
    })
    .unwrap();
    found
}

#[test]
fn messages_are_matched_in_the_order_of_receives() {
    let to = |size| Message { size, ..message(Peer::Rank(1), Some(5)) };
    let from = message(Peer::Rank(0), Some(5));
    let five = Matched { source: Peer::Rank(0), tag: 5 };
    let complete = |request, outcome| {
        call(Function::Wait, Body::Complete(vec![Completion { request, outcome }].into()))
    };
    let zero = [
        world(2),
        call(Function::Send, Body::Send(to(1))),
        call(Function::Isend, Body::Post(0, to(2))),
        call(Function::Send, Body::Send(to(3))),
        call(Function::Isend, Body::Post(1, to(4))),
        complete(0, Outcome::Done),
        complete(1, Outcome::Cancelled),
        call(Function::Send, Body::Send(to(5))),
        call(Function::Send, Body::Send(message(Peer::None, Some(0)))),
    ];
    let one = [
        world(2),
        call(Function::Irecv, Body::Post(0, from)),
        call(Function::Irecv, Body::Post(1, message(Peer::Any, None))),
        call(Function::Mprobe, Body::Probe(message(Peer::Any, None), five)),
        call(Function::Recv, Body::Receive(from, None)),
        complete(1, Outcome::Matched(five)),
        complete(0, Outcome::Done),
        call(Function::Mrecv, Body::Receive(from, None)),
    ];
    assert_eq!(matched_messages(&zero, &one), [(1, 0, 5), (2, 1, 4), (5, 6, 3), (3, 2, 6)]);
}

#[test]
fn persistent_messages_are_matched_by_their_starts() {
    let done = |request| Completion { request, outcome: Outcome::Done };
    let rounds = |function, peer| {
        let round = [
            call(Function::Start, Body::Start(vec![0].into())),
            call(Function::Wait, Body::Complete(vec![done(0)].into())),
        ];
        let init = [world(2), call(function, Body::Post(0, message(Peer::Rank(peer), Some(1))))];
        [&init[..], &round, &round].concat()
    };
    let found = matched_messages(&rounds(Function::Send_init, 1), &rounds(Function::Recv_init, 0));
    assert_eq!(found, [(8, 1, 2), (8, 3, 4)]);
}

#[test]
fn receives_that_never_ended_have_no_message() {
    let send = |size| {
        call(Function::Send, Body::Send(Message { size, ..message(Peer::Rank(1), Some(5)) }))
    };
    let zero = [world(2), send(1), send(2), send(3)];
    let from = message(Peer::Rank(0), Some(5));
    let one = [
        world(2),
        call(Function::Irecv, Body::Post(0, from)),
        call(Function::Request_free, Body::Request(0)),
        call(Function::Recv, Body::Receive(from, None)),
        call(Function::Irecv, Body::Post(0, from)),
    ];
    assert_eq!(matched_messages(&zero, &one), [(2, 1, 2)]);
    // Sends may be missing.
    for unknown in [Record::Overlapping(1), call(Function::Isendrecv, Body::Plain)] {
        assert_eq!(matched_messages(&[&zero[..], &[unknown]].concat(), &one), []);
    }
}

#[test]
fn equal_tags_of_communicators_become_different_tags() {
    // Rank 1 defines the duplicate under another number than rank 0.
    let duplicate =
        |number| Record::Communicator { number, joins_groups: false, members: vec![0, 1].into() };
    let other = |communicator, peer| Message { communicator, ..message(Peer::Rank(peer), Some(7)) };
    let zero = [
        world(2),
        duplicate(1),
        call(Function::Send, Body::Send(message(Peer::Rank(1), Some(7)))),
        call(Function::Send, Body::Send(other(1, 1))),
    ];
    let one = [
        world(2),
        Record::Communicator { number: 1, joins_groups: false, members: vec![1].into() },
        duplicate(2),
        call(Function::Recv, Body::Receive(other(2, 0), None)),
        call(Function::Recv, Body::Receive(message(Peer::Rank(0), Some(7)), None)),
    ];
    let trace = to_trace(&[recording(0, 2, &zero), recording(1, 2, &one)], 1e9).unwrap();
    let expected =
        ["0 send 1 7 8", "0 send 1 2147483647 8", "1 recv 0 2147483647 8", "1 recv 0 7 8"];
    assert_eq!(lines(&trace), expected);
}

#[test]
fn what_cannot_be_replayed_is_named() {
    let refused = |records: &[Record<'_>]| {
        to_trace(&[recording(0, 1, records)], 1e9).unwrap_err().to_string()
    };
    let barrier = Body::Collective { communicator: 0, root: 0, size: 0, sizes: Cow::Borrowed(&[]) };
    for (record, words) in [
        (
            call(Function::Win_fence, Body::Plain),
            "rank 0, call 1: a replay cannot represent MPI_Win_fence",
        ),
        (Record::Overlapping(2), "calls of other threads during this one are not recorded (2)"),
        (
            call(Function::Send, Body::Send(message(Peer::Foreign, Some(1)))),
            "MPI_Send names a process that is not a rank",
        ),
        (call(Function::Barrier, barrier.clone()), "communicator 0 is not defined"),
        (call(Function::Start, Body::Start(vec![4].into())), "request 4 is not defined"),
        (
            call(Function::Send, Body::Send(message(Peer::Rank(4), Some(1)))),
            "communicator 0 is not defined",
        ),
    ] {
        let error = refused(std::slice::from_ref(&record));
        assert!(error.contains(words), "{error:?} does not contain {words:?}");
    }
    let joined = Record::Communicator { number: 0, joins_groups: true, members: vec![0].into() };
    assert!(
        refused(&[joined, call(Function::Barrier, barrier)])
            .contains("MPI_Barrier on an intercommunicator")
    );
}

#[test]
fn totals_are_times_between_and_within_calls() {
    let written = [
        world(2),
        call(Function::Send, Body::Send(message(Peer::Rank(1), Some(1)))),
        call(Function::Iprobe, Body::Polls(5)),
        call(Function::Send_init, Body::Post(3, message(Peer::Rank(1), Some(1)))),
        call(Function::Start, Body::Start(vec![3].into())),
        call(Function::Finalize, Body::Plain),
    ];
    let totals = recording(0, 2, &written).totals().unwrap();
    assert_eq!((totals.computation.get(), totals.communication.get()), (5e-6, 4e-7));
    assert_eq!((totals.calls(), totals.sent_bytes(), totals.ending), (9, 16, Ending::Unfinished));
    assert_eq!(totals.functions[&Function::Iprobe].calls, 5);
    let endless =
        [call(Function::Test, Body::Polls(u64::MAX)), call(Function::Test, Body::Polls(1))];
    let endless = recording(0, 1, &endless);
    assert_eq!(
        (endless.totals().unwrap().calls(), to_trace(&[endless], 1e9).unwrap().actions()),
        (u64::MAX, 1)
    );
    let ended = recording(0, 2, &[&written[..], &[Record::Stopped(28)]].concat()).totals().unwrap();
    assert_eq!(ended.ending, Ending::Stopped(28));
}
