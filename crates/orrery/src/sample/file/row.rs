use std::fmt::Write as _;

use super::Fault;
use super::column::{Column, Layout};
use super::fields::Field;
use crate::platform::Processor;
use crate::sample::{Experiment, Sample};
use crate::schedule::{Train, TrainKind};
use crate::units::{Bytes, Seconds};

/// More processors than this are a slip of the pen.
const MOST_PROCESSORS: usize = 1 << 20;

/// Larger messages than this (1 TiB) are a slip of the pen.
const LARGEST: u64 = 1 << 40;

/// Longer trains than this are a slip of the pen, and so are longer waits \[s\].
const MOST_MESSAGES: u32 = 1 << 20;
const LONGEST: f64 = 1000.0;

const PROCESSOR: &str = "the number of a processor, such as 0 or 17 (below 1048576)";
const PROCS: &str = "a number of processors, such as 16 (1 to 1048576)";
const SIZE: &str = "a size in whole bytes, such as 0 or 4096 (up to 1 TiB, without unit)";
const NUMBER: &str = "a whole number, such as 0";
const COUNT: &str = "a number of messages, such as 10 (1 to 1048576)";
const DELAY: &str = "a time in seconds, such as 0.0001 (0 to 1000)";
const TIME: &str = "a time in seconds, such as 0.0000412 (finite, not negative)";

/// What one row holds.
#[derive(Debug, PartialEq)]
pub(super) enum Row {
    /// A reading.
    Sample(Sample),
    /// A reading of something that this version does not know.
    Unknown(String),
}

/// The fields of a row by column. An error comes with the column where it stands.
struct Fields<'a> {
    all: &'a [Field<'a>],
    layout: &'a Layout,
    experiment: &'a str,
}

type Located<T> = Result<T, (Column, Fault)>;

/// Reads a row whose number of fields is right.
pub(super) fn read(fields: &[Field], layout: &Layout) -> Located<Row> {
    let mut fields = Fields { all: fields, layout, experiment: "every row" };
    fields.experiment = fields.needed(Column::Experiment)?;
    let Some((experiment, used)) = experiment(&fields)? else {
        return Ok(Row::Unknown(fields.experiment.to_owned()));
    };
    let given = |column: &Column| !fields.text(*column).is_empty();
    if let Some(other) = OPTIONAL.iter().filter(|column| !used.contains(column)).find(|column| given(column)) {
        return Ok(Row::Unknown(format!("{} with {}", fields.experiment, other.name())));
    }
    check(&experiment)?;
    let launch = fields.optional(Column::Launch, NUMBER)?.unwrap_or(0);
    let rep = fields.optional(Column::Rep, NUMBER)?.unwrap_or(0);
    let seconds = fields.needed(Column::Seconds)?;
    let seconds = seconds
        .parse()
        .ok()
        .filter(|&seconds| is_time(seconds))
        .ok_or_else(|| value(Column::Seconds, seconds, TIME))?;
    Ok(Row::Sample(Sample { experiment, launch, rep, seconds: Seconds::new(seconds) }))
}

/// The columns that some experiments fill and others do not.
const OPTIONAL: [Column; 7] =
    [Column::J, Column::K, Column::Procs, Column::Reply, Column::Segment, Column::Count, Column::Delay];

