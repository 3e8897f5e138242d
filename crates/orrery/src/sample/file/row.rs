use std::fmt::Write as _;

use super::Fault;
use super::table::{self, Column, Layout};
use crate::platform::Processor;
use crate::sample::{Experiment, Sample};
use crate::schedule::{Train, TrainKind};
use crate::units::{Bytes, Seconds};

/// The maximum number of processors.
const MAX_PROCESSORS: usize = 1 << 20;

/// The maximum size of a message in bytes (1 TiB).
pub(super) const MAX_SIZE: u64 = 1 << 40;

/// The maximum number of messages of a train.
const MAX_MESSAGES: u32 = 1 << 20;

/// The maximum delay between the messages of a train in seconds.
const MAX_DELAY: f64 = 1000.0;

const PROCESSOR: &str = "the number of a processor, such as 0 or 17 (below 1048576)";
const PROCS: &str = "a number of processors, such as 16 (1 to 1048576)";
const SIZE: &str = "a size in bytes, such as 0 or 4096 (up to 1 TiB, without unit)";
const NUMBER: &str = "an integer, such as 0";
const COUNT: &str = "a number of messages, such as 10 (1 to 1048576)";
const DELAY: &str = "a time in seconds, such as 0.0001 (0 to 1000)";
const TIME: &str = "a time in seconds, such as 0.0000412 (finite, not negative)";

/// A column of the samples file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SampleColumn {
    Experiment,
    I,
    J,
    K,
    Procs,
    Size,
    Reply,
    Segment,
    Count,
    Delay,
    Launch,
    Rep,
    Seconds,
}

impl Column for SampleColumn {
    const ALL: &'static [Self] = &[
        Self::Experiment,
        Self::I,
        Self::J,
        Self::K,
        Self::Procs,
        Self::Size,
        Self::Reply,
        Self::Segment,
        Self::Count,
        Self::Delay,
        Self::Launch,
        Self::Rep,
        Self::Seconds,
    ];

    const REQUIRED: &'static [Self] = &[Self::Experiment, Self::Seconds];

    fn name(self) -> &'static str {
        match self {
            Self::Experiment => "experiment",
            Self::I => "i",
            Self::J => "j",
            Self::K => "k",
            Self::Procs => "procs",
            Self::Size => "size",
            Self::Reply => "reply",
            Self::Segment => "segment",
            Self::Count => "count",
            Self::Delay => "delay",
            Self::Launch => "launch",
            Self::Rep => "rep",
            Self::Seconds => "seconds",
        }
    }
}

/// The content of a row.
#[derive(Debug, PartialEq)]
pub(super) enum Row {
    /// A reading.
    Sample(Sample),
    /// A reading of an unknown experiment, with its name.
    Unknown(String),
}

/// The fields of a row and the name of its experiment.
struct Fields<'a> {
    row: table::Row<'a, SampleColumn>,
    experiment: &'a str,
}

/// A result whose error comes with its column.
type Located<T> = Result<T, (SampleColumn, Fault)>;

/// Parses a row.
pub(super) fn read(row: table::Row<SampleColumn>) -> Located<Row> {
    let mut fields = Fields { row, experiment: "every row" };
    fields.experiment = fields.needed(SampleColumn::Experiment)?;
    let Some((experiment, used)) = experiment(&fields)? else {
        return Ok(Row::Unknown(fields.experiment.to_owned()));
    };
    let given = |column: &SampleColumn| !fields.text(*column).is_empty();
    if let Some(other) = OPTIONAL.iter().filter(|column| !used.contains(column)).find(|column| given(column)) {
        return Ok(Row::Unknown(format!("{} with {}", fields.experiment, other.name())));
    }
    check(&experiment)?;
    let launch = fields.optional(SampleColumn::Launch, NUMBER)?.unwrap_or(0);
    let rep = fields.optional(SampleColumn::Rep, NUMBER)?.unwrap_or(0);
    let seconds = fields.needed(SampleColumn::Seconds)?;
    let seconds = seconds
        .parse()
        .ok()
        .filter(|&seconds| is_time(seconds))
        .ok_or_else(|| value(SampleColumn::Seconds, seconds, TIME))?;
    Ok(Row::Sample(Sample { experiment, launch, rep, seconds: Seconds::new(seconds) }))
}

