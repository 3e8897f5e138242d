//! Maximal matchings of a component, counted turn by turn.
//!
//! Each vertex on the left is matched with one of its neighbours or left unmatched; in the latter
//! case all its neighbours must be matched in the end. A matching is therefore maximal if no
//! obliged vertex remains unmatched. Turns that end in the same [`State`] have the same
//! continuations and are counted together. A forward pass counts the ways to each state, a backward
//! pass the ways from it to the end. Their product, summed over the steps that take a pair, is the
//! number of sets in which a transfer of the pair sends.
//!
//! Counts are f64: exact below 2^53, beyond it accurate to about 13 digits, since only positive
//! numbers are added and multiplied. They are rescaled by powers of two, which rounds nothing.

use super::graph::{Bipartite, Plan, Turn, narrower_plan};

/// The largest number of steps from state to state for a component: about a second, and 100 MB of
/// memory.
const MAX_STEPS: usize = 1 << 23;

/// Counts are rescaled when one exceeds 2^RESCALE_EXPONENT.
const RESCALE_EXPONENT: i32 = 300;

/// The number of slots in a word of a [`State`].
const SLOTS_PER_WORD: usize = 64;

/// The bits of one slot.
const SLOT: u128 = 0b11;
/// The bits of a matched vertex.
const MATCHED: u128 = 0b01;
/// The bits of an obliged vertex.
const OBLIGED: u128 = 0b10;

/// The upper bit of each slot of a word, which is set for obliged vertices.
const ALL_OBLIGED: u128 = u128::MAX / 3 * OBLIGED;

/// The state of the open vertices on the right. Each is free (00), matched (01), or obliged (10):
/// free, but a neighbour was left unmatched, so that it must be matched in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct State<const WORDS: usize>([u128; WORDS]);

impl<const WORDS: usize> State<WORDS> {
    /// All slots are free.
    const START: Self = Self([0; WORDS]);

    /// Returns the bits of a slot.
    fn get(&self, slot: usize) -> u128 {
        self.0[slot / SLOTS_PER_WORD] >> (2 * (slot % SLOTS_PER_WORD)) & SLOT
    }

    /// Returns the state with other bits in a slot.
    fn with(mut self, slot: usize, bits: u128) -> Self {
        let (word, shift) = (slot / SLOTS_PER_WORD, 2 * (slot % SLOTS_PER_WORD));
        self.0[word] = self.0[word] & !(SLOT << shift) | bits << shift;
        self
    }

    /// The state after a vertex is matched; `None` if it was matched before.
    fn matching(self, slot: usize) -> Option<Self> {
        (self.get(slot) != MATCHED).then(|| self.with(slot, MATCHED))
    }

    /// The state after a neighbour of these vertices was left unmatched.
    fn obliging(self, slots: impl Iterator<Item = usize>) -> Self {
        slots.fold(
            self,
            |state, slot| {
                if state.get(slot) == MATCHED { state } else { state.with(slot, OBLIGED) }
            },
        )
    }

    /// The number of vertices that must still be matched.
    fn obligations(&self) -> usize {
        self.0.iter().map(|word| (word & ALL_OBLIGED).count_ones() as usize).sum()
    }

    /// The state after these slots are released; `None` if one of their vertices was obliged.
    fn releasing(self, slots: &[usize]) -> Option<Self> {
        let release =
            |state: Self, &slot: &usize| (state.get(slot) != OBLIGED).then(|| state.with(slot, 0));
        slots.iter().try_fold(self, release)
    }
}

/// A state after some turns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<const WORDS: usize> {
    pub(super) state: State<WORDS>,
    /// The number of ways to reach it.
    pub(super) ways: f64,
    /// The weight of the entry after others were dropped; 1 if none was.
    pub(super) weight: f64,
}

/// The states after a turn in ascending order; `ways` are to be multiplied by the inverse scales of
/// all layers up to here.
struct Layer<const WORDS: usize> {
    entries: Vec<Entry<WORDS>>,
    scale: f64,
}

/// The number of all sets, and of those with one given transfer of each pair; all to be multiplied
/// by 2^exponent.
#[derive(Debug, Clone)]
pub(super) struct Counted {
    pub(super) all: f64,
    pub(super) with: Vec<f64>,
    pub(super) exponent: i32,
}

/// Counts the sets; `None` if that takes more steps than a component may take or than `steps`, from
/// which the steps used are subtracted.
pub(super) fn count_exactly(graph: &Bipartite, steps: &mut usize) -> Option<Counted> {
    let plan = narrower_plan(graph);
    match plan.slots {
        0..=64 => count_within::<1>(graph, &plan, steps),
        65..=128 => count_within::<2>(graph, &plan, steps),
        _ => None,
    }
}

