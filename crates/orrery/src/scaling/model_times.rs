use std::collections::BTreeMap;

use super::term::power;
use super::{Coefficient, ElementTime, Factor, Layout, Point, ScalingError, TermModel};
use crate::run::{Configuration, variable};

/// The times of a model for a search: its terms, ready to be computed for millions of layouts.
///
/// Where a number of processes, a side of the grid, a block size or the processes on an element were the same in all
/// measured runs, the model says nothing of other values, and there is no time.
#[derive(Debug, Clone)]
pub struct TermTimes {
    /// The terms of each kind.
    kinds: Vec<Vec<Prepared>>,
    /// What never changed in the measured runs: the model knows nothing of other values.
    kept: Vec<(Varying, f64)>,
}

/// A coefficient times what does not change in the search, and the factors that do.
#[derive(Debug, Clone)]
struct Prepared {
    constant: f64,
    factors: Vec<(Varying, Factor)>,
}

/// What a search varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Varying {
    Processes,
    Rows,
    Columns,
    Block,
    PerElement,
    Between,
}

impl Varying {
    fn of(name: &str) -> Option<Self> {
        match name {
            variable::PROCESSES => Some(Self::Processes),
            variable::GRID_ROWS => Some(Self::Rows),
            variable::GRID_COLUMNS => Some(Self::Columns),
            variable::BLOCK_SIZE => Some(Self::Block),
            variable::PROCESSES_PER_ELEMENT => Some(Self::PerElement),
            variable::SPANS_ELEMENTS => Some(Self::Between),
            _ => None,
        }
    }
}

impl TermTimes {
    /// The times of these kinds of elements, with these values of the variables that the search leaves alone, such as the
    /// size of the problem.
    ///
    /// # Errors
    ///
    /// When the model does not know a kind, or needs a variable that was not given.
    pub fn of<K: AsRef<str>>(
        model: &TermModel,
        kinds: &[K],
        fixed: &BTreeMap<String, f64>,
    ) -> Result<Self, ScalingError> {
        let kinds: Vec<&str> = kinds.iter().map(AsRef::as_ref).collect();
        // A model of elements that are all alike is one of any single kind.
        let anonymous = model.kinds.is_empty() && kinds.len() == 1;
        let unknown = kinds.iter().find(|kind| !anonymous && !model.kinds.iter().any(|known| known == *kind));
        if let Some(kind) = unknown {
            return Err(ScalingError::UnknownKind { kind: (*kind).to_owned(), kinds: model.kinds.clone() });
        }
        let prepare = |coefficient: &Coefficient| {
            let mut prepared = Prepared { constant: coefficient.estimate.value, factors: Vec::new() };
            for factor in &coefficient.term.factors {
                match (Varying::of(&factor.variable), fixed.get(&factor.variable)) {
                    (Some(varying), _) => prepared.factors.push((varying, factor.clone())),
                    (None, Some(&value)) => prepared.constant *= power_and_logs(value, factor),
                    (None, None) => return Err(ScalingError::NotGiven { name: factor.variable.clone() }),
                }
            }
            Ok(prepared)
        };
        let of_kind = |kind: &&str| {
            let kind = (!anonymous).then_some(*kind);
            model.coefficients.iter().filter(|c| c.concerns(kind)).map(prepare).collect::<Result<Vec<_>, _>>()
        };
        let kept = model.ranges.iter().filter_map(|(name, &(least, most))| {
            let varying = Varying::of(name).filter(|varying| *varying != Varying::Between || !anonymous)?;
            Some((varying, least)).filter(|_| least >= most)
        });
        let this = Self { kinds: kinds.iter().map(of_kind).collect::<Result<_, _>>()?, kept: kept.collect() };
        let depends = this.kinds.iter().flatten().any(|term| !term.factors.is_empty());
        if !depends && this.kept.is_empty() {
            return Err(ScalingError::NothingToChoose);
        }
        Ok(this)
    }
}

fn power_and_logs(value: f64, factor: &Factor) -> f64 {
    power(value, factor.power) * value.log2().powi(factor.logs as i32)
}

impl ElementTime for TermTimes {
    fn seconds(&self, kind: usize, processes: u32, layout: Layout) -> Option<f64> {
        // Without a grid the processes are one row, as in `Point::view`.
        let (rows, columns) = layout.grid.unwrap_or((1, layout.processes));
        let value = |varying: Varying| {
            Some(f64::from(match varying {
                Varying::Processes => layout.processes,
                Varying::Rows => rows,
                Varying::Columns => columns,
                Varying::Block => layout.block?,
                Varying::PerElement => processes,
                // One element has all processes just where its own are all that there are.
                Varying::Between => u32::from(layout.processes > processes),
            }))
        };
        let other = |&(varying, kept): &(Varying, f64)| value(varying).is_some_and(|value| (value - kept).abs() > 0.5);
        if self.kept.iter().any(other) {
            return None;
        }
        let mut seconds = 0.0;
        for term in self.kinds.get(kind)? {
            let mut product = term.constant;
            for (varying, factor) in &term.factors {
                product *= power_and_logs(value(*varying)?, factor);
            }
            seconds += product;
        }
        Some(seconds)
    }
}

impl TermModel {
    /// What never varied in the measured runs of what a search varies, with its only value: a search keeps to it.
    pub fn constant_variables(&self) -> impl Iterator<Item = (&str, f64)> {
        let single = self.ranges.iter().filter(|(name, (low, high))| low >= high && Varying::of(name).is_some());
        single.map(|(name, (low, _))| (name.as_str(), *low))
    }
}

impl Point {
    /// The point of a configuration in a layout; `fixed` are the other variables.
    pub fn of_configuration(configuration: &Configuration, layout: Layout, fixed: &BTreeMap<String, f64>) -> Self {
        let mut variables = fixed.clone();
        let mut set = |name: &str, value: u32| variables.insert(name.to_owned(), f64::from(value));
        if let Some((rows, columns)) = layout.grid {
            set(variable::GRID_ROWS, rows);
            set(variable::GRID_COLUMNS, columns);
        }
        if let Some(block) = layout.block {
            set(variable::BLOCK_SIZE, block);
        }
        Self { variables, configuration: configuration.clone() }
    }
}
