use super::communication::Communication;
use super::dates::Dates;
use super::error::{Blocked, SimulationError};
use super::flow::{Alone, End, Flow, Waiter};
use super::numbers::Numbers;
use super::outcome::{Event, Outcome};
use super::simulation::Simulation;
use super::task::{Offer, RequestState, Task};
use super::watch::{Rate, Watch};
use super::wires::Wires;
use crate::schedule::{Operation, Rank, Request, Schedule, Transfer};
use crate::sharing::maxmin::{Demand, MaxMin};
use crate::sharing::{self, ActiveTransfers};
use crate::units::Seconds;

/// A schedule while it is played.
///
/// Flows and ranks have numbers in common: below the number of ranks they are those of the ranks, whose date is the end
/// of a computation or a sleep; above stand the messages, whose date is the end of their latency or of their flow.
pub(super) struct Run<'a> {
    cluster: &'a Simulation<'a>,
    schedule: &'a dyn Schedule,
    now: f64,
    dates: Dates,
    sharing: MaxMin,
    tasks: Vec<Task>,
    flows: Vec<Option<Flow>>,
    alone: Vec<Alone>,
    /// By number: the rates of flows that share links or hosts.
    rates: Vec<f64>,
    /// What messages that wait for the end of their latency ask for, by number. Where they share no links, one is for all.
    demands: Vec<Demand>,
    numbers: Numbers,
    wires: Wires,
    /// The messages that a law counts.
    underway: Option<ActiveTransfers>,
    watch: Option<Box<Watch>>,
    /// Ranks that can go on, in the order in which what they waited for ended.
    ready: Vec<Rank>,
    events: Vec<Event>,
    rate_updates: u64,
}

/// Dates that differ by less, relative to the time, are one instant.
const INSTANT: f64 = 1e-12;

impl<'a> Run<'a> {
    pub(super) fn new(cluster: &'a Simulation<'a>, schedule: &'a dyn Schedule) -> Self {
        let topology = cluster.topology;
        let ranks = schedule.ranks();
        let mut seated = vec![0_u32; topology.hosts.len()];
        cluster.hosts.iter().for_each(|host| seated[host.index()] += 1);
        let links = topology.links.iter().map(|link| link.bandwidth.get());
        // Behind the links stand the hosts: so many cores, of which a computation has one at most.
        let cores = topology.hosts.iter().map(|host| f64::from(host.cores));
        let capacities: Vec<f64> = links.chain(cores).collect();
        let mut dates = Dates::default();
        dates.make_room(ranks);
        let shares =
            |rank: usize| seated[cluster.hosts[rank].index()] > topology.hosts[cluster.hosts[rank].index()].cores;
        Self {
            cluster,
            schedule,
            now: 0.0,
            dates,
            sharing: MaxMin::new(&capacities),
            tasks: (0..ranks).map(|rank| Task::new(shares(rank))).collect(),
            flows: vec![None; ranks],
            alone: vec![Alone::default(); ranks],
            rates: vec![0.0; ranks],
            demands: Vec::new(),
            numbers: Numbers::new(ranks),
            wires: Wires::default(),
            underway: cluster.model.law.map(ActiveTransfers::new),
            watch: cluster.keeps_conflicts.then(|| Box::new(Watch::new(topology.hosts.len()))),
            ready: Rank::first(ranks).collect(),
            events: Vec::new(),
            rate_updates: 0,
        }
    }

    pub(super) fn play(mut self) -> Result<Outcome, SimulationError> {
        let mut due = Vec::new();
        loop {
            let mut next = 0;
            while next < self.ready.len() {
                let rank = self.ready[next];
                self.go_on(rank)?;
                next += 1;
            }
            self.ready.clear();
            self.penalise()?;
            self.settle();
            self.look();
            let Some(now) = self.dates.next(INSTANT, &mut due) else { break };
            self.now = now.max(self.now);
            due.iter().for_each(|&(_, number)| self.happen(number));
        }
        self.end()
    }

    /// Finds the penalties anew: they bound the rates, or are all there is to them.
    fn penalise(&mut self) -> Result<(), SimulationError> {
        let Some(underway) = &mut self.underway else { return Ok(()) };
        if let Err(error) = underway.update_penalties() {
            return Err(SimulationError::Sharing { at: Seconds::new(self.now), error });
        }
        let rates_are_final = !self.cluster.model.shares_links;
        self.rate_updates += u64::from(rates_are_final && underway.changed().next().is_some());
        if rates_are_final {
            self.dates.stretch(self.now, underway.rescale_factors());
            return Ok(());
        }
        for number in underway.changed() {
            let Some(flow) = &self.flows[number] else { continue };
            let bound = self.alone[number].rate / underway.penalty(number);
            self.demands[number - self.tasks.len()].bound = bound;
            if flow.flows {
                self.sharing.set_bound(number, bound);
            }
        }
        Ok(())
    }

