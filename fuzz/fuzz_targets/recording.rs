//! The reader of recorded runs does not panic; records that are read are equal after writing and
//! reading again, and what can be converted can be replayed.
//!
//! The input is the records of three ranks, with the lengths of the first two in two bytes each
//! before them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::schedule::{Rank, operations};
use orrery::trace::recording::{Header, RankRecording, encode, to_trace};
use orrery::units::Seconds;

fuzz_target!(|input: &[u8]| {
    let Some(([a, b, c, d], rest)) = input.split_first_chunk::<4>() else { return };
    let length =
        |low, high, rest: &[u8]| usize::from(u16::from_le_bytes([low, high])).min(rest.len());
    let (zero, rest) = rest.split_at(length(*a, *b, rest));
    let (one, two) = rest.split_at(length(*c, *d, rest));
    let ranks: Vec<RankRecording> = [zero, one, two].into_iter().zip(0..).map(rank).collect();
    for rank in &ranks {
        let _ = rank.totals();
        let Ok(records) = rank.records().collect::<Result<Vec<_>, _>>() else { return };
        let mut again = rank.header.encode();
        records.iter().for_each(|record| encode(record, &mut again));
        let again = RankRecording::new(again, "fuzz").expect("what was written can be read");
        assert!(again.records().map(|record| record.expect("a record")).eq(records));
    }
    let Ok(trace) = to_trace(&ranks, 1e9) else { return };
    let speeds = [1e9; 3];
    let schedule = trace.schedule(&speeds, Seconds::ZERO);
    for rank in Rank::first(3) {
        let _ = operations(&schedule, rank).take(1000).count();
    }
});

/// A rank of three with these records.
fn rank((records, rank): (&[u8], u32)) -> RankRecording {
    let (host, program, library) = (String::new(), String::new(), String::new());
    let mut bytes =
        Header { rank, ranks: 3, started: 0, clock: 0, host, program, library }.encode();
    bytes.extend(records);
    RankRecording::new(bytes, "fuzz").expect("the head is sound")
}
