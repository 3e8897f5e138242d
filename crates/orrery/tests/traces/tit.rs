//! Time-independent traces: their operations, and the position of faults.

use orrery::file::FileError;
use orrery::schedule::{Operation, Rank, operations};
use orrery::trace::tit::{Reader, Trace};
use orrery::units::Seconds;
use proptest::prelude::*;

fn read(text: &str) -> Result<Trace, FileError> {
    let mut reader = Reader::default();
    reader.shared("t", text.as_bytes())?;
    reader.finish()
}

fn texts(trace: &Trace, rank: u32) -> String {
    let speeds = vec![1e9; trace.ranks()];
    let schedule = trace.schedule(&speeds, Seconds::new(1e-4));
    let words: Vec<String> = operations(&schedule, Rank(rank))
        .map(|operation: Operation| operation.to_string())
        .collect();
    words.join("; ")
}

#[test]
fn both_dialects_are_equivalent() {
    let tagged =
        "0 init\n0 isend 1 0 2000\n0 irecv 1 0 8\n0 compute 1e6\n0 waitall 2\n0 finalize\n1 init\n";
    let untagged =
        "0 init\n0 Isend 1 2000\n0 Irecv 1 8\n0 compute 1e6\n0 waitAll\n0 finalize\n1 init\n";
    let expected =
        "post 0 send 2000b to 1 tag 0; post 1 recv 8b from 1 tag 0; calc 1000000; wait 0; wait 1";
    assert_eq!(texts(&read(tagged).unwrap(), 0), expected);
    assert_eq!(texts(&read(untagged).unwrap(), 0), expected);
    let plain = read("0 init\n0 send 1 1e3\n0 recv 1\n1 init\n").unwrap();
    assert_eq!(texts(&plain, 0), "send 1000b to 1 tag 0; recv 0b from 1 tag 0");
}

/// A line truncated after the tag does not select the older dialect.
#[test]
fn truncated_lines_are_ignored_for_the_dialect() {
    let message =
        read("0 init\n1 init\n0 send 1 7 5\n0 send 1 7").map(|_| ()).unwrap_err().to_string();
    assert!(message.starts_with("t:4:11: the line ends, but a count of elements"), "{message}");
}

#[test]
fn counts_are_multiplied_by_the_datatype() {
    for (init, arguments, bytes) in
        [("init", "10", 10), ("init 0", "10", 80), ("init", "10.9 1", 40), ("init 0", "1e1 6", 10)]
    {
        let trace =
            read(&format!("0 {init}\n0 send 1 0 {arguments}\n1 init\n# a remark\n\n")).unwrap();
        assert_eq!(texts(&trace, 0), format!("send {bytes}b to 1 tag 0"));
    }
}

#[test]
fn waits_name_the_first_matching_request() {
    let trace = read(
        "0 init\n0 irecv 1 5 1\n0 irecv 1 7 1\n0 irecv 1 5 1\n0 test 1 0 5\n0 wait 1 0 7\n0 wait 1 \
            0 5\n1 init\n",
    );
    let message = texts(&trace.unwrap(), 0);
    // Pending requests are waited for at the end.
    assert!(message.ends_with("spin 100000; test 0; wait 1; wait 0; wait 2"), "{message}");
}