    /// Lets the watch see the rates that have changed.
    fn look(&mut self) {
        let Some(watch) = &mut self.watch else { return };
        let by_law = self.underway.iter().flat_map(ActiveTransfers::changed);
        let by_links = self.sharing.changed().iter().map(|&number| number as usize);
        by_law.chain(by_links).for_each(|number| watch.concern(number, &self.sharing));
        let (ranks, shares_links) = (self.tasks.len(), self.cluster.model.shares_links);
        watch.settle(self.now, &self.sharing, |number| {
            self.flows[number].filter(|flow| flow.flows)?;
            if shares_links {
                return Some(Rate { rate: self.sharing.rate(number), bound: self.demands[number - ranks].bound });
            }
            let penalty = self.underway.as_ref().map_or(1.0, |underway| underway.penalty(number));
            let rate = self.alone[number].rate / penalty;
            Some(Rate { rate, bound: rate })
        });
    }

    /// The law counts a message from now on.
    fn count(&mut self, number: usize, ends: [End; 2]) {
        if let Some(underway) = &mut self.underway {
            let [from, to] = ends.map(|end| self.cluster.hosts[end.rank.index()].0);
            underway.start(number, sharing::Transfer::between(from, to));
        }
    }

    /// Finds the sharing anew, and when flows end whose rate has changed.
    fn settle(&mut self) {
        self.rate_updates += u64::from(!self.sharing.update_rates().is_empty());
        let (sharing, rates) = (&self.sharing, self.rates.as_mut_slice());
        let stretched = sharing.changed().iter().map(|&number| {
            let (number, rate) = (number as usize, sharing.rate(number as usize));
            (number, std::mem::replace(&mut rates[number], rate) / rate)
        });
        self.dates.stretch(self.now, stretched);
    }

    /// The date of a number has come.
    fn happen(&mut self, number: usize) {
        let Some(flow) = self.flows[number].as_mut() else {
            // A computation or a sleep that shares nothing.
            return self.finished(Rank(number as u32), None);
        };
        if !flow.flows {
            flow.flows = true;
            let (ends, alone) = (flow.ends, self.alone[number]);
            self.dates.begin(number, alone.takes());
            let demand = &self.demands[self.demand(number)];
            if let Some(watch) = &mut self.watch {
                let hosts = ends.map(|end| self.cluster.hosts[end.rank.index()]);
                watch.start(number, hosts, demand, alone.rate);
            }
            if self.cluster.model.shares_links {
                self.rates[number] = alone.rate;
                self.sharing.start(number, demand);
            }
            if !self.cluster.model.counts_latency {
                self.count(number, ends);
            }
            return;
        }
        let ends = flow.ends;
        self.flows[number] = None;
        let is_message = number >= self.tasks.len();
        let communication = self.watch.as_mut().filter(|_| is_message).map(|watch| {
            watch.stop(number, self.now, &self.sharing);
            watch.place(number)
        });
        if !is_message || self.cluster.model.shares_links {
            self.sharing.stop(number);
        }
        if !is_message {
            return self.finished(ends[0].rank, None);
        }
        self.numbers.give_back(ends[1].rank, number);
        if let Some(underway) = &mut self.underway {
            underway.stop(number);
        }
        ends.into_iter().for_each(|end| self.complete(end, communication));
    }

    /// One end of a message is complete.
    fn complete(&mut self, end: End, communication: Option<usize>) {
        let task = &mut self.tasks[end.rank.index()];
        let is_awaited = task.stands_for(end.waiter);
        if let Waiter::Request(request) = end.waiter {
            *task.request(request.0) = if is_awaited { RequestState::Free } else { RequestState::Complete };
        }
        if is_awaited {
            self.finished(end.rank, communication);
        }
    }

    /// The operation that a rank stands in has ended.
    fn finished(&mut self, rank: Rank, communication: Option<usize>) {
        let task = &mut self.tasks[rank.index()];
        let Some((operation, statement, start)) = task.stands_in.take() else { return };
        let took = Seconds::new(self.now - start);
        match operation {
            Operation::Compute(_) => task.times.computing += took,
            Operation::Spin(_) => task.times.sleeping += took,
            _ => task.times.communicating += took,
        }
        if self.cluster.keeps_events {
            let (start, end) = (Seconds::new(start), Seconds::new(self.now));
            self.events.push(Event { rank, statement, operation, start, end, communication });
        }
        self.ready.push(rank);
    }

