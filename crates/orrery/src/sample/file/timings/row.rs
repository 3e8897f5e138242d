use std::fmt::Write as _;

use super::column::{Column, Layout};
use super::{Fault, TimingsFault};
use crate::sample::file::fields::Field;
use crate::sample::{NodeMessage, Repetition, TimingRow, TimingSubject};
use crate::units::{Bytes, Seconds};

/// Larger messages than this (1 TiB) are a slip of the pen.
const LARGEST: u64 = 1 << 40;

const NODE: &str = "the number of a node, such as 0 or 17";
const SIZE: &str = "a size in whole bytes, such as 20971520 (up to 1 TiB, without unit)";
const NUMBER: &str = "a whole number, such as 0";
const TIME: &str = "a time in seconds, such as 0.0233 (finite, above 0)";
const DELAY: &str = "a delay in seconds, such as 0 or 0.005 (finite, not negative)";
const KIND: &str = "concurrent or reference";

const REFERENCE: &str = "reference";
const CONCURRENT: &str = "concurrent";

type Located<T> = Result<T, (Column, TimingsFault)>;

/// The fields of a row by column.
struct Fields<'a> {
    all: &'a [Field<'a>],
    layout: &'a Layout,
}

impl Fields<'_> {
    fn text(&self, column: Column) -> &str {
        self.layout.place(column).map_or("", |field| &self.all[field].text)
    }

    /// What is parsed from a field; nothing where it is empty.
    fn optional<T: std::str::FromStr>(&self, column: Column, expected: &'static str) -> Located<Option<T>> {
        let text = self.text(column);
        let parsed = (!text.is_empty()).then(|| text.parse());
        parsed.transpose().map_err(|_| self.refused(column, expected))
    }

    fn needed<T: std::str::FromStr>(&self, column: Column, expected: &'static str) -> Located<T> {
        self.optional(column, expected)?.ok_or_else(|| self.refused(column, expected))
    }

    fn refused(&self, column: Column, expected: &'static str) -> (Column, TimingsFault) {
        let found = self.text(column).to_owned();
        (column, Fault::Value { column: column.name(), found, expected }.into())
    }
}

/// Reads a row whose number of fields is right. An error comes with the column where it stands.
pub(super) fn read(all: &[Field], layout: &Layout) -> Located<TimingRow> {
    let fields = Fields { all, layout };
    let (source, destination) = (fields.needed(Column::Source, NODE)?, fields.needed(Column::Destination, NODE)?);
    if source == destination {
        return Err((Column::Destination, TimingsFault::Inside { node: source }));
    }
    let size: u64 = fields.needed(Column::Size, SIZE)?;
    if size > LARGEST {
        return Err(fields.refused(Column::Size, SIZE));
    }
    let message = NodeMessage { source, destination, size: Bytes::new(size) };
    let delay: f64 = fields.optional(Column::Delay, DELAY)?.unwrap_or(0.0);
    if !(delay.is_finite() && delay >= 0.0) {
        return Err(fields.refused(Column::Delay, DELAY));
    }
    let (scheme, communication) = (fields.text(Column::Scheme), fields.text(Column::Communication));
    let named = |kind| TimingsFault::Named { kind };
    let subject = match fields.text(Column::Kind) {
        REFERENCE if !scheme.is_empty() => return Err((Column::Scheme, named(REFERENCE))),
        REFERENCE if !communication.is_empty() => return Err((Column::Communication, named(REFERENCE))),
        REFERENCE => TimingSubject::Reference(message),
        CONCURRENT if scheme.is_empty() => return Err((Column::Scheme, named(CONCURRENT))),
        CONCURRENT if communication.is_empty() => return Err((Column::Communication, named(CONCURRENT))),
        CONCURRENT => {
            let (scheme, communication) = (scheme.to_owned(), communication.to_owned());
            TimingSubject::Concurrent { scheme, communication, message, delay: Seconds::new(delay) }
        }
        _ => return Err(fields.refused(Column::Kind, KIND)),
    };
    let launch = fields.optional(Column::Launch, NUMBER)?.unwrap_or(0);
    let rep = fields.optional(Column::Rep, NUMBER)?.unwrap_or(0);
    let seconds: Option<f64> = fields.optional(Column::Seconds, TIME)?;
    if seconds.is_some_and(|seconds| !is_time(seconds)) {
        return Err(fields.refused(Column::Seconds, TIME));
    }
    let reading = seconds.map(|seconds| Repetition { launch, rep, seconds: Seconds::new(seconds) });
    Ok(TimingRow { subject, reading })
}

fn is_time(seconds: f64) -> bool {
    seconds.is_finite() && seconds > 0.0
}

/// Writes a row and its line break, in the columns of the file.
pub(super) fn write(text: &mut String, layout: &Layout, row: &TimingRow) -> Result<(), TimingsFault> {
    let (scheme, communication, message, delay, kind) = match &row.subject {
        TimingSubject::Reference(message) => ("", "", message, None, REFERENCE),
        TimingSubject::Concurrent { scheme, communication, message, delay } => {
            (scheme.as_str(), communication.as_str(), message, Some(delay.get()), CONCURRENT)
        }
    };
    if let Some(reading) = row.reading.filter(|reading| !is_time(reading.seconds.get())) {
        let found = reading.seconds.get().to_string();
        return Err(Fault::Value { column: Column::Seconds.name(), found, expected: TIME }.into());
    }
    let mut fields = vec![String::new(); layout.width];
    let number = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
    for (column, field) in [
        (Column::Scheme, quoted(scheme)?),
        (Column::Communication, quoted(communication)?),
        (Column::Source, message.source.to_string()),
        (Column::Destination, message.destination.to_string()),
        (Column::Size, message.size.get().to_string()),
        (Column::Delay, delay.map(|delay| delay.to_string()).unwrap_or_default()),
        (Column::Kind, kind.to_owned()),
        (Column::Launch, number(row.reading.map(|reading| reading.launch))),
        (Column::Rep, number(row.reading.map(|reading| reading.rep))),
        (Column::Seconds, row.reading.map(|reading| reading.seconds.get().to_string()).unwrap_or_default()),
    ] {
        if let Some(place) = layout.place(column) {
            fields[place] = field;
        }
    }
    // A string takes whatever is written to it.
    let _ = writeln!(text, "{}", fields.join(","));
    Ok(())
}

/// A name as a field: in quotes where it has to be.
fn quoted(name: &str) -> Result<String, TimingsFault> {
    if name.contains(char::is_control) || name.trim() != name {
        let expected = "a name without line breaks and without blanks around it";
        return Err(Fault::Value { column: Column::Scheme.name(), found: name.to_owned(), expected }.into());
    }
    let special = name.contains([',', '"', '#']);
    Ok(if special { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_owned() })
}
