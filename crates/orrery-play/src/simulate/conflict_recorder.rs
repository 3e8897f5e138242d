use std::collections::{BTreeMap, BTreeSet};

use super::communication::{Communication, Loss};
use orrery_base::units::Seconds;
use orrery_cluster::platform::HostId;
use orrery_cluster::sharing::Conflict;
use orrery_cluster::sharing::maxmin::{Demand, MaxMin};

/// Records penalties and losses of messages while they flow.
///
/// The penalty of a message and the shares of the messages that delay it are constant between two
/// changes at its ports and links. Each change therefore marks the same ports and links, whose
/// messages are updated once for all simultaneous changes.
#[derive(Debug, Default)]
pub(super) struct ConflictRecorder {
    /// True if the losses are divided among the messages that cause them; n messages at one port
    /// have n² such losses.
    divides_losses: bool,
    communications: Vec<Communication>,
    /// By number of the flow: its index among the communications.
    indices: Vec<usize>,
    /// By number of the flow.
    flowing: Vec<Option<Flowing>>,
    /// By host: the numbers of the messages that flow from it, and of those to it.
    outgoing: Vec<BTreeSet<usize>>,
    incoming: Vec<BTreeSet<usize>>,
    /// Numbers of messages to update.
    marked: Vec<usize>,
    /// Ports and links whose messages are to be updated.
    marked_places: BTreeSet<Place>,
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
    /// Share (0–1) of the bottleneck that each other message holds, by index among the
    /// communications.
    shares: Vec<(usize, f64)>,
    /// The loss in seconds to each other message, by index among the communications.
    lost: BTreeMap<usize, f64>,
}

/// A place at which messages share bandwidth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// The outgoing port of a host.
    Outgoing(HostId),
    /// The incoming port of a host.
    Incoming(HostId),
    /// A link.
    Link(usize),
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
    pub(super) fn new(hosts: usize, divides_losses: bool) -> Self {
        let none = || vec![BTreeSet::new(); hosts];
        Self { divides_losses, outgoing: none(), incoming: none(), ..Self::default() }
    }

    /// Adds a message whose latency begins, under the number of its flow.
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
    pub(super) fn start(
        &mut self,
        number: usize,
        hosts: [HostId; 2],
        demand: &Demand,
        uncontended_rate: f64,
    ) {
        let index = self.indices[number];
        let links = demand.links.iter().map(|(link, _)| *link).collect();
        let (shares, lost) = (Vec::new(), BTreeMap::new());
        self.flowing[number] = Some(Flowing {
            index,
            hosts,
            links,
            uncontended_rate,
            since: 0.0,
            penalty: 0.0,
            shares,
            lost,
        });
        if hosts[0] != hosts[1] {
            self.outgoing[hosts[0].index()].insert(number);
            self.incoming[hosts[1].index()].insert(number);
        }
        self.started.push(number);
    }

    /// Ends the flow of a message at `now`, in seconds.
    pub(super) fn stop(&mut self, number: usize, now: f64) {
        self.mark_changed(number);
        self.add_loss(number, now);
        let Some(flow) = self.flowing[number].take() else { return };
        self.outgoing[flow.hosts[0].index()].remove(&number);
        self.incoming[flow.hosts[1].index()].remove(&number);
        let communication = &mut self.communications[flow.index];
        communication.end = Seconds::new(now);
        communication.losses = flow
            .lost
            .into_iter()
            .map(|(culprit, lost)| Loss { culprit, lost: Seconds::new(lost) })
            .collect();
    }

    /// Marks a message whose rate changes or which ends, and all messages at its ports and links,
    /// for an update.
    pub(super) fn mark_changed(&mut self, number: usize) {
        let Some(Some(flow)) = self.flowing.get(number) else { return };
        self.marked.push(number);
        self.marked_places.extend([Place::Outgoing(flow.hosts[0]), Place::Incoming(flow.hosts[1])]);
        self.marked_places.extend(flow.links.iter().map(|&link| Place::Link(link)));
    }

    /// Updates all marked messages at `now`, in seconds, after the rates have been updated. `rate`
    /// returns the present rate of a message by its number; `None` leaves it out.
    pub(super) fn update(
        &mut self,
        now: f64,
        sharing: &MaxMin,
        rate: impl Fn(usize) -> Option<Rate>,
    ) {
        self.record_conflicts();
        let mut marked = std::mem::take(&mut self.marked);
        for place in std::mem::take(&mut self.marked_places) {
            match place {
                Place::Outgoing(host) => marked.extend(&self.outgoing[host.index()]),
                Place::Incoming(host) => marked.extend(&self.incoming[host.index()]),
                Place::Link(link) => {
                    marked.extend(sharing.link_usage(link).map(|(other, _)| other));
                }
            }
        }
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

    /// Adds the loss of a message since its last update, by its penalty since then.
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
    fn update_message(
        &mut self,
        number: usize,
        now: f64,
        sharing: &MaxMin,
        rate: &impl Fn(usize) -> Option<Rate>,
    ) {
        let (Some(Some(flow)), Some(own)) = (self.flowing.get(number), rate(number)) else {
            return;
        };
        let penalty = flow.uncontended_rate / own.rate;
        let mut shares: Vec<(usize, f64)> = Vec::new();
        if self.divides_losses && (penalty - 1.0).abs() > RATE_TOLERANCE {
            let by_link = sharing
                .bottleneck(number)
                .filter(|_| own.rate < own.bound * (1.0 - RATE_TOLERANCE));
            let index = |other: usize| {
                self.flowing.get(other).and_then(Option::as_ref).map(|flow| flow.index)
            };
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

    /// Marks the messages that started, and records the kinds of conflicts between them and those
    /// at the same hosts.
    fn record_conflicts(&mut self) {
        let mut hosts = BTreeSet::new();
        for number in std::mem::take(&mut self.started) {
            self.mark_changed(number);
            let of_flow = self.flowing.get(number).and_then(Option::as_ref).map(|flow| flow.hosts);
            hosts.extend(of_flow.filter(|[from, to]| from != to).into_iter().flatten());
        }
        let at_hosts = hosts.iter().map(|host| host.index());
        let affected: BTreeSet<usize> = at_hosts
            .flat_map(|host| self.outgoing[host].iter().chain(&self.incoming[host]))
            .copied()
            .collect();
        for number in affected {
            let Some(Some(flow)) = self.flowing.get(number) else { continue };
            let [from, to] = flow.hosts.map(HostId::index);
            let conflicts = &mut self.communications[flow.index].conflicts;
            let mut record = |kind: Conflict, is_present: bool| {
                if is_present && !conflicts.contains(&kind) {
                    conflicts.push(kind);
                    conflicts.sort_unstable();
                }
            };
            record(Conflict::Outgoing, self.outgoing[from].len() > 1);
            record(Conflict::Income, self.incoming[to].len() > 1);
            record(
                Conflict::IncomeOutgo,
                !self.incoming[from].is_empty() || !self.outgoing[to].is_empty(),
            );
        }
    }
}
