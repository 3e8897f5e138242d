use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::summary::{self, SummaryRow};
use super::{PicoSelection, names, raw};
use crate::sample::import::unusable::no_element;
use crate::sample::import::{Imported, NOT_TEXT, Remark, TORN_LINE};
use crate::sample::{Experiment, ExperimentFields, Provenance, Sample, UnknownExperiment};
use orrery_base::file::{Fault, FaultKind, FileError, torn_line};
use orrery_base::units::{Bytes, Seconds};
use orrery_program::schedule::CollectiveKind;

/// Imports results of PICO, text by text: tables of quantiles, and files of single readings.
#[derive(Debug, Default)]
pub struct PicoImporter {
    selection: PicoSelection,
    imported: Imported,
    sources: Vec<String>,
    rows: Vec<(PathBuf, SummaryRow)>,
    unknown: BTreeMap<String, usize>,
    /// The number of repetitions so far of each experiment in each launch.
    repetitions: BTreeMap<(Experiment, u32), u32>,
    /// The largest number of a launch of single readings of each experiment.
    launches: BTreeMap<Experiment, u32>,
    readings: Option<(u64, u64)>,
    is_raw: bool,
}

impl PicoImporter {
    /// Creates an importer of the selected results.
    pub fn new(selection: PicoSelection) -> Self {
        Self { selection, ..Self::default() }
    }

    /// Returns true if content is a file of single readings, which names no system and no library.
    pub fn are_readings(content: &[u8]) -> bool {
        let line = content.split(|&byte| byte == b'\n').next().unwrap_or_default();
        std::str::from_utf8(line).is_ok_and(raw::is_header)
    }

    /// Imports a text; `name` is its name in errors. The name of a file of single readings contains
    /// the number of elements, the algorithm and the type: `1048576_ring_ompi_int32.csv`.
    ///
    /// # Errors
    ///
    /// Returns the first row that cannot be parsed with its line and column, or an error if the
    /// text is no result of PICO, or if an operation or a number of processes is needed that was
    /// not selected.
    pub fn add(
        &mut self,
        content: impl AsRef<[u8]>,
        name: impl AsRef<Path>,
    ) -> Result<(), FileError> {
        let (content, path) = (content.as_ref(), name.as_ref());
        let content = content.strip_prefix("\u{feff}".as_bytes()).unwrap_or(content);
        let text = match std::str::from_utf8(content) {
            Ok(text) if !text.contains('\0') => text,
            _ => return Err(FileError::located(path, "", Fault::new(NOT_TEXT).at(0))),
        };
        let header = text.lines().next().unwrap_or_default();
        if summary::is_header(header) {
            self.add_summary(text, path)
        } else if raw::is_header(header) {
            self.add_raw(text, path)
        } else {
            let message = "this is no result of PICO: its first line is neither \"highest\" nor \
                names of columns with collective, algorithm and median";
            Err(FileError::whole(path, Fault::new(message)))
        }
    }

    /// Reads the rows of a table of quantiles.
    fn add_summary(&mut self, text: &str, path: &Path) -> Result<(), FileError> {
        let rows = summary::rows(text).map_err(|fault| FileError::located(path, text, fault))?;
        self.rows.extend(rows.into_iter().map(|row| (path.to_owned(), row)));
        if let Some(line) = torn_line(text.as_bytes()).filter(|line| *line > 1) {
            let (path, kind) = (path.to_owned(), TORN_LINE.to_owned());
            self.imported.warnings.push(Remark { path, line, kind });
        }
        self.sources.push(format!("PICO from {}", path.display()));
        Ok(())
    }

    /// Reads a file of single readings, which is a further launch of its experiment.
    fn add_raw(&mut self, text: &str, path: &Path) -> Result<(), FileError> {
        let located = |fault| FileError::located(path, text, fault);
        let file = raw::RawFile::of(text, path).map_err(located)?;
        let PicoSelection { operation, nodes, ppn, .. } = &self.selection;
        let (Some(kind), Some(nodes), Some(per_host)) = (*operation, *nodes, *ppn) else {
            let missing = [
                operation.is_none().then_some("the operation"),
                nodes.is_none().then_some("the number of nodes"),
                ppn.is_none().then_some("the number of processes per node"),
            ];
            let missing: Vec<&str> = missing.into_iter().flatten().collect();
            let message = format!(
                "single readings of PICO need {}, which their file does not contain; select them",
                missing.join(", ")
            );
            let fault = Fault::new(message).of_kind(FaultKind::Selection);
            return Err(FileError::whole(path, fault));
        };
        let procs = nodes.saturating_mul(per_host);
        if let Some(found) = file.ranks.filter(|ranks| *ranks != procs) {
            let message = format!(
                "these are times of {found} ranks, but {nodes} nodes × {per_host} processes are \
                    {procs}; correct one of the numbers"
            );
            return Err(located(Fault::new(message).of_kind(FaultKind::Selection).at(0)));
        }
        self.is_raw = true;
        self.count(file.nanoseconds.len() as u64);
        let line = 1;
        if let Some(experiment) =
            self.experiment(kind, &file.algorithm, procs, file.bytes, file.element, path, line)
        {
            let launch = self.launches.get(&experiment).map_or(0, |last| last + 1);
            self.launches.insert(experiment, launch);
            for nanoseconds in file.nanoseconds {
                self.push(experiment, launch, Seconds::new(nanoseconds * 1e-9));
            }
        }
        self.sources.push(format!("PICO from {}", path.display()));
        Ok(())
    }

