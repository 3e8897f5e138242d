use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use super::section::{Line, Section};
use super::unusable::UnusableSizes;
use super::{NOT_TEXT, Remark, Source, TORN_LINE, imb, osu};
use crate::sample::{Experiment, NativeAlgorithm, PROCESSES_PER_HOST, Provenance, Sample, Samples};
use orrery_base::file::{Fault, FileError, FileKind, Position, kind_of, other_kind, words};
use orrery_base::names::advice;
use orrery_base::units::Seconds;
use orrery_cluster::platform::Processor;
use orrery_program::schedule::CollectiveKind;

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
    /// The texts so far, by hash and length, with their names and the algorithms that were forced.
    texts: BTreeMap<(u64, usize), (PathBuf, Option<NativeAlgorithm>)>,
    unusable: UnusableSizes,
    per_host: Option<usize>,
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
    /// Remarks on files that may be defective: incomplete lines and repeated texts.
    pub warnings: Vec<Remark>,
}

/// The state of the import of one text.
struct Reader<'a> {
    path: &'a Path,
    /// The algorithm that the library was forced to use.
    forced: Option<NativeAlgorithm>,
    line: usize,
    section: Option<Section>,
    /// The settings in the last header of IMB.
    imb: imb::Settings,
    titles: usize,
}

impl Importer {
    /// Creates an importer for one benchmark suite or all; `processors` are the distinct processors
    /// of ranks 0, 1, ….
    pub fn new(only: Option<Source>, processors: Option<Vec<Processor>>) -> Self {
        Self { only, named: processors, ..Self::default() }
    }

    /// Sets the number of processes on each host, which is recorded in the provenance.
    #[must_use]
    pub fn with_processes_per_host(self, number: usize) -> Self {
        Self { per_host: Some(number), ..self }
    }

    /// Imports a text; `name` is its name in errors and remarks. A repeated experiment counts as a
    /// further launch; a text that was imported already is skipped with a remark.
    ///
    /// # Errors
    ///
    /// Returns the first row that cannot be parsed with its line and column, or an error if the
    /// text contains no benchmark, or was imported already as the times of an algorithm.
    pub fn add(
        &mut self,
        content: impl AsRef<[u8]>,
        name: impl AsRef<Path>,
    ) -> Result<(), FileError> {
        self.add_text(content.as_ref(), name.as_ref(), None)
    }

    /// Imports a text as [`Importer::add`], whose collective operations the library was forced to
    /// carry out by an algorithm.
    ///
    /// Operations that the algorithm does not carry out are skipped with a remark, and sizes at
    /// which the library uses another one ([`NativeAlgorithm::runs_on_elements`]).
    ///
    /// # Errors
    ///
    /// As [`Importer::add`], and an error if the library does not have the algorithm.
    pub fn add_forced(
        &mut self,
        content: impl AsRef<[u8]>,
        name: impl AsRef<Path>,
        algorithm: NativeAlgorithm,
    ) -> Result<(), FileError> {
        let NativeAlgorithm { library, algorithm: wanted } = algorithm;
        if !CollectiveKind::ALL.iter().any(|kind| library.has(*kind, wanted)) {
            let named =
                CollectiveKind::ALL.into_iter().flat_map(|kind| library.algorithm_names(kind));
            let mut known: Vec<String> =
                named.filter_map(|(_, known)| *known).map(|known| known.to_string()).collect();
            known.sort();
            known.dedup();
            let advice = if known.is_empty() {
                String::new()
            } else {
                format!("; {}", advice(&wanted.to_string(), "known", known))
            };
            let message = format!("{library} has no algorithm {wanted}{advice}");
            return Err(FileError::whole(name.as_ref(), Fault::new(message)));
        }
        self.add_text(content.as_ref(), name.as_ref(), Some(algorithm))
    }

