//! A max-min fair allocation that is updated as flows start and stop.

use std::collections::VecDeque;
use std::ops::Range;

use super::limits::{Limits, NO_LINK};
use super::{Demand, LEVEL_TOLERANCE, progressive_filling, saturation_level};

/// A max-min fair allocation that is updated as flows start and stop.
///
/// Each link has a level: infinite while it has free capacity, otherwise the highest level of its
/// flows. The level of a flow is the smallest of those of its bound and its links. After a change,
/// the level of each link concerned is recomputed from the limits that the other links of its flows
/// impose; links whose input changes follow. Only the neighbourhood of a change is visited, and the
/// fixed point is the max-min fair allocation: levels become final from the lowest up, whatever the
/// order of visits (A. Charny, *An Algorithm for Rate Allocation in a Packet-Switching Network With
/// Feedback*, MIT, 1994).
///
/// ```
/// use orrery_cluster::sharing::maxmin::{Demand, MaxMin};
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
    flows: Vec<Flow>,
    /// The links of all flows, those of one flow next to each other.
    uses: Vec<Use>,
    /// Links whose level is to be computed, first in, first out.
    pending: VecDeque<u32>,
    /// Flows whose level may have changed since the last update.
    touched: Vec<u32>,
    /// Flows whose rate the last update changed.
    changed: Vec<u32>,
    /// Links whose level the last update changed; a link may occur twice.
    changed_levels: Vec<u32>,
    /// Scratch memory of `update_level`.
    caps: Vec<(f64, f64)>,
    level_updates: u64,
}

/// A link and the flows that use it.
#[derive(Debug, Clone)]
struct Link {
    capacity: f64,
    level: f64,
    members: Vec<Member>,
    /// Σ w/φ·cap over its flows, where a cap is the limit of the bound and the other links of a
    /// flow. It is updated only while the level is infinite, up to the rounding errors of
    /// differences; not a number if it is not known.
    demand: f64,
    /// True if its level is to be computed.
    is_pending: bool,
}

/// A flow on a link, and its weight there: w/φ.
#[derive(Debug, Clone, Copy)]
struct Member {
    flow: u32,
    weight: f64,
}

impl Link {
    /// Returns true if the caps of its flows certainly leave free capacity.
    fn is_certainly_free(&self) -> bool {
        self.demand <= self.capacity * (1.0 - DEMAND_MARGIN)
    }
}

/// A flow, by its number.
#[derive(Debug, Clone, Default)]
struct Flow {
    /// The index of its first link in `uses`.
    begin: u32,
    /// The number of its links.
    count: u32,
    /// The number of links for which `uses` has room at `begin`.
    room: u32,
    /// φ.
    inverse_weight: f64,
    /// The level of its bound.
    cap: f64,
    limits: Limits,
    rate: f64,
    is_running: bool,
    is_touched: bool,
}

impl Flow {
    /// The indices of its links in `uses`.
    fn uses(&self) -> Range<usize> {
        self.begin as usize..(self.begin + self.count) as usize
    }
}

/// A link of a flow, the place of the flow among the members of that link, and its weight there:
/// w/φ.
#[derive(Debug, Clone, Copy, Default)]
struct Use {
    link: u32,
    place: u32,
    weight: f64,
}

/// The part of the capacity by which a demand that is updated by differences can be wrong: the
/// rounding errors of 10⁹ of them.
const DEMAND_MARGIN: f64 = 1e-6;

/// The number of level updates for each link and pending link after which progressive filling takes
/// over.
const MAX_UPDATES_PER_LINK: usize = 64;

impl MaxMin {
    /// Links of these capacities, without flows.
    pub fn new(capacities: &[f64]) -> Self {
        let link = |&capacity: &f64| Link {
            capacity,
            level: f64::INFINITY,
            members: Vec::new(),
            demand: 0.0,
            is_pending: false,
        };
        Self {
            links: capacities.iter().map(link).collect(),
            flows: Vec::new(),
            uses: Vec::new(),
            pending: VecDeque::new(),
            touched: Vec::new(),
            changed: Vec::new(),
            changed_levels: Vec::new(),
            caps: Vec::new(),
            level_updates: 0,
        }
    }

