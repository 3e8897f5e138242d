use crate::event_key::EventKey;

/// The next event of each rank in a tournament: each inner node has the earlier one of its
/// children.
///
/// Events are ordered by (time, insertion), as in the queue of [`Engine`](super::Engine).
#[derive(Debug, Default)]
pub(super) struct RankEvents {
    /// The events of node k; its children are 2k and 2k + 1, rank r is leaf `leaves` + r.
    nodes: Vec<EventKey>,
    leaves: usize,
    inserted: u32,
}

impl RankEvents {
    /// Removes all events, and begins with this number of ranks.
    pub(super) fn restart(&mut self, ranks: usize) {
        self.leaves = ranks.next_power_of_two();
        self.inserted = 0;
        self.nodes.clear();
        self.nodes.resize(2 * self.leaves, EventKey::NONE);
    }

    /// Creates an event.
    pub(super) fn create(&mut self, time: f64, number: u32) -> EventKey {
        self.inserted += 1;
        EventKey::new(time, self.inserted, number)
    }

    /// Sets the next event of a rank, with the number of the rank; [`EventKey::NONE`] if it has
    /// none.
    pub(super) fn set(&mut self, rank: u32, event: EventKey) {
        let mut node = self.leaves + rank as usize;
        let mut earliest = if event == EventKey::NONE { event } else { event.with_number(rank) };
        self.nodes[node] = earliest;
        while node > 1 {
            earliest = earliest.min(self.nodes[node ^ 1]);
            node /= 2;
            if self.nodes[node] == earliest {
                return;
            }
            self.nodes[node] = earliest;
        }
    }

    /// The next event of all, with the number of its rank; `None` if there is none.
    pub(super) fn first(&self) -> Option<EventKey> {
        Some(self.nodes[1]).filter(|event| *event != EventKey::NONE)
    }
}
