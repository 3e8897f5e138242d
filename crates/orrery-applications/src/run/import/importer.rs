use std::path::Path;

use super::error::{self, ImportError};
use super::format::ImportFormat;
use super::mapping::ColumnMapping;
use super::name_pattern::{FileConfigurations, FileProperties};
use super::parsed::{LineStarts, Parsed, Remark, RemarkKind, describe};
use super::{caliper, cubex, experiment, extrap, hatchet, hpl, profile_name, table};
use crate::run::{Configuration, Metric, Run, Runs, file};
use orrery_base::file::{Fault, FileError, TORN_LINE_USED, torn_line};
use orrery_base::json;
use orrery_measure::sample::Provenance;

/// The options of an import.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImportOptions {
    /// The format of all texts; `None` recognises each by its content.
    pub format: Option<ImportFormat>,
    /// The processing elements of all runs without a configuration of their own.
    pub configuration: Configuration,
    /// The configuration and variables of the runs of each file, which have priority over the
    /// common configuration; `None` for the variables in the names of profiles.
    pub by_file: Option<FileConfigurations>,
    /// The meaning of the columns of tables, of the parameters of Extra-P and of values that
    /// describe a run of Caliper or Thicket.
    pub map: ColumnMapping,
    /// The metrics of Extra-P, Score-P, Caliper or Hatchet; empty for all of Extra-P, and for the
    /// time of profiles.
    pub metrics: Vec<String>,
}

/// An importer of runs from one text after the other.
#[derive(Debug, Default)]
pub struct Importer {
    options: ImportOptions,
    imported: Imported,
    sources: Vec<String>,
}

/// Imported runs and remarks on them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Imported {
    /// The runs; their provenance names the texts.
    pub runs: Runs,
    /// Runs that are left out, and assumptions about others.
    pub remarks: Vec<Remark>,
}

