//! Probes the peers while this member holds the token, and passes it on.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::error::ProbeError;
use super::link;
use super::session::{Kind, Message, Session};
use super::token::Token;
use super::{Member, lock};
use crate::agent::{Event, PeerConfig, Report};
use crate::name::Quantity;
use crate::sensor::Measurement;

/// The longest time between two looks at the flag that ends the agent.
const POLL: Duration = Duration::from_millis(200);

/// The loop of a member: waits for the token, probes its peers, passes the token on.
#[derive(Debug)]
pub(super) struct Clique {
    member: Arc<Member>,
    /// In the order in which the token is passed.
    peers: Vec<PeerConfig>,
    interval: Duration,
    bytes: u64,
    lost: BTreeSet<String>,
    without_budget: BTreeSet<String>,
}

impl Clique {
    /// A member that measures the bandwidth by transfers of this many bytes.
    pub(super) fn new(
        member: Arc<Member>,
        peers: Vec<PeerConfig>,
        interval: Duration,
        bytes: u64,
    ) -> Self {
        Self {
            member,
            peers,
            interval,
            bytes,
            lost: BTreeSet::new(),
            without_budget: BTreeSet::new(),
        }
    }

    /// Probes until the agent ends.
    pub(super) fn run(mut self) {
        let mut due = Duration::ZERO;
        while !self.member.stop.load(Ordering::SeqCst) && !self.peers.is_empty() {
            if !self.wait_for_token() {
                continue;
            }
            let now = self.member.now();
            let left = due.saturating_sub(now);
            if !left.is_zero() {
                std::thread::sleep(left.min(POLL));
                continue;
            }
            due = now + self.interval;
            for peer in self.peers.clone() {
                if self.member.stop.load(Ordering::SeqCst) {
                    break;
                }
                self.probe(&peer);
            }
            self.pass_token();
        }
    }

    /// Waits for at most [`POLL`] for the token, and makes a new one if the last one is lost;
    /// returns true if the token is held.
    fn wait_for_token(&self) -> bool {
        let mut token = lock(&self.member.token);
        if !token.is_held() {
            let waited = self.member.token_came.wait_timeout(token, POLL);
            token = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if let Some(epoch) = token.renew_if_lost(self.member.now()) {
            self.member.report(Report::Event(Event::NewToken { epoch }));
        }
        token.is_held()
    }

    /// Probes a peer and reports what was measured, or once that the peer is lost; does nothing
    /// while this member is being probed, or if the peer is busy. The bandwidth is measured as far
    /// as the hourly budgets allow.
    fn probe(&mut self, peer: &PeerConfig) {
        let member = Arc::clone(&self.member);
        let Ok(_link) = member.link.try_lock() else { return };
        let bytes = if lock(&member.sent).take(self.bytes, member.now()) { self.bytes } else { 0 };
        let host = &peer.host;
        let mut transferred = 0;
        let outcome = link::measure(peer.address, &member.secret, bytes, &mut transferred);
        // A peer that is gone or busy takes no bytes from the others.
        lock(&member.sent).give_back(bytes - transferred);
        match outcome {
            Ok(reading) => {
                let value =
                    |quantity, value| Measurement { quantity, target: Some(host.clone()), value };
                let mut found = vec![value(Quantity::Latency, reading.latency)];
                found.extend(
                    reading.bandwidth.map(|bandwidth| value(Quantity::Bandwidth, bandwidth)),
                );
                member.report(Report::Measured(found));
                if self.lost.remove(host) {
                    member.report(Report::Event(Event::PeerReturned { host: host.clone() }));
                }
                if reading.bytes > 0 {
                    self.without_budget.remove(host);
                } else if self.without_budget.insert(host.clone()) {
                    member.report(Report::Event(Event::BudgetSpent { host: host.clone() }));
                }
            }
            // The next round measures it.
            Err(ProbeError::Busy) => {}
            Err(error) => self.lose(host, &error),
        }
    }

    /// Reports that a peer cannot be probed, once.
    fn lose(&mut self, host: &str, error: &ProbeError) {
        if self.lost.insert(host.to_owned()) {
            let (host, reason) = (host.to_owned(), error.to_string());
            self.member.report(Report::Event(Event::PeerLost { host, reason }));
        }
    }

    /// Passes the token to the first of the next members that takes it; without one, it is kept.
    fn pass_token(&self) {
        for peer in self.peers.iter().filter(|peer| !self.lost.contains(&peer.host)) {
            let Some(token) = lock(&self.member.token).next() else { return };
            let request = Message::new(Kind::Token, token.epoch, token.sequence);
            let Ok((_, answer)) = Session::call(peer.address, &self.member.secret, request) else {
                continue;
            };
            let mut state = lock(&self.member.token);
            match answer.kind {
                Kind::Accepted => return state.passed(token, self.member.now()),
                Kind::Stale => {
                    let greater = Token { epoch: answer.first, sequence: answer.second };
                    return state.give_up(greater, self.member.now());
                }
                _ => {}
            }
        }
    }
}
