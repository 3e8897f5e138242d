//! The words of a line, each with its place.

/// A word and the number of its first character in the line, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) column: usize,
}

/// The words of a line before its comment: separated by blanks, `->` and the colon behind a name being words of their own.
pub(super) fn words(line: &str) -> Vec<Word<'_>> {
    let line = line.split('#').next().unwrap_or_default();
    let mut words = Vec::new();
    let (mut column, mut rest) = (1, line);
    while let Some(first) = rest.chars().next() {
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if rest.starts_with("->") {
            2
        } else if first == ':' {
            1
        } else {
            let end = |(at, c): (usize, char)| c.is_whitespace() || c == ':' || rest[at..].starts_with("->");
            rest.char_indices().find(|&place| end(place)).map_or(rest.len(), |(at, _)| at)
        };
        let (text, after) = rest.split_at(length);
        if !first.is_whitespace() {
            words.push(Word { text, column });
        }
        column += text.chars().count();
        rest = after;
    }
    words
}
