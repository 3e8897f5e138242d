//! Anchors: round trips that a campaign repeats, and the changes of the machine that they show.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::{Experiment, Samples, Series};
use orrery_base::numeric::{
    median, median_variance_factor, normal_p_value, pooled_relative_deviation,
};
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::{Processor, processor_name};

/// The smallest relative change of an anchor that counts: less changes no conclusion about links.
const MIN_CHANGE: f64 = 0.1;

/// The largest probability that any anchor of a campaign seems to change.
const MAX_PROBABILITY: f64 = 1e-3;

/// The part of the pairs that change if all hosts do.
const PART_OF_ALL: f64 = 0.75;

/// The smallest number of pairs whose changes from round to round show noise.
const MIN_PAIRS: usize = 4;

orrery_base::named_enum! {
    /// The part of a campaign during which a round of anchors was measured.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum AnchorStage {
        /// Round trips, number 1 in samples files.
        RoundTrips => "round trips",
        /// One-to-two experiments, number 2.
        OneToTwo => "one-to-two",
        /// Two-to-one experiments, number 3.
        TwoToOne => "two-to-one",
        /// Further experiments, number 4.
        Further => "further experiments",
        /// Exchanges of several pairs, number 5.
        Exchanges => "shared links",
    }
}

impl AnchorStage {
    /// The number in samples files, from 1.
    pub fn number(self) -> u32 {
        (1..).zip(Self::ALL).find(|(_, stage)| *stage == self).map_or(1, |(number, _)| number)
    }

    /// The stage of this number; the last one for larger numbers.
    fn of_number(number: u32) -> Self {
        let place = (number.max(1) as usize - 1).min(Self::ALL.len() - 1);
        Self::ALL[place]
    }
}

/// What changed during a campaign.
#[derive(Debug, Clone, PartialEq)]
pub enum ChangeScope {
    /// Most pairs.
    All,
    /// All anchors of a processor.
    Processor(Processor),
    /// One anchor.
    Link(Processor, Processor),
}

/// A change of the machine during a launch of a campaign, which anchors show.
#[derive(Debug, Clone, PartialEq)]
pub struct ConditionChange {
    /// The launch.
    pub launch: u32,
    /// What changed.
    pub scope: ChangeScope,
    /// The ratio of the times after the change to those before.
    pub ratio: f64,
    /// The last round before the change: the part of the campaign and the time since its start.
    pub before: (AnchorStage, Seconds),
    /// The first round after the change.
    pub after: (AnchorStage, Seconds),
    /// True if the last round has the times of the first one again.
    pub is_temporary: bool,
    /// The probability that any anchor seems to change as much.
    pub p_value: f64,
}

impl ConditionChange {
    /// Returns true if the times of an experiment in the exchanges may differ from those of round
    /// trips by this change.
    pub fn affects(&self, experiment: &Experiment) -> bool {
        let placement = experiment.placement();
        let processors = placement.processors();
        match self.scope {
            ChangeScope::All => true,
            ChangeScope::Processor(one) => processors.contains(&one),
            ChangeScope::Link(i, j) => processors.contains(&i) && processors.contains(&j),
        }
    }

    /// What changed, by names of hosts: `all hosts`, `host n3`, `the link n3-n4`.
    pub fn subject(&self, hosts: &[String]) -> String {
        let name = |one: Processor| processor_name(hosts, one);
        match self.scope {
            ChangeScope::All => "all hosts".to_owned(),
            ChangeScope::Processor(one) => format!("host {}", name(one)),
            ChangeScope::Link(i, j) => format!("the link {}-{}", name(i), name(j)),
        }
    }
}

/// The change without its subject: `messages took 1.50 times as long after …`.
impl fmt::Display for ConditionChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((before, from), (after, to)) = (self.before, self.after);
        let parts =
            if before == after { format!("{before}") } else { format!("{before} to {after}") };
        let probability = if self.p_value < 1e-4 {
            "p < 0.0001".to_owned()
        } else {
            format!("p = {:.4}", self.p_value)
        };
        let end = if self.is_temporary { ", for a time" } else { "" };
        write!(
            f,
            "messages took {:.2} times as long after {to} as before {from} of the campaign \
                ({parts}{end}; {probability})",
            self.ratio
        )
    }
}

/// Two processors, the lower one first.
type Pair = (Processor, Processor);

/// A round of anchors of one launch.
struct Round {
    stage: AnchorStage,
    start: Seconds,
    /// The logarithm of the median of each pair, with the number of readings.
    times: BTreeMap<(Pair, Bytes), (f64, usize)>,
}

/// The changes of the machine during each launch that anchors show, in the order of launches;
/// empty without anchors.
///
/// The medians of each pair are compared with those of the first round. A pair has changed if the
/// largest difference of logarithms exceeds a tenth, and noise with probability 0.001 for all
/// pairs and rounds together (Bonferroni). The noise is the larger of the spread of the readings
/// within rounds and the smallest changes of pairs from round to round. If
/// three quarters of the pairs change, all hosts do; otherwise a processor whose pairs all change.
pub fn condition_changes(samples: &Samples) -> Vec<ConditionChange> {
    let mut by_launch: BTreeMap<u32, BTreeMap<u32, Round>> = BTreeMap::new();
    for Series { experiment, readings } in samples.series() {
        let Experiment::Anchor { i, j, size, round, stage, start } = *experiment else { continue };
        let mut seconds: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for reading in readings.iter().filter(|reading| reading.seconds > Seconds::ZERO) {
            seconds.entry(reading.launch).or_default().push(reading.seconds.get());
        }
        for (launch, seconds) in seconds {
            let start = Seconds::new(start as f64 / 1e9);
            let empty =
                || Round { stage: AnchorStage::of_number(stage), start, times: BTreeMap::new() };
            let of = by_launch.entry(launch).or_default().entry(round).or_insert_with(empty);
            of.times.insert(((i.min(j), i.max(j)), size), (median(&seconds).ln(), seconds.len()));
        }
    }
    let is_anchor = |series: &&Series| matches!(series.experiment, Experiment::Anchor { .. });
    let readings: Vec<Vec<f64>> =
        samples.series().iter().filter(is_anchor).map(Series::seconds).collect();
    let spread = pooled_relative_deviation(readings.iter().map(Vec::as_slice));
    let of_launch = |(launch, rounds): (u32, BTreeMap<u32, Round>)| {
        changes_of(launch, &rounds.into_values().collect::<Vec<_>>(), spread)
    };
    by_launch.into_iter().flat_map(of_launch).collect()
}

