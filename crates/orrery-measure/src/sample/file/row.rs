use std::fmt::{self, Write as _};
use std::sync::LazyLock;

use super::suspicious_rows::RowTime;
use super::table::{self, Column, Layout};
use crate::sample::{Experiment, ExperimentFields, PROCESSOR_COLUMNS, Sample};
use orrery_base::file::Fault;
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::Processor;

/// The maximum number of processors.
const MAX_PROCESSORS: usize = 1 << 20;

/// The maximum size of a message in bytes (1 TiB).
pub(super) const MAX_SIZE: u64 = 1 << 40;

/// The maximum number of messages of a train.
const MAX_MESSAGES: u32 = 1 << 20;

/// The maximum delay between the messages of a train in seconds.
const MAX_DELAY: f64 = 1000.0;

/// The valid values of a processor.
const PROCESSOR: &str = "the number of a processor, such as 0 or 17 (below 1048576)";
/// The valid numbers of processors.
const PROCS: &str = "a number of processors, such as 16 (1 to 1048576)";
/// The valid sizes.
const SIZE: &str = "a size in bytes, such as 0 or 4096 (up to 1 TiB, without unit)";
/// The valid integers.
const NUMBER: &str = "an integer, such as 0";
/// The valid numbers of messages.
const COUNT: &str = "a number of messages, such as 10 (1 to 1048576)";
/// The valid delays.
const DELAY: &str = "a time in seconds, such as 0.0001 (0 to 1000)";
/// The valid times.
const TIME: &str = "a time in seconds, such as 0.0000412 (finite, not negative)";

macro_rules! columns {
    ($($column:ident $name:literal),+ $(,)?) => {
        /// A column of the samples file.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum SampleColumn { $($column),+ }

        impl Column for SampleColumn {
            const ALL: &'static [Self] = &[$(Self::$column),+];
            const REQUIRED: &'static [Self] = &[Self::Experiment, Self::Seconds];
            const REPETITION: Self = Self::Rep;

            fn name(self) -> &'static str {
                match self { $(Self::$column => $name),+ }
            }
        }
    };
}

columns! {
    Experiment "experiment",
    I "i",
    J "j",
    K "k",
    Procs "procs",
    Size "size",
    Reply "reply",
    Segment "segment",
    Count "count",
    Delay "delay",
    Set "set",
    Launch "launch",
    Rep "rep",
    Seconds "seconds",
}

/// The columns of [`PROCESSOR_COLUMNS`](crate::sample::PROCESSOR_COLUMNS).
const PROCESSORS: [SampleColumn; PROCESSOR_COLUMNS.len()] =
    [SampleColumn::I, SampleColumn::J, SampleColumn::K];

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

pub(super) fn read(row: table::Row<SampleColumn>) -> Located<Row> {
    let mut fields = Fields { row, experiment: "every row" };
    fields.experiment = fields.needed(SampleColumn::Experiment)?;
    let Some(template) = named(fields.experiment) else {
        return Ok(Row::Unknown(fields.experiment.to_owned()));
    };
    let values = values(&fields, &template.fields())?;
    let experiment = template.with_fields(&values);
    let used = experiment.fields();
    let is_lost =
        |column| cell(&used, column).is_none_or(|kept| Some(kept) != cell(&values, column));
    let mut given = SampleColumn::ALL.iter().filter(|column| !fields.text(**column).is_empty());
    if let Some(other) = given.find(|&&column| !is_common(column) && is_lost(column)) {
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

/// Returns true for columns that all rows have, whatever the experiment.
fn is_common(column: SampleColumn) -> bool {
    use SampleColumn::{Experiment, I, Launch, Rep, Seconds, Size};
    matches!(column, Experiment | I | Size | Launch | Rep | Seconds)
}

/// The experiment of a name, with all values 0; `None` for an unknown name.
fn named(name: &str) -> Option<Experiment> {
    /// The experiments by name, whose fields a row fills in.
    static TEMPLATES: LazyLock<Vec<(String, Experiment)>> = LazyLock::new(|| {
        Experiment::templates().map(|template| (template.name(), template)).collect()
    });
    let known = TEMPLATES.iter().find(|(known, _)| known == name).map(|(_, template)| *template);
    known.or_else(|| Experiment::collective_template(name))
}

/// The values of a row in the columns that the experiment uses.
fn values(row: &Fields, used: &ExperimentFields) -> Located<ExperimentFields> {
    let processor = |column| row.number(column, PROCESSOR).map(Processor);
    let mut processors = used.processors;
    for (processor_of, column) in processors.iter_mut().flatten().zip(PROCESSORS) {
        *processor_of = processor(column)?;
    }
    Ok(ExperimentFields {
        processors,
        root: used.root.map(|_| processor(PROCESSORS[0])).transpose()?,
        procs: used.procs.map(|_| row.number(SampleColumn::Procs, PROCS)).transpose()?,
        size: row.number(SampleColumn::Size, SIZE).map(Bytes::new)?,
        reply: match used.reply {
            Some(_) => Some(Bytes::new(row.optional(SampleColumn::Reply, SIZE)?.unwrap_or(0))),
            None => None,
        },
        count: used.count.map(|_| row.number(SampleColumn::Count, COUNT)).transpose()?,
        delay: used.delay.map(|_| delay(row)).transpose()?,
        set: used.set.map(|_| row.number(SampleColumn::Set, NUMBER)).transpose()?,
    })
}

/// Checks that the processors, sizes and counts of an experiment are valid.
fn check(experiment: &Experiment) -> Located<()> {
    let fields = experiment.fields();
    for (column, size) in
        [(SampleColumn::Size, Some(fields.size)), (SampleColumn::Reply, fields.reply)]
    {
        if let Some(size) = size.filter(|size| size.get() > MAX_SIZE) {
            return Err(value(column, &size.get().to_string(), SIZE));
        }
    }
    if let Some(count) = fields.count.filter(|count| !(1..=MAX_MESSAGES).contains(count)) {
        return Err(value(SampleColumn::Count, &count.to_string(), COUNT));
    }
    if let Some(procs) = fields.procs {
        if procs == 0 || procs > MAX_PROCESSORS {
            return Err(value(SampleColumn::Procs, &procs.to_string(), PROCS));
        }
        if let Some(root) = fields.root.filter(|root| root.index() >= procs) {
            return Err((
                SampleColumn::I,
                Fault::new(format!(
                    "column \"i\": the root {root} is not \
                among {procs} processors, which are numbered from 0",
                    root = root.0
                )),
            ));
        }
    }
    for (place, (column, processor)) in PROCESSORS.into_iter().zip(fields.processors).enumerate() {
        let Some(processor) = processor else { continue };
        if processor.index() >= MAX_PROCESSORS {
            return Err(value(column, &processor.to_string(), PROCESSOR));
        }
        if fields.processors[..place].contains(&Some(processor)) {
            let (column_word, processor) = (column.name(), processor.0);
            return Err((
                column,
                Fault::new(format!(
                    "column {column_word:?}: processor {processor} appears twice; \
                    the processors of {experiment} must differ",
                    experiment = experiment.name()
                )),
            ));
        }
    }
    Ok(())
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
    (column, table::invalid_value(column.name(), found, expected))
}

impl<'a> Fields<'a> {
    /// The text of a column, empty if the file does not have it.
    fn text(&self, column: SampleColumn) -> &'a str {
        self.row.text(column)
    }

    /// The text of a required column.
    fn needed(&self, column: SampleColumn) -> Located<&'a str> {
        let text = self.text(column);
        let missing = || {
            Fault::new(format!(
                "column {column:?} is empty, but {experiment} requires it; fill \
                it in or remove the line",
                column = column.name(),
                experiment = self.experiment
            ))
        };
        if text.is_empty() { Err((column, missing())) } else { Ok(text) }
    }

    /// The integer in a required column.
    fn number<T: std::str::FromStr>(
        &self,
        column: SampleColumn,
        expected: &'static str,
    ) -> Located<T> {
        let text = self.needed(column)?;
        text.parse().map_err(|_| value(column, text, expected))
    }

    /// The integer in a column; `None` if it is empty.
    fn optional<T: std::str::FromStr>(
        &self,
        column: SampleColumn,
        expected: &'static str,
    ) -> Located<Option<T>> {
        if self.text(column).is_empty() {
            Ok(None)
        } else {
            self.number(column, expected).map(Some)
        }
    }
}

