use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use super::quantity::Quantity;
use super::row::Row;
use super::section::{Line, Section};
use super::{Fault, ImportError, Remark, RemarkKind, Source, imb, osu};
use crate::file::Position;
use crate::file::words;
use crate::platform::Processor;
use crate::sample::{Experiment, Provenance, Sample, Samples};

/// Imports the output of benchmarks, text by text.
#[derive(Debug, Default)]
pub struct Importer {
    only: Option<Source>,
    named: Option<Vec<Processor>>,
    imported: Imported,
    /// The section, launch and repetition of the last reading of each experiment.
    last: BTreeMap<Experiment, (usize, u32, u32)>,
    sections: usize,
    sources: Vec<String>,
    iterations: Option<(u64, u64)>,
    /// The texts so far, by hash and length, with their names.
    texts: BTreeMap<(u64, usize), PathBuf>,
    /// True if some readings have no printed number of iterations.
    has_uncounted: bool,
}

/// The result of an import.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Imported {
    /// The readings, with a provenance that contains the numbers of iterations.
    pub samples: Samples,
    /// Remarks on skipped parts.
    pub remarks: Vec<Remark>,
}

/// The state of the import of one text.
struct Reader<'a> {
    path: &'a Path,
    line: usize,
    section: Option<Section>,
    /// The version in the last header of IMB.
    version: String,
    roots_change: bool,
    titles: usize,
}

impl Importer {
    /// Creates an importer for one benchmark suite or all; `processors` are the distinct processors of ranks 0, 1, ….
    pub fn new(only: Option<Source>, processors: Option<Vec<Processor>>) -> Self {
        Self { only, named: processors, ..Self::default() }
    }

    /// Imports a text; `name` is its name in errors and remarks. A repeated experiment counts as a further launch; a text
    /// that was imported already is skipped with a remark.
    ///
    /// # Errors
    ///
    /// Returns the first row that cannot be parsed with its line and column, or an error if the text contains no
    /// benchmark.
    pub fn add(&mut self, content: impl AsRef<[u8]>, name: impl AsRef<Path>) -> Result<(), ImportError> {
        let (content, path) = (content.as_ref(), name.as_ref());
        let content = content.strip_prefix("\u{feff}".as_bytes()).unwrap_or(content);
        let mut reader =
            Reader { path, line: 0, section: None, version: String::new(), roots_change: false, titles: 0 };
        let mut hasher = DefaultHasher::new();
        content.hash(&mut hasher);
        if let Some(first) = self.texts.get(&(hasher.finish(), content.len())) {
            let kind = RemarkKind::Repeated(first.clone());
            self.remark(&reader, kind);
            return Ok(());
        }
        for line in content.split_inclusive(|&byte| byte == b'\n') {
            reader.line += 1;
            let whole = line.ends_with(b"\n");
            let line = match std::str::from_utf8(line.trim_ascii_end()) {
                Ok(line) if !line.contains('\0') => line,
                _ => return Err(reader.error("", 0, Fault::NotText)),
            };
            if whole {
                self.take(&mut reader, line)?;
            } else if reader.section.is_some() && line.trim_start().starts_with(|c: char| c.is_ascii_digit()) {
                self.remark(&reader, RemarkKind::TornLine);
            }
        }
        if reader.titles == 0 {
            return Err(ImportError::Nothing { path: path.to_owned(), source_asked: self.only });
        }
        self.texts.insert((hasher.finish(), content.len()), path.to_owned());
        Ok(())
    }

    /// Returns the imported samples and the remarks.
    pub fn finish(self) -> Imported {
        let Self { mut imported, sources, iterations, has_uncounted, .. } = self;
        let counted = iterations.map(|(least, most)| {
            if least == most { format!("{least} iterations") } else { format!("{least} to {most} iterations") }
        });
        let of = match (counted, has_uncounted) {
            (Some(counted), false) => counted,
            (Some(counted), true) => format!("{counted}, or of an unknown number"),
            (None, _) => "an unknown number of iterations".to_owned(),
        };
        imported.samples.provenance = Provenance::new()
            .with("imported", sources.join("; "))
            .with("timing", format!("means of a benchmark: each reading is the mean of {of}"));
        imported
    }

