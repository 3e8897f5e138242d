//! Campaigns of round trips, one-to-two and two-to-one experiments, from which the point-to-point
//! models are identified.

use std::collections::{BTreeMap, BTreeSet};

use super::further::further;
use super::packing::{packed, tournament};
use super::shared_links::{SharedLinkSearch, exchange_size};
use super::{Campaign, CampaignEnd, CampaignError, Design, MissingRoundTrips, Plan};
use crate::sample::{AnchorStage, Experiment, INCAST_READINGS, Samples, incast_probe};
use orrery_base::numeric::{median, median_variance_factor, pooled_relative_deviation};
use orrery_base::units::Bytes;
use orrery_cluster::platform::{Hosts, LinkClass, Pairs, Processor};

/// The experiments that the point-to-point models need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommDesign {
    /// The size of the message of one-to-two experiments, which also take an empty one.
    pub size: Bytes,
    /// Further sizes of round trips.
    pub sizes: Vec<Bytes>,
    /// The triplets of processors of one-to-two experiments.
    pub triplets: TripletDesign,
    /// Further experiments, some of [`further_experiments`](super::further_experiments), at the
    /// same sizes as round trips.
    pub further: Vec<Experiment>,
    /// Measures only experiments in which one of these processors takes part; empty for all
    /// experiments.
    pub only: Vec<Processor>,
    /// True if pairs exchange messages at the same time, to find links that they share.
    pub shared_links: bool,
    /// True if linear gathers show losses where many processors send to one: the
    /// probe of [`incast_probe`].
    pub incast: bool,
    /// Groups of processors that may share a link: sets of exchanges load the link of each, besides
    /// those of the search.
    pub groups: Vec<Vec<Processor>>,
    /// True if round trips of a cycle of processors are repeated during the campaign: they show
    /// whether the machine changes. Without effect if `only` names processors.
    pub anchors: bool,
}

impl CommDesign {
    /// Round trips and one-to-two experiments with empty messages and messages of `size`, on the
    /// default triplets.
    pub fn new(size: Bytes) -> Self {
        let (sizes, further, only, groups) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self {
            size,
            sizes,
            triplets: TripletDesign::default(),
            further,
            only,
            shared_links: false,
            incast: false,
            groups,
            anchors: false,
        }
    }
}

impl Design for CommDesign {
    /// Measures round trips first: they determine which partner of a one-to-two experiment is
    /// slower. With two processors there are no one-to-two and no two-to-one experiments.
    fn measure(&self, campaign: &mut Campaign<'_>) -> Result<CampaignEnd, CampaignError> {
        if self.anchors && self.only.is_empty() {
            campaign.begin_anchors(self.size);
        }
        let end = self.measure_parts(campaign)?;
        if end == CampaignEnd::Complete {
            campaign.end_anchors()?;
        }
        Ok(end)
    }
}

impl CommDesign {
    /// Measures the parts of the design one after the other.
    fn measure_parts(&self, campaign: &mut Campaign<'_>) -> Result<CampaignEnd, CampaignError> {
        let (processors, seed) = (campaign.processors(), campaign.order_seed());
        let sizes: BTreeSet<Bytes> =
            self.sizes.iter().copied().chain([Bytes::ZERO, self.size]).collect();
        let sizes: Vec<Bytes> = sizes.into_iter().collect();
        let takes_part = |experiment: &Experiment| {
            self.only.is_empty()
                || experiment.placement().processors().iter().any(|one| self.only.contains(one))
        };
        let mut end = campaign
            .run("round trips", &round_trips(processors, &sizes, seed).filtered(takes_part))?;
        if processors > 2 && end == CampaignEnd::Complete {
            let plan = if self.only.is_empty() {
                one_to_twos(self.triplets, campaign.samples(), processors, self.size, seed)?
            } else {
                one_to_twos_of(
                    &self.only,
                    self.triplets,
                    campaign.samples(),
                    processors,
                    self.size,
                    seed,
                )?
            };
            campaign.enter(AnchorStage::OneToTwo);
            end = campaign.run("one-to-two", &plan)?;
        }
        if processors > 2 && end == CampaignEnd::Complete {
            let plan = two_to_ones(&self.only, campaign.samples(), processors, self.size, seed)?;
            campaign.enter(AnchorStage::TwoToOne);
            end = campaign.run("two-to-one", &plan)?;
        }
        if !self.further.is_empty() && end == CampaignEnd::Complete {
            let plan = further(&self.further, processors, &sizes, seed).filtered(takes_part);
            campaign.enter(AnchorStage::Further);
            end = campaign.run("further experiments", &plan)?;
        }
        if self.incast && self.only.is_empty() && end == CampaignEnd::Complete {
            let gathers = incast_probe(processors).into_iter().map(|one| vec![one]).collect();
            end =
                campaign.run_briefly("incast", &Plan::shuffled(gathers, seed), INCAST_READINGS)?;
        }
        if self.shared_links && end == CampaignEnd::Complete {
            let size = exchange_size(campaign.samples(), self.size);
            let mut groups = self.groups.clone();
            groups.extend(
                campaign
                    .samples()
                    .hosts()
                    .groups()
                    .into_iter()
                    .filter(|host| !self.groups.contains(host)),
            );
            campaign.enter(AnchorStage::Exchanges);
            return SharedLinkSearch::new(campaign, size).run(&groups);
        }
        Ok(end)
    }
}

