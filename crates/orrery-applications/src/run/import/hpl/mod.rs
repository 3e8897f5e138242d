//! Output of High-Performance Linpack: a row for each run, optional times of its phases, and a
//! check of its result.
//!
//! ```text
//! T/V                N    NB     P     Q               Time                 Gflops
//! --------------------------------------------------------------------------------
//! WR11C2R4        9600    64     1     4              12.34             4.7811e+01
//! --VVV--VVV--VVV--
//! Max aggregated wall time rfact . . . :               0.56
//! ||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=        0.0020152 ...... PASSED
//! ================================================================================
//! ```
//!
//! HPCC prints the same table among others; NVIDIA's HPL adds a number in parentheses. HPL-MxP
//! prints no table but lines `N = 258048, NB = 1024, NPROW = 4, NPCOL = 2` and
//! `GFLOPS = 4.3468e+05`. The head of an output holds the parameters that the table does not
//! encode, such as `SWAP   : Mix (threshold = 64)`. All other lines are skipped.

mod row;

use std::collections::BTreeMap;

use super::error;
use super::parsed::{Parsed, RemarkKind, describe};
use crate::run::hpl::CODE;
use crate::run::{Configuration, Run, variable};
use orrery_base::file::{Result, is_hpl_banner, lines, words};
use orrery_base::units::Seconds;
use row::{Phases, gflops_to_seconds, head_label};

/// A run whose output is not complete.
struct OpenRun {
    byte: usize,
    run: Run,
    phases: Phases,
    /// The result of the residual check, if it is printed.
    passed: Option<bool>,
}

/// The state of reading an output.
#[derive(Default)]
struct Reader<'a> {
    configuration: Option<&'a Configuration>,
    parsed: Parsed,
    open: Option<OpenRun>,
    mxp: MxpReader,
    /// The labels of the head of the output, which all its runs have.
    head: BTreeMap<String, String>,
    /// True if the table has column names: the output is not only a list of rows.
    has_header: bool,
    /// True between the banner of a benchmark and its end.
    running: bool,
    /// Runs without a check: their number, and the byte and the description of the first.
    unchecked: Option<(usize, usize, String)>,
    /// The byte of the first run without a time of broadcasts.
    no_broadcast: Option<usize>,
    /// The byte of the first run with times of all kinds together.
    all_kinds: Option<usize>,
}

/// Reads the output of HPL.
pub(super) fn read(text: &str, configuration: &Configuration) -> Result<Parsed> {
    let mut reader = Reader { configuration: Some(configuration), ..Reader::default() };
    for (byte, line, is_complete) in lines(text) {
        reader.read_line(byte, line, is_complete)?;
    }
    reader.finish(text.trim_end().len())
}

impl Reader<'_> {
    /// Reads a line; `is_complete` is false for a last line without a line break.
    fn read_line(&mut self, byte: usize, line: &str, is_complete: bool) -> Result<()> {
        let words = words(line);
        self.running = is_hpl_banner(line) || self.running && !line.starts_with("Finished ");
        if is_hpl_banner(line) {
            self.head.clear();
        }
        self.head.extend(head_label(line).map(|(name, word)| (name.to_owned(), word)));
        if row::is_row(&words) {
            self.close();
            let (mut run, remark) = row::read(&words, byte).map_err(|located| {
                // A fault in an incomplete line comes from its truncation.
                let truncated = || error::truncated(&row::name(&words)).at(byte);
                if is_complete { located } else { truncated() }
            })?;
            run.labels.extend(self.head.clone());
            self.parsed.remarks.extend(remark.map(|kind| (byte, kind)));
            self.open = Some(OpenRun { byte, run, phases: Phases::default(), passed: None });
        } else if row::is_header(&words) {
            self.close();
            self.has_header = true;
        } else if let Some(passed) = check_result(line) {
            match &mut self.open {
                Some(open) => open.passed = Some(passed && open.passed.unwrap_or(true)),
                None => self.mxp.passed = Some(passed),
            }
        } else if let Some(open) = &mut self.open {
            if line.trim_start().starts_with("====") {
                self.close();
            } else {
                let run = || describe(&open.run);
                open.phases.read_line(line, run).map_err(|located| {
                    let at = byte + located.byte().unwrap_or(0);
                    let fault = if is_complete { located } else { error::truncated(&run()) };
                    fault.at(at)
                })?;
            }
        } else if let Some((run, passed)) = self.mxp.read_line(line, byte)? {
            if self.mxp.runs == 1 {
                let remark =
                    RemarkKind::note("HPL-MxP prints no time; times are computed from rates");
                self.parsed.remarks.push((byte, remark));
            }
            self.open = Some(OpenRun { byte, run, phases: Phases::default(), passed });
            self.close();
        }
        Ok(())
    }

    /// Completes the open run and adds it to the parsed ones.
    fn close(&mut self) {
        let Some(OpenRun { byte, mut run, phases, passed }) = self.open.take() else { return };
        let name = describe(&run);
        if passed == Some(false) {
            let remark = format!("run {name} FAILED its residual check and is left out");
            self.parsed.remarks.push((byte, RemarkKind::Warning(remark)));
            return;
        }
        if passed.is_none() {
            self.unchecked.get_or_insert((0, byte, name.clone())).0 += 1;
        }
        let shares = self.configuration.map_or(&[][..], |configuration| &configuration.shares);
        let kind = if let [share] = shares { share.kind.clone() } else { String::new() };
        if !phases.is_consistent() {
            let remark = format!(
                "run {name}: a phase is longer than the phase that contains it, since each is a \
                    maximum over the processes; its computation and communication times are left \
                    out"
            );
            self.parsed.remarks.push((byte, RemarkKind::Note(remark)));
        } else if let Some(times) = phases.times(kind) {
            if phases.broadcast.is_none() {
                self.no_broadcast.get_or_insert(byte);
            }
            if shares.len() > 1 {
                self.all_kinds.get_or_insert(byte);
            }
            run.parts.push(times);
        }
        self.parsed.runs.push((byte, run));
    }

    /// Completes the last run; `end` is the byte of the end of the text.
    fn finish(mut self, end: usize) -> Result<Parsed> {
        if let Some(open) =
            self.open.as_ref().filter(|open| self.has_header && open.passed.is_none())
        {
            return Err(error::truncated(&describe(&open.run)).at(end));
        }
        if let Some(run) = self.mxp.open_run() {
            return Err(error::truncated(&describe(run)).at(end));
        }
        self.close();
        if self.running && !self.parsed.runs.is_empty() {
            let remark = "the output ends here, before the end of the benchmark; the runs above are \
                imported";
            self.parsed.remarks.push((end, RemarkKind::note(remark)));
        }
        if let Some((runs, byte, first)) = self.unchecked {
            let remark = if runs == 1 {
                format!("run {first} has no residual check; it is imported")
            } else {
                format!(
                    "{runs} runs have no residual check, the first is {first}; they are imported"
                )
            };
            self.parsed.remarks.push((byte, RemarkKind::Note(remark)));
        }
        let no_broadcast = "the time of broadcasts is not printed (HPL does not measure it unless \
            modified); communication times do not include it";
        let all_kinds = "the times of phases are maxima over all kinds of processing elements; they \
            are assigned to no kind";
        for (byte, remark) in [(self.no_broadcast, no_broadcast), (self.all_kinds, all_kinds)] {
            self.parsed.remarks.extend(byte.map(|byte| (byte, RemarkKind::note(remark))));
        }
        Ok(self.parsed)
    }
}

