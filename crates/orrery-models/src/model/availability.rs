//! The part of a processor that other programs leave to a process, by host.

use orrery_base::names::advice;
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use super::{LoadDoubt, Model};
use orrery_cluster::platform::Processor;

/// The availability of processors: the part a of a processor that other programs leave to each
/// process of a host, 0 < a ≤ 1.
///
/// A kernel takes T/a instead of T \[s\]. This holds if the system divides the processor into
/// slices that are short compared with a call, and if the other programs neither evict caches nor
/// fill the memory bus. Messages take their time without load: copies and system calls of a loaded
/// host take longer, which is not predicted.
///
/// ```
/// use orrery_models::model::Availability;
/// let availability: Availability = "0.9,n1=0.5".parse()?;
/// assert_eq!((availability.of("n1"), availability.of("n2")), (0.5, 0.9));
/// assert_eq!(Availability::default().of("n1"), 1.0);
/// assert!("n1=1.5".parse::<Availability>().is_err());
/// # Ok::<(), orrery_models::model::AvailabilityError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Availability {
    others: Part,
    hosts: BTreeMap<String, Part>,
    /// Why the parts of hosts are doubtful.
    doubts: BTreeMap<String, LoadDoubt>,
}

/// The processors that a choice may take, and the hosts that it leaves out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Candidates {
    /// The processors in ascending order.
    pub processors: Vec<Processor>,
    /// The hosts whose load is not known now, each with the reason.
    pub excluded: Vec<(String, LoadDoubt)>,
}

/// The part of a processor, with the ends of its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Part {
    value: f64,
    low: f64,
    high: f64,
}

impl Part {
    /// A part that is known.
    ///
    /// # Errors
    ///
    /// When it is not above 0 and at most 1.
    fn exact(value: f64) -> Result<Self, AvailabilityError> {
        if value > 0.0 && value <= 1.0 {
            Ok(Self { value, low: value, high: value })
        } else {
            Err(AvailabilityError(format!(
                "an availability of {value}; it is the part of a processor, above 0 and at most 1, \
                    such as 0.5"
            )))
        }
    }
}

/// The least part that a forecast counts as: shares of the scheduler are not smaller, and times
/// remain finite.
pub const MIN_FORECAST_PART: f64 = 0.01;

/// The reason why an availability is not valid, with what is allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AvailabilityError(String);

impl Default for Availability {
    /// Returns the availability of idle hosts: 1.
    fn default() -> Self {
        Self {
            others: Part { value: 1.0, low: 1.0, high: 1.0 },
            hosts: BTreeMap::new(),
            doubts: BTreeMap::new(),
        }
    }
}

impl Availability {
    /// Returns the same availability for all hosts.
    ///
    /// # Errors
    ///
    /// When the part is not above 0 and at most 1.
    pub fn of_all(part: f64) -> Result<Self, AvailabilityError> {
        Ok(Self { others: Part::exact(part)?, ..Self::default() })
    }

    /// Returns the availability with another part for one host.
    ///
    /// # Errors
    ///
    /// When the part is not above 0 and at most 1.
    pub fn with(mut self, host: impl Into<String>, part: f64) -> Result<Self, AvailabilityError> {
        self.hosts.insert(host.into(), Part::exact(part)?);
        Ok(self)
    }

    /// Returns the availability with a forecast part for one host, and the ends of its prediction
    /// interval. Values below [`MIN_FORECAST_PART`] count as this part, those above 1 as 1. Without
    /// an interval, the part has the doubt [`LoadDoubt::FewSamples`].
    #[must_use]
    pub fn with_forecast(
        mut self,
        host: impl Into<String>,
        value: f64,
        interval: Option<(f64, f64)>,
    ) -> Self {
        let [value, low, high] =
            [value, interval.map_or(value, |ends| ends.0), interval.map_or(value, |ends| ends.1)]
                .map(|part| part.clamp(MIN_FORECAST_PART, 1.0));
        let host = host.into();
        if interval.is_none() {
            self.doubts.insert(host.clone(), LoadDoubt::FewSamples);
        }
        self.hosts.insert(host, Part { value, low: low.min(value), high: high.max(value) });
        self
    }

