use std::collections::BTreeSet;
use std::path::Path;

use super::lines::Lines;
use super::{ColumnMapping, Fault, ImportError, ImportFormat, Read, Refused, Remark, extrap, hpl, in_words, table};
use crate::json;
use crate::run::{Configuration, Run, Runs, file};
use crate::sample::Provenance;

/// How texts are to be read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImportOptions {
    /// What all texts are; recognised by the content where nothing is said.
    pub format: Option<ImportFormat>,
    /// The processing elements of all runs that do not say it themselves.
    pub configuration: Configuration,
    /// What the columns of tables and the parameters of Extra-P are.
    pub map: ColumnMapping,
    /// The metric of Extra-P that is the time.
    pub metric: Option<String>,
}

/// Takes texts that tell of runs, one after the other.
#[derive(Debug, Default)]
pub struct Importer {
    options: ImportOptions,
    imported: Imported,
    sources: Vec<String>,
}

/// What was imported.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Imported {
    /// The runs, with a provenance that names the texts.
    pub runs: Runs,
    /// What was left out, and what should be known.
    pub remarks: Vec<Remark>,
}

/// The label that holds the metric of Extra-P.
pub(super) const METRIC: &str = "metric";

impl Importer {
    /// Reads texts in this way.
    pub fn new(options: ImportOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Takes a text; `name` is its name in errors, remarks and origins.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its line and column and the run that it belongs to; a text that tells of no run.
    pub fn add(&mut self, content: impl AsRef<[u8]>, name: impl AsRef<Path>) -> Result<(), ImportError> {
        let (content, path) = (content.as_ref(), name.as_ref());
        let refused = |text: &str, refused: Refused| {
            let (line, column) = Lines::new(text).line_and_column(refused.byte);
            ImportError::Line { path: path.to_owned(), line, column, fault: Box::new(refused.fault) }
        };
        let not_text = |before: &str| refused(before, Refused { byte: before.len(), fault: Fault::NotText });
        let text = json::text(content).map_err(|(_, before)| not_text(&before))?;
        if let Some(zero) = text.find('\0') {
            return Err(not_text(&text[..zero]));
        }
        let format = self.options.format.or_else(|| ImportFormat::detect(text));
        let format = format.ok_or_else(|| ImportError::Unknown { path: path.to_owned() })?;
        let read = match format {
            ImportFormat::Hpl => hpl::read(text, &self.options.configuration),
            ImportFormat::Extrap => extrap::text(text, &self.options.map),
            ImportFormat::JsonLines => extrap::json_lines(text, &self.options.map),
            ImportFormat::Json => extrap::json(text, &self.options.map),
            ImportFormat::Csv => table::read(text, &self.options.map, &self.options.configuration),
            ImportFormat::Runs => {
                for run in file::parse(text, path)?.runs {
                    self.push(run).map_err(|fault| refused(text, Refused { byte: 0, fault }))?;
                }
                self.sources.push(format!("{format} from {}", path.display()));
                return Ok(());
            }
        };
        let read = read.map_err(|fault| refused(text, fault))?;
        if read.runs.is_empty() && read.remarks.is_empty() {
            return Err(ImportError::Nothing { path: path.to_owned(), format });
        }
        self.take(read, &Lines::new(text), path).map_err(|fault| refused(text, fault))?;
        self.sources.push(format!("{format} from {}", path.display()));
        Ok(())
    }

    fn take(&mut self, read: Read, lines: &Lines, path: &Path) -> Result<(), Refused> {
        for (byte, mut run) in read.runs {
            run.origin = format!("{}:{}", path.display(), lines.line(byte));
            self.push(run).map_err(|fault| Refused { byte, fault })?;
        }
        for (byte, kind) in read.remarks {
            self.imported.remarks.push(Remark { path: path.to_owned(), line: lines.line(byte), kind });
        }
        Ok(())
    }

    /// Takes a run, which has the configuration of all where it names none.
    fn push(&mut self, mut run: Run) -> Result<(), Fault> {
        if run.configuration.shares.is_empty() {
            run.configuration = self.options.configuration.clone();
        }
        run.check().map_err(|fault| Fault::Run { run: in_words(&run), fault })?;
        self.imported.runs.runs.push(run);
        Ok(())
    }

    /// All that was taken.
    ///
    /// # Errors
    ///
    /// Several metrics of which none was chosen, or a chosen one that is not there.
    pub fn finish(self) -> Result<Imported, ImportError> {
        let Self { options, mut imported, sources } = self;
        let runs = &mut imported.runs.runs;
        let metric = |run: &Run| run.labels.get(METRIC).cloned();
        let known: BTreeSet<String> = runs.iter().filter_map(metric).collect();
        let known: Vec<String> = known.into_iter().collect();
        match options.metric {
            Some(metric) if !known.contains(&metric) => return Err(ImportError::Metric { metric, known }),
            Some(chosen) => runs.retain(|run| metric(run).is_none_or(|metric| metric == chosen)),
            None if known.len() > 1 => return Err(ImportError::Metrics { known }),
            None => {}
        }
        imported.runs.provenance = Provenance::new().with("imported", sources.join("; "));
        Ok(imported)
    }
}
