//! The reader of time-independent traces does not panic, and replays of traces that are read end.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::schedule::{Rank, operations};
use orrery::trace::binary;
use orrery::trace::tit::{self, Reader};
use orrery::units::Seconds;

fuzz_target!(|text: &[u8]| {
    let mut reader = Reader::default();
    if reader.shared("fuzz", text).is_err() {
        return;
    }
    let Ok(trace) = reader.finish() else { return };
    let speeds = vec![1e9; trace.ranks()];
    let schedule = trace.schedule(&speeds, Seconds::ZERO);
    for rank in Rank::first(trace.ranks()) {
        // An all-to-all has rounds without end only if its steps are counted wrongly; a reduction
        // that is scattered has rounds in which results are handed on.
        let most = (trace.actions() as usize + 1) * 16 * (trace.ranks() + 1);
        assert!(operations(&schedule, rank).take(most + 1).count() <= most);
        assert!(trace.location(rank, 0).is_none_or(|place| place.line > 0));
    }
    let file = binary::write(&trace);
    let again = binary::read(&file, "fuzz").expect("what was written can be read");
    assert_eq!(again.profile(), trace.profile());
    let mut text = Vec::new();
    if tit::write(&again, &mut text).is_ok() {
        let mut reader = Reader::default();
        reader.shared("fuzz", &text).expect("what was written can be read");
        let written = reader.finish().expect("it is whole");
        assert_eq!(written.profile(), trace.profile());
    }
});
