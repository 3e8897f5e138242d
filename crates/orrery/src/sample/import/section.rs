use super::benchmark::{Measured, Places, Subject, Unfit};
use super::line::{Located, Word};
use super::{Source, Why, imb, osu};
use crate::platform::Processor;
use crate::units::{Bytes, Seconds};

/// What one row says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Row {
    /// The size.
    pub(super) size: Bytes,
    /// The time that is printed.
    pub(super) seconds: Seconds,
    /// How many iterations it is the mean of, where it is told.
    pub(super) iterations: Option<u64>,
}

/// The names of columns.
enum Columns {
    Osu(osu::Columns),
    Imb(imb::Columns),
}

/// The output of one benchmark, from its title to the next.
pub(super) struct Section {
    source: Source,
    /// The benchmark in words: `OSU MPI Latency Test v7.4`, `IMB 2021.3 Scatter of 4`.
    pub(super) name: String,
    measured: Measured,
    processes: Option<usize>,
    /// What the output says that makes it unfit.
    left_out: Option<Why>,
    columns: Option<(Columns, Subject)>,
    /// Whether a row was read.
    pub(super) rows: bool,
    /// Whether an empty line stood behind a row: what follows may be words of others.
    pub(super) ended: bool,
}

/// What a line of a section is.
pub(super) enum Line {
    /// Nothing of importance.
    Other,
    /// The section is left out from here on.
    Left(Why),
    /// Something to be known of it, which goes on.
    Known(Why),
    /// A size that the benchmark gave up.
    GivenUp(Why),
    /// A reading.
    Reading(Subject, Row),
}

impl Section {
    /// The section that begins; what the head of IMB says of roots is in `roots_change`.
    pub(super) fn new(source: Source, name: String, measured: Measured, roots_change: bool) -> Self {
        let rooted = matches!(measured, Measured::Collective(_));
        let left_out = (rooted && roots_change).then(|| Why::RootChanges(name.clone()));
        Self { source, name, measured, processes: None, left_out, columns: None, rows: false, ended: false }
    }

    /// Takes a line that is not the title of a section. An error comes with its byte.
    pub(super) fn take(&mut self, line: &str, words: &[Word], named: Option<&[Processor]>) -> Located<Line> {
        let Some(first) = words.first() else {
            self.ended |= self.rows;
            return Ok(Line::Other);
        };
        if first.text.starts_with(|c: char| c.is_ascii_digit()) {
            return self.row(words);
        }
        match self.source {
            Source::Osu if osu::Columns::are_named(line) => {
                let columns = osu::Columns::of(line, matches!(self.measured, Measured::Collective(_)))?;
                let known = if columns.mean { Line::Known(Why::MeanOverRanks(self.name.clone())) } else { Line::Other };
                self.begin(Columns::Osu(columns), first.start, named, known)
            }
            Source::Imb if imb::Columns::are_named(line) => {
                let columns = imb::Columns::of(line)?;
                self.begin(Columns::Imb(columns), first.start, named, Line::Other)
            }
            Source::Imb => {
                if let Some(processes) = imb::processes(line) {
                    self.processes = Some(processes);
                    self.name = format!("{} of {processes}", self.name);
                } else if imb::several_groups(line) {
                    self.left_out = Some(Why::SeveralPairs(self.name.clone()));
                }
                Ok(Line::Other)
            }
            Source::Osu => Ok(Line::Other),
        }
    }

    /// The names of the columns have come: what the rows are readings of is known now.
    fn begin(&mut self, columns: Columns, start: usize, named: Option<&[Processor]>, known: Line) -> Located<Line> {
        if let Some(why) = self.left_out.take() {
            return Ok(Line::Left(why));
        }
        match self.measured.subject(&self.name, Places { named, processes: self.processes }) {
            Ok(subject) => {
                self.columns = Some((columns, subject));
                Ok(known)
            }
            Err(Unfit::Left(why)) => Ok(Line::Left(why)),
            Err(Unfit::Fault(fault)) => Err((start, fault)),
        }
    }

    fn row(&mut self, words: &[Word]) -> Located<Line> {
        let Some((columns, subject)) = &self.columns else {
            let example = match self.source {
                Source::Osu => "# Size          Latency (us)",
                Source::Imb => "#bytes #repetitions      t[usec]   Mbytes/sec",
            };
            return Err((words[0].start, super::Fault::NoColumns { example }));
        };
        let row = match columns {
            Columns::Imb(_) if imb::is_given_up(words) => {
                return Ok(Line::GivenUp(Why::NotMeasured(format!("{}, {} bytes", self.name, words[0].text))));
            }
            Columns::Imb(columns) => columns.row(words),
            Columns::Osu(columns) => columns.row(words),
        };
        match row {
            Ok(row) => {
                self.rows = true;
                Ok(Line::Reading(*subject, row))
            }
            // Behind the table a batch job may say what it wants.
            Err(_) if self.ended => Ok(Line::Other),
            Err(fault) => Err(fault),
        }
    }
}
