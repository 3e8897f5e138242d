//! Measurement points: the variables and the configuration of a run, and what one processing
//! element sees of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::effects::Levels;
use crate::run::{Configuration, Run, Share, variable};

/// The layout of the processes of a run, independent of the elements that run them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Layout {
    /// The number of processes, P.
    pub processes: u32,
    /// The rows and columns of the process grid, whose product is `processes`; `None` for a program
    /// without a grid.
    pub grid: Option<(u32, u32)>,
    /// The block size; `None` for a program without blocks.
    pub block: Option<u32>,
}

/// A model of the times of processing elements for a problem of fixed size.
pub trait ElementTime {
    /// The time T_i in seconds of an element with this number of processes; `None` if the model
    /// does not cover it.
    ///
    /// `kind` is the index among the kinds of the cluster.
    fn seconds(&self, kind: usize, processes: u32, layout: Layout) -> Option<f64>;
}

/// The variables of a run as seen by a processing element of one kind, including its own number of
/// processes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ElementVariables {
    values: BTreeMap<String, f64>,
}

impl ElementVariables {
    /// Variables from names and values.
    pub fn new<'a>(values: impl IntoIterator<Item = (&'a str, f64)>) -> Self {
        Self { values: values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect() }
    }

    /// All names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.values.iter().map(|(name, &value)| (name.as_str(), value))
    }

    /// The value of a variable; `None` if the point does not have it.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.values.get(name).copied()
    }
}

/// The bits of the variables of a point, and the shares of its configuration in the order of their
/// kinds.
pub(super) type PointKey = (Vec<(String, u64)>, Vec<Share>);

/// A measurement point: the variables, the configuration and the levels of categories that
/// determine the time of a run up to noise.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Point {
    /// The variables by name.
    pub variables: BTreeMap<String, f64>,
    /// The processing elements that take part; empty if all elements are alike.
    pub configuration: Configuration,
    /// The levels of the categories of a model that are no variables, such as `broadcast`: `2rM`.
    pub labels: Levels,
}

impl fmt::Display for Point {
    /// Writes all variables, the size first, the configuration, and the levels of categories:
    /// `n = 9600, block = 64, athlon=1x4, broadcast = 2rM`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variables = Some(variable::text(&self.variables)).filter(|text| !text.is_empty());
        let configuration =
            (!self.configuration.shares.is_empty()).then(|| self.configuration.to_string());
        let labels = self.labels.iter().map(|(name, level)| format!("{name} = {level}"));
        f.pad(
            &variables
                .into_iter()
                .chain(configuration)
                .chain(labels)
                .collect::<Vec<_>>()
                .join(", "),
        )
    }
}

impl Point {
    /// The point of a run, without levels of categories.
    pub fn of(run: &Run) -> Self {
        Self {
            variables: run.variables.clone(),
            configuration: run.configuration.clone(),
            labels: Levels::new(),
        }
    }

    /// The point of a run with its labels as levels of categories, see
    /// [`ExecutionTimeModel::with_levels`].
    ///
    /// [`ExecutionTimeModel::with_levels`]: super::ExecutionTimeModel::with_levels
    pub fn with_labels(run: &Run) -> Self {
        Self { labels: run.labels.clone(), ..Self::of(run) }
    }

    /// A key that points with equal variables and configuration have in common.
    pub(super) fn key(&self) -> PointKey {
        let mut shares = self.configuration.shares.clone();
        shares.sort();
        (
            self.variables.iter().map(|(name, value)| (name.clone(), value.to_bits())).collect(),
            shares,
        )
    }

    /// The point of a configuration in a layout; `fixed` are the other variables.
    pub fn of_configuration(
        configuration: &Configuration,
        layout: Layout,
        fixed: &BTreeMap<String, f64>,
    ) -> Self {
        let mut variables = fixed.clone();
        let mut set = |name: &str, value: u32| variables.insert(name.to_owned(), f64::from(value));
        if let Some((rows, columns)) = layout.grid {
            set(variable::GRID_ROWS, rows);
            set(variable::GRID_COLUMNS, columns);
        }
        if let Some(block) = layout.block {
            set(variable::BLOCK_SIZE, block);
        }
        Self { variables, configuration: configuration.clone(), labels: Levels::new() }
    }

    /// The variables of each kind of elements; a single entry if all elements are alike.
    pub(super) fn variables_of_kinds(&self) -> Vec<ElementVariables> {
        if self.configuration.shares.is_empty() {
            return vec![self.element_variables(None)];
        }
        self.configuration.shares.iter().map(|share| self.element_variables(Some(share))).collect()
    }

    /// The variables of an element of the kind of `share`, or of the only kind.
    ///
    /// The number of processes is that of the configuration, of the grid, or as given. Processes
    /// without a grid form one row: 1×P.
    pub fn element_variables(&self, share: Option<&Share>) -> ElementVariables {
        let mut values = self.variables.clone();
        let get = |name: &str| self.variables.get(name).copied();
        let grid = get(variable::GRID_ROWS)
            .zip(get(variable::GRID_COLUMNS))
            .map(|(rows, columns)| rows * columns);
        let configured = Some(self.configuration.processes()).filter(|&processes| processes > 0);
        let processes =
            configured.map(|processes| processes as f64).or(grid).or(get(variable::PROCESSES));
        if let Some(processes) = processes {
            values.insert(variable::PROCESSES.to_owned(), processes);
            if get(variable::GRID_ROWS).is_none() && get(variable::GRID_COLUMNS).is_none() {
                values.insert(variable::GRID_ROWS.to_owned(), 1.0);
                values.insert(variable::GRID_COLUMNS.to_owned(), processes);
            }
        }
        if let Some(share) = share {
            values.insert(variable::PROCESSES_PER_ELEMENT.to_owned(), f64::from(share.processes));
            let spans_elements = f64::from(u8::from(self.configuration.elements() > 1));
            values.insert(variable::SPANS_ELEMENTS.to_owned(), spans_elements);
        }
        ElementVariables { values }
    }
}

/// The variable that is the size of the points: n, else the variable with the most values; `None`
/// if no variable varies.
///
/// The shape of a grid and the size of blocks are no sizes.
pub(super) fn size_variable<'a>(points: impl IntoIterator<Item = &'a Point>) -> Option<String> {
    let mut values: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    for (name, value) in points.into_iter().flat_map(|point| &point.variables) {
        values.entry(name).or_default().insert(value.to_bits());
    }
    let grid = [variable::GRID_ROWS, variable::GRID_COLUMNS];
    let has_grid = grid.iter().all(|name| values.contains_key(name));
    let count = |name: &str| values.get(name).map_or(0, BTreeSet::len);
    let is_size = |name: &&str| {
        count(name) > 1 && *name != variable::BLOCK_SIZE && !(has_grid && grid.contains(name))
    };
    // The first name of those with the most values.
    let most = values.keys().copied().rev().filter(is_size).max_by_key(|name| count(name));
    Some(variable::PROBLEM_SIZE).filter(is_size).or(most).map(str::to_owned)
}
