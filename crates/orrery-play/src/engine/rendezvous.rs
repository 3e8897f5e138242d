//! Sends that wait for their receive.
//!
//! A send whose processor would serve it sends a request to its receiver. When the receive is
//! posted too, the receiver's consent goes back, and the send begins when the consent has arrived
//! and the sender's processor is free. Request and consent are empty messages that take no time of
//! their own, but follow data on the way out ([`Network::pass_data`]).

use super::play::Run;
use super::queue::EngineEvent;
use super::rank::{
    Completion, HeldSend, InFlight, OpenRendezvous, Pending, PendingRendezvous, Ready, Work,
};
use super::{EngineError, Message, Moment, Network, Protocol};
use orrery_base::units::Bytes;
use orrery_program::schedule::{Rank, Request, Schedule, Tag};

impl<S: Schedule + ?Sized, N: Network + ?Sized> Run<'_, '_, S, N> {
    /// Sends the request of a send at `start`. If the consent is there at once, sends the message
    /// too and returns when the sender's processor is free and what that completes; `None` if the
    /// send waits, with an idle processor.
    pub(super) fn begin_rendezvous(
        &mut self,
        rank: Rank,
        to: Rank,
        size: Bytes,
        tag: Tag,
        request: Option<Request>,
        start: Moment,
    ) -> Result<Option<(Moment, Completion)>, EngineError> {
        let number = self.number(rank, to, size);
        let since = self.pass_data(rank, to, start);
        let send = PendingRendezvous { number, from: rank, tag, size, since, request };
        let receiver = self.state(to);
        let Some(receive) = receiver.pending.take_for(rank, tag) else {
            // The receive is not posted. The processor serves other work meanwhile.
            receiver.rendezvous.push(Some(rank), tag, send);
            self.state(rank).busy = false;
            return Ok(None);
        };
        let open = OpenRendezvous { send, to, receive };
        let consent = self.pass_data(to, rank, since.or_later(receive.posted));
        if consent.time > start.time {
            self.state(rank).busy = false;
            self.send_with_consent(open, consent)?;
            return Ok(None);
        }
        self.send_rendezvous(open, start).map(Some)
    }

    /// Starts the first send that waits for this receive, which was just posted, when the sender's
    /// processor is free; does nothing if no send waits.
    pub(super) fn start_pending_send(
        &mut self,
        rank: Rank,
        pending: &Pending,
    ) -> Result<(), EngineError> {
        let state = self.state(rank);
        let Some(send) = state.rendezvous.take_from(pending.from, pending.tag) else {
            return Ok(());
        };
        let Some(receive) = state.pending.take_for(send.from, send.tag) else { return Ok(()) };
        let consent = self.pass_data(rank, send.from, send.since.or_later(receive.posted));
        self.send_with_consent(OpenRendezvous { send, to: rank, receive }, consent)
    }

    /// Starts a send at the moment of consent, or when the sender's processor is free.
    fn send_with_consent(
        &mut self,
        open: OpenRendezvous,
        consent: Moment,
    ) -> Result<(), EngineError> {
        let PendingRendezvous { number, from, request, .. } = open.send;
        self.state.rendezvous.insert(number, open);
        self.enqueue_when_ready(
            from,
            Ready { work: Work::Rendezvous { message: number }, since: consent, request },
        )
    }

    /// Returns when a request or a consent from one rank to another has left, after the data that
    /// is on the way out already.
    fn pass_data(&mut self, from: Rank, to: Rank, start: Moment) -> Moment {
        let [from, to] = [from, to].map(|rank| self.placement.processor(rank));
        self.network.pass_data(Message { from, to, size: Bytes::ZERO }, start, &mut self.state.path)
    }

    /// Sends a message whose receive is posted; returns when the sender's processor is free, and
    /// what that completes.
    pub(super) fn send_rendezvous(
        &mut self,
        open: OpenRendezvous,
        start: Moment,
    ) -> Result<(Moment, Completion), EngineError> {
        let OpenRendezvous {
            send: PendingRendezvous { number, from, tag, size, request, .. },
            to,
            receive,
        } = open;
        let sent =
            self.network.send(self.state.messages[number as usize], start, &mut self.state.path);
        let mut completion = Completion::of(request);
        let mut hold = |end| {
            self.state.held.insert(number, HeldSend { from, completion, end });
            completion = Completion::Later;
        };
        match self.network.protocol(size) {
            Protocol::Eager | Protocol::Rendezvous => {}
            Protocol::Unbuffered => {
                let end = sent.release.or_later(sent.arrival);
                hold(Some(end));
                self.state.queue.push(end.time, EngineEvent::Delivered { message: number });
            }
            Protocol::Synchronous => hold(None),
        }
        self.match_receive(
            to,
            receive,
            InFlight { number, from, tag, size, arrival: sent.arrival },
        )?;
        Ok((sent.release, completion))
    }

    /// Completes a send that waited for its message to arrive or to be received.
    pub(super) fn finish_held_send(&mut self, message: u32) -> Result<(), EngineError> {
        match self.state.held.remove(&message) {
            Some(HeldSend { from, completion, end: Some(end) }) => {
                self.complete(from, completion, end)
            }
            _ => Ok(()),
        }
    }
}