    /// Starts a flow. The caller chooses its number: a small one that no running flow has.
    ///
    /// # Panics
    ///
    /// If a flow of this number is running, or a link does not exist.
    pub fn start(&mut self, flow: usize, demand: &Demand) {
        if self.flows.len() <= flow {
            self.flows.resize_with(flow + 1, Flow::default);
        }
        let state = &mut self.flows[flow];
        assert!(!state.is_running, "flow {flow} is already running");
        state.is_running = true;
        state.inverse_weight = demand.inverse_weight;
        state.cap = demand.bound * demand.inverse_weight;
        state.rate = 0.0;
        state.count = demand.links.len() as u32;
        // A number that had a shorter route needs a new place; that of the old one stays unused.
        if state.count > state.room {
            (state.begin, state.room) = (self.uses.len() as u32, state.count);
            self.uses.resize(self.uses.len() + demand.links.len(), Use::default());
        }
        for (&(link, weight), used) in demand.links.iter().zip(&mut self.uses[state.uses()]) {
            let members = &mut self.links[link].members;
            let weight = weight / demand.inverse_weight;
            *used = Use { link: link as u32, place: members.len() as u32, weight };
            members.push(Member { flow: flow as u32, weight });
        }
        self.update_limits(flow);
        for k in self.flows[flow].uses() {
            let Use { link, weight, .. } = self.uses[k];
            let state = &mut self.links[link as usize];
            state.demand += weight * self.flows[flow].limits.without(link);
            // A link with room for the whole demand keeps its infinite level.
            if state.level.is_finite() || !state.is_certainly_free() {
                self.queue_link(link as usize);
            }
        }
        self.touch(flow);
    }

    /// Changes the bound of a running flow, its highest rate in bytes per second.
    ///
    /// # Panics
    ///
    /// If no flow of this number is running.
    pub fn set_bound(&mut self, flow: usize, bound: f64) {
        assert!(self.flows[flow].is_running, "flow {flow} is not running");
        self.flows[flow].cap = bound * self.flows[flow].inverse_weight;
        self.update_limits(flow);
        for k in self.flows[flow].uses() {
            self.queue_link(self.uses[k].link as usize);
        }
        self.touch(flow);
    }

    /// Stops a flow.
    ///
    /// # Panics
    ///
    /// If no flow of this number is running.
    pub fn stop(&mut self, flow: usize) {
        assert!(self.flows[flow].is_running, "flow {flow} is not running");
        self.flows[flow].is_running = false;
        self.flows[flow].rate = 0.0;
        for k in self.flows[flow].uses() {
            let Use { link, place, weight } = self.uses[k];
            let cap = self.flows[flow].limits.without(link);
            let members = &mut self.links[link as usize].members;
            members.swap_remove(place as usize);
            // The last member of the link is now at this place.
            if let Some(moved) = members.get(place as usize) {
                let uses = &mut self.uses[self.flows[moved.flow as usize].uses()];
                uses.iter_mut()
                    .filter(|other| other.link == link)
                    .for_each(|other| other.place = place);
            }
            // On a link with free capacity a flow less changes no level.
            if self.links[link as usize].level.is_finite() {
                self.queue_link(link as usize);
            }
            let link = &mut self.links[link as usize];
            link.demand = if link.members.is_empty() { 0.0 } else { link.demand - weight * cap };
        }
    }

    /// Updates the allocation after flows have started or stopped, and returns the flows whose rate
    /// changed.
    #[inline]
    pub fn update_rates(&mut self) -> &[u32] {
        self.changed.clear();
        self.changed_levels.clear();
        if !self.pending.is_empty() || !self.touched.is_empty() {
            self.propagate_levels();
            self.apply_levels();
        }
        &self.changed
    }