/// The experiment of a row and the optional columns that it uses; `None` when its word is unknown.
fn experiment(fields: &Fields) -> Located<Option<(Experiment, &'static [Column])>> {
    let processor = |column| fields.number(column, PROCESSOR).map(Processor);
    let size = |column| fields.number(column, SIZE).map(Bytes::new);
    Ok(match fields.experiment {
        "roundtrip" => {
            let (i, j) = (processor(Column::I)?, processor(Column::J)?);
            let reply = Bytes::new(fields.optional(Column::Reply, SIZE)?.unwrap_or(0));
            let experiment = Experiment::RoundTrip { i, j, size: size(Column::Size)?, reply };
            Some((experiment, &[Column::J, Column::Reply]))
        }
        "one-to-two" => {
            let (i, j, k) = (processor(Column::I)?, processor(Column::J)?, processor(Column::K)?);
            let experiment = Experiment::OneToTwo { i, j, k, size: size(Column::Size)? };
            // Replies are empty; a row that says otherwise is another experiment.
            let empty = fields.optional::<u64>(Column::Reply, SIZE)?.unwrap_or(0) == 0;
            Some((experiment, if empty { &[Column::J, Column::K, Column::Reply] } else { &[Column::J, Column::K] }))
        }
        "exchange" => {
            let experiment =
                Experiment::Exchange { i: processor(Column::I)?, j: processor(Column::J)?, size: size(Column::Size)? };
            Some((experiment, &[Column::J]))
        }
        word => {
            if let Some(kind) = TrainKind::ALL.into_iter().find(|kind| kind.name() == word) {
                let (i, j) = (processor(Column::I)?, processor(Column::J)?);
                let reply = Bytes::new(fields.optional(Column::Reply, SIZE)?.unwrap_or(0));
                let (count, delay) = (fields.number(Column::Count, COUNT)?, delay(fields)?);
                let train = Train { kind, size: size(Column::Size)?, reply, count, delay };
                return Ok(Some((Experiment::Train { i, j, train }, used_by(kind))));
            }
            let Some((kind, algorithm)) = word.split_once('/') else { return Ok(None) };
            if let ("native", Ok(kind)) = (kind, algorithm.parse()) {
                let (root, procs) = (processor(Column::I)?, fields.number(Column::Procs, PROCS)?);
                let experiment = Experiment::Native { kind, root, procs, size: size(Column::Size)? };
                return Ok(Some((experiment, &[Column::Procs])));
            }
            let (Ok(kind), Ok(algorithm)) = (kind.parse(), algorithm.parse()) else { return Ok(None) };
            let root = processor(Column::I)?;
            let procs = fields.number(Column::Procs, PROCS)?;
            let experiment = Experiment::Collective { kind, algorithm, root, procs, size: size(Column::Size)? };
            Some((experiment, &[Column::Procs]))
        }
    })
}

/// Whether the processors and sizes of an experiment fit together.
fn check(experiment: &Experiment) -> Located<()> {
    let word = || experiment.name();
    let sizes = match *experiment {
        Experiment::RoundTrip { size, reply, .. } | Experiment::Train { train: Train { size, reply, .. }, .. } => {
            [(Column::Size, size), (Column::Reply, reply)]
        }
        _ => [(Column::Size, experiment.size()); 2],
    };
    for (column, size) in sizes {
        if size.get() > LARGEST {
            return Err(value(column, &size.get().to_string(), SIZE));
        }
    }
    let processors = match *experiment {
        Experiment::RoundTrip { i, j, .. } | Experiment::Exchange { i, j, .. } => vec![(Column::I, i), (Column::J, j)],
        Experiment::Train { i, j, train: Train { count, .. } } => {
            if !(1..=MOST_MESSAGES).contains(&count) {
                return Err(value(Column::Count, &count.to_string(), COUNT));
            }
            vec![(Column::I, i), (Column::J, j)]
        }
        Experiment::OneToTwo { i, j, k, .. } => vec![(Column::I, i), (Column::J, j), (Column::K, k)],
        Experiment::Collective { root, procs, .. } | Experiment::Native { root, procs, .. } => {
            if procs == 0 || procs > MOST_PROCESSORS {
                return Err(value(Column::Procs, &procs.to_string(), PROCS));
            }
            if root.index() >= procs {
                return Err((Column::I, Fault::Root { root: root.0, procs }));
            }
            vec![(Column::I, root)]
        }
    };
    for (place, &(column, processor)) in processors.iter().enumerate() {
        if processor.index() >= MOST_PROCESSORS {
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
fn used_by(kind: TrainKind) -> &'static [Column] {
    match kind {
        TrainKind::SendOverhead | TrainKind::ReceiveOverhead => &[Column::J, Column::Count, Column::Delay],
        TrainKind::Gap => &[Column::J, Column::Count],
        TrainKind::Prtt => &[Column::J, Column::Reply, Column::Count, Column::Delay],
    }
}

/// The wait of a train in whole nanoseconds.
fn delay(fields: &Fields) -> Located<u64> {
    let seconds = fields.optional::<f64>(Column::Delay, DELAY)?.unwrap_or(0.0);
    if (0.0..=LONGEST).contains(&seconds) {
        Ok((seconds * 1e9).round() as u64)
    } else {
        Err(value(Column::Delay, fields.text(Column::Delay), DELAY))
    }
}

/// Whether a reading is a time.
fn is_time(seconds: f64) -> bool {
    seconds.is_finite() && seconds >= 0.0
}

fn value(column: Column, found: &str, expected: &'static str) -> (Column, Fault) {
    (column, Fault::Value { column: column.name(), found: found.to_owned(), expected })
}

impl<'a> Fields<'a> {
    /// The text of a column, empty when the column is absent.
    fn text(&self, column: Column) -> &'a str {
        self.layout.place(column).map_or("", |place| &self.all[place].text)
    }

    /// The text of a column that must not be empty.
    fn needed(&self, column: Column) -> Located<&'a str> {
        let text = self.text(column);
        let missing = || Fault::Missing { column: column.name(), experiment: self.experiment.to_owned() };
        if text.is_empty() { Err((column, missing())) } else { Ok(text) }
    }

    /// The whole number in a column that must not be empty.
    fn number<T: std::str::FromStr>(&self, column: Column, expected: &'static str) -> Located<T> {
        let text = self.needed(column)?;
        text.parse().map_err(|_| value(column, text, expected))
    }

    /// The whole number in a column that may be empty.
    fn optional<T: std::str::FromStr>(&self, column: Column, expected: &'static str) -> Located<Option<T>> {
        if self.text(column).is_empty() { Ok(None) } else { self.number(column, expected).map(Some) }
    }
}

