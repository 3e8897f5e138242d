//! What several verbs read: samples files and model files.

use std::path::{Path, PathBuf};

use orrery::model::{Model, file as model_file};
use orrery::sample::{Samples, file};

use crate::context::{Context, warn};

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
