/// Where the lines of a text begin.
pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, starts }
    }

    /// The number of the line of a byte, from 1.
    pub(super) fn line(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start <= byte)
    }

    /// The same with the number of the character in the line, from 1.
    pub(super) fn line_and_column(&self, byte: usize) -> (usize, usize) {
        let line = self.line(byte);
        let before = &self.text.as_bytes()[self.starts[line - 1]..byte.min(self.text.len())];
        (line, String::from_utf8_lossy(before).chars().count() + 1)
    }
}

/// The lines of a text with the byte where each begins and whether a line break ends it; without the line breaks.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str, bool)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        (at, line.trim_end_matches(['\n', '\r']), line.ends_with('\n'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_found() {
        let text = "a\nµb\r\n\nc";
        let found = Lines::new(text);
        assert_eq!([0, 2, 4, 7].map(|byte| found.line_and_column(byte)), [(1, 1), (2, 1), (2, 2), (3, 1)]);
        assert_eq!(found.line(text.len()), 4);
        let all: Vec<_> = lines(text).collect();
        assert_eq!(all, [(0, "a", true), (2, "µb", true), (7, "", true), (8, "c", false)]);
    }
}
