//! A multiset of values in order: insertion, removal, selection by rank and sums of ranks in
//! logarithmic time.
//!
//! It is a treap (Seidel, Aragon: Randomized search trees, Algorithmica 16, 1996, section 2) whose
//! nodes are slots of an array. Each node has the number and the sum of the values below it (Cormen
//! et al., Introduction to Algorithms, section 14.1). A sum is always computed from its two parts
//! and never by subtraction, so rounding errors do not accumulate.

use std::ops::Range;

/// The slot that holds no node.
const NONE: u32 = u32::MAX;

/// A node: the value of a slot, and what is below it.
#[derive(Debug, Clone, Copy)]
struct Node {
    value: f64,
    /// The sum of the values of the subtree.
    sum: f64,
    /// The number of values of the subtree.
    count: u32,
    left: u32,
    right: u32,
}

/// A multiset of finite values. Each value has a slot, by which it is removed.
#[derive(Debug, Clone)]
pub(super) struct OrderStatistics {
    nodes: Vec<Node>,
    root: u32,
}

impl OrderStatistics {
    /// An empty multiset for values in this number of slots.
    pub(super) fn with_slots(slots: usize) -> Self {
        Self {
            nodes: vec![Node { value: 0.0, sum: 0.0, count: 0, left: NONE, right: NONE }; slots],
            root: NONE,
        }
    }

    /// The number of values.
    pub(super) fn len(&self) -> usize {
        self.count(self.root)
    }

    /// Inserts a value at a free slot.
    pub(super) fn insert(&mut self, slot: usize, value: f64) {
        self.nodes[slot] = Node { value, sum: value, count: 1, left: NONE, right: NONE };
        self.root = self.with(self.root, slot as u32);
    }

    /// Removes the value of an occupied slot.
    pub(super) fn remove(&mut self, slot: usize) {
        self.root = self.without(self.root, slot as u32);
    }

    /// The value of this rank, from 0 for the smallest one; `None` if there are fewer values.
    pub(super) fn select(&self, mut rank: usize) -> Option<f64> {
        let mut tree = self.root;
        loop {
            let node = self.nodes.get(tree as usize)?;
            let below = self.count(node.left);
            match rank.cmp(&below) {
                std::cmp::Ordering::Less => tree = node.left,
                std::cmp::Ordering::Equal => return Some(node.value),
                std::cmp::Ordering::Greater => {
                    rank -= below + 1;
                    tree = node.right;
                }
            }
        }
    }

    /// The sum of the values of these ranks.
    pub(super) fn sum_of_ranks(&self, ranks: Range<usize>) -> f64 {
        self.sum_within(self.root, ranks.start, ranks.end)
    }

    /// The sum of the values of ranks `from` to `to` (excluded) of a subtree.
    fn sum_within(&self, tree: u32, from: usize, to: usize) -> f64 {
        let Some(node) = self.nodes.get(tree as usize).filter(|_| from < to) else { return 0.0 };
        if from == 0 && to >= node.count as usize {
            return node.sum;
        }
        let below = self.count(node.left);
        let own = if (from..to).contains(&below) { node.value } else { 0.0 };
        let left = self.sum_within(node.left, from, to.min(below));
        left + own
            + self.sum_within(
                node.right,
                from.saturating_sub(below + 1),
                to.saturating_sub(below + 1),
            )
    }

    /// The number of values of a subtree.
    fn count(&self, tree: u32) -> usize {
        self.nodes.get(tree as usize).map_or(0, |node| node.count as usize)
    }

    /// Returns true if the value of one slot is before that of another one; equal values are
    /// ordered by slot.
    fn is_before(&self, one: u32, other: u32) -> bool {
        let value = |slot: u32| self.nodes[slot as usize].value;
        value(one).total_cmp(&value(other)).then(one.cmp(&other)).is_lt()
    }

    /// Recomputes the count and the sum of a node from its children; returns the node.
    fn updated(&mut self, tree: u32) -> u32 {
        let Node { value, left, right, .. } = self.nodes[tree as usize];
        let sum = |child: u32| self.nodes.get(child as usize).map_or(0.0, |node| node.sum);
        let (sum, count) =
            (sum(left) + value + sum(right), self.count(left) + 1 + self.count(right));
        let node = &mut self.nodes[tree as usize];
        (node.sum, node.count) = (sum, count as u32);
        tree
    }

