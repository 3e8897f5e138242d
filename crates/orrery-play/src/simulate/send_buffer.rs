//! Sends that complete when what is left of their data fits into the buffer of their connection, as
//! over TCP.
//!
//! The messages of two ranks follow each other on one connection. The send of a message that waits
//! for its receive ends when the bytes before it and its own, less those that have left, are no
//! more than the buffer holds. So an event of the message that flows is the next end of a send on
//! its connection, or the end of the message.

use super::message_order::ConnectionEnds;
use super::rank_state::{Completion, MessageEnd};
use super::replay::Replay;

/// The bytes by which a buffer may be too small, for rounding.
const ROUNDING: f64 = 1e-3;

impl Replay<'_> {
    /// The connection of a message: of its ranks if sends have buffers, otherwise of its hosts.
    pub(super) fn connection(&self, ends: [MessageEnd; 2]) -> ConnectionEnds {
        let [from, to] = ends.map(|end| end.rank);
        match self.settings.model.send_buffer() {
            Some(_) => (from.0, to.0),
            None => (self.settings.hosts[from.index()].0, self.settings.hosts[to.index()].0),
        }
    }

    /// The rate in bytes per second at which a message that has started flows, as of the last
    /// update.
    fn flow_rate(&self, number: usize) -> f64 {
        let uncontended = self.uncontended[number];
        let rate = match &self.active {
            Some(active) if !self.settings.model.shares_links => {
                uncontended.rate / active.penalty(number)
            }
            _ => self.rates[number],
        };
        rate * uncontended.factor
    }

    /// Handles a message that is ready to flow while another one of its connection may flow: its
    /// send completes if its data fits into the buffer.
    pub(super) fn join_connection(&mut self, ends: [MessageEnd; 2]) {
        let connection = self.connection(ends);
        let Some(first) = self.order.as_ref().and_then(|order| order.first(connection)) else {
            return;
        };
        let Some(flow) = self.flows[first].filter(|_| self.settings.model.send_buffer().is_some())
        else {
            return;
        };
        let left = if flow.has_started {
            flow.rest_after_event + self.queue.remaining(first, self.now) * self.flow_rate(first)
        } else {
            self.uncontended[first].size
        };
        self.update_connection(ends, left);
    }

    /// Handles the event of a message before its end: sends of its connection complete, and it
    /// flows on.
    pub(super) fn end_sends(&mut self, number: usize) {
        let Some(flow) = self.flows[number] else { return };
        self.derivatives.iter_mut().for_each(|derivatives| derivatives.pass_flow(number, self.now));
        self.update_connection(flow.ends, flow.rest_after_event);
    }

    /// Completes the sends whose data fits into the buffer of their connection, and sets the event
    /// of its first message, of which `left` bytes have not left. Does nothing without buffers or
    /// within a host.
    pub(super) fn update_connection(&mut self, ends: [MessageEnd; 2], left: f64) {
        let hosts = ends.map(|end| self.settings.hosts[end.rank.index()]);
        let Some(buffer) = self.settings.model.send_buffer().filter(|_| hosts[0] != hosts[1])
        else {
            return;
        };
        let connection = self.connection(ends);
        let messages: Vec<(usize, bool)> =
            self.order.iter().flat_map(|order| order.messages(connection)).collect();
        let (mut behind, mut excess) = (0.0, None);
        for (place, &(number, is_ready)) in messages.iter().enumerate() {
            behind += if place == 0 { left } else { self.uncontended[number].size };
            let waits = |end: MessageEnd| {
                matches!(end.completion, Completion::Program | Completion::Request(_))
            };
            if !is_ready || !self.flows[number].is_some_and(|flow| waits(flow.ends[0])) {
                continue;
            }
            let over = behind - buffer.get() as f64;
            if over > ROUNDING {
                excess = Some(over);
                break;
            }
            self.complete_send(number);
        }
        let Some(&(first, _)) = messages.first() else { return };
        let rate = self.flow_rate(first);
        let Some(flow) = self.flows[first].as_mut().filter(|flow| flow.has_started) else { return };
        let until_event = excess.filter(|excess| *excess < left).unwrap_or(left);
        flow.rest_after_event = left - until_event;
        self.queue.set(first, self.now + until_event / rate);
    }

    /// Completes the send of a message, whose rest fits into the buffer of its connection.
    fn complete_send(&mut self, number: usize) {
        let Some(flow) = &mut self.flows[number] else { return };
        let sender = flow.ends[0];
        flow.ends[0].completion = Completion::Buffered;
        let communication = self.recorder.as_ref().map(|recorder| recorder.index(number));
        self.complete_end(sender, 0.0, communication);
    }
}