/// The columns that only some experiments use.
const OPTIONAL: [SampleColumn; 7] = [
    SampleColumn::J,
    SampleColumn::K,
    SampleColumn::Procs,
    SampleColumn::Reply,
    SampleColumn::Segment,
    SampleColumn::Count,
    SampleColumn::Delay,
];

/// The experiment of a row and the optional columns that it uses; `None` if the experiment is unknown.
fn experiment(fields: &Fields) -> Located<Option<(Experiment, &'static [SampleColumn])>> {
    let processor = |column| fields.number(column, PROCESSOR).map(Processor);
    let size = |column| fields.number(column, SIZE).map(Bytes::new);
    Ok(match fields.experiment {
        "roundtrip" => {
            let (i, j) = (processor(SampleColumn::I)?, processor(SampleColumn::J)?);
            let reply = Bytes::new(fields.optional(SampleColumn::Reply, SIZE)?.unwrap_or(0));
            let experiment = Experiment::RoundTrip { i, j, size: size(SampleColumn::Size)?, reply };
            Some((experiment, &[SampleColumn::J, SampleColumn::Reply]))
        }
        "one-to-two" => {
            let (i, j, k) = (processor(SampleColumn::I)?, processor(SampleColumn::J)?, processor(SampleColumn::K)?);
            let experiment = Experiment::OneToTwo { i, j, k, size: size(SampleColumn::Size)? };
            // Replies are empty; a row with another size is an unknown experiment.
            let empty = fields.optional::<u64>(SampleColumn::Reply, SIZE)?.unwrap_or(0) == 0;
            Some((
                experiment,
                if empty {
                    &[SampleColumn::J, SampleColumn::K, SampleColumn::Reply]
                } else {
                    &[SampleColumn::J, SampleColumn::K]
                },
            ))
        }
        "exchange" => {
            let experiment = Experiment::Exchange {
                i: processor(SampleColumn::I)?,
                j: processor(SampleColumn::J)?,
                size: size(SampleColumn::Size)?,
            };
            Some((experiment, &[SampleColumn::J]))
        }
        word => {
            if let Some(kind) = TrainKind::ALL.into_iter().find(|kind| kind.name() == word) {
                let (i, j) = (processor(SampleColumn::I)?, processor(SampleColumn::J)?);
                let reply = Bytes::new(fields.optional(SampleColumn::Reply, SIZE)?.unwrap_or(0));
                let (count, delay) = (fields.number(SampleColumn::Count, COUNT)?, delay(fields)?);
                let train = Train { kind, size: size(SampleColumn::Size)?, reply, count, delay };
                return Ok(Some((Experiment::Train { i, j, train }, used_by(kind))));
            }
            let Some((kind, algorithm)) = word.split_once('/') else { return Ok(None) };
            if let ("native", Ok(kind)) = (kind, algorithm.parse()) {
                let (root, procs) = (processor(SampleColumn::I)?, fields.number(SampleColumn::Procs, PROCS)?);
                let experiment = Experiment::Native { kind, root, procs, size: size(SampleColumn::Size)? };
                return Ok(Some((experiment, &[SampleColumn::Procs])));
            }
            let (Ok(kind), Ok(algorithm)) = (kind.parse(), algorithm.parse()) else { return Ok(None) };
            let root = processor(SampleColumn::I)?;
            let procs = fields.number(SampleColumn::Procs, PROCS)?;
            let experiment = Experiment::Collective { kind, algorithm, root, procs, size: size(SampleColumn::Size)? };
            Some((experiment, &[SampleColumn::Procs]))
        }
    })
}

