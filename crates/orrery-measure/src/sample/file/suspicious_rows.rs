//! Rows of a table that are valid and probably wrong: repeated ones, and times in another unit.

use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use orrery_base::units::Bytes;

/// The number of repeated lines that are named.
const MAX_NAMED_LINES: usize = 5;

/// The longest plausible latency of a message in seconds.
const MAX_LATENCY: f64 = 0.1;

/// The longest plausible time per byte in seconds, at 100 kB/s.
const MAX_BYTE_DELAY: f64 = 1e-5;

/// Rows that repeat earlier rows in all fields, including launch and repetition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepeatedRows {
    /// The lines of the first repeating rows, each with the line that it repeats.
    pub lines: Vec<(usize, usize)>,
    /// The number of repeating rows.
    pub count: usize,
}

/// In words, with the remedy: `line 5 repeats line 3, line 6 repeats line 4, and 2 more; …`.
impl fmt::Display for RepeatedRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named =
            self.lines.iter().map(|(line, first)| format!("line {line} repeats line {first}"));
        f.write_str(&named.collect::<Vec<_>>().join(", "))?;
        let more = self.count - self.lines.len();
        if more > 0 {
            write!(f, ", and {more} more")?;
        }
        f.write_str("; repeated readings make intervals too narrow, remove these lines")
    }
}

/// Times that are too long for their messages, as times in microseconds are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImplausibleTimes {
    /// The line of the first such row.
    pub line: usize,
    /// The number of such rows.
    pub count: usize,
    /// The number of rows with a time.
    pub rows: usize,
}

/// In words, with the remedy:
/// `120 of 120 times are too long for their messages, such as that of line 12; …`.
impl fmt::Display for ImplausibleTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, count, rows } = self;
        write!(
            f,
            "{count} of {rows} times are too long for their messages, such as that of line {line}; \
                times are in seconds, \
             convert them if they are in another unit"
        )
    }
}

/// The time of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowTime {
    /// The row has no time.
    None,
    /// It may be right.
    Plausible,
    /// It is too long.
    Implausible,
}

impl RowTime {
    /// Compares a time in seconds with the longest plausible one of this number of consecutive
    /// messages of a size, each with a pause of `delay` seconds.
    pub(super) fn of(seconds: f64, messages: f64, size: Bytes, delay: f64) -> Self {
        let longest = messages * (MAX_LATENCY + MAX_BYTE_DELAY * size.get() as f64 + delay);
        if seconds > longest { Self::Implausible } else { Self::Plausible }
    }
}

/// The rows of a table as they are read.
#[derive(Debug, Default)]
pub(super) struct RowCheck<'a> {
    /// The hash, the number and the text of each line with a repetition.
    lines: Vec<(u64, usize, &'a str)>,
    rows: usize,
    implausible: usize,
    first_implausible: usize,
}

impl<'a> RowCheck<'a> {
    /// Adds a row. A row without a repetition is not compared with others, since equal times may be
    /// two readings.
    pub(super) fn add(&mut self, line: usize, text: &'a str, has_repetition: bool, time: RowTime) {
        if time == RowTime::None {
            return;
        }
        self.rows += 1;
        if has_repetition {
            let mut hasher = DefaultHasher::new();
            text.hash(&mut hasher);
            self.lines.push((hasher.finish(), line, text));
        }
        if time == RowTime::Implausible {
            if self.implausible == 0 {
                self.first_implausible = line;
            }
            self.implausible += 1;
        }
    }

    /// The repeated rows; `None` if there are none.
    pub(super) fn repeated(&mut self) -> Option<RepeatedRows> {
        self.lines.sort_unstable();
        let mut repeated: Vec<(usize, usize)> = Vec::new();
        let mut first = 0;
        for place in 1..self.lines.len() {
            let ((hash, line, text), (known, first_line, first_text)) =
                (self.lines[place], self.lines[first]);
            if hash == known && text == first_text {
                repeated.push((line, first_line));
            } else {
                first = place;
            }
        }
        repeated.sort_unstable();
        let count = repeated.len();
        repeated.truncate(MAX_NAMED_LINES);
        (count > 0).then_some(RepeatedRows { lines: repeated, count })
    }

    /// The implausible times, if they are more than half of all, otherwise `None`; single ones are
    /// outliers.
    pub(super) fn implausible(&self) -> Option<ImplausibleTimes> {
        let Self { rows, implausible: count, first_implausible: line, .. } = *self;
        (2 * count > rows).then_some(ImplausibleTimes { line, count, rows })
    }
}
