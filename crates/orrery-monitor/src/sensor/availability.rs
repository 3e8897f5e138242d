//! The part of one processor that a new process would get, from idle times and short probes.

use std::collections::VecDeque;
use std::time::Duration;

use orrery::numeric::median;

/// The number of probes whose sums give the claim.
const MAX_PROBES: usize = 12;

/// A processor with a larger busy part is never idle.
const SATURATED: f64 = 0.95;

/// The number of probes whose median gives the claim at a processor that is never idle: each moment
/// is like another there. Two of three follow a further process soon, and leave out one that met
/// other processes.
const SATURATED_PROBES: usize = 3;

/// The time after which a busy processor is probed again.
const PROBE_PERIOD: Duration = Duration::from_secs(10);

/// A larger difference between two usages is one of the processes: it starts a probe at once, and
/// probes of other processes do not count for the claim.
const MAX_DIFFERENCE: f64 = 0.2;

/// A processor with a smaller busy part is not probed.
const MIN_BUSY: f64 = 0.02;

/// The claim before the first probe: one competitor of equal weight, which leaves half.
const FIRST_CLAIM: f64 = 0.5;

/// Estimates the availability: 1 − c·b.
///
/// b is the part of the time in which a new process has no idle processor: b = 1 − min(1, I) for
/// the sum I of the idle parts of the processors; it is measured without cost over the whole time
/// between samples. c is the claim, the part of their busy time that the present processes keep
/// when another one competes: 1/2 for one that always runs, n/(n + 1) for n of them, 1 for one that
/// needs a fixed processor time or has priority, 0 for one of the lowest priority. Idle times do
/// not distinguish these; a probe that spins for 0.1 s does. With probes that get parts aᵢ at busy
/// parts bᵢ, c = Σ (1 − aᵢ) / Σ bᵢ over the last probes at such a usage.
///
/// The combination of idle times with probes that correct them is that of the Network Weather
/// Service (Wolski, Spring, Hayes: Cluster Computing 3, 2000), whose correction is added, not
/// multiplied.
#[derive(Debug, Clone, Default)]
pub struct Availability {
    probes: VecDeque<Probe>,
    last_probe: Option<(Duration, Usage)>,
    limit: Option<f64>,
}

/// How processors were used between two samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Usage {
    /// The busy part b of the time, 0 to 1.
    pub busy: f64,
    /// The part of the time used by processes of low priority, 0 to 1, on average over the
    /// processors.
    pub low_priority: f64,
}

impl Usage {
    /// The usage with these idle parts of the processors in sum, and this part of low priority.
    pub fn new(idle: f64, low_priority: f64) -> Self {
        Self { busy: 1.0 - idle.clamp(0.0, 1.0), low_priority: low_priority.clamp(0.0, 1.0) }
    }

    /// Returns true if another usage is by about the same processes.
    fn is_like(self, other: Self) -> bool {
        (self.busy - other.busy).abs() <= MAX_DIFFERENCE
            && (self.low_priority - other.low_priority).abs() <= MAX_DIFFERENCE
    }
}

/// What a probe got.
#[derive(Debug, Clone, Copy)]
struct Probe {
    usage: Usage,
    part: f64,
}

/// The relative difference between the part that a probe gets and that of one of equal processes,
/// up to which the processes are equal.
const MAX_UNEQUAL: f64 = 0.25;

/// The part of a processor that a process gets in longer times, at most 1, from the part that a
/// short probe got while these numbers of processes, with the probe, shared the processors.
///
/// A probe of 0.1 s stays on one processor, with ⌈r/P⌉ of r equal processes. In longer times the
/// scheduler moves processes, so that each gets P/r, which is more. A part that is not about
/// 1/⌈r/P⌉ is that of processes with other weights, as of other control groups: it remains.
pub(super) fn balanced(part: f64, runnable: &[u32], processors: usize) -> f64 {
    let processors = processors as f64;
    let shared = || runnable.iter().map(|&count| f64::from(count).max(processors));
    let mean = |of: &dyn Fn(f64) -> f64| shared().map(of).sum::<f64>() / runnable.len() as f64;
    let of_equal = mean(&|count| 1.0 / (count / processors).ceil());
    if runnable.is_empty() || (part / of_equal - 1.0).abs() > MAX_UNEQUAL {
        return part;
    }
    (part * mean(&|count| processors / count * (count / processors).ceil())).min(1.0)
}

