//! Replay of GOAL: finish times of LogGOPSim (github spcl/LogGOPSim, run with its defaults), and
//! wrong texts are refused.

use crate::generator;

use generator::{dissemination, stencil};
use orrery::schedule::{Rank, operations};
use orrery::simulate::loggp::{LogGops, replay};
use orrery::trace::goal::{self, GoalGraph};
use orrery::units::Seconds;

pub fn read(text: &str) -> GoalGraph {
    GoalGraph::read(text.as_bytes(), "t.goal").unwrap()
}

fn total(text: &str) -> f64 {
    replay(&read(text), &LogGops::default()).unwrap().total()
}

#[test]
#[expect(clippy::float_cmp, reason = "whole nanoseconds are exact")]
fn finish_times_equal_loggopsim() {
    assert_eq!(total(&stencil(8, 8, 10, 8192, 1_000_000)), 12_185_840.0);
    assert_eq!(total(&dissemination(1024, 10, 8, 1000)), 5_642_000.0 / 10.0);
    assert_eq!(total(&stencil(32, 32, 25, 8192, 1_000_000)), 304_646_000.0 / 10.0);
}

#[test]
#[expect(clippy::float_cmp, reason = "whole nanoseconds are exact")]
fn finish_times_of_large_messages_and_trees_equal_loggopsim() {
    // Above S: the send ends when its receive is matched.
    assert_eq!(total(&stencil(32, 32, 25, 262_144, 1_000_000)), 1_828_358_000.0 / 10.0);
    assert_eq!(total(&dissemination(16, 1, 1, 0)), 22_000.0);
}

#[test]
fn texts_without_line_breaks_do_not_fill_the_memory() {
    use std::io::{BufReader, Read, repeat};
    for byte in [b'\0', b' ', b'x'] {
        let begin: &[u8] = b"num_ranks 2\nrank 0 {\n";
        let endless = BufReader::new(begin.chain(repeat(byte)));
        let error = GoalGraph::read(endless, "t.goal").unwrap_err().to_string();
        assert!(error.starts_with("t.goal:3:1: the line has more than 1 MiB;"), "{error}");
    }
}

#[test]
fn invalid_texts_are_rejected_with_their_position() {
    let error = |text: &str| GoalGraph::read(text.as_bytes(), "t.goal").unwrap_err().to_string();
    let body = |operations: &str| format!("num_ranks 2\nrank 0 {{\n{operations}\n}}\n");
    for (text, wanted) in [
        (String::new(), "t.goal: there is no num_ranks;"),
        (
            "num_ranks 999999999999".into(),
            "t.goal:1:11: more than 67108864 ranks are not supported",
        ),
        ("num_ranks 2\nrank 2 {\n}".into(), "t.goal:2:6: rank 2 does not exist: num_ranks is 2"),
        ("num_ranks 60000000\nrank 7 {\n}".into(), "t.goal: more than 1000 ranks have no section"),
        (
            body("a: send -5b to 1"),
            "t.goal:3:9: \"-5b\" is found here, but the size of the message in bytes",
        ),
        (body("send 5b to 7"), "t.goal:3:12: rank 7 does not exist"),
        (body("send 5b from 1"), "t.goal:3:9: \"from\" is found here, but \"to\" and a rank"),
        (
            body("a: calc 99999999999999999999"),
            "t.goal:3:9: \"99999999999999999999\" is found here, but the time",
        ),
        (body("a: calc 1\na: calc 2"), "t.goal:4:1: label \"a\" is defined twice"),
        (body("a: calc 1\na requires b"), "t.goal:4:12: label \"b\" is not defined above"),
        (body("a: calc 1\na requires a"), "t.goal:4:12: operation \"a\" requires itself"),
        (body("l1: calc 1\nl2: calc 2\nl2: calc 3"), "t.goal:5:1: label \"l2\" is defined twice"),
        (
            body("l1: calc 1\nl2: calc 2\nl2 requires l3"),
            "t.goal:5:13: label \"l3\" is not defined above",
        ),
        (
            body("l1: calc 1\nl2: calc 2\nl2 requires l2"),
            "t.goal:5:13: operation \"l2\" requires itself",
        ),
        (body("l1: calc 1\nl2: send 5b to 7"), "t.goal:4:16: rank 7 does not exist"),
        (
            body("l1: calc 1\nl2: recv 5b from 1 tag 4294967295"),
            "t.goal:4:24: more than 4294967294 tags are not supported",
        ),
        (body("fly 5b to 1"), "t.goal:3:5: \"5b\" is found here, but \":\""),
        (body("/* no end"), "t.goal: the text ends within a comment or a rank"),
        (
            "num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n".into(),
            "t.goal:4:6: rank 0 has two sections; join them",
        ),
    ] {
        let said = error(&text);
        assert!(said.starts_with(wanted), "{said}");
    }
}

