//! The search for links that several pairs of processors share: pairs that exchange messages at the
//! same time.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use super::packing::tournament;
use super::{Campaign, CampaignEnd, CampaignError, Pairing, Plan};
use crate::sample::{
    ExchangeSet, Experiment, MeasuredSet, Samples, similarities, suggested_groups,
};
use orrery_base::numeric::{median, partition};
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;

/// The name of the stage in progress reports.
const STAGE: &str = "shared links";

/// The smallest number of processors with two pairs.
const MIN_PROCESSORS: usize = 4;

/// The largest number of sets of one search besides the first three, for n processors: 4·log₂ n +
/// this number.
const MAX_SETS: usize = 8;

/// The largest number of processors of a group within which all pairs are measured: few pairs meet
/// on a link.
const MAX_ALL_PAIRS: usize = 8;

/// The largest size of messages that pairs exchange at the same time, relative to that of
/// one-to-two experiments.
const MAX_SIZE_FACTOR: u64 = 4;

/// The smallest time of such a message, relative to an empty round trip: ranks leave a barrier one
/// after the other.
const MIN_DURATION: f64 = 8.0;

/// The size of the messages that pairs exchange: that of one-to-two experiments, or up to four
/// times as much, so that all of them are under way at the same time. Larger messages are more
/// likely to wait for their receive, and then need not be. If the samples contain exchanges, their
/// largest size.
pub(super) fn exchange_size(samples: &Samples, size: Bytes) -> Bytes {
    let (mut measured, mut empty, mut loaded) = (None, Vec::new(), Vec::new());
    for series in samples.series() {
        match series.experiment {
            Experiment::Exchanges { size, .. } => measured = measured.max(Some(size)),
            Experiment::RoundTrip { size: Bytes::ZERO, .. } => {
                empty.push(median(&series.seconds()));
            }
            Experiment::RoundTrip { size: out, reply: Bytes::ZERO, .. } if out == size => {
                loaded.push(median(&series.seconds()));
            }
            _ => {}
        }
    }
    let (empty, loaded) = (median(&empty), median(&loaded));
    let is_long = |factor: &u64| (loaded - empty) * *factor as f64 >= MIN_DURATION * empty;
    let factor = [1, 2].into_iter().find(is_long).unwrap_or(MAX_SIZE_FACTOR);
    measured.unwrap_or(size * factor)
}

/// The search for shared links in a campaign.
///
/// 1. All processors exchange messages in three pairings: neighbours, halves, ends; stated groups
///    send to the others as in the last step. If no pair is slower than by itself, nothing is
///    shared, and the search ends.
/// 2. Pairs that are not known to be together or apart are combined in further sets: a pair that is
///    slowed crosses a shared link, one that is not slowed among many that are does not. Each group
///    that the sets suggest, the largest first, is then searched in the same way by itself: its
///    pairs meet on links that were idle before.
/// 3. Each group sends to the others with half and with all of its processors: their times show the
///    rate of its link.
///
/// With g groups this takes O(n·(log n + g)) experiments, each one message time long.
pub(super) struct SharedLinkSearch<'a, 'b> {
    campaign: &'a mut Campaign<'b>,
    size: Bytes,
    rng: ChaCha8Rng,
    /// The sets that were measured.
    sets: Vec<ExchangeSet>,
}

