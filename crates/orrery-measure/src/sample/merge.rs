//! One set of samples out of several launches or parts of a campaign.

use std::collections::{BTreeMap, BTreeSet};

use super::{Experiment, Provenance, Sample, Samples};
use orrery_program::schedule::Timing;

/// A set of samples merged from several.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    /// All readings, with launches numbered in the order of the parts.
    pub samples: Samples,
    /// The number of launches.
    pub launches: usize,
    /// The number of readings that are in several parts and count once.
    pub duplicates: usize,
}

/// The collective operations of a part are timed by another method than those before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "its collectives are timed by {found}, those before it by {expected}; leave it out, and merge \
        those of each timing method by themselves"
)]
pub struct OtherTiming {
    /// The index of the part.
    pub part: usize,
    /// Its timing method.
    pub found: Timing,
    /// That of the parts before it.
    pub expected: Timing,
}

/// The key of the hosts of processors.
const HOSTS: &str = "hosts";

/// The key of the provenance of one launch.
const LAUNCH: &str = "launch";

impl Provenance {
    /// The value of a key for one launch: that of `launch-N KEY`, otherwise that of the whole file;
    /// `None` without either.
    pub fn of_launch(&self, launch: u32, key: &str) -> Option<&str> {
        self.get(&launch_key(launch, key)).or_else(|| self.get(key))
    }
}

/// The key of the provenance that holds the value of `key` for one launch.
fn launch_key(launch: u32, key: &str) -> String {
    format!("{LAUNCH}-{launch} {key}")
}

/// The launch and the key of an entry `launch-N KEY`; `None` for other entries.
fn of_launch_key(entry: &str) -> Option<(u32, &str)> {
    let (launch, key) = entry.strip_prefix(LAUNCH)?.strip_prefix('-')?.split_once(' ')?;
    Some((launch.parse().ok()?, key))
}

/// The readings of one launch by experiment and repetition.
type Launch = BTreeMap<(Experiment, u32), Vec<f64>>;

/// A launch of the merged samples.
struct Known<'a> {
    /// Its number in its own part.
    number: u32,
    /// The number of its part.
    part: usize,
    readings: Launch,
    provenance: &'a Provenance,
}

/// Merges parts of one campaign, such as launches on several days; each part is a samples file.
///
/// - **Launches** are numbered anew in the order of the parts. A launch that is in several parts,
///   as after copying a file that then grew, counts once: it has the same number in both, and all
///   common repetitions agree exactly.
/// - **Provenance** is what all launches have in common, with the hosts of all processors. Other
///   entries are kept for each launch under `launch-N KEY`.
///
/// Hosts are not compared; see [`Provenance::machine_differences`].
///
/// # Errors
///
/// When collective operations are timed by different methods.
///
/// ```
/// use orrery_cluster::platform::Processor;
/// use orrery_measure::sample::{Experiment, Provenance, Sample, Samples, merge};
/// use orrery_base::units::{Bytes, Seconds};
/// let experiment = Experiment::RoundTrip { i: Processor(0), j: Processor(1), size: Bytes::ZERO, reply: Bytes::ZERO };
/// let of = |date: &str, time| {
///     let mut samples = Samples::new(Provenance::new().with("date", date));
///     samples.push(Sample { experiment, launch: 0, rep: 0, seconds: Seconds::new(time) });
///     samples
/// };
/// let (monday, tuesday) = (of("Monday", 1e-6), of("Tuesday", 2e-6));
/// let merged = merge(&[monday.clone(), tuesday, monday])?;
/// assert_eq!((merged.launches, merged.duplicates), (2, 1));
/// assert_eq!(merged.samples.provenance.of_launch(1, "date"), Some("Tuesday"));
/// # Ok::<(), orrery_measure::sample::OtherTiming>(())
/// ```
pub fn merge(parts: &[Samples]) -> Result<Merged, OtherTiming> {
    let mut timing: Option<Timing> = None;
    let (mut launches, mut duplicates): (Vec<Known>, usize) = (Vec::new(), 0);
    for (part, samples) in parts.iter().enumerate() {
        if samples.has_collectives() {
            let found = samples.provenance.timing();
            let expected = *timing.get_or_insert(found);
            if found != expected {
                return Err(OtherTiming { part, found, expected });
            }
        }
        for (number, readings) in launches_of(samples) {
            let same = launches.iter_mut().find(|known| known.is_same(part, number, &readings));
            let Some(known) = same else {
                launches.push(Known { number, part, readings, provenance: &samples.provenance });
                continue;
            };
            for (key, times) in readings {
                let twice = known.readings.get(&key).map_or(0, Vec::len);
                duplicates += twice.min(times.len());
                if times.len() > twice {
                    known.readings.insert(key, times);
                }
            }
        }
    }
    let mut provenance = head(parts, &launches, timing);
    for (number, known) in (0..).zip(&launches) {
        for (key, value) in known.entries() {
            // Further processors of other parts are not another value.
            let is_common =
                |common: &str| common == value || key == HOSTS && common.starts_with(value);
            if !provenance.get(key).is_some_and(is_common) {
                provenance.set(launch_key(number, key), value);
            }
        }
    }
    let mut samples = Samples::new(provenance);
    for (launch, known) in (0..).zip(&launches) {
        for (&(experiment, rep), times) in &known.readings {
            for &seconds in times {
                samples.push(Sample {
                    experiment,
                    launch,
                    rep,
                    seconds: orrery_base::units::Seconds::new(seconds),
                });
            }
        }
    }
    Ok(Merged { samples, launches: launches.len(), duplicates })
}

