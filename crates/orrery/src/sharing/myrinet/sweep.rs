//! Maximal matchings, counted turn by turn.
//!
//! Each vertex on the left is matched with one of its neighbours or with none; in the latter case all its neighbours have
//! to be matched in the end. So a matching is maximal if no obliged vertex stays unmatched. Turns that leave the same
//! [`State`] behind have the same future and are counted together. A pass forwards counts the ways to each state, a pass
//! backwards the ways from it to the end; their product, summed over the steps that take a pair, is the number of sets in
//! which a transfer of the pair sends.
//!
//! Counts are f64: exact below 2^53, beyond it right to some 13 digits, since only positive numbers are added and
//! multiplied. They are rescaled by powers of two, which rounds nothing.

use super::bipartite::Bipartite;
use super::order::{Plan, Turn};
use super::state::State;

/// A state after some turns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<const WORDS: usize> {
    pub(super) state: State<WORDS>,
    /// In how many ways it is reached.
    pub(super) ways: f64,
    /// For how many it stands where others were left out; 1 where none was.
    pub(super) stands_for: f64,
}

/// The states after a turn in ascending order; `ways` are to be multiplied by 2^(−exponent) of all layers up to here.
struct Layer<const WORDS: usize> {
    entries: Vec<Entry<WORDS>>,
    scale: f64,
}

/// The number of all sets, and of those with one given transfer of each pair; all to be multiplied by 2^exponent.
#[derive(Debug, Clone)]
pub(super) struct Counted {
    pub(super) all: f64,
    pub(super) with: Vec<f64>,
    pub(super) exponent: i32,
}

/// Counts are rescaled when one exceeds 2^STEP.
const STEP: i32 = 300;

/// The steps from a state in a turn, each with the pair that it takes, none for no pair. Steps after which more vertices
/// have to be matched than there are turns left lead nowhere.
fn steps<const WORDS: usize>(turn: &Turn, state: State<WORDS>, mut each: impl FnMut(State<WORDS>, Option<usize>)) {
    let after = |state: State<WORDS>| state.closing(&turn.leaving).filter(|next| next.obligations() <= turn.later);
    for &(slot, pair) in &turn.shared {
        if let Some(next) = state.matching(slot).and_then(after) {
            each(next, Some(pair));
        }
    }
    if !turn.own.is_empty()
        && let Some(next) = after(state)
    {
        turn.own.iter().for_each(|&pair| each(next, Some(pair)));
    }
    if turn.own.is_empty()
        && let Some(next) = after(state.obliging(turn.shared.iter().map(|&(slot, _)| slot)))
    {
        each(next, None);
    }
}

/// Counts all; `thin` may leave states out of a layer, and gives up where it returns false.
pub(super) fn sweep<const WORDS: usize>(
    graph: &Bipartite,
    plan: &Plan,
    mut thin: impl FnMut(&mut Vec<Entry<WORDS>>) -> bool,
) -> Option<Counted> {
    let weight = |pair: Option<usize>| pair.map_or(1.0, |pair| graph.pairs[pair].transfers.len() as f64);
    let mut layers =
        vec![Layer { entries: vec![Entry { state: State::START, ways: 1.0, stands_for: 1.0 }], scale: 1.0 }];
    let mut exponent = 0;
    for turn in &plan.turns {
        let mut reached: Vec<Entry<WORDS>> = Vec::new();
        for entry in &layers[layers.len() - 1].entries {
            steps(turn, entry.state, |state, pair| {
                reached.push(Entry { state, ways: entry.ways * weight(pair), stands_for: 1.0 });
            });
        }
        let mut entries = together(reached);
        if !thin(&mut entries) {
            return None;
        }
        let most = entries.iter().map(|entry| entry.ways).fold(0.0, f64::max);
        let mut scale = 1.0;
        if most > 2.0_f64.powi(STEP) {
            scale = 2.0_f64.powi(-STEP);
            exponent += STEP;
            entries.iter_mut().for_each(|entry| entry.ways *= scale);
        }
        layers.push(Layer { entries, scale });
    }
    let all = layers.last().and_then(|last| last.entries.first()).map_or(0.0, |end| end.ways);
    Some(Counted { all, with: backwards(graph, plan, &layers), exponent })
}

/// Entries in ascending order, those of one state put together.
fn together<const WORDS: usize>(mut entries: Vec<Entry<WORDS>>) -> Vec<Entry<WORDS>> {
    entries.sort_by_key(|entry| entry.state);
    entries.dedup_by(|next, kept| {
        let same = next.state == kept.state;
        if same {
            kept.ways += next.ways;
        }
        same
    });
    entries
}

/// The number of sets with one given transfer of each pair.
fn backwards<const WORDS: usize>(graph: &Bipartite, plan: &Plan, layers: &[Layer<WORDS>]) -> Vec<f64> {
    let mut with = vec![0.0; graph.pairs.len()];
    let mut onwards = vec![1.0; layers[layers.len() - 1].entries.len()];
    for (turn, two) in plan.turns.iter().zip(layers.windows(2)).rev() {
        let (here, there) = (&two[0].entries, &two[1]);
        let mut before = vec![0.0; here.len()];
        for (entry, before) in here.iter().zip(&mut before) {
            steps(turn, entry.state, |state, pair| {
                let Ok(place) = there.entries.binary_search_by_key(&state, |next| next.state) else { return };
                let rest = onwards[place] * there.entries[place].stands_for * there.scale;
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