    /// Returns the availability with a host whose load is not known now: it counts as idle, and its
    /// interval reaches down to [`MIN_FORECAST_PART`].
    #[must_use]
    pub fn with_unknown(mut self, host: impl Into<String>, doubt: LoadDoubt) -> Self {
        let host = host.into();
        self.doubts.insert(host.clone(), doubt);
        self.hosts.insert(host, Part { value: 1.0, low: MIN_FORECAST_PART, high: 1.0 });
        self
    }

    /// The reason to doubt the part of a host; `None` if there is none.
    pub fn doubt(&self, host: &str) -> Option<LoadDoubt> {
        self.doubts.get(host).copied()
    }

    /// The reason why the load of a host is not known now; `None` if it is known.
    pub fn unknown(&self, host: &str) -> Option<LoadDoubt> {
        self.doubt(host).filter(LoadDoubt::is_unknown)
    }

    /// The processors of a model that a choice may take: those of hosts whose load is known now, or
    /// all of them with `unmonitored`.
    pub fn candidates(&self, model: &Model, unmonitored: bool) -> Candidates {
        let mut candidates = Candidates::default();
        let mut excluded = BTreeMap::new();
        for processor in Processor::first(model.processors()) {
            let host = model.hosts.get(processor.index()).map_or("", String::as_str);
            match self.unknown(host).filter(|_| !unmonitored) {
                Some(doubt) => drop(excluded.insert(host.to_owned(), doubt)),
                None => candidates.processors.push(processor),
            }
        }
        candidates.excluded = excluded.into_iter().collect();
        candidates
    }

    /// The part of a processor for a process on a host.
    pub fn of(&self, host: &str) -> f64 {
        self.part(host).value
    }

    /// The interval of the part for a process on a host: the lower and the upper end, equal if it
    /// is known.
    pub fn interval(&self, host: &str) -> (f64, f64) {
        let part = self.part(host);
        (part.low, part.high)
    }

    /// The part of a host; that of all others, if the host has none of its own.
    fn part(&self, host: &str) -> Part {
        self.hosts.get(host).copied().unwrap_or(self.others)
    }

    /// Checks that a model has all hosts with a part of their own, as hosts of processors or of
    /// kernels.
    ///
    /// # Errors
    ///
    /// When it does not have one of them.
    pub fn check(&self, model: &Model) -> Result<(), AvailabilityError> {
        let known = model.host_names();
        let Some(host) = self.hosts.keys().find(|host| !known.contains(host.as_str())) else {
            return Ok(());
        };
        let advice = if known.is_empty() {
            "it has no hosts with names".to_owned()
        } else {
            advice(host, "its hosts", known)
        };
        Err(AvailabilityError(format!("the model has no host {host:?}; {advice}")))
    }
}

impl Model {
    /// The names of the hosts of processors and kernels.
    pub(crate) fn host_names(&self) -> BTreeSet<&str> {
        let of_kernels = self
            .kernels
            .iter()
            .flat_map(|one| one.equal_hosts.iter().chain([&one.conditions.host]));
        let all = self.hosts.iter().chain(of_kernels).map(String::as_str);
        all.filter(|host| !host.is_empty()).collect()
    }
}

impl FromStr for Availability {
    type Err = AvailabilityError;

