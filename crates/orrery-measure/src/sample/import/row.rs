use super::{invalid_value, missing_field};
use orrery_base::file::{Fault, Result, Word};
use orrery_base::units::{Bytes, Seconds};

/// A row of a benchmark's table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Row {
    pub(super) size: Bytes,
    /// The printed time.
    pub(super) seconds: Seconds,
    /// The number of iterations of which it is the mean, if printed.
    pub(super) iterations: Option<u64>,
}

/// The maximum size of a message in bytes (1 TiB).
const MAX_SIZE: u64 = 1 << 40;

/// Returns the size in the first word of a row.
pub(super) fn size(word: Word) -> Result<Bytes> {
    let size = word.text.parse().ok().filter(|&size| size <= MAX_SIZE);
    size.map(Bytes::new)
        .ok_or_else(|| value(word, "size", "a size in bytes, such as 4096 (up to 1 TiB)"))
}

/// Returns the time of a row, printed in microseconds.
pub(super) fn microseconds(words: &[Word], place: usize, column: &str) -> Result<Seconds> {
    let word = word(words, place, column)?;
    // Parsing with an exponent rounds once: 20.6 µs become the number nearest to 0.0000206.
    let time = format!("{}e-6", word.text)
        .parse()
        .ok()
        .filter(|time: &f64| time.is_finite() && *time >= 0.0);
    time.map(Seconds::new).ok_or_else(|| {
        value(word, column, "a time in microseconds, such as 20.6 (finite, not negative)")
    })
}

/// Returns the number of iterations of a row.
pub(super) fn iterations(words: &[Word], place: usize, column: &str) -> Result<u64> {
    let word = word(words, place, column)?;
    word.text.parse().map_err(|_| value(word, column, "a number of iterations, such as 1000"))
}

/// The bytes of an element by the name of its data type; `None` for an unknown type.
pub(super) fn element(datatype: &str) -> Option<u64> {
    Some(match datatype {
        "MPI_CHAR" | "MPI_BYTE" => 1,
        "MPI_INT" | "MPI_FLOAT" => 4,
        "MPI_DOUBLE" => 8,
        name if name.contains("16") => 2,
        _ => return None,
    })
}

/// The fault of a table without a column of times.
pub(super) fn no_time(wanted: &str) -> Fault {
    Fault::new(format!(
        "none of these columns is the {wanted}; run the benchmark with its default units and output"
    ))
}

/// Returns a word of a row; an error names the missing column.
fn word<'a>(words: &[Word<'a>], place: usize, column: &str) -> Result<Word<'a>> {
    let end = words.last().map_or(0, |last| last.start + last.text.len());
    words.get(place).copied().ok_or_else(|| Fault::new(missing_field(column)).at(end))
}

/// Returns the error of an invalid value.
fn value(word: Word, column: &str, expected: &str) -> Fault {
    Fault::new(invalid_value(column, word.text, expected)).at(word.start)
}