/// Appends a row in the columns of `layout`.
pub(super) fn write(text: &mut String, layout: &Layout, sample: &Sample) -> Result<(), Fault> {
    check(&sample.experiment).map_err(|(_, fault)| fault)?;
    if !is_time(sample.seconds.get()) {
        return Err(value(Column::Seconds, &sample.seconds.get().to_string(), TIME).1);
    }
    let mut row = vec![String::new(); layout.width];
    for (column, field) in cells(sample) {
        let Some(place) = layout.place(column) else {
            // A column that reads as 0 when it is absent need not be there for a 0.
            if field == "0" && matches!(column, Column::Reply | Column::Delay | Column::Launch | Column::Rep) {
                continue;
            }
            return Err(Fault::NoColumn { column: column.name() });
        };
        row[place] = field;
    }
    writeln!(text, "{}", row.join(",")).expect("writing to a string does not fail");
    Ok(())
}

/// The columns that a sample fills, with their content.
fn cells(sample: &Sample) -> Vec<(Column, String)> {
    let mut cells = vec![(Column::Experiment, sample.experiment.name())];
    let mut cell = |column, number: u64| cells.push((column, number.to_string()));
    match sample.experiment {
        Experiment::RoundTrip { i, j, size, reply } => {
            cell(Column::I, i.0.into());
            cell(Column::J, j.0.into());
            cell(Column::Size, size.get());
            cell(Column::Reply, reply.get());
        }
        Experiment::OneToTwo { i, j, k, size } => {
            cell(Column::I, i.0.into());
            cell(Column::J, j.0.into());
            cell(Column::K, k.0.into());
            cell(Column::Size, size.get());
            cell(Column::Reply, 0);
        }
        Experiment::Exchange { i, j, size } => {
            cell(Column::I, i.0.into());
            cell(Column::J, j.0.into());
            cell(Column::Size, size.get());
        }
        Experiment::Train { i, j, train } => {
            cell(Column::I, i.0.into());
            cell(Column::J, j.0.into());
            cell(Column::Size, train.size.get());
            cell(Column::Count, train.count.into());
            if train.kind == TrainKind::Prtt {
                cell(Column::Reply, train.reply.get());
            }
        }
        Experiment::Collective { root, procs, size, .. } | Experiment::Native { root, procs, size, .. } => {
            cell(Column::I, root.0.into());
            cell(Column::Procs, procs as u64);
            cell(Column::Size, size.get());
        }
    }
    if let Experiment::Train { train, .. } = sample.experiment
        && train.kind != TrainKind::Gap
    {
        cells.push((Column::Delay, train.wait().get().to_string()));
    }
    let mut cell = |column, number: u64| cells.push((column, number.to_string()));
    cell(Column::Launch, sample.launch.into());
    cell(Column::Rep, sample.rep.into());
    cells.push((Column::Seconds, sample.seconds.get().to_string()));
    cells
}