impl Availability {
    /// Sets the number of processors that a control group grants, such as 0.5; `None` for no limit.
    pub fn set_limit(&mut self, processors: Option<f64>) {
        self.limit = processors;
    }

    /// Returns true if a probe is worth its cost: the processor is busy, and the last probe is old
    /// or the usage changed.
    pub fn needs_probe(&self, usage: Usage, now: Duration) -> bool {
        usage.busy > MIN_BUSY
            && self.last_probe.is_none_or(|(time, before)| {
                now.saturating_sub(time) >= PROBE_PERIOD || !usage.is_like(before)
            })
    }

    /// Adds a probe: the usage before it and the part of a processor that it got.
    pub fn add_probe(&mut self, usage: Usage, part: f64, now: Duration) {
        self.last_probe = Some((now, usage));
        self.probes.push_back(Probe { usage, part });
        if self.probes.len() > MAX_PROBES {
            self.probes.pop_front();
        }
    }

    /// The claim at a usage, 0 to 1: of the last probes at such a usage, else of the last probes at
    /// all; 1/2 before the first one.
    pub fn claim(&self, usage: Usage) -> f64 {
        let any_like = self.probes.iter().any(|probe| probe.usage.is_like(usage));
        let like = |probe: &&Probe| !any_like || probe.usage.is_like(usage);
        let probes = || self.probes.iter().rev().filter(like);
        if usage.busy > SATURATED && any_like {
            let claim = |probe: &Probe| (1.0 - probe.part) / probe.usage.busy;
            let claims: Vec<f64> = probes().take(SATURATED_PROBES).map(claim).collect();
            return median(&claims).clamp(0.0, 1.0);
        }
        let busy: f64 = probes().map(|probe| probe.usage.busy).sum();
        let lost: f64 = probes().map(|probe| 1.0 - probe.part).sum();
        if busy > 0.0 { (lost / busy).clamp(0.0, 1.0) } else { FIRST_CLAIM }
    }

