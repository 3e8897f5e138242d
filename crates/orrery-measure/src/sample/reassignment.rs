//! Moves of processors between groups, by the times of the exchanges of each.

use std::collections::BTreeMap;

use super::equal_shares::{EqualShares, Exchanges};
use orrery_base::numeric::parallel_map;
use orrery_cluster::platform::Processor;

/// The largest part of the measured pairs of a processor with a group that were slowed, if the
/// processor may be in the group.
const MAX_SLOWED: f64 = 1.0 / 3.0;

/// The largest number of times that all processors are compared with all groups.
const MAX_PASSES: usize = 16;

/// The smallest decrease of the squared errors of a processor by which it moves, in units of the
/// mean squared error if this exceeds the variance: significance 0.001 of one parameter.
const MIN_GAIN: f64 = 10.83;

/// Moves processors to the groups that explain the times of their exchanges best, as long as all
/// times are explained better.
///
/// Times follow from equal shares of the links of groups. These ignore common links of several
/// groups: where they explain times badly, only large gains count. Groups that lose all processors
/// are not returned.
pub(super) fn reassigned(groups: &[Vec<Processor>], exchanges: &Exchanges) -> Vec<Vec<Processor>> {
    let mut present = EqualShares::of_groups(exchanges, groups);
    for _ in 0..MAX_PASSES {
        let next = EqualShares::new(exchanges, best_groups(&present), groups.len());
        if next.group_of == present.group_of || next.cost() >= present.cost() {
            break;
        }
        present = next;
    }
    let mut moved = vec![Vec::new(); groups.len()];
    for (one, group) in (0..).map(Processor).zip(&present.group_of) {
        if let Some(group) = *group {
            moved[group].push(one);
        }
    }
    moved.retain(|group| !group.is_empty());
    moved.sort_unstable();
    moved
}

/// The group of each processor that explains its exchanges best while the others stay; the present
/// one if no other is better.
fn best_groups(present: &EqualShares<'_>) -> Vec<Option<usize>> {
    let mean = present.cost() / present.exchanges.all.len().max(1) as f64;
    let best = |one: usize| {
        let own = present.group_of[one]?;
        let is_possible = possible_groups(present, one);
        let targets = (0..present.delays.len()).filter(|&group| group != own && is_possible[group]);
        let costs = targets.map(|group| (cost_in(present, one, own, group), group));
        let enough = cost_in(present, one, own, own) - MIN_GAIN * mean.max(1.0);
        let best = costs.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|(cost, _)| *cost < enough);
        Some(best.map_or(own, |(_, group)| group))
    };
    parallel_map(present.group_of.len(), best)
}

/// For each group, true if at most a third of the measured pairs of processor `one` with it were
/// slowed, so that it may be in the group; also if none was measured. Pairs within a group are
/// never slowed, but some processors may be in a wrong group.
fn possible_groups(present: &EqualShares<'_>, one: usize) -> Vec<bool> {
    let mut is_slowed: BTreeMap<usize, bool> = BTreeMap::new();
    for exchange in present.exchanges.own[one].iter().map(|&number| &present.exchanges.all[number])
    {
        let others = exchange.pair.map(Processor::index).into_iter().filter(|other| *other != one);
        others.for_each(|other| *is_slowed.entry(other).or_default() |= exchange.is_slowed);
    }
    let mut counts = vec![(0, 0); present.delays.len()];
    for (other, is_slowed) in is_slowed {
        let count = present.group_of[other].map(|group| &mut counts[group]);
        count
            .into_iter()
            .for_each(|(slowed, all)| (*slowed, *all) = (*slowed + i32::from(is_slowed), *all + 1));
    }
    counts
        .into_iter()
        .map(|(slowed, all)| f64::from(slowed) <= MAX_SLOWED * f64::from(all))
        .collect()
}

