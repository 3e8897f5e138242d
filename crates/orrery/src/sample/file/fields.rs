use std::borrow::Cow;

use super::Fault;

/// A field of a line: its text and the byte of the line where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) start: usize,
}

/// Splits a line at its commas, blanks around fields removed. A field may stand in double quotes, within which a
/// doubled quote is a quote; it ends on its own line. An error comes with its byte.
pub(crate) fn split(line: &str) -> Result<Vec<Field<'_>>, (usize, Fault)> {
    let mut fields = Vec::new();
    let mut start = 0;
    loop {
        let rest = &line[start..];
        let begin = start + rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let (text, end) = if line[begin..].starts_with('"') {
            let (text, end) = quoted(line, begin)?;
            (Cow::Owned(text), end)
        } else {
            let (text, end) = plain(line, begin);
            (Cow::Borrowed(text), end)
        };
        fields.push(Field { text, start: begin });
        if end == line.len() {
            return Ok(fields);
        }
        start = end + 1;
    }
}

/// The field without quotes that begins at `begin`, and where it ends: at a comma or at the end of the line.
fn plain(line: &str, begin: usize) -> (&str, usize) {
    let end = line[begin..].find(',').map_or(line.len(), |comma| begin + comma);
    (line[begin..end].trim_end_matches([' ', '\t']), end)
}

/// The field in quotes that begins at `begin`, and where it ends.
fn quoted(line: &str, begin: usize) -> Result<(String, usize), (usize, Fault)> {
    let mut text = String::new();
    let mut at = begin + 1;
    loop {
        let Some(quote) = line[at..].find('"') else { return Err((begin, Fault::OpenQuote)) };
        text.push_str(&line[at..at + quote]);
        at += quote + 1;
        if !line[at..].starts_with('"') {
            break;
        }
        text.push('"');
        at += 1;
    }
    let (behind, end) = plain(line, at);
    if behind.trim_start_matches([' ', '\t']).is_empty() { Ok((text, end)) } else { Err((at, Fault::BehindQuote)) }
}
