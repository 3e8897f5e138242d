use std::collections::{BTreeMap, BTreeSet};

use super::{MeasuredSet, Slowdown};
use orrery_base::numeric::{median, partition};
use orrery_cluster::platform::Processor;

/// The similarity of two processors whose pair was slowed, relative to one that was not although
/// others were.
const SIMILARITY_OF_SLOWED: f64 = -3.0;

/// The similarity of two processors if no pair of their sets was slowed: of a group with one
/// strange processor, each set has but one pair that crosses links.
const SIMILARITY_OF_QUIET: f64 = 0.1;

/// The groups of processors that may share a link, as sets of exchanges suggest, each with its
/// processors in ascending order.
///
/// Two groups overlap only if one contains the other. Of two groups that are all processors
/// together, one is left out: they share the same link.
///
/// The smallest groups are those whose pairs were never slowed. A pair that was not slowed in one
/// set may be in another, in which more pairs meet on its link. The other groups are unions of
/// those that slow each other least. Processors too slow to be slowed are in no group: see
/// [`unlocated`].
pub fn suggested_groups(sets: &[MeasuredSet]) -> Vec<Vec<Processor>> {
    let all = located(sets);
    let parts = parts(&all, sets);
    let unions = unions(&parts, sets);
    distinct(parts.into_iter().chain(unions), &all)
}

/// The processors of these sets, apart from those too slow to be slowed, ascending.
pub(super) fn located(sets: &[MeasuredSet]) -> Vec<Processor> {
    let all: BTreeSet<Processor> = sets.iter().flat_map(members).collect();
    let unlocated = unlocated(sets);
    all.into_iter().filter(|one| unlocated.binary_search(one).is_err()).collect()
}

/// The groups that may share a link: of at least two processors and not all, each once; of a group
/// and all other processors only the first. All lists are ascending.
pub(super) fn distinct(
    groups: impl Iterator<Item = Vec<Processor>>,
    all: &[Processor],
) -> Vec<Vec<Processor>> {
    let mut distinct: Vec<Vec<Processor>> = Vec::new();
    for group in groups.filter(|group| group.len() > 1 && group.len() < all.len()) {
        let complement: Vec<Processor> =
            all.iter().copied().filter(|one| group.binary_search(one).is_err()).collect();
        if !distinct.iter().any(|known| *known == group || *known == complement) {
            distinct.push(group);
        }
    }
    distinct
}

/// The processors whose pairs were never slowed but, as slow as they are, might still share links
/// with pairs that were.
pub fn unlocated(sets: &[MeasuredSet]) -> Vec<Processor> {
    let mut is_slowed: BTreeMap<Processor, bool> = BTreeMap::new();
    for ((i, j), slowdown) in sets.iter().flat_map(MeasuredSet::slowdowns) {
        if slowdown != Slowdown::Unaffected {
            [i, j]
                .into_iter()
                .for_each(|one| *is_slowed.entry(one).or_default() |= slowdown == Slowdown::Slowed);
        }
    }
    is_slowed.into_iter().filter(|(_, is_slowed)| !is_slowed).map(|(one, _)| one).collect()
}

/// All processors of a set.
fn members(set: &MeasuredSet) -> impl Iterator<Item = Processor> {
    set.set.pairs().iter().flat_map(|&(i, j)| [i, j])
}

/// How strongly sets suggest that two processors are in the same group: negative if their pair was
/// slowed, which is sure.
///
/// A pair that was not slowed may also be the only one on its links. This is less likely where
/// others were slowed.
pub(crate) fn similarities(sets: &[MeasuredSet]) -> BTreeMap<(Processor, Processor), f64> {
    let mut similarities: BTreeMap<(Processor, Processor), f64> = BTreeMap::new();
    for set in sets {
        let is_loaded = set.slowdowns().any(|(_, slowdown)| slowdown == Slowdown::Slowed);
        for (pair, slowdown) in set.slowdowns() {
            let similarity = similarities.entry(pair).or_default();
            match slowdown {
                Slowdown::Slowed => *similarity = SIMILARITY_OF_SLOWED,
                Slowdown::Unaffected if *similarity >= 0.0 && is_loaded => *similarity += 1.0,
                Slowdown::Unaffected if *similarity == 0.0 => *similarity = SIMILARITY_OF_QUIET,
                _ => {}
            }
        }
    }
    similarities.retain(|_, similarity| *similarity != 0.0);
    similarities
}

/// Divides processors (ascending) into groups within which pairs were never slowed.
pub(super) fn parts(all: &[Processor], sets: &[MeasuredSet]) -> Vec<Vec<Processor>> {
    let place = |one: Processor| all.binary_search(&one).ok();
    let known = similarities(sets)
        .into_iter()
        .filter_map(|((i, j), weight)| Some((place(i)?, place(j)?, weight)));
    let parts = partition(all.len(), known);
    parts.into_iter().map(|part| part.into_iter().map(|place| all[place]).collect()).collect()
}

/// Unions of parts whose pairs are slowed least: each step joins the two parts with the smallest
/// median slowdown between them.
fn unions(parts: &[Vec<Processor>], sets: &[MeasuredSet]) -> Vec<Vec<Processor>> {
    let mut groups = parts.to_vec();
    let mut unions = Vec::new();
    while groups.len() > 2 {
        let slowdowns = slowdowns_between(&groups, sets);
        let medians = slowdowns.into_iter().map(|(pair, slowdowns)| (median(&slowdowns), pair));
        let Some((_, (a, b))) = medians.min_by(|x, y| x.0.total_cmp(&y.0)) else { break };
        let joined = groups.swap_remove(b);
        groups[a].extend(joined);
        groups[a].sort_unstable();
        unions.push(groups[a].clone());
    }
    unions
}

/// The ratios of times together to times alone of the pairs between two groups, by the places of
/// the groups in their order.
fn slowdowns_between(
    groups: &[Vec<Processor>],
    sets: &[MeasuredSet],
) -> BTreeMap<(usize, usize), Vec<f64>> {
    let places = groups
        .iter()
        .enumerate()
        .flat_map(|(place, group)| group.iter().map(move |&one| (one, place)));
    let places: BTreeMap<Processor, usize> = places.collect();
    let mut slowdowns: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
    for set in sets {
        for (&(i, j), (alone, together)) in
            set.set.pairs().iter().zip(set.alone.iter().zip(&set.together))
        {
            if let (Some(&a), Some(&b)) = (places.get(&i), places.get(&j))
                && a != b
            {
                slowdowns
                    .entry((a.min(b), a.max(b)))
                    .or_default()
                    .push(together.seconds / alone.seconds);
            }
        }
    }
    slowdowns
}
