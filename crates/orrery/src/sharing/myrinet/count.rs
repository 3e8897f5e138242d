//! The exact count of a component.

use super::bipartite::Bipartite;
use super::order::{Plan, plan};
use super::sweep::{Counted, Entry, sweep};

/// So many steps from state to state are taken for a component at most: about a second, and 100 MB of memory.
const STEPS: usize = 1 << 23;

/// The count, unless it takes too many steps, or more than are left; takes them from those.
pub(super) fn exactly(graph: &Bipartite, steps: &mut usize) -> Option<Counted> {
    let plan = narrower(graph);
    match plan.slots {
        0..=64 => within::<1>(graph, &plan, steps),
        65..=128 => within::<2>(graph, &plan, steps),
        _ => None,
    }
}

/// The plan from the side from which fewer vertices are open at a time.
pub(super) fn narrower(graph: &Bipartite) -> Plan {
    let (from_sources, from_destinations) = (plan(graph), plan(&graph.turned()));
    if from_destinations.slots < from_sources.slots { from_destinations } else { from_sources }
}

fn within<const WORDS: usize>(graph: &Bipartite, plan: &Plan, steps: &mut usize) -> Option<Counted> {
    let most = STEPS.min(*steps);
    let mut left = most;
    let mut turn = 0;
    // Each state of a layer takes as many steps as the next vertex has pairs, and one.
    let counted = sweep(graph, plan, |entries: &mut Vec<Entry<WORDS>>| {
        turn += 1;
        let each = plan.turns.get(turn).map_or(1, |next| next.shared.len() + next.own.len() + 1);
        let enough = entries.len().checked_mul(each).filter(|steps| *steps <= left);
        left -= enough.unwrap_or(left);
        enough.is_some()
    });
    *steps -= most - left;
    counted
}
