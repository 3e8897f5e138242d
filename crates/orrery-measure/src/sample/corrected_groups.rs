//! Groups of processors that may share a link, corrected by the times of all exchanges.

use super::MeasuredSet;
use super::equal_shares::{EqualShares, Exchanges};
use super::reassignment::reassigned;
use super::suggested_groups::{distinct, located, parts};
use orrery_cluster::platform::Processor;

/// The groups that may share a link: as [`suggested_groups`](super::suggested_groups), but each
/// processor is moved to the group that explains its times best, and those groups are joined first
/// whose links explain the times between them best.
///
/// A campaign chooses further sets by suggested groups: its first sets say too little about loads.
pub fn corrected_groups(sets: &[MeasuredSet]) -> Vec<Vec<Processor>> {
    let all = located(sets);
    let exchanges = Exchanges::new(sets);
    let parts = reassigned(&parts(&all, sets), &exchanges);
    let unions = unions(&parts, EqualShares::of_groups(&exchanges, &parts).excess());
    distinct(parts.into_iter().chain(unions), &all)
}

/// Unions of parts: each step joins the two groups with the smallest mean excess of the exchanges
/// between them, as [`EqualShares::excess`] returns it.
fn unions(parts: &[Vec<Processor>], mut excess: Vec<Vec<(f64, usize)>>) -> Vec<Vec<Processor>> {
    let mut groups = parts.to_vec();
    let mut unions = Vec::new();
    while groups.len() > 2 {
        let pairs = (0..groups.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        let measured = pairs.filter(|&(a, b)| excess[a][b].1 > 0);
        let means = measured.map(|(a, b)| (excess[a][b].0 / excess[a][b].1 as f64, a, b));
        let Some((_, a, b)) = means.min_by(|x, y| x.0.total_cmp(&y.0)) else { break };
        let joined = groups.swap_remove(b);
        groups[a].extend(joined);
        groups[a].sort_unstable();
        unions.push(groups[a].clone());
        // As the groups, the sums of b are added to those of a, and the last ones take their place.
        let add = |to: &mut (f64, usize), from: (f64, usize)| *to = (to.0 + from.0, to.1 + from.1);
        let row = excess.swap_remove(b);
        excess[a].iter_mut().zip(row).for_each(|(to, from)| add(to, from));
        for row in &mut excess {
            let from = row.swap_remove(b);
            add(&mut row[a], from);
        }
    }
    unions
}

#[cfg(test)]
mod tests {
    use super::super::{ExchangeSet, ExchangeTime};
    use super::*;
    use orrery_base::units::Bytes;

    /// Four groups of four processors, of which the first two and the last two have a common link.
    /// Only the last set saturates it: in the others two groups send to each other, less if they
    /// have no common link, and the others within themselves.
    fn measured() -> Vec<MeasuredSet> {
        let within = |group: u32, shift: usize| {
            let pairs = [[(0, 1), (2, 3)], [(0, 2), (1, 3)], [(0, 3), (1, 2)]][shift % 3];
            pairs.map(|(a, b)| (4 * group + a, 4 * group + b))
        };
        let mut sets: Vec<Vec<(u32, u32)>> = Vec::new();
        for (a, b) in (0..4).flat_map(|b| (0..b).map(move |a| (a, b))) {
            for shift in 0..4 {
                let others = (0..4).filter(|group| *group != a && *group != b);
                let count = if a / 2 == b / 2 { 4 } else { 3 };
                let between = (0..count).map(|one| (4 * a + one, 4 * b + (one + shift as u32) % 4));
                sets.push(between.chain(others.flat_map(|group| within(group, shift))).collect());
            }
        }
        sets.push((0..8).map(|one| (one, one + 8)).collect());
        let measured = |pairs: Vec<(u32, u32)>| {
            let pairs = pairs.into_iter().map(|(a, b)| (Processor(a), Processor(b)));
            let set = ExchangeSet::new(pairs, Bytes::new(1 << 17));
            let passing = |size: u32, group: u32| {
                let passes = |(i, j): &&(Processor, Processor)| {
                    (i.0 / size == group) != (j.0 / size == group)
                };
                set.pairs().iter().filter(passes).count() as f64
            };
            let together = |&(i, j): &(Processor, Processor)| {
                let share = |size: u32, delay: f64| {
                    let ends = [i.0 / size, j.0 / size];
                    if ends[0] == ends[1] {
                        0.0
                    } else {
                        ends.map(|end| delay * passing(size, end)).into_iter().fold(0.0, f64::max)
                    }
                };
                share(4, 0.4).max(share(8, 0.3)).max(1.0)
            };
            let time = |seconds| ExchangeTime { seconds, deviation: 0.01 * seconds, readings: 5 };
            let alone = set.pairs().iter().map(|_| time(1.0)).collect();
            let together = set.pairs().iter().map(|pair| time(together(pair))).collect();
            MeasuredSet { set, alone, together }
        };
        sets.into_iter().map(measured).collect()
    }

    #[test]
    fn groups_with_a_common_link_are_joined_if_one_set_saturates_it() {
        let group = |range: std::ops::Range<u32>| range.map(Processor).collect::<Vec<_>>();
        let groups = corrected_groups(&measured());
        for expected in [group(0..4), group(4..8), group(8..12), group(12..16)] {
            assert!(groups.contains(&expected), "{groups:?}");
        }
        assert!(groups.contains(&group(0..8)) || groups.contains(&group(8..16)), "{groups:?}");
    }
}
