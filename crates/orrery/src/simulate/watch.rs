use std::collections::BTreeMap;

use super::communication::{Communication, Loss};
use crate::platform::HostId;
use crate::sharing::Conflict;
use crate::sharing::maxmin::{Demand, MaxMin};
use crate::units::Seconds;

/// Looks on while messages flow, and writes down what they do to each other.
///
/// Between two changes that concern a message, its penalty and the shares of those that disturb it stay as they are. So
/// each change is handed on to the neighbours: the messages at the ports, and on the links, of what changed.
#[derive(Debug, Default)]
pub(super) struct Watch {
    all: Vec<Communication>,
    /// By number of the flow its place among all.
    places: Vec<usize>,
    /// By number of the flow.
    flowing: Vec<Option<Flowing>>,
    /// For each host the numbers of the messages that leave it, and of those that come to it.
    leaving: Vec<Vec<usize>>,
    coming: Vec<Vec<usize>>,
    /// Numbers to look at when the rates have settled.
    concerned: Vec<usize>,
    /// Those that started to flow since.
    started: Vec<usize>,
}

/// A message that flows.
#[derive(Debug, Clone)]
struct Flowing {
    place: usize,
    hosts: [HostId; 2],
    links: Vec<usize>,
    /// The rate that it would have alone.
    lone: f64,
    since: f64,
    penalty: f64,
    /// What each of the others has of what holds it up, as a part of 1, by number.
    shares: Vec<(usize, f64)>,
    lost: BTreeMap<usize, f64>,
}

/// What is known of the present rate of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rate {
    /// In bytes per second.
    pub(super) rate: f64,
    /// What the law leaves it, or its lone rate without a law.
    pub(super) bound: f64,
}

/// Rates that differ by less, relative to their size, are the same.
const SAME: f64 = 1e-9;

impl Watch {
    pub(super) fn new(hosts: usize) -> Self {
        Self { leaving: vec![Vec::new(); hosts], coming: vec![Vec::new(); hosts], ..Self::default() }
    }

    /// A message has met its receive.
    pub(super) fn meet(&mut self, number: usize, communication: Communication) {
        if self.places.len() <= number {
            self.places.resize(number + 1, 0);
            self.flowing.resize(number + 1, None);
        }
        self.places[number] = self.all.len();
        self.all.push(communication);
    }

    /// The place among all of the message that has this number at present.
    pub(super) fn place(&self, number: usize) -> usize {
        self.places[number]
    }

    /// The latency of a message has passed.
    pub(super) fn start(&mut self, number: usize, hosts: [HostId; 2], demand: &Demand, lone: f64) {
        let place = self.places[number];
        let links = demand.links.iter().map(|(link, _)| *link).collect();
        let (shares, lost) = (Vec::new(), BTreeMap::new());
        self.flowing[number] = Some(Flowing { place, hosts, links, lone, since: 0.0, penalty: 0.0, shares, lost });
        if hosts[0] != hosts[1] {
            self.leaving[hosts[0].index()].push(number);
            self.coming[hosts[1].index()].push(number);
        }
        self.started.push(number);
    }

    /// A message has arrived.
    pub(super) fn stop(&mut self, number: usize, now: f64, sharing: &MaxMin) {
        self.concern(number, sharing);
        self.account(number, now);
        let Some(flow) = self.flowing[number].take() else { return };
        self.leaving[flow.hosts[0].index()].retain(|&other| other != number);
        self.coming[flow.hosts[1].index()].retain(|&other| other != number);
        let told = &mut self.all[flow.place];
        told.end = Seconds::new(now);
        told.losses = flow.lost.into_iter().map(|(to, lost)| Loss { to, lost: Seconds::new(lost) }).collect();
    }

    /// A message has another rate, or is about to go: all concerned are to be looked at.
    pub(super) fn concern(&mut self, number: usize, sharing: &MaxMin) {
        let Some(Some(flow)) = self.flowing.get(number) else { return };
        self.concerned.push(number);
        self.concerned.extend(&self.leaving[flow.hosts[0].index()]);
        self.concerned.extend(&self.coming[flow.hosts[1].index()]);
        for &link in &flow.links {
            self.concerned.extend(sharing.link_usage(link).map(|(other, _)| other));
        }
    }

