use std::collections::VecDeque;
use std::ops::Range;

use super::link::{Link, Member, SAME, level};
use super::{Demand, progressive_filling};

/// An allocation that follows flows as they start and stop.
///
/// Each link keeps a level: infinite while it has capacity to spare, else the highest level of its flows. The level of a
/// flow is the least of its bound's and of its links'. After a change the level of every link concerned is found again
/// from what its flows' other links allow; where that changes what another link has to divide, that one is next. Only
/// the neighbourhood of a change is visited, and the allocation at which this comes to rest is the max-min one: levels
/// settle from the lowest up, whatever the order of visits (A. Charny, *An Algorithm for Rate Allocation in a
/// Packet-Switching Network With Feedback*, MIT, 1994).
///
/// ```
/// use orrery::sharing::maxmin::{Demand, MaxMin};
/// let mut sharing = MaxMin::new(&[1.0]);
/// let flow = Demand { links: vec![(0, 1.0)], inverse_weight: 1.0, bound: f64::INFINITY };
/// sharing.start(0, &flow);
/// sharing.start(1, &flow);
/// assert_eq!(sharing.update_rates(), [0, 1]);
/// assert_eq!(sharing.rate(0), 0.5);
/// sharing.stop(1);
/// assert_eq!(sharing.update_rates(), [0]);
/// assert_eq!(sharing.rate(0), 1.0);
/// ```
#[derive(Debug, Clone)]
pub struct MaxMin {
    links: Vec<Link>,
    levels: Vec<f64>,
    flows: Vec<Flow>,
    /// The links of all flows, those of one next to each other.
    uses: Vec<Use>,
    /// Links whose level is to be found again, first come first served.
    waiting: VecDeque<u32>,
    /// Flows whose level may have changed since the allocation was last at rest.
    touched: Vec<u32>,
    changed: Vec<u32>,
    caps: Vec<(f64, f64)>,
    visits: u64,
}

#[derive(Debug, Clone, Default)]
struct Flow {
    /// Where its links begin among all, how many it has, and for how many there is room.
    begin: u32,
    count: u32,
    room: u32,
    share: f64,
    /// The level of its bound.
    cap: f64,
    rate: f64,
    runs: bool,
    is_touched: bool,
}

impl Flow {
    /// Where its links stand among all.
    fn uses(&self) -> Range<usize> {
        self.begin as usize..(self.begin + self.count) as usize
    }
}

/// A link of a flow, and where the flow stands among the members of that link.
#[derive(Debug, Clone, Copy, Default)]
struct Use {
    link: u32,
    place: u32,
}

/// With so many visits per link that holds flows, the allocation is found from nothing instead.
const PATIENCE: usize = 64;

impl MaxMin {
    /// Links of these capacities, without flows.
    pub fn new(capacities: &[f64]) -> Self {
        let link = |&capacity: &f64| Link { capacity, members: Vec::new(), waits: false };
        Self {
            links: capacities.iter().map(link).collect(),
            levels: vec![f64::INFINITY; capacities.len()],
            flows: Vec::new(),
            uses: Vec::new(),
            waiting: VecDeque::new(),
            touched: Vec::new(),
            changed: Vec::new(),
            caps: Vec::new(),
            visits: 0,
        }
    }

    /// Starts a flow. Its number is the caller's choice: a small one that no flow has at present.
    ///
    /// # Panics
    ///
    /// When a flow of this number runs, or when a link is named that there is not.
    pub fn start(&mut self, flow: usize, demand: &Demand) {
        if self.flows.len() <= flow {
            self.flows.resize_with(flow + 1, Flow::default);
        }
        let state = &mut self.flows[flow];
        assert!(!state.runs, "flow {flow} runs already");
        state.runs = true;
        state.share = demand.inverse_weight;
        state.cap = demand.bound * demand.inverse_weight;
        state.rate = 0.0;
        state.count = demand.links.len() as u32;
        if state.count > state.room {
            (state.begin, state.room) = (self.uses.len() as u32, state.count);
            self.uses.resize(self.uses.len() + demand.links.len(), Use::default());
        }
        for (&(link, weight), used) in demand.links.iter().zip(&mut self.uses[state.uses()]) {
            let members = &mut self.links[link].members;
            *used = Use { link: link as u32, place: members.len() as u32 };
            members.push(Member { flow: flow as u32, weight: weight / demand.inverse_weight });
        }
        for &(link, _) in &demand.links {
            self.wait(link);
        }
        self.touch(flow);
    }