/// Checks that the processors, sizes and counts of an experiment are valid.
fn check(experiment: &Experiment) -> Located<()> {
    let word = || experiment.name();
    let sizes = match *experiment {
        Experiment::RoundTrip { size, reply, .. } | Experiment::Train { train: Train { size, reply, .. }, .. } => {
            [(SampleColumn::Size, size), (SampleColumn::Reply, reply)]
        }
        _ => [(SampleColumn::Size, experiment.size()); 2],
    };
    for (column, size) in sizes {
        if size.get() > MAX_SIZE {
            return Err(value(column, &size.get().to_string(), SIZE));
        }
    }
    let processors = match *experiment {
        Experiment::RoundTrip { i, j, .. } | Experiment::Exchange { i, j, .. } => {
            vec![(SampleColumn::I, i), (SampleColumn::J, j)]
        }
        Experiment::Train { i, j, train: Train { count, .. } } => {
            if !(1..=MAX_MESSAGES).contains(&count) {
                return Err(value(SampleColumn::Count, &count.to_string(), COUNT));
            }
            vec![(SampleColumn::I, i), (SampleColumn::J, j)]
        }
        Experiment::OneToTwo { i, j, k, .. } => vec![(SampleColumn::I, i), (SampleColumn::J, j), (SampleColumn::K, k)],
        Experiment::Collective { root, procs, .. } | Experiment::Native { root, procs, .. } => {
            if procs == 0 || procs > MAX_PROCESSORS {
                return Err(value(SampleColumn::Procs, &procs.to_string(), PROCS));
            }
            if root.index() >= procs {
                return Err((SampleColumn::I, Fault::Root { root: root.0, procs }));
            }
            vec![(SampleColumn::I, root)]
        }
    };
    for (place, &(column, processor)) in processors.iter().enumerate() {
        if processor.index() >= MAX_PROCESSORS {
            return Err(value(column, &processor.to_string(), PROCESSOR));
        }
        if processors[..place].iter().any(|&(_, earlier)| earlier == processor) {
            let (column_word, processor) = (column.name(), processor.0);
            return Err((column, Fault::Twice { column: column_word, processor, experiment: word() }));
        }
    }
    Ok(())
}

/// The optional columns of a train.
fn used_by(kind: TrainKind) -> &'static [SampleColumn] {
    match kind {
        TrainKind::SendOverhead | TrainKind::ReceiveOverhead => {
            &[SampleColumn::J, SampleColumn::Count, SampleColumn::Delay]
        }
        TrainKind::Gap => &[SampleColumn::J, SampleColumn::Count],
        TrainKind::Prtt => &[SampleColumn::J, SampleColumn::Reply, SampleColumn::Count, SampleColumn::Delay],
    }
}

/// The delay of a train in nanoseconds.
fn delay(fields: &Fields) -> Located<u64> {
    let seconds = fields.optional::<f64>(SampleColumn::Delay, DELAY)?.unwrap_or(0.0);
    if (0.0..=MAX_DELAY).contains(&seconds) {
        Ok((seconds * 1e9).round() as u64)
    } else {
        Err(value(SampleColumn::Delay, fields.text(SampleColumn::Delay), DELAY))
    }
}

/// Returns true if a reading is finite and not negative.
fn is_time(seconds: f64) -> bool {
    seconds.is_finite() && seconds >= 0.0
}

/// The fault of an invalid value.
fn value(column: SampleColumn, found: &str, expected: &'static str) -> (SampleColumn, Fault) {
    (column, Fault::Value { column: column.name(), found: found.to_owned(), expected })
}

