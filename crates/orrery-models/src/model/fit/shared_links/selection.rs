//! The links that explain the times of concurrent exchanges: as few as possible, each with its
//! delay per byte.

use std::ops::Range;

use crate::comm::Ports;
use orrery_base::numeric::parallel_map;
use orrery_cluster::platform::Processor;
use orrery_measure::sample::MeasuredSet;

/// The relative error of a time by equal shares of the slowest link, beside that of the readings.
const TOLERANCE: f64 = 0.05;

/// The relative error of simulated times, beside that of the readings.
pub(super) const SIMULATION_TOLERANCE: f64 = 0.02;

/// The smallest decrease of the weighted squared errors by which a link is kept: significance 0.001
/// of one parameter.
pub(super) const MIN_GAIN: f64 = 10.83;

/// The number of links up to which simulations decide about all.
const MAX_SIMULATED: usize = 16;

/// The quantile of delays at which they start in estimates by equal shares, by which no time is
/// shorter than the share of any link that it passes.
const LOW: f64 = 0.05;
/// The quantile of delays at which they start in simulations, which lower the delay of a link that
/// is not the slowest, but do not see one that starts too low.
const HIGH: f64 = 0.9;

/// The largest start of a delay, relative to its estimate by equal shares where many links are
/// decided by these.
const MAX_START: f64 = 1.5;

/// The part of the slowest share from which a link may be the slowest.
const NEARLY: f64 = 0.6;

/// The number of times that messages are assigned to links and delays are estimated from them.
const ASSIGNMENTS: usize = 8;

/// The time of a pair in a set.
#[derive(Clone)]
pub(super) struct PairTime {
    /// The number of the set.
    pub(super) set: usize,
    /// The pair.
    pub(super) pair: (Processor, Processor),
    /// The time by itself \[s\].
    pub(super) alone: f64,
    /// The time together with the others \[s\].
    pub(super) together: f64,
    /// The standard deviation of the ratio of both, relative to it.
    pub(super) deviation: f64,
    /// The part of the time by itself that is not transfer \[s\].
    pub(super) fixed: f64,
    /// The bytes of each message.
    pub(super) size: f64,
    /// The number of readings.
    pub(super) readings: usize,
    /// The weight of its squared error with equal shares.
    weight: f64,
    /// The links that its messages pass.
    pub(super) links: Vec<usize>,
}

impl PairTime {
    /// The squared relative error of a simulated time, in units of its variance.
    pub(super) fn squared_error(&self, explained: f64) -> f64 {
        let error = (explained.max(self.alone) / self.together).ln()
            / self.deviation.hypot(SIMULATION_TOLERANCE);
        error * error
    }

    /// The expected squared error by the noise of the readings alone, in units of its variance.
    pub(super) fn noise(&self) -> f64 {
        (self.deviation / self.deviation.hypot(SIMULATION_TOLERANCE)).powi(2)
    }
}

/// Groups with the delays per byte of their links, and the times that they explain.
#[derive(Clone)]
pub(super) struct Selection {
    /// The groups.
    pub(super) groups: Vec<Vec<Processor>>,
    /// The delay per byte of each link \[s/B\].
    pub(super) delays: Vec<f64>,
    /// The times.
    pub(super) times: Vec<PairTime>,
    /// For each set the number of pairs that pass each link.
    counts: Vec<Vec<usize>>,
}

