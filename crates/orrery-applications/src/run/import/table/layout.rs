//! The layout of a table: its separator, its column names and its rows.

use std::borrow::Cow;

use orrery_base::file::{Fault, Result, lines, words};
use orrery_measure::sample::file::table::{Field, split_by};

/// What separates the fields of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    /// A tab, a semicolon or a comma.
    Char(char),
    /// Any number of blanks and tabs.
    Blanks,
}

impl Separator {
    /// All separators; the first that gives two lines the same number of fields is that of a table.
    const ALL: [Self; 4] = [Self::Char('\t'), Self::Char(';'), Self::Char(','), Self::Blanks];

    /// The fields of a line.
    fn split(self, line: &str, byte: usize) -> Result<Vec<Field<'_>>> {
        match self {
            Self::Char(separator) => {
                split_by(line, separator).map_err(|(at, fault)| fault.at(byte + at))
            }
            Self::Blanks => {
                let field = |word: orrery_base::file::Word<'_>| {
                    (Cow::Borrowed(text_of(line, word.start)), word.start)
                };
                Ok(words(line)
                    .into_iter()
                    .map(field)
                    .map(|(text, start)| Field { text, start })
                    .collect())
            }
        }
    }

    /// The number of fields of a line, 0 if they cannot be separated.
    fn count(self, line: &str) -> usize {
        self.split(line, 0).map_or(0, |fields| fields.len())
    }
}

/// The word of a line that begins at a byte.
fn text_of(line: &str, start: usize) -> &str {
    line[start..].split_whitespace().next().unwrap_or_default()
}

/// Returns true if a text is a finite number, with a decimal point or a decimal comma.
fn is_number(text: &str) -> bool {
    text.replace(',', ".").parse::<f64>().is_ok_and(f64::is_finite)
}

/// A row: its byte and its fields, as many as there are columns.
pub(in super::super) type FieldRow<'a> = (usize, Vec<Field<'a>>);

/// A table whose fields are separated and whose columns have no meaning yet.
pub(in super::super) struct Layout<'a> {
    /// The byte of the line of column names.
    pub(in super::super) byte: usize,
    pub(in super::super) names: Vec<String>,
    pub(in super::super) rows: Vec<FieldRow<'a>>,
    /// True if numbers have a decimal comma: commas do not separate fields, and no number has a
    /// decimal point.
    has_decimal_commas: bool,
}

/// The line of column names of a table, and what separates the fields.
#[derive(Debug, Clone, Copy)]
struct Header<'a> {
    byte: usize,
    line: &'a str,
    separator: Separator,
    /// True if the two first lines have the same number of fields, at least two.
    is_table: bool,
}

/// Returns true for a line without fields.
fn is_blank_or_comment(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with('#')
}

impl<'a> Header<'a> {
    /// The line of column names: the first line, or the comment above it if only the comment names
    /// columns.
    fn find(text: &'a str) -> Option<Self> {
        let mut comment: Option<(usize, &str)> = None;
        let mut content = None;
        let mut following = "";
        for (byte, line, _) in lines(text) {
            if !is_blank_or_comment(line) {
                match content {
                    None => content = Some((byte, line)),
                    Some(_) => {
                        following = line;
                        break;
                    }
                }
            } else if content.is_none() && !line.trim_matches(['#', ' ', '\t']).is_empty() {
                let names = line.trim_start_matches('#').trim_start();
                comment = Some((byte + line.len() - names.len(), names));
            }
        }
        let (byte, line) = content?;
        let has_number = |separator: Separator, line: &str| {
            separator
                .split(line, 0)
                .is_ok_and(|fields| fields.iter().any(|field| is_number(&field.text)))
        };
        let agree = |separator: Separator, names: &str, row: &str| {
            let count = separator.count(names);
            count >= 2 && count == separator.count(row) && !has_number(separator, names)
        };
        if let Some((byte, names)) = comment {
            let found = Separator::ALL
                .into_iter()
                .find(|&separator| has_number(separator, line) && agree(separator, names, line));
            if let Some(separator) = found {
                return Some(Self { byte, line: names, separator, is_table: true });
            }
        }
        let is_list = |separator: &Separator| {
            agree(*separator, line, following)
                && (*separator != Separator::Blanks || has_number(*separator, following))
        };
        if let Some(separator) = Separator::ALL.into_iter().find(is_list) {
            return Some(Self { byte, line, separator, is_table: true });
        }
        let [tab, semicolon, comma, _] = Separator::ALL;
        let most =
            [comma, semicolon, tab].into_iter().rev().max_by_key(|separator| separator.count(line));
        Some(Self { byte, line, separator: most.unwrap_or(comma), is_table: false })
    }
}

/// Returns true if a text is recognised as a table.
pub(in super::super) fn is_table(text: &str) -> bool {
    if text.starts_with("# format: orrery-") {
        return false;
    }
    Header::find(text)
        .is_some_and(|header| header.is_table || header.line.contains([',', ';', '\t']))
}

impl<'a> Layout<'a> {
    /// Separates the fields of a text; `None` if it has no line of column names.
    pub(in super::super) fn read(text: &'a str) -> Result<Option<Self>> {
        let Some(header) = Header::find(text) else { return Ok(None) };
        let names = header.separator.split(header.line, header.byte)?;
        if names.iter().all(|name| is_number(&name.text)) {
            let line: String = header.line.chars().take(40).collect();
            let fault = format!(
                "{line:?} has numbers in place of column names; add a line of names above it, \
                    such as n,seconds"
            );
            return Err(Fault::new(fault).at(header.byte));
        }
        let mut rows = Vec::new();
        for (byte, line, _) in lines(text) {
            if byte <= header.byte || is_blank_or_comment(line) {
                continue;
            }
            let fields = header.separator.split(line, byte)?;
            if fields.len() != names.len() {
                let (found, expected) = (fields.len(), names.len());
                return Err(Fault::new(format!(
                    "the row has {found} fields for {expected} columns; \
                    correct it or remove it"
                ))
                .at(byte));
            }
            rows.push((byte, fields));
        }
        let fields = || rows.iter().flat_map(|(_, fields)| fields);
        let has =
            |mark: char| fields().any(|field| field.text.contains(mark) && is_number(&field.text));
        let has_decimal_commas = header.separator != Separator::Char(',') && has(',') && !has('.');
        let names = names.into_iter().map(|name| name.text.into_owned()).collect();
        Ok(Some(Self { byte: header.byte, names, rows, has_decimal_commas }))
    }

    /// The finite number of a field; `None` if it is none.
    pub(super) fn number(&self, field: &Field) -> Option<f64> {
        let text = &field.text;
        let number =
            if self.has_decimal_commas { text.replace(',', ".").parse() } else { text.parse() };
        number.ok().filter(|number: &f64| number.is_finite())
    }
}
