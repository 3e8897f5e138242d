//! The reader of host files and rank files does not panic; each rank has a host, or the error has a
//! position in the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::platform::{HostId, RankMapping};

fuzz_target!(|text: &str| {
    let lines = text.lines().count().max(1);
    match RankMapping::parse(text, "fuzz") {
        Ok(mapping) => {
            for ranks in [0, 1, 5, 1000] {
                // Half of the names are hosts.
                let find = |name: &str| (name.len() % 2 == 0).then_some(HostId(name.len() as u32));
                match mapping.hosts(ranks, find) {
                    Ok(hosts) => assert_eq!(hosts.len(), ranks),
                    Err(error) => {
                        assert!((1..=lines).contains(&error.line) && error.column >= 1, "{error}")
                    }
                }
            }
        }
        Err(error) => assert!((1..=lines).contains(&error.line) && error.column >= 1, "{error}"),
    }
});
