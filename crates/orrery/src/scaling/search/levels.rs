//! What a layout may come to: for each time that a run in it can take, a bound of its rank.

use super::candidate::Rank;
use super::choices::{KindOption, KindOptions};
use super::objective::Objective;

/// What bounds need to know of one kind: its choices so far, taken together.
#[derive(Debug, Clone, Copy, Default)]
struct Capacity {
    /// The most processes in all.
    processes: u64,
    /// The most processes on one element.
    most: u32,
}

impl Capacity {
    /// Takes a choice in, and returns how many processes there is room for that there was not before.
    fn join(&mut self, choice: KindOption) -> u64 {
        let before = self.processes;
        self.processes = before.max(u64::from(choice.processes) * u64::from(choice.elements));
        self.most = self.most.max(choice.processes);
        self.processes - before
    }
}

/// Finds the bounds of layouts; kept for its memory.
#[derive(Debug)]
pub(super) struct Bounds {
    objective: Objective,
    weights: Vec<u64>,
    capacities: Vec<Capacity>,
    by_time: Vec<KindOption>,
    order: Vec<(f64, u64)>,
    /// The steps taken.
    pub(super) steps: u64,
}

impl Bounds {
    pub(super) fn new(objective: Objective, weights: Vec<u64>) -> Self {
        let capacities = vec![Capacity::default(); weights.len()];
        Self { objective, weights, capacities, by_time: Vec::new(), order: Vec::new(), steps: 0 }
    }

    /// For each time τ that a run of so many processes may take: the rank that it has at best, none above it. Left out
    /// are times within which there is not room enough. In the order of τ.
    ///
    /// With `best`, ranks may be left out at the end that have a higher value than one before them.
    pub(super) fn levels(&mut self, processes: u32, choices: &KindOptions, best: bool) -> Vec<Rank> {
        self.by_time.clone_from(&choices.0);
        self.by_time.sort_unstable_by(|a, b| a.seconds.total_cmp(&b.seconds));
        self.steps += 20 * choices.0.len() as u64;
        let least = if best { self.least_of_all(processes) } else { 0 };
        self.capacities.fill(Capacity::default());
        let (mut levels, mut lowest, mut room) = (Vec::new(), f64::INFINITY, 0);
        for at in 0..self.by_time.len() {
            let choice = self.by_time[at];
            let seconds = choice.seconds;
            if best && self.objective.value(seconds, least) > lowest {
                break;
            }
            room += self.capacities[choice.kind].join(choice);
            let last = self.by_time.get(at + 1).is_none_or(|next| next.seconds > seconds);
            if last && room >= u64::from(processes) {
                let weight = self.least(processes);
                // Where elements weigh differently, their number is only told by the selection.
                let elements = if self.objective == Objective::Cost { 0 } else { weight as u64 };
                let value = self.objective.value(seconds, weight);
                lowest = lowest.min(value);
                levels.push(Rank { value, seconds, weight, elements });
            }
        }
        levels
    }

    /// The bound of the weight, whatever the time.
    fn least_of_all(&mut self, processes: u32) -> u128 {
        self.capacities.fill(Capacity::default());
        for &choice in &self.by_time {
            self.capacities[choice.kind].join(choice);
        }
        self.least(processes)
    }

    /// A lower bound of Σ a_k·weight_k: kinds with the lowest weight per process take as many as they can, in fractions
    /// of elements.
    fn least(&mut self, processes: u32) -> u128 {
        self.order.clear();
        self.steps += 10 * self.weights.len() as u64;
        for (capacity, weight) in self.capacities.iter().zip(&self.weights).filter(|(capacity, _)| capacity.most > 0) {
            self.order.push((*weight as f64 / f64::from(capacity.most), capacity.processes));
        }
        self.order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let (mut left, mut sum) = (u64::from(processes), 0.0);
        for &(rate, capacity) in &self.order {
            let taken = left.min(capacity);
            sum += rate * taken as f64;
            left -= taken;
        }
        // Rounding must not lift the bound above a sum that can be reached.
        (sum * (1.0 - 1e-12)).ceil() as u128
    }
}
