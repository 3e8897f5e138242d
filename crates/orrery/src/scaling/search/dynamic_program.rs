//! Selections of elements for a number of processes: whether there is one, and the one with the least weight.

use std::collections::VecDeque;

use super::bounds::KindOption;

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

/// Returns whether a selection among these options has exactly `processes` processes, and the work in steps.
///
/// Options are ordered by kind; at most one option of each kind is selected.
pub(super) fn is_feasible<'a>(processes: u32, options: impl Iterator<Item = &'a KindOption>) -> (bool, u64) {
    let mut reached = CountSet::zero(processes);
    let mut steps = reached.words.len() as u64;
    let (mut before, mut kind) = (reached.clone(), None);
    for option in options {
        if kind != Some(option.kind) {
            before.clone_from(&reached);
            kind = Some(option.kind);
        }
        // 0 to `elements` elements: the covered range is doubled while 2·covered ≤ elements + 1, then completed.
        let mut shifted = before.clone();
        let (mut covered, terms) = (1_u64, u64::from(option.elements) + 1);
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

/// A sum of weights in the high bits and the number of elements in the low 32 bits, so that one comparison orders by both.
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
    /// (elements, processes on each) of each kind.
    pub(super) selection: Vec<(u32, u32)>,
}

/// The work of [`lightest_selection`] in steps.
pub(super) fn work(processes: u32, kinds: usize, options: usize) -> u64 {
    4 * u64::from(processes) * (kinds + options) as u64
}

/// The selection with exactly `processes` processes that has the least weight, then the fewest elements, then the first
/// (elements, processes) kind by kind; `None` if there is no selection.
///
/// D_k(s) = min(D_{k+1}(s), min_{m, 1 ≤ a ≤ limit} D_{k+1}(s − a·m) + a·weight_k), where D_K(0) = 0, is the least weight
/// of s processes on kinds k and later. Options are ordered by kind, those of one kind by processes per element.
pub(super) fn lightest_selection<'a>(
    processes: u32,
    weights: &[u64],
    options: &(impl Iterator<Item = &'a KindOption> + Clone),
) -> Option<LightestSelection> {
    let total = processes as usize;
    let mut layers = vec![Vec::new(); weights.len() + 1];
    layers[weights.len()] = vec![UNREACHABLE; total + 1];
    layers[weights.len()][0] = 0;
    for (kind, &weight) in weights.iter().enumerate().rev() {
        let mut layer = layers[kind + 1].clone();
        for option in options.clone().filter(|option| option.kind == kind) {
            add_option(&mut layer, &layers[kind + 1], option, one_element(weight));
        }
        layers[kind] = layer;
    }
    let best = layers[0][total];
    if best >= UNREACHABLE {
        return None;
    }
    let mut left = total;
    let mut selection = Vec::new();
    for (kind, &weight) in weights.iter().enumerate() {
        let (here, after) = (&layers[kind], &layers[kind + 1]);
        let of_kind = options.clone().filter(|option| option.kind == kind);
        let is_optimal = |&(elements, processes): &(u32, u32)| {
            let rest = left.checked_sub(elements as usize * processes as usize);
            rest.is_some_and(|rest| after[rest] + Sum::from(elements) * one_element(weight) == here[left])
        };
        let selected = of_kind.flat_map(|option| (1..=option.elements).map(|elements| (elements, option.processes)));
        let selected = if is_optimal(&(0, 0)) { (0, 0) } else { selected.filter(is_optimal).min()? };
        left -= selected.0 as usize * selected.1 as usize;
        selection.push(selected);
    }
    Some(LightestSelection { weight: best >> 32, elements: (best & Sum::from(u32::MAX)) as u64, selection })
}

/// Lowers `layer` to the sums that are attainable with one option of a kind on top of `after`.
///
/// For each remainder of s modulo the processes per element, the best number of elements is the minimum over a sliding
/// window, kept in a monotonic queue.
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
        let option = |kind, processes, elements| KindOption { kind, processes, elements, seconds: 0.0 };
        let options = [option(0, 3, 2), option(0, 5, 1), option(1, 70, 3), option(1, 64, 2)];
        for processes in 1..300 {
            let first = [0, 3, 6, 5];
            let second = [0, 70, 140, 210, 64, 128];
            let sums = first.iter().any(|a| second.iter().any(|b| a + b == processes));
            assert_eq!(is_feasible(processes, options.iter()).0, sums, "{processes}");
        }
    }
}
