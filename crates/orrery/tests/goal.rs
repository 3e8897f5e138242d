//! Replay of GOAL: finish times of LogGOPSim (github spcl/LogGOPSim, run with its defaults), and what lies is refused.

#[path = "support/goal.rs"]
mod generator;

use generator::{dissemination, stencil};
use orrery::simulate::loggp::{LogGops, replay};
use orrery::trace::goal::Goal;

fn read(text: &str) -> Goal {
    Goal::read(text.as_bytes(), "t.goal").unwrap()
}

fn total(text: &str) -> f64 {
    replay(&read(text), &LogGops::default()).unwrap().total()
}

#[test]
#[expect(clippy::float_cmp, reason = "whole nanoseconds are exact")]
fn finish_times_are_those_of_loggopsim() {
    assert_eq!(total(&stencil(8, 8, 10, 8192, 1_000_000)), 12_185_840.0);
    assert_eq!(total(&dissemination(1024, 10, 8, 1000)), 5_642_000.0 / 10.0);
    assert_eq!(total(&stencil(32, 32, 25, 8192, 1_000_000)), 304_646_000.0 / 10.0);
}

#[test]
#[expect(clippy::float_cmp, reason = "whole nanoseconds are exact")]
fn large_messages_and_trees_finish_when_loggopsim_says() {
    // Above S: the send ends when its receive is matched.
    assert_eq!(total(&stencil(32, 32, 25, 262_144, 1_000_000)), 1_828_358_000.0 / 10.0);
    assert_eq!(total(&dissemination(16, 1, 1, 0)), 22_000.0);
}

#[test]
fn what_lies_is_refused_with_its_place() {
    let error = |text: &str| Goal::read(text.as_bytes(), "t.goal").unwrap_err().to_string();
    let body = |operations: &str| format!("num_ranks 2\nrank 0 {{\n{operations}\n}}\n");
    for (text, wanted) in [
        (String::new(), "t.goal: there is no num_ranks in it"),
        ("num_ranks 999999999999".into(), "t.goal:1:11: that is more than 67108864 ranks"),
        ("num_ranks 2\nrank 2 {\n}".into(), "t.goal:2:6: there is no rank 2: num_ranks says 2"),
        (body("a: send -5b to 1"), "t.goal:3:9: this is \"-5b\", but the size of the message in bytes"),
        (body("send 5b to 7"), "t.goal:3:12: there is no rank 7"),
        (body("send 5b from 1"), "t.goal:3:9: this is \"from\", but \"to\" and a rank"),
        (body("a: calc 99999999999999999999"), "t.goal:3:9: this is \"99999999999999999999\", but the time"),
        (body("a: calc 1\na: calc 2"), "t.goal:4:1: the label \"a\" is defined twice"),
        (body("a: calc 1\na requires b"), "t.goal:4:12: there is no label \"b\" above"),
        (body("a: calc 1\na requires a"), "t.goal:4:12: \"a\" waits for itself"),
        (body("fly 5b to 1"), "t.goal:3:5: this is \"5b\", but \":\""),
        (body("/* no end"), "t.goal: the text ends within a comment or a rank"),
        ("num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n".into(), "t.goal:4:6: the operations of rank 0 were given before"),
    ] {
        let said = error(&text);
        assert!(said.starts_with(wanted), "{said}");
    }
}

#[test]
fn what_never_ends_is_told_with_its_line() {
    let stuck = |text: &str| replay(&read(text), &LogGops::default()).unwrap_err().to_string();
    let unmatched = stuck("num_ranks 2\nrank 0 {\nsend 8b to 1 tag 3\n}\nrank 1 {\nrecv 8b from 0 tag 4\n}\n");
    assert!(unmatched.contains("line 3: the send of 8 bytes to rank 1 with tag 3 of rank 0"), "{unmatched}");
    assert!(unmatched.contains("line 6: the receive from rank 0 with tag 4 of rank 1"), "{unmatched}");
    let circle = stuck("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 2\na requires b\nb requires a\n}\n");
    assert!(circle.starts_with("2 operations never end: line 3: the computation of rank 0, which waits"), "{circle}");
}

#[test]
#[expect(clippy::float_cmp, reason = "whole nanoseconds are exact")]
fn any_source_takes_what_arrives_first() {
    let text = "num_ranks 3\nrank 0 {\na: recv 8b from -1 tag -1\nb: recv 8b from -1 tag 5\nb requires a\n}\n\
                rank 1 { c: calc 100000\n s: send 8b to 0 tag 5\n s requires c }\nrank 2 { send 8b to 0 tag 7 }\n";
    // The message of rank 2 is there first; that of rank 1 at 100000 + o + L, received o + 7·G later.
    assert_eq!(total(text), 100_000.0 + 1500.0 + 2500.0 + 1500.0 + 42.0);
}

#[test]
#[expect(clippy::float_cmp, reason = "whole nanoseconds are exact")]
fn starts_release_what_waits_for_them() {
    let chain = "num_ranks 1\nrank 0 {\na: calc 100 cpu 0\nb: calc 50 cpu 1\n";
    assert_eq!(total(&format!("{chain}b irequires a\n}}\n")), 100.0);
    assert_eq!(total(&format!("{chain}b requires a\n}}\n")), 150.0);
}
