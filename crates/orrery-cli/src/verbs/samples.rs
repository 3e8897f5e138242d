//! Reading of samples files and model files.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use orrery::file::FileKind;
use orrery::model::{Model, file as model_file};
use orrery::sample::{REMEASURED, Samples, Superseded, file, supersede};

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
    let mut parts = read_parts(context, paths, other_hosts)?;
    let superseded = supersede(&mut parts);
    report_superseded(context, &superseded);
    // The provenance is that of a whole campaign, if there is one.
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|&part| parts[part].provenance.get(REMEASURED).is_some());
    let mut all: Option<Samples> = None;
    for part in order {
        let (path, samples) = (paths[part].display(), &parts[part]);
        match &mut all {
            Some(all) => {
                let (one, other) = (all.provenance.timing(), samples.provenance.timing());
                if one != other && holds_collectives(all) && holds_collectives(samples) {
                    warn(format_args!(
                        "{path}: its collectives are timed by {other}, those of earlier files by \
                            {one}"
                    ));
                }
                let twice = all.extend(samples);
                if twice > 0 {
                    warn(format_args!(
                        "{path}: {twice} readings are also in earlier files; they are used once"
                    ));
                }
            }
            None => all = Some(samples.clone()),
        }
    }
    Ok(all.unwrap_or_default())
}

/// Reads samples files, and compares the hosts of each with those of earlier files.
pub fn read_parts(
    context: Context,
    paths: &[PathBuf],
    other_hosts: OtherHosts,
) -> anyhow::Result<Vec<Samples>> {
    let mut parts: Vec<Samples> = Vec::new();
    // The machine of all files so far.
    let mut machine = Samples::default();
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
        if parts.is_empty() {
            machine.provenance = loaded.samples.provenance.clone();
        }
        other_hosts
            .check(path, &machine.provenance.machine_differences(&loaded.samples.provenance))?;
        machine.provenance.add_hosts(&loaded.samples.provenance);
        parts.push(loaded.samples);
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

/// Checks that the experiments of samples files can be predicted within their budget.
pub fn check_operations(samples: &Samples, paths: &[PathBuf]) -> anyhow::Result<()> {
    let names =
        || paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    samples.check_operations().with_context(names)
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

/// Returns true if the samples contain collective operations whose schedule is known.
fn holds_collectives(samples: &Samples) -> bool {
    samples
        .series()
        .iter()
        .any(|series| series.experiment.is_collective() && series.experiment.has_program())
}
