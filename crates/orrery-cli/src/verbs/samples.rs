//! Reading of samples files and model files.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use orrery::model::{Model, file as model_file};
use orrery::sample::{Samples, file};

use super::other_hosts::OtherHosts;
use crate::context::{Context, warn};

/// Reads samples files into one; files of different machines draw a warning.
pub fn read(context: Context, paths: &[PathBuf]) -> anyhow::Result<Samples> {
    read_with(context, paths, OtherHosts::Warn)
}

/// Reads samples files into one.
pub fn read_with(context: Context, paths: &[PathBuf], other_hosts: OtherHosts) -> anyhow::Result<Samples> {
    let mut all: Option<Samples> = None;
    for path in paths {
        let loaded = file::read(path)?;
        loaded.warnings.iter().for_each(warn);
        for unknown in &loaded.samples.unknown {
            let (rows, experiment) = (unknown.rows, &unknown.experiment);
            context
                .say(format!("{}: {rows} rows of the unknown experiment {experiment:?} are not used", path.display()));
        }
        match &mut all {
            Some(all) => {
                let (one, other) = (all.provenance.timing(), loaded.samples.provenance.timing());
                if one != other && holds_collectives(all) && holds_collectives(&loaded.samples) {
                    let path = path.display();
                    warn(format_args!("{path}: its collectives are timed by {other}, those of earlier files by {one}"));
                }
                let differences = all.provenance.machine_differences(&loaded.samples.provenance);
                other_hosts.check(path, &differences)?;
                let twice = all.extend(&loaded.samples);
                if twice > 0 {
                    let path = path.display();
                    warn(format_args!("{path}: {twice} readings are also in earlier files; they are used once"));
                }
            }
            None => all = Some(loaded.samples),
        }
    }
    Ok(all.unwrap_or_default())
}

/// Checks that the experiments of samples files can be predicted within their budget.
pub fn check_operations(samples: &Samples, paths: &[PathBuf]) -> anyhow::Result<()> {
    let names = || paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    samples.check_operations().with_context(names)
}

/// Reads a model file.
pub fn model(path: &Path) -> anyhow::Result<Model> {
    let loaded = model_file::read(path)?;
    loaded.warnings.iter().for_each(warn);
    Ok(loaded.model)
}

/// Returns true if the samples contain collective operations.
fn holds_collectives(samples: &Samples) -> bool {
    samples.series().iter().any(|series| series.experiment.is_collective() && series.experiment.has_program())
}