/// The result of a residual check, if a line holds one: `||Ax-b||… ...... PASSED`.
fn check_result(line: &str) -> Option<bool> {
    let line = line.trim();
    let result = line.strip_prefix("||Ax-b||")?.split_whitespace().last()?;
    match result {
        "PASSED" => Some(true),
        "FAILED" => Some(false),
        _ => None,
    }
}

/// The state of reading runs of HPL-MxP.
#[derive(Default)]
struct MxpReader {
    /// The run whose rate is not read yet.
    run: Option<Run>,
    /// The result of the residual check, which is printed before the run.
    passed: Option<bool>,
    /// The number of runs so far.
    runs: usize,
}

/// The variables of a line with the size of a run of HPL-MxP; `None` for any other line.
fn mxp_size(line: &str) -> Option<Vec<(&'static str, f64)>> {
    let line = line.trim_start();
    if !line.starts_with("N = ") {
        return None;
    }
    let names = [
        ("N", variable::PROBLEM_SIZE),
        ("NB", variable::BLOCK_SIZE),
        ("NPROW", variable::GRID_ROWS),
        ("NPCOL", variable::GRID_COLUMNS),
    ];
    let entries: Vec<_> = line.split(',').filter_map(|entry| entry.split_once('=')).collect();
    let number = |key: &str| {
        let (_, number) = entries.iter().find(|(name, _)| name.trim() == key)?;
        number.trim().parse::<u32>().ok().filter(|&number| number > 0)
    };
    names.into_iter().map(|(key, name)| Some((name, f64::from(number(key)?)))).collect()
}

impl MxpReader {
    /// The run whose rate is not read yet; `None` between runs.
    fn open_run(&self) -> Option<&Run> {
        self.run.as_ref()
    }

    /// Reads a line at this byte of the text. Returns a run when its rate is read, with the result
    /// of its check, `None` if it was not checked; else `None`.
    fn read_line(&mut self, line: &str, byte: usize) -> Result<Option<(Run, Option<bool>)>> {
        if let Some(variables) = mxp_size(line) {
            let mut run = Run::new(Seconds::new(0.0));
            run.variables =
                variables.into_iter().map(|(name, number)| (name.to_owned(), number)).collect();
            run.labels.insert(CODE.to_owned(), "HPL-MxP".to_owned());
            self.run = Some(run);
            return Ok(None);
        }
        let Some(rate) = line.trim_start().strip_prefix("GFLOPS = ") else { return Ok(None) };
        let Some(mut run) = self.run.take() else { return Ok(None) };
        let found = rate.split([',', ' ']).next().unwrap_or_default();
        let rate = found.parse::<f64>().ok().filter(|rate| rate.is_finite() && *rate > 0.0);
        let rate = rate.ok_or_else(|| {
            let (column, found) = ("GFLOPS".to_owned(), found.to_owned());
            let fault = error::value(&describe(&run), &column, &found, "a rate above 0");
            fault.at(byte)
        })?;
        run.seconds = gflops_to_seconds(run.variables[variable::PROBLEM_SIZE], rate);
        self.runs += 1;
        Ok(Some((run, self.passed.take())))
    }
}
