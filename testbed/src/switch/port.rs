//! The timing of frames on links, without devices.

/// A time or duration in nanoseconds.
pub type Nanos = u64;

/// The bytes of a frame without payload: headers of Ethernet, IPv4, and TCP with a time stamp.
const HEADER_BYTES: f64 = 66.0;
/// The bytes of a full frame.
const FULL_FRAME: f64 = 1514.0;

/// One direction of a link.
#[derive(Debug, Clone)]
pub struct Wire {
    nanos_per_byte: f64,
    delay: Nanos,
    queue: Nanos,
    burst: Nanos,
    /// When all frames so far have been carried.
    free: Nanos,
}

impl Wire {
    /// A link with `rate` bits of payload per second in full frames, `delay` in seconds, a queue of
    /// `queue` bytes, and `burst` bytes that pass immediately after a pause.
    pub fn new(rate: f64, delay: f64, queue: u64, burst: u64) -> Self {
        let nanos_per_byte = 8e9 / (rate * FULL_FRAME / (FULL_FRAME - HEADER_BYTES));
        let time = |bytes: u64| (bytes as f64 * nanos_per_byte) as Nanos;
        Self {
            nanos_per_byte,
            delay: (delay * 1e9) as Nanos,
            queue: time(queue),
            burst: time(burst),
            free: 0,
        }
    }

    /// The time to carry a number of bytes.
    fn time(&self, bytes: usize) -> Nanos {
        (bytes as f64 * self.nanos_per_byte) as Nanos
    }

    /// The time from now until all frames so far have been carried.
    pub fn backlog(&self, now: Nanos) -> Nanos {
        self.free.saturating_sub(now)
    }

    /// The earliest time at which a frame that arrives now can start.
    fn begin(&self, now: Nanos) -> Nanos {
        self.free.max(now.saturating_sub(self.burst))
    }
}