/// The size of one-to-two experiments, and why it was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeChoice {
    /// The default or requested size; no scatter threshold is below it.
    Usual(Bytes),
    /// A size just below this scatter threshold, which is below the default.
    Lowered {
        /// The size.
        size: Bytes,
        /// The threshold.
        threshold: Bytes,
    },
    /// The requested size although it is above this scatter threshold: delays per byte will be
    /// overestimated.
    AboveThreshold {
        /// The size.
        size: Bytes,
        /// The threshold.
        threshold: Bytes,
    },
}

impl SizeChoice {
    /// The size.
    pub const fn size(self) -> Bytes {
        match self {
            Self::Usual(size) | Self::Lowered { size, .. } | Self::AboveThreshold { size, .. } => {
                size
            }
        }
    }
}

/// The default size of one-to-two experiments.
const DEFAULT_SIZE: Bytes = Bytes::new(32 * 1024);

/// Chooses the size of one-to-two experiments: the requested one, else 32 KiB or less, so that it
/// lies below the least of the scatter thresholds \[bytes\]. Above the threshold, a send waits for
/// its receive, and delays per byte would be overestimated.
///
/// ```
/// use orrery_measure::measure::{SizeChoice, choose_size};
/// use orrery_base::units::Bytes;
/// assert_eq!(choose_size(None, []), SizeChoice::Usual(Bytes::new(32768)));
/// assert_eq!(choose_size(None, [9000.0, 70000.0]).size(), Bytes::new(8192));
/// ```
pub fn choose_size(
    requested: Option<Bytes>,
    thresholds: impl IntoIterator<Item = f64>,
) -> SizeChoice {
    let threshold =
        thresholds.into_iter().min_by(f64::total_cmp).map(|least| Bytes::new(least as u64));
    match (requested, threshold) {
        (Some(size), Some(threshold)) if size > threshold => {
            SizeChoice::AboveThreshold { size, threshold }
        }
        (None, Some(threshold)) if DEFAULT_SIZE > threshold => {
            let kib = threshold.get() / 1024 * 1024;
            let size = Bytes::new(if kib > 0 { kib } else { threshold.get().max(1) });
            SizeChoice::Lowered { size, threshold }
        }
        _ => SizeChoice::Usual(requested.unwrap_or(DEFAULT_SIZE)),
    }
}

orrery_base::named_enum! {
    /// The triplets of processors that take part in one-to-two experiments.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum TripletDesign: "set of triplets" {
        /// From each processor to at most 48 pairs of its 16 nearest partners: O(n) experiments.
        ///
        /// One experiment from i identifies C_i and t_i, given the round trips of its slower
        /// partner. Each further slower partner adds the contrast of another link. Beyond some
        /// fifteen links, each in three pairs, repetitions are better spent on round trips, whose
        /// error enters every estimate: for the same number of messages the intervals are no wider
        /// than those of the full design. Near partners are used because readings spread in
        /// proportion to the time: the same delay of i is clearer next to a short path. Partners
        /// with similar round trips are taken in cyclic order of the processors, so that
        /// experiments can run in parallel.
        #[default]
        Spread => "spread": "Each processor with pairs of its nearest partners, O(n)",
        /// All triplets with each processor in turn as root: 3·C(n,3) experiments at each size, as
        /// in the papers.
        Full => "full":
            "All triplets with each processor in turn as root, O(n³), as in the papers",
        /// From each processor to its 16 nearest partners, each of them once: a sixth of the
        /// default, for estimations at run time.
        Brief => "brief":
            "Each processor with each of its nearest partners once: a sixth of the default",
    }
}

