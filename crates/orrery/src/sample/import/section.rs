use super::line::Located;
use super::{Fault, RemarkKind, Source, imb, osu};
use crate::file::Word;
use crate::platform::Processor;
use crate::sample::Experiment;
use crate::schedule::CollectiveKind;
use crate::units::{Bytes, Seconds};

/// The quantities of benchmarks that samples can represent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantity {
    /// Half a round trip with a reply as long as the message.
    HalfRoundTrip,
    /// Half a round trip, as the mean over several concurrent pairs or of one pair.
    Pairs,
    /// Two processes send to each other at the same time.
    Exchange,
    /// A collective operation from root 0.
    Collective(CollectiveKind),
}

/// The processors of the processes of a benchmark.
#[derive(Debug, Clone, Copy)]
pub(super) struct RankProcessors<'a> {
    /// The processors of ranks 0, 1, …, if they were given.
    pub(super) processors: Option<&'a [Processor]>,
    /// The number of processes, if the output contains it.
    pub(super) processes: Option<usize>,
}

/// The experiments of a benchmark, up to the size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExperimentClass {
    /// An experiment of two processors.
    Two(Quantity, Processor, Processor),
    /// A collective operation of a number of processors.
    Many(CollectiveKind, usize),
}

/// Why a benchmark cannot be imported: an error, or a reason to skip it.
pub(super) enum Unsupported {
    Fault(Fault),
    Skipped(RemarkKind),
}

impl Quantity {
    /// The experiments of the benchmark `name` on these processors.
    pub(super) fn experiments(self, name: &str, ranks: RankProcessors) -> Result<ExperimentClass, Unsupported> {
        let taking_part = ranks.processes.or(ranks.processors.map(<[Processor]>::len)).filter(|count| *count > 0);
        if let Self::Collective(kind) = self {
            let procs =
                taking_part.ok_or_else(|| Unsupported::Fault(Fault::Processes { benchmark: name.to_owned() }))?;
            let processors =
                ranks.processors.map(|processors| first_processors(name, processors, procs)).transpose()?;
            let in_order =
                |processors: &[Processor]| processors.iter().enumerate().all(|(place, p)| p.index() == place);
            if !processors.is_none_or(in_order) {
                return Err(Unsupported::Skipped(RemarkKind::Placement(name.to_owned())));
            }
            return Ok(ExperimentClass::Many(kind, procs));
        }
        if self == Self::Pairs && taking_part != Some(2) {
            let several = Unsupported::Skipped(RemarkKind::SeveralPairs(name.to_owned()));
            return Err(if taking_part.is_none() {
                Unsupported::Fault(Fault::Processes { benchmark: name.to_owned() })
            } else {
                several
            });
        }
        let two = [Processor(0), Processor(1)];
        let processors = first_processors(name, ranks.processors.unwrap_or(&two), 2)?;
        Ok(ExperimentClass::Two(
            if self == Self::Pairs { Self::HalfRoundTrip } else { self },
            processors[0],
            processors[1],
        ))
    }
}

/// The first `needed` processors; an error if fewer were given.
fn first_processors<'a>(
    name: &str,
    processors: &'a [Processor],
    needed: usize,
) -> Result<&'a [Processor], Unsupported> {
    let few = || Unsupported::Fault(Fault::Processors { benchmark: name.to_owned(), needed, given: processors.len() });
    processors.get(..needed).ok_or_else(few)
}

impl ExperimentClass {
    /// The experiment of a size, and its time if the benchmark prints `seconds`.
    pub(super) fn reading(self, size: Bytes, seconds: Seconds) -> (Experiment, Seconds) {
        match self {
            Self::Two(Quantity::Exchange, i, j) => (Experiment::Exchange { i, j, size }, seconds),
            Self::Two(_, i, j) => (Experiment::RoundTrip { i, j, size, reply: size }, seconds * 2.0),
            Self::Many(kind, procs) => (Experiment::Native { kind, root: Processor(0), procs, size }, seconds),
        }
    }
}

/// A row of a benchmark's table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Row {
    /// The size.
    pub(super) size: Bytes,
    /// The printed time.
    pub(super) seconds: Seconds,
    /// The number of iterations of which it is the mean, if printed.
    pub(super) iterations: Option<u64>,
}

/// The columns of a table.
enum Columns {
    Osu(osu::Columns),
    Imb(imb::Columns),
}

