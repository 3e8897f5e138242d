//! Configurations that a search finds, and the optimality proof of the best one.

use std::cmp::Ordering;
use std::fmt;

use super::problem::{Search, core_hours, cost, price};
use crate::run::{Configuration, Share};
use crate::scaling::{ForecastError, Layout};
use orrery_base::units::Seconds;

/// A configuration with its layout, time and cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The elements that take part, and the processes on each.
    pub configuration: Configuration,
    /// The layout of the processes.
    pub layout: Layout,
    /// The time T of the run: that of its slowest elements.
    pub time: Seconds,
    /// The core-hours of the run, T/3600·Σ a_k.
    pub core_hours: f64,
    /// The cost of the run; `None` if a kind that takes part has no price.
    pub cost: Option<f64>,
    /// The objective value, in the unit of the objective.
    pub value: f64,
}

/// A selection of elements in a layout, with its rank.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Solution {
    pub(super) rank: Rank,
    pub(super) layout: Layout,
    /// (elements, processes on each) of each kind; (0, 0) for a kind that does not take part.
    pub(super) selection: Vec<(u32, u32)>,
}

/// The sort key of solutions: objective value, then time, weight and number of elements; smaller is
/// better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rank {
    pub(super) value: f64,
    pub(super) seconds: f64,
    pub(super) weight: u128,
    pub(super) elements: u64,
}

impl Rank {
    /// Compares two ranks lexicographically.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        self.value
            .total_cmp(&other.value)
            .then(self.seconds.total_cmp(&other.seconds))
            .then(self.weight.cmp(&other.weight))
            .then(self.elements.cmp(&other.elements))
    }
}

impl Eq for Solution {}

impl Ord for Solution {
    fn cmp(&self, other: &Self) -> Ordering {
        let rank = self.rank.order(&other.rank);
        rank.then(self.layout.cmp(&other.layout)).then_with(|| self.selection.cmp(&other.selection))
    }
}

impl PartialOrd for Solution {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Search<'_> {
    /// Converts a solution to a public candidate.
    pub(super) fn candidate(&self, solution: &Solution) -> Result<Candidate, ForecastError> {
        let Solution { rank, layout, selection } = solution;
        let used = || self.kinds.iter().zip(selection).filter(|(_, (elements, _))| *elements > 0);
        let share =
            |(kind, &(elements, processes)): (&orrery_cluster::platform::Kind, &(u32, u32))| {
                Share { kind: kind.name.clone(), elements, processes }
            };
        let mut total = Some(0);
        for (kind, &(elements, _)) in used() {
            let price = price(kind)?.map(|price| u128::from(price) * u128::from(elements));
            total = total.zip(price).map(|(total, price)| total + price);
        }
        Ok(Candidate {
            configuration: Configuration { shares: used().map(share).collect() },
            layout: *layout,
            time: Seconds::new(rank.seconds),
            core_hours: core_hours(rank.seconds, rank.elements as f64),
            cost: total.map(|total| cost(rank.seconds, total)),
            value: rank.value,
        })
    }
}

/// The lower bound that proves a configuration optimal, with counts of the work behind it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OptimalityProof {
    /// The number of selections of elements and processes, Π (1 + n_k·M_k) − 1; each is considered
    /// with every layout of its number of processes.
    pub selections: f64,
    /// The number of layouts.
    pub layouts: u64,
    /// The number of layouts that were examined; all others were pruned by their lower bounds.
    pub examined_layouts: u64,
    /// The number of (layout, time limit) pairs that were tested for feasibility.
    pub feasibility_tests: u64,
    /// The number of dynamic programs that were solved.
    pub dynamic_programs: u64,
    /// The work done, in steps of about one nanosecond.
    pub steps: u64,
    /// The objective value of the best configuration found.
    pub best_value: f64,
    /// A lower bound of the objective values of all configurations.
    pub lower_bound: f64,
}

impl OptimalityProof {
    /// Returns true if no configuration can be better than the best one found.
    pub fn is_optimal(&self) -> bool {
        self.lower_bound >= self.best_value
    }

    /// The optimality gap: an upper bound of the possible improvement, relative to the best value;
    /// 0 for an optimum.
    pub fn gap(&self) -> f64 {
        if self.is_optimal() { 0.0 } else { 1.0 - self.lower_bound / self.best_value }
    }
}

impl fmt::Display for OptimalityProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            selections, layouts, examined_layouts, feasibility_tests, dynamic_programs, ..
        } = *self;
        let others = if self.is_optimal() {
            write!(f, "proven optimal: ")?;
            "pruned by lower bounds"
        } else {
            write!(
                f,
                "work limit reached, up to {:.1} % better configurations may exist: ",
                100.0 * self.gap()
            )?;
            "not examined"
        };
        let selections =
            if selections < 1e6 { format!("{selections}") } else { format!("{selections:.1e}") };
        write!(
            f,
            "{selections} selections of elements in {layouts} layouts; {examined_layouts} \
                examined, {} {others}; \
             feasibility tests: {feasibility_tests}; dynamic programs: {dynamic_programs}",
            layouts - examined_layouts
        )
    }
}
