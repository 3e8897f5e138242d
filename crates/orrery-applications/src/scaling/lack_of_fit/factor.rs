//! What errors may depend on: variables, elements, kinds and labels of the runs.

use std::collections::{BTreeMap, BTreeSet};

use super::Residual;
use crate::run::{Run, variable};
use crate::scaling::point::{Point, size_variable};

/// Something that errors may depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrorFactor {
    /// A variable of the runs, or the number of processes.
    Variable(String),
    /// The processes on each element of a kind.
    ProcessesPerElement(String),
    /// The number of elements.
    Elements,
    /// n² over the number of processes, to which the memory of each is proportional.
    MemoryPerProcess,
    /// The slowest kind of elements, by the model.
    SlowestKind,
    /// The kinds of elements that take part.
    Kinds,
    /// All that determines the time besides the size.
    Configuration,
    /// A label of the runs.
    Label(String),
}

/// The value of a factor.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// A number, by which values are ordered.
    Number(f64),
    /// A name.
    Name(String),
}

/// A factor with its value and the logarithm of the error of each point that it applies to.
#[derive(Debug, Clone)]
pub(super) struct ErrorsByFactor {
    pub(super) factor: ErrorFactor,
    pub(super) errors: Vec<(Value, f64)>,
}

/// The factors that vary, each partition of the points once.
pub(super) fn factors(residuals: &[Residual], runs: &[&Run]) -> Vec<ErrorsByFactor> {
    let points = || residuals.iter().map(|residual| &residual.point);
    let size = size_variable(points());
    let mut names: BTreeSet<&str> =
        points().flat_map(|point| point.variables.keys().map(String::as_str)).collect();
    names.insert(variable::PROCESSES);
    let kinds: BTreeSet<&str> = points()
        .flat_map(|point| &point.configuration.shares)
        .map(|share| share.kind.as_str())
        .collect();
    // Simple explanations are first: of factors with equal partitions the first is kept.
    let mut all: Vec<ErrorFactor> =
        kinds.iter().map(|&kind| ErrorFactor::ProcessesPerElement(kind.to_owned())).collect();
    all.extend(names.into_iter().map(|name| ErrorFactor::Variable(name.to_owned())));
    all.extend([
        ErrorFactor::Elements,
        ErrorFactor::MemoryPerProcess,
        ErrorFactor::SlowestKind,
        ErrorFactor::Kinds,
        ErrorFactor::Configuration,
    ]);
    let of_points = all.into_iter().map(|factor| {
        let value = |residual: &Residual| {
            Some((value(&factor, residual, size.as_deref())?, residual.logarithm()))
        };
        ErrorsByFactor {
            errors: residuals.iter().filter_map(value).collect(),
            factor: factor.clone(),
        }
    });
    let labels: BTreeSet<&str> =
        runs.iter().flat_map(|run| run.labels.keys().map(String::as_str)).collect();
    let of_labels = labels.into_iter().map(|name| label_errors(name, residuals, runs));
    let mut seen = BTreeSet::new();
    let varies = |errors: &ErrorsByFactor| {
        errors.errors.iter().any(|(value, _)| *value != errors.errors[0].0)
    };
    of_points
        .chain(of_labels)
        .filter(varies)
        .filter(|errors| seen.insert(partition(errors)))
        .collect()
}

/// The value of a factor at a point; `None` if the factor does not apply.
fn value(factor: &ErrorFactor, residual: &Residual, size: Option<&str>) -> Option<Value> {
    let point = &residual.point;
    let shares = &point.configuration.shares;
    let seen = |name: &str| point.element_variables(None).get(name);
    let number = match factor {
        ErrorFactor::Variable(name) => seen(name)?,
        ErrorFactor::ProcessesPerElement(kind) => {
            f64::from(point.configuration.share(kind)?.processes)
        }
        ErrorFactor::Elements if !shares.is_empty() => point.configuration.elements() as f64,
        ErrorFactor::MemoryPerProcess => {
            seen(variable::PROBLEM_SIZE)?.powi(2) / seen(variable::PROCESSES)?
        }
        ErrorFactor::SlowestKind => return residual.slowest_kind.clone().map(Value::Name),
        ErrorFactor::Kinds if !shares.is_empty() => {
            let kinds: BTreeSet<&str> = shares.iter().map(|share| share.kind.as_str()).collect();
            return Some(Value::Name(kinds.into_iter().collect::<Vec<_>>().join(" with ")));
        }
        ErrorFactor::Configuration => return Some(Value::Name(without(point, size?).to_string())),
        ErrorFactor::Elements | ErrorFactor::Kinds | ErrorFactor::Label(_) => return None,
    };
    Some(Value::Number(number))
}

/// A point without one of its variables.
pub(super) fn without(point: &Point, name: &str) -> Point {
    let mut rest = point.clone();
    rest.variables.remove(name);
    rest
}

/// The errors of the runs of each point with each value of a label.
fn label_errors(name: &str, residuals: &[Residual], runs: &[&Run]) -> ErrorsByFactor {
    let by_word = residuals.iter().flat_map(|residual| residual.by_label(name, runs));
    let errors =
        by_word.map(|(word, own)| (Value::Name(word.to_owned()), own.logarithm())).collect();
    ErrorsByFactor { factor: ErrorFactor::Label(name.to_owned()), errors }
}

/// The errors with the number of the group of each, in the order of the first error of each group.
fn partition(errors: &ErrorsByFactor) -> Vec<(u64, usize)> {
    let mut groups: BTreeMap<String, usize> = BTreeMap::new();
    let place = |(value, error): &(Value, f64)| {
        let key = match value {
            Value::Number(number) => number.to_bits().to_string(),
            Value::Name(name) => name.clone(),
        };
        let next = groups.len();
        (error.to_bits(), *groups.entry(key).or_insert(next))
    };
    errors.errors.iter().map(place).collect()
}
