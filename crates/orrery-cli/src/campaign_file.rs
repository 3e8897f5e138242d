//! The file of a campaign, and the recovery of its readings after another program has changed it.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{anyhow, bail};
use orrery::file::FileError;
use orrery::sample::Provenance;
use orrery::sample::file::{self, TableWriter, WrittenTable};

use crate::context::{provenance, shell_word, warn};
use crate::output::counted;

/// The file of a campaign with its readings.
pub struct CampaignFile<T: WrittenTable> {
    /// All readings.
    pub table: T,
    pub writer: TableWriter<T>,
    /// The number of readings of earlier campaigns.
    before: usize,
}

/// The keys of the provenance that must be equal when a campaign is continued.
const MACHINE_KEYS: [&str; 6] = ["machine", "cluster", "truth", "noise", "hosts", "thread-level"];

/// The provenance of the file of a campaign of this command.
pub fn head(seed: Option<u64>, machine: &Provenance) -> Provenance {
    let mut head = provenance(&Provenance::new());
    seed.into_iter().for_each(|seed| head.set("seed", seed.to_string()));
    machine.iter().for_each(|(key, value)| head.set(key, value));
    head
}

impl<T: WrittenTable> CampaignFile<T> {
    /// Continues the file of a campaign; readings of different machines are not mixed.
    pub fn resume(path: &Path, machine: &Provenance) -> anyhow::Result<Self> {
        let (writer, loaded) = TableWriter::<T>::resume(path)?;
        loaded.warnings.iter().for_each(warn);
        let known = loaded.samples.provenance();
        for key in MACHINE_KEYS {
            if let (Some(now), Some(before)) = (machine.get(key), known.get(key))
                && now != before
            {
                let path = path.display();
                bail!(
                    "{path}: it was measured with {key}: {before}, but this machine has {key}: \
                        {now}; name another file"
                );
            }
        }
        let before = readings(&loaded.samples);
        Ok(Self { table: loaded.samples, writer, before })
    }

    /// Creates the file with the readings that have arrived before.
    pub fn create(path: &Path, force: bool, table: T) -> anyhow::Result<Self> {
        let mut writer = TableWriter::<T>::create(path, table.provenance(), force)?;
        writer.append(&table.rows().collect::<Vec<_>>())?;
        Ok(Self { table, writer, before: 0 })
    }

    /// The error of the campaign; if another program has changed the file, all readings are written
    /// to a new one.
    pub fn rescue(&self, error: anyhow::Error) -> anyhow::Error {
        let readings = counted(readings(&self.table) as u64, "reading");
        rescue(error, self.writer.path(), &readings, |path| {
            Ok(file::write(path, &self.table, false)?)
        })
    }

    /// Checks the file; returns a sentence with the numbers of readings, `None` without any.
    pub fn finish(&self) -> anyhow::Result<Option<String>> {
        self.writer.finish().map_err(|error| self.rescue(error.into()))?;
        let (all, before) = (readings(&self.table), self.before);
        let there = if before > 0 { format!(" ({before} existed before)") } else { String::new() };
        let path = self.writer.path().display();
        let fresh = counted((all - before) as u64, "reading");
        Ok((all > 0).then(|| format!("{fresh} written to {path}{there}")))
    }
}

/// The number of readings of a table.
fn readings<T: WrittenTable>(table: &T) -> usize {
    table.rows().filter(T::is_reading).count()
}

/// The error of a campaign that writes to the file at `path`.
///
/// If another program has changed the file, `write` writes all of `readings`, such as
/// `20 readings`, to a new file beside it or in a new folder of this user, and the error names that
/// file. Other errors are returned as they are.
pub fn rescue(
    error: anyhow::Error,
    path: &Path,
    readings: &str,
    write: impl Fn(&Path) -> anyhow::Result<()>,
) -> anyhow::Error {
    let is_change =
        error.chain().any(|cause| matches!(cause.downcast_ref(), Some(FileError::Changed { .. })));
    if !is_change {
        return error;
    }
    let beside = || new_file(path, path.parent().unwrap_or(Path::new("")));
    // The folder may be gone, too.
    let elsewhere = || {
        let folder = tempfile::Builder::new()
            .prefix("orrery-")
            .permissions(fs::Permissions::from_mode(0o700))
            .tempdir()?;
        new_file(path, &folder.keep())
    };
    let rescued = |file: io::Result<PathBuf>| {
        let file = file?;
        write(&file).inspect_err(|_| drop(fs::remove_file(&file)))?;
        Ok::<_, anyhow::Error>(file)
    };
    match rescued(beside()).or_else(|_| rescued(elsewhere())) {
        Ok(file) => {
            let word = shell_word(&file);
            anyhow!("{error:#}; all {readings} are in {word}, continue with -o {word} --resume")
        }
        Err(other) => {
            anyhow!("{error:#}; its {readings} cannot be written to another file: {other:#}")
        }
    }
}

/// Creates a file in a folder, whose name no other program can foresee and nobody else may read:
/// `samples.recovered-x7Qa2b.csv` for `samples.csv`.
fn new_file(path: &Path, folder: &Path) -> io::Result<PathBuf> {
    let mut prefix = path.file_stem().unwrap_or_default().to_owned();
    prefix.push(".recovered-");
    let mut suffix = OsString::new();
    if let Some(extension) = path.extension() {
        suffix.push(".");
        suffix.push(extension);
    }
    let place = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let file = tempfile::Builder::new().prefix(&prefix).suffix(&suffix).tempfile_in(place)?;
    let created = file.into_temp_path().keep().map_err(|error| error.error)?;
    Ok(folder.join(created.file_name().unwrap_or_default()))
}
