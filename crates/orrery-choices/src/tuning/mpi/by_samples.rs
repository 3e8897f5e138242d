//! Rules by measured times of collective operations.

use std::collections::{BTreeMap, BTreeSet};

use super::Target;
use super::rules::{CommunicatorRules, Compared, Reason, by_size, size_independent};
use orrery_base::file::Fault;
use orrery_base::numeric::{median, shift, shift_has_interval, shift_sample_size};
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::Processor;
use orrery_measure::sample::{Experiment, LibraryAlgorithm, Samples};
use orrery_program::schedule::CollectiveKind;

/// The number of launches from which their medians are compared; readings of fewer launches are
/// compared themselves.
pub const MIN_LAUNCHES: usize = 4;

/// The confidence level of all algorithms of a point together.
const LEVEL: f64 = 0.95;

/// The rules by samples.
#[derive(Debug, Clone, PartialEq)]
pub struct BySamples {
    /// The rules, ascending by operation and number of processes.
    pub rules: Vec<CommunicatorRules>,
    /// The smallest number of launches that two algorithms have in common. Below [`MIN_LAUNCHES`],
    /// differences between launches are not part of the intervals.
    pub launches: usize,
    /// What is missing where an algorithm has too few launches for any interval; `None` if all have
    /// enough.
    pub too_few: Option<TooFewLaunches>,
    /// True if operations with a root were measured with one root only.
    pub one_root: bool,
}

/// Algorithms that can replace nothing, because no interval of the needed level can exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TooFewLaunches {
    /// The number of launches from which intervals exist.
    pub needed: usize,
    /// The number of launches that there are: the smallest one where this many are needed.
    pub launches: usize,
    /// The number of algorithms that are compared at such a point.
    pub algorithms: usize,
}

/// The readings of a call, by launch.
type Readings = BTreeMap<u32, Vec<f64>>;

/// The rules by measured times of the library's algorithms and of its own choice, which are
/// compared at each size with each root.
///
/// An algorithm replaces the own choice at measured sizes where, for each root, the interval of the
/// ratio of their times excludes that it is slower: by the medians of launches, or by the readings
/// of fewer than [`MIN_LAUNCHES`] launches. The level of the intervals is 95 % for all algorithms
/// of a point together. Where the own choice was not measured nothing is replaced.
///
/// # Errors
///
/// When no algorithm of the library was forced.
pub fn by_samples(samples: &Samples, target: Target) -> Result<BySamples, Fault> {
    let mut points: BTreeMap<(CollectiveKind, usize), BTreeMap<Bytes, Point>> = BTreeMap::new();
    let mut libraries = BTreeSet::new();
    for series in samples.in_order() {
        let Experiment::Native { kind, algorithm, root, procs, size } = series.experiment else {
            continue;
        };
        libraries.extend(algorithm.map(|forced| forced.library));
        let point = points.entry((kind, procs)).or_default().entry(size).or_default();
        let readings = match algorithm {
            None => point.own.entry(root).or_default(),
            Some(forced)
                if forced.library == target.library()
                    && target.can_name(kind, forced.algorithm) =>
            {
                point.forced.entry(forced.algorithm).or_default().entry(root).or_default()
            }
            Some(_) => continue,
        };
        for reading in &series.readings {
            readings.entry(reading.launch).or_default().push(reading.seconds.get());
        }
    }
    points.retain(|_, sizes| sizes.values().any(|point| !point.forced.is_empty()));
    if points.is_empty() {
        let names: Vec<&str> = libraries.iter().map(|library| library.name()).collect();
        let found = if names.is_empty() {
            String::new()
        } else {
            format!(", but those of {}", names.join(", "))
        };
        let library = target.library();
        return Err(Fault::new(format!(
            "no algorithm of {library} was forced in these samples{found}; measure its operations \
                with forced algorithms, or import results of benchmarks in which they were forced"
        )));
    }
    let mut answer =
        BySamples { rules: Vec::new(), launches: usize::MAX, too_few: None, one_root: false };
    for ((kind, procs), sizes) in &points {
        let compared: Vec<Compared> =
            sizes.iter().map(|(size, point)| point.compared(*size)).collect();
        answer.launches =
            sizes.values().flat_map(Point::launches).fold(answer.launches, usize::min);
        for too_few in sizes.values().filter_map(Point::too_few) {
            let is_worse = |other: TooFewLaunches| {
                too_few.needed > other.needed
                    || too_few.needed == other.needed && too_few.launches < other.launches
            };
            if answer.too_few.is_none_or(is_worse) {
                answer.too_few = Some(too_few);
            }
        }
        answer.one_root |=
            kind.has_root() && *procs > 1 && sizes.values().any(|point| point.own.len() < 2);
        let rules = if target.is_size_independent(*kind) { size_independent } else { by_size };
        answer.rules.push(rules(*kind, *procs, &compared));
    }
    answer.rules.sort_by_key(|one| (one.operation, one.procs));
    Ok(answer)
}

