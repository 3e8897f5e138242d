use std::collections::BTreeMap;

/// The largest number of passes over all items.
const MAX_PASSES: usize = 32;

/// Divides items 0 to n − 1 into groups, given pairs of items with weights: positive if they are
/// together, negative if apart.
///
/// It maximises the sum of the weights within groups: groups are merged, the pair of groups with
/// the largest positive sum first; then single items move to the group with the largest sum, until
/// neither helps. Items without any pair stay by themselves. Groups are sorted by their first
/// items. Source: Bansal, Blum, Chawla, "Correlation clustering" (Machine Learning 56, 2004) for
/// the objective.
///
/// ```
/// use orrery_base::numeric::partition;
/// let pairs = [(0, 1, 1.0), (2, 3, 1.0), (1, 2, -3.0), (0, 3, -3.0)];
/// assert_eq!(partition(5, pairs), [vec![0, 1], vec![2, 3], vec![4]]);
/// ```
pub fn partition(
    items: usize,
    pairs: impl IntoIterator<Item = (usize, usize, f64)>,
) -> Vec<Vec<usize>> {
    let mut weights: Vec<BTreeMap<usize, f64>> = vec![BTreeMap::new(); items];
    for (a, b, weight) in pairs {
        if a != b {
            *weights[a].entry(b).or_default() += weight;
            *weights[b].entry(a).or_default() += weight;
        }
    }
    let mut group_of: Vec<usize> = (0..items).collect();
    for _ in 0..MAX_PASSES {
        let is_merged = merge(&weights, &mut group_of);
        if !move_items(&weights, &mut group_of) && !is_merged {
            break;
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (item, group) in group_of.into_iter().enumerate() {
        groups.entry(group).or_default().push(item);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    groups.sort_unstable();
    groups
}

/// Merges groups as long as the sum of the weights between two of them is positive; returns true if
/// any were merged. `group_of` has the group of each item, `weights` the pairs of each item.
fn merge(weights: &[BTreeMap<usize, f64>], group_of: &mut [usize]) -> bool {
    // For each group the sums to the others, stored at both.
    let mut sums: Vec<BTreeMap<usize, f64>> = vec![BTreeMap::new(); weights.len()];
    for (item, others) in weights.iter().enumerate() {
        for (&other, &weight) in others {
            if group_of[item] != group_of[other] {
                *sums[group_of[item]].entry(group_of[other]).or_default() += weight;
            }
        }
    }
    let mut is_merged = false;
    loop {
        let all = sums
            .iter()
            .enumerate()
            .flat_map(|(a, of)| of.range(a + 1..).map(move |(&b, &sum)| (a, b, sum)));
        // The first of equal sums.
        let best = all
            .filter(|(.., sum)| *sum > 0.0)
            .reduce(|best, next| if next.2 > best.2 { next } else { best });
        let Some((a, b, _)) = best else { return is_merged };
        is_merged = true;
        group_of.iter_mut().filter(|group| **group == b).for_each(|group| *group = a);
        for (other, sum) in std::mem::take(&mut sums[b]) {
            sums[other].remove(&b);
            if other != a {
                *sums[a].entry(other).or_default() += sum;
                *sums[other].entry(a).or_default() += sum;
            }
        }
    }
}

/// Moves each item to the group with the largest sum of weights, or to a group of its own; returns
/// true if any was moved.
fn move_items(weights: &[BTreeMap<usize, f64>], group_of: &mut [usize]) -> bool {
    let mut is_moved = false;
    for _ in 0..MAX_PASSES {
        let mut moves = 0;
        for (item, others) in weights.iter().enumerate() {
            let mut sums: BTreeMap<usize, f64> = BTreeMap::new();
            for (&other, weight) in others {
                *sums.entry(group_of[other]).or_default() += weight;
            }
            let own = sums.get(&group_of[item]).copied().unwrap_or(0.0);
            let best =
                sums.into_iter().reduce(|best, next| if next.1 > best.1 { next } else { best });
            let target = match best {
                Some((group, sum)) if sum > own.max(0.0) => Some(group),
                // A group that is free: the number of a group is not larger than that of its items.
                _ if own < 0.0 => (0..weights.len()).find(|group| !group_of.contains(group)),
                _ => None,
            };
            if let Some(group) = target {
                group_of[item] = group;
                moves += 1;
            }
        }
        if moves == 0 {
            break;
        }
        is_moved = true;
    }
    is_moved
}
