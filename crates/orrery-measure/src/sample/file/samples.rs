use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use super::layout::{self, NUMBER, Row, Table, WrittenTable};
use super::suspicious_rows::RowTime;
use crate::sample::{
    Experiment, ExperimentFields, PROCESSOR_COLUMNS, Provenance, Sample, Samples, UnknownExperiment,
};
use orrery_base::file::{Fault, FileKind};
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

/// The maximum start of a round of anchors in seconds.
const MAX_START: f64 = 1e9;

/// The valid values of a processor.
const PROCESSOR: &str = "the number of a processor, such as 0 or 17 (below 1048576)";
/// The valid numbers of processors.
const PROCS: &str = "a number of processors, such as 16 (1 to 1048576)";
/// The valid sizes.
const SIZE: &str = "a size in bytes, such as 0 or 4096 (up to 1 TiB, without unit)";
/// The valid numbers of messages.
const COUNT: &str = "a number of messages, such as 10 (1 to 1048576)";
/// The valid delays.
const DELAY: &str = "a time in seconds, such as 0.0001 (0 to 1000)";
/// The valid starts of rounds of anchors.
const START: &str = "a time in seconds, such as 12.5 (0 to 1000000000)";
/// The valid times.
const TIME: &str = "a time in seconds, such as 0.0000412 (finite, not negative)";

impl Table for Samples {
    const COLUMNS: &'static str =
        "experiment,i,j,k,procs,size,reply,segment,count,delay,set,launch,rep,seconds";
    const FILE: &'static str = "samples file";
    const FORMAT: &'static str = "orrery-samples 1";
    const EXAMPLE: &'static str = "experiment,i,j,size,seconds";
    const KIND: FileKind = FileKind::Samples;
    const REQUIRED: &'static str = "experiment,seconds";
    const REPETITION: &'static str = "rep";

    fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    fn provenance_mut(&mut self) -> &mut Provenance {
        &mut self.provenance
    }

    fn push(&mut self, row: Row) -> Result<RowTime, Fault> {
        match read(row)? {
            Ok(sample) => {
                Self::push(self, sample);
                Ok(time(&sample))
            }
            Err(experiment) => {
                match self.unknown.iter_mut().find(|one| one.experiment == experiment) {
                    Some(unknown) => unknown.rows += 1,
                    None => self.unknown.push(UnknownExperiment { experiment, rows: 1 }),
                }
                Ok(RowTime::None)
            }
        }
    }
}

impl WrittenTable for Samples {
    type Reading = Sample;

    fn rows(&self) -> impl Iterator<Item = Sample> {
        self.iter()
    }

    fn cells(sample: &Sample) -> Result<Vec<(&'static str, String)>, Fault> {
        check(&sample.experiment).map_err(|(_, fault)| fault)?;
        let seconds = sample.seconds.get();
        if !is_time(seconds) {
            return Err(value("seconds", &seconds.to_string(), TIME).1);
        }
        let fields = sample.experiment.fields();
        let content = |column| cell(&fields, column).map(|cell| (column, cell.to_string()));
        let mut cells = vec![("experiment", sample.experiment.name())];
        cells.extend(Self::COLUMNS.split(',').filter_map(content));
        cells.push(("launch", sample.launch.to_string()));
        cells.push(("rep", sample.rep.to_string()));
        cells.push(("seconds", seconds.to_string()));
        Ok(cells)
    }

    /// An absent column is read as 0.
    fn is_expendable(column: &str, field: &str) -> bool {
        field == "0" && ["reply", "delay", "launch", "rep"].contains(&column)
    }
}

/// Parses a row: a reading, or the name of its experiment if that is unknown, or has values in
/// columns that it does not use.
fn read(row: Row) -> Result<Result<Sample, String>, Fault> {
    let name = needed(row, "experiment", "every row")?;
    let Some(template) = named(name) else { return Ok(Err(name.to_owned())) };
    let values = values(row, name, &template.fields())?;
    let experiment = template.with_fields(&values);
    let used = experiment.fields();
    let is_lost =
        |column: &str| cell(&used, column).is_none_or(|kept| Some(kept) != cell(&values, column));
    if let Some(other) = row.given().find(|column| !is_common(column) && is_lost(column)) {
        return Ok(Err(format!("{name} with {other}")));
    }
    check(&experiment).map_err(|(column, fault)| row.at(column, fault))?;
    let (launch, rep) = (row.number("launch")?, row.number("rep")?);
    let seconds: f64 = number(row, "seconds", name, TIME)?;
    if !is_time(seconds) {
        return Err(row.invalid("seconds", TIME));
    }
    Ok(Ok(Sample { experiment, launch, rep, seconds: Seconds::new(seconds) }))
}

/// The text of a column that an experiment requires; an error if it is empty.
fn needed<'a>(row: Row<'a>, column: &str, experiment: &str) -> Result<&'a str, Fault> {
    let text = row.text(column);
    if !text.is_empty() {
        return Ok(text);
    }
    let message = format!(
        "column {column:?} is empty, but {experiment} requires it; fill it in or remove the line"
    );
    Err(row.at(column, message))
}

/// The number in a column that an experiment requires.
fn number<T: FromStr>(
    row: Row,
    column: &str,
    experiment: &str,
    expected: &'static str,
) -> Result<T, Fault> {
    needed(row, column, experiment)?.parse().map_err(|_| row.invalid(column, expected))
}

