//! Present conditions: paths between hosts, models under load, and their file.

#[path = "../common/equal_ports.rs"]
mod equal_ports;
mod models;
mod paths;
mod texts;

use orrery::conditions::{Conditions, Current, HostConditions, LinkConditions};

/// A forecast with an interval of 10 % on both sides.
fn about(value: f64) -> Current {
    Current { interval: Some((0.9 * value, 1.1 * value)), ..Current::exact(value) }
}

/// A link with present latency and bandwidth, that is 1e-4 s and 1e8 B/s when it is idle.
fn link(from: &str, to: &str, latency: f64, bandwidth: f64) -> LinkConditions {
    LinkConditions {
        from: from.into(),
        to: to.into(),
        latency: Some(about(latency)),
        bandwidth: Some(about(bandwidth)),
        idle_latency: Some(1e-4),
        idle_bandwidth: Some(1e8),
    }
}

/// Conditions of hosts with these availabilities, and of these links.
fn conditions(hosts: &[(&str, f64)], links: Vec<LinkConditions>) -> Conditions {
    let host =
        |part| HostConditions { availability: Some(about(part)), ..HostConditions::default() };
    let hosts = hosts.iter().map(|(name, part)| ((*name).to_owned(), host(*part))).collect();
    Conditions { hosts, links, ..Conditions::default() }
}
