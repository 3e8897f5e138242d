//! CSV tables with provenance above the column names: what samples and timings files share.

use std::borrow::Cow;
use std::path::Path;
use std::str::FromStr;

use super::header::{self, Comment};
use super::suspicious_rows::{ImplausibleTimes, RepeatedRows, RowCheck, RowTime};
use crate::sample::Provenance;
use orrery_base::file::{Fault, FaultKind, FileError, FileKind, Position};

/// A field of a line: its text and the byte of the line where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field<'a> {
    /// Its characters, without those of quotes.
    pub text: Cow<'a, str>,
    /// The byte of the line where it begins.
    pub start: usize,
}

/// Splits a line at its commas and trims the fields; an error comes with its byte.
///
/// A field may be enclosed in double quotes, in which a doubled quote is a quote; it ends on its
/// own line.
///
/// # Errors
///
/// When a quoted field has no end, or is followed by other characters.
pub fn split(line: &str) -> Result<Vec<Field<'_>>, (usize, Fault)> {
    split_by(line, ',')
}

/// Splits a line like [`split`], at another separator.
///
/// # Errors
///
/// As of [`split`].
pub fn split_by(line: &str, separator: char) -> Result<Vec<Field<'_>>, (usize, Fault)> {
    let mut fields = Vec::new();
    let mut start = 0;
    loop {
        let rest = &line[start..];
        let begin = start + rest.len() - rest.trim_start_matches(|c| is_blank(c, separator)).len();
        let (text, end) = if line[begin..].starts_with('"') {
            let (text, end) = quoted(line, begin, separator)?;
            (Cow::Owned(text), end)
        } else {
            let (text, end) = plain(line, begin, separator);
            (Cow::Borrowed(text), end)
        };
        fields.push(Field { text, start: begin });
        if end == line.len() {
            return Ok(fields);
        }
        start = end + separator.len_utf8();
    }
}

/// Returns true for a blank around a field; a tab that separates fields is none.
fn is_blank(c: char, separator: char) -> bool {
    c == ' ' || c == '\t' && separator != '\t'
}

/// The field without quotes that begins at `begin`, and its end: a separator or the end of the
/// line.
fn plain(line: &str, begin: usize, separator: char) -> (&str, usize) {
    let end = line[begin..].find(separator).map_or(line.len(), |found| begin + found);
    (line[begin..end].trim_end_matches(|c| is_blank(c, separator)), end)
}

/// The field in quotes that begins at `begin`, and its end.
fn quoted(line: &str, begin: usize, separator: char) -> Result<(String, usize), (usize, Fault)> {
    let mut text = String::new();
    let mut at = begin + 1;
    loop {
        let Some(quote) = line[at..].find('"') else {
            return Err((
                begin,
                Fault::new("the quote opened here is not closed on the same line; close it"),
            ));
        };
        text.push_str(&line[at..at + quote]);
        at += quote + 1;
        if !line[at..].starts_with('"') {
            break;
        }
        text.push('"');
        at += 1;
    }
    let (after, end) = plain(line, at, separator);
    if after.trim_start_matches(|c| is_blank(c, separator)).is_empty() {
        Ok((text, end))
    } else {
        Err((
            at,
            Fault::new(
                "a comma must follow the closing quote; double a quote within a quoted \
            field",
            ),
        ))
    }
}

/// The fault of an invalid value in a column.
pub(super) fn invalid_value(column: &str, found: &str, expected: &str) -> Fault {
    Fault::new(format!(
        "column {column:?}: {found:?} is not {expected}; correct it or remove the line"
    ))
}

/// The fault of a table without a column.
pub(super) fn no_column(column: &str) -> Fault {
    Fault::new(format!(
        "there is no column {column:?}; add it, or correct its name in the line of column names, \
            which is separated by commas"
    ))
}

/// The columns of a kind of table.
pub(super) trait Column: Copy + PartialEq + 'static {
    /// All columns in the order in which they are written.
    const ALL: &'static [Self];
    /// The columns without which a file cannot be read.
    const REQUIRED: &'static [Self];
    /// The column that distinguishes the readings of a launch.
    const REPETITION: Self;

    /// The name in the line of column names.
    fn name(self) -> &'static str;
}

/// The field number of each column of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout<C> {
    columns: Vec<(C, usize)>,
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

impl<C: Column> Layout<C> {
    /// The layout of new files: all columns in their order.
    pub(super) fn all() -> Self {
        Self { columns: C::ALL.iter().copied().zip(0..).collect(), width: C::ALL.len() }
    }

    /// The layout that a line of column names describes; unknown names are ignored. An error comes
    /// with its field.
    fn of(names: &[Field]) -> Result<Self, (usize, LayoutFault)> {
        let mut columns: Vec<(C, usize)> = Vec::new();
        for (field, name) in names.iter().enumerate() {
            let Some(&column) = C::ALL.iter().find(|column| column.name() == name.text) else {
                continue;
            };
            if columns.iter().any(|(known, _)| *known == column) {
                return Err((
                    field,
                    LayoutFault::Column(Fault::new(format!(
                        "column {column:?} is named twice; \
                        rename or remove one of them",
                        column = column.name()
                    ))),
                ));
            }
            columns.push((column, field));
        }
        let layout = Self { columns, width: names.len() };
        if layout.columns.is_empty() {
            return Err((0, LayoutFault::Unknown));
        }
        match C::REQUIRED.iter().find(|column| layout.field(**column).is_none()) {
            Some(column) => Err((0, LayoutFault::Column(no_column(column.name())))),
            None => Ok(layout),
        }
    }

