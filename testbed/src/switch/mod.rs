//! The switch of a testbed: it reads frames from the devices of all hosts and writes each to its
//! receiver when a link of the described rate and delay would have carried it.

mod port;

use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::num::NonZeroU64;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::description::Description;
use crate::paths::TestbedPaths;
use crate::route::{HUB_RATE, up};
use crate::tap;
use port::{Nanos, Wire, pass};

/// The queue of the hub's link in bytes.
const HUB_QUEUE: u64 = 16 << 20;

/// The largest backlog of a link at which its host is read; further frames wait in the host, where
/// TCP accounts for them.
const MAX_BACKLOG: Nanos = 200_000;

/// A frame in flight; the order is reversed, so that the heap returns the earliest arrival.
#[derive(PartialEq, Eq)]
struct Flight {
    arrival: Nanos,
    number: u64,
    to: usize,
    frame: Vec<u8>,
}

impl Ord for Flight {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (other.arrival, other.number).cmp(&(self.arrival, self.number))
    }
}

impl PartialOrd for Flight {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Runs until the process is killed; calls `ready` when all devices exist.
///
/// # Errors
///
/// When a device cannot be made, read or written.
pub fn run(
    description: &Description,
    place: &TestbedPaths,
    ready: impl FnOnce() -> io::Result<()>,
) -> io::Result<()> {
    let (mut devices, mut wires) = (Vec::new(), Vec::new());
    for host in &description.hosts {
        tap::enter(&place.namespace_file(&host.name))?;
        devices.push(tap::create()?);
        wires.extend([(); 2].map(|()| Wire::new(host.rate, host.delay, host.queue, host.burst)));
    }
    tap::enter(&place.namespace_file("hub"))?;
    devices.push(tap::create()?);
    wires.extend([(); 2].map(|()| Wire::new(HUB_RATE, 0.0, HUB_QUEUE, 0)));
    for uplink in &description.uplinks {
        wires.extend([(); 2].map(|()| Wire::new(uplink.rate, uplink.delay, uplink.queue, 0)));
    }
    let routes_from =
        |from| (0..=description.hub()).map(|to| description.route(from, to)).collect();
    let routes = (0..=description.hub()).map(routes_from).collect();
    // Without real-time priority, at least timers have no slack.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
    ready()?;
    Switch { devices, wires, routes, flights: BinaryHeap::new(), start: Instant::now(), number: 0 }
        .run()
}

/// The state of the switch.
struct Switch {
    /// The devices of the hosts and the hub.
    devices: Vec<File>,
    /// Two wires of each host, of the hub, and of each uplink.
    wires: Vec<Wire>,
    /// The wires of the route from each host to each other.
    routes: Vec<Vec<Vec<usize>>>,
    flights: BinaryHeap<Flight>,
    start: Instant,
    number: u64,
}

impl Switch {
    /// The time since the start, plus one second.
    fn now(&self) -> Nanos {
        // All links count as idle for a second before the start.
        self.start.elapsed().as_nanos() as Nanos + 1_000_000_000
    }

    /// Carries frames until reading a device fails.
    fn run(mut self) -> io::Result<()> {
        let mut buffer = vec![0; 65_536];
        loop {
            self.deliver();
            let readable = self.wait()?;
            for from in readable {
                self.read_frame(from, &mut buffer)?;
            }
        }
    }

    /// Writes all frames that have arrived by now.
    fn deliver(&mut self) {
        while let Some(flight) = self.flights.peek()
            && flight.arrival <= self.now()
        {
            let Some(flight) = self.flights.pop() else { break };
            // A host that is not up yet or too slow loses the frame, as in any network.
            let _ = self.devices[flight.to].write(&flight.frame);
        }
    }

    /// Waits for frames of hosts whose backlog allows reading, or until the next arrival; returns
    /// the readable hosts.
    fn wait(&self) -> io::Result<Vec<usize>> {
        let now = self.now();
        let mut until = self.flights.peek().map(|flight| flight.arrival);
        let mut open = Vec::new();
        for number in 0..self.devices.len() {
            let backlog = self.wires[up(number)].backlog(now);
            if backlog <= MAX_BACKLOG {
                open.push(number);
            } else {
                let then = now + backlog - MAX_BACKLOG;
                until = Some(until.map_or(then, |until| until.min(then)));
            }
        }
        let timeout = until.map(|until| {
            let nanos = until.saturating_sub(now);
            Timespec {
                tv_sec: (nanos / 1_000_000_000) as i64,
                tv_nsec: (nanos % 1_000_000_000) as i64,
            }
        });
        let mut polled: Vec<PollFd<'_>> =
            open.iter().map(|&number| PollFd::new(&self.devices[number], PollFlags::IN)).collect();
        match poll(&mut polled, timeout.as_ref()) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        }
        let is_ready = |fd: &PollFd<'_>| fd.revents().contains(PollFlags::IN);
        Ok(open
            .iter()
            .zip(&polled)
            .filter(|(_, fd)| is_ready(fd))
            .map(|(&number, _)| number)
            .collect())
    }

    /// Reads one frame of a host and schedules its arrival.
    fn read_frame(&mut self, from: usize, buffer: &mut [u8]) -> io::Result<()> {
        let length = match self.devices[from].read(buffer) {
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
            Err(error) => return Err(error),
        };
        let frame = &buffer[..length];
        let Some(to) = receiver(frame, self.devices.len()).filter(|&to| to != from) else {
            return Ok(());
        };
        if let Some(arrival) = pass(self.now(), length, &mut self.wires, &self.routes[from][to]) {
            self.number += 1;
            self.flights.push(Flight { arrival, number: self.number, to, frame: frame.to_vec() });
        }
        Ok(())
    }
}

/// The hardware address of the device of a host.
pub fn hardware_address(host: usize) -> String {
    format!("02:00:00:00:00:{host:02x}")
}

/// The device that a frame is addressed to; `None` for broadcasts, which no host needs.
fn receiver(frame: &[u8], ports: usize) -> Option<usize> {
    let (prefix, last) = (frame.get(..5)?, *frame.get(5)?);
    (prefix == [2, 0, 0, 0, 0] && usize::from(last) < ports).then_some(last.into())
}
