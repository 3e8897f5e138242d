//! The models by name: point-to-point models from their registry, thresholds, sharing laws and an
//! application.

use super::parameter::{self, Extent};
use super::warning::UnknownKeys;
use super::{application, correlations, point_to_point, sharing, thresholds};
use crate::comm::COMBINATION;
use crate::model::{Model, ModelKind};
use orrery_base::budget::Budget;
use orrery_base::file::Result;
use orrery_base::json::{Layout, Object};

/// Reads all models of n processors into `model`, within the budget of the file.
pub(super) fn read(
    models: &Object,
    n: usize,
    budget: Budget,
    model: &mut Model,
    unknown: &mut UnknownKeys,
) -> Result<()> {
    for (key, node) in models.iter() {
        match key {
            application::KEY => application::read(node, model)?,
            thresholds::KEY => model.thresholds = thresholds::read(node, n, unknown)?,
            sharing::KEY => model.sharing = sharing::read(node, unknown)?,
            COMBINATION => {
                model.combination = parameter::read(node, Extent::Processors(n), unknown)?;
            }
            _ => match ModelKind::stored().find(|kind| kind.name() == key) {
                Some(kind) => {
                    let parameters = point_to_point::read(node, kind, n, budget, unknown)?;
                    model.point_to_point.insert(kind, parameters);
                    let object = node.object("an object with the parameters of the model")?;
                    if let Some(node) = object.get(correlations::KEY) {
                        model
                            .correlations
                            .insert(kind, correlations::read(node, kind, n, unknown)?);
                    }
                }
                None => unknown.note_model(key, node, &names()),
            },
        }
    }
    Ok(())
}

/// Returns the keywords of all models.
fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = ModelKind::stored().map(ModelKind::name).collect();
    names.extend([thresholds::KEY, sharing::KEY, COMBINATION, application::KEY]);
    names
}

/// Lays out all models. An error includes its path.
pub(super) fn write(model: &Model) -> Result<Layout> {
    let n = model.processors();
    let mut models = Vec::new();
    for (kind, parameters) in &model.point_to_point {
        let mut entries = point_to_point::write(*kind, parameters, n)?;
        let known = model.correlations.get(kind);
        if let Some(known) = known {
            entries.push((correlations::KEY.to_owned(), correlations::write(known)));
        }
        models.push((kind.name().to_owned(), Layout::Object(entries)));
    }
    let combination = (!model.combination.is_empty()).then(|| {
        parameter::write(&model.combination, Extent::Processors(n))
            .map_err(|fault| fault.within(format!("models.{COMBINATION}")))
    });
    let others = [
        (thresholds::KEY, thresholds::write(&model.thresholds)?),
        (sharing::KEY, sharing::write(&model.sharing)?),
        (COMBINATION, combination.transpose()?),
        (application::KEY, application::write(model)?),
    ];
    models.extend(others.into_iter().filter_map(|(key, part)| Some((key.to_owned(), part?))));
    Ok(Layout::Object(models))
}