/// Sends a frame over the wires of a route, that of the sender first; returns its arrival time, or
/// `None` if the queue of a switch before one of the others is full.
///
/// Switches are cut-through: they forward a frame while receiving it. So a message of m bytes takes
/// m/rate + delays, with the lowest of the rates, whether the links were idle or not.
pub fn pass(now: Nanos, bytes: usize, wires: &mut [Wire], route: &[usize]) -> Option<Nanos> {
    let (mut begin, mut end, mut delay) = (now, 0, 0);
    for (place, &number) in route.iter().enumerate() {
        let wire = &mut wires[number];
        if place > 0 && wire.backlog(begin.max(now)) > wire.queue {
            return None;
        }
        begin = wire.begin(begin);
        end = (begin + wire.time(bytes)).max(end);
        wire.free = end;
        delay += wire.delay;
    }
    Some(end.max(now) + delay)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wire(megabits: f64) -> Wire {
        Wire::new(megabits * 1e6, 0.0, 1 << 20, 0)
    }

    /// When the last of some full frames is there that are all given now and pass all wires.
    fn message(now: Nanos, frames: usize, wires: &mut [Wire]) -> Nanos {
        let route: Vec<usize> = (0..wires.len()).collect();
        (0..frames).map(|_| pass(now, 1514, wires, &route).unwrap()).last().unwrap()
    }

    #[test]
    fn a_message_takes_its_bytes_over_the_rate_idle_or_not() {
        let mut wires = [wire(100.0), wire(100.0)];
        let ideal = 10.0 * 1448.0 * 8.0 / 100e6 * 1e9;
        let first = message(1_000_000, 10, &mut wires) - 1_000_000;
        assert!((first as f64 / ideal - 1.0).abs() < 1e-4, "{first}");
        let now = 1_000_000 + first;
        let second = message(now, 10, &mut wires) - now;
        assert!((second as f64 / ideal - 1.0).abs() < 1e-4, "{second}");
    }

    #[test]
    fn the_slowest_link_decides_and_delays_add_up() {
        let (up, down) = (Wire::new(100e6, 1e-3, 1 << 20, 0), Wire::new(50e6, 2e-3, 1 << 20, 0));
        for middle in [vec![], vec![Wire::new(80e6, 4e-3, 1 << 20, 0)]] {
            let delays = if middle.is_empty() { 3e6 } else { 7e6 };
            let mut wires = [vec![up.clone()], middle, vec![down.clone()]].concat();
            let end = message(0, 20, &mut wires);
            let ideal = delays + 20.0 * 1448.0 * 8.0 / 50e6 * 1e9;
            assert!((end as f64 / ideal - 1.0).abs() < 0.001, "{end} {ideal}");
        }
    }

    #[test]
    fn messages_share_the_link_between_switches() {
        let shared = Wire::new(100e6, 0.0, 1 << 20, 0);
        let hosts: Vec<Wire> = (0..8).map(|_| wire(100.0)).collect();
        let mut wires = [hosts, vec![shared]].concat();
        let ends = (0..4).map(|pair| {
            let frames = (0..10).map(|_| pass(0, 1514, &mut wires, &[pair, 8, 4 + pair]).unwrap());
            frames.last().unwrap()
        });
        let last = ends.last().unwrap();
        let ideal = 40.0 * 1448.0 * 8.0 / 100e6 * 1e9;
        assert!((last as f64 / ideal - 1.0).abs() < 1e-4, "{last} {ideal}");
    }

    #[test]
    fn a_burst_passes_at_once_and_only_once() {
        let mut wires =
            [Wire::new(100e6, 0.0, 1 << 20, 1514 * 4), Wire::new(100e6, 0.0, 1 << 20, 1514 * 4)];
        assert_eq!(message(10_000_000, 4, &mut wires), 10_000_000);
        assert!(message(10_000_000, 1, &mut wires) > 10_100_000);
    }

    #[test]
    fn what_finds_the_queue_full_is_dropped() {
        let down = Wire::new(100e6, 0.0, 15_140, 0);
        let mut wires = [wire(100.0), wire(100.0), wire(100.0), down];
        let passed = (0..60).filter(|k| pass(0, 1514, &mut wires, &[k % 3, 3]).is_some()).count();
        // While 20 frames come on each link, 20 go out and some 10 wait.
        assert!((25..=35).contains(&passed), "{passed}");
    }

    #[test]
    fn a_frame_dropped_between_switches_does_not_load_later_wires() {
        let shared = Wire::new(10e6, 0.0, 15_140, 0);
        let mut wires = [wire(100.0), shared, wire(100.0)];
        let passed = (0..60).filter(|_| pass(0, 1514, &mut wires, &[0, 1, 2]).is_some()).count();
        // While 60 frames come, 6 go out and some 10 wait.
        assert!((15..=18).contains(&passed), "{passed}");
        let of_passed = passed as u64 * wires[1].time(1514);
        assert_eq!([wires[1].free, wires[2].free], [of_passed; 2]);
    }

    proptest! {
        /// Flows that keep some frames on the way share a link equally, and use all of it or all of
        /// their own links.
        #[test]
        fn flows_share_a_link_equally(flows in 1_usize..6, window in 3_usize..10, shared in 20.0..400.0_f64) {
            const FRAMES: usize = 3000;
            let mut wires = vec![wire(100.0); 2 * flows];
            wires.push(wire(shared));
            let mut due: Vec<Nanos> = (0..flows * window).map(|_| 0).collect();
            let (mut counts, mut last) = (vec![0_usize; flows], 0);
            for _ in 0..FRAMES {
                // The next frame of the flow whose frame arrived first.
                let next = (0..due.len()).min_by_key(|&one| due[one]).unwrap();
                let flow = next % flows;
                due[next] = pass(due[next], 1514, &mut wires, &[flow, 2 * flows, flows + flow]).unwrap();
                (counts[flow], last) = (counts[flow] + 1, last.max(due[next]));
            }
            let rate = FRAMES as f64 * 1448.0 * 8.0 / last as f64 * 1e3;
            let expected = shared.min(100.0 * flows as f64);
            prop_assert!((rate / expected - 1.0).abs() < 0.02, "{rate} of {expected}");
            let most = counts.iter().max().unwrap() - counts.iter().min().unwrap();
            prop_assert!(most <= window, "{counts:?}");
        }

        /// No link carries more than its rate, and nothing arrives before it was sent.
        #[test]
        fn links_keep_their_rates(
            frames in prop::collection::vec((0_u64..300_000, 60_usize..1514, 0_usize..2), 1..80), shared in 10.0..100.0_f64,
        ) {
            let mut wires = [wire(100.0), wire(90.0), wire(shared), wire(30.0)];
            let (mut now, mut sums, mut last) = (1_000, [0; 4], 0);
            for (pause, bytes, from) in frames {
                now += pause;
                let route = [from, 2, 3];
                let end = pass(now, bytes, &mut wires, &route);
                if let Some(end) = end {
                    for wire in route {
                        sums[wire] += wires[wire].time(bytes);
                    }
                    prop_assert!(end >= now + wires[3].time(bytes) && end >= last);
                    last = end;
                }
            }
            prop_assert!(sums.iter().all(|sum| last >= 1_000 + sum));
        }
    }
}
