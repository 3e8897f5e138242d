//! How far a rank can be played ahead of the others.
//!
//! The order in which a processor serves its work depends on the receives that become ready. A
//! posted receive whose message is not sent yet becomes ready after the time that its sender has
//! reached. Up to this horizon a rank does not depend on the other ranks. That no message has
//! arrived before a decision that excluded it is checked when it is sent.

use super::matched::Matched;
use super::matched_engine::Completion;
use super::matched_run::Run;
use super::matched_state::{MessageState, Ready, Suspended};
use super::{Network, SenderContention};
use crate::event_key::EventKey;

impl<N: Network + ?Sized> Run<'_, N> {
    /// The time up to which no receive of a rank becomes ready whose message is not sent yet;
    /// infinite if there is no such receive.
    fn horizon(&self, rank: u32) -> f64 {
        let state = &self.state.ranks[rank as usize];
        if state.unknown == 0 { f64::INFINITY } else { state.horizon.max(self.bound) }
    }

    /// The time before which a rank sends no further message.
    fn earliest_send(&self, rank: u32) -> f64 {
        self.state.ranks[rank as usize].free.max(self.bound)
    }

    /// Returns true if the program of a rank can execute an operation at `now` whatever the other
    /// ranks do until then.
    pub(super) fn is_decided(&self, rank: u32, operation: Matched, now: f64) -> bool {
        if now <= self.bound {
            return true;
        }
        let is_in_order = || now <= self.horizon(rank);
        match operation {
            Matched::Send(_) | Matched::PostSend(..) | Matched::Combine(_) => is_in_order(),
            Matched::Receive(message) | Matched::PostReceive(message, _) => {
                let sender = self.matched.messages[message as usize].from;
                match self.state.messages[message as usize].state {
                    MessageState::Sent(arrival) => arrival > now || is_in_order(),
                    // A blocked program does nothing else.
                    _ if matches!(operation, Matched::Receive(_)) => true,
                    _ => self.earliest_send(sender) > now,
                }
            }
            Matched::Wait(_) => true,
        }
    }

    /// Returns true if the next event of a rank can be handled whatever the other ranks do until
    /// then.
    pub(super) fn is_next_decided(&self, rank: u32) -> bool {
        let state = &self.state.ranks[rank as usize];
        // After a service, the program is suspended where the order of work matters.
        state.is_busy || state.event.time() <= self.horizon(rank)
    }

    /// Returns true if a rank can be played ahead of the others by one event.
    pub(super) fn can_step(&self, rank: u32) -> bool {
        let state = &self.state.ranks[rank as usize];
        let is_active = state.event != EventKey::NONE && state.suspended == Suspended::No;
        // A send that waits for the other ranks begins at the end of the service before.
        let must_wait =
            |ready: &Ready| self.ahead == Some(SenderContention::InPort) && ready.work.is_send();
        let is_next_early = state.is_busy && state.queue.front().is_some_and(must_wait);
        self.ahead.is_some()
            && is_active
            && self.outcome.is_none()
            && !is_next_early
            && self.is_next_decided(rank)
    }

    /// Suspends a rank at this time until all others have reached it; `suspended` says what the
    /// rank continues with.
    pub(super) fn suspend(&mut self, rank: u32, time: f64, suspended: Suspended) {
        let event = self.state.events.create(time, rank);
        let state = &mut self.state.ranks[rank as usize];
        state.is_busy = true;
        state.free = time;
        state.event = event;
        state.suspended = suspended;
    }

    /// Records that a rank has posted a receive whose message is not sent yet.
    pub(super) fn note_unknown(&mut self, rank: u32, message: u32, now: f64) {
        if self.ahead.is_none() {
            return;
        }
        let earliest = self.earliest_send(self.matched.messages[message as usize].from).max(now);
        let state = &mut self.state.ranks[rank as usize];
        state.horizon = if state.unknown == 0 { earliest } else { state.horizon.min(earliest) };
        state.unknown += 1;
    }

    /// Records that the message of a posted receive is sent, so that the receive becomes ready at
    /// `since`. Ends the run as unknown if the order of work was decided beyond this time.
    pub(super) fn note_known(&mut self, rank: u32, since: f64) {
        let state = &mut self.state.ranks[rank as usize];
        state.unknown -= 1;
        if since <= state.decided {
            self.outcome = Some(Completion::Unknown);
        }
    }

    /// Returns true if a send must wait until all ranks have reached its start, because messages
    /// meet at the port of the receiver. Ends the run as unknown if another message was sent there
    /// at the same time.
    pub(super) fn is_send_early(&mut self, to: u32, start: f64) -> bool {
        if self.ahead != Some(SenderContention::InPort) {
            return false;
        }
        let receiver = &mut self.state.ranks[to as usize];
        if start <= self.bound {
            // At the start, both orders are that of the ranks.
            if receiver.last_send.total_cmp(&start).is_eq() && start > 0.0 {
                self.outcome = Some(Completion::Unknown);
            }
            receiver.last_send = start;
        }
        start > self.bound
    }
}
