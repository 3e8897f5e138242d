use super::line::Located;
use super::{Fault, RemarkKind, Source, imb, osu};
use crate::file::Word;
use crate::platform::Processor;
use crate::sample::{Experiment, ExperimentFields};
use crate::schedule::CollectiveKind;
use crate::units::{Bytes, Seconds};

/// The quantity that a benchmark prints, as the time of an experiment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Quantity {
    /// The experiment, with processors and sizes of 0.
    template: Experiment,
    /// The time of the experiment relative to the printed time.
    factor: f64,
    /// True if the printed time is the mean over several concurrent pairs, unless there is one pair only.
    of_pairs: bool,
}

/// The processors of the processes of a benchmark.
#[derive(Debug, Clone, Copy)]
pub(super) struct RankProcessors<'a> {
    /// The processors of ranks 0, 1, …, if they were given.
    pub(super) processors: Option<&'a [Processor]>,
    /// The number of processes, if the output contains it.
    pub(super) processes: Option<usize>,
}

/// Why a benchmark cannot be imported: an error, or a reason to skip it.
pub(super) enum Unsupported {
    Fault(Fault),
    Skipped(RemarkKind),
}

impl Quantity {
    /// Half a round trip with a reply as long as the message.
    pub(super) const HALF_ROUND_TRIP: Self = Self {
        template: Experiment::RoundTrip { i: Processor(0), j: Processor(0), size: Bytes::ZERO, reply: Bytes::ZERO },
        factor: 2.0,
        of_pairs: false,
    };

    /// Half a round trip, as the mean over several concurrent pairs or of one pair.
    pub(super) const HALF_ROUND_TRIP_OF_PAIRS: Self = Self { of_pairs: true, ..Self::HALF_ROUND_TRIP };

    /// Two processes send to each other at the same time.
    pub(super) const EXCHANGE: Self = Self {
        template: Experiment::Exchange { i: Processor(0), j: Processor(0), size: Bytes::ZERO },
        factor: 1.0,
        of_pairs: false,
    };

    /// A collective operation of the MPI library from root 0.
    pub(super) const fn collective(kind: CollectiveKind) -> Self {
        let template = Experiment::Native { kind, root: Processor(0), procs: 0, size: Bytes::ZERO };
        Self { template, factor: 1.0, of_pairs: false }
    }

    /// Returns true for collective operations.
    fn is_collective(self) -> bool {
        self.template.is_collective()
    }

    /// The quantity of the benchmark `name` on these processors.
    fn placed(self, name: &str, ranks: RankProcessors) -> Result<Self, Unsupported> {
        let taking_part = ranks.processes.or(ranks.processors.map(<[Processor]>::len)).filter(|count| *count > 0);
        let unknown_count = || Unsupported::Fault(Fault::Processes { benchmark: name.to_owned() });
        let fields = self.template.fields();
        let placed = if self.is_collective() {
            let procs = taking_part.ok_or_else(unknown_count)?;
            let processors =
                ranks.processors.map(|processors| first_processors(name, processors, procs)).transpose()?;
            let in_order =
                |processors: &[Processor]| processors.iter().enumerate().all(|(place, p)| p.index() == place);
            if !processors.is_none_or(in_order) {
                return Err(Unsupported::Skipped(RemarkKind::Placement(name.to_owned())));
            }
            ExperimentFields { procs: Some(procs), ..fields }
        } else {
            let needed = self.template.procs();
            if self.of_pairs && taking_part.ok_or_else(unknown_count)? != needed {
                return Err(Unsupported::Skipped(RemarkKind::SeveralPairs(name.to_owned())));
            }
            let in_order: Vec<Processor> = Processor::first(needed).collect();
            let processors = first_processors(name, ranks.processors.unwrap_or(&in_order), needed)?;
            fields.with_processors(processors.iter().copied())
        };
        Ok(Self { template: self.template.with_fields(&placed), ..self })
    }

    /// The experiment of a size, and its time if the benchmark prints `seconds`. Replies are as long as messages.
    pub(super) fn reading(self, size: Bytes, seconds: Seconds) -> (Experiment, Seconds) {
        let fields = ExperimentFields { size, reply: Some(size), ..self.template.fields() };
        (self.template.with_fields(&fields), seconds * self.factor)
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
    columns: Option<(Columns, Quantity)>,
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
    Reading(Quantity, Row),
}

impl Section {
    /// Starts a section; `roots_change` is the setting of roots in the header of IMB.
    pub(super) fn new(source: Source, name: String, quantity: Quantity, roots_change: bool) -> Self {
        let skipped = (quantity.is_collective() && roots_change).then(|| RemarkKind::RootChanges(name.clone()));
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
                let columns = osu::Columns::of(line, self.quantity.is_collective())?;
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
        match self.quantity.placed(&self.name, RankProcessors { processors, processes: self.processes }) {
            Ok(quantity) => {
                self.columns = Some((columns, quantity));
                Ok(known)
            }
            Err(Unsupported::Skipped(why)) => Ok(Line::Skipped(why)),
            Err(Unsupported::Fault(fault)) => Err((start, fault)),
        }
    }

    /// Parses a row of the table.
    fn row(&mut self, words: &[Word]) -> Located<Line> {
        let Some((columns, quantity)) = &self.columns else {
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
                Ok(Line::Reading(*quantity, row))
            }
            // Other output of a batch job may follow the table.
            Err(_) if self.ended => Ok(Line::Other),
            Err(fault) => Err(fault),
        }
    }
}
