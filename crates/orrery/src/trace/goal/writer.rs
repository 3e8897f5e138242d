use std::collections::BTreeMap;
use std::io::{self, Write};

use super::graph::FOR_START;
use crate::schedule::{Operation, Rank, Request, Schedule, operations};

/// Writes a schedule as GOAL: computations and waits by the clock become `calc`, in whole nanoseconds. Operations follow
/// one another; a posted one starts in its turn, and what stands behind its wait waits for its end. Tests cost nothing.
///
/// # Errors
///
/// When writing fails, and when there are more operations than GOAL's readers can number.
pub fn write<S: Schedule + ?Sized>(schedule: &S, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "num_ranks {}", schedule.ranks())?;
    let mut written = 0;
    for rank in Rank::first(schedule.ranks()) {
        writeln!(out, "rank {rank} {{")?;
        let mut lines = Lines { out, last: 0, front: Vec::new(), started: None, posted: BTreeMap::new() };
        for operation in operations(schedule, rank) {
            lines.operation(operation)?;
            if written + lines.last >= u64::from(FOR_START) {
                return Err(io::Error::other("these are more than 2147483647 operations, the most of a GOAL text"));
            }
        }
        written += lines.last;
        writeln!(out, "}}")?;
    }
    Ok(())
}

/// The lines of a rank; labels are l1, l2, ….
struct Lines<'a, W> {
    out: &'a mut W,
    /// The last label.
    last: u64,
    /// The labels that have to end before anything further starts.
    front: Vec<u64>,
    /// The label of a posted operation that has to start before anything further does.
    started: Option<u64>,
    posted: BTreeMap<Request, u64>,
}

impl<W: Write> Lines<'_, W> {
    fn operation(&mut self, operation: Operation) -> io::Result<()> {
        match operation {
            Operation::Do(transfer) => self.line(format_args!("{transfer}"), false),
            Operation::Compute(time) | Operation::Spin(time) => {
                self.line(format_args!("calc {:.0}", time.get() * 1e9), false)
            }
            Operation::Post(transfer, request) => {
                if self.front.len() > 1 {
                    // All that is posted from here on waits for one label and not for many.
                    self.line(format_args!("calc 0"), false)?;
                }
                self.line(format_args!("{transfer}"), true)?;
                self.posted.insert(request, self.last);
                Ok(())
            }
            Operation::Wait(request) => {
                self.front.extend(self.posted.remove(&request));
                Ok(())
            }
            Operation::Test(_) | Operation::Start(_) | Operation::Stop(_) => Ok(()),
        }
    }

    fn line(&mut self, words: std::fmt::Arguments<'_>, is_posted: bool) -> io::Result<()> {
        self.last += 1;
        let own = self.last;
        writeln!(self.out, "l{own}: {words}")?;
        for before in &self.front {
            writeln!(self.out, "l{own} requires l{before}")?;
        }
        if let Some(before) = self.started.take().filter(|before| !self.front.contains(before)) {
            writeln!(self.out, "l{own} irequires l{before}")?;
        }
        if is_posted {
            self.started = Some(own);
        } else {
            self.front.clear();
            self.front.push(own);
        }
        Ok(())
    }
}
