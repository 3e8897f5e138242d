//! Reads a series from CSV: a column of times and one of values.

use super::series::{MAX_MAGNITUDE, Series};
use super::time::TimeFormat;
use orrery_base::file::{Fault, Position};
use orrery_base::names::advice;
use orrery_base::units::Seconds;
use orrery_measure::sample::file::table::{Field, split};

/// The names of columns of times, in any case.
const TIME_COLUMNS: [&str; 5] = ["time", "timestamp", "datetime", "date", "seconds"];

/// The names of columns of values that are taken among several columns, in any case.
const VALUE_COLUMN: &str = "value";

/// The fields that stand for a missing value; upper or lower case does not matter.
const MISSING: [&str; 5] = ["", "nan", "na", "null", "none"];

/// The columns to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeriesSelection {
    /// The column of times; `None` for the one with the name time, timestamp, datetime, date or
    /// seconds, else the first.
    pub time: Option<String>,
    /// The column of values; `None` for the only other one, or the one with the name value.
    pub value: Option<String>,
}

/// A series that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadSeries {
    /// The samples in order of time.
    pub series: Series,
    /// How times are written.
    pub format: TimeFormat,
    /// The name of the column of values.
    pub name: String,
    /// The number of lines without a value, which are left out.
    pub missing: usize,
    /// True if the text has the samples in another order than that of time.
    pub were_reordered: bool,
}

/// The reason why a series cannot be read, with the position.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{position}: {fault}")]
pub struct SeriesFileError {
    /// The line and the column.
    pub position: Position,
    /// The problem.
    pub fault: Fault,
}

/// Reads a series from a CSV text whose first line names the columns.
///
/// Empty lines and lines that begin with `#` are ignored. Lines whose value is empty, NaN, NA, null
/// or none are left out. Samples are sorted by time; samples with equal times keep their order.
///
/// # Errors
///
/// Returns an error if a column is missing, a line has another number of fields, or a field is no
/// time or number.
///
/// ```
/// use orrery_models::forecast::{SeriesSelection, read};
/// let text = "timestamp,load\n2014-02-14 14:30:00,0.5\n2014-02-14 14:35:00,\n2014-02-14 14:40:00,0.7\n";
/// let read = read(text, &SeriesSelection::default())?;
/// assert_eq!((read.series.values(), read.missing, read.name.as_str()), (&[0.5, 0.7][..], 1, "load"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(text: &str, selection: &SeriesSelection) -> Result<ReadSeries, SeriesFileError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let (first, header) = lines.next().ok_or_else(|| {
        at(1, 1, "there is no line of column names; begin with one such as time,value")
    })?;
    let names: Vec<String> =
        fields(first, header)?.into_iter().map(|field| field.text.into_owned()).collect();
    let (time, value) = columns(&names, selection).map_err(|fault| at(first, 1, fault))?;
    let mut samples: Vec<(Seconds, f64)> = Vec::new();
    let (mut format, mut missing) = (None, 0);
    for (line, content) in lines {
        let fields = fields(line, content)?;
        if fields.len() != names.len() {
            let message = format!(
                "the line has {} fields, but there are {} columns; correct or remove it",
                fields.len(),
                names.len()
            );
            return Err(at(line, 1, message));
        }
        let fault = |field: &Field, why: &str| {
            at(line, character(content, field.start), format!("{:?} is {why}", field.text))
        };
        let field = &fields[time];
        let (time, written) = TimeFormat::parse(&field.text).ok_or_else(|| {
            fault(
                field,
                "not a time; write 2014-02-14 14:30:00, 2014-02-14T14:30:00Z, or a number of \
                    seconds",
            )
        })?;
        if *format.get_or_insert(written) != written {
            return Err(fault(
                field,
                "written in another way than the times before it; use one of: a date with a time \
                    zone, one without, seconds",
            ));
        }
        let field = &fields[value];
        if MISSING.iter().any(|missing| field.text.eq_ignore_ascii_case(missing)) {
            missing += 1;
            continue;
        }
        let value = field.text.parse().ok().filter(|value: &f64| value.abs() <= MAX_MAGNITUDE);
        let value = value.ok_or_else(|| {
            let allowed = format!("not a number up to {MAX_MAGNITUDE:e}");
            let remedy = "correct it, or leave the field empty for a missing value";
            fault(field, &format!("{allowed}; {remedy}"))
        })?;
        samples.push((time, value));
    }
    let were_reordered = !samples.is_sorted_by(|one, next| one.0 <= next.0);
    samples.sort_by(|one, next| one.0.total_cmp(&next.0));
    let series = Series::of_checked(samples);
    Ok(ReadSeries {
        series,
        format: format.unwrap_or_default(),
        name: names[value].clone(),
        missing,
        were_reordered,
    })
}