    /// Computes the levels of pending links until no link is pending.
    fn propagate_levels(&mut self) {
        // First in, first out: a link is computed when the changes around it have collected, and not
        // once for each. Rounding could let two links change each other for ever, so that the
        // number of updates is limited.
        let mut updates_left = MAX_UPDATES_PER_LINK * (self.pending.len() + self.links.len());
        while let Some(link) = self.pending.pop_front() {
            self.links[link as usize].is_pending = false;
            self.update_level(link as usize);
            updates_left -= 1;
            if updates_left == 0 {
                self.fill_progressively();
            }
        }
    }

    /// Computes the level of a link, touches the flows that it changes and queues the links that it
    /// affects.
    fn update_level(&mut self, link: usize) {
        self.level_updates += 1;
        let Link { capacity, level: old, ref members, .. } = self.links[link];
        // The level at which the link is full if each flow takes at most what its bound and its other
        // links allow.
        self.caps.clear();
        let mut demand = 0.0;
        self.caps.extend(members.iter().map(|member| {
            let cap = self.flows[member.flow as usize].limits.without(link as u32);
            demand += cap * member.weight;
            (cap, member.weight)
        }));
        let new = saturation_level(capacity, demand, &self.caps);
        self.links[link].demand = demand;
        // The difference of two infinite levels is 0, that of an infinite and a finite one is
        // large.
        if old.min(new).is_infinite() || (new - old).abs() <= LEVEL_TOLERANCE * new.min(old) {
            return;
        }
        self.links[link].level = new;
        self.changed_levels.push(link as u32);
        // Only flows that this link limits before or after the change are affected.
        let lower = old.min(new);
        let members = std::mem::take(&mut self.links[link].members);
        for (place, &Member { flow, .. }) in members.iter().enumerate() {
            let state = &mut self.flows[flow as usize];
            let before = state.limits;
            // Two other limits are below both levels: neither its level nor what it allows on any of
            // its links changes.
            if before.second < lower {
                continue;
            }
            match before.after_change(link as u32, old, new) {
                Some(limits) => state.limits = limits,
                None => self.update_limits(flow as usize),
            }
            // A flow whose cap is below both levels keeps its rate.
            if self.caps[place].0 > lower {
                self.touch(flow as usize);
                self.propagate_limits(flow as usize, link as u32, before);
            }
        }
        self.links[link].members = members;
    }

    /// Updates the demands of the other links of a flow after the level of `link` has changed its
    /// limits from `before`, and queues those whose level can change.
    fn propagate_limits(&mut self, flow: usize, link: u32, before: Limits) {
        let state = &self.flows[flow];
        let limits = state.limits;
        for &Use { link: number, weight, .. } in &self.uses[state.uses()] {
            let other = &mut self.links[number as usize];
            if number == link || other.is_pending {
                continue;
            }
            let (old, new) = (before.without(number), limits.without(number));
            // On a link with free capacity, lower demand changes nothing; where the flow has the
            // link's level, higher does not.
            let is_affected = if other.level.is_finite() {
                old.min(new) < other.level && old.total_cmp(&new).is_ne()
            } else {
                other.demand += weight * (new - old);
                new > old && !other.is_certainly_free()
            };
            if is_affected {
                other.is_pending = true;
                self.pending.push_back(number);
            }
        }
    }

    /// Computes all levels by progressive filling.
    fn fill_progressively(&mut self) {
        self.pending.clear();
        let running: Vec<usize> =
            (0..self.flows.len()).filter(|&flow| self.flows[flow].is_running).collect();
        let demands: Vec<Demand> = running.iter().map(|&flow| self.demand(flow)).collect();
        let capacities: Vec<f64> = self.links.iter().map(|link| link.capacity).collect();
        let rates = progressive_filling(&capacities, &demands);
        // The rates determine the levels: that of a saturated link is the highest of its flows.
        let mut highest = vec![0.0_f64; self.links.len()];
        let mut used = vec![0.0_f64; self.links.len()];
        for (demand, rate) in demands.iter().zip(&rates) {
            for &(link, weight) in &demand.links {
                highest[link] = highest[link].max(rate * demand.inverse_weight);
                used[link] += rate * weight;
            }
        }
        for (k, link) in self.links.iter_mut().enumerate() {
            link.is_pending = false;
            link.demand = f64::NAN;
            let is_saturated = used[k] >= link.capacity * (1.0 - LEVEL_TOLERANCE);
            link.level = if is_saturated { highest[k] } else { f64::INFINITY };
        }
        self.changed_levels.extend(0..self.links.len() as u32);
        for flow in running {
            self.update_limits(flow);
            self.touch(flow);
        }
    }

