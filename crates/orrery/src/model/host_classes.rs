//! Models of clusters of which some hosts of each class were measured.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Model, ModelKind};
use crate::comm::{ParameterSet, Shape};
use crate::numeric::{Estimate, student_quantile};
use crate::platform::{Pairs, Processor};

/// The key of the provenance of samples of some hosts of each class, with the [`HostClasses`] as text.
pub const ALL_HOSTS: &str = "all-hosts";

/// The level of intervals where no estimate of a class has one.
const LEVEL: f64 = 0.95;

/// All hosts of a cluster in the order of their processors, each with the number of its class of equal hosts.
///
/// As text, hosts are joined by spaces, each with its class:
///
/// ```
/// use orrery::model::HostClasses;
/// let classes: HostClasses = "n1=1 n2=1 n3=1 n4=2".parse()?;
/// assert_eq!((classes.hosts().count(), classes.class_of("n4")), (4, Some(2)));
/// assert_eq!(classes.to_string(), "n1=1 n2=1 n3=1 n4=2");
/// # Ok::<(), orrery::model::HostClassesError>(())
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
    #[error("no link between hosts of the classes {0} and {1} was measured; measure at least two hosts of a class")]
    NoLink(usize, usize),
}

impl HostClasses {
    /// These hosts with the numbers of their classes.
    pub fn new(hosts: Vec<(String, usize)>) -> Self {
        Self(hosts)
    }

    /// The names of the hosts, in the order of their processors.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The class of a host.
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
            let both = word.rsplit_once('=').and_then(|(name, class)| Some((name.to_owned(), class.parse().ok()?)));
            both.filter(|(name, _)| !name.is_empty()).ok_or_else(|| HostClassesError::Word(word.to_owned()))
        };
        text.split_whitespace().map(host).collect::<Result<_, _>>().map(Self)
    }
}

/// The processors of a cluster: those that were measured, and the classes of all.
struct Extension {
    /// The measured processor of each host; `None` for the others.
    measured: Vec<Option<Processor>>,
    /// The class of each host.
    classes: Vec<usize>,
    /// The class of each measured processor.
    of_measured: Vec<usize>,
}

impl Extension {
    /// The estimates of processors: own ones, or the mean of their class.
    fn processors(&self, values: &[Estimate]) -> Result<Vec<Estimate>, HostClassesError> {
        let mut of_class: BTreeMap<usize, Vec<Estimate>> = BTreeMap::new();
        for (value, class) in values.iter().zip(&self.of_measured) {
            of_class.entry(*class).or_default().push(*value);
        }
        let of = |(measured, class): (&Option<Processor>, &usize)| match measured {
            Some(own) => Ok(values[own.index()]),
            None => of_class.get(class).map(|all| of_another(all)).ok_or(HostClassesError::NotMeasured(*class)),
        };
        self.measured.iter().zip(&self.classes).map(of).collect()
    }

    /// The estimates of pairs: own ones, or the mean of the links between their classes.
    fn pairs(&self, values: &[Estimate]) -> Result<Vec<Estimate>, HostClassesError> {
        let (known, all) = (Pairs::of(self.of_measured.len()), Pairs::of(self.classes.len()));
        let of_classes = |a: usize, b: usize| (a.min(b), a.max(b));
        let mut between: BTreeMap<(usize, usize), Vec<Estimate>> = BTreeMap::new();
        for (pair, value) in values.iter().enumerate() {
            let Some((i, j)) = known.get(pair) else { continue };
            let classes = of_classes(self.of_measured[i.index()], self.of_measured[j.index()]);
            between.entry(classes).or_default().push(*value);
        }
        let mut estimates = Vec::with_capacity(all.count());
        for pair in 0..all.count() {
            let Some((i, j)) = all.get(pair) else { continue };
            let own = self.measured[i.index()].zip(self.measured[j.index()]);
            let (low, high) = of_classes(self.classes[i.index()], self.classes[j.index()]);
            estimates.push(match own {
                Some((i, j)) => values[known.index(i, j)],
                None => of_another(between.get(&(low, high)).ok_or(HostClassesError::NoLink(low, high))?),
            });
        }
        Ok(estimates)
    }
}

/// The estimate of a further member of a class: the mean, with the errors of the estimates and their spread, t·s·√(1 + 1/r) for r of
/// them.
fn of_another(values: &[Estimate]) -> Estimate {
    let count = values.len() as f64;
    let mean = values.iter().map(|one| one.value).sum::<f64>() / count;
    let squares: f64 = values.iter().map(|one| (one.value - mean).powi(2)).sum();
    let intervals: Vec<_> = values.iter().filter_map(|one| one.interval).collect();
    let level = intervals.first().map_or(LEVEL, |interval| interval.level);
    let half = |width: f64| (width / 2.0).powi(2);
    let of_errors = intervals.iter().map(|one| half(one.high - one.low)).sum::<f64>() / count;
    let spread = if values.len() > 1 && squares > 0.0 {
        student_quantile(count - 1.0, level) * (squares / (count - 1.0) * (1.0 + 1.0 / count)).sqrt()
    } else {
        0.0
    };
    let half_width = of_errors.sqrt().hypot(spread);
    let half_width = (half_width > 0.0 || !intervals.is_empty()).then_some(half_width);
    Estimate::not_negative(mean, half_width, level, values.iter().filter_map(|one| one.samples).sum())
}

/// The shape of a parameter of the models that are stored with this kind.
fn shape(stored: ModelKind, name: &str) -> Shape {
    let kinds = ModelKind::ALL.iter().filter(|kind| kind.stored_as() == stored);
    let mut groups = kinds.flat_map(|kind| kind.definition().groups());
    let found = groups.find(|group| group.parameters.iter().any(|spec| spec.name == name));
    found.map_or(Shape::Cluster, |group| group.shape)
}

impl Model {
    /// Returns the model of all hosts of these classes, where this one has some of each, with one processor for each host.
    ///
    /// A host that was not measured has the mean parameters of its class, and its links the means of those between the same classes; the
    /// intervals contain the spread within the class. Links that groups share, thresholds and correlations of errors are those of
    /// measured processors, and are left out.
    ///
    /// # Errors
    ///
    /// When a measured host is in no class, or no host or link of a class was measured.
    pub fn with_host_classes(&self, classes: &HostClasses) -> Result<Self, HostClassesError> {
        let of_host = |host: &String| classes.class_of(host).ok_or_else(|| HostClassesError::NoClass(host.clone()));
        let measured = |host: &str| Some(Processor(self.hosts.iter().position(|own| own == host)?.try_into().ok()?));
        let extension = Extension {
            measured: classes.hosts().map(measured).collect(),
            classes: classes.0.iter().map(|(_, class)| *class).collect(),
            of_measured: self.hosts.iter().map(of_host).collect::<Result<_, _>>()?,
        };
        let mut extended = Self { hosts: classes.hosts().map(ToOwned::to_owned).collect(), ..self.clone() };
        if let Some(class) = extension.classes.iter().find(|class| !extension.of_measured.contains(class)) {
            return Err(HostClassesError::NotMeasured(*class));
        }
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
        Ok(extended)
    }
}
