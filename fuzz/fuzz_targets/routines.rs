//! The reader of times of parallel routines does not panic; calls that are read have a program, or
//! are refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::routine::RoutineProgram;
use orrery::sample::RoutineTimings;
use orrery::sample::file::parse_table;

fuzz_target!(|content: &[u8]| {
    if let Ok(loaded) = parse_table::<RoutineTimings>(content, "fuzzed") {
        for reading in loaded
            .samples
            .readings
            .iter()
            .take(4)
            .filter(|reading| reading.call.dimensions().iter().max() < Some(&4096))
        {
            let _ = RoutineProgram::new(&reading.call);
        }
    }
});
