//! The selection of the least weight for a number of processes: a dynamic programme over the kinds.

use std::collections::VecDeque;

use super::choices::KindOption;

/// A sum of weights, and below it the number of elements, so that one comparison orders by both.
type Sum = u128;

/// More than any sum.
const NEVER: Sum = Sum::MAX / 4;

const fn unit(weight: u64) -> Sum {
    (weight as Sum) << 32 | 1
}

/// A selection with its weight and the number of its elements.
pub(super) struct Least {
    pub(super) weight: u128,
    pub(super) elements: u64,
    pub(super) selection: Vec<(u32, u32)>,
}

/// The steps that [`least`] takes.
pub(super) fn work(processes: u32, kinds: usize, choices: usize) -> u64 {
    4 * u64::from(processes) * (kinds + choices) as u64
}

/// Of all selections with so many processes, the one with the least weight, then the fewest elements, then the first in
/// order of (elements, processes) kind by kind. Options stand kind by kind, those of one kind by growing processes.
///
/// D_k(s) = min(D_{k+1}(s), min_{m, 1 ≤ a ≤ limit} D_{k+1}(s − a·m) + a·weight_k), where D_K(0) = 0: what kinds k and
/// later need for s processes.
pub(super) fn least<'a>(
    processes: u32,
    weights: &[u64],
    choices: &(impl Iterator<Item = &'a KindOption> + Clone),
) -> Option<Least> {
    let total = processes as usize;
    let mut layers = vec![Vec::new(); weights.len() + 1];
    layers[weights.len()] = vec![NEVER; total + 1];
    layers[weights.len()][0] = 0;
    for (kind, &weight) in weights.iter().enumerate().rev() {
        let mut layer = layers[kind + 1].clone();
        for choice in choices.clone().filter(|choice| choice.kind == kind) {
            extend(&mut layer, &layers[kind + 1], choice, unit(weight));
        }
        layers[kind] = layer;
    }
    let best = layers[0][total];
    if best >= NEVER {
        return None;
    }
    let mut left = total;
    let mut selection = Vec::new();
    for (kind, &weight) in weights.iter().enumerate() {
        let (here, after) = (&layers[kind], &layers[kind + 1]);
        let of_kind = choices.clone().filter(|choice| choice.kind == kind);
        let leads = |&(elements, processes): &(u32, u32)| {
            let rest = left.checked_sub(elements as usize * processes as usize);
            rest.is_some_and(|rest| after[rest] + Sum::from(elements) * unit(weight) == here[left])
        };
        let selected = of_kind.flat_map(|choice| (1..=choice.elements).map(|elements| (elements, choice.processes)));
        let selected = if leads(&(0, 0)) { (0, 0) } else { selected.filter(leads).min()? };
        left -= selected.0 as usize * selected.1 as usize;
        selection.push(selected);
    }
    Some(Least { weight: best >> 32, elements: (best & Sum::from(u32::MAX)) as u64, selection })
}

/// Lowers `layer` to what is possible with one choice of a kind on top of `after`.
///
/// For each remainder of s by m, the best number of elements is found with a queue of those that may still be best: a
/// minimum over a window that slides along.
fn extend(layer: &mut [Sum], after: &[Sum], choice: &KindOption, unit: Sum) {
    let (each, limit) = (choice.processes as usize, choice.elements as usize);
    let largest = (layer.len() - 1) / each;
    let mut window: VecDeque<(usize, Sum)> = VecDeque::new();
    for remainder in 0..each.min(layer.len()) {
        window.clear();
        for (place, at) in (remainder..layer.len()).step_by(each).enumerate() {
            // With `place` elements less the weight of each, sums at different places can be compared.
            let offset = (largest - place) as Sum * unit;
            if after[at] < NEVER {
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