    /// Parses one line of a text.
    fn take(&mut self, reader: &mut Reader, line: &str) -> Result<(), ImportError> {
        let wanted = |source| self.only.is_none_or(|only| only == source);
        if wanted(Source::Imb) {
            if let Some(version) = imb::version(line) {
                (reader.version, reader.roots_change) = (version.to_owned(), imb::roots_change(version));
            }
            reader.roots_change = imb::root_option(line).unwrap_or(reader.roots_change);
        }
        let title = match (osu::title(line), imb::title(line)) {
            (Some(title), _) => Some((Source::Osu, title.to_owned(), osu::measured(title))),
            (_, Some(title)) => {
                let name = ["IMB", &reader.version, title].join(" ").replace("  ", " ");
                Some((Source::Imb, name, imb::measured(title)))
            }
            _ => None,
        };
        if let Some((source, name, measured)) = title {
            reader.section = None;
            if wanted(source) {
                self.begin(reader, source, name, measured);
            }
            return Ok(());
        }
        let Some(section) = &mut reader.section else { return Ok(()) };
        let words = words(line);
        match section.take(line, &words, self.named.as_deref()) {
            Ok(Line::Other) => {}
            Ok(Line::Remark(why) | Line::GivenUp(why)) => self.remark(reader, why),
            Ok(Line::Skipped(why)) => {
                self.remark(reader, why);
                reader.section = None;
            }
            Ok(Line::Reading(quantity, row)) => {
                let source = format!("{} from {}", section.name, reader.path.display());
                self.reading(quantity, row, source);
            }
            Err((byte, fault)) => return Err(reader.error(line, byte, fault)),
        }
        Ok(())
    }

    /// Starts the section of a benchmark.
    fn begin(&mut self, reader: &mut Reader, source: Source, name: String, measured: Option<Quantity>) {
        reader.titles += 1;
        self.sections += 1;
        match measured {
            Some(measured) => {
                let roots_change = source == Source::Imb && reader.roots_change;
                reader.section = Some(Section::new(source, name, measured, roots_change));
            }
            None => self.remark(reader, RemarkKind::OtherBenchmark(name)),
        }
    }

    /// Adds a reading.
    fn reading(&mut self, quantity: Quantity, row: Row, source: String) {
        let (experiment, seconds) = quantity.reading(row.size, row.seconds);
        let section = self.sections;
        let (launch, rep) = match self.last.get(&experiment) {
            None => (0, 0),
            Some(&(last, launch, rep)) if last == section => (launch, rep + 1),
            Some(&(_, launch, _)) => (launch + 1, 0),
        };
        self.last.insert(experiment, (section, launch, rep));
        self.imported.samples.push(Sample { experiment, launch, rep, seconds });
        if self.sources.last() != Some(&source) {
            self.sources.push(source);
        }
        match row.iterations {
            None => self.has_uncounted = true,
            Some(n) => {
                self.iterations = Some(self.iterations.map_or((n, n), |(least, most)| (least.min(n), most.max(n))));
            }
        }
    }

    /// Adds a remark on the current line.
    fn remark(&mut self, reader: &Reader, kind: RemarkKind) {
        self.imported.remarks.push(Remark { path: reader.path.to_owned(), line: reader.line, kind });
    }
}

impl Reader<'_> {
    /// An error at a byte of the current line.
    fn error(&self, line: &str, byte: usize, fault: Fault) -> ImportError {
        let column = line[..byte].chars().count() + 1;
        ImportError::Line { path: self.path.to_owned(), position: Position { line: self.line, column }, fault }
    }
}