impl<'a, 'b> SharedLinkSearch<'a, 'b> {
    /// A search with messages of this size.
    pub(super) fn new(campaign: &'a mut Campaign<'b>, size: Bytes) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(campaign.order_seed());
        Self { campaign, size, rng, sets: Vec::new() }
    }

    /// Measures until the groups are known, nothing is shared, or the deadline has passed; then
    /// loads the links of these groups. `stated` are groups whose links are loaded in any case.
    pub(super) fn run(mut self, stated: &[Vec<Processor>]) -> Result<CampaignEnd, CampaignError> {
        let n = self.campaign.processors();
        if n < MIN_PROCESSORS {
            return Ok(CampaignEnd::Complete);
        }
        let all: Vec<Processor> = Processor::first(n).collect();
        let pairings = Pairing::ALL
            .map(|pairing| pairing.pairs(n, n / 2).into_iter().map(|[i, j]| (i, j)).collect());
        for pairs in
            pairings.into_iter().chain(stated.iter().flat_map(|group| outward(&all, group, stated)))
        {
            let end = self.measure(pairs)?;
            if end != CampaignEnd::Complete {
                return Ok(end);
            }
        }
        let first = self.sets.clone();
        if similarities(&self.measured(&first)).values().all(|similarity| *similarity > 0.0) {
            return Ok(CampaignEnd::Complete);
        }
        let mut end = self.search(&all, first)?;
        let mut groups = suggested_groups(&self.measured(&self.sets));
        groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
        for group in groups.iter().filter(|group| group.len() >= MIN_PROCESSORS) {
            if end == CampaignEnd::Complete {
                end = self.search(group, Vec::new())?;
            }
        }
        if end != CampaignEnd::Complete {
            return Ok(end);
        }
        let groups = suggested_groups(&self.measured(&self.sets));
        for group in &groups {
            for pairs in outward(&all, group, &[]) {
                let end = self.measure(pairs)?;
                if end != CampaignEnd::Complete {
                    return Ok(end);
                }
            }
        }
        Ok(CampaignEnd::Complete)
    }

    /// Measures each of these pairs by itself, then all of them at the same time.
    fn measure(
        &mut self,
        pairs: Vec<(Processor, Processor)>,
    ) -> Result<CampaignEnd, CampaignError> {
        let set = ExchangeSet::new(pairs, self.size);
        let alone: Vec<Vec<Experiment>> = set
            .pairs()
            .iter()
            .map(|&pair| ExchangeSet::new([pair], self.size).experiments().collect())
            .collect();
        let seed = self.campaign.order_seed();
        let mut end = self.campaign.run(STAGE, &Plan::shuffled(alone, seed))?;
        if end == CampaignEnd::Complete && set.pairs().len() > 1 {
            let together = set.experiments().map(|experiment| vec![experiment]).collect();
            self.campaign.add_set(set.clone());
            end = self.campaign.run(STAGE, &Plan::shuffled(together, seed))?;
        }
        self.sets.push(set);
        Ok(end)
    }

    /// The measured times of these sets, as far as they are complete.
    fn measured(&self, sets: &[ExchangeSet]) -> Vec<MeasuredSet> {
        let (measured, _) = MeasuredSet::all(self.campaign.samples());
        measured.into_iter().filter(|one| sets.contains(&one.set)).collect()
    }

    /// Measures sets of pairs among some processors (ascending) until all groups within which no
    /// pair was slowed are known to be apart, or the largest number of sets is reached; `known` are
    /// sets measured before.
    fn search(
        &mut self,
        universe: &[Processor],
        mut known: Vec<ExchangeSet>,
    ) -> Result<CampaignEnd, CampaignError> {
        if known.is_empty() && universe.len() <= MAX_ALL_PAIRS {
            for round in tournament(universe.len()) {
                let pairs =
                    round.iter().map(|(a, b)| (universe[a.index()], universe[b.index()])).collect();
                let end = self.measure(pairs)?;
                if end != CampaignEnd::Complete {
                    return Ok(end);
                }
            }
            return Ok(CampaignEnd::Complete);
        }
        let place = |processor: Processor| universe.binary_search(&processor).ok();
        let max_sets = known.len() + MAX_SETS + 4 * universe.len().ilog2() as usize;
        while known.len() < max_sets {
            let known_pairs = similarities(&self.measured(&known)).into_iter();
            let pairs =
                known_pairs.filter_map(|((i, j), weight)| Some((place(i)?, place(j)?, weight)));
            let pairs: Vec<(usize, usize, f64)> = pairs.collect();
            let parts = partition(universe.len(), pairs.iter().copied());
            let Some(next) = self.open_pairs(&parts, &pairs) else { break };
            let end =
                self.measure(next.into_iter().map(|(a, b)| (universe[a], universe[b])).collect())?;
            if end != CampaignEnd::Complete {
                return Ok(end);
            }
            known.extend(self.sets.last().cloned());
        }
        Ok(CampaignEnd::Complete)
    }

    /// Disjoint pairs between parts that are not known to be apart, filled up with pairs of other
    /// parts, which load the links; `None` if all parts are known to be apart. `pairs` are pairs of
    /// items with their similarity, negative if they were slowed.
    fn open_pairs(
        &mut self,
        parts: &[Vec<usize>],
        pairs: &[(usize, usize, f64)],
    ) -> Option<Vec<(usize, usize)>> {
        let items: usize = parts.iter().map(Vec::len).sum();
        let mut part_of = vec![0; items];
        for (number, part) in parts.iter().enumerate() {
            part.iter().for_each(|&item| part_of[item] = number);
        }
        let mut apart: Vec<(usize, usize)> = pairs
            .iter()
            .filter(|(.., similarity)| *similarity < 0.0)
            .map(|&(a, b, _)| (part_of[a].min(part_of[b]), part_of[a].max(part_of[b])))
            .collect();
        apart.sort_unstable();
        let is_open = |a: usize, b: usize| {
            let between = (part_of[a].min(part_of[b]), part_of[a].max(part_of[b]));
            between.0 != between.1 && apart.binary_search(&between).is_err()
        };
        let mut order: Vec<usize> = (0..items).collect();
        order.shuffle(&mut self.rng);
        let mut partner = vec![None; items];
        let mut found = Vec::new();
        let mut open = 0;
        for only_open in [true, false] {
            for (place, &a) in order.iter().enumerate() {
                if partner[a].is_some() {
                    continue;
                }
                let fits =
                    |b: usize| if only_open { is_open(a, b) } else { part_of[a] != part_of[b] };
                let other =
                    order[place + 1..].iter().copied().find(|&b| partner[b].is_none() && fits(b));
                if let Some(b) = other {
                    (partner[a], partner[b]) = (Some(b), Some(a));
                    found.push((a, b));
                    open += usize::from(only_open);
                }
            }
        }
        (open > 0).then_some(found)
    }
}