    /// Parses parts separated by commas: `host=part`, and at most one without a host for all other
    /// hosts.
    fn from_str(text: &str) -> Result<Self, AvailabilityError> {
        let twice =
            |what: &str| AvailabilityError(format!("{what} has two availabilities; give one"));
        let mut parsed = Self::default();
        let mut has_others = false;
        for word in text.split(',').map(str::trim) {
            let (host, part) = match word.rsplit_once('=') {
                Some((host, part)) => {
                    (Some(host.trim()).filter(|host| !host.is_empty()), part.trim())
                }
                None => (None, word),
            };
            let is_wrong = host.is_none() && word.contains('=');
            let part = part.parse().ok().filter(|_| !is_wrong);
            let part = Part::exact(part.ok_or_else(|| {
                AvailabilityError(format!(
                    "'{word}' is no availability; write a part of a processor, or one for each \
                        host: 0.5, or n1=0.5,n3=0.8"
                ))
            })?)?;
            match host {
                Some(host) if parsed.hosts.insert(host.to_owned(), part).is_some() => {
                    return Err(twice(host));
                }
                Some(_) => {}
                None if std::mem::replace(&mut has_others, true) => {
                    return Err(twice("the part of all hosts"));
                }
                None => parsed.others = part,
            }
        }
        Ok(parsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use orrery_base::units::Seconds;

    #[test]
    fn texts_are_parts_with_or_without_hosts() {
        let words = |text: &str| text.parse::<Availability>().unwrap_err().to_string();
        assert_eq!("0.5".parse(), Availability::of_all(0.5));
        assert_eq!("a=0.5, 1".parse(), Availability::default().with("a", 0.5));
        assert!(words("0").starts_with("an availability of 0;"));
        assert!(words("a=NaN").starts_with("an availability of NaN;"));
        assert!(words("a=0.5,b").starts_with("'b' is no availability"));
        assert!(words("=0.5").starts_with("'=0.5' is no availability"));
        assert!(words("").starts_with("'' is no availability"));
        assert_eq!(words("a=0.5,a=0.6"), "a has two availabilities; give one");
        assert_eq!(words("0.5,0.6"), "the part of all hosts has two availabilities; give one");
    }

    #[test]
    fn forecasts_have_intervals() {
        let availability = Availability::default()
            .with_forecast("a", 0.5, Some((-0.1, 1.2)))
            .with_forecast("b", 0.7, None);
        assert_eq!(
            (availability.of("a"), availability.interval("a")),
            (0.5, (MIN_FORECAST_PART, 1.0))
        );
        assert_eq!(
            (availability.interval("b"), availability.interval("c")),
            ((0.7, 0.7), (1.0, 1.0))
        );
    }

    #[test]
    fn hosts_with_unknown_load_have_the_widest_interval_and_are_no_candidates() {
        let stale = LoadDoubt::Stale { age: Seconds::new(20.0) };
        let availability = Availability::default()
            .with_forecast("a", 0.5, Some((0.4, 0.6)))
            .with_forecast("b", 0.5, None)
            .with_unknown("c", stale);
        assert_eq!(
            (availability.of("c"), availability.interval("c")),
            (1.0, (MIN_FORECAST_PART, 1.0))
        );
        let doubts = ["a", "b", "c"].map(|host| availability.doubt(host));
        assert_eq!(doubts, [None, Some(LoadDoubt::FewSamples), Some(stale)]);
        let hosts = ["c", "a", "b", "c"].map(String::from).to_vec();
        let model = Model { hosts, ..Model::new(4) };
        let candidates = availability.candidates(&model, false);
        assert_eq!(candidates.processors, [Processor(1), Processor(2)]);
        assert_eq!(candidates.excluded, [("c".to_owned(), stale)]);
        assert_eq!(availability.candidates(&model, true).processors.len(), 4);
    }

    #[test]
    fn hosts_are_those_of_the_model() {
        let model = Model { hosts: vec!["a".into(), "b".into(), "a".into()], ..Model::default() };
        let check = |text: &str| text.parse::<Availability>().unwrap().check(&model);
        assert_eq!((check("0.5"), check("a=0.5,b=1")), (Ok(()), Ok(())));
        assert_eq!(
            check("c=0.5").unwrap_err().to_string(),
            "the model has no host \"c\"; its hosts are a, b"
        );
    }
}
