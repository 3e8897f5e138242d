//! Reading of timings files, which hold the times of concurrent messages.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use orrery::sample::file::read_table;
use orrery::sample::{KernelTimings, MeasuredScheme, RoutineTimings, Timings, measured_penalties};
use orrery::sharing::scheme::Scheme;

use super::measure::timed;
use super::other_hosts::OtherHosts;
use crate::context::{Context, warn};
use crate::output::counted;
use crate::printable::stem;

/// Reads files with times of kernels into one.
pub fn read_kernels(paths: &[PathBuf]) -> anyhow::Result<KernelTimings> {
    let mut all = KernelTimings::default();
    for path in paths {
        let loaded = read_table::<KernelTimings>(path)?;
        loaded.warnings.iter().for_each(warn);
        all.extend(loaded.samples);
    }
    Ok(all)
}

/// Reads files with times of parallel routines into one.
pub fn read_routines(paths: &[PathBuf]) -> anyhow::Result<RoutineTimings> {
    let mut all = RoutineTimings::default();
    for path in paths {
        let loaded = read_table::<RoutineTimings>(path)?;
        loaded.warnings.iter().for_each(warn);
        for (name, count) in loaded.samples.others {
            warn(format_args!(
                "{}: {} of {name} have no prediction",
                path.display(),
                counted(count as u64, "reading")
            ));
        }
        if all.readings.is_empty() && all.redistributions.is_empty() {
            all.provenance = loaded.samples.provenance;
        }
        all.readings.extend(loaded.samples.readings);
        all.redistributions.extend(loaded.samples.redistributions);
    }
    Ok(all)
}

/// Reads timings files into one; files of different machines draw a warning.
pub fn read(paths: &[PathBuf]) -> anyhow::Result<Timings> {
    read_with(paths, OtherHosts::Warn)
}

/// Reads timings files into one.
pub fn read_with(paths: &[PathBuf], other_hosts: OtherHosts) -> anyhow::Result<Timings> {
    let mut all: Option<Timings> = None;
    for path in paths {
        let loaded = read_table::<Timings>(path)?;
        loaded.warnings.iter().for_each(warn);
        match &mut all {
            Some(all) => {
                for one in all.provenance.machine_differences(&loaded.samples.provenance) {
                    other_hosts.check(path, &one)?;
                }
                let twice =
                    all.extend(&loaded.samples).with_context(|| path.display().to_string())?;
                if twice > 0 {
                    let path = path.display();
                    warn(format_args!(
                        "{path}: {twice} readings are also in earlier files; they are used once"
                    ));
                }
            }
            None => all = Some(loaded.samples),
        }
    }
    Ok(all.unwrap_or_default())
}

/// Reports the schemes that are not compared with laws because of their delays.
pub fn report_delayed(context: Context, delayed: &[String]) {
    if !delayed.is_empty() {
        let names = delayed.join(", ");
        context.say(format!(
            "schemes left out because their transfers do not start together: {names}"
        ));
    }
}

/// The measurement of a scheme in a timings file: the scheme of the same name, or another with the
/// same transfers.
pub fn measured_like(path: &Path, file: &Path, scheme: &Scheme) -> anyhow::Result<MeasuredScheme> {
    let timings = read(&[path.to_owned()])?;
    let wanted = timed(stem(file), scheme);
    let mut alike = timings
        .schemes()
        .iter()
        .filter(|known| known.is_like(&wanted))
        .map(|known| known.name.clone());
    let found = timings
        .scheme(&wanted.name)
        .filter(|known| known.is_like(&wanted))
        .map(|known| known.name.clone());
    let found = found.or_else(|| alike.next()).with_context(|| {
        let place = path.display();
        format!(
            "{place}: it contains no scheme with the transfers of {}; measure it with orrery \
                measure scheme",
            file.display()
        )
    })?;
    let all = measured_penalties(&timings);
    all.into_iter().find(|one| one.name == found).context("a scheme that was read has penalties")
}
