//! Output of High-Performance Linpack: a row for each run, perhaps the times of its phases, a check of its result.
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
//! HPCC prints the same table among others, NVIDIA's HPL one more number in brackets. HPL-MxP prints `N = …` and the rate.
//! All other lines (`Prog=`, `Column=`, words of batch jobs) are passed over.

mod mixed;
mod phases;
mod row;

use super::lines::lines;
use super::{Fault, Read, Refused, RemarkKind, Result, in_words};
use crate::run::{Configuration, Run};
use crate::sample::import::words;
use mixed::Mixed;
use phases::Phases;

/// Whether a line shows that a text is output of HPL.
pub(super) fn is_sign(line: &str) -> bool {
    let words = words(line);
    row::is_row(&words) || row::is_header(&words) || is_banner(line) || mixed::size(line).is_some()
}

/// Whether a line announces the benchmark.
fn is_banner(line: &str) -> bool {
    ["HPLinpack ", "HPL-NVIDIA ", "HPL-MxP "].iter().any(|name| line.trim_start().starts_with(name))
}

/// A run that was begun.
struct Open {
    byte: usize,
    run: Run,
    phases: Phases,
    passed: Option<bool>,
}

#[derive(Default)]
struct Reader<'a> {
    configuration: Option<&'a Configuration>,
    read: Read,
    open: Option<Open>,
    mixed: Mixed,
    /// Whether the table has names of columns: the output is not a mere list of rows.
    headed: bool,
    /// Whether the benchmark was announced, and has not told its end.
    running: bool,
    /// Runs without check: how many, the byte of the first and its name.
    unchecked: Option<(usize, usize, String)>,
    no_broadcast: Option<usize>,
    all_kinds: Option<usize>,
}

/// Reads the output of HPL.
pub(super) fn read(text: &str, configuration: &Configuration) -> Result<Read> {
    let mut reader = Reader { configuration: Some(configuration), ..Reader::default() };
    for (byte, line, whole) in lines(text) {
        reader.take(byte, line, whole)?;
    }
    reader.finish(text.trim_end().len())
}

impl Reader<'_> {
    fn take(&mut self, byte: usize, line: &str, whole: bool) -> Result<()> {
        let words = words(line);
        self.running = is_banner(line) || self.running && !line.starts_with("Finished ");
        if row::is_row(&words) {
            self.close();
            let (run, remark) = row::read(&words, byte).map_err(|refused| {
                // What stands at the end of a text without line break was going to be something else.
                let torn = || Refused { byte, fault: Fault::Torn { run: row::name(&words) } };
                if whole { refused } else { torn() }
            })?;
            self.read.remarks.extend(remark.map(|why| (byte, why)));
            self.open = Some(Open { byte, run, phases: Phases::default(), passed: None });
        } else if row::is_header(&words) {
            self.close();
            self.headed = true;
        } else if let Some(passed) = verdict(line) {
            match &mut self.open {
                Some(open) => open.passed = Some(passed && open.passed.unwrap_or(true)),
                None => self.mixed.passed = Some(passed),
            }
        } else if let Some(open) = &mut self.open {
            if line.trim_start().starts_with("====") {
                self.close();
            } else {
                let named = in_words(&open.run);
                open.phases.take(line).map_err(|(at, fault)| {
                    let fault = if whole { fault(named) } else { Fault::Torn { run: named } };
                    Refused { byte: byte + at, fault }
                })?;
            }
        } else if let Some((run, passed)) = self.mixed.take(line, byte)? {
            if self.mixed.runs == 1 {
                self.read.remarks.push((byte, RemarkKind::Rates));
            }
            self.open = Some(Open { byte, run, phases: Phases::default(), passed });
            self.close();
        }
        Ok(())
    }

    /// The run that is open is told to its end.
    fn close(&mut self) {
        let Some(Open { byte, mut run, phases, passed }) = self.open.take() else { return };
        let name = in_words(&run);
        if passed == Some(false) {
            self.read.remarks.push((byte, RemarkKind::Failed { run: name }));
            return;
        }
        if passed.is_none() {
            self.unchecked.get_or_insert((0, byte, name.clone())).0 += 1;
        }
        let shares = self.configuration.map_or(&[][..], |configuration| &configuration.shares);
        let kind = if let [share] = shares { share.kind.clone() } else { String::new() };
        match phases.part(kind) {
            Err(()) => self.read.remarks.push((byte, RemarkKind::Phases { run: name })),
            Ok(None) => {}
            Ok(Some(part)) => {
                if phases.broadcast.is_none() {
                    self.no_broadcast.get_or_insert(byte);
                }
                if shares.len() > 1 {
                    self.all_kinds.get_or_insert(byte);
                }
                run.parts.push(part);
            }
        }
        self.read.runs.push((byte, run));
    }

    fn finish(mut self, end: usize) -> Result<Read> {
        if let Some(open) = self.open.as_ref().filter(|open| self.headed && open.passed.is_none()) {
            return Err(Refused { byte: end, fault: Fault::Torn { run: in_words(&open.run) } });
        }
        if let Some(run) = self.mixed.begun() {
            return Err(Refused { byte: end, fault: Fault::Torn { run: in_words(run) } });
        }
        self.close();
        if self.running && !self.read.runs.is_empty() {
            self.read.remarks.push((end, RemarkKind::NotEnded));
        }
        if let Some((runs, byte, first)) = self.unchecked {
            self.read.remarks.push((byte, RemarkKind::Unchecked { runs, first }));
        }
        self.read.remarks.extend(self.no_broadcast.map(|byte| (byte, RemarkKind::NoBroadcast)));
        self.read.remarks.extend(self.all_kinds.map(|byte| (byte, RemarkKind::AllKinds)));
        Ok(self.read)
    }
}

/// Whether a line says that the check of a result was passed: `||Ax-b||… ...... PASSED`.
fn verdict(line: &str) -> Option<bool> {
    let line = line.trim();
    let verdict = line.strip_prefix("||Ax-b||")?.split_whitespace().last()?;
    match verdict {
        "PASSED" => Some(true),
        "FAILED" => Some(false),
        _ => None,
    }
}