/// The launches of samples in ascending order.
fn launches_of(samples: &Samples) -> BTreeMap<u32, Launch> {
    let mut launches: BTreeMap<u32, Launch> = BTreeMap::new();
    for Sample { experiment, launch, rep, seconds } in samples.iter() {
        launches
            .entry(launch)
            .or_default()
            .entry((experiment, rep))
            .or_default()
            .push(seconds.get());
    }
    launches
}

/// The provenance of all launches: entries that are equal for all of them, the timing method, and
/// the hosts.
fn head(parts: &[Samples], launches: &[Known], timing: Option<Timing>) -> Provenance {
    let mut head = Provenance::new();
    let Some(first) = parts.first() else { return head };
    for (key, value) in first.provenance.iter().filter(|(key, _)| of_launch_key(key).is_none()) {
        let is_common =
            |known: &Known| known.provenance.of_launch(known.number, key) == Some(value);
        if key == HOSTS || launches.iter().all(is_common) {
            head.set(key, value);
        }
    }
    parts.iter().for_each(|part| head.add_hosts(&part.provenance));
    if let Some(timing) = timing {
        head.set("timing", timing.description());
    }
    head
}

impl Known<'_> {
    /// Returns true if this launch is that of another part with this number: they have common
    /// repetitions, and all of these agree exactly.
    fn is_same(&self, part: usize, number: u32, readings: &Launch) -> bool {
        if self.part == part || self.number != number {
            return false;
        }
        let common: Vec<bool> = readings
            .iter()
            .filter_map(|(key, times)| {
                let known = self.readings.get(key)?;
                let shorter = known.len().min(times.len());
                let bits = |times: &[f64]| {
                    times[..shorter].iter().map(|time| time.to_bits()).collect::<Vec<_>>()
                };
                Some(bits(known) == bits(times))
            })
            .collect();
        !common.is_empty() && common.iter().all(|same| *same)
    }

    /// The entries of the provenance that describe this launch.
    fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        let key = |entry| match of_launch_key(entry) {
            Some((launch, key)) => (launch == self.number).then_some(key),
            None => Some(entry),
        };
        let keys: BTreeSet<&str> =
            self.provenance.iter().filter_map(|(entry, _)| key(entry)).collect();
        keys.into_iter().filter_map(|key| Some((key, self.provenance.of_launch(self.number, key)?)))
    }
}
