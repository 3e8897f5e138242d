use std::fmt::Write as _;

use crate::sample::file::row::MAX_SIZE;
use crate::sample::file::suspicious_rows::RowTime;
use crate::sample::file::table::{self, Column, Layout, Row};
use crate::sample::{NodeMessage, Repetition, TimingRow, TimingSubject};
use orrery_base::file::Fault;
use orrery_base::units::{Bytes, Seconds};

/// The valid values of a node.
const NODE: &str = "the number of a node, such as 0 or 17";
/// The valid sizes.
const SIZE: &str = "a size in bytes, such as 20971520 (up to 1 TiB, without unit)";
/// The valid integers.
const NUMBER: &str = "an integer, such as 0";
/// The valid times.
const TIME: &str = "a time in seconds, such as 0.0233 (finite, above 0)";
/// The valid delays.
const DELAY: &str = "a delay in seconds, such as 0 or 0.005 (finite, not negative)";
/// The valid kinds of readings.
const KIND: &str = "concurrent or reference";

/// The kind of readings of uncontended messages.
const REFERENCE: &str = "reference";
/// The kind of readings of concurrent messages.
const CONCURRENT: &str = "concurrent";

/// A column of a timings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sample::file) enum TimingColumn {
    Scheme,
    Communication,
    Source,
    Destination,
    Size,
    Delay,
    Kind,
    Launch,
    Rep,
    Seconds,
}

impl Column for TimingColumn {
    const ALL: &'static [Self] = &[
        Self::Scheme,
        Self::Communication,
        Self::Source,
        Self::Destination,
        Self::Size,
        Self::Delay,
        Self::Kind,
        Self::Launch,
        Self::Rep,
        Self::Seconds,
    ];

    const REQUIRED: &'static [Self] = &[
        Self::Scheme,
        Self::Communication,
        Self::Source,
        Self::Destination,
        Self::Size,
        Self::Kind,
        Self::Seconds,
    ];

    const REPETITION: Self = Self::Rep;

    fn name(self) -> &'static str {
        match self {
            Self::Scheme => "scheme",
            Self::Communication => "communication",
            Self::Source => "source",
            Self::Destination => "destination",
            Self::Size => "size",
            Self::Delay => "delay",
            Self::Kind => "kind",
            Self::Launch => "launch",
            Self::Rep => "rep",
            Self::Seconds => "seconds",
        }
    }
}

/// A result whose error comes with its column.
type Located<T> = Result<T, (TimingColumn, Fault)>;

/// Checks whether the time of a reading is plausible. The limit leaves room for messages that share
/// bandwidth.
pub(super) fn time(row: &TimingRow) -> RowTime {
    let size = match &row.subject {
        TimingSubject::Reference(message) | TimingSubject::Concurrent { message, .. } => {
            message.size
        }
    };
    row.reading.map_or(RowTime::None, |reading| RowTime::of(reading.seconds.get(), 1.0, size, 0.0))
}

