use std::collections::BTreeMap;

use super::communication::{Communication, Loss};
use crate::platform::HostId;
use crate::sharing::Conflict;
use crate::sharing::maxmin::{Demand, MaxMin};
use crate::units::Seconds;

/// Records penalties and losses of messages while they flow.
///
/// The penalty of a message and the shares of the messages that delay it are constant between two changes at its ports
/// and links. Each change therefore marks the messages at the same ports and on the same links for an update.
#[derive(Debug, Default)]
pub(super) struct ConflictRecorder {
    communications: Vec<Communication>,
    /// By number of the flow: its index among the communications.
    indices: Vec<usize>,
    /// By number of the flow.
    flowing: Vec<Option<Flowing>>,
    /// By host: the numbers of the messages that flow from it, and of those to it.
    outgoing: Vec<Vec<usize>>,
    incoming: Vec<Vec<usize>>,
    /// Numbers of messages to update.
    marked: Vec<usize>,
    /// Numbers of messages that started to flow since the last update.
    started: Vec<usize>,
}

/// A message that flows.
#[derive(Debug, Clone)]
struct Flowing {
    /// The index among the communications.
    index: usize,
    hosts: [HostId; 2],
    links: Vec<usize>,
    /// The rate without other messages, in bytes per second.
    uncontended_rate: f64,
    /// The time of the last update, in seconds.
    since: f64,
    penalty: f64,
    /// Share (0–1) of the bottleneck that each other message holds, by index among the communications.
    shares: Vec<(usize, f64)>,
    /// The loss in seconds to each other message, by index among the communications.
    lost: BTreeMap<usize, f64>,
}

/// The present rate of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rate {
    /// The rate in bytes per second.
    pub(super) rate: f64,
    /// The upper bound: by the sharing law, or without one the uncontended rate.
    pub(super) bound: f64,
}

/// Rates are equal if they differ by less than this, relative to their size.
const RATE_TOLERANCE: f64 = 1e-9;

impl ConflictRecorder {
    /// Creates a recorder for this number of hosts.
    pub(super) fn new(hosts: usize) -> Self {
        Self { outgoing: vec![Vec::new(); hosts], incoming: vec![Vec::new(); hosts], ..Self::default() }
    }

    /// Adds a message whose latency begins.
    pub(super) fn add(&mut self, number: usize, communication: Communication) {
        if self.indices.len() <= number {
            self.indices.resize(number + 1, 0);
            self.flowing.resize(number + 1, None);
        }
        self.indices[number] = self.communications.len();
        self.communications.push(communication);
    }

    /// The index among the communications of the message with this number.
    pub(super) fn index(&self, number: usize) -> usize {
        self.indices[number]
    }

    /// Starts the flow of a message, after its latency.
    pub(super) fn start(&mut self, number: usize, hosts: [HostId; 2], demand: &Demand, uncontended_rate: f64) {
        let index = self.indices[number];
        let links = demand.links.iter().map(|(link, _)| *link).collect();
        let (shares, lost) = (Vec::new(), BTreeMap::new());
        self.flowing[number] =
            Some(Flowing { index, hosts, links, uncontended_rate, since: 0.0, penalty: 0.0, shares, lost });
        if hosts[0] != hosts[1] {
            self.outgoing[hosts[0].index()].push(number);
            self.incoming[hosts[1].index()].push(number);
        }
        self.started.push(number);
    }

    /// Ends the flow of a message.
    pub(super) fn stop(&mut self, number: usize, now: f64, sharing: &MaxMin) {
        self.mark_changed(number, sharing);
        self.add_loss(number, now);
        let Some(flow) = self.flowing[number].take() else { return };
        self.outgoing[flow.hosts[0].index()].retain(|&other| other != number);
        self.incoming[flow.hosts[1].index()].retain(|&other| other != number);
        let communication = &mut self.communications[flow.index];
        communication.end = Seconds::new(now);
        communication.losses =
            flow.lost.into_iter().map(|(culprit, lost)| Loss { culprit, lost: Seconds::new(lost) }).collect();
    }

    /// Marks a message whose rate changes or which ends, and all messages at its ports and links, for an update.
    pub(super) fn mark_changed(&mut self, number: usize, sharing: &MaxMin) {
        let Some(Some(flow)) = self.flowing.get(number) else { return };
        self.marked.push(number);
        self.marked.extend(&self.outgoing[flow.hosts[0].index()]);
        self.marked.extend(&self.incoming[flow.hosts[1].index()]);
        for &link in &flow.links {
            self.marked.extend(sharing.link_usage(link).map(|(other, _)| other));
        }
    }

