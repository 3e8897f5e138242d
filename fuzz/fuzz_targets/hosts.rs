//! The reader of host files and rank files does not panic; each rank has a host, or the error has a
//! position in the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::file::FileError;
use orrery::platform::{HostId, RankMapping};

/// Checks that the error has a position in the file.
fn check(error: &FileError, lines: usize) {
    let FileError::Content { position: Some(at), .. } = error else { panic!("{error}") };
    assert!((1..=lines).contains(&at.line) && at.column >= 1, "{error}");
}

fuzz_target!(|text: &str| {
    let lines = text.lines().count().max(1);
    match RankMapping::parse(text, "fuzz") {
        Ok(mapping) => {
            for ranks in [0, 1, 5, 1000] {
                // Half of the names are hosts.
                let find = |name: &str| (name.len() % 2 == 0).then_some(HostId(name.len() as u32));
                match mapping.hosts(ranks, find, || vec!["an", "even"]) {
                    Ok(hosts) => assert_eq!(hosts.len(), ranks),
                    Err(error) => check(&error, lines),
                }
            }
        }
        Err(error) => check(&error, lines),
    }
});