    /// Gives a flow another bound.
    ///
    /// # Panics
    ///
    /// When no flow of this number runs.
    pub fn set_bound(&mut self, flow: usize, bound: f64) {
        assert!(self.flows[flow].runs, "flow {flow} does not run");
        self.flows[flow].cap = bound * self.flows[flow].share;
        for k in self.flows[flow].uses() {
            self.wait(self.uses[k].link as usize);
        }
        self.touch(flow);
    }

    /// Stops a flow.
    ///
    /// # Panics
    ///
    /// When no flow of this number runs.
    pub fn stop(&mut self, flow: usize) {
        assert!(self.flows[flow].runs, "flow {flow} does not run");
        self.flows[flow].runs = false;
        self.flows[flow].rate = 0.0;
        for k in self.flows[flow].uses() {
            let Use { link, place } = self.uses[k];
            let members = &mut self.links[link as usize].members;
            members.swap_remove(place as usize);
            if let Some(moved) = members.get(place as usize) {
                let uses = &mut self.uses[self.flows[moved.flow as usize].uses()];
                uses.iter_mut().filter(|other| other.link == link).for_each(|other| other.place = place);
            }
            self.wait(link as usize);
        }
    }

    /// The rate of a flow since the allocation was last at rest; 0 when it does not run.
    pub fn rate(&self, flow: usize) -> f64 {
        self.flows.get(flow).map_or(0.0, |flow| flow.rate)
    }

    /// The flows that run on a link, and the capacity that each takes of it.
    pub fn link_usage(&self, link: usize) -> impl Iterator<Item = (usize, f64)> {
        self.links[link].members.iter().map(|member| {
            let flow = &self.flows[member.flow as usize];
            (member.flow as usize, member.weight * flow.share * flow.rate)
        })
    }

    /// The link that holds a flow up most: of its links the one with the least level; none where no link is full.
    pub fn bottleneck(&self, flow: usize) -> Option<usize> {
        let links = self.uses[self.flows.get(flow)?.uses()].iter().map(|used| used.link as usize);
        let full = links.filter(|&link| self.levels[link].is_finite());
        full.min_by(|&a, &b| self.levels[a].total_cmp(&self.levels[b]))
    }

    /// Whose rate was changed when the allocation last came to rest.
    pub fn changed(&self) -> &[u32] {
        &self.changed
    }

    /// How many times the level of a link has been found.
    pub fn level_updates(&self) -> u64 {
        self.visits
    }

    /// Brings the allocation to rest, and tells whose rate is another now.
    #[inline]
    pub fn update_rates(&mut self) -> &[u32] {
        self.changed.clear();
        if !self.waiting.is_empty() || !self.touched.is_empty() {
            self.come_to_rest();
        }
        &self.changed
    }

    fn come_to_rest(&mut self) {
        let mut patience = PATIENCE * (self.waiting.len() + self.links.len());
        while let Some(link) = self.waiting.pop_front() {
            self.links[link as usize].waits = false;
            self.visit(link as usize);
            patience -= 1;
            if patience == 0 {
                self.begin_anew();
            }
        }
        for &flow in &self.touched {
            let state = &mut self.flows[flow as usize];
            state.is_touched = false;
            if !state.runs {
                continue;
            }
            let levels = self.uses[state.uses()].iter().map(|used| self.levels[used.link as usize]);
            let rate = levels.fold(state.cap, f64::min) / state.share;
            if (rate - state.rate).abs() > SAME * rate {
                state.rate = rate;
                self.changed.push(flow);
            }
        }
        self.touched.clear();
    }

