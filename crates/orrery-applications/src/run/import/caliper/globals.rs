//! The values that describe the run of a profile, such as those of Adiak.

use super::context::Context;
use super::record::Record;
use crate::run::import::mapping::{ColumnMapping, Target};
use crate::run::{Run, is_identifier, is_result, variable};
use orrery_base::file::{Fault, FaultKind};

/// Values of the run with the number of processes, the preferred one last.
const PROCESSES: [&str; 2] = ["jobsize", "mpi.world.size"];

/// Beginnings of the names of values that Caliper adds.
const SETTINGS: [&str; 4] = ["cali.", "spot.", "opts:", "starttime."];

/// Adds the variables and mapped labels that describe a run. Returns the variables that are not
/// mapped.
pub(super) fn describe(
    context: &Context,
    globals: &Record,
    map: &ColumnMapping,
    run: &mut Run,
) -> Result<Vec<String>, Fault> {
    let own = globals.attributes()?;
    let own = own.into_iter().map(|(id, value)| Ok((context.attribute(id)?, value)));
    let mut values = context.values(&globals.ids("ref")?)?;
    values.extend(own.collect::<Result<Vec<_>, Fault>>()?);
    let mut names = Vec::new();
    for (attribute, value) in &values {
        let name = attribute.name.as_str();
        let number =
            value.parse().ok().filter(|value: &f64| attribute.is_number && value.is_finite());
        match (map.target(name), number) {
            (Some(Target::Variable(variable)), Some(number)) => {
                run.variables.insert(variable.clone(), number);
            }
            (Some(Target::Label(label)), _) => {
                run.labels.insert(label.clone(), (*value).to_owned());
            }
            (None, Some(number)) if !attribute.is_description && is_variable(name) => {
                run.variables.insert(name.to_owned(), number);
                names.push(name.to_owned());
            }
            _ => {}
        }
    }
    let is_known = |name: &str| values.iter().any(|(attribute, _)| attribute.name == name);
    if let Some((name, _)) = map.entries.iter().find(|(name, _)| !is_known(name)) {
        let known: Vec<_> = values.iter().map(|(attribute, _)| attribute.name.as_str()).collect();
        let known = known.join(", ");
        let fault = format!("no value {name:?} describes the run; values are {known}");
        return Err(Fault::new(fault).of_kind(FaultKind::Mapping));
    }
    for name in PROCESSES {
        let found = values
            .iter()
            .find(|(attribute, _)| attribute.name == name && map.target(name).is_none());
        if let Some(processes) = found.and_then(|(_, value)| value.parse().ok()) {
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