    /// The number of the field that holds a column; `None` if the file does not have the column.
    pub(super) fn field(&self, column: C) -> Option<usize> {
        self.columns.iter().find(|(known, _)| *known == column).map(|(_, field)| *field)
    }
}

/// The fields of a row by column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a, C> {
    fields: &'a [Field<'a>],
    layout: &'a Layout<C>,
}

impl<'a, C: Column> Row<'a, C> {
    /// The text of a column; empty if the file does not have the column.
    pub(super) fn text(self, column: C) -> &'a str {
        self.layout.field(column).map_or("", |field| &self.fields[field].text)
    }

    /// The value of a column; `None` if it is empty. An error comes with its column.
    pub(super) fn optional<T: FromStr>(
        self,
        column: C,
        expected: &'static str,
    ) -> Result<Option<T>, (C, Fault)> {
        let text = self.text(column);
        let parsed = (!text.is_empty()).then(|| text.parse());
        parsed.transpose().map_err(|_| self.invalid(column, expected))
    }

    /// The value of a column that is needed. An error comes with its column.
    pub(super) fn required<T: FromStr>(
        self,
        column: C,
        expected: &'static str,
    ) -> Result<T, (C, Fault)> {
        self.optional(column, expected)?.ok_or_else(|| self.invalid(column, expected))
    }

    /// The column with the fault of an invalid value.
    pub(super) fn invalid(self, column: C, expected: &'static str) -> (C, Fault) {
        (column, invalid_value(column.name(), self.text(column), expected))
    }
}

/// A table that is filled row by row.
pub(super) trait Table: Default {
    /// The columns.
    type Column: Column;
    /// The name of such a file in messages.
    const FILE: &'static str;
    /// The name and version of the format.
    const FORMAT: &'static str;
    /// An example of a line of column names.
    const EXAMPLE: &'static str;
    /// The kind of such files.
    const KIND: FileKind;

    /// The provenance of the readings.
    fn provenance(&mut self) -> &mut Provenance;
    /// Adds a row; an error comes with its column, or without one for the row as a whole.
    fn push(&mut self, row: Row<Self::Column>) -> Result<RowTime, (Option<Self::Column>, Fault)>;

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
        let message =
            format!("there is no line of column names, such as {:?}; add it", Self::EXAMPLE);
        Fault::new(message).of_kind(FaultKind::NoHeader)
    }

    /// The fault of a file in another format.
    fn other_format(found: &str) -> Fault {
        let message = format!("the format is {found:?}, but {:?} is expected here", Self::FORMAT);
        Fault::new(message).of_kind(FaultKind::Format(Self::KIND))
    }
}

/// A table that was read, with the properties of its file.
pub(super) struct Parsed<T: Table> {
    pub(super) table: T,
    /// The columns of the file.
    pub(super) layout: Layout<T::Column>,
    /// True if the file names its format.
    pub(super) names_format: bool,
    /// The number of the line with the key `timing`, from 1; 0 without such a line.
    pub(super) timing_line: usize,
    /// Rows that repeat earlier ones.
    pub(super) repeated: Option<RepeatedRows>,
    /// Times that are too long.
    pub(super) implausible: Option<ImplausibleTimes>,
}

/// Reads the lines of a text; `path` is its name in errors.
pub(super) fn parse<T: Table>(text: &[u8], path: &Path) -> Result<Parsed<T>, FileError> {
    let mut table = T::default();
    let mut layout: Option<Layout<T::Column>> = None;
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
                    table.provenance().set(key, value);
                }
                Comment::Remark => {}
            }
        } else if !line.trim().is_empty() {
            let fields = split(line).map_err(|(byte, fault)| at(line, byte, fault))?;
            match &layout {
                None => {
                    layout = Some(Layout::of(&fields).map_err(|(field, fault)| {
                        let fault = match fault {
                            LayoutFault::Unknown => T::no_header(),
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
                    let time = table.push(row).map_err(|(column, fault)| {
                        let field = column.and_then(|column| layout.field(column));
                        at(line, field.map_or(0, |field| fields[field].start), fault)
                    })?;
                    check.add(number, line, !row.text(Column::REPETITION).is_empty(), time);
                }
            }
        }
    }
    let layout = layout.ok_or_else(|| FileError::whole(path, T::no_header()))?;
    let (repeated, implausible) = (check.repeated(), check.implausible());
    Ok(Parsed { table, layout, names_format, timing_line, repeated, implausible })
}

/// A name as a field of a column, in quotes if required.
pub(super) fn field(name: &str, column: &'static str) -> Result<String, Fault> {
    if name.contains(char::is_control) || name.trim() != name {
        let expected = "a name without line breaks and without leading or trailing blanks";
        return Err(invalid_value(column, name, expected));
    }
    let special = name.contains([',', '"', '#']);
    Ok(if special { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_owned() })
}

/// The number of bytes of a text that are whole lines.
pub(super) fn whole_lines(text: &[u8]) -> usize {
    text.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1)
}

/// The lines above the first row of a new file: format, provenance and column names.
pub(super) fn head<T: Table>(provenance: &Provenance) -> Result<String, Fault> {
    let names: Vec<&str> = T::Column::ALL.iter().map(|column| column.name()).collect();
    Ok(format!("{}{}\n", header::write(T::FORMAT, provenance)?, names.join(",")))
}
