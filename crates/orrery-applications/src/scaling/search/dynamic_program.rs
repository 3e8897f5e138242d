//! Selections of elements for a number of processes: whether there is one, and the one with the
//! least weight.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

use super::bounds::KindOption;
use super::problem::Selection;

/// Returns whether a selection among these options has exactly `processes` processes, and the work
/// in steps.
///
/// Options are ordered by kind; at most one option of each kind is selected.
pub(super) fn is_feasible<'a>(
    processes: u32,
    options: impl Iterator<Item = &'a KindOption>,
) -> (bool, u64) {
    let mut reached = CountSet::zero(processes);
    let mut steps = reached.words.len() as u64;
    // The options of a kind extend the counts before it, and not each other: only one is selected.
    let mut before = reached.clone();
    let mut kind = None;
    for option in options {
        if kind != Some(option.kind) {
            before.clone_from(&reached);
            kind = Some(option.kind);
        }
        // 0 to `elements` elements: the covered range is doubled while 2·covered ≤ elements + 1,
        // then completed. This takes a logarithm of the number of shifts.
        let mut shifted = before.clone();
        let mut covered = 1_u64;
        let terms = u64::from(option.elements) + 1;
        while covered < terms {
            let more = covered.min(terms - covered);
            shifted.union_shifted(more * u64::from(option.processes));
            covered += more;
            steps += shifted.words.len() as u64;
        }
        reached.union(&shifted);
        steps += 2 * shifted.words.len() as u64;
    }
    (reached.contains(processes), steps)
}

/// A bit set of the integers from 0 to a maximum.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CountSet {
    words: Vec<u64>,
}

impl CountSet {
    /// The set {0} with room for the integers up to `max`.
    fn zero(max: u32) -> Self {
        let mut words = vec![0; max as usize / 64 + 1];
        words[0] = 1;
        Self { words }
    }

    /// Returns true if the set contains the number.
    fn contains(&self, number: u32) -> bool {
        self.words[number as usize / 64] >> (number % 64) & 1 == 1
    }

    /// Adds x + `by` for every member x.
    fn union_shifted(&mut self, by: u64) {
        let (whole, bits) = ((by / 64) as usize, (by % 64) as u32);
        for at in (whole..self.words.len()).rev() {
            let mut word = self.words[at - whole] << bits;
            if bits > 0 && at > whole {
                word |= self.words[at - whole - 1] >> (64 - bits);
            }
            self.words[at] |= word;
        }
    }

    /// Adds all members of another set.
    fn union(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
    }
}

/// A sum of weights in the high bits and the number of elements in the low 32 bits, so that one
/// comparison orders by both.
type Sum = u128;

/// A value above every attainable sum.
const UNREACHABLE: Sum = Sum::MAX / 4;

/// The sum of one element of this weight.
const fn one_element(weight: u64) -> Sum {
    (weight as Sum) << 32 | 1
}

/// The selection of the least weight.
pub(super) struct LightestSelection {
    pub(super) weight: u128,
    pub(super) elements: u64,
    pub(super) selection: Selection,
}

/// The work of [`lightest_selection`] in steps.
pub(super) fn work(processes: u32, kinds: usize, options: usize) -> u64 {
    4 * u64::from(processes) * (kinds + options) as u64
}

/// The selection with exactly `processes` processes that has the least weight, then the fewest
/// elements, then the first (elements, processes) kind by kind, and is none of `excluded`; `None`
/// if there is no selection.
///
/// D_k(s) = min(D_{k+1}(s), min_{m, 1 ≤ a ≤ limit} D_{k+1}(s − a·m) + a·weight_k), where D_K(0) =
/// 0, is the least weight of s processes on kinds k and later. Options are ordered by kind, those
/// of one kind by processes per element.
///
/// An excluded selection splits its set of selections: those that first differ from it at the first
/// kind, at the second kind, and so on. The sets are examined in the order of their least weights
/// (Lawler, "A procedure for computing the K best solutions to discrete optimization problems",
/// 1972).
pub(super) fn lightest_selection<'a>(
    processes: u32,
    weights: &[u64],
    options: &(impl Iterator<Item = &'a KindOption> + Clone),
    excluded: &BTreeSet<Selection>,
) -> Option<LightestSelection> {
    let sums = LeastSums::new(processes, weights, options);
    let mut sets = BinaryHeap::new();
    sets.extend(sums.lightest(Vec::new(), BTreeSet::new()));
    while let Some(Reverse(set)) = sets.pop() {
        // Its selection is the lightest of all sets that are left.
        if !excluded.contains(&set.selection) {
            return Some(LightestSelection {
                weight: set.sum >> 32,
                elements: (set.sum & Sum::from(u32::MAX)) as u64,
                selection: set.selection,
            });
        }
        // The set without this selection is the union of disjoint sets, one for each kind from the
        // end of the prefix on: equal to the selection before that kind, another choice there.
        for kind in set.prefix.len()..weights.len() {
            let mut other =
                if kind == set.prefix.len() { set.excluded.clone() } else { BTreeSet::new() };
            other.insert(set.selection[kind]);
            sets.extend(sums.lightest(set.selection[..kind].to_vec(), other));
        }
    }
    None
}

/// The selections that begin with a prefix and continue with none of the excluded choices, with the
/// lightest of them.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct SelectionSet {
    sum: Sum,
    selection: Selection,
    prefix: Selection,
    excluded: BTreeSet<(u32, u32)>,
}

