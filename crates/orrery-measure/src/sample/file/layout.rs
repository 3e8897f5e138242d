//! CSV files with provenance above the column names: what samples and timings files share.

use std::borrow::Borrow;
use std::path::Path;
use std::str::FromStr;

use super::header::{self, Comment};
use super::suspicious_rows::{ImplausibleTimes, RepeatedRows, RowCheck, RowTime};
use super::table::{Field, split};
use crate::sample::Provenance;
use orrery_base::file::{Fault, FaultKind, FileError, FileKind, Position, kind_of, other_kind};
use orrery_base::names::nearest;
use orrery_base::units::Seconds;

/// The fault of an invalid value in a column.
pub(super) fn invalid_value(column: &str, found: &str, expected: &str) -> Fault {
    Fault::new(format!(
        "column {column:?}: {found:?} is not {expected}; correct it or remove the line"
    ))
}

/// The fault of a table without a column; `names` are those of the columns that it has.
pub(super) fn no_column<'a>(column: &str, names: impl IntoIterator<Item = &'a str>) -> Fault {
    let add = match nearest(column, names) {
        Some(near) => format!("rename {near:?}"),
        None => "add it, or correct its name".to_owned(),
    };
    Fault::new(format!(
        "there is no column {column:?}; {add} in the line of column names, which is separated by \
            commas"
    ))
}

/// The field number of each column of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    columns: Vec<(&'static str, usize)>,
    /// The number of fields of a row.
    pub(super) width: usize,
}

/// The reason why a line is not a line of column names.
enum LayoutFault {
    /// No name is known.
    Unknown,
    /// A column is named twice or missing.
    Column(Fault),
}

impl Layout {
    /// The layout of new files: all columns in their order.
    pub(super) fn all<T: Table>() -> Self {
        let columns: Vec<_> = T::COLUMNS.split(',').zip(0..).collect();
        Self { width: columns.len(), columns }
    }

    /// The layout that a line of column names describes; unknown names are ignored. An error comes
    /// with the index of its field: no name is known, one occurs twice, or a required one is
    /// missing.
    fn of<T: Table>(names: &[Field]) -> Result<Self, (usize, LayoutFault)> {
        let mut columns = Vec::new();
        for column in T::COLUMNS.split(',') {
            let mut fields = (0..names.len()).filter(|field| names[*field].text == column);
            let Some(field) = fields.next() else { continue };
            if let Some(again) = fields.next() {
                let fault =
                    format!("column {column:?} is named twice; rename or remove one of them");
                return Err((again, LayoutFault::Column(Fault::new(fault))));
            }
            columns.push((column, field));
        }
        let layout = Self { columns, width: names.len() };
        if layout.columns.is_empty() {
            return Err((0, LayoutFault::Unknown));
        }
        match T::REQUIRED.split(',').find(|column| layout.field(column).is_none()) {
            Some(column) => Err((
                0,
                LayoutFault::Column(no_column(column, names.iter().map(|name| &*name.text))),
            )),
            None => Ok(layout),
        }
    }

    /// The number of the field that holds a column; `None` if the file does not have the column.
    pub(super) fn field(&self, column: &str) -> Option<usize> {
        self.columns.iter().find(|(known, _)| *known == column).map(|(_, field)| *field)
    }
}

/// The fields of a row by column.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    fields: &'a [Field<'a>],
    layout: &'a Layout,
}

impl<'a> Row<'a> {
    /// The text of a column; empty if the file does not have the column.
    pub(super) fn text(self, column: &str) -> &'a str {
        self.layout.field(column).map_or("", |field| &self.fields[field].text)
    }

    /// The columns that are not empty, in the order in which they are written.
    pub(super) fn given(self) -> impl Iterator<Item = &'static str> {
        let given = self
            .layout
            .columns
            .iter()
            .filter(move |(_, field)| !self.fields[*field].text.is_empty());
        given.map(|(column, _)| *column)
    }

    /// The value of a column; `None` if it is empty. `expected` describes it in the error.
    pub(super) fn optional<T: FromStr>(
        self,
        column: &str,
        expected: &'static str,
    ) -> Result<Option<T>, Fault> {
        let text = self.text(column);
        let parsed = (!text.is_empty()).then(|| text.parse());
        parsed.transpose().map_err(|_| self.invalid(column, expected))
    }

    /// The value of a column that must not be empty; `expected` describes it in the error.
    pub(super) fn required<T: FromStr>(
        self,
        column: &str,
        expected: &'static str,
    ) -> Result<T, Fault> {
        self.optional(column, expected)?.ok_or_else(|| self.invalid(column, expected))
    }

    /// The values of the columns m, n and k where `exist` is true, 1 for others.
    pub(super) fn dimensions(self, exist: [bool; 3]) -> Result<[u64; 3], Fault> {
        let mut dimensions = [1; 3];
        for ((dimension, column), exists) in dimensions.iter_mut().zip(["m", "n", "k"]).zip(exist) {
            if exists {
                *dimension = self.required(column, "a number of rows or columns, such as 1000")?;
            }
        }
        Ok(dimensions)
    }

    /// The number in a column; 0 if it is empty.
    pub(super) fn number(self, column: &str) -> Result<u32, Fault> {
        Ok(self.optional(column, NUMBER)?.unwrap_or(0))
    }

    /// The time in a column, above 0; `None` if it is empty.
    pub(super) fn time(self, column: &str) -> Result<Option<Seconds>, Fault> {
        let seconds = self.optional(column, TIME)?;
        if seconds.is_some_and(|seconds| !is_time(seconds)) {
            return Err(self.invalid(column, TIME));
        }
        Ok(seconds.map(Seconds::new))
    }

    /// The time in a column that is needed, above 0.
    pub(super) fn required_time(self, column: &str) -> Result<Seconds, Fault> {
        self.time(column)?.ok_or_else(|| self.invalid(column, TIME))
    }

    /// The fault of an invalid value in a column.
    pub(super) fn invalid(self, column: &str, expected: &'static str) -> Fault {
        self.at(column, invalid_value(column, self.text(column), expected))
    }

    /// A fault of a column, at its place in the line.
    pub(super) fn at(self, column: &str, fault: impl Into<Fault>) -> Fault {
        let fault: Fault = fault.into();
        match self.layout.field(column) {
            Some(field) => fault.at(self.fields[field].start),
            None => fault,
        }
    }
}

