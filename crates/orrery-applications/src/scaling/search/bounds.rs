//! Lower bounds: for each time limit in a layout, the best rank that a run can have.

use super::problem::{Objective, Search};
use super::solution::Rank;
use crate::scaling::Layout;
use orrery_base::units::Seconds;

/// The work of computing the time of an element, in steps: a sum of products of powers.
const STEPS_PER_TIME: u64 = 100;

/// One way to use elements of a kind in a layout: a number of processes per element, with its time
/// and capacity.
#[derive(Debug, Clone, Copy)]
pub(super) struct KindOption {
    /// The index of the kind.
    pub(super) kind: usize,
    /// The processes on each element.
    pub(super) processes: u32,
    /// The largest number of elements that can take part.
    pub(super) elements: u32,
    /// The time of an element.
    pub(super) seconds: f64,
}

/// The options of all kinds in one layout, by kind, then by processes per element. The buffer is
/// reused between layouts.
#[derive(Debug, Default)]
pub(super) struct KindOptions(pub(super) Vec<KindOption>);

impl KindOptions {
    /// Replaces the options by those of a layout and returns the work in steps.
    ///
    /// An option needs a known time within the deadline and at least one element with enough
    /// memory.
    pub(super) fn fill(&mut self, search: &Search, layout: Layout) -> u64 {
        self.0.clear();
        let bytes = search.bytes(layout);
        let deadline = search.deadline.map_or(f64::INFINITY, Seconds::get);
        let mut steps = 0;
        for (kind, of_kind) in search.kinds.iter().enumerate() {
            let max_processes = of_kind.processes.min(layout.processes);
            steps += STEPS_PER_TIME * u64::from(max_processes);
            for processes in 1..=max_processes {
                let elements = of_kind.room(processes, bytes).min(layout.processes / processes);
                let seconds =
                    search.seconds(kind, processes, layout).filter(|seconds| *seconds <= deadline);
                if let Some(seconds) = seconds.filter(|_| elements > 0) {
                    self.0.push(KindOption { kind, processes, elements, seconds });
                }
            }
        }
        steps
    }

    /// The options that take at most `seconds`.
    pub(super) fn within(&self, seconds: f64) -> impl Iterator<Item = &KindOption> + Clone {
        self.0.iter().filter(move |option| option.seconds <= seconds)
    }
}

/// The capacity of a kind over a set of its options.
#[derive(Debug, Clone, Copy, Default)]
struct Capacity {
    /// The largest number of processes on all elements together.
    processes: u64,
    /// The largest number of processes on one element.
    per_element: u32,
}

impl Capacity {
    /// Adds an option and returns the increase of the number of processes.
    fn add(&mut self, option: KindOption) -> u64 {
        let before = self.processes;
        self.processes = before.max(u64::from(option.processes) * u64::from(option.elements));
        self.per_element = self.per_element.max(option.processes);
        self.processes - before
    }
}

/// Computes the lower bounds of layouts; its buffers are reused between layouts.
#[derive(Debug)]
pub(super) struct LowerBounds {
    objective: Objective,
    /// The weight of an element of each kind.
    weights: Vec<u64>,
    capacities: Vec<Capacity>,
    by_time: Vec<KindOption>,
    /// (weight per process, capacity) of each kind.
    rates: Vec<(f64, u64)>,
    /// The work done, in steps.
    pub(super) steps: u64,
}

impl LowerBounds {
    /// Bounds for kinds of elements with these weights.
    pub(super) fn new(objective: Objective, weights: Vec<u64>) -> Self {
        let capacities = vec![Capacity::default(); weights.len()];
        Self { objective, weights, capacities, by_time: Vec::new(), rates: Vec::new(), steps: 0 }
    }

    /// For each possible time τ of a run with this number of processes, in ascending order: a lower
    /// bound of its rank.
    ///
    /// Times are omitted within which the capacity is smaller than `processes`. With `best_only`,
    /// ranks at the end that have a higher value than an earlier one may be omitted.
    pub(super) fn ranks(
        &mut self,
        processes: u32,
        options: &KindOptions,
        best_only: bool,
    ) -> Vec<Rank> {
        self.by_time.clone_from(&options.0);
        self.by_time.sort_unstable_by(|a, b| a.seconds.total_cmp(&b.seconds));
        self.steps += 20 * options.0.len() as u64;
        let min_weight = if best_only { self.min_weight_at_any_time(processes) } else { 0 };
        self.capacities.fill(Capacity::default());
        let mut ranks = Vec::new();
        let mut min_value = f64::INFINITY;
        let mut capacity = 0;
        // With each further option the time limit rises and the capacities grow, so that one pass
        // computes the bounds of all limits.
        for index in 0..self.by_time.len() {
            let option = self.by_time[index];
            let seconds = option.seconds;
            // Later limits have at least this time and this weight: none has a lower value.
            if best_only && self.objective.value(seconds, min_weight) > min_value {
                break;
            }
            capacity += self.capacities[option.kind].add(option);
            let is_last_of_limit =
                self.by_time.get(index + 1).is_none_or(|next| next.seconds > seconds);
            if is_last_of_limit && capacity >= u64::from(processes) {
                let weight = self.min_weight(processes);
                // If weights differ, the number of elements is only known for a selection.
                let elements = if self.objective == Objective::Cost { 0 } else { weight as u64 };
                let value = self.objective.value(seconds, weight);
                min_value = min_value.min(value);
                ranks.push(Rank { value, seconds, weight, elements });
            }
        }
        ranks
    }

    /// The lower bound of the weight without a time limit.
    fn min_weight_at_any_time(&mut self, processes: u32) -> u128 {
        self.capacities.fill(Capacity::default());
        for &option in &self.by_time {
            self.capacities[option.kind].add(option);
        }
        self.min_weight(processes)
    }

    /// A lower bound of Σ a_k·weight_k by linear relaxation: kinds in the order of their weight per
    /// process take as many processes as they can, on fractions of elements.
    fn min_weight(&mut self, processes: u32) -> u128 {
        self.rates.clear();
        self.steps += 10 * self.weights.len() as u64;
        let kinds = self
            .capacities
            .iter()
            .zip(&self.weights)
            .filter(|(capacity, _)| capacity.per_element > 0);
        for (capacity, weight) in kinds {
            self.rates.push((*weight as f64 / f64::from(capacity.per_element), capacity.processes));
        }
        self.rates.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut left = u64::from(processes);
        let mut sum = 0.0;
        for &(rate, capacity) in &self.rates {
            let taken = left.min(capacity);
            sum += rate * taken as f64;
            left -= taken;
        }
        // Rounding must not raise the bound above an attainable sum.
        (sum * (1.0 - 1e-12)).ceil() as u128
    }
}
