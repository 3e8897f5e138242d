//! Times of exchanges if each group has a link, and the pairs that pass a link have equal shares of
//! it.

use super::{ExchangeTime, MeasuredSet, Slowdown};
use orrery_base::numeric::median;
use orrery_cluster::platform::Processor;

/// The largest number of times that exchanges are assigned to links and delays are estimated from
/// them.
const MAX_ASSIGNMENTS: usize = 8;

/// The quantile of the delays that explain single exchanges at which the delay of a link starts: no
/// exchange is shorter than its share of any link.
const START: f64 = 0.05;

/// The relative error of a time by equal shares of the slowest link, beside that of the readings.
const TOLERANCE: f64 = 0.05;

/// A pair in a set.
pub(super) struct Exchange {
    /// The number of the set.
    pub(super) set: usize,
    pub(super) pair: [Processor; 2],
    /// The bytes of each message.
    pub(super) size: f64,
    /// The time by itself \[s\].
    alone: f64,
    /// The time together with the others of the set \[s\].
    together: f64,
    /// The weight of its squared error.
    weight: f64,
    /// True if the others slow it by more than noise.
    pub(super) is_slowed: bool,
}

impl Exchange {
    /// The logarithm of the ratio of the measured time to the explained one: a share \[s\], or the
    /// time by itself if that is longer.
    fn error(&self, share: f64) -> f64 {
        (self.together / share.max(self.alone)).ln()
    }

    /// The weighted squared error of the time that a share \[s\] explains.
    pub(super) fn squared_error(&self, share: f64) -> f64 {
        self.error(share).powi(2) * self.weight
    }
}

/// All pairs of all sets.
pub(super) struct Exchanges {
    pub(super) all: Vec<Exchange>,
    /// The numbers of the exchanges of each processor.
    pub(super) own: Vec<Vec<usize>>,
    sets: usize,
}

impl Exchanges {
    /// The pairs of these sets.
    pub(super) fn new(sets: &[MeasuredSet]) -> Self {
        let mut all = Vec::new();
        let mut own: Vec<Vec<usize>> = Vec::new();
        for (number, set) in sets.iter().enumerate() {
            let times = set.slowdowns().zip(set.alone.iter().zip(&set.together));
            for (((i, j), slowdown), (alone, together)) in times {
                own.resize_with(own.len().max(i.index() + 1).max(j.index() + 1), Vec::new);
                [i, j].into_iter().for_each(|one| own[one.index()].push(all.len()));
                let relative = |time: &ExchangeTime| time.deviation / time.seconds;
                all.push(Exchange {
                    set: number,
                    pair: [i, j],
                    size: set.set.size.get() as f64,
                    alone: alone.seconds,
                    together: together.seconds,
                    weight: relative(alone).hypot(relative(together)).hypot(TOLERANCE).powi(-2),
                    is_slowed: slowdown == Slowdown::Slowed,
                });
            }
        }
        Self { all, own, sets: sets.len() }
    }
}

/// Processors in groups, each with a link.
pub(super) struct EqualShares<'a> {
    pub(super) exchanges: &'a Exchanges,
    /// The group of each processor.
    pub(super) group_of: Vec<Option<usize>>,
    /// The number of processors of each group.
    pub(super) members: Vec<f64>,
    /// For each set the number of pairs that pass the link of each group.
    pub(super) counts: Vec<Vec<f64>>,
    /// The delay per byte of each link \[s/B\].
    pub(super) delays: Vec<f64>,
}

impl<'a> EqualShares<'a> {
    /// The processors in these groups, of which there are `groups`, with estimated delays; a
    /// processor without a group passes no link.
    pub(super) fn new(
        exchanges: &'a Exchanges,
        group_of: Vec<Option<usize>>,
        groups: usize,
    ) -> Self {
        let mut members = vec![0.0; groups];
        group_of.iter().flatten().for_each(|&group| members[group] += 1.0);
        let (counts, delays) = (vec![vec![0.0; groups]; exchanges.sets], vec![0.0; groups]);
        let mut shares = Self { exchanges, group_of, members, counts, delays };
        for exchange in &exchanges.all {
            for group in shares.links(exchange).into_iter().flatten() {
                shares.counts[exchange.set][group] += 1.0;
            }
        }
        shares.estimate_delays();
        shares
    }

