//! The reader of cluster files does not panic, and elements can be distributed over the hosts of a file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::platform::file::parse;

fuzz_target!(|text: &str| {
    if let Ok(loaded) = parse(text, "fuzz") {
        for kind in loaded.cluster.kinds() {
            let room = kind.room(kind.processes, Some(1e6)).min(1000);
            let spread = kind.spread(room, kind.processes, Some(1e6)).expect("there is room");
            assert_eq!(spread.iter().map(|(_, elements)| elements).sum::<u32>(), room);
        }
    }
});
