//! Tables with column names: one row for each run, or one for each rank of each run.
//!
//! Commas, semicolons, tabs or blanks separate the fields; the first lines show which. Lines that
//! begin with `#` are comments; the last one above the rows holds the column names if no other line
//! does.

mod columns;
mod layout;
mod names;
mod ranks;

use super::error;
use super::mapping::{ColumnMapping, Target};
use super::name_pattern::FileProperties;
use super::parsed::{LineStarts, Parsed, RemarkKind, describe};
use super::work::Work;
use crate::run::{KindTimes, Run, Share};
use columns::Columns;
pub(super) use layout::{Layout, is_table};
pub(super) use names::time_unit;
use orrery_base::file::{Fault, FaultKind, Result};
use orrery_base::units::Seconds;
use orrery_measure::sample::file::table::Field;

/// A time of 0.
const ZERO: Seconds = Seconds::new(0.0);

/// Reads a table of a file with these properties. A rank without a kind has the only kind of the
/// configuration.
pub(super) fn read(text: &str, map: &ColumnMapping, file: &FileProperties) -> Result<Parsed> {
    let Some(layout) = Layout::read(text)? else { return Ok(Parsed::default()) };
    let at_header = |fault: Fault| fault.at(layout.byte);
    let (columns, remarks) =
        Columns::new(&layout, &LineStarts::new(text), map).map_err(at_header)?;
    let rows =
        layout.rows.iter().map(|(byte, fields)| Row::read(fields, &layout, &columns, file, *byte));
    let rows = rows.collect::<Result<Vec<Row>>>()?;
    if rows.is_empty() {
        return Ok(Parsed::default());
    }
    let (rows, unusable): (Vec<Row>, Vec<Row>) =
        rows.into_iter().partition(|row| row.seconds.is_none_or(|seconds| seconds > 0.0));
    let kind = if let [share] = &file.configuration.shares[..] { share.kind.as_str() } else { "" };
    let runs = if columns.is_by_rank() {
        ranks::join(rows, kind)?
    } else {
        rows.into_iter().map(|row| row.run(kind)).collect()
    };
    let mut remarks: Vec<_> = remarks.into_iter().map(|remark| (layout.byte, remark)).collect();
    if let Some(first) = unusable.first() {
        remarks.push((first.byte, RemarkKind::unusable(unusable.len(), "rows")));
    }
    Ok(Parsed { runs, remarks })
}

/// A row of a table.
struct Row {
    /// The byte at which it begins.
    byte: usize,
    /// The run, without the times of the rank's kind; its time is 0 until it is known.
    run: Run,
    /// The name of the run of a rank.
    run_name: String,
    /// The kind of a rank.
    kind: Option<String>,
    /// The computation and communication times of the rank, in seconds.
    times: Option<(f64, f64)>,
    /// The time, if a column has it, in seconds.
    seconds: Option<f64>,
}

