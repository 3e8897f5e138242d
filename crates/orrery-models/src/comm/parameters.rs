//! Parameters of point-to-point models: what a kind of model declares, and the estimates of a
//! fitted one by name.

use orrery_base::numeric::Estimate;
use orrery_base::units::Bytes;
use orrery_cluster::platform::{Pairs, Processor};

/// The unit of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterUnit {
    /// Seconds.
    Seconds,
    /// Seconds per byte.
    SecondsPerByte,
    /// Bytes.
    Bytes,
}

/// The objects that the values of a parameter belong to, which determines the number of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// One value for the whole cluster.
    Cluster,
    /// One value for each processor.
    Processors,
    /// One value for each pair of processors, packed: 0-1, 0-2, …, 1-2, ….
    Pairs,
    /// A function of the message size, known at ascending sizes.
    Sizes,
    /// One value for each group of links, given by the processors that share it.
    LinkGroups,
}

/// A parameter that a kind of model declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParameterSpec {
    /// The name: the key in the model file, with the key of the object around it where there is one
    /// (`mean.latency`).
    pub name: &'static str,
    /// The unit.
    pub unit: ParameterUnit,
    /// The column of its inverse in tables, a rate in bytes per second; `None` where no rate is
    /// shown.
    pub rate: Option<&'static str>,
}

impl ParameterSpec {
    /// A parameter in seconds.
    pub const fn seconds(name: &'static str) -> Self {
        Self { name, unit: ParameterUnit::Seconds, rate: None }
    }

    /// A parameter in seconds per byte, without a column for its inverse.
    pub const fn seconds_per_byte(name: &'static str) -> Self {
        Self { name, unit: ParameterUnit::SecondsPerByte, rate: None }
    }

    /// A parameter in bytes.
    pub const fn bytes(name: &'static str) -> Self {
        Self { name, unit: ParameterUnit::Bytes, rate: None }
    }

    /// The same parameter with a column of this name for its inverse.
    #[must_use]
    pub const fn with_rate(self, column: &'static str) -> Self {
        Self { rate: Some(column), ..self }
    }

    /// The last part of the name: the key of the parameter within its object.
    pub fn key(&self) -> &'static str {
        self.name.rsplit('.').next().unwrap_or(self.name)
    }

    /// The key of the object that holds the parameter within the model; `None` for the model
    /// itself.
    pub fn object(&self) -> Option<&'static str> {
        self.name.split_once('.').map(|(object, _)| object)
    }
}

/// Parameters of one shape, shown as one table. Kinds of models whose groups name the same table
/// share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParameterGroup {
    /// The name of the table.
    pub table: &'static str,
    /// The models that share the table, in its title: `LOM and LMO`.
    pub family: &'static str,
    /// The meaning of the rows of the table, in its title: `each link`.
    pub rows: &'static str,
    /// The shape of every parameter in it.
    pub shape: Shape,
    /// The parameters, in the order of columns and of keys in the file.
    pub parameters: &'static [ParameterSpec],
}

/// The index of a parameter's estimates, for parameters whose number of estimates does not follow
/// from the number of processors.
#[derive(Debug, Clone, PartialEq)]
pub enum Index {
    /// No index: one value for the cluster, for each processor or for each pair.
    Implied,
    /// Message sizes, ascending.
    Sizes(Vec<Bytes>),
    /// Groups of links, each given by the processors that share it.
    LinkGroups(Vec<Vec<Processor>>),
}

/// The estimates of one parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterValues {
    /// The name of the parameter.
    pub name: &'static str,
    /// The index of the estimates.
    pub index: Index,
    /// One estimate for each entry of the index.
    pub estimates: Vec<Estimate>,
}

impl ParameterValues {
    /// Returns the number of estimates that a parameter of this shape has in a cluster of this
    /// number of processors.
    pub fn expected(&self, shape: Shape, processors: usize) -> usize {
        match (shape, &self.index) {
            (Shape::Cluster, _) => 1,
            (Shape::Processors, _) => processors,
            (Shape::Pairs, _) => Pairs::of(processors).count(),
            (Shape::Sizes, Index::Sizes(sizes)) => sizes.len(),
            (Shape::LinkGroups, Index::LinkGroups(groups)) => groups.len(),
            (Shape::Sizes | Shape::LinkGroups, _) => 0,
        }
    }
}

/// The estimates of all parameters of one fitted model, ascending by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParameterSet(Vec<ParameterValues>);

impl ParameterSet {
    /// A set without parameters.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a parameter, or replaces the parameter of this name.
    pub fn set(&mut self, name: &'static str, index: Index, estimates: Vec<Estimate>) {
        let values = ParameterValues { name, index, estimates };
        match self.0.binary_search_by(|present| present.name.cmp(name)) {
            Ok(place) => self.0[place] = values,
            Err(place) => self.0.insert(place, values),
        }
    }

    /// Returns the set with one more parameter of the cluster, of processors or of pairs.
    #[must_use]
    pub fn with(mut self, name: &'static str, estimates: impl Into<Vec<Estimate>>) -> Self {
        self.set(name, Index::Implied, estimates.into());
        self
    }

    /// Returns the set with one more parameter that is indexed by sizes or by groups of links.
    #[must_use]
    pub fn with_index(
        mut self,
        name: &'static str,
        index: Index,
        estimates: impl Into<Vec<Estimate>>,
    ) -> Self {
        self.set(name, index, estimates.into());
        self
    }

    /// The parameter of this name; `None` if the set does not have it.
    pub fn get(&self, name: &str) -> Option<&ParameterValues> {
        self.0.iter().find(|values| values.name == name)
    }

    /// The parameter of this name, mutable; `None` if the set does not have it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut ParameterValues> {
        self.0.iter_mut().find(|values| values.name == name)
    }

    /// The estimates of the parameter of this name; empty if there is none.
    pub fn estimates(&self, name: &str) -> &[Estimate] {
        self.get(name).map_or(&[], |values| &values.estimates)
    }

    /// The first estimate of the parameter of this name: the only one of a parameter of the
    /// cluster. `None` if the set does not have it.
    pub fn one(&self, name: &str) -> Option<Estimate> {
        self.estimates(name).first().copied()
    }

    /// All parameters, ascending by name.
    pub fn iter(&self) -> impl Iterator<Item = &ParameterValues> {
        self.0.iter()
    }
}

/// A struct with the parameters of a kind of model as fields.
pub trait TypedParameters: Sized {
    /// The parameters by name.
    fn to_set(&self) -> ParameterSet;

    /// Returns the struct of these parameters; `None` if one is missing or their lengths are
    /// inconsistent.
    fn from_set(parameters: &ParameterSet) -> Option<Self>;

    /// The same parameters of processors on these hosts, by name.
    #[must_use]
    fn on_hosts(self, _hosts: &[String]) -> Self {
        self
    }
}