    /// Takes up operations of a rank up to one in which it has to stand.
    fn go_on(&mut self, rank: Rank) -> Result<(), SimulationError> {
        loop {
            let place = rank.index();
            let Some(operation) = self.schedule.next(rank, &mut self.tasks[place].cursor) else {
                self.tasks[place].times.end = Seconds::new(self.now);
                return Ok(());
            };
            let statement = self.tasks[place].cursor.statement;
            let stands = match operation {
                Operation::Do(transfer) => self.begin(rank, transfer, Waiter::Program)?,
                Operation::Post(transfer, request) => {
                    let state = self.tasks[place].request(request.0);
                    if *state != RequestState::Free {
                        let problem = "is posted again before it was waited for";
                        return Err(SimulationError::Request { rank, statement, request: request.0, problem });
                    }
                    *state = RequestState::Open;
                    self.begin(rank, transfer, Waiter::Request(request))?;
                    false
                }
                Operation::Wait(request) => self.wait(rank, request)?,
                Operation::Compute(time) => self.compute(rank, time.get()),
                Operation::Spin(time) => self.sleep(rank, time.get()),
                Operation::Test(_) | Operation::Start(_) | Operation::Stop(_) => false,
            };
            if stands {
                self.tasks[place].stands_in = Some((operation, statement, self.now));
                return Ok(());
            }
        }
    }

    /// Whether a rank has to stand in the wait for a request.
    fn wait(&mut self, rank: Rank, request: Request) -> Result<bool, SimulationError> {
        let task = &mut self.tasks[rank.index()];
        let statement = task.cursor.statement;
        let state = task.request(request.0);
        match *state {
            RequestState::Open => Ok(true),
            RequestState::Complete => {
                *state = RequestState::Free;
                Ok(false)
            }
            RequestState::Free => {
                let problem = "was not posted";
                Err(SimulationError::Request { rank, statement, request: request.0, problem })
            }
        }
    }

    fn sleep(&mut self, rank: Rank, time: f64) -> bool {
        if time > 0.0 {
            self.dates.set(rank.index(), self.now + time);
        }
        time > 0.0
    }

    /// A computation of so long: by itself, or as a flow through its host.
    fn compute(&mut self, rank: Rank, time: f64) -> bool {
        if !self.tasks[rank.index()].shares_host || time <= 0.0 {
            return self.sleep(rank, time);
        }
        let host = self.cluster.topology.links.len() + self.cluster.hosts[rank.index()].index();
        self.sharing.start(rank.index(), &Demand { links: vec![(host, 1.0)], inverse_weight: 1.0, bound: 1.0 });
        let end = End { rank, waiter: Waiter::Program };
        self.flows[rank.index()] = Some(Flow { ends: [end; 2], flows: true });
        self.rates[rank.index()] = 1.0;
        self.dates.begin(rank.index(), time);
        true
    }

    /// A transfer is taken up; tells whether a program that blocks in it has to stand.
    fn begin(&mut self, rank: Rank, transfer: Transfer, waiter: Waiter) -> Result<bool, SimulationError> {
        if let Transfer::Send { to: peer, .. } | Transfer::Receive { from: peer, .. } = transfer
            && peer.index() >= self.tasks.len()
        {
            return Err(SimulationError::NoSuchRank { rank, peer, last: self.tasks.len() - 1 });
        }
        let statement = self.tasks[rank.index()].cursor.statement;
        match transfer {
            Transfer::Send { to, size, tag } => {
                let times = &mut self.tasks[rank.index()].times;
                times.sent = times.sent + size;
                times.messages += 1;
                let end = End { rank, waiter };
                let mut message = Offer { end, from: Some(rank), tag, size, statement };
                let (model, receiver) = (&self.cluster.model, &mut self.tasks[to.index()]);
                let receive = receiver.take_receive(&message);
                let is_eager = model.is_eager(size) && (receive.is_some() || model.is_kept(size, receiver.kept));
                if is_eager {
                    self.complete(end, None);
                    message.end.waiter = Waiter::Nobody;
                }
                match receive {
                    Some(receive) => self.flow(message, receive.end)?,
                    None => {
                        let receiver = &mut self.tasks[to.index()];
                        if is_eager {
                            receiver.kept = receiver.kept + size;
                        }
                        receiver.messages.push(message);
                    }
                }
                Ok(!is_eager)
            }
            Transfer::Receive { size, tag, .. } | Transfer::ReceiveAny { size, tag } => {
                let from = if let Transfer::Receive { from, .. } = transfer { Some(from) } else { None };
                let receive = Offer { end: End { rank, waiter }, from, tag, size, statement };
                match self.tasks[rank.index()].take_message(&receive) {
                    Some(message) => self.flow(message, receive.end)?,
                    None => self.tasks[rank.index()].receives.push(receive),
                }
                Ok(true)
            }
        }
    }

