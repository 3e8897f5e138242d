//! The notation of schemes: valid lines, and errors with their position.

use orrery::sharing::scheme::{self, DEFAULT_SIZE};
use orrery::sharing::{Node, Transfer};
use orrery::units::{Bytes, Seconds};
use proptest::prelude::*;

#[test]
fn every_part_of_a_line_is_parsed() {
    let text = "# figure 1\n\n  a: 0 -> 1 20M   # first\nb:0->2 x2 4K after 5ms\n3 -> 4\nc: 7->7 \
        after 0.5us 1000\n";
    let scheme = scheme::parse(text).unwrap();
    let found: Vec<_> = scheme
        .arcs
        .iter()
        .map(|arc| (arc.name.as_str(), arc.transfer, arc.size, arc.delay))
        .collect();
    let twice = (Transfer::between(0, 2), Bytes::new(4096), Seconds::new(5e-3));
    let expected = [
        ("a", Transfer::between(0, 1), Bytes::new(20 << 20), Seconds::ZERO),
        ("b.1", twice.0, twice.1, twice.2),
        ("b.2", twice.0, twice.1, twice.2),
        ("b", Transfer::between(3, 4), DEFAULT_SIZE, Seconds::ZERO),
        ("c", Transfer::between(7, 7), Bytes::new(1000), Seconds::new(0.5e-6)),
    ];
    assert_eq!(found, expected);
    assert!(!scheme.starts_together());
}

#[test]
fn default_names_avoid_explicit_names() {
    let scheme = scheme::parse("0 -> 1\nb: 0 -> 2\n0 -> 3 x2\n\u{e9}: 1 -> 2").unwrap();
    let names: Vec<_> = scheme.arcs.iter().map(|arc| arc.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "d", "\u{e9}"]);
    assert!(scheme.starts_together());
}

#[test]
fn empty_text_is_an_empty_scheme() {
    assert_eq!(scheme::parse("\n# nothing\n").unwrap().arcs, []);
    assert_eq!(scheme::parse("\u{feff}0 -> 1\r\n").unwrap().arcs.len(), 1);
}

/// An invalid text, the position of its error, and a part of the message.
#[test]
fn invalid_schemes_are_rejected_with_their_position() {
    for (text, line, column, part) in [
        ("a 0 -> 1", 1, 1, "\"a\" is not a node"),
        ("a: 0 1", 1, 6, "\"1\" is not \"->\""),
        ("0 =>1", 1, 3, "\"=>1\" is not \"->\""),
        ("0", 1, 2, "the line ends where \"->\""),
        ("a:", 1, 3, "the number of the source"),
        ("0 -> # 1", 1, 5, "the number of the destination"),
        ("0 -> 4294967296", 1, 6, "not a node"),
        ("-1 -> 0", 1, 1, "\"-1\" is not a node"),
        ("0 -> 1 -20M", 1, 8, "cannot read \"-20M\""),
        ("0 -> 1 20Q", 1, 8, "\"Q\" is not a unit"),
        ("0 -> 1 99999999999T", 1, 8, "2^64"),
        ("0 -> 1 quickly", 1, 8, "unknown word \"quickly\""),
        ("0 -> 1 x0", 1, 8, "not a number of repetitions"),
        ("0 -> 1 x-3", 1, 8, "not a number of repetitions"),
        ("0 -> 1 x1000000000", 1, 8, "more than 100000 transfers"),
        ("0 -> 1 x99999999999999999999999", 1, 8, "more than 100000 transfers"),
        ("0 -> 1 x99999\n0 -> 1 x2", 2, 8, "more than 100000 transfers"),
        ("0 -> 1 after", 1, 13, "a delay, such as 5ms"),
        ("0 -> 1 after 5", 1, 14, "\"5\" is not a delay"),
        ("0 -> 1 after -5ms", 1, 14, "not a delay"),
        ("0 -> 1 after infs", 1, 14, "not a delay"),
        ("0 -> 1 after nans", 1, 14, "not a delay"),
        ("0 -> 1 1K 2K", 1, 11, "the size is given twice"),
        ("0 -> 1 x2 x3", 1, 11, "repetitions is given twice"),
        ("0 -> 1 after 1s after 2s", 1, 17, "the delay is given twice"),
        ("0 -> 1\na: 0 -> 2\na: 1 -> 2", 3, 1, "\"a\" is used in line 2"),
        ("b.1: 0 -> 1\nb: 0 -> 2 x3", 2, 1, "\"b.1\" is used in line 1"),
        ("1a: 0 -> 1", 1, 1, "\"1a\" is not a valid name"),
        (": 0 -> 1", 1, 1, "\":\" is not a node"),
        ("0 -> 1 : 2", 1, 8, "unknown word \":\""),
    ] {
        let error = scheme::parse(text).unwrap_err();
        assert_eq!((error.line, error.column), (line, column), "{text}: {error}");
        assert!(error.to_string().contains(part), "{text}: {error}");
    }
}

#[test]
fn error_message_marks_the_column() {
    let error = scheme::parse("\ta: 0 -> 1 quickly").unwrap_err();
    assert!(error.message.starts_with("unknown word \"quickly\""));
    let shown = error.to_string();
    assert_eq!(
        shown.lines().skip(1).collect::<Vec<_>>(),
        ["   a: 0 -> 1 quickly", "             ^^^^^^^"]
    );
    let long = format!("{}0 -> 1 quickly {}", " ".repeat(500), "z".repeat(500));
    let shown = scheme::parse(&long).unwrap_err().to_string();
    let lines: Vec<_> = shown.lines().collect();
    assert!(lines[1].len() < 90, "{shown}");
    assert_eq!(lines[1].find("quickly"), lines[2].find('^'));
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "[a-z0-9:>#x. \\-\n\u{e9}]{0,60}") {
        match scheme::parse(&text) {
            Ok(scheme) => prop_assert!(scheme.arcs.len() <= scheme::MAX_TRANSFERS),
            Err(error) => prop_assert!(error.to_string().lines().count() == 3),
        }
    }

    #[test]
    fn what_is_written_is_read(nodes in prop::collection::vec((0..u32::MAX, 0..9_u32, 0..1_000_000_u64), 0..20)) {
        let lines: Vec<_> = nodes.iter().map(|(s, d, size)| format!("{s} -> {d} {}", Bytes::new(*size))).collect();
        let text = lines.join("\n");
        let scheme = scheme::parse(&text).unwrap();
        let read: Vec<_> = scheme.arcs.iter().map(|arc| (arc.transfer.source, arc.transfer.destination, arc.size.get())).collect();
        let written: Vec<_> = nodes.iter().map(|&(s, d, size)| (Node(s), Node(d), size)).collect();
        prop_assert_eq!(read, written);
    }
}