/// The number of partners of each processor in the spread design.
const PARTNERS: usize = 16;

/// Partners are equally near if their round trips take at most this multiple of the shortest.
const MAX_NEAR_RATIO: f64 = 1.5;

/// The plan of round trips of all pairs: for each size M in `sizes` both (M, M) and (M, 0), which
/// coincide for M = 0.
///
/// Rounds are those of a round-robin tournament: n − 1 of n/2 pairs for even n, n of (n − 1)/2 for
/// odd n.
pub fn round_trips(processors: usize, sizes: &[Bytes], seed: u64) -> Plan {
    let mut rounds = Vec::new();
    for pairs in tournament(processors) {
        for &size in sizes {
            let round = |reply| {
                pairs.iter().map(|&(i, j)| Experiment::RoundTrip { i, j, size, reply }).collect()
            };
            rounds.push(round(size));
            if size > Bytes::ZERO {
                rounds.push(round(Bytes::ZERO));
            }
        }
    }
    Plan::shuffled(rounds, seed)
}

/// The plan of one-to-two experiments with empty messages and with messages of `size`, from each
/// processor of a triplet to the other two; the partner with the longer round trip is the second.
///
/// # Errors
///
/// When the round trips (0, 0) and (size, 0) of a pair have not been measured.
pub fn one_to_twos(
    triplets: TripletDesign,
    samples: &Samples,
    processors: usize,
    size: Bytes,
    seed: u64,
) -> Result<Plan, MissingRoundTrips> {
    let mut order = PartnerOrder::new(samples);
    let chosen: Vec<[Processor; 3]> = match triplets {
        TripletDesign::Full => all_triplets(processors),
        TripletDesign::Spread | TripletDesign::Brief => Processor::first(processors)
            .flat_map(|i| {
                let pairs = near_pairs(triplets, i, processors, |x| order.time(i, x, size));
                pairs.into_iter().map(move |[j, k]| [i, j, k])
            })
            .collect(),
    };
    order.plan(&chosen, processors, size, seed)
}

/// The number of one-to-two experiments in which another processor sends to a processor that is
/// measured again.
const EXPERIMENTS_OF_OTHERS: usize = 2;

/// The plan of one-to-two experiments in which the processors `only` take part: of [`one_to_twos`]
/// those that they begin, and of every other processor two with each of them; in the full design,
/// all triplets with one of them.
///
/// The round trips of two other processors need not be known; the order of partners is then
/// balanced.
fn one_to_twos_of(
    only: &[Processor],
    triplets: TripletDesign,
    samples: &Samples,
    processors: usize,
    size: Bytes,
    seed: u64,
) -> Result<Plan, MissingRoundTrips> {
    let mut order = PartnerOrder::new(samples);
    order.only = Some(only);
    let mut chosen: Vec<[Processor; 3]> = Vec::new();
    if triplets == TripletDesign::Full {
        chosen = all_triplets(processors);
        chosen.retain(|triplet| triplet.iter().any(|one| only.contains(one)));
        return order.plan(&chosen, processors, size, seed);
    }
    for i in Processor::first(processors) {
        if only.contains(&i) {
            let pairs = near_pairs(triplets, i, processors, |x| order.time(i, x, size));
            chosen.extend(pairs.into_iter().map(|[j, k]| [i, j, k]));
            continue;
        }
        chosen.extend(triplets_of_another(i, only, processors, EXPERIMENTS_OF_OTHERS));
    }
    order.plan(&chosen, processors, size, seed)
}

/// The triplets of a processor i that is not in `only`: for each processor of `only`, `count`
/// triplets with it and one of those that follow i in cyclic order.
fn triplets_of_another(
    i: Processor,
    only: &[Processor],
    processors: usize,
    count: usize,
) -> Vec<[Processor; 3]> {
    let of = |&again: &Processor| {
        let cyclic =
            (1..processors).map(move |step| Processor(((i.index() + step) % processors) as u32));
        let others = cyclic
            .filter(move |other| *other != again && (!only.contains(other) || again < *other));
        others.take(count).map(move |other| [i, again, other])
    };
    only.iter().flat_map(of).collect()
}