/// As [`count_exactly`], with states of this number of words.
fn count_within<const WORDS: usize>(
    graph: &Bipartite,
    plan: &Plan,
    steps: &mut usize,
) -> Option<Counted> {
    let budget = MAX_STEPS.min(*steps);
    let mut left = budget;
    let mut turn = 0;
    // Each state of a layer takes one step for each pair of the next vertex, and one more.
    let counted = sweep(graph, plan, |entries: &mut Vec<Entry<WORDS>>| {
        turn += 1;
        let each = plan.turns.get(turn).map_or(1, |next| next.shared.len() + next.own.len() + 1);
        let needed = entries.len().checked_mul(each).filter(|steps| *steps <= left);
        left -= needed.unwrap_or(left);
        needed.is_some()
    });
    *steps -= budget - left;
    counted
}

/// Visits the steps from a state in a turn, each with the pair that it takes, if any. Skips those
/// after which more vertices must be matched than there are turns left.
fn for_each_step<const WORDS: usize>(
    turn: &Turn,
    state: State<WORDS>,
    mut visit: impl FnMut(State<WORDS>, Option<usize>),
) {
    let after = |state: State<WORDS>| {
        state.releasing(&turn.released).filter(|next| next.obligations() <= turn.later)
    };
    for &(slot, pair) in &turn.shared {
        if let Some(next) = state.matching(slot).and_then(after) {
            visit(next, Some(pair));
        }
    }
    if !turn.own.is_empty()
        && let Some(next) = after(state)
    {
        turn.own.iter().for_each(|&pair| visit(next, Some(pair)));
    }
    if turn.own.is_empty()
        && let Some(next) = after(state.obliging(turn.shared.iter().map(|&(slot, _)| slot)))
    {
        visit(next, None);
    }
}

/// Counts all sets, turn by turn. `limit` may drop states after each turn; the count stops with
/// `None` if it returns false.
pub(super) fn sweep<const WORDS: usize>(
    graph: &Bipartite,
    plan: &Plan,
    mut limit: impl FnMut(&mut Vec<Entry<WORDS>>) -> bool,
) -> Option<Counted> {
    let multiplicity =
        |pair: Option<usize>| pair.map_or(1.0, |pair| graph.pairs[pair].transfers.len() as f64);
    let start = Entry { state: State::START, ways: 1.0, weight: 1.0 };
    let mut layers = vec![Layer { entries: vec![start], scale: 1.0 }];
    let mut exponent = 0;
    for turn in &plan.turns {
        let mut reached: Vec<Entry<WORDS>> = Vec::new();
        for entry in &layers[layers.len() - 1].entries {
            for_each_step(turn, entry.state, |state, pair| {
                reached.push(Entry { state, ways: entry.ways * multiplicity(pair), weight: 1.0 });
            });
        }
        let mut entries = merged(reached);
        if !limit(&mut entries) {
            return None;
        }
        let largest = entries.iter().map(|entry| entry.ways).fold(0.0, f64::max);
        let mut scale = 1.0;
        if largest > 2.0_f64.powi(RESCALE_EXPONENT) {
            scale = 2.0_f64.powi(-RESCALE_EXPONENT);
            exponent += RESCALE_EXPONENT;
            entries.iter_mut().for_each(|entry| entry.ways *= scale);
        }
        layers.push(Layer { entries, scale });
    }
    let all = layers.last().and_then(|last| last.entries.first()).map_or(0.0, |end| end.ways);
    Some(Counted { all, with: backward_pass(graph, plan, &layers), exponent })
}

/// Entries in ascending order, those of equal states merged.
fn merged<const WORDS: usize>(mut entries: Vec<Entry<WORDS>>) -> Vec<Entry<WORDS>> {
    entries.sort_by_key(|entry| entry.state);
    entries.dedup_by(|next, kept| {
        let is_same = next.state == kept.state;
        if is_same {
            kept.ways += next.ways;
        }
        is_same
    });
    entries
}

/// The number of sets with one given transfer of each pair.
fn backward_pass<const WORDS: usize>(
    graph: &Bipartite,
    plan: &Plan,
    layers: &[Layer<WORDS>],
) -> Vec<f64> {
    let mut with = vec![0.0; graph.pairs.len()];
    let mut onwards = vec![1.0; layers[layers.len() - 1].entries.len()];
    for (turn, two) in plan.turns.iter().zip(layers.windows(2)).rev() {
        let (here, there) = (&two[0].entries, &two[1]);
        let mut before = vec![0.0; here.len()];
        for (entry, before) in here.iter().zip(&mut before) {
            for_each_step(turn, entry.state, |state, pair| {
                let Ok(place) = there.entries.binary_search_by_key(&state, |next| next.state)
                else {
                    return;
                };
                let rest = onwards[place] * there.entries[place].weight * there.scale;
                match pair {
                    Some(pair) => {
                        *before += graph.pairs[pair].transfers.len() as f64 * rest;
                        with[pair] += entry.ways * rest;
                    }
                    None => *before += rest,
                }
            });
        }
        onwards = before;
    }
    with
}