/// The valid integers.
pub(super) const NUMBER: &str = "an integer, such as 0";

/// The valid times.
const TIME: &str = "a time in seconds, such as 0.0233 (finite, above 0)";

/// Returns true if a reading is finite and above 0.
fn is_time(seconds: f64) -> bool {
    seconds.is_finite() && seconds > 0.0
}

/// The time of a reading as a field of a column; an error unless it is finite and above 0.
pub(super) fn time_field(seconds: Seconds, column: &str) -> Result<String, Fault> {
    let text = seconds.get().to_string();
    if is_time(seconds.get()) { Ok(text) } else { Err(invalid_value(column, &text, TIME)) }
}

/// A table that is filled row by row.
pub trait Table: Default {
    /// The names of the columns in the order in which they are written, separated by commas.
    const COLUMNS: &'static str;
    /// The name of such a file in messages.
    const FILE: &'static str;
    /// The name and version of the format.
    const FORMAT: &'static str;
    /// An example of a line of column names.
    const EXAMPLE: &'static str;
    /// The kind of such files.
    const KIND: FileKind;
    /// The columns without which a file cannot be read.
    const REQUIRED: &'static str;
    /// The column that distinguishes the readings of a launch.
    const REPETITION: &'static str;

    /// The provenance of the readings.
    fn provenance(&self) -> &Provenance;
    /// The provenance of the readings, to be filled.
    fn provenance_mut(&mut self) -> &mut Provenance;
    /// Adds a row; an error comes with its byte in the line, or without one for the row as a whole.
    fn push(&mut self, row: Row) -> Result<RowTime, Fault>;

    /// The fault of a text that is not UTF-8.
    fn not_text() -> Fault {
        let message = format!(
            "this is not text in UTF-8; a {} is CSV, plain or compressed by zstd",
            Self::FILE
        );
        Fault::new(message).of_kind(FaultKind::NotText)
    }

    /// The fault of a file without column names.
    fn no_header() -> Fault {
        let message = format!(
            "there is no line of column names above the readings, such as {:?}; add it",
            Self::EXAMPLE
        );
        Fault::new(message).of_kind(FaultKind::NoHeader)
    }

    /// The fault of a file in another format.
    fn other_format(found: &str) -> Fault {
        let format = Self::FORMAT;
        let message = format!("the format is {found:?}, but orrery reads {format:?} here");
        Fault::new(message).of_kind(FaultKind::Format { wanted: Self::KIND, found: None })
    }
}

/// A table that can be written.
pub trait WrittenTable: Table {
    /// The content of a row.
    type Reading;

