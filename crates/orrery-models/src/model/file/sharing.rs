//! Sharing laws in the model file: `{"gige": {"beta", "gamma_out", "gamma_in"}, …}`, by [`LAWS`].

use super::parameter::{self, Extent};
use super::warning::UnknownKeys;
use orrery_base::file::Result;
use orrery_base::json::{Layout, Node};
use orrery_base::numeric::Estimate;
use orrery_cluster::sharing::{FittedLaw, FittedLaws, LAWS, LawKind};

/// The key of the sharing laws in `models`.
pub(super) const KEY: &str = "sharing";

/// The laws that can be in a model file.
fn kinds() -> impl Iterator<Item = &'static LawKind> {
    LAWS.into_iter().filter(|kind| !kind.parameters.is_empty())
}

/// Reads the laws by name.
pub(super) fn read(node: Node, unknown: &mut UnknownKeys) -> Result<FittedLaws> {
    let object =
        node.object("an object with the parameters of sharing laws by name, such as \"gige\"")?;
    unknown.note_keys(&object, &kinds().map(|kind| kind.name).collect::<Vec<_>>());
    let mut laws = FittedLaws::default();
    for kind in kinds() {
        if let Some(node) = object.get(kind.name) {
            laws.insert(law(kind, node, unknown)?);
        }
    }
    Ok(laws)
}

/// Reads the parameters of a law. An invalid value is an error at its place.
fn law(kind: &'static LawKind, node: Node, unknown: &mut UnknownKeys) -> Result<FittedLaw> {
    let object = node.object("an object with the parameters of the law")?;
    unknown.note_keys(&object, &kind.parameter_names().collect::<Vec<_>>());
    let estimate = |name| -> Result<Estimate> {
        Ok(parameter::read(
            object.needed(name, "{\"value\": …} with one number")?,
            Extent::Signed,
            unknown,
        )?[0])
    };
    let estimates = kind.parameter_names().map(estimate).collect::<Result<Vec<_>>>()?;
    FittedLaw::new(kind, estimates).map_err(|error| {
        let place = object.get(error.name).unwrap_or(node);
        place.refuse(format!("{error}; calibrate it again, or correct it"))
    })
}

/// Lays out the laws; `None` if there are none. An error includes its path.
pub(super) fn write(laws: &FittedLaws) -> Result<Option<Layout>> {
    let mut objects: Vec<(String, Layout)> = Vec::new();
    for law in laws {
        let name = law.kind().name;
        let mut entries = Vec::new();
        for (parameter, estimate) in law.named() {
            let layout = parameter::write(&[estimate], Extent::Signed)
                .map_err(|fault| fault.within(format!("models.{KEY}.{name}.{parameter}")))?;
            entries.push((parameter.to_owned(), layout));
        }
        objects.push((name.to_owned(), Layout::Object(entries)));
    }
    Ok((!objects.is_empty()).then_some(Layout::Object(objects)))
}