impl Importer {
    /// Creates an importer with options.
    pub fn new(options: ImportOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Imports a text; `name` is its name in errors, remarks and origins. A text with a fault adds
    /// no run.
    ///
    /// # Errors
    ///
    /// The first fault, with its line, its column and its run; a text in an unknown format or
    /// without runs.
    pub fn add(
        &mut self,
        content: impl AsRef<[u8]>,
        name: impl AsRef<Path>,
    ) -> Result<(), ImportError> {
        let before = self.imported.runs.runs.len();
        let (content, path) = (content.as_ref(), name.as_ref());
        let format = self.options.format.or_else(|| ImportFormat::detect_archive(content));
        let added = match format {
            Some(format @ (ImportFormat::Cubex | ImportFormat::ExtrapExperiment)) => {
                self.add_archive(content, path, format)
            }
            _ => self.add_text(content, path),
        };
        if added.is_err() {
            self.imported.runs.runs.truncate(before);
        }
        added
    }

    /// Imports a text; the runs above a fault are added.
    fn add_text(&mut self, content: &[u8], path: &Path) -> Result<(), ImportError> {
        let error = |text: &str, fault: Fault| FileError::located(path, text, fault);
        let not_text = |before: &str| error(before, error::not_text().at(before.len()));
        let text = json::text(content).map_err(|(_, before)| not_text(&before))?;
        if let Some(zero) = text.find('\0') {
            return Err(not_text(&text[..zero]).into());
        }
        let format = self.options.format.or_else(|| ImportFormat::detect(text));
        let format = format.ok_or_else(|| ImportError::Unknown { path: path.to_owned() })?;
        let properties = self.properties(path, format)?;
        let configuration = &properties.configuration;
        let parsed = match format {
            ImportFormat::Hpl => hpl::read(text, configuration),
            ImportFormat::Extrap => extrap::text(text, &self.options.map),
            ImportFormat::JsonLines => extrap::json_lines(text, &self.options.map),
            ImportFormat::Json => extrap::json(text, &self.options.map),
            ImportFormat::Caliper => {
                self.each_metric(|metric| caliper::read(text, &self.options.map, metric))
            }
            ImportFormat::Hatchet => self
                .each_metric(|metric| hatchet::read(text, &self.options.map, metric, &properties)),
            ImportFormat::Csv => table::read(text, &self.options.map, &properties),
            ImportFormat::Runs => {
                for run in file::parse(text, path)?.runs {
                    self.push(run, &properties).map_err(|fault| error(text, fault.at(0)))?;
                }
                self.sources.push(format!("{format} from {}", path.display()));
                return Ok(());
            }
            ImportFormat::Cubex | ImportFormat::ExtrapExperiment => {
                return self.add_archive(content, path, format);
            }
        };
        let mut parsed = parsed.map_err(|located| error(text, located))?;
        if matches!(format, ImportFormat::Extrap | ImportFormat::JsonLines | ImportFormat::Json) {
            extrap::in_seconds(&mut parsed, &self.options.map);
        }
        if let Some(&(byte, _)) = parsed.runs.first()
            && format == ImportFormat::Hpl
            && configuration.shares.is_empty()
        {
            parsed.remarks.push((byte, RemarkKind::NoElements));
        }
        if parsed.runs.is_empty() && parsed.remarks.is_empty() {
            return Err(ImportError::Nothing { path: path.to_owned(), format });
        }
        // The readers of other formats refuse such a line, or brackets end their text.
        if matches!(format, ImportFormat::Csv | ImportFormat::Extrap)
            && torn_line(text.as_bytes()).is_some()
        {
            let remark = RemarkKind::Warning(TORN_LINE_USED.to_owned());
            parsed.remarks.push((text.trim_end().len() - 1, remark));
        }
        self.take(parsed, &properties, Some(&LineStarts::new(text)), path)
            .map_err(|located| error(text, located))?;
        self.sources.push(format!("{format} from {}", path.display()));
        Ok(())
    }

    /// Imports an archive, which is not a text.
    fn add_archive(
        &mut self,
        content: &[u8],
        path: &Path,
        format: ImportFormat,
    ) -> Result<(), ImportError> {
        let properties = self.properties(path, format)?;
        let parsed = match format {
            ImportFormat::Cubex => {
                self.each_metric(|metric| cubex::read(content, metric, &properties))
            }
            _ => experiment::read(content, &self.options.map).map(|mut parsed| {
                extrap::in_seconds(&mut parsed, &self.options.map);
                parsed
            }),
        };
        let parsed = parsed.map_err(|fault| FileError::whole(path, fault))?;
        if parsed.runs.is_empty() && parsed.remarks.is_empty() {
            return Err(ImportError::Nothing { path: path.to_owned(), format });
        }
        self.take(parsed, &properties, None, path)
            .map_err(|fault| FileError::whole(path, fault))?;
        self.sources.push(format!("{format} from {}", path.display()));
        Ok(())
    }

    /// The runs and remarks by each of the metrics, or by the one that is the time.
    fn each_metric(
        &self,
        read: impl Fn(Option<&str>) -> Result<Parsed, Fault>,
    ) -> Result<Parsed, Fault> {
        let metrics = &self.options.metrics;
        let mut parsed = read(metrics.first().map(String::as_str))?;
        for metric in metrics.iter().skip(1) {
            let Parsed { runs, remarks } = read(Some(metric))?;
            parsed.runs.extend(runs);
            parsed.remarks.extend(remarks);
        }
        Ok(parsed)
    }

    /// What is known of the runs of a file without its content.
    fn properties(&self, path: &Path, format: ImportFormat) -> Result<FileProperties, ImportError> {
        let common = &self.options.configuration;
        let found = match &self.options.by_file {
            Some(files) => Some(files.properties(path)),
            None => format.is_profile().then(|| Some(profile_name::properties(path))),
        };
        let mut properties = match found {
            Some(None) if common.shares.is_empty() => {
                let fault = "the name does not match the pattern of configurations, or is not in \
                    their table; correct the pattern, or name the configuration of all runs";
                return Err(FileError::whole(path, Fault::new(fault)).into());
            }
            found => found.flatten().unwrap_or_default(),
        };
        if properties.configuration.shares.is_empty() {
            properties.configuration = common.clone();
        }
        Ok(properties)
    }

    /// Adds the runs and remarks of a text, or of an archive without lines, to the imported ones,
    /// with their places in the file.
    fn take(
        &mut self,
        parsed: Parsed,
        properties: &FileProperties,
        lines: Option<&LineStarts>,
        path: &Path,
    ) -> Result<(), Fault> {
        for (byte, mut run) in parsed.runs {
            run.origin = match lines {
                Some(lines) => format!("{}:{}", path.display(), lines.line(byte)),
                None => path.display().to_string(),
            };
            self.push(run, properties).map_err(|fault| fault.at(byte))?;
        }
        let mut remarks = parsed.remarks;
        if self.options.by_file.is_none() && !properties.variables.is_empty() {
            remarks.push((0, RemarkKind::named_variables(&properties.variables)));
        }
        for (byte, kind) in remarks {
            let line = lines.map_or(0, |lines| lines.line(byte));
            self.imported.remarks.push(Remark { path: path.to_owned(), line, kind });
        }
        Ok(())
    }

    /// Takes over a run, with the configuration of its file if it has none of its own.
    fn push(&mut self, mut run: Run, properties: &FileProperties) -> Result<(), Fault> {
        if run.configuration.shares.is_empty() {
            run.configuration = properties.configuration.clone();
        }
        for (name, by_name) in &properties.variables {
            let found = *run.variables.entry(name.clone()).or_insert(*by_name);
            if found.total_cmp(by_name).is_ne() {
                let (run, name, by_name) = (describe(&run), name.clone(), *by_name);
                return Err(Fault::new(format!(
                    "run {run}: {name} is {found}, but {by_name} by the \
                    name of the file; correct one of them"
                )));
            }
        }
        run.check()
            .map_err(|fault| Fault::new(format!("run {run}: {fault}", run = describe(&run))))?;
        self.imported.runs.runs.push(run);
        Ok(())
    }

    /// Returns the runs of all texts.
    ///
    /// # Errors
    ///
    /// A chosen metric that no run has.
    pub fn finish(self) -> Result<Imported, ImportError> {
        let Self { options, mut imported, sources } = self;
        let runs = &mut imported.runs.runs;
        let chosen = options.metrics.iter().map(|name| Metric::choose(&*runs, Some(name)));
        let chosen = chosen.collect::<Result<Vec<_>, _>>().map_err(ImportError::Metric)?;
        if !chosen.is_empty() {
            runs.retain(|run| chosen.iter().any(|metric| metric.is_of(run)));
        }
        imported.runs.provenance = Provenance::new().with("imported", sources.join("; "));
        Ok(imported)
    }
}