    /// The same, with the groups as lists of processors.
    pub(super) fn of_groups(exchanges: &'a Exchanges, groups: &[Vec<Processor>]) -> Self {
        let mut group_of = vec![None; exchanges.own.len()];
        for (number, group) in groups.iter().enumerate() {
            group.iter().for_each(|one| group_of[one.index()] = Some(number));
        }
        Self::new(exchanges, group_of, groups.len())
    }

    /// The groups whose links a pair passes; none if both processors are in one group.
    fn links(&self, exchange: &Exchange) -> [Option<usize>; 2] {
        let links = exchange.pair.map(|one| self.group_of[one.index()]);
        if links[0] == links[1] { [None; 2] } else { links }
    }

    /// The link with the longest share of a pair, and this time \[s\]; `None` and 0 if it passes
    /// none.
    fn slowest(&self, exchange: &Exchange) -> (Option<usize>, f64) {
        let share = |link: Option<usize>| {
            link.map_or(0.0, |link| {
                exchange.size * self.counts[exchange.set][link] * self.delays[link]
            })
        };
        let [a, b] = self.links(exchange).map(|link| (link, share(link)));
        if b.1 > a.1 { b } else { a }
    }

    /// The delay per byte \[s/B\] with which a link that a pair passes explains its time.
    fn own_delay(&self, exchange: &Exchange, link: usize) -> f64 {
        exchange.together / (exchange.size * self.counts[exchange.set][link])
    }

    /// Estimates delays: each exchange belongs to the link that determines it; a delay is the
    /// median of those that explain the exchanges of its link. A mean would follow the exchanges
    /// that a common link of several groups slows.
    fn estimate_delays(&mut self) {
        let exchanges = &self.exchanges.all;
        let mut own = vec![Vec::new(); self.delays.len()];
        for exchange in exchanges {
            let links = self.links(exchange).into_iter().flatten();
            links.for_each(|link| own[link].push(self.own_delay(exchange, link)));
        }
        for (start, own) in self.delays.iter_mut().zip(&mut own) {
            own.sort_unstable_by(f64::total_cmp);
            *start = own.get((START * own.len() as f64) as usize).copied().unwrap_or(0.0);
        }
        for _ in 0..MAX_ASSIGNMENTS {
            own.iter_mut().for_each(Vec::clear);
            for exchange in exchanges {
                if let (Some(link), share) = self.slowest(exchange)
                    && share > exchange.alone
                {
                    own[link].push(self.own_delay(exchange, link));
                }
            }
            let estimates = own.iter().zip(&self.delays);
            let next: Vec<f64> = estimates
                .map(|(own, &old)| if own.is_empty() { old } else { median(own) })
                .collect();
            let is_settled = next == self.delays;
            self.delays = next;
            if is_settled {
                break;
            }
        }
    }

    /// The sum of the weighted squared logarithmic errors of all exchanges.
    pub(super) fn cost(&self) -> f64 {
        self.exchanges
            .all
            .iter()
            .map(|exchange| exchange.squared_error(self.slowest(exchange).1))
            .sum()
    }

    /// For each two groups, the sum of the weighted squared errors of the exchanges between them
    /// that take longer than explained, and the number of all between them. A few sets that
    /// saturate a common link of several groups show it.
    pub(super) fn excess(&self) -> Vec<Vec<(f64, usize)>> {
        let mut sums = vec![vec![(0.0, 0); self.delays.len()]; self.delays.len()];
        for exchange in &self.exchanges.all {
            let [Some(a), Some(b)] = self.links(exchange) else { continue };
            let share = self.slowest(exchange).1;
            let excess =
                if exchange.error(share) > 0.0 { exchange.squared_error(share) } else { 0.0 };
            for (a, b) in [(a, b), (b, a)] {
                let (sum, count) = &mut sums[a][b];
                (*sum, *count) = (*sum + excess, *count + 1);
            }
        }
        sums
    }
}
