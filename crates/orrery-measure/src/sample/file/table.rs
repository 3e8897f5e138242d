//! Lines of CSV: their fields with their places.

use std::borrow::Cow;

use orrery_base::file::Fault;

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
