//! A parameter: `{"value", "low", "high", "level", "samples"}`, each a number or an array of the
//! same shape.

use super::error;
use super::warning::UnknownKeys;
use orrery_base::file::{Fault, Result};
use orrery_base::json::{Layout, Node, Object};
use orrery_base::numeric::{Estimate, Interval};
use orrery_cluster::platform::Pairs;

/// The number of values of a parameter, by its shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// One value, at least 0.
    One,
    /// One value of any sign.
    Signed,
    /// One value for each of this number of message sizes.
    Sizes(usize),
    /// One value for each of n processors.
    Processors(usize),
    /// One value for each pair of n processors.
    Pairs(usize),
    /// One value for each of this number of link groups.
    Groups(usize),
}

impl Extent {
    /// Returns the number of values.
    pub(super) fn count(self) -> usize {
        match self {
            Self::One | Self::Signed => 1,
            Self::Sizes(n) | Self::Processors(n) | Self::Groups(n) => n,
            Self::Pairs(n) => Pairs::of(n).count(),
        }
    }

    /// Returns true if the parameter is a number instead of an array.
    fn is_one(self) -> bool {
        matches!(self, Self::One | Self::Signed)
    }

    /// Returns the error for an array with `found` entries.
    fn wrong_length(self, found: usize) -> Fault {
        let (each, processors) = match self {
            Self::Sizes(n) => {
                return Fault::new(format!(
                    "the array has {found} entries, but there \
                are {n} sizes; add or remove entries"
                ));
            }
            Self::Groups(n) => {
                return Fault::new(format!(
                    "the array has {found} entries, but the \
                number of groups is {n}; add or remove entries"
                ));
            }
            Self::One | Self::Signed | Self::Processors(0) => ("processors", 0),
            Self::Processors(n) => ("processors", n),
            Self::Pairs(n) => ("pairs", n),
        };
        error::length(found, self.count(), processors, each)
    }
}

/// The keys of a parameter.
const KEYS: [&str; 5] = ["value", "low", "high", "level", "samples"];
/// The keys of a parameter that is a function of the size.
const WITH_SIZE: [&str; 6] = ["size", "value", "low", "high", "level", "samples"];
/// The keys of a parameter of link groups.
const WITH_GROUPS: [&str; 6] = ["groups", "value", "low", "high", "level", "samples"];
/// The expected form of a value.
const NUMBER: &str = "a finite number";
/// The expected form of an end of an interval.
const END: &str = "a finite number, or null without an interval";
/// The expected form of the number of samples.
const COUNT: &str = "a whole number of samples, or null";

/// Reads a parameter; unknown keys are added to `unknown`.
pub(super) fn read(node: Node, extent: Extent, unknown: &mut UnknownKeys) -> Result<Vec<Estimate>> {
    let object = node.object("an object with the key \"value\"")?;
    let keys = match extent {
        Extent::Sizes(_) => &WITH_SIZE[..],
        Extent::Groups(_) => &WITH_GROUPS,
        _ => &KEYS,
    };
    unknown.note_keys(&object, keys);
    let values =
        spread(object.needed("value", "the number, or one for each processor or pair")?, extent)?;
    let optional = |key: &str| object.get(key).map(|node| spread(node, extent)).transpose();
    let (low, high) = (optional("low")?, optional("high")?);
    let (level, samples) = (optional("level")?, optional("samples")?);
    let all = [Some(&values), low.as_ref(), high.as_ref(), level.as_ref(), samples.as_ref()];
    let is_same = all.into_iter().flatten().all(|entries| matches!(entries, Entries::Same(_)));
    let read = if is_same { extent.count().min(1) } else { extent.count() };
    let mut estimates = Vec::with_capacity(read);
    for place in 0..read {
        let node = values.at(place);
        let ends = [at(low.as_ref(), place), at(high.as_ref(), place), at(level.as_ref(), place)];
        let interval = interval(&object, ends)?;
        let samples = at(samples.as_ref(), place).map(|node| node.whole(COUNT)).transpose()?;
        let estimate = Estimate { value: node.number(NUMBER)?, interval, samples };
        check_value(&estimate, extent).map_err(|fault| node.refuse(fault))?;
        let place = ends[2].unwrap_or(node);
        check_level(estimate.interval).map_err(|fault| place.refuse(fault))?;
        estimates.push(estimate);
    }
    if let Some(&estimate) = estimates.first().filter(|_| is_same) {
        estimates.resize(extent.count(), estimate);
    }
    Ok(estimates)
}

/// The nodes of the numbers of a key.
enum Entries<'a> {
    /// The entries of an array.
    Each(Vec<Node<'a>>),
    /// The same number for all.
    Same(Node<'a>),
}

impl<'a> Entries<'a> {
    /// The node of one number.
    fn at(&self, place: usize) -> Node<'a> {
        match self {
            Self::Each(nodes) => nodes[place],
            Self::Same(node) => *node,
        }
    }
}

