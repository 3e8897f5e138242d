//! Rows of the table, `WR11C2R4  9600  64  1  4  12.34  4.7811e+01`, and the times of phases, which
//! HPL prints if it is built with `HPL_DETAILED_TIMING`.

use super::super::error;
use crate::run::hpl::CODE;
use crate::run::import::parsed::{RemarkKind, describe};
use crate::run::{KindTimes, Run, variable};
use orrery_base::file::{Fault, Result, Word, is_hpl_variant};
use orrery_base::units::Seconds;

/// Returns true if a line is a row: its first word is a variant such as `WR11C2R4` or `WC0`, and
/// the next one a number.
pub(super) fn is_row(words: &[Word]) -> bool {
    let variant = words.first().is_some_and(|first| is_hpl_variant(first.text));
    let number = |word: &Word| word.text.parse::<f64>().is_ok();
    variant && words.get(1).is_none_or(number)
}

/// Returns true if a line has the column names.
pub(super) fn is_header(words: &[Word]) -> bool {
    words.len() >= 7
        && words
            .iter()
            .zip(["T/V", "N", "NB", "P", "Q", "Time"])
            .all(|(word, name)| word.text == name)
}

/// The variant and the problem size of a row, for messages.
pub(super) fn name(words: &[Word]) -> String {
    let size = words.get(1).map(|size| format!(" of n = {}", size.text)).unwrap_or_default();
    format!("{}{size}", words[0].text)
}

/// The columns of a row.
const COLUMNS: [&str; 7] = ["T/V", "N", "NB", "P", "Q", "Time", "Gflops"];

/// Reads a row and returns its run, with a remark on its time if needed; `byte` is the offset of
/// the line.
pub(super) fn read(words: &[Word], byte: usize) -> Result<(Run, Option<RemarkKind>)> {
    let word = |column: usize| {
        let end = words.last().map_or(0, |last| last.start + last.text.len());
        let short = || error::short(&name(words), COLUMNS[column]);
        words.get(column).copied().ok_or_else(|| short().at(byte + end))
    };
    let wrong = |column: usize, expected| {
        error::value(&name(words), COLUMNS[column], words[column].text, expected)
            .at(byte + words[column].start)
    };
    let whole = |column: usize| {
        let number = word(column)?.text.parse::<u32>().ok().filter(|&number| number > 0);
        number.map(f64::from).ok_or_else(|| wrong(column, "a whole number above 0"))
    };
    let number = |column: usize| {
        let number = word(column)?
            .text
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite() && *number >= 0.0);
        number.ok_or_else(|| wrong(column, "a finite number, not negative"))
    };
    let mut run = Run::new(Seconds::new(0.0));
    for (place, name) in
        [variable::PROBLEM_SIZE, variable::BLOCK_SIZE, variable::GRID_ROWS, variable::GRID_COLUMNS]
            .into_iter()
            .enumerate()
    {
        run.variables.insert(name.to_owned(), whole(place + 1)?);
    }
    run.labels.insert(CODE.to_owned(), words[0].text.to_owned());
    let (seconds, rate) = (number(5)?, number(6)?);
    let operations = operations(run.variables[variable::PROBLEM_SIZE]);
    if seconds == 0.0 {
        if rate == 0.0 {
            return Err(wrong(5, "a time above 0"));
        }
        run.seconds = gflops_to_seconds(run.variables[variable::PROBLEM_SIZE], rate);
        let remark = RemarkKind::note(format_args!(
            "run {}: its time is printed as 0 and is computed from its rate",
            describe(&run)
        ));
        return Ok((run, Some(remark)));
    }
    run.seconds = Seconds::new(seconds);
    let digits = half_last_digit(words[5].text) / seconds
        + half_last_digit(words[6].text) / rate.max(f64::MIN_POSITIVE);
    let computed = operations / seconds / 1e9;
    match agreement(computed, rate, digits + 3.0 / run.variables[variable::PROBLEM_SIZE]) {
        Agreement::Agree => Ok((run, None)),
        Agreement::Differ(percent) => {
            let remark = RemarkKind::Warning(format!(
                "run {}: its time and its rate differ by {percent:.1} %; the time is imported",
                describe(&run)
            ));
            Ok((run, Some(remark)))
        }
        Agreement::MixedUnits(guess) => {
            let fault = Fault::new(format!(
                "run {run}: mixed units: {seconds} s is {computed:.4e} Gflops, \
                    but {rate:.4e} is printed{}; write the time in seconds and the rate in \
                    Gflops",
                if guess.is_empty() { String::new() } else { format!(" ({guess}?)") },
                run = describe(&run)
            ));
            Err(fault.at(byte + words[5].start))
        }
    }
}

