//! A row of the table: `WR11C2R4  9600  64  1  4  12.34  4.7811e+01`.

use super::super::{Fault, Refused, RemarkKind, Result, in_words};
use crate::run::{Run, variable};
use crate::sample::import::Word;
use crate::units::Seconds;

/// Whether a line is a row: its first word is an encoded variant such as `WR11C2R4` or `WC0`, and no sentence follows.
pub(super) fn is_row(words: &[Word]) -> bool {
    let variant = words.first().and_then(|first| first.text.strip_prefix('W')).is_some_and(|rest| {
        let letters = rest.chars().take_while(char::is_ascii_uppercase).count();
        (1..=3).contains(&letters)
            && rest[letters..].starts_with(|c: char| c.is_ascii_digit())
            && rest.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
    });
    let number = |word: &Word| word.text.parse::<f64>().is_ok();
    variant && words.get(1).is_none_or(number)
}

/// Whether a line names the columns.
pub(super) fn is_header(words: &[Word]) -> bool {
    words.len() >= 7 && words.iter().zip(["T/V", "N", "NB", "P", "Q", "Time"]).all(|(word, name)| word.text == name)
}

/// The run in words, as far as it can be read.
pub(super) fn name(words: &[Word]) -> String {
    let size = words.get(1).map(|size| format!(" of n = {}", size.text)).unwrap_or_default();
    format!("{}{size}", words[0].text)
}

const COLUMNS: [&str; 7] = ["T/V", "N", "NB", "P", "Q", "Time", "Gflops"];

/// Reads a row, with a remark on its time; `byte` is where its line begins.
pub(super) fn read(words: &[Word], byte: usize) -> Result<(Run, Option<RemarkKind>)> {
    let word = |place: usize| {
        let end = words.last().map_or(0, |last| last.start + last.text.len());
        let short = || Fault::Short { run: name(words), column: COLUMNS[place].to_owned() };
        words.get(place).copied().ok_or_else(|| Refused { byte: byte + end, fault: short() })
    };
    let wrong = |place: usize, expected| Refused {
        byte: byte + words[place].start,
        fault: Fault::Value {
            run: name(words),
            column: COLUMNS[place].to_owned(),
            found: words[place].text.to_owned(),
            expected,
        },
    };
    let whole = |place: usize| {
        let number = word(place)?.text.parse::<u32>().ok().filter(|&number| number > 0);
        number.map(f64::from).ok_or_else(|| wrong(place, "a whole number above 0"))
    };
    let number = |place: usize| {
        let number = word(place)?.text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
        number.ok_or_else(|| wrong(place, "a finite number, not negative"))
    };
    let mut run = Run::new(Seconds::new(0.0));
    for (place, name) in [variable::PROBLEM_SIZE, variable::BLOCK_SIZE, variable::GRID_ROWS, variable::GRID_COLUMNS]
        .into_iter()
        .enumerate()
    {
        run.variables.insert(name.to_owned(), whole(place + 1)?);
    }
    run.labels.insert("variant".to_owned(), words[0].text.to_owned());
    let (seconds, rate) = (number(5)?, number(6)?);
    let operations = operations(run.variables[variable::PROBLEM_SIZE]);
    if seconds == 0.0 {
        if rate == 0.0 {
            return Err(wrong(5, "a time above 0"));
        }
        run.seconds = Seconds::new(operations / (rate * 1e9));
        let remark = RemarkKind::FromRate { run: in_words(&run) };
        return Ok((run, Some(remark)));
    }
    run.seconds = Seconds::new(seconds);
    let digits =
        half_last_digit(words[5].text) / seconds + half_last_digit(words[6].text) / rate.max(f64::MIN_POSITIVE);
    let computed = operations / seconds / 1e9;
    match agreement(computed, rate, digits + 3.0 / run.variables[variable::PROBLEM_SIZE]) {
        Agreement::Agree => Ok((run, None)),
        Agreement::Off(percent) => {
            let remark = RemarkKind::Disagree { run: in_words(&run), percent };
            Ok((run, Some(remark)))
        }
        Agreement::Mixed(guess) => {
            let fault = Fault::Units { run: in_words(&run), seconds, computed, printed: rate, guess };
            Err(Refused { byte: byte + words[5].start, fault })
        }
    }
}

/// The operations of a solution of size N: 2/3·N³ + 3/2·N² (HPL 2.3, `HPL_pdtest.c`).
pub(super) fn operations(n: f64) -> f64 {
    (2.0 / 3.0 * n + 1.5) * n * n
}

/// Half of the last digit that is printed: 0.005 of `12.34`, 0.0005e1 of `4.781e+01`.
fn half_last_digit(text: &str) -> f64 {
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let places = digits.split_once('.').map_or(0, |(_, behind)| behind.len());
    0.5 * 10f64.powf(exponent.parse::<f64>().unwrap_or(0.0) - places as f64)
}

enum Agreement {
    Agree,
    /// By so many percent, which no unit explains.
    Off(f64),
    /// By a factor, with what it may come from.
    Mixed(&'static str),
}

/// Beyond this factor time and rate are not of the same run in the same units.
const FACTOR: f64 = 1.5;

/// Whether the rate that follows from the time is the one that is printed, up to a part `tolerance`.
fn agreement(computed: f64, printed: f64, tolerance: f64) -> Agreement {
    let ratio = computed / printed;
    if (ratio - 1.0).abs() <= tolerance.max(1e-3) {
        return Agreement::Agree;
    }
    if ratio < FACTOR && ratio > 1.0 / FACTOR {
        return Agreement::Off(100.0 * (ratio - 1.0).abs());
    }
    let near = |factor: f64| (ratio / factor - 1.0).abs() <= tolerance.max(0.05);
    Agreement::Mixed(if near(1e-3) {
        "the time in milliseconds, or the rate in Mflops"
    } else if near(1e3) {
        "the rate in Tflops"
    } else if near(1e-6) {
        "the time in microseconds, or the rate in kflops"
    } else if near(1e6) {
        "the rate in Pflops"
    } else if near(60.0) {
        "the time in minutes"
    } else if near(3600.0) {
        "the time in hours"
    } else {
        ""
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::import::words;

    #[test]
    fn rows_are_known() {
        for (line, known) in [
            ("WR11C2R4 9600 64 1 4 12.34 4.7811e+01", true),
            ("WC0  299008  1024  2  4  52.88  3.370e+05 ( 4.213e+04)", true),
            ("WHC00C2R4 9600", true),
            ("WR00 NaN", true),
            ("WR11C2R4", true),
            ("WALL 100 100 80 80", false),
            ("WR3 is the node of rank 3", false),
            ("WARNING: W1", false),
        ] {
            assert_eq!(is_row(&words(line)), known, "{line}");
        }
    }

    #[test]
    fn digits_bound_what_was_printed() {
        assert!((half_last_digit("12.34") - 0.005).abs() < 1e-15);
        assert!((half_last_digit("4.781e+01") - 0.005).abs() < 1e-15);
        assert!((half_last_digit("7") - 0.5).abs() < 1e-15);
    }
}
