//! What several verbs read: samples files, model files, lists of kinds.

use std::path::{Path, PathBuf};

use orrery::model::{Model, ModelKind, file as model_file};
use orrery::sample::{Samples, file};

use crate::context::{Context, Usage, warn};

/// Reads samples files into one.
pub fn read(context: Context, paths: &[PathBuf]) -> anyhow::Result<Samples> {
    let mut all: Option<Samples> = None;
    for path in paths {
        let loaded = file::read(path)?;
        loaded.warnings.iter().for_each(warn);
        for unknown in &loaded.samples.unknown {
            let (rows, experiment) = (unknown.rows, &unknown.experiment);
            context.say(format!("{}: {rows} rows of {experiment:?} are not used: unknown experiment", path.display()));
        }
        match &mut all {
            Some(all) => all.extend(&loaded.samples),
            None => all = Some(loaded.samples),
        }
    }
    Ok(all.unwrap_or_default())
}

/// Reads a model file.
pub fn model(path: &Path) -> anyhow::Result<Model> {
    let loaded = model_file::read(path)?;
    loaded.warnings.iter().for_each(warn);
    Ok(loaded.model)
}

/// A list of kinds of models with commas between; `None` for all.
pub fn kinds(list: &str) -> Result<Option<Vec<ModelKind>>, Usage> {
    if list == "all" {
        return Ok(None);
    }
    list.split(',').map(|word| word.trim().parse().map_err(Usage)).collect::<Result<Vec<_>, _>>().map(Some)
}

/// The kinds that are asked for, or all that the model holds.
pub fn kinds_of(model: &Model, list: &str) -> Result<Vec<ModelKind>, Usage> {
    Ok(kinds(list)?.unwrap_or_else(|| model.kinds()))
}
