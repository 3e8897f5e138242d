//! The check of a testbed: times of TCP messages on each link, in each direction, compared with the
//! description.

use std::fs;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use anyhow::Context as _;

use crate::description::Description;
use crate::paths::TestbedPaths;
use crate::tap;

/// The measured message sizes in bytes.
const SIZES: [usize; 5] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];
/// The largest allowed relative difference of a measured time from m/rate + latency.
pub const TOLERANCE: f64 = 0.05;
/// The time without messages after which a link is idle.
const PAUSE: Duration = Duration::from_millis(10);
/// The number of messages whose median time is taken.
const REPETITIONS: usize = 9;

/// A message size, and the measured time over m/rate + latency: on an idle link and back to back.
pub type Ratio = (usize, f64, f64);

/// The measured times of one direction of a link.
#[derive(Debug, Clone)]
pub struct LinkCheck {
    /// The host.
    pub host: String,
    /// True for the direction towards the host.
    pub is_down: bool,
    /// The time of a message of one byte in seconds: on an idle link, and directly after another
    /// message.
    pub latency: (f64, f64),
    /// The ratios for each size.
    pub ratios: Vec<Ratio>,
}

impl LinkCheck {
    /// The largest relative difference from the described time.
    pub fn largest_difference(&self) -> f64 {
        let off = |(_, idle, busy): &Ratio| (idle - 1.0).abs().max((busy - 1.0).abs());
        self.ratios.iter().map(off).fold(0.0, f64::max)
    }
}

/// Measures all links against the hub, one after the other.
pub fn links(description: &Description, place: &TestbedPaths) -> anyhow::Result<Vec<LinkCheck>> {
    let mut found = Vec::new();
    for host in &description.hosts {
        let what = || format!("cannot measure the link of host {}", host.name);
        let hub = description.address(description.hosts.len());
        let (near, far) = connection(place, &host.name, "hub", hub).with_context(what)?;
        for is_down in [false, true] {
            let (from, to) = if is_down { (&far, &near) } else { (&near, &far) };
            let (latency, ratios) = direction(from, to, host.rate).with_context(what)?;
            found.push(LinkCheck { host: host.name.clone(), is_down, latency, ratios });
        }
    }
    Ok(found)
}

/// Connects a host to another one, or to the hub, with this address; returns the end of each.
pub(crate) fn connection(
    place: &TestbedPaths,
    near: &str,
    far: &str,
    address: Ipv4Addr,
) -> io::Result<(TcpStream, TcpStream)> {
    tap::enter(&place.namespace_file(far))?;
    let listener = TcpListener::bind(SocketAddr::from((address, 0)))?;
    tap::enter(&place.namespace_file(near))?;
    let near = TcpStream::connect(listener.local_addr()?)?;
    let (far, _) = listener.accept()?;
    for stream in [&near, &far] {
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
    }
    Ok((near, far))
}

/// Measures the latencies and the ratios of one direction.
fn direction(from: &TcpStream, to: &TcpStream, rate: f64) -> io::Result<((f64, f64), Vec<Ratio>)> {
    // The TCP window opens before the first measured message.
    for _ in 0..3 {
        one_way(from, to, 1 << 20)?;
    }
    let latency = (median(from, to, 1, PAUSE)?, median(from, to, 1, Duration::ZERO)?);
    let mut ratios = Vec::new();
    for size in SIZES {
        let carried = size as f64 * 8.0 / rate;
        let idle = median(from, to, size, PAUSE)? / (carried + latency.0);
        let busy = median(from, to, size, Duration::ZERO)? / (carried + latency.1);
        ratios.push((size, idle, busy));
    }
    Ok((latency, ratios))
}

/// The median time of messages with a pause before each, in seconds.
fn median(from: &TcpStream, to: &TcpStream, size: usize, pause: Duration) -> io::Result<f64> {
    let mut times = Vec::new();
    for _ in 0..REPETITIONS {
        std::thread::sleep(pause);
        times.push(one_way(from, to, size)?);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[REPETITIONS / 2])
}

/// The time in seconds from the start of a send to the end of its receive; both ends belong to this
/// process.
fn one_way(mut from: &TcpStream, mut to: &TcpStream, size: usize) -> io::Result<f64> {
    let data = vec![0; size];
    let mut into = vec![0; size];
    let (mut sent, mut received) = (0, 0);
    let start = Instant::now();
    while received < size {
        match from.write(&data[sent..]) {
            Ok(bytes) => sent += bytes,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        match to.read(&mut into[received..]) {
            Ok(bytes) => received += bytes,
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::yield_now(),
            Err(error) => return Err(error),
        }
        if start.elapsed() > Duration::from_secs(60) {
            return Err(io::Error::new(
                ErrorKind::TimedOut,
                "a message did not arrive within a minute",
            ));
        }
    }
    Ok(start.elapsed().as_secs_f64())
}

/// Stores the result of the check, for `testbed run --accurate`.
pub fn store_result(place: &TestbedPaths, passed: bool) -> anyhow::Result<()> {
    fs::write(place.file("check"), if passed { "passed\n" } else { "failed\n" })
        .context("cannot store the result of the check")
}

/// Returns true if the last check was passed.
pub fn is_passed(place: &TestbedPaths) -> bool {
    fs::read_to_string(place.file("check")).is_ok_and(|text| text == "passed\n")
}
