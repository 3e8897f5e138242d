//! The check of uplinks: the bytes per second that one pair of hosts, and several at the same time,
//! carry through each.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use crate::check::connection;
use crate::description::Description;
use crate::paths::TestbedPaths;
use crate::route::fair_rates;

/// The time in which TCP windows open, and the one in which bytes are counted.
const PHASES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(2)];
/// The pause after a round in which no stream could move bytes. A process with real-time priority
/// that polls without pause is suspended by the kernel for 5 % of each second, and the switch with
/// it.
const POLL_PAUSE: Duration = Duration::from_micros(200);

/// The measured rate of one direction of an uplink.
#[derive(Debug, Clone)]
pub struct UplinkCheck {
    /// The first and the last host behind it.
    pub hosts: (String, String),
    /// True for the direction towards these hosts.
    pub is_down: bool,
    /// The number of pairs that send at the same time.
    pub pairs: usize,
    /// The rate of all pairs together by the description, in bits per second: that of the uplink,
    /// if no other links on their routes are slower.
    pub expected: f64,
    /// The measured rate over the expected one.
    pub ratio: f64,
}

impl UplinkCheck {
    /// The relative difference from the described rate.
    pub fn difference(&self) -> f64 {
        (self.ratio - 1.0).abs()
    }
}

/// A pair of hosts: one behind the uplink and one that is not.
type Pair = (usize, usize);

/// Measures all uplinks, one direction after the other, with one pair and with all.
pub fn uplinks(
    description: &Description,
    place: &TestbedPaths,
) -> anyhow::Result<Vec<UplinkCheck>> {
    let mut found = Vec::new();
    for (number, uplink) in description.uplinks.iter().enumerate() {
        let name = |host: usize| description.hosts[host].name.clone();
        let hosts = (name(uplink.hosts[0]), name(uplink.hosts[uplink.hosts.len() - 1]));
        let what = || format!("cannot measure the uplink of hosts {} to {}", hosts.0, hosts.1);
        let pairs = pairs(description, number);
        let mut streams = Vec::new();
        for &(near, far) in &pairs {
            let ends = connection(place, &name(near), &name(far), description.address(far));
            streams.push(ends.with_context(what)?);
        }
        for is_down in [false, true] {
            let ends =
                streams.iter().map(|(near, far)| if is_down { (far, near) } else { (near, far) });
            let ends: Vec<_> = ends.collect();
            let several = Some(pairs.len()).filter(|&all| all > 1);
            for count in std::iter::once(1).chain(several) {
                let expected = expected(description, &pairs[..count], is_down);
                let ratio = rate_of(&ends[..count]).with_context(what)? / expected;
                found.push(UplinkCheck {
                    hosts: hosts.clone(),
                    is_down,
                    pairs: count,
                    expected,
                    ratio,
                });
            }
        }
    }
    Ok(found)
}

/// Disjoint pairs of hosts across an uplink, as many as possible, those on the fastest routes
/// first.
fn pairs(description: &Description, uplink: usize) -> Vec<Pair> {
    let (rates, own) = (description.wire_rates(), description.uplink_wires(uplink));
    // The lowest rate beside that of the uplink.
    let limit = |near: usize, far: usize| {
        let others = description.route(near, far).into_iter().filter(|wire| !own.contains(wire));
        others.map(|wire| rates[wire]).fold(f64::INFINITY, f64::min)
    };
    let mut near = description.uplinks[uplink].hosts.clone();
    let mut far: Vec<usize> =
        (0..description.hosts.len()).filter(|host| !near.contains(host)).collect();
    let of = |hosts: &[usize], limit: &dyn Fn(usize) -> f64| {
        hosts.iter().map(|&host| limit(host)).fold(0.0, f64::max)
    };
    let best_near = |host: usize| of(&far, &|other| limit(host, other));
    let best_far = |host: usize| of(&near, &|other| limit(other, host));
    let by = |hosts: &[usize], best: &dyn Fn(usize) -> f64| {
        let mut hosts: Vec<(usize, f64)> = hosts.iter().map(|&host| (host, best(host))).collect();
        hosts.sort_by(|one, other| other.1.total_cmp(&one.1));
        hosts.into_iter().map(|(host, _)| host).collect()
    };
    (near, far) = (by(&near, &best_near), by(&far, &best_far));
    near.into_iter().zip(far).collect()
}

/// The rate in bits per second at which pairs send together, by the description.
fn expected(description: &Description, pairs: &[Pair], is_down: bool) -> f64 {
    let route = |&(near, far): &Pair| {
        if is_down { description.route(far, near) } else { description.route(near, far) }
    };
    let routes: Vec<_> = pairs.iter().map(route).collect();
    fair_rates(&routes, &description.wire_rates()).iter().sum()
}

/// The rate in bits per second at which all streams together carry bytes.
fn rate_of(streams: &[(&TcpStream, &TcpStream)]) -> io::Result<f64> {
    let data = vec![0; 64 << 10];
    let mut rate = 0.0;
    for phase in PHASES {
        let (bytes, time) = carry(streams, &data, phase)?;
        rate = bytes as f64 * 8.0 / time.as_secs_f64();
    }
    // What is still in flight must not disturb the next measurement.
    carry(streams, &[], PHASES[0])?;
    Ok(rate)
}

/// Sends data again and again on all streams for some time; returns the number of received bytes
/// and the time.
fn carry(
    streams: &[(&TcpStream, &TcpStream)],
    data: &[u8],
    phase: Duration,
) -> io::Result<(usize, Duration)> {
    let mut into = vec![0; 256 << 10];
    let (start, mut received) = (Instant::now(), 0);
    while start.elapsed() < phase {
        let mut moved = 0;
        for &(mut from, mut to) in streams {
            let bytes = moved_bytes(to.read(&mut into))?;
            received += bytes;
            moved += bytes + if data.is_empty() { 0 } else { moved_bytes(from.write(data))? };
        }
        if moved == 0 {
            std::thread::sleep(POLL_PAUSE);
        }
    }
    Ok((received, start.elapsed()))
}

/// The number of bytes that a call moved; 0 if it would have had to wait.
fn moved_bytes(result: io::Result<usize>) -> io::Result<usize> {
    match result {
        Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(0),
        other => other,
    }
}