#[test]
fn faults_are_rejected_with_their_position() {
    for (text, error) in [
        ("", "t:1:1: the trace is empty"),
        (
            "0 send 1 0 -5\n1 init",
            "t:1:12: \"-5\" is found here, but a count of elements from 0 is expected",
        ),
        (
            "0 init\n0 compute 1e400",
            "t:2:11: \"1e400\" is found here, but a number of floating-point operations",
        ),
        ("0 compute NaN", "t:1:11: \"NaN\" is found here"),
        (
            "0 init\n0 send 1000000000 0 8",
            "t:2:8: rank 1000000000 has no actions; the trace has ranks 0 to 0",
        ),
        ("0 init\n1000000000 init", "t:2:1: rank 1000000000 has actions, but rank 1 has none"),
        ("0 bcast 8 3\n1 bcast 8 3", "t:1:11: rank 3 has no actions"),
        ("0 send 1 0 1e18", "t:1:12: \"1e18\" is found here"),
        ("0 alltoall 9e15 1 1", "t:1:1: 9000000000000000 × 4 bytes is found here"),
        ("0 wait 0 1 2", "t:1:3: no pending isend or irecv from 0 to 1 with tag 2 to wait for"),
        ("0 fly 3", "t:1:3: unknown action \"fly\""),
        ("0 compute", "t:1:10: the line ends, but a number of floating-point operations"),
        ("0 compute 1 2", "t:1:13: \"2\" is one argument too many for compute"),
        ("zero compute 1", "t:1:1: \"zero\" is found here, but the number of a rank is expected"),
        ("\0\u{1}", "t:1:1: this is not text"),
        ("0 waitall -3", "t:1:11: \"-3\" is found here"),
        (
            "0 recv -2 0 8",
            "t:1:8: \"-2\" is found here, but the rank of the sender, or -1 for any is expected",
        ),
        (
            "0 irecv -1 0 8\n0 wait 1 0 1",
            "t:2:3: no pending isend or irecv from 1 to 0 with tag 1 to wait for",
        ),
        (
            "0 gatherv 1 2\n1 init",
            "t:1:14: the line ends, but a count of elements for each rank is expected",
        ),
        ("0 scatterv 1 2 3 4\n1 init", "t:1:18: rank 4 has no actions"),
        (
            "0 allgatherv 1 -2\n",
            "t:1:16: \"-2\" is found here, but a count of elements for each rank is expected",
        ),
        ("0 alltoallv 1 1e15 1 1e15", "t:1:1: 16000000000000000 × 1 bytes is found here"),
        ("0 reducescatter 1 0 99", "t:1:21: \"99\" is found here, but the number of a datatype"),
    ] {
        let message = read(text).map(|_| ()).unwrap_err().to_string();
        assert!(message.starts_with(error), "{text:?}: {message}");
    }
    let mut reader = Reader::default();
    let message = reader.rank(0, "r0", b"0 init\n1 init\n").unwrap_err().to_string();
    assert_eq!(
        message,
        "r0:2:1: this line is of rank 1, but the file is that of rank 0; move the line"
    );
}

#[test]
fn receives_from_any_source_match_waits_for_either_source() {
    let trace = read(
        "0 init\n0 irecv -1 5 9\n0 irecv -555 5 9\n0 irecv 1 5 9\n0 wait 1 0 5\n0 wait 1 0 5\n0 \
            wait -1 0 5\n1 init\n",
    );
    let expected = "post 0 recv 9b from -1 tag 5; post 1 recv 9b from -1 tag 5; post 2 recv 9b from \
        1 tag 5; wait 2; wait 0; wait 1";
    assert_eq!(texts(&trace.unwrap(), 0), expected);
    let old = read("0 init\n0 Irecv -1 9\n0 recv -1\n0 wait\n1 init\n").unwrap();
    assert_eq!(texts(&old, 0), "post 0 recv 9b from -1 tag 0; recv 0b from -1 tag 0; wait 0");
}

#[test]
fn a_negative_count_is_a_probe_before_the_receive() {
    let trace = read("0 init\n0 recv 1 3 -1\n0 irecv 1 3 -5\n0 waitall\n1 init\n").unwrap();
    let expected =
        "spin 100000; recv 0b from 1 tag 3; spin 100000; post 0 recv 0b from 1 tag 3; wait 0";
    assert_eq!(texts(&trace, 0), expected);
}

#[test]
fn lists_have_an_entry_for_each_rank() {
    let old = read("0 init\n0 gatherV 9 1 2 0\n1 init\n0 allGatherV 5 6 7 1 1 0 4\n0 Isend 1 8\n")
        .unwrap();
    // Requests of collective operations come behind that of the message.
    let expected = "post 1 recv 2b from 1 tag 3221225471; wait 1; post 1 send 20b to 1 tag \
        3221225471; post 2 recv 28b from 1 tag 3221225471; wait 1; wait 2; post 0 send 8b to 1 tag \
        0; wait 0";
    assert_eq!(texts(&old, 0), expected);
    let mut alone = Reader::default();
    let message = alone.rank(0, "r0", b"0 scan 5 1\n0 gatherv 9 1 2\n").unwrap_err().to_string();
    assert_eq!(
        message,
        "r0:2:3: gatherv has a number for each rank, and the number of ranks is unknown; use \
            Reader::of_ranks"
    );
    let mut reader = Reader::default();
    reader.shared("a", b"0 gatherv 9 1\n").unwrap();
    reader.shared("b", b"1 init\n").unwrap();
    let message = reader.finish().unwrap_err().to_string();
    assert_eq!(
        message,
        "a:1:1: this line has numbers for 1 ranks, but the trace has 2; name all files of the \
            trace in an index"
    );
}