    fn wait(&mut self, link: usize) {
        if !self.links[link].waits {
            self.links[link].waits = true;
            self.waiting.push_back(link as u32);
        }
    }

    fn touch(&mut self, flow: usize) {
        if !self.flows[flow].is_touched {
            self.flows[flow].is_touched = true;
            self.touched.push(flow as u32);
        }
    }

    /// Finds the level of a link, and which others have to follow.
    fn visit(&mut self, link: usize) {
        self.visits += 1;
        self.caps.clear();
        for member in &self.links[link].members {
            let flow = &self.flows[member.flow as usize];
            let others = self.uses[flow.uses()].iter().filter(|used| used.link as usize != link);
            let cap = others.map(|used| self.levels[used.link as usize]).fold(flow.cap, f64::min);
            self.caps.push((cap, member.weight));
        }
        let (old, new) = (self.levels[link], level(self.links[link].capacity, &self.caps));
        // Between two infinite levels there is no difference, between an infinite and a finite one a large one.
        if old.min(new).is_infinite() || (new - old).abs() <= SAME * new.min(old) {
            return;
        }
        self.levels[link] = new;
        for place in 0..self.links[link].members.len() {
            let flow = self.links[link].members[place].flow as usize;
            let cap = self.caps[place].0;
            if cap <= old.min(new) {
                continue;
            }
            self.touch(flow);
            for k in self.flows[flow].uses() {
                let other = self.uses[k].link as usize;
                if other != link && !self.links[other].waits && self.concerns(flow, link, other, old, new) {
                    self.wait(other);
                }
            }
        }
    }

    /// Whether it matters to the link `other` of a flow that the level of the flow's link `link` is `new` and was `old`.
    fn concerns(&self, flow: usize, link: usize, other: usize, old: f64, new: f64) -> bool {
        let flow = &self.flows[flow];
        let third =
            self.uses[flow.uses()].iter().map(|used| used.link as usize).filter(|&used| used != link && used != other);
        let cap = third.map(|used| self.levels[used]).fold(flow.cap, f64::min);
        let (before, after, level) = (old.min(cap), new.min(cap), self.levels[other]);
        // Where nothing is saturated, less demand changes nothing; where the flow has the link's level, more does not.
        if level.is_infinite() { after > before } else { before.min(after) < level && before.total_cmp(&after).is_ne() }
    }

    /// Finds all levels by progressive filling.
    fn begin_anew(&mut self) {
        self.waiting.clear();
        let running: Vec<usize> = (0..self.flows.len()).filter(|&flow| self.flows[flow].runs).collect();
        let demands: Vec<Demand> = running.iter().map(|&flow| self.demand(flow)).collect();
        let capacities: Vec<f64> = self.links.iter().map(|link| link.capacity).collect();
        let rates = progressive_filling(&capacities, &demands);
        let mut highest = vec![0.0_f64; self.links.len()];
        let mut taken = vec![0.0_f64; self.links.len()];
        for (demand, rate) in demands.iter().zip(&rates) {
            for &(link, weight) in &demand.links {
                highest[link] = highest[link].max(rate * demand.inverse_weight);
                taken[link] += rate * weight;
            }
        }
        for (k, link) in self.links.iter_mut().enumerate() {
            link.waits = false;
            let is_full = taken[k] >= link.capacity * (1.0 - SAME);
            self.levels[k] = if is_full { highest[k] } else { f64::INFINITY };
        }
        running.into_iter().for_each(|flow| self.touch(flow));
    }

    /// What a running flow asked for.
    fn demand(&self, flow: usize) -> Demand {
        let state = &self.flows[flow];
        let weight = |used: &Use| self.links[used.link as usize].members[used.place as usize].weight;
        let uses =
            self.uses[state.uses()].iter().map(|used| (used.link as usize, weight(used) * state.share)).collect();
        Demand { links: uses, inverse_weight: state.share, bound: state.cap / state.share }
    }
}
