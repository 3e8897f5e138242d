//! The next event of each rank.

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

/// A time, the position in the order of insertion, and a number: that of a rank or a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EventKey(u128);

impl EventKey {
    /// Later than all events.
    pub(super) const NONE: Self = Self(u128::MAX);

    /// The time of the event.
    pub(super) const fn time(self) -> f64 {
        f64::from_bits((self.0 >> 64) as u64)
    }

    /// Returns true if the event is at exactly this time.
    pub(super) const fn is_at(self, time: f64) -> bool {
        self.time().to_bits() == time.to_bits()
    }

    /// The number of the event.
    pub(super) const fn number(self) -> u32 {
        self.0 as u32
    }

    /// The same event with another number.
    pub(super) const fn with_number(self, number: u32) -> Self {
        Self(self.0 >> 32 << 32 | number as u128)
    }
}

impl RankEvents {
    /// Removes all events, and begins with this number of ranks.
    pub(super) fn restart(&mut self, ranks: usize) {
        self.leaves = ranks.next_power_of_two();
        self.inserted = 0;
        self.nodes.clear();
        self.nodes.resize(2 * self.leaves, EventKey::NONE);
    }

    /// Creates an event. Times are not negative, so that their bits have the order of the times.
    pub(super) fn create(&mut self, time: f64, number: u32) -> EventKey {
        self.inserted += 1;
        EventKey(
            u128::from(time.to_bits()) << 64 | u128::from(self.inserted) << 32 | u128::from(number),
        )
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
