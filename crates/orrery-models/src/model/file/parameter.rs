//! A parameter: `{"value", "low", "high", "level", "samples"}`, each a number or an array of the
//! same shape.

use super::error;
use super::warning::UnknownKeys;
use crate::comm::{Index, Shape};
use orrery_base::file::{Fault, Result};
use orrery_base::json::{Layout, Node, Object, list};
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
    /// The extent of a parameter of this shape and index in a model of n processors.
    pub(super) fn of(shape: Shape, index: &Index, n: usize) -> Self {
        match (shape, index) {
            (Shape::Cluster, _) => Self::One,
            (Shape::Processors, _) => Self::Processors(n),
            (Shape::Pairs, _) => Self::Pairs(n),
            (Shape::Sizes, Index::Sizes(sizes)) => Self::Sizes(sizes.len()),
            (Shape::LinkGroups, Index::LinkGroups(groups)) => Self::Groups(groups.len()),
            (Shape::Sizes | Shape::LinkGroups, _) => Self::Sizes(0),
        }
    }

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
        let value = node.number(NUMBER)?;
        if extent != Extent::Signed {
            error::check_not_negative(node, value)?;
        }
        if let Some(Interval { low, high, level }) = interval {
            error::check_inside(node, value, low, high)?;
            error::check_level(ends[2].unwrap_or(node), level)?;
        }
        estimates.push(Estimate { value, interval, samples });
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

/// Returns the interval of one number from its low, high and level; `None` without low and high, an
/// error if only a part is there.
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
    // JSON has neither NaN nor infinity: such a number is refused when the text is read back.
    let number = |value: f64| {
        serde_json::Number::from_f64(value).map_or_else(|| value.to_string(), |n| n.to_string())
    };
    let all = |pick: &dyn Fn(&Estimate) -> Option<String>| {
        let words = estimates.iter().map(|one| pick(one).unwrap_or_else(|| "null".to_owned()));
        Layout::Line(if extent.is_one() { words.collect() } else { list(words) })
    };
    let mut entries = vec![("value".into(), all(&|e| Some(number(e.value))))];
    let mut levels = estimates.iter().filter_map(|e| e.interval).map(|interval| interval.level);
    if let Some(level) = levels.next() {
        entries.push(("low".into(), all(&|e| e.interval.map(|i| number(i.low)))));
        entries.push(("high".into(), all(&|e| e.interval.map(|i| number(i.high)))));
        let same = levels.all(|other| other.to_bits() == level.to_bits());
        let each = || all(&|e| e.interval.map(|i| number(i.level)));
        entries.push(("level".into(), if same { Layout::Line(number(level)) } else { each() }));
    }
    if estimates.iter().any(|e| e.samples.is_some()) {
        let samples = all(&|e| e.samples.map(|samples| samples.to_string()));
        entries.push(("samples".into(), samples));
    }
    Ok(Layout::Object(entries))
}