impl Row {
    /// Reads the fields of a row, one for each column.
    fn read(
        fields: &[Field],
        layout: &Layout,
        columns: &Columns,
        file: &FileProperties,
        byte: usize,
    ) -> Result<Self> {
        let run = Run::new(Seconds::new(0.0));
        let mut row =
            Self { byte, run, run_name: String::new(), kind: None, times: None, seconds: None };
        let mut description = Vec::new();
        let mut rate = None;
        for (place, target) in columns.targets.iter().enumerate() {
            let text = &fields[place].text;
            let value = |expected, accept: &dyn Fn(f64) -> bool| {
                let number = layout.number(&fields[place]).filter(|&number| accept(number));
                number.ok_or_else(|| {
                    let run = if description.is_empty() {
                        "of this row".to_owned()
                    } else {
                        format!("of {}", description.join(", "))
                    };
                    let fault = error::value(&run, &columns.names[place], text, expected);
                    fault.at(byte + fields[place].start)
                })
            };
            let time = || value("a finite time, not negative", &|time| time >= 0.0);
            let count = || {
                value("a whole number", &|count| {
                    count.fract() == 0.0 && (0.0..4e9).contains(&count)
                })
            };
            match target {
                Target::Time(unit) => {
                    // Of failed runs and regions shorter than the clock shows; they cost the row.
                    row.seconds = Some(unit.seconds(value("a finite time", &|_| true)?));
                }
                Target::Rate(work) => {
                    let number = value("a finite rate above 0", &|rate| rate > 0.0)?;
                    rate = Some((work, number, byte + fields[place].start));
                }
                Target::Region => row.run.region = text.to_string(),
                Target::Run => row.run_name = text.to_string(),
                Target::Rank => {}
                Target::Kind => row.kind = Some(text.to_string()),
                Target::Computation(kind) if kind.is_empty() => {
                    row.times.get_or_insert_default().0 = time()?;
                }
                Target::Communication(kind) if kind.is_empty() => {
                    row.times.get_or_insert_default().1 = time()?;
                }
                // The fields of a kind that takes no part may be empty.
                _ if text.is_empty() && !matches!(target, Target::Variable(_)) => {}
                Target::Computation(kind) => row.part(kind).computation = Seconds::new(time()?),
                Target::Communication(kind) => row.part(kind).communication = Seconds::new(time()?),
                Target::Elements(kind) => row.share(kind).elements = count()? as u32,
                Target::Processes(kind) => row.share(kind).processes = count()? as u32,
                Target::Label(label) => {
                    row.run.labels.insert(label.clone(), text.to_string());
                }
                Target::Variable(variable) => {
                    let number = value("a finite number", &|_| true)?;
                    description.push(format!("{variable} = {number}"));
                    row.run.variables.insert(variable.clone(), number);
                }
            }
        }
        if let Some((work, rate, byte)) = rate {
            row.seconds =
                Some(seconds_at_rate(work, rate, &row.run, file).map_err(|fault| fault.at(byte))?);
        }
        // A kind without elements or processes takes no part and has no times.
        row.run.configuration.shares.retain(|share| share.elements > 0 && share.processes > 0);
        if columns.targets.iter().any(|target| matches!(target, Target::Elements(_))) {
            let Run { parts, configuration, .. } = &mut row.run;
            parts.retain(|part| {
                configuration.share(&part.kind).is_some()
                    || part.computation + part.communication > ZERO
            });
        }
        Ok(row)
    }

    /// The times of a kind, which are added if they are missing.
    fn part(&mut self, kind: &str) -> &mut KindTimes {
        let parts = &mut self.run.parts;
        let place = parts.iter().position(|part| part.kind == kind).unwrap_or_else(|| {
            parts.push(KindTimes { kind: kind.to_owned(), computation: ZERO, communication: ZERO });
            parts.len() - 1
        });
        &mut parts[place]
    }

    /// The share of a kind, which is added if it is missing.
    fn share(&mut self, kind: &str) -> &mut Share {
        let shares = &mut self.run.configuration.shares;
        let place = shares.iter().position(|share| share.kind == kind).unwrap_or_else(|| {
            shares.push(Share { kind: kind.to_owned(), elements: 0, processes: 1 });
            shares.len() - 1
        });
        &mut shares[place]
    }

    /// The row as a run, with its byte; `kind` is the kind of a row that names none. Without a time
    /// of its own, a run has that of its slowest kind.
    fn run(mut self, kind: &str) -> (usize, Run) {
        if let Some((computation, communication)) = self.times {
            let kind = self.kind.unwrap_or_else(|| kind.to_owned());
            let (computation, communication) =
                (Seconds::new(computation), Seconds::new(communication));
            self.run.parts.push(KindTimes { kind, computation, communication });
        }
        let slowest = || {
            self.run
                .parts
                .iter()
                .map(|part| part.computation + part.communication)
                .reduce(Seconds::max)
        };
        self.run.seconds = self.seconds.map(Seconds::new).or_else(slowest).unwrap_or(ZERO);
        (self.byte, self.run)
    }
}

/// The time of a run in seconds: its work divided by its rate. Variables are those of the row and
/// of the file's name.
fn seconds_at_rate(work: &Work, rate: f64, run: &Run, file: &FileProperties) -> Result<f64, Fault> {
    let fault = |reason: String| {
        let (run, work) = (describe(run), work.to_string());
        Fault::new(format!("run {run}: the work {work:?} of its rate: {reason}"))
            .of_kind(FaultKind::Mapping)
    };
    let of_file = |name: &str| {
        file.variables.iter().find(|(other, _)| other == name).map(|(_, value)| *value)
    };
    let amount = work.value(&|name| run.variables.get(name).copied().or_else(|| of_file(name)));
    let amount = amount
        .map_err(|name| fault(format!("the run has no variable {name}; map a column to it")))?;
    let seconds = amount / rate;
    if seconds.is_finite() && seconds > 0.0 {
        Ok(seconds)
    } else {
        Err(fault(format!(
            "its value is {amount}, and the time {seconds} s; both must be finite and above 0"
        )))
    }
}