    /// The rates have settled.
    pub(super) fn settle(&mut self, now: f64, sharing: &MaxMin, rate: impl Fn(usize) -> Option<Rate>) {
        for number in std::mem::take(&mut self.started) {
            self.concern(number, sharing);
            self.meet_conflicts(number);
        }
        let mut concerned = std::mem::take(&mut self.concerned);
        concerned.sort_unstable();
        concerned.dedup();
        for &number in &concerned {
            self.account(number, now);
            self.look(number, now, sharing, &rate);
        }
        concerned.clear();
        self.concerned = concerned;
    }

    pub(super) fn finish(self) -> Vec<Communication> {
        self.all
    }

    /// Writes down what a message lost since it was last looked at.
    fn account(&mut self, number: usize, now: f64) {
        let Some(Some(flow)) = self.flowing.get_mut(number) else { return };
        let (took, penalty) = (now - flow.since, flow.penalty);
        flow.since = now;
        if penalty == 0.0 || took <= 0.0 {
            return;
        }
        let lost = took * (1.0 - 1.0 / penalty);
        let told = &mut self.all[flow.place];
        told.lost += Seconds::new(lost);
        let shares = std::mem::take(&mut flow.shares);
        for &(other, share) in &shares {
            *flow.lost.entry(other).or_default() += lost * share;
        }
        flow.shares = shares;
    }

    /// Finds the penalty of a message, and who holds it up.
    fn look(&mut self, number: usize, now: f64, sharing: &MaxMin, rate: &impl Fn(usize) -> Option<Rate>) {
        let (Some(Some(flow)), Some(own)) = (self.flowing.get(number), rate(number)) else { return };
        let penalty = flow.lone / own.rate;
        let mut shares: Vec<(usize, f64)> = Vec::new();
        if (penalty - 1.0).abs() > SAME {
            let by_link = sharing.bottleneck(number).filter(|_| own.rate < own.bound * (1.0 - SAME));
            let place = |other: usize| self.flowing.get(other).and_then(Option::as_ref).map(|flow| flow.place);
            let others: Vec<(usize, f64)> = match by_link {
                Some(link) => sharing.link_usage(link).collect(),
                None => {
                    let [from, to] = flow.hosts.map(HostId::index);
                    let at_ports = self.leaving[from].iter().chain(&self.coming[to]);
                    at_ports.filter_map(|&other| Some((other, rate(other)?.rate))).collect()
                }
            };
            for (other, taken) in others.into_iter().filter(|(other, _)| *other != number) {
                shares.extend(place(other).map(|place| (place, taken)));
            }
            // Who leaves the same host and comes to the same host is at both ports, and told once.
            shares.sort_unstable_by_key(|(place, _)| *place);
            shares.dedup_by_key(|(place, _)| *place);
            let sum: f64 = shares.iter().map(|(_, taken)| taken).sum();
            shares.iter_mut().for_each(|(_, taken)| *taken /= sum);
        }
        let Some(Some(flow)) = self.flowing.get_mut(number) else { return };
        flow.since = now;
        flow.shares = shares;
        let told = &mut self.all[flow.place].penalties;
        if told.is_empty() || (penalty - flow.penalty).abs() > SAME * penalty {
            told.push((Seconds::new(now), penalty));
        }
        flow.penalty = penalty;
    }

    /// What starts to flow meets conflicts, and so do those that it finds there.
    fn meet_conflicts(&mut self, number: usize) {
        let Some(Some(flow)) = self.flowing.get(number) else { return };
        let [from, to] = flow.hosts.map(HostId::index);
        if from == to {
            return;
        }
        let ports = [&self.leaving[from], &self.coming[from], &self.leaving[to], &self.coming[to]];
        for &other in ports.into_iter().flatten() {
            let Some(Some(other)) = self.flowing.get(other) else { continue };
            let [from, to] = other.hosts.map(HostId::index);
            let met = &mut self.all[other.place].conflicts;
            let mut meets = |kind: Conflict, is_met: bool| {
                if is_met && !met.contains(&kind) {
                    met.push(kind);
                    met.sort_unstable();
                }
            };
            meets(Conflict::Outgoing, self.leaving[from].len() > 1);
            meets(Conflict::Income, self.coming[to].len() > 1);
            meets(Conflict::IncomeOutgo, !self.coming[from].is_empty() || !self.leaving[to].is_empty());
        }
    }
}
