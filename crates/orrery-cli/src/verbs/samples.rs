//! What several verbs read: samples files and model files.

use std::path::{Path, PathBuf};

use orrery::model::{Model, file as model_file};
use orrery::sample::{Experiment, Samples, file};

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
            Some(all) => {
                let (one, other) = (all.provenance.timing(), loaded.samples.provenance.timing());
                if one != other && holds_collectives(all) && holds_collectives(&loaded.samples) {
                    let path = path.display();
                    warn(format_args!(
                        "{path}: its collectives are timed by {other}, those of files before it by {one}"
                    ));
                }
                all.extend(&loaded.samples);
            }
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

fn holds_collectives(samples: &Samples) -> bool {
    samples.series().iter().any(|series| matches!(series.experiment, Experiment::Collective { .. }))
}
