//! The links of an emulated cluster in virtual time.
//!
//! Each link forwards one frame at a time, m/bandwidth each, and delays it by its latency, so that
//! a message takes the time of its slowest link (cut-through). Flows that share a link take turns
//! of at most 256 KiB, which end early when no frame waits: short messages pass in the order in
//! which they begin, and long ones share the link fairly. The times of events are exact however
//! late they are handled: a late wake-up of the switch delays a delivery, not what follows.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// The least number of bytes of a flow on its links, beyond those that are needed to fill them.
const MIN_WINDOW: u64 = 65_536;

/// The largest number of bytes that a link forwards of one flow while others wait.
const MAX_TURN: u64 = 262_144;

/// A link.
#[derive(Debug)]
struct Link {
    /// The bandwidth in bytes per second.
    bandwidth: f64,
    /// The latency in seconds.
    latency: f64,
    is_busy: bool,
    /// The flows with frames at this link, each with the hop of the link on its route; the first
    /// one is next.
    turns: VecDeque<(usize, usize)>,
    /// The flow whose frame was forwarded last, and the number of bytes of its turn so far.
    turn: (usize, u64),
}

/// The route of a flow.
#[derive(Debug)]
struct Route {
    links: Vec<usize>,
    /// The sizes of frames that wait for each link of the route.
    queues: Vec<VecDeque<u64>>,
    /// The number of bytes that wait for the first link.
    waiting: u64,
    /// The number of bytes on the way from the first link on.
    in_flight: u64,
    /// The largest number of bytes on the way. A receiver with a slow link does not fill the
    /// network.
    window: u64,
}

/// A frame that reaches the end of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum EventKind {
    /// The link has forwarded its frame and is free.
    Forwarded,
    /// The frame arrives behind the link.
    Arrived,
}

/// An event: what happens to a frame of a flow at a hop of its route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    kind: EventKind,
    flow: usize,
    hop: usize,
    size: u64,
}

/// The state of all links.
#[derive(Debug)]
pub(super) struct Shaper {
    now: f64,
    links: Vec<Link>,
    routes: Vec<Route>,
    /// Events by the bits of their times, which have the order of the times, and by their numbers.
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    /// The number of events so far.
    count: u64,
}

impl Shaper {
    /// Idle links with bandwidths in bytes per second and latencies in seconds, and the links of
    /// each flow.
    pub fn new(links: &[(f64, f64)], routes: impl IntoIterator<Item = Vec<usize>>) -> Self {
        let link = |&(bandwidth, latency): &(f64, f64)| Link {
            bandwidth,
            latency,
            is_busy: false,
            turns: VecDeque::new(),
            turn: (0, 0),
        };
        let route = |own: Vec<usize>| {
            let slowest = own.iter().map(|&link| links[link].0).fold(f64::INFINITY, f64::min);
            let latency: f64 = own.iter().map(|&link| links[link].1).sum();
            let window = MIN_WINDOW.saturating_add((2.0 * slowest * latency).min(1e15) as u64);
            Route {
                queues: vec![VecDeque::new(); own.len()],
                links: own,
                waiting: 0,
                in_flight: 0,
                window,
            }
        };
        let routes = routes.into_iter().map(route).collect();
        Self {
            now: 0.0,
            links: links.iter().map(link).collect(),
            routes,
            events: BinaryHeap::new(),
            count: 0,
        }
    }

    /// The number of bytes of a flow that wait for its first link.
    pub fn waiting(&self, flow: usize) -> u64 {
        self.routes[flow].waiting
    }

    /// The time of the next event in seconds; `None` if there is none.
    pub fn next_event(&self) -> Option<f64> {
        self.events.peek().map(|Reverse((time, ..))| f64::from_bits(*time))
    }

    /// Adds a frame to a flow at the time of the last [`Shaper::advance`].
    pub fn offer(&mut self, flow: usize, size: u64) {
        self.routes[flow].waiting += size;
        self.enqueue(flow, 0, size);
    }

    /// Handles all events until a time in seconds; appends the flow of each delivered frame.
    pub fn advance(&mut self, until: f64, delivered: &mut Vec<usize>) {
        while let Some(time) = self.next_event().filter(|time| *time <= until)
            && let Some(Reverse((.., event))) = self.events.pop()
        {
            self.now = time;
            self.handle(event, delivered);
        }
        self.now = self.now.max(until);
    }

    /// Handles an event; appends the flow to `delivered` if its frame is at the end of its route.
    fn handle(&mut self, event: Event, delivered: &mut Vec<usize>) {
        let Event { flow, hop, size, .. } = event;
        match event.kind {
            EventKind::Forwarded => {
                let link = self.routes[flow].links[hop];
                self.schedule(
                    self.links[link].latency,
                    Event { kind: EventKind::Arrived, ..event },
                );
                self.links[link].is_busy = false;
                self.start(link);
            }
            EventKind::Arrived if hop + 1 < self.routes[flow].links.len() => {
                self.enqueue(flow, hop + 1, size);
            }
            EventKind::Arrived => {
                self.routes[flow].in_flight -= size;
                delivered.push(flow);
                self.start(self.routes[flow].links[0]);
            }
        }
    }

    /// Adds a frame to the queue of a flow at a hop of its route.
    fn enqueue(&mut self, flow: usize, hop: usize, size: u64) {
        let queue = &mut self.routes[flow].queues[hop];
        queue.push_back(size);
        let link = self.routes[flow].links[hop];
        if self.routes[flow].queues[hop].len() == 1 {
            self.links[link].turns.push_back((flow, hop));
        }
        self.start(link);
    }