/// The number of two-to-one experiments of each processor, whose partners differ.
const TWO_TO_ONES: usize = 3;

/// The plan of two-to-one experiments with messages of `size` to each processor from pairs of its
/// nearest partners, whose messages are the least delayed elsewhere; the partner with the longer
/// round trip is the second. If `only` names processors, each other processor receives a message of
/// each of these and of the next processor in cyclic order.
///
/// # Errors
///
/// When the round trips (size, size) of these processors have not been measured.
pub fn two_to_ones(
    only: &[Processor],
    samples: &Samples,
    processors: usize,
    size: Bytes,
    seed: u64,
) -> Result<Plan, MissingRoundTrips> {
    let mut order = PartnerOrder { reply: size, ..PartnerOrder::new(samples) };
    let mut experiments = Vec::new();
    order.only = (!only.is_empty()).then_some(only);
    for i in Processor::first(processors) {
        let triplets = if only.is_empty() || only.contains(&i) {
            let near = near_partners(i, processors, |x| order.time(i, x, size));
            near.chunks_exact(2).take(TWO_TO_ONES).map(|two| [i, two[0], two[1]]).collect()
        } else {
            triplets_of_another(i, only, processors, 1)
        };
        for [i, a, b] in triplets {
            let [j, k] = order.ordered(i, a, b, size);
            experiments.push(Experiment::TwoToOne { i, j, k, size });
        }
    }
    order.shuffled(packed(processors, &experiments), seed)
}

/// The order of the two partners of an experiment, by measured round trips.
struct PartnerOrder<'a> {
    samples: &'a Samples,
    /// The size of the replies of the round trips.
    reply: Bytes,
    hosts: Hosts,
    noises: BTreeMap<Option<LinkClass>, f64>,
    /// The processors whose round trips must be known; `None` for all.
    only: Option<&'a [Processor]>,
    missing: Vec<Experiment>,
}

impl<'a> PartnerOrder<'a> {
    /// The order by the round trips in these samples.
    fn new(samples: &'a Samples) -> Self {
        let (hosts, noises) = (samples.hosts(), noise_of_round_trips(samples));
        Self { samples, reply: Bytes::ZERO, hosts, noises, only: None, missing: Vec::new() }
    }

    /// The median time of a round trip in seconds; 0 if it is not known, and then recorded as
    /// missing if it is needed.
    fn time(&mut self, i: Processor, j: Processor, size: Bytes) -> f64 {
        let reply = self.reply;
        let trip = |i, j| Experiment::RoundTrip { i, j, size, reply };
        let measured = self.samples.get(&trip(i, j)).or_else(|| self.samples.get(&trip(j, i)));
        let is_needed = self.only.is_none_or(|only| only.contains(&i) || only.contains(&j));
        self.missing.extend((measured.is_none() && is_needed).then(|| trip(i, j)));
        measured.map_or(0.0, |series| median(&series.seconds()))
    }

    /// The relative difference of round trips from i to x that noise explains.
    fn noise(&self, i: Processor, x: Processor) -> f64 {
        self.noises.get(&self.hosts.class(i, x)).copied().unwrap_or(0.0)
    }

    /// The partners a and b of i with the slower one second; where noise explains the difference,
    /// the order is balanced over the processors.
    fn ordered(&mut self, i: Processor, a: Processor, b: Processor, size: Bytes) -> [Processor; 2] {
        let (to_a, to_b) = (self.time(i, a, size), self.time(i, b, size));
        let is_known = to_a > 0.0 && to_b > 0.0;
        // Noise must not choose between equals: it would put the partner with the overestimated
        // round trip second.
        let alike = self.noise(i, a).max(self.noise(i, b));
        let equal =
            self.only.is_some() && !is_known || (to_a - to_b).abs() <= alike * to_a.max(to_b);
        let a_first = if equal { (i.0 + a.0 + b.0).is_multiple_of(2) } else { to_a < to_b };
        if a_first { [a, b] } else { [b, a] }
    }

