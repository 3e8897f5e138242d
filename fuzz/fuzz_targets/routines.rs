//! The reader of times of parallel routines does not panic; calls that are read have a program, or
//! are refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::routine::RoutineProgram;
use orrery::sample::file::routines;

fuzz_target!(|content: &[u8]| {
    if let Ok(loaded) = routines::parse(content, "fuzzed") {
        for reading in loaded
            .timings
            .readings
            .iter()
            .take(4)
            .filter(|reading| reading.call.dimensions().iter().max() < Some(&4096))
        {
            let _ = RoutineProgram::new(&reading.call);
        }
    }
});