/// Checks whether the time of a reading is plausible.
pub(super) fn time(sample: &Sample) -> RowTime {
    let ExperimentFields { procs, size, reply, count, delay, .. } = sample.experiment.fields();
    // A message and its reply, a train, or one block for each processor.
    let messages = count.map_or_else(|| procs.unwrap_or(2) as f64, f64::from);
    let delay = delay.map_or(0.0, |nanoseconds| nanoseconds as f64 / 1e9);
    RowTime::of(sample.seconds.get(), messages, size.max(reply.unwrap_or(size)), delay)
}

/// Appends a row with the columns of `layout`.
pub(super) fn write(
    text: &mut String,
    layout: &Layout<SampleColumn>,
    sample: &Sample,
) -> Result<(), Fault> {
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
                    SampleColumn::Reply
                        | SampleColumn::Delay
                        | SampleColumn::Launch
                        | SampleColumn::Rep
                )
            {
                continue;
            }
            return Err(table::no_column(column.name()));
        };
        row[place] = field;
    }
    writeln!(text, "{}", row.join(",")).expect("writing to a string does not fail");
    Ok(())
}

/// The columns of a sample with their content.
fn cells(sample: &Sample) -> Vec<(SampleColumn, String)> {
    let fields = sample.experiment.fields();
    let content =
        |&column: &SampleColumn| cell(&fields, column).map(|cell| (column, cell.to_string()));
    let mut cells = vec![(SampleColumn::Experiment, sample.experiment.name())];
    cells.extend(SampleColumn::ALL.iter().filter_map(content));
    cells.push((SampleColumn::Launch, sample.launch.to_string()));
    cells.push((SampleColumn::Rep, sample.rep.to_string()));
    cells.push((SampleColumn::Seconds, sample.seconds.get().to_string()));
    cells
}

/// The content of a column of an experiment.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cell {
    Integer(u64),
    Seconds(f64),
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => number.fmt(f),
            Self::Seconds(seconds) => seconds.fmt(f),
        }
    }
}

/// The content of a column of an experiment; `None` if the experiment does not use the column.
fn cell(fields: &ExperimentFields, column: SampleColumn) -> Option<Cell> {
    if let Some(place) = PROCESSORS.iter().position(|processors| *processors == column) {
        let root = fields.root.filter(|_| place == 0);
        return fields.processors[place]
            .or(root)
            .map(|processor| Cell::Integer(processor.0.into()));
    }
    let size = |size: Bytes| Cell::Integer(size.get());
    match column {
        SampleColumn::Procs => fields.procs.map(|procs| Cell::Integer(procs as u64)),
        SampleColumn::Size => Some(size(fields.size)),
        SampleColumn::Reply => fields.reply.map(size),
        SampleColumn::Count => fields.count.map(|count| Cell::Integer(count.into())),
        SampleColumn::Delay => fields.delay.map(|delay| Cell::Seconds(delay as f64 / 1e9)),
        SampleColumn::Set => fields.set.map(|set| Cell::Integer(set.into())),
        _ => None,
    }
}
