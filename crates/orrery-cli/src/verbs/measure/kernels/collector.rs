use std::path::Path;

use anyhow::bail;
use orrery::sample::file::KernelsWriter;
use orrery::sample::{HOST_CLASSES, KernelReading, KernelTimings, Provenance};

use crate::context::{Context, warn};
use crate::host_classes::of;
use crate::output::counted;
use crate::session::same_machine;

/// The readings of all hosts, and the file to which they are written.
pub struct Collector {
    context: Context,
    /// True if one host is measured.
    pub is_alone: bool,
    /// The readings of the file.
    pub timings: KernelTimings,
    writer: Option<KernelsWriter>,
    /// The number of readings of earlier campaigns.
    before: usize,
}

impl Collector {
    /// No readings and no file yet.
    pub fn new(context: Context, is_alone: bool) -> Self {
        Self { context, is_alone, timings: KernelTimings::default(), writer: None, before: 0 }
    }

    /// Returns true if there is a file.
    pub fn is_open(&self) -> bool {
        self.writer.is_some()
    }

    /// Continues an existing file of the same machine.
    pub fn resume(&mut self, path: &Path, machine: &Provenance) -> anyhow::Result<()> {
        let (writer, loaded) = KernelsWriter::resume(path)?;
        loaded.warnings.iter().for_each(warn);
        same_machine(path, machine, &loaded.samples.provenance)?;
        let [now, before] = [machine, &loaded.samples.provenance]
            .map(|one| one.get(HOST_CLASSES).unwrap_or("none"));
        if now != before {
            let path = path.display();
            bail!(
                "{path}: it was measured with classes: {before}, but now there are: {now}; name \
                    another file"
            );
        }
        (self.writer, self.before, self.timings) =
            (Some(writer), loaded.samples.readings.len(), loaded.samples);
        Ok(())
    }

    /// Creates the file, and writes the readings that have arrived before.
    pub fn create(&mut self, path: &Path, force: bool, head: Provenance) -> anyhow::Result<()> {
        let mut writer = KernelsWriter::create(path, &head, force)?;
        if !self.timings.readings.is_empty() {
            writer.append(&self.timings.readings)?;
        }
        self.timings.provenance = head;
        self.writer = Some(writer);
        Ok(())
    }

    /// Stores readings.
    pub fn store(&mut self, readings: &[KernelReading]) -> anyhow::Result<()> {
        self.timings.readings.extend_from_slice(readings);
        Ok(self.writer.as_mut().map_or(Ok(()), |writer| writer.append(readings))?)
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
    pub fn finish(&self, path: &Path) -> anyhow::Result<()> {
        if let Some(writer) = &self.writer {
            writer.finish()?;
        }
        let fresh = counted((self.timings.readings.len() - self.before) as u64, "reading");
        let there = if self.before > 0 {
            format!(" ({} existed before)", self.before)
        } else {
            String::new()
        };
        self.context.say(format!("{fresh} written to {}{there}", path.display()));
        Ok(())
    }
}