    /// The availability at a usage, 0 to 1.
    pub fn value(&self, usage: Usage) -> f64 {
        let value = 1.0 - self.claim(usage) * usage.busy;
        value.min(self.limit.unwrap_or(1.0)).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// A usage by processes of usual priority.
    fn busy(part: f64) -> Usage {
        Usage::new(1.0 - part, 0.0)
    }

    /// The availability after a probe with this part at this busy part.
    fn probed(used: f64, part: f64) -> f64 {
        let mut availability = Availability::default();
        availability.add_probe(busy(used), part, seconds(0));
        availability.value(busy(used))
    }

    #[test]
    fn a_probe_is_returned_at_its_busy_part() {
        for (used, part) in [(1.0, 0.5), (1.0, 1.0 / 3.0), (0.5, 0.75), (0.5, 0.5), (1.0, 0.97)] {
            assert!((probed(used, part) - part).abs() < 1e-12, "{used} {part}");
        }
    }

    #[test]
    fn without_probes_half_of_the_busy_part_is_left() {
        let availability = Availability::default();
        assert!((availability.value(busy(1.0)) - 0.5).abs() < 1e-12);
        assert!((availability.value(busy(0.0)) - 1.0).abs() < 1e-12);
        assert!((availability.value(busy(0.4)) - 0.8).abs() < 1e-12);
    }

    #[test]
    fn probes_at_random_moments_of_a_partly_busy_processor_are_averaged() {
        let mut availability = Availability::default();
        for (at, part) in [1.0, 0.5, 0.5, 1.0, 0.5, 1.0, 1.0, 0.5].into_iter().enumerate() {
            availability.add_probe(busy(0.5), part, seconds(at as u64));
        }
        assert!((availability.value(busy(0.5)) - 0.75).abs() < 1e-12);
    }

    #[test]
    fn a_further_process_is_followed_in_two_probes() {
        let mut availability = Availability::default();
        (0..8).for_each(|at| availability.add_probe(busy(1.0), 0.5, seconds(at)));
        (8..10).for_each(|at| availability.add_probe(busy(1.0), 0.25, seconds(at)));
        assert!((availability.value(busy(1.0)) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn one_probe_that_met_other_processes_is_left_out() {
        let value = |parts: &[f64]| {
            let mut availability = Availability::default();
            for (at, part) in parts.iter().enumerate() {
                availability.add_probe(busy(1.0), *part, seconds(at as u64));
            }
            availability.value(busy(1.0))
        };
        assert!((value(&[0.4, 0.4, 0.8]) - 0.4).abs() < 1e-12);
        assert!((value(&[0.4, 0.8, 0.35]) - 0.4).abs() < 1e-12);
        // Two probes are a change.
        assert!((value(&[0.5, 0.5, 0.2, 0.25]) - 0.25).abs() < 1e-12);
        assert!((value(&[0.25, 0.25, 0.25, 0.5, 0.5]) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn short_probes_of_processes_on_several_processors_are_balanced() {
        // Four processes and the probe on two processors: a third of one in the short term.
        assert!((balanced(1.0 / 3.0, &[5; 9], 2) - 0.4).abs() < 1e-12);
        assert!((balanced(0.5, &[3], 2) - 2.0 / 3.0).abs() < 1e-12);
        // One processor, as many processes on each, idle processors, and unknown numbers.
        for (part, runnable, processors) in
            [(0.2, &[5][..], 1), (0.5, &[4], 2), (1.0, &[2], 4), (0.5, &[], 2)]
        {
            assert!((balanced(part, runnable, processors) - part).abs() < 1e-12);
        }
        // Processes of low priority, and those of other groups, have other weights.
        assert!((balanced(0.95, &[5], 2) - 0.95).abs() < 1e-12);
        assert!((balanced(0.12, &[9, 8], 2) - 0.12).abs() < 1e-12);
    }

    #[test]
    fn probes_cost_nothing_when_idle_and_little_otherwise() {
        let mut availability = Availability::default();
        assert!(!availability.needs_probe(busy(0.01), seconds(0)));
        assert!(availability.needs_probe(busy(0.5), seconds(0)));
        availability.add_probe(busy(0.5), 0.5, seconds(0));
        assert!(!availability.needs_probe(busy(0.6), seconds(9)));
        assert!(availability.needs_probe(busy(0.9), seconds(9)));
        assert!(availability.needs_probe(busy(0.6), seconds(10)));
    }

    #[test]
    fn control_groups_limit() {
        let mut availability = Availability::default();
        availability.set_limit(Some(0.25));
        assert!((availability.value(busy(0.0)) - 0.25).abs() < 1e-12);
        assert!(Usage::new(3.5, 0.0).busy.abs() < 1e-12);
        assert!((Usage::new(0.25, 0.0).busy - 0.75).abs() < 1e-12);
    }

    #[test]
    fn processes_of_low_priority_are_distinguished() {
        let (low, usual) = (Usage::new(0.0, 0.95), Usage::new(0.0, 0.05));
        let mut availability = Availability::default();
        availability.add_probe(low, 0.95, seconds(0));
        assert!(
            !availability.needs_probe(low, seconds(1))
                && availability.needs_probe(usual, seconds(1))
        );
        availability.add_probe(usual, 0.5, seconds(1));
        assert!((availability.value(low) - 0.95).abs() < 1e-12);
        assert!((availability.value(usual) - 0.5).abs() < 1e-12);
    }
}