/// Returns the node of each number: the entries of an array, or the same number for all.
fn spread(node: Node, extent: Extent) -> Result<Entries> {
    if extent.is_one() || !node.is_array() {
        return Ok(Entries::Same(node));
    }
    let entries = node.array(NUMBER)?;
    if entries.len() == extent.count() {
        Ok(Entries::Each(entries))
    } else {
        Err(node.refuse(extent.wrong_length(entries.len())))
    }
}

/// Returns the node of one number; `None` if it is null or missing.
fn at<'a>(nodes: Option<&Entries<'a>>, place: usize) -> Option<Node<'a>> {
    nodes.map(|nodes| nodes.at(place)).filter(|node| !node.is_null())
}

/// Returns the interval of one number from its low, high and level.
fn interval(parameter: &Object, ends: [Option<Node>; 3]) -> Result<Option<Interval>> {
    match ends {
        [None, None, _] => Ok(None),
        [Some(low), Some(high), Some(level)] => {
            let (low, high, level) =
                (low.number(END)?, high.number(END)?, level.number("a level, such as 0.95")?);
            Ok(Some(Interval { low, high, level }))
        }
        [low, high, _] => {
            let missing = if low.is_none() {
                "low"
            } else if high.is_none() {
                "high"
            } else {
                "level"
            };
            let place = low.or(high).unwrap_or(parameter.node);
            Err(place.refuse(format!(
                "an interval has \"low\", \"high\" and \"level\", but here \
                {missing:?} is missing; add it or remove the others"
            )))
        }
    }
}

/// Returns an error if the value of an estimate is invalid in a model.
fn check_value(estimate: &Estimate, extent: Extent) -> Result<()> {
    let value = estimate.value;
    let interval = estimate.interval;
    let ends = interval.iter().flat_map(|i| [i.low, i.high, i.level]);
    if let Some(value) = [value].into_iter().chain(ends).find(|number| !number.is_finite()) {
        return Err(error::not_finite(value));
    }
    if value < 0.0 && extent != Extent::Signed {
        return Err(error::negative(value));
    }
    match interval {
        Some(Interval { low, high, .. }) if value < low || value > high => {
            Err(error::outside(value, low, high))
        }
        _ => Ok(()),
    }
}

/// Returns an error if the level of an interval is not between 0 and 1.
fn check_level(interval: Option<Interval>) -> Result<()> {
    match interval {
        Some(Interval { level, .. }) if level <= 0.0 || level >= 1.0 => Err(error::level(level)),
        _ => Ok(()),
    }
}

/// Lays out a parameter. An error includes its path within the parameter.
pub(super) fn write(estimates: &[Estimate], extent: Extent) -> Result<Layout> {
    if estimates.len() != extent.count() {
        let processors = match extent {
            Extent::One | Extent::Signed => 1,
            Extent::Sizes(n) | Extent::Processors(n) | Extent::Pairs(n) | Extent::Groups(n) => n,
        };
        let fault = error::shape(estimates.len(), extent.count(), processors);
        return Err(fault.within(String::new()));
    }
    for (place, estimate) in estimates.iter().enumerate() {
        let place = || if extent.is_one() { ".value".into() } else { format!(".value[{place}]") };
        check_value(estimate, extent)
            .and_then(|()| check_level(estimate.interval))
            .map_err(|fault| fault.within(place()))?;
    }
    let line = |numbers: Vec<Option<serde_json::Number>>| {
        let words: Vec<_> =
            numbers.into_iter().map(|n| n.map_or("null".into(), |n| n.to_string())).collect();
        if extent.is_one() {
            Layout::Line(words.concat())
        } else {
            Layout::Line(format!("[{}]", words.join(", ")))
        }
    };
    let all = |pick: &dyn Fn(&Estimate) -> Option<f64>| {
        line(estimates.iter().map(|e| pick(e).and_then(serde_json::Number::from_f64)).collect())
    };
    let mut entries = vec![("value".into(), all(&|e| Some(e.value)))];
    let mut levels = estimates.iter().filter_map(|e| e.interval).map(|interval| interval.level);
    if let Some(level) = levels.next() {
        entries.push(("low".into(), all(&|e| e.interval.map(|i| i.low))));
        entries.push(("high".into(), all(&|e| e.interval.map(|i| i.high))));
        let same = levels.all(|other| other.to_bits() == level.to_bits());
        let one =
            serde_json::Number::from_f64(level).map_or("null".into(), |level| level.to_string());
        let level = if same { Layout::Line(one) } else { all(&|e| e.interval.map(|i| i.level)) };
        entries.push(("level".into(), level));
    }
    if estimates.iter().any(|e| e.samples.is_some()) {
        entries.push((
            "samples".into(),
            line(estimates.iter().map(|e| e.samples.map(Into::into)).collect()),
        ));
    }
    Ok(Layout::Object(entries))
}