/// The output of one benchmark, up to the next title.
pub(super) struct Section {
    source: Source,
    /// The name of the benchmark: `OSU MPI Latency Test v7.4`, `IMB 2021.3 Scatter of 4`.
    pub(super) name: String,
    quantity: Quantity,
    processes: Option<usize>,
    /// The reason to skip the benchmark, if the output contains one.
    skipped: Option<RemarkKind>,
    columns: Option<(Columns, ExperimentClass)>,
    /// True if a row was read.
    pub(super) rows: bool,
    /// True after an empty line below the rows; other output of a job may follow.
    pub(super) ended: bool,
}

/// The meaning of a line of a section.
pub(super) enum Line {
    /// A line without relevant content.
    Other,
    /// The rest of the section is skipped.
    Skipped(RemarkKind),
    /// A remark on the section, which is still read.
    Remark(RemarkKind),
    /// A size that the benchmark did not measure.
    GivenUp(RemarkKind),
    /// A reading.
    Reading(ExperimentClass, Row),
}

impl Section {
    /// Starts a section; `roots_change` is the setting of roots in the header of IMB.
    pub(super) fn new(source: Source, name: String, quantity: Quantity, roots_change: bool) -> Self {
        let rooted = matches!(quantity, Quantity::Collective(_));
        let skipped = (rooted && roots_change).then(|| RemarkKind::RootChanges(name.clone()));
        Self { source, name, quantity, processes: None, skipped, columns: None, rows: false, ended: false }
    }

    /// Parses a line that is not the title of a section; an error comes with its byte.
    pub(super) fn take(&mut self, line: &str, words: &[Word], processors: Option<&[Processor]>) -> Located<Line> {
        let Some(first) = words.first() else {
            self.ended |= self.rows;
            return Ok(Line::Other);
        };
        if first.text.starts_with(|c: char| c.is_ascii_digit()) {
            return self.row(words);
        }
        match self.source {
            Source::Osu if osu::Columns::are_named(line) => {
                let columns = osu::Columns::of(line, matches!(self.quantity, Quantity::Collective(_)))?;
                let known =
                    if columns.mean { Line::Remark(RemarkKind::MeanOverRanks(self.name.clone())) } else { Line::Other };
                self.begin(Columns::Osu(columns), first.start, processors, known)
            }
            Source::Imb if imb::Columns::are_named(line) => {
                let columns = imb::Columns::of(line)?;
                self.begin(Columns::Imb(columns), first.start, processors, Line::Other)
            }
            Source::Imb => {
                if let Some(processes) = imb::processes(line) {
                    self.processes = Some(processes);
                    self.name = format!("{} of {processes}", self.name);
                } else if imb::several_groups(line) {
                    self.skipped = Some(RemarkKind::SeveralPairs(self.name.clone()));
                }
                Ok(Line::Other)
            }
            Source::Osu => Ok(Line::Other),
        }
    }

    /// Processes the line of column names, which determines the experiments of the rows.
    fn begin(
        &mut self,
        columns: Columns,
        start: usize,
        processors: Option<&[Processor]>,
        known: Line,
    ) -> Located<Line> {
        if let Some(why) = self.skipped.take() {
            return Ok(Line::Skipped(why));
        }
        match self.quantity.experiments(&self.name, RankProcessors { processors, processes: self.processes }) {
            Ok(subject) => {
                self.columns = Some((columns, subject));
                Ok(known)
            }
            Err(Unsupported::Skipped(why)) => Ok(Line::Skipped(why)),
            Err(Unsupported::Fault(fault)) => Err((start, fault)),
        }
    }

    /// Parses a row of the table.
    fn row(&mut self, words: &[Word]) -> Located<Line> {
        let Some((columns, subject)) = &self.columns else {
            let example = match self.source {
                Source::Osu => "# Size          Latency (us)",
                Source::Imb => "#bytes #repetitions      t[usec]   Mbytes/sec",
            };
            return Err((words[0].start, Fault::NoColumns { example }));
        };
        let row = match columns {
            Columns::Imb(_) if imb::is_given_up(words) => {
                return Ok(Line::GivenUp(RemarkKind::NotMeasured(format!("{}, {} bytes", self.name, words[0].text))));
            }
            Columns::Imb(columns) => columns.row(words),
            Columns::Osu(columns) => columns.row(words),
        };
        match row {
            Ok(row) => {
                self.rows = true;
                Ok(Line::Reading(*subject, row))
            }
            // Other output of a batch job may follow the table.
            Err(_) if self.ended => Ok(Line::Other),
            Err(fault) => Err(fault),
        }
    }
}
