//! Reading of samples files and model files.

use std::path::{Path, PathBuf};

use orrery::file::FileKind;
use orrery::model::{Model, file as model_file};
use orrery::sample::{Samples, Superseded, file, join, machine_differences};

use super::given;
use super::other_hosts::OtherHosts;
use crate::context::{Context, warn};
use crate::output::counted;

/// Reads samples files into one; files of different machines draw a warning.
pub fn read(context: Context, paths: &[PathBuf]) -> anyhow::Result<Samples> {
    read_with(context, paths, OtherHosts::Warn)
}

/// Reads samples files into one; readings of hosts that were measured again replace older ones, in
/// any order of the files.
pub fn read_with(
    context: Context,
    paths: &[PathBuf],
    other_hosts: OtherHosts,
) -> anyhow::Result<Samples> {
    let joined = join(read_parts(context, paths, other_hosts)?);
    report_superseded(context, &joined.superseded);
    for (file, remark) in joined.remarks {
        warn(format_args!("{}: {remark}", paths[file].display()));
    }
    Ok(joined.samples)
}

/// Reads samples files, and compares the hosts of each with those of earlier files.
pub fn read_parts(
    context: Context,
    paths: &[PathBuf],
    other_hosts: OtherHosts,
) -> anyhow::Result<Vec<Samples>> {
    let mut parts: Vec<Samples> = Vec::new();
    for path in paths {
        let loaded = file::read(path)?;
        loaded.warnings.iter().for_each(warn);
        for unknown in &loaded.samples.unknown {
            let (rows, experiment) = (unknown.rows, &unknown.experiment);
            context.say(format!(
                "{}: {rows} rows of the unknown experiment {experiment:?} are not used",
                path.display()
            ));
        }
        parts.push(loaded.samples);
    }
    for (file, difference) in machine_differences(&parts) {
        other_hosts.check(&paths[file], &difference)?;
    }
    Ok(parts)
}

/// Reports readings that newer ones replace.
fn report_superseded(context: Context, superseded: &Superseded) {
    let Superseded { hosts, replaced, dropped } = superseded;
    if *replaced + *dropped == 0 {
        return;
    }
    let hosts = hosts.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let experiments = counted(*replaced as u64, "experiment");
    context.say(format!("{hosts}: newer readings of {experiments} replace older ones"));
    if *dropped > 0 {
        let experiments = counted(*dropped as u64, "experiment");
        context.say(format!(
            "{hosts}: older readings of {experiments} are not used: these were not measured again"
        ));
    }
}

/// Returns true if a file holds samples.
pub fn are_samples(path: &Path) -> bool {
    given::kind(path) == Some(FileKind::Samples)
}

/// Reads a model file.
pub fn model(path: &Path) -> anyhow::Result<Model> {
    let loaded = model_file::read(path)?;
    loaded.warnings.iter().for_each(warn);
    Ok(loaded.model)
}