    /// A number that no message has at present, for one to this rank.
    fn number(&mut self, rank: Rank) -> usize {
        loop {
            if let Some(number) = self.numbers.take(rank) {
                return number;
            }
            self.numbers.add(rank);
            let end = self.numbers.end();
            self.flows.resize(end, None);
            self.alone.resize(end, Alone::default());
            self.rates.resize(end, 0.0);
            self.demands
                .resize(self.demand(end - 1) + 1, Demand { links: Vec::new(), inverse_weight: 1.0, bound: 1.0 });
            self.dates.make_room(end);
        }
    }

    /// Where the demand of a message is.
    fn demand(&self, number: usize) -> usize {
        if self.cluster.model.shares_links { number - self.tasks.len() } else { 0 }
    }

    /// A message has met its receive.
    fn flow(&mut self, message: Offer, receiver: End) -> Result<(), SimulationError> {
        let model = &self.cluster.model;
        let host = |end: End| self.cluster.hosts[end.rank.index()];
        let hosts = (host(message.end), host(receiver));
        let size = (message.size + model.envelope()).get() as f64;
        let (latency, factor) = model.factors(size);
        let times = &mut self.tasks[receiver.rank.index()].times;
        times.received = times.received + message.size;
        let number = self.number(receiver.rank);
        let ends = [message.end, receiver];
        let demand = self.demand(number);
        let demand = &mut self.demands[demand];
        let delay = self.wires.between(model, self.cluster.topology, hosts, demand)?;
        self.flows[number] = Some(Flow { ends, flows: false });
        self.alone[number] = Alone { rate: demand.bound, size, factor };
        self.dates.set(number, self.now + delay * latency);
        if let Some(watch) = &mut self.watch {
            let [from, to] = ends.map(|end| end.rank);
            let communication = Communication {
                from,
                to,
                statement: message.statement,
                size: message.size,
                start: Seconds::new(self.now),
                end: Seconds::new(self.now),
                conflicts: Vec::new(),
                penalties: Vec::new(),
                lost: Seconds::ZERO,
                losses: Vec::new(),
            };
            watch.meet(number, communication);
        }
        if model.counts_latency {
            self.count(number, ends);
        }
        Ok(())
    }

    /// Nothing will happen any more: every rank has to be at its end, and every message received.
    fn end(self) -> Result<Outcome, SimulationError> {
        let standing = Rank::first(self.tasks.len()).zip(&self.tasks).filter_map(|(rank, task)| {
            task.stands_in.map(|(operation, statement, _)| Blocked { rank, statement, operation })
        });
        let mut blocked: Vec<Blocked> = standing.collect();
        for (rank, task) in Rank::first(self.tasks.len()).zip(&self.tasks) {
            if let (None, Some(receive)) = (task.stands_in, task.receives.first()) {
                let (size, tag) = (receive.size, receive.tag);
                let transfer = match receive.from {
                    Some(from) => Transfer::Receive { from, size, tag },
                    None => Transfer::ReceiveAny { size, tag },
                };
                let statement = receive.statement;
                blocked.push(Blocked { rank, statement, operation: Operation::Do(transfer) });
            }
        }
        if !blocked.is_empty() {
            return Err(SimulationError::Deadlock(blocked));
        }
        for (to, task) in Rank::first(self.tasks.len()).zip(&self.tasks) {
            if let Some(message) = task.messages.first() {
                let (from, statement) = (message.end.rank, message.statement);
                return Err(SimulationError::Unreceived { from, statement, to });
            }
        }
        let tasks: Vec<_> = self.tasks.iter().map(|task| task.times).collect();
        let end = tasks.iter().map(|times| times.end).fold(Seconds::ZERO, Seconds::max);
        let communications = self.watch.map(|watch| watch.finish()).unwrap_or_default();
        Ok(Outcome { end, tasks, events: self.events, communications, rate_updates: self.rate_updates })
    }
}
