//! The readers of cluster files do not panic. Elements can be distributed over the hosts of a file,
//! a bounded search finds a configuration of its elements, and all hosts of its network have routes
//! to each other.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::platform::file::{network, parse};
use orrery::platform::{HostId, MappingPolicy};
use orrery::scaling::search::Search;
use orrery::scaling::{ElementTime, Layout};

/// The steps of a search, about a millisecond.
const MAX_STEPS: u64 = 1_000_000;

/// The number of hosts up to which more is done than to read them.
const MAX_HOSTS: usize = 1000;

/// The times of a program that divides evenly.
struct Even;

impl ElementTime for Even {
    fn seconds(&self, _: usize, processes: u32, layout: Layout) -> Option<f64> {
        Some(100.0 * f64::from(processes) / f64::from(layout.processes))
    }
}

fuzz_target!(|text: &str| {
    if let Ok(loaded) = parse(text, "fuzz") {
        let hosts = loaded.cluster.kinds().iter().flat_map(|kind| &kind.hosts);
        if hosts.map(|group| group.names.len()).sum::<usize>() > MAX_HOSTS {
            return;
        }
        for kind in loaded.cluster.kinds() {
            let room = kind.room(kind.processes, Some(1e6)).min(1000);
            let spread = kind.spread(room, kind.processes, Some(1e6)).expect("there is room");
            assert_eq!(spread.iter().map(|(_, elements)| elements).sum::<u32>(), room);
        }
        let mut search = Search::new(loaded.cluster.kinds(), &Even);
        search.max_steps = MAX_STEPS;
        let ranking = search.ranking(3).expect("each cluster has a configuration");
        assert!(!ranking.candidates.is_empty());
    }
    if let Ok(network) = network(text, "fuzz") {
        let topology = network.topology;
        assert!(parse(text, "fuzz").is_ok(), "the network is a part of the file");
        assert_eq!(topology.hosts.len(), topology.ports.len());
        for policy in [
            MappingPolicy::RoundRobinNode,
            MappingPolicy::RoundRobinProcessor,
            MappingPolicy::Random(1),
        ] {
            assert_eq!(policy.hosts(&topology, 7).len(), 7);
        }
        let hosts = topology.hosts.len().min(8) as u32;
        for (from, to) in
            (0..hosts).flat_map(|from| (0..hosts).map(move |to| (HostId(from), HostId(to))))
        {
            let route = topology.route(from, to).expect("there is a route");
            assert!(route.iter().all(|link| link.index() < topology.links.len()));
        }
    }
});