/// Most lines are read without looking for words; spaces, comments and ends of lines make no
/// difference but that.
#[test]
fn spaces_comments_and_line_breaks_are_ignored() {
    let plain = format!(
        "{}rank 16 {{\na1: calc 5 cpu 1 nic 2\na01: calc 6\na999999: calc 7\na2: send 1b to 16 tag 3 nic 4\n\
         a2 irequires a1\na01 requires a999999\nb: recv 1b from 16 tag 3\na1 requires b\n}}\n",
        stencil(4, 4, 3, 8192, 1_000_000).replacen("16", "17", 1)
    );
    let graph = |text: &str, size: usize| {
        let goal =
            GoalGraph::read(std::io::BufReader::with_capacity(size, text.as_bytes()), "t.goal")
                .unwrap();
        let followers = (0..goal.operations().len() as u32)
            .map(|number| goal.dependents(number).collect::<Vec<_>>());
        (goal.operations().to_vec(), followers.collect::<Vec<_>>())
    };
    let expected = graph(&plain, 1 << 20);
    assert_eq!(expected.0.len(), 16 * 3 * 9 + 5);
    for other in
        [plain.replace(' ', "  "), plain.replace('\n', "\r\n"), plain.replace('\n', " // word\n")]
    {
        assert!(graph(&other, 1 << 20) == expected);
    }
    assert!(graph(&plain, 37) == expected);
}

#[test]
fn unfinished_operations_are_reported_with_their_line() {
    let stuck = |text: &str| replay(&read(text), &LogGops::default()).unwrap_err().to_string();
    let unmatched =
        stuck("num_ranks 2\nrank 0 {\nsend 8b to 1 tag 3\n}\nrank 1 {\nrecv 8b from 0 tag 4\n}\n");
    assert!(
        unmatched.contains("line 3: the send of 8 bytes to rank 1 with tag 3 of rank 0"),
        "{unmatched}"
    );
    assert!(
        unmatched.contains("line 6: the receive from rank 0 with tag 4 of rank 1"),
        "{unmatched}"
    );
    let circle =
        stuck("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 2\na requires b\nb requires a\n}\n");
    assert!(
        circle
            .starts_with("2 operations never end: line 3: the computation of rank 0, which waits"),
        "{circle}"
    );
}

/// As in MPI, a receive may be longer than its message, not shorter; one of 0 bytes has an unknown
/// size.
#[test]
fn messages_longer_than_their_receives_are_reported() {
    let ring = |sent: u32, received: u32| {
        let text = format!(
            "num_ranks 2\nrank 0 {{\nsend {sent}b to 1\n}}\nrank 1 {{\nrecv {received}b from \
                0\n}}\n"
        );
        replay(&read(&text), &LogGops::default()).map_err(|error| error.to_string())
    };
    for (sent, received) in [(400, 399), (100_000, 1)] {
        let error = ring(sent, received).unwrap_err();
        let parts = [
            format!("line 6: rank 1 receives at most {received} bytes here"),
            format!("rank 0 sends {sent} in line 3"),
        ];
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    }
    for (sent, received) in [(400, 400), (400, 500), (400, 0)] {
        ring(sent, received).unwrap();
    }
}