    /// Updates all marked messages, after the rates have been updated.
    pub(super) fn update(&mut self, now: f64, sharing: &MaxMin, rate: impl Fn(usize) -> Option<Rate>) {
        for number in std::mem::take(&mut self.started) {
            self.mark_changed(number, sharing);
            self.record_conflicts(number);
        }
        let mut marked = std::mem::take(&mut self.marked);
        marked.sort_unstable();
        marked.dedup();
        for &number in &marked {
            self.add_loss(number, now);
            self.update_message(number, now, sharing, &rate);
        }
        marked.clear();
        self.marked = marked;
    }

    /// All communications, in the order in which they started.
    pub(super) fn finish(self) -> Vec<Communication> {
        self.communications
    }

    /// Adds the loss of a message since its last update.
    fn add_loss(&mut self, number: usize, now: f64) {
        let Some(Some(flow)) = self.flowing.get_mut(number) else { return };
        let (took, penalty) = (now - flow.since, flow.penalty);
        flow.since = now;
        if penalty == 0.0 || took <= 0.0 {
            return;
        }
        let lost = took * (1.0 - 1.0 / penalty);
        let communication = &mut self.communications[flow.index];
        communication.lost += Seconds::new(lost);
        let shares = std::mem::take(&mut flow.shares);
        for &(other, share) in &shares {
            *flow.lost.entry(other).or_default() += lost * share;
        }
        flow.shares = shares;
    }

    /// Updates the penalty of a message and the shares of the messages that delay it.
    fn update_message(&mut self, number: usize, now: f64, sharing: &MaxMin, rate: &impl Fn(usize) -> Option<Rate>) {
        let (Some(Some(flow)), Some(own)) = (self.flowing.get(number), rate(number)) else { return };
        let penalty = flow.uncontended_rate / own.rate;
        let mut shares: Vec<(usize, f64)> = Vec::new();
        if (penalty - 1.0).abs() > RATE_TOLERANCE {
            let by_link = sharing.bottleneck(number).filter(|_| own.rate < own.bound * (1.0 - RATE_TOLERANCE));
            let index = |other: usize| self.flowing.get(other).and_then(Option::as_ref).map(|flow| flow.index);
            let others: Vec<(usize, f64)> = match by_link {
                Some(link) => sharing.link_usage(link).collect(),
                None => {
                    let [from, to] = flow.hosts.map(HostId::index);
                    let at_ports = self.outgoing[from].iter().chain(&self.incoming[to]);
                    at_ports.filter_map(|&other| Some((other, rate(other)?.rate))).collect()
                }
            };
            for (other, taken) in others.into_iter().filter(|(other, _)| *other != number) {
                shares.extend(index(other).map(|index| (index, taken)));
            }
            // A message between the same two hosts is at both ports; it counts once.
            shares.sort_unstable_by_key(|(index, _)| *index);
            shares.dedup_by_key(|(index, _)| *index);
            let sum: f64 = shares.iter().map(|(_, taken)| taken).sum();
            shares.iter_mut().for_each(|(_, taken)| *taken /= sum);
        }
        let Some(Some(flow)) = self.flowing.get_mut(number) else { return };
        flow.since = now;
        flow.shares = shares;
        let penalties = &mut self.communications[flow.index].penalties;
        if penalties.is_empty() || (penalty - flow.penalty).abs() > RATE_TOLERANCE * penalty {
            penalties.push((Seconds::new(now), penalty));
        }
        flow.penalty = penalty;
    }

    /// Records the kinds of conflicts between a message that starts and those at the same hosts.
    fn record_conflicts(&mut self, number: usize) {
        let Some(Some(flow)) = self.flowing.get(number) else { return };
        let [from, to] = flow.hosts.map(HostId::index);
        if from == to {
            return;
        }
        let ports = [&self.outgoing[from], &self.incoming[from], &self.outgoing[to], &self.incoming[to]];
        for &other in ports.into_iter().flatten() {
            let Some(Some(other)) = self.flowing.get(other) else { continue };
            let [from, to] = other.hosts.map(HostId::index);
            let conflicts = &mut self.communications[other.index].conflicts;
            let mut record = |kind: Conflict, is_present: bool| {
                if is_present && !conflicts.contains(&kind) {
                    conflicts.push(kind);
                    conflicts.sort_unstable();
                }
            };
            record(Conflict::Outgoing, self.outgoing[from].len() > 1);
            record(Conflict::Income, self.incoming[to].len() > 1);
            record(Conflict::IncomeOutgo, !self.incoming[from].is_empty() || !self.outgoing[to].is_empty());
        }
    }
}
