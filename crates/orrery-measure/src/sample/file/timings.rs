//! The timings file: readings of concurrent messages, as CSV in the style of the samples file.
//!
//! ```text
//! # format: orrery-timings 1
//! # machine: local:4
//! scheme,communication,source,destination,size,delay,kind,launch,rep,seconds
//! ,,0,1,20971520,,reference,0,0,0.0119
//! two,a,0,1,20971520,0,concurrent,,,
//! two,a,0,1,20971520,0,concurrent,0,0,0.0233
//! ```
//!
//! A row without `seconds` declares a message of a scheme, so that all messages of a scheme are
//! known before it is measured. Columns are found by name, in any order; comments and unknown
//! columns are ignored.
//!
//! ```
//! use orrery_measure::sample::{Timings, file::parse_table};
//! let text = "# format: orrery-timings 1\nscheme,communication,source,destination,size,kind,seconds\n\
//!             ,,0,1,20971520,reference,0.17\ntwo,a,0,1,20971520,concurrent,0.26\n";
//! let loaded = parse_table::<Timings>(text, "by-hand.csv")?;
//! assert_eq!((loaded.samples.count(), loaded.samples.schemes()[0].name.as_str()), (2, "two"));
//! # Ok::<(), orrery_base::file::FileError>(())
//! ```

use super::layout::{self, Row, Table, WrittenTable};
use super::samples::MAX_SIZE;
use super::suspicious_rows::RowTime;
use crate::sample::{NodeMessage, Provenance, Repetition, TimingRow, TimingSubject, Timings};
use orrery_base::file::{Fault, FileKind};
use orrery_base::units::{Bytes, Seconds};

/// The valid values of a node.
const NODE: &str = "the number of a node, such as 0 or 17";
/// The valid sizes.
const SIZE: &str = "a size in bytes, such as 20971520 (up to 1 TiB, without unit)";
/// The valid delays.
const DELAY: &str = "a delay in seconds, such as 0 or 0.005 (finite, not negative)";
/// The valid kinds of readings.
const KIND: &str = "concurrent or reference";

/// The kind of readings of uncontended messages.
const REFERENCE: &str = "reference";
/// The kind of readings of concurrent messages.
const CONCURRENT: &str = "concurrent";

impl Table for Timings {
    const COLUMNS: &'static str =
        "scheme,communication,source,destination,size,delay,kind,launch,rep,seconds";
    const FILE: &'static str = "timings file";
    const FORMAT: &'static str = "orrery-timings 1";
    const EXAMPLE: &'static str = "scheme,communication,source,destination,size,kind,seconds";
    const KIND: FileKind = FileKind::Timings;
    const REQUIRED: &'static str = "scheme,communication,source,destination,size,kind,seconds";
    const REPETITION: &'static str = "rep";

    fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    fn provenance_mut(&mut self) -> &mut Provenance {
        &mut self.provenance
    }

    fn push(&mut self, row: Row) -> Result<RowTime, Fault> {
        let row = read(row)?;
        let time = time(&row);
        Self::push(self, row).map_err(Fault::new)?;
        Ok(time)
    }
}

/// Checks whether the time of a reading is plausible. The limit leaves room for messages that share
/// bandwidth.
fn time(row: &TimingRow) -> RowTime {
    let size = match &row.subject {
        TimingSubject::Reference(message) | TimingSubject::Concurrent { message, .. } => {
            message.size
        }
    };
    row.reading.map_or(RowTime::None, |reading| RowTime::of(reading.seconds.get(), 1.0, size, 0.0))
}

/// Parses a row: a reading, or the declaration of a message.
fn read(row: Row) -> Result<TimingRow, Fault> {
    let (source, destination) = (row.required("source", NODE)?, row.required("destination", NODE)?);
    if source == destination {
        let message = format!(
            "column \"destination\": the message stays within node {source}; source and \
                destination must differ"
        );
        return Err(row.at("destination", message));
    }
    let size: u64 = row.required("size", SIZE)?;
    if size > MAX_SIZE {
        return Err(row.invalid("size", SIZE));
    }
    let message = NodeMessage { source, destination, size: Bytes::new(size) };
    let delay: f64 = row.optional("delay", DELAY)?.unwrap_or(0.0);
    if !(delay.is_finite() && delay >= 0.0) {
        return Err(row.invalid("delay", DELAY));
    }
    let (scheme, communication) = (row.text("scheme"), row.text("communication"));
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
    let subject = match row.text("kind") {
        REFERENCE if !scheme.is_empty() => {
            return Err(row.at("scheme", named(REFERENCE)));
        }
        REFERENCE if !communication.is_empty() => {
            return Err(row.at("communication", named(REFERENCE)));
        }
        REFERENCE => TimingSubject::Reference(message),
        CONCURRENT if scheme.is_empty() => {
            return Err(row.at("scheme", named(CONCURRENT)));
        }
        CONCURRENT if communication.is_empty() => {
            return Err(row.at("communication", named(CONCURRENT)));
        }
        CONCURRENT => {
            let (scheme, communication) = (scheme.to_owned(), communication.to_owned());
            TimingSubject::Concurrent { scheme, communication, message, delay: Seconds::new(delay) }
        }
        _ => return Err(row.invalid("kind", KIND)),
    };
    let (launch, rep) = (row.number("launch")?, row.number("rep")?);
    let seconds = row.time("seconds")?;
    Ok(TimingRow { subject, reading: seconds.map(|seconds| Repetition { launch, rep, seconds }) })
}

impl WrittenTable for Timings {
    type Reading = TimingRow;

    fn rows(&self) -> impl Iterator<Item = TimingRow> {
        Self::rows(self).into_iter()
    }

    fn cells(row: &TimingRow) -> Result<Vec<(&'static str, String)>, Fault> {
        let (scheme, communication, message, delay, kind) = match &row.subject {
            TimingSubject::Reference(message) => ("", "", message, None, REFERENCE),
            TimingSubject::Concurrent { scheme, communication, message, delay } => {
                (scheme.as_str(), communication.as_str(), message, Some(delay), CONCURRENT)
            }
        };
        let mut cells = vec![
            ("scheme", layout::field(scheme, "scheme")?),
            ("communication", layout::field(communication, "communication")?),
            ("source", message.source.to_string()),
            ("destination", message.destination.to_string()),
            ("size", message.size.get().to_string()),
            ("delay", delay.map(|delay| delay.get().to_string()).unwrap_or_default()),
            ("kind", kind.to_owned()),
        ];
        if let Some(Repetition { launch, rep, seconds }) = row.reading {
            cells.push(("launch", launch.to_string()));
            cells.push(("rep", rep.to_string()));
            cells.push(("seconds", layout::time_field(seconds, "seconds")?));
        }
        Ok(cells)
    }

    fn is_reading(row: &TimingRow) -> bool {
        row.reading.is_some()
    }
}
