//! Reading of samples files and model files.

use std::path::{Path, PathBuf};

use orrery::model::{Model, file as model_file};
use orrery::sample::{Provenance, Samples, file};

use crate::context::{Context, warn};

/// Reads samples files into one.
pub fn read(context: Context, paths: &[PathBuf]) -> anyhow::Result<Samples> {
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
                for (line, one, other) in differences(&all.provenance, &loaded.samples.provenance) {
                    let path = path.display();
                    warn(format_args!(
                        "{path}: its {line} is {other:?}, but that of earlier files is {one:?}; fit one model per machine"
                    ));
                }
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

/// The entries of the provenance that show that two files are from different machines: key and both values.
fn differences(one: &Provenance, other: &Provenance) -> Vec<(&'static str, String, String)> {
    // Files of the same machine may have different numbers of its hosts.
    let agree = |line: &str, a: &str, b: &str| match line {
        "hosts" => a.split(' ').zip(b.split(' ')).all(|(a, b)| a == b),
        _ => a == b,
    };
    let both = |line: &'static str| Some((line, one.get(line)?.to_owned(), other.get(line)?.to_owned()));
    ["machine", "truth", "hosts"].into_iter().filter_map(both).filter(|(line, a, b)| !agree(line, a, b)).collect()
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