impl Selection {
    /// The links of these groups, with delays that fit best.
    pub(super) fn new(groups: Vec<Vec<Processor>>, sets: &[MeasuredSet], ports: &Ports) -> Self {
        let mut times = Vec::new();
        for (number, set) in sets.iter().enumerate() {
            for ((&(i, j), alone), together) in
                set.set.pairs().iter().zip(&set.alone).zip(&set.together)
            {
                let slowest = |one: &Processor| {
                    let port = ports.port_byte_delay[one.index()].value;
                    let both = ports
                        .both_ports_byte_delay
                        .get(one.index())
                        .map_or(0.0, |both| 2.0 * both.value);
                    port.max(ports.in_port(one.index()).value).max(both)
                };
                // Without others, an exchange takes the slowest part of its route; what is left of
                // its time does not grow when a link is shared.
                let gap = slowest(&i).max(slowest(&j)).max(ports.flow_byte_delay.get(i, j).value);
                let size = ports.size_law.effective(set.set.size);
                let relative =
                    |time: &orrery_measure::sample::ExchangeTime| time.deviation / time.seconds;
                let deviation = relative(alone).hypot(relative(together));
                times.push(PairTime {
                    set: number,
                    pair: (i, j),
                    alone: alone.seconds,
                    together: together.seconds,
                    deviation,
                    weight: deviation.hypot(TOLERANCE).powi(-2),
                    fixed: (alone.seconds - size * gap).max(0.0),
                    size,
                    readings: alone.readings + together.readings,
                    links: Vec::new(),
                });
            }
        }
        let delays = vec![0.0; groups.len()];
        let mut selection = Self { groups, delays, times, counts: Vec::new() };
        selection.find_links(sets.len());
        // Simulations of all removals of many links take too long: equal shares decide about most.
        // With the low start each link keeps only the times that no other one explains.
        if selection.groups.len() > MAX_SIMULATED {
            selection.start(LOW);
            let mut delays = selection.delays.clone();
            selection.refine(&mut delays);
            selection.delays = delays;
            selection.prune();
        }
        // Simulations start high, since they lower a delay but do not see one that is too low; not
        // far above what equal shares have found.
        let by_shares = selection.delays.clone();
        selection.start(HIGH);
        for (delay, by_shares) in
            selection.delays.iter_mut().zip(by_shares).filter(|(_, by_shares)| *by_shares > 0.0)
        {
            *delay = delay.min(MAX_START * by_shares);
        }
        // The last ones first, so that the numbers of the others hold.
        let idle = (0..selection.groups.len())
            .rev()
            .filter(|&link| selection.delays[link] <= 0.0)
            .collect::<Vec<_>>();
        idle.into_iter().for_each(|link| selection.remove(link));
        selection
    }

    /// Finds the links that each pair passes.
    fn find_links(&mut self, sets: usize) {
        self.counts = vec![vec![0; self.groups.len()]; sets];
        let ends = self.times.iter().flat_map(|time| [time.pair.0, time.pair.1]);
        let processors = ends.map(|one| one.index() + 1).max().unwrap_or(0);
        let mut is_member = vec![vec![false; self.groups.len()]; processors];
        for (number, group) in self.groups.iter().enumerate() {
            let known = group.iter().filter(|one| one.index() < processors);
            known.for_each(|one| is_member[one.index()][number] = true);
        }
        for time in &mut self.times {
            let (a, b) = (&is_member[time.pair.0.index()], &is_member[time.pair.1.index()]);
            time.links = (0..self.groups.len()).filter(|&group| a[group] != b[group]).collect();
            time.links.iter().for_each(|&link| self.counts[time.set][link] += 1);
        }
    }

    /// The places of the times of each set.
    pub(super) fn ranges(&self, sets: usize) -> Vec<Range<usize>> {
        let first = |set: usize| self.times.partition_point(|time| time.set < set);
        (0..sets).map(|set| first(set)..first(set + 1)).collect()
    }

    /// The groups with a processor moved to one of them and those that contain it, or out of all;
    /// `None` if it is there, or if a group would have fewer than two processors.
    pub(super) fn moved(
        &self,
        one: Processor,
        target: Option<usize>,
    ) -> Option<Vec<Vec<Processor>>> {
        let mut groups = self.groups.clone();
        groups.iter_mut().for_each(|group| group.retain(|other| *other != one));
        let inner = target.map(|target| groups[target].clone());
        let contains = |outer: &Vec<Processor>, inner: &Vec<Processor>| {
            inner.iter().all(|one| outer.binary_search(one).is_ok())
        };
        for outer in groups
            .iter_mut()
            .filter(|outer| inner.as_ref().is_some_and(|inner| contains(outer, inner)))
        {
            outer.push(one);
            outer.sort_unstable();
        }
        (groups != self.groups && groups.iter().all(|group| group.len() >= 2)).then_some(groups)
    }