    /// Starts to forward the next frame of a link if it is free: that of the first flow whose
    /// window is open.
    fn start(&mut self, number: usize) {
        let (link, routes) = (&mut self.links[number], &mut self.routes);
        let is_open = |&(flow, hop): &(usize, usize)| {
            let route = &routes[flow];
            hop > 0
                || route.queues[0]
                    .front()
                    .is_some_and(|size| route.in_flight + size <= route.window)
        };
        let Some(place) = link.turns.iter().position(is_open).filter(|_| !link.is_busy) else {
            return;
        };
        let Some((flow, hop)) = link.turns.remove(place) else { return };
        let route = &mut routes[flow];
        let Some(size) = route.queues[hop].pop_front() else { return };
        if hop == 0 {
            route.waiting -= size;
            route.in_flight += size;
        }
        link.turn = if link.turn.0 == flow { (flow, link.turn.1 + size) } else { (flow, size) };
        if route.queues[hop].is_empty() {
            link.turn.1 = 0;
        } else if link.turn.1 < MAX_TURN {
            link.turns.push_front((flow, hop));
        } else {
            link.turn.1 = 0;
            link.turns.push_back((flow, hop));
        }
        link.is_busy = true;
        let after = size as f64 / link.bandwidth;
        self.schedule(after, Event { kind: EventKind::Forwarded, flow, hop, size });
    }

    /// Schedules an event after a time in seconds.
    fn schedule(&mut self, after: f64, event: Event) {
        self.count += 1;
        self.events.push(Reverse(((self.now + after).to_bits(), self.count, event)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Offers messages (flow, bytes) in frames of 1000 bytes at time 0; the time at which each flow
    /// is complete.
    fn times(links: &[(f64, f64)], routes: &[&[usize]], messages: &[(usize, u64)]) -> Vec<f64> {
        let mut shaper = Shaper::new(links, routes.iter().map(|route| route.to_vec()));
        for &(flow, bytes) in messages {
            for _ in 0..bytes / 1000 {
                shaper.offer(flow, 1000);
            }
        }
        let mut ends = vec![0.0; routes.len()];
        let mut delivered = Vec::new();
        while let Some(time) = shaper.next_event() {
            shaper.advance(time, &mut delivered);
            delivered.drain(..).for_each(|flow| ends[flow] = time);
        }
        assert!(shaper.routes.iter().all(|route| route.in_flight == 0 && route.waiting == 0));
        ends
    }

    fn assert_close(times: &[f64], expected: &[f64]) {
        let is_close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9;
        assert!(
            times.len() == expected.len() && times.iter().zip(expected).all(is_close),
            "{times:?}, not {expected:?}"
        );
    }

    #[test]
    fn a_message_takes_the_time_of_its_slowest_link() {
        // 1 MB/s, then 0.5 MB/s: a frame takes 1 ms on the first link, all of them 200 ms on the
        // second; latency 3 ms.
        assert_close(&times(&[(1e6, 1e-3), (0.5e6, 2e-3)], &[&[0, 1]], &[(0, 100_000)]), &[0.204]);
        assert_close(&times(&[(0.5e6, 1e-3), (1e6, 2e-3)], &[&[0, 1]], &[(0, 100_000)]), &[0.204]);
    }

    #[test]
    fn short_messages_pass_one_after_the_other() {
        let links = [(1e6, 0.0), (1e6, 0.0), (1e6, 0.0)];
        let ends = times(&links, &[&[0, 1], &[0, 2]], &[(0, 60_000), (1, 60_000)]);
        assert_close(&ends, &[0.061, 0.121]);
        // To one receiver, whose link is as fast as each sender's.
        let mut ends = times(&links, &[&[0, 2], &[1, 2]], &[(0, 60_000), (1, 60_000)]);
        ends.sort_by(f64::total_cmp);
        assert!((ends[0] - 0.061).abs() < 3e-3 && (ends[1] - 0.121).abs() < 1e-9, "{ends:?}");
        // A slow sender does not hold the link.
        let ends = times(
            &[(0.1e6, 0.0), (1e6, 0.0), (1e6, 0.0)],
            &[&[0, 2], &[1, 2]],
            &[(0, 60_000), (1, 60_000)],
        );
        assert!(ends[0] < 0.61 && ends[1] < 0.07, "{ends:?}");
    }

    #[test]
    fn long_messages_share_a_link_fairly() {
        let links = [(1e6, 0.0), (1e6, 0.0), (1e6, 0.0)];
        for routes in [[&[0, 2][..], &[1, 2]], [&[2, 0], &[2, 1]]] {
            let ends = times(&links, &routes, &[(0, 5_000_000), (1, 10_000_000)]);
            assert!((ends[0] - 10.0).abs() < 0.6 && (ends[1] - 15.0).abs() < 0.01, "{ends:?}");
        }
    }

    #[test]
    fn a_slow_receiver_does_not_delay_messages_to_others() {
        let links = [(1e6, 0.0), (0.1e6, 0.0), (1e6, 0.0)];
        let ends = times(&links, &[&[0, 1], &[0, 2]], &[(0, 500_000), (1, 500_000)]);
        assert!(ends[1] < 0.7, "{ends:?}");
        assert!((ends[0] - 5.0).abs() < 0.01, "{ends:?}");
    }

    #[test]
    fn latency_does_not_limit_the_rate() {
        let ends = times(&[(1e8, 0.05)], &[&[0]], &[(0, 50_000_000)]);
        assert!((ends[0] - 0.55).abs() < 0.01, "{ends:?}");
    }
}