    /// The plan of one-to-two experiments on these triplets, whose first processors send, with
    /// empty messages and messages of `size`; an error if a needed round trip is missing.
    fn plan(
        mut self,
        triplets: &[[Processor; 3]],
        processors: usize,
        size: Bytes,
        seed: u64,
    ) -> Result<Plan, MissingRoundTrips> {
        let sizes = if size > Bytes::ZERO { vec![Bytes::ZERO, size] } else { vec![Bytes::ZERO] };
        let mut rounds = Vec::new();
        for size in sizes {
            let one_to_two = |&[i, a, b]: &[Processor; 3]| {
                let [j, k] = self.ordered(i, a, b, size);
                Experiment::OneToTwo { i, j, k, size }
            };
            let experiments: Vec<Experiment> = triplets.iter().map(one_to_two).collect();
            rounds.extend(packed(processors, &experiments));
        }
        self.shuffled(rounds, seed)
    }

    /// The plan of these rounds in random order; an error if a needed round trip is missing.
    fn shuffled(self, rounds: Vec<Vec<Experiment>>, seed: u64) -> Result<Plan, MissingRoundTrips> {
        if self.missing.is_empty() {
            Ok(Plan::shuffled(rounds, seed))
        } else {
            Err(MissingRoundTrips(self.missing))
        }
    }
}

/// The relative difference of two medians of round trips that noise explains, for each class of
/// links: two standard deviations of the difference.
fn noise_of_round_trips(samples: &Samples) -> BTreeMap<Option<LinkClass>, f64> {
    let hosts = samples.hosts();
    let mut classes: BTreeMap<Option<LinkClass>, Vec<Vec<f64>>> = BTreeMap::new();
    for series in samples.series() {
        if let Experiment::RoundTrip { i, j, .. } = series.experiment {
            classes.entry(hosts.class(i, j)).or_default().push(series.seconds());
        }
    }
    let noise = |readings: Vec<Vec<f64>>| {
        let counts: Vec<f64> = readings.iter().map(|readings| readings.len() as f64).collect();
        let factor = median_variance_factor(median(&counts) as usize);
        2.0 * (2.0 * factor).sqrt() * pooled_relative_deviation(readings.iter().map(Vec::as_slice))
    };
    classes.into_iter().map(|(class, readings)| (class, noise(readings))).collect()
}

/// All triplets, with each processor in turn as the first.
fn all_triplets(processors: usize) -> Vec<[Processor; 3]> {
    let sets = Pairs::of(processors)
        .iter()
        .flat_map(|(i, j)| (j.0 + 1..processors as u32).map(move |k| [i, j, Processor(k)]));
    sets.flat_map(|[i, j, k]| [[i, j, k], [j, k, i], [k, i, j]]).collect()
}

/// The partners nearest to i by `time`, the round trip to each, at most 16; equally near ones are
/// in cyclic order.
fn near_partners(
    i: Processor,
    processors: usize,
    mut time: impl FnMut(Processor) -> f64,
) -> Vec<Processor> {
    let cyclic = (1..processors).map(|step| Processor(((i.index() + step) % processors) as u32));
    let mut partners: Vec<(f64, Processor)> = cyclic.map(|x| (time(x), x)).collect();
    let nearest = partners.iter().map(|(time, _)| *time).fold(f64::INFINITY, f64::min);
    // Sorting is stable: equally near partners stay in cyclic order.
    let key = |time: f64| if time <= MAX_NEAR_RATIO * nearest { 0.0 } else { time };
    partners.sort_by(|a, b| key(a.0).total_cmp(&key(b.0)));
    partners.iter().map(|(_, x)| *x).take(PARTNERS).collect()
}

