use std::fmt;

/// A line and a column of a text; displayed as `line:column`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The number of the line, from 1.
    pub line: usize,
    /// The number of the character in the line, from 1.
    pub column: usize,
}

impl Position {
    /// The position of a byte of a text; the end of the text if the byte is beyond it.
    ///
    /// ```
    /// use orrery_base::file::Position;
    /// assert_eq!(Position::of("first\nµ = 2", 9), Position { line: 2, column: 3 });
    /// ```
    pub fn of(text: &str, byte: usize) -> Self {
        let before = &text.as_bytes()[..byte.min(text.len())];
        let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1);
        let line = before.split(|&b| b == b'\n').count();
        Self { line, column: String::from_utf8_lossy(&before[start..]).chars().count() + 1 }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