/// An index of a stranger may name a device without end.
#[test]
fn an_index_names_regular_files() {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("trace.txt");
    std::fs::write(folder.path().join("r0"), "0 init\n").unwrap();
    std::fs::write(&index, "r0\n/dev/null\n").unwrap();
    let message = orrery::trace::file::load(&index).unwrap_err().to_string();
    assert!(
        message.contains("trace.txt:2:1: cannot read /dev/null: it is not a regular file"),
        "{message}"
    );
}

/// Every receive of a collective operation has its send, for any root and number of ranks.
#[test]
fn collectives_have_a_send_for_each_receive() {
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
            "gatherv O L R",
            "scatterv L O R",
            "allgatherv O L",
            "alltoallv 9 L 9 M",
            "reducescatter L 7",
            "reducescatter E 7",
            "scan 4 7",
            "exscan 4 7",
        ] {
            let list = |size: fn(usize) -> usize| {
                (0..ranks).map(size).map(|n| n.to_string()).collect::<Vec<_>>().join(" ")
            };
            let action = action.replace('R', &(ranks / 2).to_string());
            let action = action.replace('L', &list(|rank| rank * 3)).replace('E', &list(|_| 4));
            let own = |rank: usize| {
                let own = (rank * 3).to_string();
                action.replace('O', &own).replace('M', &vec![own; ranks].join(" "))
            };
            let text = (0..ranks)
                .map(|rank| format!("{rank} {}", own(rank)))
                .collect::<Vec<_>>()
                .join("\n");
            let trace = read(&text).unwrap();
            let speeds = vec![1e9; ranks];
            let schedule = trace.schedule(&speeds, Seconds::ZERO);
            orrery::engine::check(&schedule)
                .unwrap_or_else(|error| panic!("{action} of {ranks}: {error}"));
        }
    }
}

/// Words of traces, and some others.
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
        "gatherv",
        "alltoallV",
        "reducescatter",
        "scan",
        "sleep",
        "#",
    ])
}

proptest! {
    /// Any text is read or refused; a trace ends, and its actions have locations.
    #[test]
    fn no_text_makes_the_reader_panic(lines in prop::collection::vec(prop::collection::vec(word(), 0..7), 0..12)) {
        let text = lines.iter().map(|line| line.join(" ")).collect::<Vec<_>>().join("\n");
        if let Ok(trace) = read(&text) {
            let speeds = vec![1e9; trace.ranks()];
            let schedule = trace.schedule(&speeds, Seconds::ZERO);
            for rank in Rank::first(trace.ranks()) {
                prop_assert!(operations(&schedule, rank).take(10_000).count() < 10_000);
                prop_assert!(trace.location(rank, 0).is_none_or(|place| place.line <= lines.len()));
            }
        }
    }
}

/// The chosen algorithm counts for a reduce-scatter, which has a list of sizes, and not for a
/// gather with such a list.
#[test]
fn chosen_algorithms_replace_those_of_simgrid() {
    let lines = "init\nreducescatter 3 4 9 0\nallreduce 8 0\ngatherV 9 1 2 0\n";
    let text: String =
        (0..2).flat_map(|rank| lines.lines().map(move |line| format!("{rank} {line}\n"))).collect();
    let mut trace = read(&text).unwrap();
    let of_simgrid = texts(&trace, 0);
    trace.set_algorithms("reduce_scatter=ring,allreduce=ring,gather=binomial".parse().unwrap());
    let chosen = texts(&trace, 0);
    assert_ne!(chosen, of_simgrid);
    // Ring: the block of rank 1 is sent while that of rank 0 is received.
    assert!(chosen.starts_with("post 0 recv "), "{chosen}");
    let end = |texts: &str| {
        texts
            .split("; ")
            .skip(texts.matches("; ").count() - 1)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        end(&chosen),
        end(&of_simgrid),
        "the gather with a list of sizes keeps its algorithm"
    );
    for (list, words) in [
        ("bcast", "expected OPERATION=ALGORITHM"),
        ("cast=ring", "unknown collective operation"),
        ("bcast=ring", "bcast has no algorithm ring"),
        ("bcast=pipeline:0", "a segment has a size of at least 1 byte"),
        ("bcast=knomial-1", "the fan-out of knomial"),
        ("allreduce=ring:8K", "ring has no segments"),
    ] {
        let error =
            list.parse::<orrery::trace::actions::CollectiveAlgorithms>().unwrap_err().to_string();
        assert!(error.contains(words), "{list}: {error}");
    }
}
