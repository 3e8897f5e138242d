//! The rival of the model: rules that read whole rounds of rows and look times up at the nearest
//! size.

use std::collections::{BTreeMap, BTreeSet};

use orrery::collective::measured::{CollectiveReadings, Implementation, Point, Row};

use super::{losses, mean_loss};

use crate::prelude::*;

/// A look-up rule.
#[expect(clippy::struct_excessive_bools, reason = "independent settings")]
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The places of the first sizes in the ascending list, in quarters of its length.
    order: [usize; 5],
    /// The number of rounds, one size each, that read all algorithms.
    first: usize,
    /// The number of algorithms, the fastest so far, that later rounds read.
    best: usize,
    /// True if the default is read, too.
    with_default: bool,
    /// True if the first launch is read, false for the last one.
    first_launch: bool,
    /// True if later rounds leave out algorithms that are twice as slow as the fastest.
    within_two: bool,
    /// True if the times of an algorithm are those at its own nearest size, false for the nearest
    /// size of all.
    by_algorithm: bool,
}

impl Rule {
    /// All rules.
    pub fn all() -> Vec<Self> {
        let orders = [[2, 4, 0, 3, 1], [4, 0, 2, 3, 1], [1, 3, 2, 4, 0], [3, 1, 4, 2, 0]];
        let mut rules = Vec::new();
        for order in orders {
            for (first, best) in [1, 2, usize::MAX]
                .into_iter()
                .flat_map(|first| [2, 3, 4, 6].map(|best| (first, best)))
            {
                for flags in 0..16 {
                    let flag = |bit: u32| flags >> bit & 1 == 1;
                    let (with_default, first_launch, within_two, by_algorithm) =
                        (flag(0), flag(1), flag(2), flag(3));
                    if first < usize::MAX || best == 2 && !within_two {
                        rules.push(Self {
                            order,
                            first,
                            best,
                            with_default,
                            first_launch,
                            within_two,
                            by_algorithm,
                        });
                    }
                }
            }
        }
        rules
    }

    /// The mean loss of the choices of the rule with this number of rows.
    pub fn regret(&self, readings: &CollectiveReadings, budget: usize) -> f64 {
        let read = self.read(readings, budget);
        mean_loss(&losses(readings, |point| Some(self.choice(read.get(&point.operation)?, point))))
    }

    /// The times that the rule reads; `None` is the default.
    fn read(
        &self,
        readings: &CollectiveReadings,
        budget: usize,
    ) -> BTreeMap<CollectiveKind, Times> {
        let mut all: BTreeMap<CollectiveKind, BTreeMap<u64, BTreeMap<Choice, f64>>> =
            BTreeMap::new();
        let algorithms = readings.times.iter().map(|(row, seconds)| {
            let Row { point, implementation, launch } = *row;
            (point, launch, Some(implementation), *seconds)
        });
        let defaults = readings
            .defaults
            .iter()
            .map(|(&(point, launch), seconds)| (point, launch, None, *seconds));
        let mut rows: Vec<_> = algorithms.chain(defaults).collect();
        rows.sort_by_key(
            |&(_, launch, ..)| if self.first_launch { launch } else { u32::MAX - launch },
        );
        for (point, _, choice, seconds) in rows {
            let times =
                all.entry(point.operation).or_default().entry(point.size.get()).or_default();
            times.entry(choice).or_insert(seconds);
        }
        let mut read: BTreeMap<CollectiveKind, Times> = BTreeMap::new();
        let orders: BTreeMap<CollectiveKind, Vec<u64>> = all
            .iter()
            .map(|(&kind, sizes)| (kind, self.sizes(&sizes.keys().copied().collect::<Vec<_>>())))
            .collect();
        let (rounds, mut count) = (orders.values().map(Vec::len).max().unwrap_or(0), 0);
        for round in 0..rounds {
            for (kind, order) in &orders {
                let Some(size) = order.get(round) else { continue };
                let times = &all[kind][size];
                let known = read.entry(*kind).or_default();
                let mut chosen: Vec<Choice> = times
                    .keys()
                    .copied()
                    .filter(|choice| self.with_default || choice.is_some())
                    .collect();
                if round >= self.first {
                    let score =
                        |choice: &Choice| nearest(known, *choice, *size).unwrap_or(f64::INFINITY);
                    chosen.sort_by(|a, b| score(a).total_cmp(&score(b)));
                    let limit = chosen.first().map_or(f64::INFINITY, |first| 2.0 * score(first));
                    chosen.retain(|choice| {
                        !self.within_two || score(choice) <= limit || score(choice).is_infinite()
                    });
                    chosen.truncate(self.best);
                }
                for choice in chosen {
                    if count >= budget {
                        return read;
                    }
                    known.insert((choice, *size), times[&choice]);
                    count += 1;
                }
            }
        }
        read
    }

    /// The sizes in the order of reading.
    fn sizes(&self, ascending: &[u64]) -> Vec<u64> {
        let n = ascending.len();
        let places = self.order.map(|quarter| if quarter == 4 { n - 1 } else { quarter * n / 4 });
        let mut order = Vec::new();
        for place in places.into_iter().chain(0..n) {
            if !order.contains(&ascending[place]) {
                order.push(ascending[place]);
            }
        }
        order
    }

    /// The ranking at a point, and whether the default comes first.
    fn choice(&self, read: &Times, point: Point) -> (Vec<Implementation>, bool) {
        let size = point.size.get();
        let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
        read.keys().for_each(|&(_, size)| *counts.entry(size).or_default() += 1);
        let several = counts.iter().filter(|(_, count)| **count > 1).map(|(size, _)| *size);
        let common = several.min_by(|&a, &b| distance(a, size).total_cmp(&distance(b, size)));
        let choices: BTreeSet<Choice> = read.keys().map(|(choice, _)| *choice).collect();
        let mut ranked: Vec<(Choice, f64)> = match common.filter(|_| !self.by_algorithm) {
            Some(common) => {
                choices.iter().filter_map(|&c| Some((c, *read.get(&(c, common))?))).collect()
            }
            None => choices
                .iter()
                .filter_map(|&choice| Some((choice, nearest(read, choice, size)?)))
                .collect(),
        };
        ranked.sort_by(|a, b| a.1.total_cmp(&b.1));
        let keeps_default = ranked.first().is_none_or(|(choice, _)| choice.is_none());
        (ranked.into_iter().filter_map(|(choice, _)| choice).collect(), keeps_default)
    }
}

/// An implementation, or the default.
type Choice = Option<Implementation>;

/// The times of an operation that are read.
type Times = BTreeMap<(Choice, u64), f64>;

/// The distance of two sizes in doublings.
fn distance(a: u64, b: u64) -> f64 {
    (a as f64 / b as f64).ln().abs()
}

/// The time of a choice at the nearest size at which it was read.
fn nearest(read: &Times, choice: Choice, size: u64) -> Option<f64> {
    let own = read.iter().filter(|((one, _), _)| *one == choice);
    own.min_by(|((_, a), _), ((_, b), _)| distance(*a, size).total_cmp(&distance(*b, size)))
        .map(|(_, time)| *time)
}