/// The change of a pair.
struct PairChange {
    /// The largest difference from the first round, a logarithm.
    difference: f64,
    /// The difference in the last round.
    last: f64,
    /// The first round that has changed by more than half of the difference.
    first: usize,
}

/// The changes during one launch.
fn changes_of(launch: u32, rounds: &[Round], spread: f64) -> Vec<ConditionChange> {
    let Some((first, later)) = rounds.split_first().filter(|(_, later)| !later.is_empty()) else {
        return Vec::new();
    };
    let noise = noise(rounds, spread);
    let tests = (first.times.len() * later.len()) as f64;
    let mut changed: BTreeMap<Pair, PairChange> = BTreeMap::new();
    let mut all: BTreeSet<Pair> = BTreeSet::new();
    let mut p_value = 1.0_f64;
    for (&key, &(reference, readings)) in &first.times {
        all.insert(key.0);
        let difference = |round: &Round| {
            let (time, others) = round.times.get(&key)?;
            let factors = median_variance_factor(readings) + median_variance_factor(*others);
            Some((time - reference, noise * factors.sqrt()))
        };
        let differences: Vec<Option<(f64, f64)>> = later.iter().map(difference).collect();
        let known = differences.iter().flatten();
        let Some(&(largest, deviation)) = known.max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()))
        else {
            continue;
        };
        let p = tests * normal_p_value(largest.abs() / deviation.max(f64::MIN_POSITIVE));
        if largest.abs() < MIN_CHANGE.ln_1p() || p > MAX_PROBABILITY {
            continue;
        }
        p_value = p_value.min(p);
        let has_changed =
            |one: &Option<(f64, f64)>| one.is_some_and(|(value, _)| value / largest > 0.5);
        changed.insert(
            key.0,
            PairChange {
                difference: largest,
                last: differences.iter().rev().flatten().next().map_or(0.0, |one| one.0),
                first: differences.iter().position(has_changed).unwrap_or(0),
            },
        );
    }
    let of = |scope, pairs: &[&PairChange]| {
        let values = |of: fn(&PairChange) -> f64| {
            median(&pairs.iter().map(|pair| of(pair)).collect::<Vec<_>>())
        };
        let place = pairs.iter().map(|pair| pair.first).min().unwrap_or(0);
        let at = |round: usize| (rounds[round].stage, rounds[round].start);
        let difference = values(|pair| pair.difference);
        ConditionChange {
            launch,
            scope,
            ratio: difference.exp(),
            before: at(place),
            after: at(place + 1),
            is_temporary: (values(|pair| pair.last) / difference).abs() < 0.5,
            p_value,
        }
    };
    if changed.is_empty() {
        return Vec::new();
    }
    if all.len() > 1 && changed.len() as f64 >= PART_OF_ALL * all.len() as f64 {
        return vec![of(ChangeScope::All, &changed.values().collect::<Vec<_>>())];
    }
    let mut found = Vec::new();
    let mut left: BTreeSet<Pair> = changed.keys().copied().collect();
    for one in all.iter().flat_map(|&(i, j)| [i, j]).collect::<BTreeSet<_>>() {
        let own: Vec<Pair> = all.iter().copied().filter(|&(i, j)| i == one || j == one).collect();
        if own.len() > 1 && own.iter().all(|pair| changed.contains_key(pair)) {
            let pairs: Vec<&PairChange> = own.iter().map(|pair| &changed[pair]).collect();
            found.push(of(ChangeScope::Processor(one), &pairs));
            own.iter().for_each(|pair| {
                left.remove(pair);
            });
        }
    }
    found.extend(left.into_iter().map(|(i, j)| of(ChangeScope::Link(i, j), &[&changed[&(i, j)]])));
    found
}

/// The standard deviation of a reading, relative to it: the larger of that within rounds and of
/// the one that changes of pairs from round to round show.
///
/// A quarter of the pairs is assumed not to change, or all to change alike: the lower quartile of
/// the steps counts, around 0 or their median.
fn noise(rounds: &[Round], spread: f64) -> f64 {
    let mut steps = Vec::new();
    for two in rounds.windows(2) {
        let step = |(key, (time, readings)): (&(Pair, Bytes), &(f64, usize))| {
            let (before, _) = two[0].times.get(key)?;
            Some((time - before) / (2.0 * median_variance_factor(*readings)).sqrt())
        };
        let of_round: Vec<f64> = two[1].times.iter().filter_map(step).collect();
        if of_round.len() < MIN_PAIRS {
            continue;
        }
        let around = |centre: f64| {
            let mut distances: Vec<f64> =
                of_round.iter().map(|step| (step - centre).abs()).collect();
            distances.sort_by(f64::total_cmp);
            distances[(distances.len() - 1) / 4]
        };
        steps.push(around(0.0).min(around(median(&of_round))));
    }
    // A quarter of normal values is within 0.3186 standard deviations.
    spread.max(if steps.is_empty() { 0.0 } else { median(&steps) / 0.3186 })
}
