//! The removal of links that no time needs, with equal shares of each link.

use super::selection::{MIN_GAIN, Selection};
use orrery_base::numeric::parallel_map;

/// The number of removals that are tried at the same time; it is independent of the number of
/// cores, as results are.
const BATCH: usize = 4;

/// The removal of a link.
#[derive(Clone)]
struct Removal {
    /// The increase of the weighted squared errors; with further links, a lower bound of it.
    increase: f64,
    /// The delays of all links after the removal, that of this one 0; `None` if another link was
    /// removed since.
    delays: Option<Vec<f64>>,
}

impl Selection {
    /// Removes links as long as the times are explained as well without them.
    ///
    /// The increase of the errors by a removal grows as others are removed, apart from small
    /// exceptions. So a removal is tried again only while its last increase is the least one (lazy
    /// greedy search).
    pub(super) fn prune(&mut self) {
        let unknown = Removal { increase: f64::NEG_INFINITY, delays: None };
        let mut removals = vec![unknown; self.groups.len()];
        loop {
            let mut order: Vec<usize> = (0..removals.len()).collect();
            order.sort_by(|&a, &b| removals[a].increase.total_cmp(&removals[b].increase));
            let Some(&least) = order.first() else { return };
            if let Some(delays) = removals[least].delays.take() {
                if removals[least].increase >= MIN_GAIN {
                    return;
                }
                self.delays = delays;
                self.remove(least);
                removals.remove(least);
                removals.iter_mut().for_each(|other| other.delays = None);
                continue;
            }
            let is_open = |link: &usize| removals[*link].delays.is_none();
            let open: Vec<usize> = order.into_iter().filter(is_open).take(BATCH).collect();
            let cost = self.cost_of_shares(&self.delays);
            let tried = parallel_map(open.len(), |place| self.removal(open[place], cost));
            open.into_iter().zip(tried).for_each(|(link, removal)| removals[link] = removal);
        }
    }

    /// The removal of a link from links that explain the times with this cost.
    fn removal(&self, link: usize, cost: f64) -> Removal {
        let mut delays = self.delays.clone();
        delays[link] = 0.0;
        self.refine(&mut delays);
        Removal { increase: self.cost_of_shares(&delays) - cost, delays: Some(delays) }
    }
}
