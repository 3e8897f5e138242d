//! A model of measured hosts, extended to others of the same classes.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Discrepancy, Model, ModelKind};
use crate::comm::{ParameterSet, Shape};
use orrery_base::numeric::{Estimate, student_quantile};
use orrery_cluster::platform::{Pairs, Processor};

/// The key of the provenance of samples of some hosts of each class, with the [`HostClasses`] as
/// text.
pub const ALL_HOSTS: &str = "all-hosts";

/// The level of intervals where no estimate of a class has one.
const LEVEL: f64 = 0.95;

/// All hosts of a cluster, each with the number of its class of equal hosts.
///
/// As text, hosts are joined by spaces, each with its class:
///
/// ```
/// use orrery_models::model::HostClasses;
/// let classes: HostClasses = "n1=1 n2=1 n3=1 n4=2".parse()?;
/// assert_eq!((classes.hosts().count(), classes.class_of("n4")), (4, Some(2)));
/// assert_eq!(classes.to_string(), "n1=1 n2=1 n3=1 n4=2");
/// # Ok::<(), orrery_models::model::HostClassesError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostClasses(Vec<(String, usize)>);

/// Why a model cannot be extended to the hosts of its classes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HostClassesError {
    /// The text of the classes is not one.
    #[error("{0:?} is no host with its class; write NAME=NUMBER, such as n1=1")]
    Word(String),
    /// A measured host is in no class.
    #[error("the measured host {0:?} is in no class; add it to its class")]
    NoClass(String),
    /// No host of a class was measured.
    #[error("no host of class {0} was measured; measure one of them")]
    NotMeasured(usize),
    /// The links within a class, or between two, are not known.
    #[error(
        "no link between hosts of the classes {0} and {1} was measured; measure at least two hosts \
            of a class"
    )]
    NoLink(usize, usize),
}

impl HostClasses {
    /// These hosts with the numbers of their classes.
    pub fn new(hosts: Vec<(String, usize)>) -> Self {
        Self(hosts)
    }

    /// The names of the hosts.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The number of the class of a host; `None` if the host is unknown.
    pub fn class_of(&self, host: &str) -> Option<usize> {
        self.0.iter().find(|(name, _)| name == host).map(|(_, class)| *class)
    }
}

impl fmt::Display for HostClasses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (name, class)) in self.0.iter().enumerate() {
            write!(f, "{}{name}={class}", if number > 0 { " " } else { "" })?;
        }
        Ok(())
    }
}

impl FromStr for HostClasses {
    type Err = HostClassesError;

    fn from_str(text: &str) -> Result<Self, HostClassesError> {
        let host = |word: &str| {
            let both = word
                .rsplit_once('=')
                .and_then(|(name, class)| Some((name.to_owned(), class.parse().ok()?)));
            both.filter(|(name, _)| !name.is_empty())
                .ok_or_else(|| HostClassesError::Word(word.to_owned()))
        };
        text.split_whitespace().map(host).collect::<Result<_, _>>().map(Self)
    }
}

/// The classes of all processors, of which the first were measured.
struct Extension {
    classes: Vec<usize>,
    measured: usize,
}

impl Extension {
    /// The estimates of processors: own ones, or the mean of their class.
    fn processors(&self, values: &[Estimate]) -> Result<Vec<Estimate>, HostClassesError> {
        let mut of_class: BTreeMap<usize, Vec<Estimate>> = BTreeMap::new();
        for (value, class) in values.iter().zip(&self.classes) {
            of_class.entry(*class).or_default().push(*value);
        }
        let of = |(processor, class): (usize, &usize)| match values.get(processor) {
            Some(own) => Ok(*own),
            None => of_class
                .get(class)
                .map(|all| of_another(all))
                .ok_or(HostClassesError::NotMeasured(*class)),
        };
        self.classes.iter().enumerate().map(of).collect()
    }

    /// The estimates of pairs: own ones, or the mean of the links between their classes.
    fn pairs(&self, values: &[Estimate]) -> Result<Vec<Estimate>, HostClassesError> {
        let (known, all) = (Pairs::of(self.measured), Pairs::of(self.classes.len()));
        let classes = |i: Processor, j: Processor| {
            let (one, other) = (self.classes[i.index()], self.classes[j.index()]);
            (one.min(other), one.max(other))
        };
        let mut between: BTreeMap<(usize, usize), Vec<Estimate>> = BTreeMap::new();
        for (pair, value) in values.iter().enumerate() {
            let Some((i, j)) = known.get(pair) else { continue };
            between.entry(classes(i, j)).or_default().push(*value);
        }
        let of = |pair| {
            let (i, j) = all.get(pair)?;
            if i.index().max(j.index()) < self.measured {
                return Some(Ok(values[known.index(i, j)]));
            }
            let (low, high) = classes(i, j);
            let links = between.get(&(low, high)).ok_or(HostClassesError::NoLink(low, high));
            Some(links.map(|links| of_another(links)))
        };
        (0..all.count()).filter_map(of).collect()
    }
}

