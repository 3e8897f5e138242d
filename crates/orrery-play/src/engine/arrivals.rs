//! Messages of one tag to a rank in the order of arrival, for receives from any source.

use std::collections::BTreeSet;

use super::rank::InFlight;
use orrery_base::units::Seconds;
use orrery_program::schedule::{EntryId, Rank};

/// The unmatched messages of a tag by (arrival, source, number), and the next event that matches
/// them.
#[derive(Debug, Clone, Default)]
pub(super) struct Arrivals {
    messages: BTreeSet<(Arrival, Rank, u32, EntryId)>,
    /// The time of the next event; later ones may be in the queue, too.
    event: Option<Seconds>,
}

/// A time that is not negative, so that its bits have the order of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Arrival(u64);

impl Arrivals {
    /// The entry of a message in the order of arrival.
    fn entry(id: EntryId, message: &InFlight) -> (Arrival, Rank, u32, EntryId) {
        (Arrival(message.arrival.time.get().to_bits()), message.from, message.number, id)
    }

    /// Adds an unmatched message.
    pub(super) fn add(&mut self, id: EntryId, message: &InFlight) {
        self.messages.insert(Self::entry(id, message));
    }

    /// Removes a message that is matched.
    pub(super) fn remove(&mut self, id: EntryId, message: &InFlight) {
        self.messages.remove(&Self::entry(id, message));
    }

    /// The messages in the order of arrival, each with its source.
    pub(super) fn in_order(&self) -> impl Iterator<Item = (EntryId, Rank)> {
        self.messages.iter().map(|&(_, from, _, id)| (id, from))
    }

    /// Records that an event at this time is required; returns true if it has to be added to the
    /// queue, since none is planned that early.
    pub(super) fn schedule(&mut self, time: Seconds) -> bool {
        let is_earlier = self.event.is_none_or(|event| time < event);
        if is_earlier {
            self.event = Some(time);
        }
        is_earlier
    }

    /// Records that an event at this time is handled.
    pub(super) fn begin_event(&mut self, time: Seconds) {
        self.event = self.event.filter(|event| *event > time);
    }
}