/// The columns of times and of values.
fn columns(names: &[String], selection: &SeriesSelection) -> Result<(usize, usize), Fault> {
    let place = |name: &String| {
        let found = names.iter().position(|one| one == name);
        found.ok_or_else(|| {
            let advice = advice(name, "the columns", names);
            Fault::new(format!("there is no column {name:?}; {advice}"))
        })
    };
    if let [name] = names {
        return Err(Fault::new(format!(
            "there is one column, {name:?}; a series needs a column of times and one of values, \
                such as time,value"
        )));
    }
    let is_time = |name: &String| TIME_COLUMNS.iter().any(|time| name.eq_ignore_ascii_case(time));
    let time = match &selection.time {
        Some(name) => place(name)?,
        None => names.iter().position(is_time).unwrap_or(0),
    };
    let others = || names.iter().enumerate().filter(|(column, _)| *column != time);
    let value = match &selection.value {
        Some(name) => place(name)?,
        None if names.len() == 2 => 1 - time,
        None => match others().find(|(_, name)| name.eq_ignore_ascii_case(VALUE_COLUMN)) {
            Some((column, _)) => column,
            None => {
                let known: Vec<&str> = others().map(|(_, name)| name.as_str()).collect();
                return Err(Fault::new(format!(
                    "several columns may have the values; name one of {}",
                    known.join(", ")
                )));
            }
        },
    };
    if time == value {
        let name = &names[time];
        Err(Fault::new(format!(
            "the column {name:?} has the times; name another one for the values"
        )))
    } else {
        Ok((time, value))
    }
}

/// Splits a line into fields.
fn fields(line: usize, content: &str) -> Result<Vec<Field<'_>>, SeriesFileError> {
    split(content).map_err(|(byte, fault)| at(line, character(content, byte), fault.to_string()))
}

/// The error at a line and a column.
fn at(line: usize, column: usize, fault: impl Into<Fault>) -> SeriesFileError {
    SeriesFileError { position: Position { line, column }, fault: fault.into() }
}

/// The number of the character at a byte, from 1.
fn character(line: &str, byte: usize) -> usize {
    line.char_indices().take_while(|(at, _)| *at < byte).count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selection(time: Option<&str>, value: Option<&str>) -> SeriesSelection {
        SeriesSelection { time: time.map(str::to_owned), value: value.map(str::to_owned) }
    }

    #[test]
    fn columns_are_found() {
        let name = |text: &str, value: Option<&str>| {
            read(text, &selection(None, value)).map(|read| read.name)
        };
        assert_eq!(name("load,Time\n1,2\n", None).unwrap(), "load");
        assert_eq!(name("t,a,Value\n1,2,3\n", None).unwrap(), "Value");
        assert_eq!(name("t,a,b\n1,2,3\n", Some("b")).unwrap(), "b");
        let error = |text: &str, value: Option<&str>| name(text, value).unwrap_err().to_string();
        assert_eq!(
            error("t,a,b\n", None),
            "1:1: several columns may have the values; name one of a, b"
        );
        assert_eq!(
            error("t,a\n", Some("t")),
            "1:1: the column \"t\" has the times; name another one for the values"
        );
        assert_eq!(
            error("t,a\n", Some("c")),
            "1:1: there is no column \"c\"; the columns are t, a"
        );
        assert!(error("t\n", None).starts_with("1:1: there is one column, \"t\""));
        assert!(error("# nothing\n", None).starts_with("1:1: there is no line of column names"));
    }

    #[test]
    fn samples_are_sorted_and_missing_values_left_out() {
        let read = read(
            "time,value\n20,2\n10,1\n\n# a remark\n30,NaN\n20,3\n",
            &SeriesSelection::default(),
        )
        .unwrap();
        assert_eq!(read.series.values(), [1.0, 2.0, 3.0]);
        assert_eq!(
            (read.missing, read.were_reordered, read.format),
            (1, true, TimeFormat::Seconds)
        );
    }

    #[test]
    fn faults_have_their_positions() {
        let fault = |text: &str| read(text, &SeriesSelection::default()).unwrap_err().to_string();
        assert!(fault("time,value\n1,2\nnoon, 3\n").starts_with("3:1: \"noon\" is not a time"));
        assert!(fault("time,value\n1, é\n").starts_with("2:4: \"é\" is not a number up to 1e100"));
        assert!(fault("time,value\n1,inf\n").starts_with("2:3: \"inf\" is not a number"));
        assert!(
            fault("time,value\n1,2\n2014-02-14,3\n")
                .starts_with("3:1: \"2014-02-14\" is written in another way")
        );
        assert!(fault("time,value\n1\n").starts_with("2:1: the line has 1 fields"));
        assert!(fault("time,value\n\"1,2\n").starts_with("2:1: "));
    }
}
