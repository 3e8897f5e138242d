//! The global values of a profile, which describe its run.

use super::context::Context;
use super::record::Record;
use crate::run::Run;
use crate::run::import::description::{self, Described};
use crate::run::import::mapping::ColumnMapping;
use orrery_base::file::Fault;

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
    let values = values.into_iter().map(|(attribute, text)| Described {
        name: &attribute.name,
        text: text.into(),
        number: text.parse().ok().filter(|value: &f64| attribute.is_number && value.is_finite()),
        is_description: attribute.is_description,
    });
    description::describe(&values.collect::<Vec<_>>(), map, run)
}
