//! Numbers of processors.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use rustix::thread::{CpuSet, sched_getaffinity};

use super::error::SensorError;

/// A set of processors of a host, by their numbers: `0-3,8`.
///
/// ```
/// use orrery_monitor::sensor::Cpus;
/// let cpus: Cpus = "0-2,8".parse()?;
/// assert_eq!(cpus.iter().collect::<Vec<_>>(), [0, 1, 2, 8]);
/// assert_eq!(cpus.to_string(), "0-2,8");
/// assert!("3-1".parse::<Cpus>().is_err());
/// # Ok::<(), orrery_monitor::sensor::SensorError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cpus(BTreeSet<usize>);

impl Cpus {
    /// The processors that this process may use.
    ///
    /// # Errors
    ///
    /// Returns an error if the system does not answer.
    pub fn allowed() -> Result<Self, SensorError> {
        let set = sched_getaffinity(None)
            .map_err(|reason| SensorError::Affinity { reason: reason.into() })?;
        Ok(Self((0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).collect()))
    }

    /// The processors that are in use on this host, in the order of `/proc/stat`.
    pub(super) fn online(sys: &Path) -> Result<Self, SensorError> {
        let path = sys.join("devices/system/cpu/online");
        let text = std::fs::read_to_string(&path)
            .map_err(|reason| SensorError::Read { path, reason: reason.to_string() })?;
        text.trim().parse()
    }

    /// The numbers in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().copied()
    }

    /// The number of processors, at least 1.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The set in the form of the system.
    pub(super) fn affinity(&self) -> CpuSet {
        let mut set = CpuSet::new();
        self.iter().for_each(|cpu| set.set(cpu));
        set
    }
}

impl FromStr for Cpus {
    type Err = SensorError;

    fn from_str(text: &str) -> Result<Self, SensorError> {
        let fail = || SensorError::Cpus { text: text.chars().take(80).collect() };
        let number = |text: &str| {
            let number: Option<usize> = text.trim().parse().ok();
            number.filter(|number| *number < CpuSet::MAX_CPU).ok_or_else(fail)
        };
        let mut cpus = BTreeSet::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (number(first)?, number(last)?);
            if first > last {
                return Err(fail());
            }
            cpus.extend(first..=last);
        }
        Ok(Self(cpus))
    }
}

impl fmt::Display for Cpus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for cpu in self.iter() {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == cpu => *last = cpu,
                _ => ranges.push((cpu, cpu)),
            }
        }
        for (at, (first, last)) in ranges.iter().enumerate() {
            f.write_str(if at > 0 { "," } else { "" })?;
            if first == last { write!(f, "{first}")? } else { write!(f, "{first}-{last}")? }
        }
        Ok(())
    }
}