/// The least sums D_k(s) of all kinds and numbers of processes, with the options that attain them.
struct LeastSums<'a> {
    processes: u32,
    weights: &'a [u64],
    options: Vec<KindOption>,
    /// D_k for each kind k, and D_K.
    layers: Vec<Vec<Sum>>,
}

impl<'a> LeastSums<'a> {
    /// Computes all sums.
    fn new<'o>(
        processes: u32,
        weights: &'a [u64],
        options: &(impl Iterator<Item = &'o KindOption> + Clone),
    ) -> Self {
        let total = processes as usize;
        let mut layers = vec![Vec::new(); weights.len() + 1];
        layers[weights.len()] = vec![UNREACHABLE; total + 1];
        layers[weights.len()][0] = 0;
        // From the last kind backwards, so that a selection is read off in the order of the kinds.
        for (kind, &weight) in weights.iter().enumerate().rev() {
            let mut layer = layers[kind + 1].clone();
            for option in options.clone().filter(|option| option.kind == kind) {
                add_option(&mut layer, &layers[kind + 1], option, one_element(weight));
            }
            layers[kind] = layer;
        }
        Self { processes, weights, options: options.clone().copied().collect(), layers }
    }

    /// The lightest selection that begins with a prefix and continues with none of the excluded
    /// choices; `None` if there is none.
    fn lightest(
        &self,
        prefix: Selection,
        excluded: BTreeSet<(u32, u32)>,
    ) -> Option<Reverse<SelectionSet>> {
        let mut sum = 0;
        let mut selection = prefix.clone();
        let mut left = self.processes as usize;
        for (&(elements, processes), &weight) in prefix.iter().zip(self.weights) {
            left -= elements as usize * processes as usize;
            sum += Sum::from(elements) * one_element(weight);
        }
        for kind in prefix.len()..self.weights.len() {
            let choice = if kind == prefix.len() && !excluded.is_empty() {
                self.choices(kind, left).filter(|(_, choice)| !excluded.contains(choice)).min()?
            } else {
                // No element of a kind comes first in the order of choices.
                let least = self.layers[kind][left];
                let zero = (self.layers[kind + 1][left], (0, 0));
                if zero.0 == least {
                    zero
                } else {
                    self.choices(kind, left).filter(|(sum, _)| *sum == least).min()?
                }
            };
            let (elements, processes) = choice.1;
            left -= elements as usize * processes as usize;
            sum += Sum::from(elements) * one_element(self.weights[kind]);
            selection.push(choice.1);
        }
        (left == 0).then_some(Reverse(SelectionSet { sum, selection, prefix, excluded }))
    }

    /// The choices (elements, processes) of a kind with `left` processes on it and later kinds,
    /// each with its least sum.
    fn choices(&self, kind: usize, left: usize) -> impl Iterator<Item = (Sum, (u32, u32))> {
        let of_kind = self.options.iter().filter(move |option| option.kind == kind);
        let used = of_kind
            .flat_map(|option| (1..=option.elements).map(|elements| (elements, option.processes)));
        std::iter::once((0, 0)).chain(used).filter_map(move |(elements, processes)| {
            let rest = left.checked_sub(elements as usize * processes as usize)?;
            let after = self.layers[kind + 1][rest];
            let sum = after + Sum::from(elements) * one_element(self.weights[kind]);
            (after < UNREACHABLE).then_some((sum, (elements, processes)))
        })
    }
}

/// Lowers `layer` to the sums that are attainable with one option of a kind on top of `after`.
///
/// For each remainder of s modulo the processes per element, the best number of elements is the
/// minimum over a sliding window, kept in a monotonic queue.
fn add_option(layer: &mut [Sum], after: &[Sum], option: &KindOption, unit: Sum) {
    let (each, limit) = (option.processes as usize, option.elements as usize);
    let largest = (layer.len() - 1) / each;
    let mut window: VecDeque<(usize, Sum)> = VecDeque::new();
    for remainder in 0..each.min(layer.len()) {
        window.clear();
        for (place, at) in (remainder..layer.len()).step_by(each).enumerate() {
            // The offset makes sums of different numbers of elements comparable.
            let offset = (largest - place) as Sum * unit;
            if after[at] < UNREACHABLE {
                let sum = after[at] + offset;
                // An earlier place whose sum is not smaller leaves the window first and is never
                // the minimum again.
                while window.back().is_some_and(|(_, other)| *other >= sum) {
                    window.pop_back();
                }
                window.push_back((place, sum));
            }
            if window.front().is_some_and(|(first, _)| place - first > limit) {
                window.pop_front();
            }
            if let Some((_, sum)) = window.front() {
                layer[at] = layer[at].min(sum - offset);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feasible_counts_are_the_sums_of_options() {
        let option =
            |kind, processes, elements| KindOption { kind, processes, elements, seconds: 0.0 };
        let options = [option(0, 3, 2), option(0, 5, 1), option(1, 70, 3), option(1, 64, 2)];
        for processes in 1..300 {
            let first = [0, 3, 6, 5];
            let second = [0, 70, 140, 210, 64, 128];
            let sums = first.iter().any(|a| second.iter().any(|b| a + b == processes));
            assert_eq!(is_feasible(processes, options.iter()).0, sums, "{processes}");
        }
    }
}
