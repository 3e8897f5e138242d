//! Traces on disk.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::actions::{Trace, WriteError};
use super::binary;
use super::goal::{self, GoalGraph};
use super::recording;
use super::tit::{self, Reader};
use orrery_base::file::{
    Fault, FaultKind, FileError, FileKind, Position, Replacement, kind_of, read, read_bytes,
    torn_line,
};
use orrery_base::units::Seconds;

/// Reads a trace in any format, which is recognised by the content.
///
/// A time-independent trace is one text that all ranks share, or an index with the name of a file
/// on each line: for rank 0, for rank 1, …, relative to the folder of the index. An index of one
/// file names a text that all ranks share. A text in GOAL is converted by [`GoalGraph::to_trace`].
///
/// # Errors
///
/// A file that cannot be read, a text whose last line may be incomplete, and the first fault in it.
pub fn load(path: &Path) -> Result<Trace, FileError> {
    let content = read(path, "trace")?;
    if content.starts_with(&recording::MAGIC) {
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let folder = folder.display();
        let fault = format!("this is one rank of a recorded run; name its folder, {folder}");
        return Err(FileError::whole(path, fault.into()));
    }
    match kind_of(&content) {
        Some(FileKind::BinaryTrace) => {
            return binary::read(&content, &path.display().to_string());
        }
        Some(FileKind::Goal) => {
            return GoalGraph::read(&content[..], path)?.to_trace(&path.display().to_string());
        }
        Some(found) if !found.is_trace() => {
            let name = found.name();
            let fault = format!("this is {name}; give a trace, with lines such as 0 compute 1e6");
            let wanted = FileKind::TimeIndependentTrace;
            let kind = FaultKind::Format { wanted, found: Some(found) };
            return Err(FileError::whole(path, Fault::new(fault).of_kind(kind)));
        }
        _ => {}
    }
    let Some(entries) = index(&content) else {
        let mut reader = Reader::default();
        reader.shared(&path.display().to_string(), &content)?;
        check_end(path, &content)?;
        return reader.finish();
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let is_shared = entries.len() == 1;
    let mut reader =
        if is_shared { Reader::default() } else { Reader::of_ranks(entries.len() as u32) };
    for (rank, (line, entry)) in entries.into_iter().enumerate() {
        let file = folder.join(entry);
        if fs::canonicalize(&file)
            .is_ok_and(|file| fs::canonicalize(path).is_ok_and(|index| index == file))
        {
            let fault = "the index names itself; name one file for each rank";
            return Err(FileError::at(path, Position { line, column: 1 }, fault.into()));
        }
        let unreadable = |reason| {
            let fault = format!(
                "cannot read {}: {reason}; an index names one file for each rank, and a trace has \
                    lines such as \"0 compute 1e6\"",
                file.display()
            );
            let fault = Fault::new(fault).of_kind(FaultKind::Unreadable);
            FileError::at(path, Position { line, column: 1 }, fault)
        };
        let text = read_regular(&file).map_err(unreadable)?;
        let name = file.display().to_string();
        if is_shared {
            reader.shared(&name, &text)?;
        } else {
            reader.rank(rank as u32, &name, &text)?;
        }
        check_end(&file, &text)?;
    }
    check_end(path, &content)?;
    reader.finish()
}

/// Reads a file that another file names. A device or a pipe may have no end.
fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    if fs::metadata(path)?.is_file() {
        read_bytes(path)
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

/// The files of a trace: the file itself, and those that it names if it is an index.
///
/// # Errors
///
/// A file that cannot be read.
pub fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    let content = read_bytes(path)?;
    // A text in another format than that of an index could be taken for one.
    let is_trace = kind_of(&content).is_some_and(FileKind::is_trace);
    let entries = index(&content).filter(|_| !is_trace).unwrap_or_default();
    let folder = path.parent().unwrap_or(Path::new(""));
    Ok(std::iter::once(path.to_owned())
        .chain(entries.into_iter().map(|(_, entry)| folder.join(entry)))
        .collect())
}

/// Returns an error if a line break is missing at the end: a number that was cut would be another
/// number.
fn check_end(path: &Path, content: &[u8]) -> Result<(), FileError> {
    let Some(line) = torn_line(content) else { return Ok(()) };
    let fault = "the last line has no line break, so that the trace may be incomplete; if it is \
        complete, add the line break";
    Err(FileError::at(path, Position { line, column: 1 }, fault.into()))
}

/// The lines of an index with their numbers; `None` if the content is a trace, whose lines begin
/// with a rank and an action.
fn index(content: &[u8]) -> Option<Vec<(usize, &str)>> {
    let text = std::str::from_utf8(content).ok().filter(|text| !text.contains('\0'))?;
    let lines = text.lines().enumerate().map(|(k, line)| (k + 1, line.trim()));
    let mut entries =
        lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).peekable();
    let (_, first) = entries.peek()?;
    let is_action = first.split_whitespace().next()?.parse::<u32>().is_ok()
        && first.contains(char::is_whitespace);
    (!is_action).then(|| entries.collect())
}

