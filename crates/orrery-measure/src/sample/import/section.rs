use super::quantity::{Quantity, RankProcessors, Unsupported, several_pairs};
use super::row::{Row, element};
use super::{Source, imb, osu};
use orrery_base::file::{Fault, Result, Word};
use orrery_cluster::platform::Processor;
use orrery_program::schedule::CollectiveKind;

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
    skipped: Option<String>,
    /// The remark on calls that overlap, if they do.
    overlapping: Option<String>,
    /// The data type; empty if it is not printed.
    datatype: String,
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
    Skipped(String),
    /// A remark on the section, which is still read.
    Remark(String),
    /// A size that the benchmark did not measure, or whose validation failed.
    GivenUp(String),
    /// A reading.
    Reading(Quantity, Row),
}

impl Section {
    /// Starts a section of the OSU micro-benchmarks.
    pub(super) const fn of_osu(name: String, quantity: Quantity) -> Self {
        Self::new(Source::Osu, name, quantity)
    }

    /// Starts a section of IMB with the settings of its run.
    pub(super) fn of_imb(name: String, quantity: Quantity, settings: &imb::Settings) -> Self {
        let operation = quantity.operation();
        let skips = settings.roots_change && operation.is_some_and(CollectiveKind::has_root);
        let overlaps = settings.is_unsynchronised && quantity.can_overlap();
        let is_reduction = operation.is_some_and(CollectiveKind::is_reduction);
        let quantity = if is_reduction {
            quantity.of_elements(settings.reduction_element())
        } else {
            quantity
        };
        Self {
            skipped: skips.then(|| {
                format!(
                    "{name} is skipped: its root changes between iterations, so that its time \
                        belongs to no root"
                )
            }),
            overlapping: overlaps.then(|| {
                format!(
                    "{name}: no barrier is between the calls, so that they overlap and the time is \
                        too small; run version 2017 or a later one with -sync on"
                )
            }),
            ..Self::new(Source::Imb, name, quantity)
        }
    }

    /// A section before its first line, without a data type.
    const fn new(source: Source, name: String, quantity: Quantity) -> Self {
        Self {
            source,
            name,
            quantity,
            processes: None,
            skipped: None,
            overlapping: None,
            datatype: String::new(),
            columns: None,
            rows: false,
            ended: false,
        }
    }

    /// Parses a line that is not the title of a section; an error comes with its byte.
    pub(super) fn take(
        &mut self,
        line: &str,
        words: &[Word],
        processors: Option<&[Processor]>,
    ) -> Result<Line> {
        let Some(first) = words.first() else {
            self.ended |= self.rows;
            return Ok(Line::Other);
        };
        if first.text.starts_with(|c: char| c.is_ascii_digit()) {
            return self.row(words);
        }
        match self.source {
            Source::Osu if osu::Columns::are_named(line) => {
                let columns = osu::Columns::of(line, self.quantity.operation().is_some())?;
                if columns.is_derived {
                    return Ok(Line::Skipped(format!(
                        "{} is skipped: its data have a derived data type",
                        self.name
                    )));
                }
                let known = if columns.mean {
                    Line::Remark(format!(
                        "{}: only the mean over the ranks is printed, which is less than the time \
                            of the slowest; run the benchmark with -f",
                        self.name
                    ))
                } else {
                    Line::Other
                };
                self.begin(Columns::Osu(columns), first.start, processors, known)
            }
            Source::Imb if imb::Columns::are_named(line) => {
                let columns = imb::Columns::of(line)?;
                let known = self.overlapping.take().map_or(Line::Other, Line::Remark);
                self.begin(Columns::Imb(columns), first.start, processors, known)
            }
            Source::Imb => {
                if let Some(processes) = imb::processes(line) {
                    self.processes = Some(processes);
                    self.name = format!("{} of {processes}", self.name);
                } else if imb::several_groups(line) {
                    self.skipped = Some(several_pairs(&self.name));
                }
                Ok(Line::Other)
            }
            Source::Osu => {
                Ok(osu::datatype(line).map_or(Line::Other, |name| self.begin_datatype(name)))
            }
        }
    }

    /// Processes the name of a data type; the tables of a second one are skipped.
    fn begin_datatype(&mut self, name: &str) -> Line {
        if self.columns.is_some() && self.datatype != name {
            return Line::Skipped(format!(
                "{} of {name} is skipped: only the first data type of a run is imported; run the \
                    benchmark with one data type",
                self.name
            ));
        }
        name.clone_into(&mut self.datatype);
        self.quantity =
            element(name).map_or(self.quantity, |element| self.quantity.of_elements(element));
        Line::Other
    }

    /// Processes the line of column names, which determines the experiments of the rows; returns
    /// `known`, or why the section is skipped. `start` is the byte of its first word.
    fn begin(
        &mut self,
        columns: Columns,
        start: usize,
        processors: Option<&[Processor]>,
        known: Line,
    ) -> Result<Line> {
        if let Some(why) = self.skipped.take() {
            return Ok(Line::Skipped(why));
        }
        match self
            .quantity
            .placed(&self.name, RankProcessors { processors, processes: self.processes })
        {
            Ok(quantity) => {
                self.columns = Some((columns, quantity));
                Ok(known)
            }
            Err(Unsupported::Skipped(why)) => Ok(Line::Skipped(why)),
            Err(Unsupported::Fault(fault)) => Err(fault.at(start)),
        }
    }

    /// Parses a row of the table.
    fn row(&mut self, words: &[Word]) -> Result<Line> {
        let Some((columns, quantity)) = &self.columns else {
            let example = match self.source {
                Source::Osu => "# Size          Latency (us)",
                Source::Imb => "#bytes #repetitions      t[usec]   Mbytes/sec",
            };
            let message = format!(
                "this row precedes the line of column names, such as {example:?}; restore that line"
            );
            return Err(Fault::new(message).at(words[0].start));
        };
        let row = match columns {
            Columns::Imb(_) if imb::is_given_up(words) => {
                return Ok(Line::GivenUp(format!(
                    "{}, {} bytes is skipped: the benchmark did not measure it",
                    self.name, words[0].text
                )));
            }
            Columns::Osu(_) if osu::has_failed(words) => {
                return Ok(Line::GivenUp(format!(
                    "{}, {} bytes is skipped: its validation failed",
                    self.name, words[0].text
                )));
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
