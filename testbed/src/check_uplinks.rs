//! The check of uplinks: the bytes per second that several pairs of hosts carry through one of them at the same time.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use crate::check::connection;
use crate::description::Description;
use crate::paths::TestbedPaths;

/// The time in which TCP windows open, and the one in which bytes are counted.
const PHASES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(2)];

/// The measured rate of one direction of an uplink.
#[derive(Debug, Clone)]
pub struct UplinkCheck {
    /// The first and the last host behind it.
    pub hosts: (String, String),
    /// True for the direction towards these hosts.
    pub is_down: bool,
    /// The number of pairs that send at the same time.
    pub pairs: usize,
    /// The rate of all together over that of the uplink, or of the links of the hosts if these are slower together.
    pub ratio: f64,
}

impl UplinkCheck {
    /// The relative difference from the described rate.
    pub fn difference(&self) -> f64 {
        (self.ratio - 1.0).abs()
    }
}

/// Measures all uplinks, one direction after the other.
pub fn uplinks(description: &Description, place: &TestbedPaths) -> anyhow::Result<Vec<UplinkCheck>> {
    let mut found = Vec::new();
    for (number, uplink) in description.uplinks.iter().enumerate() {
        let name = |host: usize| description.hosts[host].name.clone();
        let hosts = (name(uplink.hosts[0]), name(uplink.hosts[uplink.hosts.len() - 1]));
        let what = || format!("cannot measure the uplink of hosts {} to {}", hosts.0, hosts.1);
        let (others, rate) = others(description, number);
        let pairs: Vec<(usize, usize)> = uplink.hosts.iter().copied().zip(others).collect();
        if pairs.is_empty() {
            continue;
        }
        let of_pair = |(near, far): &(usize, usize)| description.hosts[*near].rate.min(description.hosts[*far].rate);
        let expected = rate.min(pairs.iter().map(of_pair).sum());
        let mut streams = Vec::new();
        for &(near, far) in &pairs {
            let ends = connection(place, &name(near), &name(far), description.address(far));
            streams.push(ends.with_context(what)?);
        }
        for is_down in [false, true] {
            let ends = streams.iter().map(|(near, far)| if is_down { (far, near) } else { (near, far) });
            let ratio = rate_of(&ends.collect::<Vec<_>>()).with_context(what)? / expected;
            found.push(UplinkCheck { hosts: hosts.clone(), is_down, pairs: pairs.len(), ratio });
        }
    }
    Ok(found)
}

/// The hosts of the largest group that is not behind an uplink, and the rate through both.
fn others(description: &Description, number: usize) -> (Vec<usize>, f64) {
    let mut groups: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for host in 0..description.hosts.len() {
        groups.entry(description.uplink_of(host)).or_default().push(host);
    }
    groups.remove(&Some(number));
    let largest = groups.into_iter().max_by_key(|(_, hosts)| hosts.len());
    let (group, hosts) = largest.unwrap_or_default();
    let rate = group.map_or(f64::INFINITY, |group| description.uplinks[group].rate);
    (hosts, rate.min(description.uplinks[number].rate))
}

/// The rate in bits per second at which all streams together carry bytes.
fn rate_of(streams: &[(&TcpStream, &TcpStream)]) -> io::Result<f64> {
    let data = vec![0; 64 << 10];
    let mut into = vec![0; 256 << 10];
    let mut rate = 0.0;
    for phase in PHASES {
        let (start, mut received) = (Instant::now(), 0);
        while start.elapsed() < phase {
            for &(mut from, mut to) in streams {
                received += moved(to.read(&mut into))?;
                moved(from.write(&data))?;
            }
            std::thread::yield_now();
        }
        rate = received as f64 * 8.0 / start.elapsed().as_secs_f64();
    }
    // What is still in flight must not disturb the next measurement.
    let quiet = Instant::now();
    while quiet.elapsed() < PHASES[0] {
        for &(_, mut to) in streams {
            moved(to.read(&mut into))?;
        }
        std::thread::yield_now();
    }
    Ok(rate)
}

/// The number of bytes that a call moved; 0 if it would have had to wait.
fn moved(result: io::Result<usize>) -> io::Result<usize> {
    match result {
        Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(0),
        other => other,
    }
}