/// The time in seconds of a run of order N at a rate in Gflops.
pub(super) fn gflops_to_seconds(n: f64, rate: f64) -> Seconds {
    Seconds::new(operations(n) / (rate * 1e9))
}

/// The floating-point operations of a solution of order N: 2/3·N³ + 3/2·N² (HPL 2.3,
/// `HPL_pdtest.c`).
fn operations(n: f64) -> f64 {
    (2.0 / 3.0 * n + 1.5) * n * n
}

/// Half a unit of the last printed digit: 0.005 for `12.34`, 0.0005e1 for `4.781e+01`.
fn half_last_digit(text: &str) -> f64 {
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let places = digits.split_once('.').map_or(0, |(_, behind)| behind.len());
    0.5 * 10f64.powf(exponent.parse::<f64>().unwrap_or(0.0) - places as f64)
}

/// The agreement of a time and a rate.
enum Agreement {
    Agree,
    /// They differ by this number of percent.
    Differ(f64),
    /// They are in different units; the likely cause.
    MixedUnits(&'static str),
}

/// The factor between computed and printed rate from which the units differ.
const UNIT_FACTOR: f64 = 1.5;

/// Compares the rate that follows from the time with the printed rate, with a relative tolerance.
fn agreement(computed: f64, printed: f64, tolerance: f64) -> Agreement {
    let ratio = computed / printed;
    if (ratio - 1.0).abs() <= tolerance.max(1e-3) {
        return Agreement::Agree;
    }
    if ratio < UNIT_FACTOR && ratio > 1.0 / UNIT_FACTOR {
        return Agreement::Differ(100.0 * (ratio - 1.0).abs());
    }
    let near = |factor: f64| (ratio / factor - 1.0).abs() <= tolerance.max(0.05);
    Agreement::MixedUnits(if near(1e-3) {
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

/// The times of the phases of a run in seconds, each the maximum over the processes; 0 if it is not
/// printed.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Phases {
    /// True if a time is printed.
    is_printed: bool,
    /// The factorisation of panels, with `mxswp`.
    rfact: f64,
    /// The exchange of rows in the factorisation.
    mxswp: f64,
    /// The update of the trailing matrix, with `laswp`.
    update: f64,
    /// The exchange of rows in the update.
    laswp: f64,
    /// The solution of the triangular system.
    uptrsv: f64,
    /// The broadcast of panels; `None` if it is not measured.
    pub(super) broadcast: Option<f64>,
}

impl Phases {
    /// Reads a line such as `+ Max aggregated wall time mxswp . . :  0.28`; skips any other. `run`
    /// describes the run.
    ///
    /// # Errors
    ///
    /// A wrong time, with its byte in the line.
    pub(super) fn read_line(&mut self, line: &str, run: impl FnOnce() -> String) -> Result<()> {
        let rest = line.trim_start_matches(['+', ' ', '\t']);
        let Some(rest) = rest.strip_prefix("Max aggregated wall time ") else { return Ok(()) };
        let (name, value) = rest.split_once(':').unwrap_or((rest, ""));
        let name = name.trim_end_matches([' ', '.']).to_owned();
        let found = value.trim().to_owned();
        let seconds =
            found.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
        let Some(seconds) = seconds else {
            let byte = line.len() - value.trim_start().len();
            let expected = "a finite time in seconds, not negative";
            return Err(error::value(&run(), &name, &found, expected).at(byte));
        };
        match name.as_str() {
            "rfact" => self.rfact = seconds,
            "mxswp" => self.mxswp = seconds,
            "update" => self.update = seconds,
            "laswp" => self.laswp = seconds,
            "up tr sv" => self.uptrsv = seconds,
            "bcast" => self.broadcast = Some(seconds),
            _ => return Ok(()),
        }
        self.is_printed = true;
        Ok(())
    }

    /// Returns true if no phase is longer than the one that contains it.
    pub(super) fn is_consistent(&self) -> bool {
        self.mxswp <= self.rfact && self.laswp <= self.update
    }

    /// The computation and communication times of a kind; `None` if no phase is printed.
    ///
    /// Ta = (rfact − mxswp) + (update − laswp) + uptrsv, Tc = mxswp + laswp + bcast (Kishimoto and
    /// Ichikawa 2004).
    pub(super) fn times(&self, kind: String) -> Option<KindTimes> {
        if !self.is_printed {
            return None;
        }
        let computation = (self.rfact - self.mxswp) + (self.update - self.laswp) + self.uptrsv;
        let communication = self.mxswp + self.laswp + self.broadcast.unwrap_or(0.0);
        Some(KindTimes {
            kind,
            computation: to_nanoseconds(computation),
            communication: to_nanoseconds(communication),
        })
    }
}

/// A time rounded to nanoseconds: phases have two decimals, and their sum is 37.38 s, not
/// 37.379999999999995 s.
fn to_nanoseconds(seconds: f64) -> Seconds {
    Seconds::new((seconds * 1e9).round() / 1e9)
}

/// The name and the word of a label from a line of the head of an output, such as
/// `SWAP   : Mix (threshold = 64)`; `None` for other lines.
pub(super) fn head_label(line: &str) -> Option<(&'static str, String)> {
    let (name, value) = line.split_once(':')?;
    let (name, value) = (name.trim(), value.trim());
    let form = |name| {
        let words = [("transposed form", "transposed"), ("no-transposed form", "no-transposed")];
        words
            .into_iter()
            .find(|(printed, _)| *printed == value)
            .map(|(_, word)| (name, word.to_owned()))
    };
    match name {
        "SWAP" => {
            let threshold =
                value.strip_prefix("Mix (threshold =").and_then(|rest| rest.strip_suffix(')'));
            let mix = threshold.and_then(|number| number.trim().parse::<u32>().ok());
            match (value, mix) {
                ("Binary-exchange", _) => Some(("swap", "binary-exchange".to_owned())),
                ("Spread-roll (long)", _) => Some(("swap", "spread-roll".to_owned())),
                (_, Some(threshold)) => Some(("swap", format!("mix:{threshold}"))),
                _ => None,
            }
        }
        "L1" => form("l1"),
        "U" => form("u"),
        "EQUIL" => ["yes", "no"].contains(&value).then(|| ("equil", value.to_owned())),
        "ALIGN" => {
            let number = value.strip_suffix("double precision words")?.trim();
            number
                .parse::<u32>()
                .ok()
                .filter(|&words| words > 0)
                .map(|words| ("align", words.to_string()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use orrery_base::file::words;

    #[test]
    fn rows_are_recognised() {
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
    fn last_digits_have_half_a_unit() {
        assert!((half_last_digit("12.34") - 0.005).abs() < 1e-15);
        assert!((half_last_digit("4.781e+01") - 0.005).abs() < 1e-15);
        assert!((half_last_digit("7") - 0.5).abs() < 1e-15);
    }

    #[test]
    fn phases_make_computation_and_communication() {
        let mut phases = Phases::default();
        assert_eq!(phases.times("a".into()), None);
        for line in [
            "Max aggregated wall time rfact . . . :               3.50",
            "+ Max aggregated wall time pfact . . :               2.67",
            "+ Max aggregated wall time mxswp . . :               2.50",
            "Max aggregated wall time update  . . :             533.50",
            "+ Max aggregated wall time laswp . . :              56.75",
            "Max aggregated wall time up tr sv  . :               0.25",
            "HPL_pdgesv() start time Tue Aug 22 00:24:39 2023",
        ] {
            assert!(phases.read_line(line, String::new).is_ok());
        }
        let times = |phases: &Phases| phases.times(String::new()).unwrap();
        assert_eq!(times(&phases).computation, Seconds::new(1.0 + 476.75 + 0.25));
        assert_eq!(times(&phases).communication, Seconds::new(59.25));
        assert!(
            phases.read_line("+ Max aggregated wall time bcast . . :  1.75", String::new).is_ok()
        );
        assert_eq!(times(&phases).communication, Seconds::new(61.0));
        assert!(
            phases
                .read_line("Max aggregated wall time rfact . . . :  XXXX.XX", String::new)
                .is_err_and(|located| located.byte() == Some(40))
        );
        assert!(
            phases.read_line("Max aggregated wall time rfact . . . :  1.00", String::new).is_ok()
        );
        assert!(!phases.is_consistent());
    }
}
