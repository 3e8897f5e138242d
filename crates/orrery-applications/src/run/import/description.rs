//! The values that describe the run of a profile, such as those of Adiak.

use std::borrow::Cow;

use super::mapping::{ColumnMapping, Target};
use crate::run::{Run, is_identifier, is_result, variable};
use orrery_base::file::{Fault, FaultKind};
use orrery_base::names::advice;

/// Values of the run with the number of processes, the preferred one last.
const PROCESSES: [&str; 2] = ["jobsize", "mpi.world.size"];

/// Beginnings of the names of values that Caliper adds.
const SETTINGS: [&str; 4] = ["cali.", "spot.", "opts:", "starttime."];

/// A value that describes a run.
pub(super) struct Described<'a> {
    pub(super) name: &'a str,
    /// The value; empty if it is missing.
    pub(super) text: Cow<'a, str>,
    /// The value as a finite number; `None` if it is none.
    pub(super) number: Option<f64>,
    /// True if a number is no parameter, such as a date.
    pub(super) is_description: bool,
}

/// Adds the variables and mapped labels that describe a run. Returns the variables that are not
/// mapped.
pub(super) fn describe(
    values: &[Described],
    map: &ColumnMapping,
    run: &mut Run,
) -> Result<Vec<String>, Fault> {
    let mut names = Vec::new();
    for Described { name, text, number, is_description } in values {
        let name = *name;
        match (map.target(name), *number) {
            (Some(Target::Variable(variable)), Some(number)) => {
                run.variables.insert(variable.clone(), number);
            }
            (Some(Target::Label(label)), _) if !text.is_empty() => {
                run.labels.insert(label.clone(), text.clone().into_owned());
            }
            (None, Some(number)) if !is_description && is_variable(name) => {
                run.variables.insert(name.to_owned(), number);
                names.push(name.to_owned());
            }
            _ => {}
        }
    }
    let is_known = |name: &str| values.iter().any(|value| value.name == name);
    if let Some((name, _)) = map.entries.iter().find(|(name, _)| !is_known(name)) {
        let advice = advice(name, "values", values.iter().map(|value| value.name));
        let fault = format!("no value {name:?} describes the run; {advice}");
        return Err(Fault::new(fault).of_kind(FaultKind::Mapping));
    }
    for name in PROCESSES {
        let found = values.iter().find(|value| value.name == name && map.target(name).is_none());
        if let Some(processes) = found.and_then(|value| value.text.parse().ok()) {
            run.variables.insert(variable::PROCESSES.to_owned(), processes);
        }
    }
    names.sort();
    names.dedup();
    Ok(names)
}

/// Returns true for the name of a parameter of the run: no addition of Caliper, no result, no
/// identifier.
fn is_variable(name: &str) -> bool {
    !SETTINGS.iter().any(|start| name.starts_with(start))
        && !PROCESSES.contains(&name)
        && !is_result(name)
        && !is_identifier(name)
}

/// The remark on numbers that become variables without a mapping.
pub(super) fn assumed(names: &[String]) -> String {
    format!("numbers that describe the run become variables: {}", names.join(", "))
}