    /// The same links with the processors of these groups.
    pub(super) fn with_groups(&self, groups: Vec<Vec<Processor>>) -> Self {
        let mut changed = Self { groups, ..self.clone() };
        changed.find_links(self.counts.len());
        changed
    }

    /// The links with that of a further group, which starts with a delay that explains each time;
    /// `None` if none passes it.
    pub(super) fn with_group(&self, group: Vec<Processor>) -> Option<Self> {
        let mut further = self.clone();
        further.groups.push(group);
        further.delays.push(0.0);
        further.find_links(self.counts.len());
        let link = further.groups.len() - 1;
        further.delays[link] =
            further.own_delays(link).min_by(f64::total_cmp).filter(|delay| *delay > 0.0)?;
        Some(further)
    }

    /// Removes a link.
    pub(super) fn remove(&mut self, link: usize) {
        self.groups.remove(link);
        self.delays.remove(link);
        self.find_links(self.counts.len());
    }

    /// The link that determines a time, with equal shares of each link for the pairs that pass it;
    /// `None` if the time by itself is longer.
    pub(super) fn bound(&self, time: &PairTime) -> Option<usize> {
        self.slowest(time, &self.delays).map(|(link, _)| link)
    }

    /// The link that determines a time with these delays, and the time \[s\]; `None` if no link
    /// makes the pair slower than alone.
    fn slowest(&self, time: &PairTime, delays: &[f64]) -> Option<(usize, f64)> {
        let counts = &self.counts[time.set];
        let shares = time.links.iter().map(|&link| (link, counts[link] as f64 * delays[link]));
        let (link, share) = shares.max_by(|a, b| a.1.total_cmp(&b.1))?;
        let seconds = time.fixed + time.size * share;
        (seconds > time.alone).then_some((link, seconds))
    }

    /// The largest ratio of a time together to that alone among those that a link determines; 1
    /// without any.
    pub(super) fn slowdown(&self, link: usize) -> f64 {
        let bound = self.times.iter().filter(|time| self.bound(time) == Some(link));
        bound.map(|time| time.together / time.alone).fold(1.0, f64::max)
    }

    /// The sets with a time that a link may determine: with equal shares it is nearly the slowest
    /// of some pair.
    pub(super) fn determined_sets(&self, link: usize) -> Vec<usize> {
        let is_slow = |time: &&PairTime| {
            let share = |link: usize| self.counts[time.set][link] as f64 * self.delays[link];
            let slowest = time.links.iter().map(|&link| share(link)).fold(0.0, f64::max);
            let own = share(link);
            own > NEARLY * slowest && time.fixed + time.size * own > NEARLY * time.alone
        };
        let passing = self.times.iter().filter(|time| time.links.contains(&link));
        let mut sets: Vec<usize> = passing.filter(is_slow).map(|time| time.set).collect();
        sets.dedup();
        sets
    }

    /// The weighted squared logarithmic errors of equal shares with these delays.
    pub(super) fn cost_of_shares(&self, delays: &[f64]) -> f64 {
        let error = |time: &PairTime| {
            let predicted = self.slowest(time, delays).map_or(time.alone, |(_, seconds)| seconds);
            (predicted / time.together).ln().powi(2) * time.weight
        };
        self.times.iter().map(error).sum()
    }

    /// Starts each delay at this quantile of those that explain a time that passes the link, with
    /// equal shares.
    fn start(&mut self, quantile: f64) {
        for link in 0..self.groups.len() {
            let mut delays: Vec<f64> = self.own_delays(link).collect();
            delays.sort_by(f64::total_cmp);
            self.delays[link] =
                delays.get((quantile * delays.len() as f64) as usize).copied().unwrap_or(0.0);
        }
    }