/// Pairs of the partners nearest to i: each partner with a nearer one and with two others; in the
/// brief design each partner is in one pair.
fn near_pairs(
    triplets: TripletDesign,
    i: Processor,
    processors: usize,
    time: impl FnMut(Processor) -> f64,
) -> Vec<[Processor; 2]> {
    let near = near_partners(i, processors, time);
    let count = near.len();
    if triplets == TripletDesign::Brief {
        // The last one of an odd number is left without a partner.
        return near.chunks_exact(2).map(|two| [two[0], two[1]]).collect();
    }
    let mut pairs: Vec<[usize; 2]> = Vec::new();
    for place in 0..count {
        for other in [place.saturating_sub(1) / 2, (place + 3) % count, (place + 4) % count] {
            let pair = [place.min(other), place.max(other)];
            if place != other && !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
    }
    pairs.into_iter().map(|[a, b]| [near[a], near[b]]).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::sample::{Provenance, Sample};
    use orrery_base::units::Seconds;
    use orrery_cluster::platform::Placement;

    fn round_trip_samples(processors: usize, size: Bytes) -> Samples {
        let mut samples = Samples::new(Provenance::new());
        for experiment in round_trips(processors, &[Bytes::ZERO, size], 1).experiments() {
            let Experiment::RoundTrip { i, j, .. } = experiment else { continue };
            // The distance of two processors is the difference of their numbers.
            let seconds = Seconds::new(1e-6 * f64::from(i.0.abs_diff(j.0)));
            samples.push(Sample { experiment: *experiment, launch: 0, rep: 0, seconds });
        }
        samples
    }

    #[test]
    fn plans_of_triplets_are_packed_in_disjoint_rounds() {
        let size = Bytes::new(1024);
        for n in 3..14 {
            let samples = round_trip_samples(n, size);
            for triplets in [TripletDesign::Full, TripletDesign::Spread, TripletDesign::Brief] {
                let plan = one_to_twos(triplets, &samples, n, size, 1).unwrap();
                let different: BTreeSet<_> = plan.experiments().collect();
                assert_eq!(different.len(), plan.len());
                let expected = match triplets {
                    TripletDesign::Full => n * (n - 1) * (n - 2),
                    TripletDesign::Spread => plan.len().min(2 * n * 3 * PARTNERS),
                    TripletDesign::Brief => 2 * n * ((n - 1) / 2),
                };
                assert_eq!(plan.len(), expected, "{n} {triplets:?}");
                for round in plan.rounds() {
                    let placements: Vec<_> = round.iter().map(Experiment::placement).collect();
                    let players: BTreeSet<_> =
                        placements.iter().flat_map(Placement::processors).collect();
                    assert_eq!(players.len(), 3 * round.len());
                }
            }
        }
    }

    #[test]
    fn two_to_one_experiments_have_different_partners() {
        let size = Bytes::new(1024);
        for n in 3..14 {
            let samples = round_trip_samples(n, size);
            let plan = two_to_ones(&[], &samples, n, size, 1).unwrap();
            assert_eq!(plan.len(), n * ((n - 1) / 2).min(TWO_TO_ONES));
            for i in Processor::first(n) {
                let mut of_i: Vec<Processor> = Vec::new();
                for experiment in plan.experiments().filter(|one| one.reader() == i) {
                    let Experiment::TwoToOne { j, k, .. } = *experiment else {
                        panic!("{experiment}")
                    };
                    assert!(i.0.abs_diff(j.0) <= i.0.abs_diff(k.0), "{experiment}");
                    of_i.extend([j, k]);
                }
                assert_eq!(of_i.iter().collect::<BTreeSet<_>>().len(), of_i.len(), "{of_i:?}");
            }
            let again = two_to_ones(&[Processor(1)], &samples, n, size, 1).unwrap();
            assert!(
                again.experiments().all(|one| one.placement().processors().contains(&Processor(1)))
            );
            assert_eq!(again.len(), n - 1 + ((n - 1) / 2).min(TWO_TO_ONES));
        }
        let error = two_to_ones(&[], &Samples::default(), 3, Bytes::new(8), 1).unwrap_err();
        assert!(error.to_string().contains("round trip 0-1"), "{error}");
    }

    #[test]
    fn the_slower_partner_is_second_and_partners_are_near() {
        let samples = round_trip_samples(30, Bytes::new(8));
        for experiment in one_to_twos(TripletDesign::Spread, &samples, 30, Bytes::new(8), 1)
            .unwrap()
            .experiments()
        {
            let Experiment::OneToTwo { i, j, k, .. } = *experiment else { panic!("{experiment}") };
            assert!(
                i.0.abs_diff(j.0) <= i.0.abs_diff(k.0) && i.0.abs_diff(k.0) <= 16,
                "{experiment}"
            );
        }
        let error =
            one_to_twos(TripletDesign::Full, &Samples::default(), 3, Bytes::new(8), 1).unwrap_err();
        assert!(error.to_string().contains("round trip 0-1"), "{error}");
    }
}