    /// The rows of a file.
    fn rows(&self) -> impl Iterator<Item = Self::Reading>;
    /// The fields of a row.
    ///
    /// # Errors
    ///
    /// When a field cannot be represented, such as a name with a comma.
    fn cells(reading: &Self::Reading) -> Result<Vec<(&'static str, String)>, Fault>;

    /// Returns true if a file without this column loses nothing of a reading that has this text in
    /// it.
    fn is_expendable(_column: &str, _field: &str) -> bool {
        true
    }

    /// Returns true if a row holds a reading, so that it can replace those of an older file.
    fn is_reading(_reading: &Self::Reading) -> bool {
        true
    }
}

/// The rows of readings as text, with the columns of a file.
pub(super) fn lines<T: WrittenTable>(
    layout: &Layout,
    readings: impl IntoIterator<Item = impl Borrow<T::Reading>>,
) -> Result<String, Fault> {
    let mut text = String::new();
    for reading in readings {
        let mut row = vec![String::new(); layout.width];
        for (column, field) in T::cells(reading.borrow())? {
            debug_assert!(T::COLUMNS.split(',').any(|known| known == column), "{column}");
            match layout.field(column) {
                Some(place) => row[place] = field,
                None if T::is_expendable(column, &field) => {}
                None => return Err(no_column(column, [])),
            }
        }
        text.push_str(&row.join(","));
        text.push('\n');
    }
    Ok(text)
}

/// A table that was read, with the properties of its file.
pub(super) struct Parsed<T: Table> {
    pub(super) table: T,
    /// The columns of the file.
    pub(super) layout: Layout,
    /// True if the file names its format.
    pub(super) names_format: bool,
    /// The number of the line with the key `timing`, from 1; 0 without such a line.
    pub(super) timing_line: usize,
    /// Rows that repeat earlier ones.
    pub(super) repeated: Option<RepeatedRows>,
    /// Times that are too long.
    pub(super) implausible: Option<ImplausibleTimes>,
}

/// Returns true for the kind of a file that is no table of this type.
fn is_other<T: Table>(kind: FileKind) -> bool {
    kind != T::KIND
}

/// The mark that separates the names of columns in place of commas; `None` without one.
fn separator(line: &str) -> Option<&'static str> {
    let marks = [(';', "semicolons"), ('\t', "tabs"), ('|', "bars")];
    marks.into_iter().find(|(mark, _)| line.matches(*mark).count() > 1).map(|(_, name)| name)
}

/// Reads the lines of a text; `path` is its name in errors.
pub(super) fn parse<T: Table>(text: &[u8], path: &Path) -> Result<Parsed<T>, FileError> {
    let mut table = T::default();
    let mut layout: Option<Layout> = None;
    let (mut names_format, mut timing_line) = (false, 0);
    let mut check = RowCheck::default();
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    for (number, line) in (1..).zip(text.split_inclusive(|&byte| byte == b'\n')) {
        let at = |line: &str, byte: usize, fault: Fault| {
            let position = Position { line: number, column: line[..byte].chars().count() + 1 };
            FileError::at(path, position, fault)
        };
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = match std::str::from_utf8(line) {
            Ok(line) if !line.contains('\0') => line,
            _ => return Err(at("", 0, T::not_text())),
        };
        if line.starts_with('#') {
            // Comments below the column names are not provenance.
            match header::read(line) {
                _ if layout.is_some() => {}
                Comment::Format(found) if found == T::FORMAT => names_format = true,
                Comment::Format(found) => return Err(at(line, 0, T::other_format(&found))),
                Comment::Entry(key, value) => {
                    if key == "timing" {
                        timing_line = number;
                    }
                    table.provenance_mut().set(key, value);
                }
                Comment::Remark => {}
            }
        } else if !line.trim().is_empty() {
            let fields = split(line).map_err(|(byte, fault)| at(line, byte, fault))?;
            match &layout {
                None => {
                    layout = Some(Layout::of::<T>(&fields).map_err(|(field, fault)| {
                        let fault = match fault {
                            LayoutFault::Unknown if kind_of(text).is_some_and(is_other::<T>) => {
                                other_kind(text, T::KIND)
                            }
                            LayoutFault::Unknown => match separator(line) {
                                Some(mark) => Fault::new(format!(
                                    "columns are separated by {mark} here; separate them by \
                                        commas, and write decimal points"
                                )),
                                None => T::no_header(),
                            },
                            LayoutFault::Column(fault) => fault,
                        };
                        at(line, fields[field].start, fault)
                    })?);
                }
                Some(layout) => {
                    let (found, expected) = (fields.len(), layout.width);
                    if found != expected {
                        return Err(at(
                            line,
                            0,
                            Fault::new(format!(
                                "the line has {found} fields, \
                            but there are {expected} columns; correct or remove it"
                            )),
                        ));
                    }
                    let row = Row { fields: &fields, layout };
                    let time = table
                        .push(row)
                        .map_err(|fault| at(line, fault.byte().unwrap_or(0), fault))?;
                    check.add(number, line, !row.text(T::REPETITION).is_empty(), time);
                }
            }
        }
    }
    let layout = layout.ok_or_else(|| FileError::whole(path, T::no_header()))?;
    let (repeated, implausible) = (check.repeated(), check.implausible());
    Ok(Parsed { table, layout, names_format, timing_line, repeated, implausible })
}

/// A name as a field of a column, in quotes if required; an error if it has line breaks, or blanks
/// at its ends.
pub(super) fn field(name: &str, column: &str) -> Result<String, Fault> {
    if name.contains(char::is_control) || name.trim() != name {
        let expected = "a name without line breaks and without leading or trailing blanks";
        return Err(invalid_value(column, name, expected));
    }
    let special = name.contains([',', '"', '#']);
    Ok(if special { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_owned() })
}

/// The lines above the first row of a new file: format, provenance and column names.
pub(super) fn head<T: Table>(provenance: &Provenance) -> Result<String, Fault> {
    Ok(format!("{}{}\n", header::write(T::FORMAT, provenance)?, T::COLUMNS))
}