/// Returns true for columns that all rows have, whatever the experiment.
fn is_common(column: &str) -> bool {
    ["experiment", "i", "size", "launch", "rep", "seconds"].contains(&column)
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

/// The values of a row in the columns that the experiment `name` uses.
fn values(row: Row, name: &str, used: &ExperimentFields) -> Result<ExperimentFields, Fault> {
    let processor = |column| number(row, column, name, PROCESSOR).map(Processor);
    let mut processors = used.processors;
    for (processor_of, column) in processors.iter_mut().flatten().zip(PROCESSOR_COLUMNS) {
        *processor_of = processor(column)?;
    }
    Ok(ExperimentFields {
        processors,
        root: used.root.map(|_| processor(PROCESSOR_COLUMNS[0])).transpose()?,
        procs: used.procs.map(|_| number(row, "procs", name, PROCS)).transpose()?,
        size: number(row, "size", name, SIZE).map(Bytes::new)?,
        reply: match used.reply {
            Some(_) => Some(Bytes::new(row.optional("reply", SIZE)?.unwrap_or(0))),
            None => None,
        },
        count: used.count.map(|_| number(row, "count", name, COUNT)).transpose()?,
        delay: used.delay.map(|_| delay(row, name)).transpose()?,
        set: used.set.map(|_| number(row, "set", name, NUMBER)).transpose()?,
    })
}

/// Checks that the processors, sizes and counts of an experiment are valid.
fn check(experiment: &Experiment) -> Result<(), (&'static str, Fault)> {
    let fields = experiment.fields();
    for (column, size) in [("size", Some(fields.size)), ("reply", fields.reply)] {
        if let Some(size) = size.filter(|size| size.get() > MAX_SIZE) {
            return Err(value(column, &size.get().to_string(), SIZE));
        }
    }
    if let Some(count) = fields.count.filter(|count| !(1..=MAX_MESSAGES).contains(count)) {
        return Err(value("count", &count.to_string(), COUNT));
    }
    if let Some(procs) = fields.procs {
        if procs == 0 || procs > MAX_PROCESSORS {
            return Err(value("procs", &procs.to_string(), PROCS));
        }
        if let Some(root) = fields.root.filter(|root| root.index() >= procs) {
            return Err((
                "i",
                Fault::new(format!(
                    "column \"i\": the root {root} is not \
                among {procs} processors, which are numbered from 0; correct one of them",
                    root = root.0
                )),
            ));
        }
    }
    for (place, (column, processor)) in
        PROCESSOR_COLUMNS.into_iter().zip(fields.processors).enumerate()
    {
        let Some(processor) = processor else { continue };
        if processor.index() >= MAX_PROCESSORS {
            return Err(value(column, &processor.to_string(), PROCESSOR));
        }
        if fields.processors[..place].contains(&Some(processor)) {
            return Err((
                column,
                Fault::new(format!(
                    "column {column:?}: processor {processor} appears twice; \
                    the processors of {experiment} must differ",
                    experiment = experiment.name()
                )),
            ));
        }
    }
    Ok(())
}

/// The delay of a train, or the start of a round of anchors, in nanoseconds.
fn delay(row: Row, experiment: &str) -> Result<u64, Fault> {
    let (max, valid) = if experiment == "anchor" { (MAX_START, START) } else { (MAX_DELAY, DELAY) };
    let seconds = row.optional::<f64>("delay", valid)?.unwrap_or(0.0);
    if (0.0..=max).contains(&seconds) {
        Ok((seconds * 1e9).round() as u64)
    } else {
        Err(row.invalid("delay", valid))
    }
}

/// Returns true if a reading is finite and not negative.
fn is_time(seconds: f64) -> bool {
    seconds.is_finite() && seconds >= 0.0
}

/// The fault of an invalid value.
fn value(column: &'static str, found: &str, expected: &'static str) -> (&'static str, Fault) {
    (column, layout::invalid_value(column, found, expected))
}

/// Checks whether the time of a reading is plausible.
fn time(sample: &Sample) -> RowTime {
    let mut fields = sample.experiment.fields();
    if matches!(sample.experiment, Experiment::Anchor { .. }) {
        (fields.count, fields.delay) = (None, None);
    }
    let ExperimentFields { procs, size, reply, count, delay, .. } = fields;
    // A message and its reply, a train, or one block for each processor.
    let messages = count.map_or_else(|| procs.unwrap_or(2) as f64, f64::from);
    let delay = delay.map_or(0.0, |nanoseconds| nanoseconds as f64 / 1e9);
    RowTime::of(sample.seconds.get(), messages, size.max(reply.unwrap_or(size)), delay)
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
fn cell(fields: &ExperimentFields, column: &str) -> Option<Cell> {
    if let Some(place) = PROCESSOR_COLUMNS.iter().position(|processors| *processors == column) {
        let root = fields.root.filter(|_| place == 0);
        return fields.processors[place]
            .or(root)
            .map(|processor| Cell::Integer(processor.0.into()));
    }
    let size = |size: Bytes| Cell::Integer(size.get());
    match column {
        "procs" => fields.procs.map(|procs| Cell::Integer(procs as u64)),
        "size" => Some(size(fields.size)),
        "reply" => fields.reply.map(size),
        "count" => fields.count.map(|count| Cell::Integer(count.into())),
        "delay" => fields.delay.map(|delay| Cell::Seconds(delay as f64 / 1e9)),
        "set" => fields.set.map(|set| Cell::Integer(set.into())),
        _ => None,
    }
}