/// The estimate of a further member of a class from r measured ones: their mean, with the errors of
/// the estimates and their spread, t·s·√(1 + 1/r). It has no interval if r is 1, since the spread
/// is then unknown.
fn of_another(values: &[Estimate]) -> Estimate {
    let count = values.len() as f64;
    let mean = values.iter().map(|one| one.value).sum::<f64>() / count;
    let intervals: Vec<_> = values.iter().filter_map(|one| one.interval).collect();
    let level = intervals.first().map_or(LEVEL, |interval| interval.level);
    let half_width = (values.len() > 1).then(|| {
        let variance =
            values.iter().map(|one| (one.value - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let of_errors =
            intervals.iter().map(|one| ((one.high - one.low) / 2.0).powi(2)).sum::<f64>() / count;
        let spread = if variance > 0.0 {
            student_quantile(count - 1.0, level) * variance.sqrt()
        } else {
            0.0
        };
        (spread * (1.0 + 1.0 / count).sqrt()).hypot(of_errors.sqrt())
    });
    let half_width = half_width.filter(|width| *width > 0.0 || !intervals.is_empty());
    Estimate::not_negative(
        mean,
        half_width,
        level,
        values.iter().filter_map(|one| one.samples).sum(),
    )
}

/// The shape of a parameter of the models that are stored with this kind.
fn shape(stored: ModelKind, name: &str) -> Shape {
    let kinds = ModelKind::ALL.iter().filter(|kind| kind.stored_as() == stored);
    let mut groups = kinds.flat_map(|kind| kind.definition().groups);
    let found = groups.find(|group| group.parameters.iter().any(|spec| spec.name == name));
    found.map_or(Shape::Cluster, |group| group.shape)
}

impl Model {
    /// Returns the model of all hosts of these classes, where this one has some of each, with one
    /// processor for each host: first the measured ones, so that their processors have the same
    /// numbers as in their samples, then the others.
    ///
    /// A host that was not measured has the mean parameters of its class, and its links the means
    /// of those between the same classes; the intervals contain the spread within the class.
    /// Parameters of the whole cluster remain those of the measured hosts. Links that groups share,
    /// thresholds and correlations of errors are those of measured processors, and are left out.
    ///
    /// # Errors
    ///
    /// When a measured host is in no class, or no host or link of a class was measured.
    pub fn with_host_classes(&self, classes: &HostClasses) -> Result<Self, HostClassesError> {
        let others = classes
            .hosts()
            .filter(|name| self.hosts.iter().all(|own| own != name))
            .map(ToOwned::to_owned);
        let hosts: Vec<String> = self.hosts.iter().cloned().chain(others).collect();
        let of_host = |host: &String| {
            classes.class_of(host).ok_or_else(|| HostClassesError::NoClass(host.clone()))
        };
        let extension = Extension {
            classes: hosts.iter().map(of_host).collect::<Result<_, _>>()?,
            measured: self.hosts.len(),
        };
        let (measured, others) = extension.classes.split_at(extension.measured);
        if let Some(class) = others.iter().find(|class| !measured.contains(class)) {
            return Err(HostClassesError::NotMeasured(*class));
        }
        let mut extended = Self { hosts, ..self.clone() };
        for (kind, parameters) in &mut extended.point_to_point {
            let mut all = ParameterSet::new();
            for values in parameters.iter() {
                let estimates = match shape(*kind, values.name) {
                    Shape::Cluster | Shape::Sizes => values.estimates.clone(),
                    Shape::Processors => extension.processors(&values.estimates)?,
                    Shape::Pairs => extension.pairs(&values.estimates)?,
                    Shape::LinkGroups => continue,
                };
                all.set(values.name, values.index.clone(), estimates);
            }
            *parameters = all;
        }
        if !self.combination.is_empty() {
            extended.combination = extension.processors(&self.combination)?;
        }
        extended.correlations.clear();
        extended.thresholds.clear();
        extended.measurements.measured = Some(extension.measured);
        Ok(extended)
    }

    /// Returns the first of these processors that was not measured, and the number of such ones;
    /// `None` if all were.
    pub(super) fn unmeasured_among(&self, processors: &[Processor]) -> Option<(Processor, usize)> {
        let measured = self.measurements.measured?;
        let mut found = processors.iter().filter(|one| one.index() >= measured);
        found.next().map(|first| (*first, 1 + found.count()))
    }

    /// Returns the discrepancy that hosts add which were not measured; `None` if these processors
    /// were.
    pub(super) fn discrepancy_of_unmeasured(
        &self,
        processors: &[Processor],
    ) -> Option<Discrepancy> {
        self.unmeasured_among(processors).map(|_| OF_UNMEASURED)
    }
}

/// The discrepancy of hosts that count as others of their class: a few measured ones that are alike
/// do not exclude that one of the others has half their speed.
const OF_UNMEASURED: Discrepancy = Discrepancy { relative: 0.3, degrees: 4 };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_of_one_measured_host_is_unknown() {
        let one = |value| Estimate::not_negative(value, Some(0.1), 0.95, 5);
        let single = of_another(&[one(1.0)]);
        assert_eq!((single.value, single.interval), (1.0, None));
        let several = of_another(&[one(1.0), one(2.0), one(3.0)]);
        let interval = several.interval.unwrap();
        // t of two degrees of freedom is 4.30, times √(4/3).
        assert!(
            (interval.high - 2.0 - 4.97).abs() < 0.01 && several.samples == Some(15),
            "{several:?}"
        );
        assert_eq!(of_another(&[Estimate::exact(1.0); 3]).interval, None);
    }
}