    /// Imports a text; `forced` is the algorithm by which the library was forced to carry out
    /// collective operations, if any.
    fn add_text(
        &mut self,
        content: &[u8],
        path: &Path,
        forced: Option<NativeAlgorithm>,
    ) -> Result<(), FileError> {
        let content = content.strip_prefix("\u{feff}".as_bytes()).unwrap_or(content);
        let mut reader = Reader {
            path,
            forced,
            line: 0,
            section: None,
            imb: imb::Settings::default(),
            titles: 0,
        };
        let mut hasher = DefaultHasher::new();
        content.hash(&mut hasher);
        if let Some((first, before)) = self.texts.get(&(hasher.finish(), content.len())).cloned() {
            if before != forced {
                let by = |algorithm: Option<NativeAlgorithm>| match algorithm {
                    Some(algorithm) => algorithm.to_string(),
                    None => "the library's own choice".to_owned(),
                };
                let message = format!(
                    "this is the text of {} again, as the times of {}, not of {}; give each file \
                        once",
                    first.display(),
                    by(forced),
                    by(before)
                );
                return Err(FileError::whole(path, Fault::new(message)));
            }
            let words = format!(
                "this is the text of {} again; it is not imported, since a copy is no further \
                    launch",
                first.display()
            );
            self.imported.warnings.push(reader.remark(words));
            return Ok(());
        }
        for line in content.split_inclusive(|&byte| byte == b'\n') {
            reader.line += 1;
            let whole = line.ends_with(b"\n");
            let line = match std::str::from_utf8(line.trim_ascii_end()) {
                Ok(line) if !line.contains('\0') => line,
                _ => return Err(reader.error("", Fault::new(NOT_TEXT))),
            };
            if whole {
                self.take(&mut reader, line)?;
            } else if reader.section.is_some()
                && line.trim_start().starts_with(|c: char| c.is_ascii_digit())
            {
                self.imported.warnings.push(reader.remark(TORN_LINE.to_owned()));
            }
        }
        if reader.titles == 0 {
            let fault = match kind_of(content) {
                Some(found) if !matches!(found, FileKind::Osu | FileKind::Imb) => {
                    other_kind(content, FileKind::Osu)
                }
                _ => nothing(self.only),
            };
            return Err(FileError::whole(path, fault));
        }
        self.texts.insert((hasher.finish(), content.len()), (path.to_owned(), forced));
        Ok(())
    }

    /// Returns the imported samples and the remarks.
    pub fn finish(self) -> Imported {
        let Self { mut imported, sources, iterations, has_uncounted, unusable, per_host, .. } =
            self;
        imported.remarks.extend(unusable.remarks());
        let counted = iterations.map(|(least, most)| {
            if least == most {
                format!("{least} iterations")
            } else {
                format!("{least} to {most} iterations")
            }
        });
        let of = match (counted, has_uncounted) {
            (Some(counted), false) => counted,
            (Some(counted), true) => format!("{counted}, or of an unknown number"),
            (None, _) => "an unknown number of iterations".to_owned(),
        };
        imported.samples.provenance = Provenance::new()
            .with("imported", sources.join("; "))
            .with("timing", format!("means of a benchmark: each reading is the mean of {of}"));
        if let Some(per_host) = per_host {
            imported.samples.provenance.set(PROCESSES_PER_HOST, per_host.to_string());
        }
        imported
    }

    /// Imports one line of a text.
    fn take(&mut self, reader: &mut Reader, line: &str) -> Result<(), FileError> {
        let wanted = |source| self.only.is_none_or(|only| only == source);
        if wanted(Source::Imb) {
            reader.imb.update(line);
        }
        let title = match (osu::title(line), imb::title(line)) {
            (Some(title), _) => Some((Source::Osu, title)),
            (_, Some(title)) => Some((Source::Imb, title)),
            _ => None,
        };
        if let Some((source, title)) = title {
            reader.section = None;
            if wanted(source) {
                self.begin(reader, source, title);
            }
            return Ok(());
        }
        let Some(section) = &mut reader.section else { return Ok(()) };
        let words = words(line);
        match section.take(line, &words, self.named.as_deref()) {
            Ok(Line::Other) => {}
            // What is wrong with all runs of a benchmark is remarked once.
            Ok(Line::Remark(why)) => {
                if self.imported.remarks.iter().all(|remark| remark.kind != why) {
                    self.remark(reader, why);
                }
            }
            Ok(Line::GivenUp(why)) => self.remark(reader, why),
            Ok(Line::Skipped(why)) => {
                self.remark(reader, why);
                reader.section = None;
            }
            Ok(Line::Reading(quantity, row)) => {
                let source = format!("{} from {}", section.name, reader.path.display());
                match quantity.reading(row.size, row.seconds) {
                    Ok(reading) => self.reading(reading, row.iterations, source),
                    Err(why) => {
                        self.unusable.add(why, quantity, row.size, (reader.path, reader.line));
                    }
                }
            }
            Err(fault) => return Err(reader.error(line, fault)),
        }
        Ok(())
    }