/// A format of written traces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TraceFormat {
    /// A binary trace.
    Binary,
    /// A time-independent trace of SimGrid that all ranks share.
    TimeIndependent,
    /// GOAL, with the number of floating-point operations that a rank computes per second.
    Goal(f64),
}

impl TraceFormat {
    /// All formats, for ranks of this speed in floating-point operations per second.
    pub const fn all(speed: f64) -> [Self; 3] {
        [Self::Binary, Self::TimeIndependent, Self::Goal(speed)]
    }

    /// The name, what the format is for, and the extensions of its files, the usual one first.
    const fn row(self) -> (&'static str, &'static str, &'static [&'static str]) {
        match self {
            Self::Binary => ("binary", "Binary: compact, with communicators and loops", &["orrt"]),
            Self::TimeIndependent => {
                ("tit", "Time-independent, for SimGrid, one text for all ranks", &["tit", "txt"])
            }
            Self::Goal(_) => {
                ("goal", "GOAL, for LogGOPSim, with collective operations as messages", &["goal"])
            }
        }
    }

    /// The name, such as `tit`.
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// The kind of a file in the format.
    pub const fn kind(self) -> FileKind {
        match self {
            Self::Binary => FileKind::BinaryTrace,
            Self::TimeIndependent => FileKind::TimeIndependentTrace,
            Self::Goal(_) => FileKind::Goal,
        }
    }

    /// What the format is for.
    pub const fn about(self) -> &'static str {
        self.row().1
    }

    /// The extensions of files in this format, the usual one first.
    pub const fn extensions(self) -> &'static [&'static str] {
        self.row().2
    }
}

/// Writes a trace to a file in one step.
///
/// Formats without loops hold at most `max_operations` actions or operations; if messages replace
/// collective operations, these count.
///
/// # Errors
///
/// An error of the operating system, an action that the format cannot represent, and more than
/// `max_operations`.
pub fn save(
    trace: &Trace,
    path: &Path,
    format: TraceFormat,
    max_operations: u64,
) -> Result<(), WriteError> {
    match format {
        TraceFormat::Binary => {}
        TraceFormat::TimeIndependent => {
            trace.check_weight(max_operations, |rank, action| {
                tit::line_count(trace, rank, action)
            })?;
        }
        TraceFormat::Goal(_) => {
            let max_operations = max_operations.min(goal::MAX_OPERATIONS.into());
            trace
                .check_weight(max_operations, |rank, action| trace.goal_operations(rank, action))?;
        }
    }
    let mut out = BufWriter::new(Replacement::begin(path)?);
    write(trace, &mut out, format)?;
    Ok(out.into_inner().map_err(io::IntoInnerError::into_error)?.commit()?)
}

/// Writes a trace in a format and flushes it.
fn write(trace: &Trace, out: &mut impl Write, format: TraceFormat) -> Result<(), WriteError> {
    match format {
        TraceFormat::Binary => out.write_all(&binary::write(trace))?,
        TraceFormat::TimeIndependent => tit::write(trace, out)?,
        TraceFormat::Goal(speed) => {
            goal::write(&trace.schedule(&vec![speed; trace.ranks()], Seconds::ZERO), out)?;
        }
    }
    Ok(out.flush()?)
}