/// The weighted squared errors of the exchanges of a processor of the group `own` if it was in the
/// group `target`.
///
/// The times that a link determines are measured: if it has more processors, and so more load, its
/// delay is smaller. The delay is assumed to be inversely proportional to their number.
fn cost_in(present: &EqualShares<'_>, one: usize, own: usize, target: usize) -> f64 {
    let EqualShares { exchanges, group_of, members, counts, delays } = present;
    let error = |&number: &usize| {
        let exchange = &exchanges.all[number];
        let counts = &counts[exchange.set];
        let [i, j] = exchange.pair.map(Processor::index);
        let other = group_of[if i == one { j } else { i }];
        if other == Some(target) {
            return exchange.squared_error(0.0);
        }
        let share = |group: usize| counts[group] * delays[group];
        // The share with one more pair on the link, if the group has so many processors.
        let with_pair = |group: usize, after: f64| {
            (counts[group] + 1.0) * delays[group] * members[group] / after
        };
        let at_target =
            if target == own { share(own) } else { with_pair(target, members[target] + 1.0) };
        let at_other = match other {
            Some(other) if other == own => with_pair(own, members[own] - 1.0),
            other => other.map_or(0.0, share),
        };
        exchange.squared_error(exchange.size * at_target.max(at_other))
    };
    exchanges.own[one].iter().map(error).sum()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use rand::seq::SliceRandom;

    use super::*;
    use crate::sample::{ExchangeSet, ExchangeTime, MeasuredSet};
    use orrery_base::units::Bytes;

    /// Three groups of six processors.
    fn truth() -> Vec<Vec<Processor>> {
        (0..3).map(|group| (6 * group..6 * group + 6).map(Processor).collect()).collect()
    }

    /// Random pairs of all processors; six pairs on the link of a group take up to 1.8 times as
    /// long as by themselves.
    fn measured(seed: u64) -> Vec<MeasuredSet> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut order: Vec<Processor> = Processor::first(18).collect();
        let set = |_| {
            order.shuffle(&mut rng);
            let set = ExchangeSet::new(
                order.chunks(2).map(|pair| (pair[0], pair[1])),
                Bytes::new(1 << 17),
            );
            let crossing = |&(i, j): &(Processor, Processor)| {
                let [a, b] = [i, j].map(|one| one.index() / 6);
                if a == b { vec![] } else { vec![a, b] }
            };
            let mut counts = [0.0; 3];
            set.pairs().iter().flat_map(crossing).for_each(|group| counts[group] += 1.0);
            let time = |seconds| ExchangeTime { seconds, deviation: 0.01 * seconds, readings: 5 };
            let alone = |&(i, j): &(Processor, Processor)| 1.0 + 0.1 * f64::from(i.0.max(j.0) % 5);
            let together = |pair| {
                crossing(pair)
                    .into_iter()
                    .map(|group| 0.3 * counts[group])
                    .fold(alone(pair), f64::max)
            };
            MeasuredSet {
                alone: set.pairs().iter().map(|pair| time(alone(pair))).collect(),
                together: set.pairs().iter().map(|pair| time(together(pair))).collect(),
                set,
            }
        };
        (0..40).map(set).collect()
    }

    #[test]
    fn processors_return_to_their_groups() {
        for seed in 0..8 {
            let exchanges = Exchanges::new(&measured(seed));
            assert_eq!(reassigned(&truth(), &exchanges), truth(), "{seed}");
            let wrong =
                [vec![0, 1, 2, 3, 4, 12], vec![5, 6, 7, 8, 9, 10, 11], vec![13, 14, 15, 16, 17]];
            let wrong = wrong.map(|group| group.into_iter().map(Processor).collect());
            assert_eq!(reassigned(&wrong, &exchanges), truth(), "{seed}");
        }
    }

    #[test]
    fn processors_stay_where_nothing_is_slowed() {
        let mut sets = measured(1);
        sets.iter_mut().for_each(|set| set.together.clone_from(&set.alone));
        let groups = [vec![Processor(0)], (1..18).map(Processor).collect()];
        assert_eq!(reassigned(&groups, &Exchanges::new(&sets)), groups);
    }
}
