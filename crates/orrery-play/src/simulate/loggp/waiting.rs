//! Events that wait for a processor and an interface: one of them is in the queue, the others wait
//! here.
//!
//! Without this, n events that wait for one processor would all be tried and postponed each time it
//! is free: n² trials.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::event_key::EventKey;

/// The interface that an event needs besides its processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interface {
    /// None: a computation.
    None,
    /// This one, to send.
    Sending(u8),
    /// This one, to receive.
    Receiving(u8),
}

/// Events that wait for the same processor and interface.
///
/// Without groups, all of them would be tried when both are free, in the order of their numbers.
/// Only the next event, which has the lowest number, is in the queue.
#[derive(Debug)]
struct Group {
    interface: Interface,
    /// The position of the next event in the order of entry.
    next: u32,
    /// The others, all with the time 0, so that they are ordered by their numbers.
    others: BinaryHeap<Reverse<EventKey>>,
}

/// The waiting events of all processors.
#[derive(Debug)]
pub(super) struct Waiting {
    /// By processor: its groups.
    groups: Vec<Vec<Group>>,
    /// True if all waiting events stay in the queue: the reference.
    #[cfg(test)]
    pub(super) keeps_none: bool,
    /// The number of events that were tried and could not start.
    #[cfg(test)]
    pub(super) blocked: u64,
}

impl Waiting {
    /// No waiting events for this number of processors.
    pub(super) fn new(processors: usize) -> Self {
        Self {
            groups: std::iter::repeat_with(Vec::new).take(processors).collect(),
            #[cfg(test)]
            keeps_none: false,
            #[cfg(test)]
            blocked: 0,
        }
    }

    /// The index of the group of a processor and an interface; `None` if no event waits for them.
    fn find(&self, cpu: usize, interface: Interface) -> Option<usize> {
        self.groups[cpu].iter().position(|group| group.interface == interface)
    }

    /// Adds an event that cannot start; returns true if it has to stay in the queue.
    pub(super) fn block(&mut self, cpu: usize, interface: Interface, event: EventKey) -> bool {
        #[cfg(test)]
        {
            self.blocked += 1;
            if self.keeps_none {
                return true;
            }
        }
        let Some(at) = self.find(cpu, interface) else {
            let (next, others) = (event.order(), BinaryHeap::new());
            self.groups[cpu].push(Group { interface, next, others });
            return true;
        };
        let group = &mut self.groups[cpu][at];
        let is_next = event.order() <= group.next;
        if is_next {
            // The former next event is still in the queue and comes here when it is tried.
            group.next = event.order();
        } else {
            group.others.push(Reverse(event.with_time(0.0)));
        }
        is_next
    }

    /// Handles the start of an event; returns the waiting event that has to enter the queue in its
    /// place, if any.
    pub(super) fn start(
        &mut self,
        cpu: usize,
        interface: Interface,
        event: EventKey,
    ) -> Option<EventKey> {
        let at = self.find(cpu, interface)?;
        let group = &mut self.groups[cpu][at];
        if group.next != event.order() {
            return None;
        }
        match group.others.pop() {
            Some(Reverse(next)) => {
                group.next = next.order();
                Some(next)
            }
            None => {
                self.groups[cpu].swap_remove(at);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt as _, SeedableRng as _};

    use super::super::LogGops;
    use super::super::replay::replay_counted;
    use crate::trace::goal::GoalGraph;
    use std::fmt::Write as _;

    fn read(text: &str) -> GoalGraph {
        GoalGraph::read(text.as_bytes(), "t.goal").unwrap()
    }

    /// Messages and computations in random order, on several processors and interfaces, with times
    /// that collide.
    #[test]
    fn times_are_those_of_trying_all_waiting_events() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut random = |below: u64| rng.random_range(0..below);
        let mut differ = false;
        for round in 0..300 {
            let (ranks, resources) = (1 + random(4), 1 + random(2));
            let mut programs = vec![String::new(); ranks as usize];
            let mut counts = vec![0; ranks as usize];
            for _ in 0..random(60) {
                let (from, to, tag) = (random(ranks), random(ranks), random(2));
                let size = 1 + random(3) * 50;
                for (rank, text) in [
                    (from, format!("send {size}b to {to} tag {tag}")),
                    (
                        to,
                        format!(
                            "recv {size}b from {} tag {tag}",
                            if random(4) > 0 { from.to_string() } else { "-1".into() }
                        ),
                    ),
                    (random(ranks), format!("calc {}", random(3) * 10)),
                ] {
                    let (program, count) =
                        (&mut programs[rank as usize], &mut counts[rank as usize]);
                    let (cpu, nic) = (random(resources), random(resources));
                    let place = if text.starts_with("calc") {
                        format!("cpu {cpu}")
                    } else {
                        format!("cpu {cpu} nic {nic}")
                    };
                    let _ = writeln!(program, "l{count}: {text} {place}");
                    if *count > 0 && random(5) == 0 {
                        let _ = writeln!(program, "l{count} requires l{}", *count - 1);
                    }
                    *count += 1;
                }
            }
            let mut text = format!("num_ranks {ranks}\n");
            for (rank, program) in programs.iter().enumerate() {
                let _ = write!(text, "rank {rank} {{\n{program}}}\n");
            }
            let goal = read(&text);
            let [latency, send_overhead, receive_overhead, gap] =
                [0; 4].map(|_: u64| (random(3) * 10) as f64);
            let (byte_gap, eager) = (random(2) as f64, 50 + random(2) * 1000);
            let parameters = LogGops {
                latency,
                send_overhead,
                receive_overhead,
                gap,
                byte_gap,
                byte_overhead: 0.0,
                eager,
            };
            let (found, tried) = replay_counted(&goal, &parameters, false);
            let (expected, tried_all) = replay_counted(&goal, &parameters, true);
            assert_eq!(found, expected, "round {round}");
            differ |= tried < tried_all / 2;
        }
        assert!(differ, "no event waited");
    }

    /// Each of n sends and n arrivals is tried twice at most, not n times.
    #[test]
    fn events_that_wait_for_one_processor_are_tried_a_few_times() {
        let sends = "send 100b to 1\n".repeat(2000);
        let receives = "recv 100b from 0\n".repeat(2000);
        let goal = read(&format!("num_ranks 2\nrank 0 {{\n{sends}}}\nrank 1 {{\n{receives}}}\n"));
        let (_, tried) = replay_counted(&goal, &LogGops::default(), false);
        assert!(tried <= 8000, "{tried} events were tried and could not start");
    }
}