    /// The delay with which a link determines each of the times that pass it.
    fn own_delays(&self, link: usize) -> impl Iterator<Item = f64> {
        let passing = self.times.iter().filter(move |time| time.links.contains(&link));
        passing.map(move |time| self.own_delay(time, link))
    }

    /// The delay per byte with which a link determines a time that passes it \[s/B\], with equal
    /// shares.
    fn own_delay(&self, time: &PairTime, link: usize) -> f64 {
        (time.together - time.fixed).max(0.0) / (time.size * self.counts[time.set][link] as f64)
    }

    /// Repeats: each time belongs to the link that determines it; the delay of a link is the mean
    /// over its times.
    pub(super) fn refine(&self, delays: &mut [f64]) {
        let mut assigned: Vec<Option<usize>> = Vec::new();
        for _ in 0..ASSIGNMENTS {
            let bound = |time: &PairTime| self.slowest(time, delays).map(|(link, _)| link);
            let next: Vec<Option<usize>> = self.times.iter().map(bound).collect();
            if next == assigned {
                break;
            }
            let mut sums = vec![(0.0, 0.0); self.groups.len()];
            for (time, link) in self.times.iter().zip(&next) {
                if let Some(link) = *link {
                    let (sum, weight) = &mut sums[link];
                    *sum += time.weight * self.own_delay(time, link);
                    *weight += time.weight;
                }
            }
            // A link without times keeps its delay: it may have some in the next round.
            for (delay, (sum, weight)) in delays.iter_mut().zip(sums) {
                if weight > 0.0 {
                    *delay = sum / weight;
                }
            }
            assigned = next;
        }
    }
}

/// The squared relative errors of simulated times, in units of their variance.
pub(super) fn cost<'a>(times: impl IntoIterator<Item = &'a PairTime>, explained: &[f64]) -> f64 {
    times.into_iter().zip(explained).map(|(time, &explained)| time.squared_error(explained)).sum()
}

/// The number of removals that are tried at the same time; it is independent of the number of
/// cores, as results are.
const BATCH: usize = 4;

/// The removal of a link.
#[derive(Clone)]
struct Removal {
    /// The increase of the weighted squared errors; with further links, a lower bound of it.
    increase: f64,
    /// The delays of all links after the removal, that of this one 0; `None` if another link was
    /// removed since.
    delays: Option<Vec<f64>>,
}

impl Selection {
    /// Removes links as long as the times are explained as well without them.
    ///
    /// The increase of the errors by a removal grows as others are removed, apart from small
    /// exceptions. So a removal is tried again only while its last increase is the least one (lazy
    /// greedy search).
    pub(super) fn prune(&mut self) {
        let unknown = Removal { increase: f64::NEG_INFINITY, delays: None };
        let mut removals = vec![unknown; self.groups.len()];
        loop {
            let mut order: Vec<usize> = (0..removals.len()).collect();
            order.sort_by(|&a, &b| removals[a].increase.total_cmp(&removals[b].increase));
            let Some(&least) = order.first() else { return };
            if let Some(delays) = removals[least].delays.take() {
                if removals[least].increase >= MIN_GAIN {
                    return;
                }
                self.delays = delays;
                self.remove(least);
                removals.remove(least);
                removals.iter_mut().for_each(|other| other.delays = None);
                continue;
            }
            let is_open = |link: &usize| removals[*link].delays.is_none();
            let open: Vec<usize> = order.into_iter().filter(is_open).take(BATCH).collect();
            let cost = self.cost_of_shares(&self.delays);
            let tried = parallel_map(open.len(), |place| self.removal(open[place], cost));
            open.into_iter().zip(tried).for_each(|(link, removal)| removals[link] = removal);
        }
    }

    /// The removal of a link from links that explain the times with this cost.
    fn removal(&self, link: usize, cost: f64) -> Removal {
        let mut delays = self.delays.clone();
        delays[link] = 0.0;
        self.refine(&mut delays);
        Removal { increase: self.cost_of_shares(&delays) - cost, delays: Some(delays) }
    }
}
