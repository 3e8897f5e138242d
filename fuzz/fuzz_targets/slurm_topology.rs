//! The reader of `topology.conf` does not panic, and each host is below exactly one root.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::platform::slurm_topology::parse;

fuzz_target!(|text: &str| {
    if let Ok(tree) = parse(text, "fuzz") {
        let below: usize = tree.roots().iter().map(|&root| tree.hosts_below(root).len()).sum();
        assert_eq!(below, tree.switches().iter().map(|switch| switch.hosts.len()).sum::<usize>());
    }
});
