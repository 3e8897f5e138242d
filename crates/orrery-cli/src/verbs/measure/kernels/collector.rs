use std::path::Path;

use anyhow::bail;
use orrery::sample::{HOST_CLASSES, KernelReading, KernelTimings, Provenance};

use crate::campaign_file::CampaignFile;
use crate::context::{Context, warn};
use crate::host_classes::of;

/// The readings of all hosts, and the file to which they are written.
pub struct Collector {
    context: Context,
    /// True if one host is measured.
    pub is_alone: bool,
    file: Option<CampaignFile<KernelTimings>>,
    /// The readings that have arrived before there is a file.
    early: Vec<KernelReading>,
}

impl Collector {
    /// No readings and no file yet.
    pub fn new(context: Context, is_alone: bool) -> Self {
        Self { context, is_alone, file: None, early: Vec::new() }
    }

    /// Returns true if there is a file.
    pub fn is_open(&self) -> bool {
        self.file.is_some()
    }

    /// The readings of the file.
    pub fn timings(&self) -> KernelTimings {
        self.file.as_ref().map(|file| file.table.clone()).unwrap_or_default()
    }

    /// Continues an existing file of the same machine.
    pub fn resume(&mut self, path: &Path, machine: &Provenance) -> anyhow::Result<()> {
        let file = CampaignFile::<KernelTimings>::resume(path, machine)?;
        let [now, before] =
            [machine, &file.table.provenance].map(|one| one.get(HOST_CLASSES).unwrap_or("none"));
        if now != before {
            let path = path.display();
            bail!(
                "{path}: it was measured with classes: {before}, but now there are: {now}; name \
                    another file"
            );
        }
        self.file = Some(file);
        Ok(())
    }

    /// Creates the file, and writes the readings that have arrived before.
    pub fn create(&mut self, path: &Path, force: bool, head: Provenance) -> anyhow::Result<()> {
        let readings = std::mem::take(&mut self.early);
        let table = KernelTimings { provenance: head, readings };
        self.file = Some(CampaignFile::create(path, force, table)?);
        Ok(())
    }

    /// Stores readings.
    pub fn store(&mut self, readings: &[KernelReading]) -> anyhow::Result<()> {
        let Some(file) = &mut self.file else {
            self.early.extend_from_slice(readings);
            return Ok(());
        };
        file.table.readings.extend_from_slice(readings);
        file.writer.append(readings).map_err(|error| file.rescue(error.into()))
    }

    /// Prints a remark of a host.
    #[cfg(feature = "mpi")]
    pub fn say(&self, host: &str, words: &str) {
        self.context.say(of(host, words, self.is_alone));
    }

    /// Prints a warning of a host.
    pub fn warn(&self, host: &str, words: &str) {
        warn(of(host, words, self.is_alone));
    }

    /// Checks the file and prints the number of readings.
    pub fn finish(&self) -> anyhow::Result<()> {
        if let Some(written) = self.file.as_ref().map(CampaignFile::finish).transpose()?.flatten() {
            self.context.say(written);
        }
        Ok(())
    }
}