#[test]
#[expect(clippy::float_cmp, reason = "whole nanoseconds are exact")]
fn any_source_matches_the_first_arrival() {
    let text = "num_ranks 3\nrank 0 {\na: recv 8b from -1 tag -1\nb: recv 8b from -1 tag 5\nb requires a\n}\n\
                rank 1 { c: calc 100000\n s: send 8b to 0 tag 5\n s requires c }\nrank 2 { send 8b to 0 tag 7 }\n";
    // The message of rank 2 is there first; that of rank 1 at 100000 + o + L, received o + 7·G
    // later.
    assert_eq!(total(text), 100_000.0 + 1500.0 + 2500.0 + 1500.0 + 42.0);
}

#[test]
#[expect(clippy::float_cmp, reason = "whole nanoseconds are exact")]
fn irequires_waits_only_for_the_start() {
    let chain = "num_ranks 1\nrank 0 {\na: calc 100 cpu 0\nb: calc 50 cpu 1\n";
    assert_eq!(total(&format!("{chain}b irequires a\n}}\n")), 100.0);
    assert_eq!(total(&format!("{chain}b requires a\n}}\n")), 150.0);
}

/// A ring of posted messages with computation between, as a trace and as GOAL: the same operations.
#[test]
#[expect(clippy::float_cmp, reason = "whole nanoseconds are exact")]
fn written_graphs_have_the_same_finish_times() {
    for text in [stencil(4, 4, 3, 8192, 1_000_000), dissemination(16, 2, 8, 1000)] {
        let trace = read(&text).to_trace("t.goal").unwrap();
        orrery::engine::check(&trace.schedule(&vec![1e9; trace.ranks()], Seconds::ZERO)).unwrap();
        let mut written = Vec::new();
        goal::write(&trace.schedule(&vec![1e9; trace.ranks()], Seconds::ZERO), &mut written)
            .unwrap();
        let written = String::from_utf8(written).unwrap();
        let count = |text: &str| text.matches("send").count();
        assert_eq!(count(&written), count(&text));
        assert_eq!(total(&written), total(&text));
    }
}

#[test]
fn graphs_are_converted_to_traces() {
    let text = "num_ranks 2\nrank 0 {\na: send 8b to 1 tag 3\nb: calc 5\nc: recv 9b from -1 tag 4\nd: calc 6\n\
                d requires c\nd requires a\nb irequires d\n}\nrank 1 {\nx: send 9b to 0 tag 4\ny: recv 8b from 0 tag 3\n\
                x requires y\n}\n";
    let trace = read(text).to_trace("t.goal").unwrap();
    let words = |rank| {
        let schedule = trace.schedule(&[1e9; 2], Seconds::ZERO);
        operations(&schedule, Rank(rank))
            .map(|operation| operation.to_string())
            .collect::<Vec<_>>()
            .join("; ")
    };
    assert_eq!(
        words(0),
        "post 0 send 8b to 1 tag 3; recv 9b from -1 tag 4; wait 0; calc 6; calc 5"
    );
    assert_eq!(words(1), "recv 8b from 0 tag 3; post 0 send 9b to 0 tag 4; wait 0");
    assert_eq!(trace.location(Rank(0), 3).unwrap().to_string(), "t.goal:6:1");
    let refused = |operations: &str| {
        let text = format!("num_ranks 1\nrank 0 {{\n{operations}\n}}\n");
        read(&text).to_trace("t.goal").unwrap_err().to_string()
    };
    for (operations, wanted) in [
        (
            "a: calc 1\nb: calc 2\na requires b\nb requires a",
            "t.goal:3:1: this operation requires itself through others",
        ),
        (
            "a: calc 1 cpu 1",
            "t.goal:3:1: a trace cannot represent computation on a second processor",
        ),
        ("a: recv 1b from 0 tag -1", "t.goal:3:1: a trace cannot represent a receive of any tag"),
        (
            "a: send 1b to 0 tag 3000000000",
            "t.goal:3:1: a tag from 0 to 2147483647 is expected here",
        ),
    ] {
        assert!(refused(operations).starts_with(wanted), "{}", refused(operations));
    }
}