    /// Starts the section of a benchmark, or adds a remark if it cannot be imported.
    fn begin(&mut self, reader: &mut Reader, source: Source, title: &str) {
        reader.titles += 1;
        self.sections += 1;
        let (name, measured, is_reduce_scatter) = match source {
            Source::Osu => (title.to_owned(), osu::measured(title), osu::is_reduce_scatter(title)),
            Source::Imb => {
                let name = ["IMB", &reader.imb.version, title].join(" ").replace("  ", " ");
                let measured = imb::measured(title).filter(|_| !reader.imb.on_accelerator);
                (name, measured, imb::is_reduce_scatter(title))
            }
        };
        let quantity = match (measured, reader.forced) {
            (None, _) if is_reduce_scatter => {
                let words = format!(
                    "{name} is skipped: libraries choose the algorithms of MPI_Reduce_scatter \
                        apart from those of MPI_Reduce_scatter_block, which samples contain; run \
                        the benchmark of the latter"
                );
                return self.remark(reader, words);
            }
            (None, _) => {
                let words = format!(
                    "{name} is skipped: only round trips, exchanges and blocking collective \
                        operations of equal blocks are imported"
                );
                return self.remark(reader, words);
            }
            (Some(measured), None) => measured,
            (Some(measured), Some(algorithm)) => match measured.forced(algorithm) {
                Some(forced) => forced,
                None => {
                    let words = format!("{name} is skipped: {algorithm} does not carry it out");
                    return self.remark(reader, words);
                }
            },
        };
        reader.section = Some(match source {
            Source::Osu => Section::of_osu(name, quantity),
            Source::Imb => Section::of_imb(name, quantity, &reader.imb),
        });
    }

    /// Adds a reading, the mean of some iterations; in a further section an experiment has a
    /// further launch.
    fn reading(
        &mut self,
        (experiment, seconds): (Experiment, Seconds),
        iterations: Option<u64>,
        source: String,
    ) {
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
        match iterations {
            None => self.has_uncounted = true,
            Some(n) => {
                self.iterations = Some(
                    self.iterations.map_or((n, n), |(least, most)| (least.min(n), most.max(n))),
                );
            }
        }
    }

    /// Adds a remark on the current line.
    fn remark(&mut self, reader: &Reader, words: String) {
        self.imported.remarks.push(reader.remark(words));
    }
}

impl Reader<'_> {
    /// A fault of the current line.
    fn error(&self, line: &str, fault: Fault) -> FileError {
        let before = &line[..fault.byte().unwrap_or(0)];
        let position = Position { line: self.line, column: before.chars().count() + 1 };
        FileError::at(self.path, position, fault)
    }

    /// A remark on the current line.
    fn remark(&self, kind: String) -> Remark {
        Remark { path: self.path.to_owned(), line: self.line, kind }
    }
}

/// The fault of a text without output of the requested benchmark suite.
fn nothing(only: Option<Source>) -> Fault {
    const OSU: &str = "OSU micro-benchmarks";
    const IMB: &str = "Intel MPI Benchmarks";
    const OSU_TITLE: &str = "# OSU MPI Latency Test v7.4";
    let (suites, example) = match only {
        Some(Source::Imb) => (IMB.to_owned(), "# Benchmarking PingPong"),
        Some(Source::Osu) => (OSU.to_owned(), OSU_TITLE),
        None => (format!("{OSU} or {IMB}"), OSU_TITLE),
    };
    Fault::new(format!(
        "there is no output of {suites} here: no line such as {example:?}; give the whole output"
    ))
}