/// The readings at a size.
#[derive(Debug, Default)]
struct Point {
    /// Of the library's own choice, by root.
    own: BTreeMap<Processor, Readings>,
    /// Of forced algorithms, by root.
    forced: BTreeMap<LibraryAlgorithm, BTreeMap<Processor, Readings>>,
}

impl Point {
    /// The algorithms that are faster than the own choice.
    fn compared(&self, size: Bytes) -> Compared {
        let level = self.level();
        let mut faster = Vec::new();
        for (&algorithm, by_root) in &self.forced {
            let roots = self.own.iter().map(|(root, own)| {
                by_root.get(root).and_then(|forced| compare(own, forced, level))
            });
            let Some(all) = roots.collect::<Option<Vec<_>>>().filter(|all| !all.is_empty()) else {
                continue;
            };
            let mean = |times: &dyn Fn(&(f64, f64, f64)) -> f64| {
                all.iter().map(times).sum::<f64>() / all.len() as f64
            };
            let saved = all.iter().map(|(_, _, saved)| *saved).fold(f64::INFINITY, f64::min);
            if saved > 0.0 {
                let (seconds, default) =
                    (Seconds::new(mean(&|one| one.0)), Seconds::new(mean(&|one| one.1)));
                faster.push((algorithm, Reason::Faster { seconds, default, saved }));
            }
        }
        let seconds = |reason: &Reason| match reason {
            Reason::Faster { seconds, .. } => seconds.get(),
            _ => f64::INFINITY,
        };
        faster.sort_by(|(_, a), (_, b)| seconds(a).total_cmp(&seconds(b)));
        let otherwise = if self.own.is_empty() { Reason::UnknownDefault } else { Reason::Default };
        Compared { size, default: None, faster, otherwise }
    }

    /// The level of the interval of each algorithm.
    fn level(&self) -> f64 {
        1.0 - (1.0 - LEVEL) / self.forced.len().max(1) as f64
    }

    /// The readings of the own choice and of each algorithm with the same root.
    fn pairs(&self) -> impl Iterator<Item = (&Readings, &Readings)> {
        self.own.iter().flat_map(|(root, own)| {
            let forced = self.forced.values().filter_map(move |by_root| by_root.get(root));
            forced.map(move |forced| (own, forced))
        })
    }

    /// The numbers of launches that the own choice and each algorithm have in common.
    fn launches(&self) -> impl Iterator<Item = usize> {
        self.pairs().map(|(own, forced)| common_launches(own, forced).len())
    }

    /// The launches that are missing where no interval can exist; `None` if all comparisons have
    /// one.
    fn too_few(&self) -> Option<TooFewLaunches> {
        let level = self.level();
        let without = self.pairs().filter(|(own, forced)| {
            let common = common_launches(own, forced);
            !shift_has_interval(values(own, &common).len(), values(forced, &common).len(), level)
        });
        let launches = without.map(|(own, forced)| common_launches(own, forced).len()).min()?;
        let needed = shift_sample_size(level).max(MIN_LAUNCHES);
        Some(TooFewLaunches { needed, launches, algorithms: self.forced.len() })
    }
}

/// The launches with readings of both.
fn common_launches(own: &Readings, forced: &Readings) -> Vec<u32> {
    own.keys().filter(|launch| forced.contains_key(launch)).copied().collect()
}

/// The values that are compared: the medians of the common launches, or the readings of fewer than
/// [`MIN_LAUNCHES`].
fn values(readings: &Readings, common: &[u32]) -> Vec<f64> {
    let of_launches = common.iter().filter_map(|launch| readings.get(launch));
    if common.len() >= MIN_LAUNCHES {
        of_launches.map(|times| median(times)).collect()
    } else {
        of_launches.flatten().copied().collect()
    }
}

/// The medians of an algorithm and of the own choice, and the smallest part of its time that is
/// saved, by the lower end of the interval of this level; `None` if there are too few readings, or
/// one is 0.
fn compare(own: &Readings, forced: &Readings, level: f64) -> Option<(f64, f64, f64)> {
    let common = common_launches(own, forced);
    let (own, forced) = (values(own, &common), values(forced, &common));
    if own.iter().chain(&forced).any(|seconds| *seconds <= 0.0) {
        return None;
    }
    let logs = |times: &[f64]| times.iter().map(|seconds| seconds.ln()).collect::<Vec<f64>>();
    let (_, interval) = shift(&logs(&forced), &logs(&own), level)?;
    let (low, _) = interval?;
    Some((median(&forced), median(&own), 1.0 - (-low).exp()))
}
