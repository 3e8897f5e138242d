use std::path::Path;

use super::error::{PlanError, PlanFault};
use super::{FORMAT, VERSION};
use crate::file;
use crate::json::{Layout, quote};
use crate::run::file::error::Fault;
use crate::run::file::writer::{configuration, number, object, variables};
use crate::run::{Plan, PlanEntry};

/// The text of a plan file: each run on a line of its own.
///
/// # Errors
///
/// A run that cannot be (see [`PlanEntry::check`]): it could not be read back.
pub fn to_text(plan: &Plan) -> Result<String, PlanError> {
    for (place, planned) in plan.runs.iter().enumerate() {
        planned.check().map_err(|fault| {
            let fault = PlanFault::Entry(Fault::Run { run: String::new(), fault: Box::new(fault) });
            PlanError::Write { place: format!("runs[{place}]"), fault }
        })?;
    }
    let provenance = plan.provenance.iter().map(|(key, value)| (key.to_owned(), Layout::string(value)));
    let layout = Layout::Object(vec![
        ("format".into(), Layout::Line(quote(FORMAT))),
        ("version".into(), Layout::Line(VERSION.to_string())),
        ("provenance".into(), Layout::Object(provenance.collect())),
        ("runs".into(), Layout::Rows(plan.runs.iter().map(row).collect())),
    ]);
    Ok(format!("{layout}\n"))
}

/// Writes a plan file as a whole. A file that exists is replaced with `force` only, unless it is empty.
///
/// # Errors
///
/// A file that exists, whatever [`to_text`] refuses, and whatever the system refuses.
pub fn write(path: impl AsRef<Path>, plan: &Plan, force: bool) -> Result<(), PlanError> {
    file::write(path.as_ref(), &to_text(plan)?, force)
}

/// A run on one line; what is empty is left out.
fn row(planned: &PlanEntry) -> String {
    let mut entries = Vec::new();
    if !planned.variables.is_empty() {
        entries.push(("variables", variables(&planned.variables)));
    }
    if !planned.configuration.shares.is_empty() {
        entries.push(("configuration", configuration(&planned.configuration)));
    }
    if let Some(seconds) = planned.seconds {
        entries.push(("seconds", number(seconds.get())));
    }
    object(entries.into_iter())
}