    /// The demand of a running flow.
    fn demand(&self, flow: usize) -> Demand {
        let state = &self.flows[flow];
        let weighted = |used: &Use| (used.link as usize, used.weight * state.inverse_weight);
        let links = self.uses[state.uses()].iter().map(weighted).collect();
        Demand {
            links,
            inverse_weight: state.inverse_weight,
            bound: state.cap / state.inverse_weight,
        }
    }

    /// Sets the rates of touched flows by the levels of their links.
    fn apply_levels(&mut self) {
        for &flow in &self.touched {
            let state = &mut self.flows[flow as usize];
            state.is_touched = false;
            if !state.is_running {
                continue;
            }
            let rate = state.limits.lowest / state.inverse_weight;
            // A change by rounding would move the completion time of the flow for nothing.
            if (rate - state.rate).abs() > LEVEL_TOLERANCE * rate {
                state.rate = rate;
                self.changed.push(flow);
            }
        }
        self.touched.clear();
    }

    /// Computes the limits of a flow.
    fn update_limits(&mut self, flow: usize) {
        let state = &mut self.flows[flow];
        let levels = self.uses[state.uses()]
            .iter()
            .map(|used| (used.link, self.links[used.link as usize].level));
        state.limits = Limits::new(state.cap, levels);
    }

    /// Adds a link to the pending ones.
    fn queue_link(&mut self, link: usize) {
        if !self.links[link].is_pending {
            self.links[link].is_pending = true;
            self.pending.push_back(link as u32);
        }
    }

    /// Adds a flow to the touched ones.
    fn touch(&mut self, flow: usize) {
        if !self.flows[flow].is_touched {
            self.flows[flow].is_touched = true;
            self.touched.push(flow as u32);
        }
    }

    /// The rate of a flow as of the last update, in bytes per second; 0 if it is not running.
    pub fn rate(&self, flow: usize) -> f64 {
        self.flows.get(flow).map_or(0.0, |flow| flow.rate)
    }

    /// The flows whose rate the last update changed.
    pub fn changed(&self) -> &[u32] {
        &self.changed
    }

    /// The flows on a link, each with the part of the capacity that it uses in bytes per second.
    pub fn link_usage(&self, link: usize) -> impl Iterator<Item = (usize, f64)> {
        self.links[link].members.iter().map(|member| {
            let flow = &self.flows[member.flow as usize];
            (member.flow as usize, member.weight * flow.inverse_weight * flow.rate)
        })
    }

    /// The level of a link: infinite while it has free capacity.
    pub fn level(&self, link: usize) -> f64 {
        self.links[link].level
    }

    /// The links whose level the last update changed; a link may occur twice.
    pub fn changed_levels(&self) -> &[u32] {
        &self.changed_levels
    }

    /// The number of times that the level of a link was computed.
    pub fn level_updates(&self) -> u64 {
        self.level_updates
    }

    /// The bottleneck of a flow: its saturated link with the lowest level, the first of several on
    /// its route; `None` if no link is saturated.
    #[inline]
    pub fn bottleneck(&self, flow: usize) -> Option<usize> {
        let state = self.flows.get(flow)?;
        let Limits { lowest, link, second } = state.limits;
        if link != NO_LINK && lowest < second {
            return Some(link as usize);
        }
        let links = self.uses[state.uses()].iter().map(|used| used.link as usize);
        let saturated = links.filter(|&link| self.links[link].level.is_finite());
        saturated.min_by(|&a, &b| self.links[a].level.total_cmp(&self.links[b].level))
    }
}
