//! Term models prepared for configuration searches.

use std::collections::BTreeMap;

use super::forecast::ForecastError;
use super::point::{ElementTime, Layout};
use super::term_model::{Coefficient, TermModel};
use super::terms::{Factor, power};
use crate::run::variable;

/// The element times of a term model for a search, prepared for evaluation in millions of layouts.
///
/// If a variable of the layout was constant in all measured runs, the model has no time for other
/// values.
#[derive(Debug, Clone)]
pub struct TermTimes {
    /// The terms of each kind.
    kinds: Vec<Vec<PreparedTerm>>,
    /// The variables of the layout that were constant in all measured runs, with their values.
    constants: Vec<(LayoutVariable, f64)>,
}

/// A term with all fixed factors multiplied into its coefficient.
#[derive(Debug, Clone)]
struct PreparedTerm {
    /// The coefficient times the fixed factors.
    constant: f64,
    /// The factors that a search varies.
    factors: Vec<(LayoutVariable, Factor)>,
}

/// A variable that a search varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LayoutVariable {
    Processes,
    Rows,
    Columns,
    Block,
    ProcessesPerElement,
    SpansElements,
}

impl LayoutVariable {
    /// The variable of this name; `None` if a search does not vary it.
    fn from_name(name: &str) -> Option<Self> {
        match name {
            variable::PROCESSES => Some(Self::Processes),
            variable::GRID_ROWS => Some(Self::Rows),
            variable::GRID_COLUMNS => Some(Self::Columns),
            variable::BLOCK_SIZE => Some(Self::Block),
            variable::PROCESSES_PER_ELEMENT => Some(Self::ProcessesPerElement),
            variable::SPANS_ELEMENTS => Some(Self::SpansElements),
            _ => None,
        }
    }
}

impl TermTimes {
    /// Prepares a model for these kinds of elements; `fixed` are the variables that the search does
    /// not vary, such as the problem size.
    ///
    /// # Errors
    ///
    /// If a kind is unknown to the model, the runs do not identify the cost of a kind, a variable
    /// of the model is missing, or the time does not depend on anything that a search varies.
    pub fn new<K: AsRef<str>>(
        model: &TermModel,
        kinds: &[K],
        fixed: &BTreeMap<String, f64>,
    ) -> Result<Self, ForecastError> {
        let kinds: Vec<&str> = kinds.iter().map(AsRef::as_ref).collect();
        // A model of elements that are all alike applies to any single kind.
        let anonymous = model.kinds.is_empty() && kinds.len() == 1;
        let unknown =
            kinds.iter().find(|kind| !anonymous && !model.kinds.iter().any(|known| known == *kind));
        if let Some(kind) = unknown {
            return Err(ForecastError::unknown_kind(kind, &model.kinds));
        }
        // A bound of the cost does not do for a choice: how much faster the kind is decides whether
        // the others should take part.
        let unidentified = |kind: &&&str| model.bound(kind).is_some();
        if let Some(kind) = kinds.iter().find(unidentified) {
            return Err(ForecastError::unidentified(kind));
        }
        let prepare = |coefficient: &Coefficient| {
            let mut prepared =
                PreparedTerm { constant: coefficient.estimate.value, factors: Vec::new() };
            for factor in &coefficient.term.factors {
                match (LayoutVariable::from_name(&factor.variable), fixed.get(&factor.variable)) {
                    (Some(layout_variable), _) => {
                        prepared.factors.push((layout_variable, factor.clone()));
                    }
                    (None, Some(&value)) => prepared.constant *= factor_value(value, factor),
                    (None, None) => return Err(ForecastError::missing([factor.variable.as_str()])),
                }
            }
            Ok(prepared)
        };
        let of_kind = |kind: &&str| {
            let kind = (!anonymous).then_some(*kind);
            model
                .coefficients
                .iter()
                .filter(|c| c.applies_to(kind))
                .map(prepare)
                .collect::<Result<Vec<_>, _>>()
        };
        let constants = model.ranges.iter().filter_map(|(name, &(least, most))| {
            let layout_variable = LayoutVariable::from_name(name).filter(|layout_variable| {
                *layout_variable != LayoutVariable::SpansElements || !anonymous
            })?;
            Some((layout_variable, least)).filter(|_| least >= most)
        });
        let this = Self {
            kinds: kinds.iter().map(of_kind).collect::<Result<_, _>>()?,
            constants: constants.collect(),
        };
        let depends = this.kinds.iter().flatten().any(|term| !term.factors.is_empty());
        if !depends && this.constants.is_empty() {
            return Err(ForecastError::Other(
                "the time of this model depends neither on the processes nor on the elements, so \
                    there is no configuration to choose; import runs with their configuration or \
                    their number of processes"
                    .to_owned(),
            ));
        }
        Ok(this)
    }
}

/// The value of a factor of a variable: value^power·log₂(value)^logs.
fn factor_value(value: f64, factor: &Factor) -> f64 {
    power(value, factor.power) * value.log2().powi(factor.logs as i32)
}

impl ElementTime for TermTimes {
    fn seconds(&self, kind: usize, processes: u32, layout: Layout) -> Option<f64> {
        // Processes without a grid form one row, as in `Point::element_variables`.
        let (rows, columns) = layout.grid.unwrap_or((1, layout.processes));
        let value = |layout_variable: LayoutVariable| {
            Some(f64::from(match layout_variable {
                LayoutVariable::Processes => layout.processes,
                LayoutVariable::Rows => rows,
                LayoutVariable::Columns => columns,
                LayoutVariable::Block => layout.block?,
                LayoutVariable::ProcessesPerElement => processes,
                // A single element takes part exactly if it runs all processes.
                LayoutVariable::SpansElements => u32::from(layout.processes > processes),
            }))
        };
        let differs = |&(name, constant): &(LayoutVariable, f64)| {
            value(name).is_some_and(|value| (value - constant).abs() > 0.5)
        };
        if self.constants.iter().any(differs) {
            return None;
        }
        let mut seconds = 0.0;
        for term in self.kinds.get(kind)? {
            let mut product = term.constant;
            for (layout_variable, factor) in &term.factors {
                product *= factor_value(value(*layout_variable)?, factor);
            }
            seconds += product;
        }
        Some(seconds)
    }
}

impl TermModel {
    /// The variables of layouts that were constant in all measured runs, with their values;
    /// searches keep these values.
    pub fn constant_variables(&self) -> impl Iterator<Item = (&str, f64)> {
        let single = self
            .ranges
            .iter()
            .filter(|(name, (low, high))| low >= high && LayoutVariable::from_name(name).is_some());
        single.map(|(name, (low, _))| (name.as_str(), *low))
    }
}
