//! Time-independent traces: what is read, and what is refused where.

use orrery::schedule::{Operation, Rank, operations};
use orrery::trace::tit::{Reader, Trace, TraceError};
use orrery::units::Seconds;
use proptest::prelude::*;

fn read(text: &str) -> Result<Trace, TraceError> {
    let mut reader = Reader::default();
    reader.shared("t", text.as_bytes())?;
    reader.finish()
}

fn told(trace: &Trace, rank: u32) -> String {
    let speeds = vec![1e9; trace.ranks()];
    let schedule = trace.schedule(&speeds, Seconds::new(1e-4));
    let words: Vec<String> =
        operations(&schedule, Rank(rank)).map(|operation: Operation| operation.to_string()).collect();
    words.join("; ")
}

#[test]
fn both_dialects_say_the_same() {
    let tagged = "0 init\n0 isend 1 0 2000\n0 irecv 1 0 8\n0 compute 1e6\n0 waitall 2\n0 finalize\n1 init\n";
    let untagged = "0 init\n0 Isend 1 2000\n0 Irecv 1 8\n0 compute 1e6\n0 waitAll\n0 finalize\n1 init\n";
    let expected = "post 0 send 2000b to 1 tag 0; post 1 recv 8b from 1 tag 0; calc 1000000; wait 0; wait 1";
    assert_eq!(told(&read(tagged).unwrap(), 0), expected);
    assert_eq!(told(&read(untagged).unwrap(), 0), expected);
    let plain = read("0 init\n0 send 1 1e3\n0 recv 1\n1 init\n").unwrap();
    assert_eq!(told(&plain, 0), "send 1000b to 1 tag 0; recv 0b from 1 tag 0");
}

#[test]
fn counts_are_of_the_datatype() {
    for (init, arguments, bytes) in
        [("init", "10", 10), ("init 0", "10", 80), ("init", "10.9 1", 40), ("init 0", "1e1 6", 10)]
    {
        let trace = read(&format!("0 {init}\n0 send 1 0 {arguments}\n1 init\n# a remark\n\n")).unwrap();
        assert_eq!(told(&trace, 0), format!("send {bytes}b to 1 tag 0"));
    }
}

#[test]
fn waits_mean_the_first_that_fits() {
    let trace =
        read("0 init\n0 irecv 1 5 1\n0 irecv 1 7 1\n0 irecv 1 5 1\n0 test 1 0 5\n0 wait 1 0 7\n0 wait 1 0 5\n1 init\n");
    let told = told(&trace.unwrap(), 0);
    // What is never waited for is waited for at the end.
    assert!(told.ends_with("spin 100000; test 0; wait 1; wait 0; wait 2"), "{told}");
}

#[test]
fn mistakes_are_refused_where_they_stand() {
    for (text, error) in [
        ("", "t:1:1: the trace is empty"),
        ("0 send 1 0 -5\n1 init", "t:1:12: this is \"-5\", but a count of elements from 0 up should stand here"),
        ("0 init\n0 compute 1e400", "t:2:11: this is \"1e400\", but a number of floating-point operations"),
        ("0 compute NaN", "t:1:11: this is \"NaN\""),
        ("0 init\n0 send 1000000000 0 8", "t:2:8: rank 1000000000 does not take part: the trace has ranks 0 to 0"),
        ("0 init\n1000000000 init", "t:2:1: this is rank 1000000000, but nothing is told of rank 1"),
        ("0 bcast 8 3\n1 bcast 8 3", "t:1:11: rank 3 does not take part"),
        ("0 send 1 0 1e18", "t:1:12: this is \"1e18\""),
        ("0 alltoall 9e15 1 1", "t:1:1: this is 9000000000000000 × 4 bytes"),
        ("0 wait 0 1 2", "t:1:3: there is no isend or irecv from 0 to 1 with tag 2 left to wait for"),
        ("0 fly 3", "t:1:3: the action \"fly\" is not known"),
        ("0 compute", "t:1:10: the line ends where a number of floating-point operations"),
        ("0 compute 1 2", "t:1:13: \"2\" is more than compute takes"),
        ("zero compute 1", "t:1:1: this is \"zero\", but the number of a rank should stand here"),
        ("\0\u{1}", "t:1:1: this is not text"),
        ("0 waitall -3", "t:1:11: this is \"-3\""),
    ] {
        let told = read(text).map(|_| ()).unwrap_err().to_string();
        assert!(told.starts_with(error), "{text:?}: {told}");
    }
    let mut reader = Reader::default();
    let told = reader.rank(0, "r0", b"0 init\n1 init\n").unwrap_err().to_string();
    assert_eq!(told, "r0:2:1: this is a line of rank 1 in the file of rank 0");
}

/// Every receive of a collective operation has its send, for any root and number of ranks.
#[test]
fn collectives_match_up() {
    for ranks in [1_usize, 2, 3, 5, 8, 13, 16, 20, 64] {
        for action in [
            "barrier",
            "bcast 10 R",
            "reduce 10 5 R",
            "allreduce 10 5",
            "gather 3 3 R",
            "scatter 3 3 R",
            "allgather 4 4",
            "alltoall 5 5",
            "alltoall 300000 300000",
        ] {
            let action = action.replace('R', &(ranks / 2).to_string());
            let text = (0..ranks).map(|rank| format!("{rank} {action}")).collect::<Vec<_>>().join("\n");
            let trace = read(&text).unwrap();
            let speeds = vec![1e9; ranks];
            let schedule = trace.schedule(&speeds, Seconds::ZERO);
            orrery::engine::check(&schedule).unwrap_or_else(|error| panic!("{action} of {ranks}: {error}"));
        }
    }
}

/// Words that traces are made of, and some that they are not.
fn word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "0",
        "1",
        "2",
        "8",
        "1e3",
        "-1",
        "1e30",
        "4294967296",
        "x",
        "init",
        "compute",
        "send",
        "isend",
        "Isend",
        "recv",
        "irecv",
        "wait",
        "waitAll",
        "test",
        "barrier",
        "bcast",
        "reduce",
        "allreduce",
        "alltoall",
        "gather",
        "sendRecv",
        "sleep",
        "#",
    ])
}

proptest! {
    /// Whatever stands there is read or refused; what is read comes to an end and has its places.
    #[test]
    fn nothing_brings_the_reader_down(lines in prop::collection::vec(prop::collection::vec(word(), 0..7), 0..12)) {
        let text = lines.iter().map(|line| line.join(" ")).collect::<Vec<_>>().join("\n");
        if let Ok(trace) = read(&text) {
            let speeds = vec![1e9; trace.ranks()];
            let schedule = trace.schedule(&speeds, Seconds::ZERO);
            for rank in Rank::first(trace.ranks()) {
                prop_assert!(operations(&schedule, rank).take(10_000).count() < 10_000);
                prop_assert!(trace.place(rank, 0).is_none_or(|place| place.line <= lines.len()));
            }
        }
    }
}