    /// Adds the node of a slot to a subtree; returns the new root of the subtree.
    fn with(&mut self, tree: u32, slot: u32) -> u32 {
        if tree == NONE {
            return slot;
        }
        if priority(slot) > priority(tree) {
            let (before, after) = self.split(tree, slot);
            (self.nodes[slot as usize].left, self.nodes[slot as usize].right) = (before, after);
            return self.updated(slot);
        }
        if self.is_before(slot, tree) {
            self.nodes[tree as usize].left = self.with(self.nodes[tree as usize].left, slot);
        } else {
            self.nodes[tree as usize].right = self.with(self.nodes[tree as usize].right, slot);
        }
        self.updated(tree)
    }

    /// Removes the node of a slot from a subtree; returns the new root of the subtree.
    fn without(&mut self, tree: u32, slot: u32) -> u32 {
        let Some(&Node { left, right, .. }) = self.nodes.get(tree as usize) else { return NONE };
        if tree == slot {
            return self.merged(left, right);
        }
        if self.is_before(slot, tree) {
            self.nodes[tree as usize].left = self.without(left, slot);
        } else {
            self.nodes[tree as usize].right = self.without(right, slot);
        }
        self.updated(tree)
    }

    /// The parts of a subtree before and after the value of a slot.
    fn split(&mut self, tree: u32, slot: u32) -> (u32, u32) {
        let Some(&Node { left, right, .. }) = self.nodes.get(tree as usize) else {
            return (NONE, NONE);
        };
        if self.is_before(tree, slot) {
            let (before, after) = self.split(right, slot);
            self.nodes[tree as usize].right = before;
            (self.updated(tree), after)
        } else {
            let (before, after) = self.split(left, slot);
            self.nodes[tree as usize].left = after;
            (before, self.updated(tree))
        }
    }

    /// Two subtrees as one; all values of the first are before those of the second.
    fn merged(&mut self, first: u32, second: u32) -> u32 {
        if first == NONE || second == NONE {
            return first.min(second);
        }
        if priority(first) > priority(second) {
            self.nodes[first as usize].right =
                self.merged(self.nodes[first as usize].right, second);
            self.updated(first)
        } else {
            self.nodes[second as usize].left = self.merged(first, self.nodes[second as usize].left);
            self.updated(second)
        }
    }
}

/// The priority of a slot: a node is above all nodes of lower priority. Slots have different,
/// scattered priorities (the finaliser of MurmurHash3, a bijection), so that trees are balanced
/// whatever the order of the values.
fn priority(slot: u32) -> u32 {
    let mut hash = slot.wrapping_add(1);
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "sums of small integers are exact")]
    fn ranks_and_sums_are_those_of_the_sorted_values() {
        let mut values: Vec<(usize, f64)> = Vec::new();
        let mut order = OrderStatistics::with_slots(64);
        for step in 0..2_000_usize {
            let slot = step * 37 % 64;
            if let Some(place) = values.iter().position(|(used, _)| *used == slot) {
                values.remove(place);
                order.remove(slot);
            }
            let value = ((step * step + 7 * step) % 23) as f64 - 11.0;
            values.push((slot, value));
            order.insert(slot, value);
            let mut sorted: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
            sorted.sort_by(f64::total_cmp);
            assert_eq!(order.len(), sorted.len());
            let selected: Vec<f64> =
                (0..sorted.len()).filter_map(|rank| order.select(rank)).collect();
            assert_eq!(selected, sorted);
            assert_eq!(order.select(sorted.len()), None);
            let (from, to) = (sorted.len() / 4, sorted.len() - sorted.len() / 3);
            assert_eq!(order.sum_of_ranks(from..to), sorted[from..to].iter().sum::<f64>());
        }
    }

    #[test]
    fn the_depth_is_logarithmic() {
        fn depth(order: &OrderStatistics, tree: u32) -> usize {
            order
                .nodes
                .get(tree as usize)
                .map_or(0, |node| 1 + depth(order, node.left).max(depth(order, node.right)))
        }
        let mut order = OrderStatistics::with_slots(1_000);
        (0..1_000).for_each(|slot| order.insert(slot, slot as f64));
        assert!(depth(&order, order.root) <= 40, "{}", depth(&order, order.root));
    }
}
