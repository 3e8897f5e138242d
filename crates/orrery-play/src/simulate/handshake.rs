//! The handshakes of messages that wait for their receive: they follow data that leaves their host.
//! Derivatives take their waits as constant.

use super::rank_state::{Completion, MessageEnd, UnmatchedOperation};
use super::replay::Replay;
use orrery_base::units::Bytes;
use orrery_cluster::platform::HostId;
use orrery_program::schedule::Rank;

/// The numbers of the messages whose data leaves each host.
pub(super) struct Outgoing(Vec<Vec<usize>>);

impl Outgoing {
    /// No messages of this number of hosts.
    pub(super) fn of(hosts: usize) -> Self {
        Self(vec![Vec::new(); hosts])
    }

    /// Adds a message from one host to another; messages within a host do not count.
    pub(super) fn add(&mut self, (from, to): (HostId, HostId), number: usize) {
        if from != to && !self.0[from.index()].contains(&number) {
            self.0[from.index()].push(number);
        }
    }

    /// Removes a message that has arrived.
    pub(super) fn remove(&mut self, (from, _): (HostId, HostId), number: usize) {
        self.0[from.index()].retain(|&other| other != number);
    }

    /// The numbers of the messages whose data leaves a host.
    fn from(&self, host: HostId) -> &[usize] {
        &self.0[host.index()]
    }
}

impl Replay<'_> {
    /// Completes a send whose handshake has waited, when its message starts to flow; does nothing
    /// for other sends.
    pub(super) fn complete_after_handshake(&mut self, number: usize, ends: [MessageEnd; 2]) {
        let model = &self.settings.model;
        let has_waited = model.has_overheads(false) && ends[0].completion != Completion::None;
        let Some(outgoing) = self.outgoing.as_mut().filter(|_| has_waited) else { return };
        let [from, to] = ends.map(|end| self.settings.hosts[end.rank.index()]);
        outgoing.add((from, to), number);
        let size = self.uncontended[number].size as u64 - model.envelope().get();
        if !model.completes_at_start(Bytes::new(size)) {
            return;
        }
        if let Some(flow) = &mut self.flows[number] {
            flow.ends[0].completion = Completion::None;
        }
        self.complete_end(ends[0], 0.0, None);
    }

    /// The time in seconds that a handshake from a rank to its peer waits for data that leaves its
    /// host; 0 within a host.
    pub(super) fn queued_time(&self, rank: Rank, peer: Rank) -> f64 {
        let Some(outgoing) = &self.outgoing else { return 0.0 };
        let [host, other] = [rank, peer].map(|rank| self.settings.hosts[rank.index()]);
        if host == other {
            return 0.0;
        }
        let (mut bytes, mut rate) = (0.0, 0.0_f64);
        for &number in outgoing.from(host) {
            let uncontended = self.uncontended[number];
            bytes += if self.flows[number].is_some_and(|flow| flow.has_started) {
                self.queue.remaining(number, self.now) * self.rates[number]
            } else {
                uncontended.size / uncontended.factor
            };
            rate = rate.max(uncontended.rate);
        }
        if rate > 0.0 { self.settings.model.queue().min(bytes) / rate } else { 0.0 }
    }

    /// The time in seconds at which a message whose receive is posted by `to` may start: when the
    /// receiver's consent has left, or now if there is no handshake.
    pub(super) fn consent(&self, message: &UnmatchedOperation, to: Rank) -> f64 {
        let of_receiver =
            |requested: f64| self.now.max(requested) + self.queued_time(to, message.end.rank);
        message.requested.map_or(self.now, of_receiver)
    }
}
