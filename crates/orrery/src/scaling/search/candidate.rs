use std::cmp::Ordering;

use super::objective::{core_hours, cost, price};
use super::{Search, SearchError};
use crate::run::{Configuration, Share};
use crate::scaling::Layout;
use crate::units::Seconds;

/// A configuration and what it comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The elements that take part, and their processes.
    pub configuration: Configuration,
    /// How the processes are laid out.
    pub layout: Layout,
    /// The time T of the run: that of its slowest elements.
    pub time: Seconds,
    /// The core-hours of the run, T/3600·Σ a_k.
    pub core_hours: f64,
    /// The cost of the run, where all kinds that take part have a price.
    pub cost: Option<f64>,
    /// What the search minimises, in its unit.
    pub value: f64,
}

/// A selection in a layout, as the search keeps it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) rank: Rank,
    pub(super) layout: Layout,
    /// (elements, processes on each) of each kind; (0, 0) of one that is left out.
    pub(super) selection: Vec<(u32, u32)>,
}

/// What makes one configuration better than another, in this order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rank {
    pub(super) value: f64,
    pub(super) seconds: f64,
    pub(super) weight: u128,
    pub(super) elements: u64,
}

impl Rank {
    pub(super) fn order(&self, other: &Self) -> Ordering {
        self.value
            .total_cmp(&other.value)
            .then(self.seconds.total_cmp(&other.seconds))
            .then(self.weight.cmp(&other.weight))
            .then(self.elements.cmp(&other.elements))
    }
}

impl Eq for Found {}

impl Ord for Found {
    fn cmp(&self, other: &Self) -> Ordering {
        let rank = self.rank.order(&other.rank);
        rank.then(self.layout.cmp(&other.layout)).then_with(|| self.selection.cmp(&other.selection))
    }
}

impl PartialOrd for Found {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Search<'_> {
    /// A selection as others see it.
    pub(super) fn candidate(&self, found: &Found) -> Result<Candidate, SearchError> {
        let Found { rank, layout, selection } = found;
        let used = || self.kinds.iter().zip(selection).filter(|(_, (elements, _))| *elements > 0);
        let share = |(kind, &(elements, processes)): (&crate::platform::Kind, &(u32, u32))| Share {
            kind: kind.name.clone(),
            elements,
            processes,
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