/// Sets of pairs between a group and the other processors: with half of the largest possible number
/// of pairs, and with all. The partners are spread over the other groups, so that none of their
/// links is loaded as much as that of the group.
fn outward(
    all: &[Processor],
    group: &[Processor],
    groups: &[Vec<Processor>],
) -> Vec<Vec<(Processor, Processor)>> {
    let mut others: BTreeMap<Option<usize>, Vec<Processor>> = BTreeMap::new();
    for &one in all.iter().filter(|one| group.binary_search(one).is_err()) {
        let around = (0..groups.len()).filter(|&number| groups[number].binary_search(&one).is_ok());
        others.entry(around.min_by_key(|&number| groups[number].len())).or_default().push(one);
    }
    let total: usize = others.values().map(Vec::len).sum();
    let most = group.len().min(total);
    let spread = |count: usize, from: &[Processor]| -> Vec<Processor> {
        (0..count).map(|place| from[place * from.len() / count]).collect()
    };
    let partners = |count: usize| {
        let mut before = 0;
        let mut chosen = Vec::with_capacity(count);
        for members in others.values() {
            let after = before + members.len();
            chosen.extend(spread(after * count / total - before * count / total, members));
            before = after;
        }
        chosen
    };
    let set =
        |count: usize| spread(count, group).into_iter().zip(partners(count)).collect::<Vec<_>>();
    [most / 2, most].into_iter().filter(|count| *count >= 2).map(set).collect()
}
