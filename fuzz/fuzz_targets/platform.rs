//! The reader of platforms does not panic, and routes consist of existing links.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::platform::{HostId, Network, xml};

fuzz_target!(|text: &str| {
    if let Ok(Network { topology, .. }) = xml::parse(text, "fuzz") {
        let last = HostId(topology.hosts.len() as u32 - 1);
        for link in topology.route(HostId(0), last).unwrap_or_default() {
            assert!(link.index() < topology.links.len());
        }
    }
});