    /// Returns the imported samples and the remarks.
    ///
    /// # Errors
    ///
    /// If a table of quantiles contains several systems, numbers of nodes or of processes per node
    /// and the selection leaves more than one, or none.
    pub fn finish(mut self) -> Result<Imported, FileError> {
        let rows = std::mem::take(&mut self.rows);
        let found: BTreeSet<_> = rows.iter().map(|(_, row)| row.setup.clone()).collect();
        let selected: BTreeSet<_> =
            found.iter().filter(|setup| self.selection.includes(setup)).collect();
        if let (Some((path, _)), false) = (rows.first(), selected.len() == 1) {
            let found: Vec<String> = found.iter().map(ToString::to_string).collect();
            let number = match selected.len() {
                0 => "none".to_owned(),
                several => several.to_string(),
            };
            let message = format!(
                "{number} of the following are selected, but a samples file has one: {}; select a \
                    system, a number of nodes, a number of processes per node and a library",
                found.join("; ")
            );
            let fault = Fault::new(message).of_kind(FaultKind::Selection);
            return Err(FileError::whole(path, fault));
        }
        let chosen = || rows.iter().filter(|(_, row)| selected.contains(&row.setup));
        let runs: BTreeSet<&str> = chosen().map(|(_, row)| row.run.as_str()).collect();
        let launches: BTreeMap<&str, u32> = runs.iter().copied().zip(0..).collect();
        for (path, row) in chosen() {
            if self.selection.operation.is_some_and(|kind| kind != row.kind) {
                continue;
            }
            let procs = row.setup.procs();
            let experiment = self.experiment(
                row.kind,
                &row.algorithm,
                procs,
                row.bytes,
                row.element,
                path,
                row.line,
            );
            if let Some(experiment) = experiment {
                self.count(row.readings);
                let launch = launches[row.run.as_str()];
                for seconds in row.quantiles {
                    self.push(experiment, launch, seconds);
                }
            }
        }
        let mut provenance = Provenance::new().with("imported", self.sources.join("; "));
        if let Some(setup) = selected.first() {
            provenance.set("system", setup.system.clone());
            provenance.set("library", setup.library.clone());
            provenance.set("launches", runs.iter().copied().collect::<Vec<_>>().join(" "));
        }
        let per_host = selected.first().map(|setup| setup.ppn).or(self.selection.ppn).unwrap_or(1);
        provenance.set(crate::sample::PROCESSES_PER_HOST, per_host.to_string());
        provenance.set("timing", self.timing());
        self.imported.samples.provenance = provenance;
        self.imported.samples.unknown = std::mem::take(&mut self.unknown)
            .into_iter()
            .map(|(experiment, rows)| UnknownExperiment { experiment, rows })
            .collect();
        Ok(self.imported)
    }

    /// The value of the key `timing`.
    fn timing(&self) -> String {
        let (least, most) = self.readings.unwrap_or_default();
        let of = if least == most { format!("{least}") } else { format!("{least} to {most}") };
        if self.is_raw {
            format!("maximum over the ranks, {of} readings without the first fifth")
        } else {
            format!(
                "maximum over the ranks; the readings are the quantiles of 10, 50 and 90 % of {of} \
                    readings"
            )
        }
    }

    /// Records the number of readings behind a row.
    fn count(&mut self, readings: u64) {
        let (least, most) = self.readings.unwrap_or((readings, readings));
        self.readings = Some((least.min(readings), most.max(readings)));
    }

    /// The experiment of a row; `None` with a remark or a count if samples cannot represent it.
    #[expect(clippy::too_many_arguments, reason = "the columns of a row")]
    fn experiment(
        &mut self,
        kind: CollectiveKind,
        algorithm: &str,
        procs: usize,
        bytes: u64,
        element: u64,
        path: &Path,
        line: usize,
    ) -> Option<Experiment> {
        let Some(template) = names::experiment(kind, algorithm) else {
            *self.unknown.entry(format!("{kind}/{algorithm}")).or_default() += 1;
            return None;
        };
        let mut remark =
            |kind| self.imported.remarks.push(Remark { path: path.to_owned(), line, kind });
        // PICO gives each rank the quotient of the numbers of elements and ranks, and leaves a
        // remainder of the buffer unused. Source: test_loop of pico_core/pico_core_utils.c.
        let blocks = if kind.has_blocks() { procs.max(1) as u64 } else { 1 };
        let size = bytes / element / blocks * element;
        if size == 0 {
            remark(no_element(&format!("{kind}/{algorithm}, {bytes} bytes")));
            return None;
        }
        let fields =
            ExperimentFields { procs: Some(procs), size: Bytes::new(size), ..template.fields() };
        Some(template.with_fields(&fields))
    }

    /// Adds a reading as the next repetition of its experiment and launch.
    fn push(&mut self, experiment: Experiment, launch: u32, seconds: Seconds) {
        let rep = self.repetitions.entry((experiment, launch)).or_default();
        self.imported.samples.push(Sample { experiment, launch, rep: *rep, seconds });
        *rep += 1;
    }
}
