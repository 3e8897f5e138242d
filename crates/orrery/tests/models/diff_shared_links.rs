//! Shared links that changed between two models, although no single message did.

use orrery::model::{DiffOptions, ModelDiff, SharedLinkChange, diff};

use crate::prelude::*;
use crate::shared_links::cluster;

/// A model of eight hosts in this order, whose groups have links of these delays, known to 2 %.
fn model(hosts: [usize; 8], links: &[(&[u32], f64)]) -> Model {
    let known = |value: f64| {
        let interval = Some(Interval { low: value * 0.98, high: value * 1.02, level: 0.95 });
        Estimate { value, interval, samples: Some(9) }
    };
    let groups: Vec<(Vec<u32>, f64)> =
        links.iter().map(|(group, _)| (group.to_vec(), 1.0)).collect();
    let mut ports = cluster(8, &groups, 1);
    (ports.fixed_delay, ports.byte_delay) = (vec![known(1e-5); 8], vec![known(1e-10); 8]);
    ports.port_byte_delay = vec![known(1e-8); 8];
    ports.link_latency = PerPair::from_fn(8, |_, _| known(2e-5));
    ports.flow_byte_delay = PerPair::from_fn(8, |_, _| known(0.0));
    ports.uplinks =
        ports.uplinks.with_byte_delay(links.iter().map(|(_, delay)| known(*delay)).collect());
    Model { hosts: hosts.map(|host| format!("n{host}")).to_vec(), ..Model::default() }
        .with(ModelKind::Ports, &ports)
}

fn compared(old: &Model, new: &Model) -> ModelDiff {
    let sizes = vec![Bytes::new(1024), Bytes::new(32768)];
    diff(
        old,
        new,
        &DiffOptions { kind: None, sizes, level: 0.95, tolerance: 0.05, by_number: false },
    )
    .unwrap()
}

const ORDER: [usize; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

#[test]
fn slower_lost_and_added_links_are_changes() {
    let old = model(ORDER, &[(&[0, 1, 2, 3], 4e-9), (&[4, 5], 6e-9)]);
    let same = compared(&old, &old);
    assert!(!same.is_changed() && same.shared_links.len() == 2);
    // The delays of links stay below those of ports, so that single messages take as long.
    let new = model(ORDER, &[(&[0, 1, 2, 3], 8e-9), (&[6, 7], 6e-9)]);
    let found = compared(&old, &new);
    assert!(found.is_changed() && found.findings.is_empty());
    let links: Vec<_> =
        found.shared_links.iter().map(|link| (link.group[0].0, link.old, link.new)).collect();
    assert_eq!(links, [(0, Some(4e-9), Some(8e-9)), (4, Some(6e-9), None), (6, None, Some(6e-9))]);
    assert!(found.shared_links.iter().all(SharedLinkChange::is_change));
    assert!(found.shared_links[0].change.unwrap().p_value.unwrap() < 1e-6);
}

#[test]
fn the_same_link_is_found_by_hosts_from_either_side() {
    let old = model(ORDER, &[(&[0, 1, 2, 3], 4e-9)]);
    let reversed = [7, 6, 5, 4, 3, 2, 1, 0];
    for group in [[0, 1, 2, 3], [4, 5, 6, 7]] {
        let found = compared(&old, &model(reversed, &[(&group, 4.1e-9)]));
        assert!(!found.is_changed() && found.shared_links.len() == 1, "{found:?}");
        assert_eq!(found.shared_links[0].group, [0, 1, 2, 3].map(Processor));
    }
}