impl<'a> Fields<'a> {
    /// The text of a column, empty if the file does not have it.
    fn text(&self, column: SampleColumn) -> &'a str {
        self.row.text(column)
    }

    /// The text of a required column.
    fn needed(&self, column: SampleColumn) -> Located<&'a str> {
        let text = self.text(column);
        let missing = || Fault::Missing { column: column.name(), experiment: self.experiment.to_owned() };
        if text.is_empty() { Err((column, missing())) } else { Ok(text) }
    }

    /// The integer in a required column.
    fn number<T: std::str::FromStr>(&self, column: SampleColumn, expected: &'static str) -> Located<T> {
        let text = self.needed(column)?;
        text.parse().map_err(|_| value(column, text, expected))
    }

    /// The integer in a column; `None` if it is empty.
    fn optional<T: std::str::FromStr>(&self, column: SampleColumn, expected: &'static str) -> Located<Option<T>> {
        if self.text(column).is_empty() { Ok(None) } else { self.number(column, expected).map(Some) }
    }
}

/// Appends a row with the columns of `layout`.
pub(super) fn write(text: &mut String, layout: &Layout<SampleColumn>, sample: &Sample) -> Result<(), Fault> {
    check(&sample.experiment).map_err(|(_, fault)| fault)?;
    if !is_time(sample.seconds.get()) {
        return Err(value(SampleColumn::Seconds, &sample.seconds.get().to_string(), TIME).1);
    }
    let mut row = vec![String::new(); layout.width];
    for (column, field) in cells(sample) {
        let Some(place) = layout.field(column) else {
            // An absent column is read as 0.
            if field == "0"
                && matches!(
                    column,
                    SampleColumn::Reply | SampleColumn::Delay | SampleColumn::Launch | SampleColumn::Rep
                )
            {
                continue;
            }
            return Err(Fault::NoColumn { column: column.name() });
        };
        row[place] = field;
    }
    writeln!(text, "{}", row.join(",")).expect("writing to a string does not fail");
    Ok(())
}

/// The columns of a sample with their content.
fn cells(sample: &Sample) -> Vec<(SampleColumn, String)> {
    let mut cells = vec![(SampleColumn::Experiment, sample.experiment.name())];
    let mut cell = |column, number: u64| cells.push((column, number.to_string()));
    match sample.experiment {
        Experiment::RoundTrip { i, j, size, reply } => {
            cell(SampleColumn::I, i.0.into());
            cell(SampleColumn::J, j.0.into());
            cell(SampleColumn::Size, size.get());
            cell(SampleColumn::Reply, reply.get());
        }
        Experiment::OneToTwo { i, j, k, size } => {
            cell(SampleColumn::I, i.0.into());
            cell(SampleColumn::J, j.0.into());
            cell(SampleColumn::K, k.0.into());
            cell(SampleColumn::Size, size.get());
            cell(SampleColumn::Reply, 0);
        }
        Experiment::Exchange { i, j, size } => {
            cell(SampleColumn::I, i.0.into());
            cell(SampleColumn::J, j.0.into());
            cell(SampleColumn::Size, size.get());
        }
        Experiment::Train { i, j, train } => {
            cell(SampleColumn::I, i.0.into());
            cell(SampleColumn::J, j.0.into());
            cell(SampleColumn::Size, train.size.get());
            cell(SampleColumn::Count, train.count.into());
            if train.kind == TrainKind::Prtt {
                cell(SampleColumn::Reply, train.reply.get());
            }
        }
        Experiment::Collective { root, procs, size, .. } | Experiment::Native { root, procs, size, .. } => {
            cell(SampleColumn::I, root.0.into());
            cell(SampleColumn::Procs, procs as u64);
            cell(SampleColumn::Size, size.get());
        }
    }
    if let Experiment::Train { train, .. } = sample.experiment
        && train.kind != TrainKind::Gap
    {
        cells.push((SampleColumn::Delay, train.wait().get().to_string()));
    }
    let mut cell = |column, number: u64| cells.push((column, number.to_string()));
    cell(SampleColumn::Launch, sample.launch.into());
    cell(SampleColumn::Rep, sample.rep.into());
    cells.push((SampleColumn::Seconds, sample.seconds.get().to_string()));
    cells
}