pub(super) fn read(row: Row<TimingColumn>) -> Located<TimingRow> {
    let (source, destination) =
        (row.required(TimingColumn::Source, NODE)?, row.required(TimingColumn::Destination, NODE)?);
    if source == destination {
        return Err((
            TimingColumn::Destination,
            Fault::new(format!(
                "column \"destination\": the \
            message stays within node {source}; source and destination must differ"
            )),
        ));
    }
    let size: u64 = row.required(TimingColumn::Size, SIZE)?;
    if size > MAX_SIZE {
        return Err(row.invalid(TimingColumn::Size, SIZE));
    }
    let message = NodeMessage { source, destination, size: Bytes::new(size) };
    let delay: f64 = row.optional(TimingColumn::Delay, DELAY)?.unwrap_or(0.0);
    if !(delay.is_finite() && delay >= 0.0) {
        return Err(row.invalid(TimingColumn::Delay, DELAY));
    }
    let (scheme, communication) =
        (row.text(TimingColumn::Scheme), row.text(TimingColumn::Communication));
    let named = |kind| {
        Fault::new(format!(
            "a {kind} reading {}; correct it or remove the line",
            if kind == "reference" {
                "belongs to no scheme: leave the columns \"scheme\" and \"communication\" empty"
            } else {
                "needs the columns \"scheme\" and \"communication\""
            }
        ))
    };
    let subject = match row.text(TimingColumn::Kind) {
        REFERENCE if !scheme.is_empty() => return Err((TimingColumn::Scheme, named(REFERENCE))),
        REFERENCE if !communication.is_empty() => {
            return Err((TimingColumn::Communication, named(REFERENCE)));
        }
        REFERENCE => TimingSubject::Reference(message),
        CONCURRENT if scheme.is_empty() => return Err((TimingColumn::Scheme, named(CONCURRENT))),
        CONCURRENT if communication.is_empty() => {
            return Err((TimingColumn::Communication, named(CONCURRENT)));
        }
        CONCURRENT => {
            let (scheme, communication) = (scheme.to_owned(), communication.to_owned());
            TimingSubject::Concurrent { scheme, communication, message, delay: Seconds::new(delay) }
        }
        _ => return Err(row.invalid(TimingColumn::Kind, KIND)),
    };
    let launch = row.optional(TimingColumn::Launch, NUMBER)?.unwrap_or(0);
    let rep = row.optional(TimingColumn::Rep, NUMBER)?.unwrap_or(0);
    let seconds: Option<f64> = row.optional(TimingColumn::Seconds, TIME)?;
    if seconds.is_some_and(|seconds| !is_time(seconds)) {
        return Err(row.invalid(TimingColumn::Seconds, TIME));
    }
    let reading = seconds.map(|seconds| Repetition { launch, rep, seconds: Seconds::new(seconds) });
    Ok(TimingRow { subject, reading })
}

/// Returns true if a reading is finite and above 0.
fn is_time(seconds: f64) -> bool {
    seconds.is_finite() && seconds > 0.0
}

/// Appends a row with the columns of `layout`.
pub(super) fn write(
    text: &mut String,
    layout: &Layout<TimingColumn>,
    row: &TimingRow,
) -> Result<(), Fault> {
    let (scheme, communication, message, delay, kind) = match &row.subject {
        TimingSubject::Reference(message) => ("", "", message, None, REFERENCE),
        TimingSubject::Concurrent { scheme, communication, message, delay } => {
            (scheme.as_str(), communication.as_str(), message, Some(delay.get()), CONCURRENT)
        }
    };
    if let Some(reading) = row.reading.filter(|reading| !is_time(reading.seconds.get())) {
        let found = reading.seconds.get().to_string();
        return Err(table::invalid_value(TimingColumn::Seconds.name(), &found, TIME));
    }
    let mut fields = vec![String::new(); layout.width];
    let number = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
    for (column, field) in [
        (TimingColumn::Scheme, table::field(scheme, TimingColumn::Scheme.name())?),
        (TimingColumn::Communication, table::field(communication, TimingColumn::Scheme.name())?),
        (TimingColumn::Source, message.source.to_string()),
        (TimingColumn::Destination, message.destination.to_string()),
        (TimingColumn::Size, message.size.get().to_string()),
        (TimingColumn::Delay, delay.map(|delay| delay.to_string()).unwrap_or_default()),
        (TimingColumn::Kind, kind.to_owned()),
        (TimingColumn::Launch, number(row.reading.map(|reading| reading.launch))),
        (TimingColumn::Rep, number(row.reading.map(|reading| reading.rep))),
        (
            TimingColumn::Seconds,
            row.reading.map(|reading| reading.seconds.get().to_string()).unwrap_or_default(),
        ),
    ] {
        if let Some(place) = layout.field(column) {
            fields[place] = field;
        }
    }
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}", fields.join(","));
    Ok(())
}
