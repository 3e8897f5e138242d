//! Traces on disk.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::actions::{TooManyActions, Trace};
use super::binary::{self, BinaryError};
use super::goal::{self, GoalError, GoalGraph, GoalTraceError};
use super::tit::{self, Reader, TraceError};
use crate::file::{FileKind, kind_of};
use crate::units::Seconds;

/// Why a trace cannot be read from disk.
#[derive(Debug, thiserror::Error)]
pub enum TraceFileError {
    /// The operating system refused something.
    #[error("{}: cannot read the trace: {reason}; check its name and its permissions", path.display())]
    System {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// A file that is named in an index cannot be read.
    #[error("{}:{line}:1: cannot read {}: {reason}; an index names one file for each rank, a trace has lines such as \"0 compute 1e6\"", index.display(), path.display())]
    Indexed {
        /// The index.
        index: PathBuf,
        /// The line of the index, from 1.
        line: usize,
        /// The file that it names.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// An index that names itself.
    #[error("{}:{line}:1: the index names itself; it names one file for each rank", index.display())]
    Itself {
        /// The index.
        index: PathBuf,
        /// The line of the index, from 1.
        line: usize,
    },
    /// Something in a trace cannot be read.
    #[error(transparent)]
    Read(#[from] TraceError),
    /// Something in a binary trace cannot be read.
    #[error(transparent)]
    Binary(#[from] BinaryError),
    /// Something in a text in GOAL cannot be read.
    #[error(transparent)]
    Goal(#[from] GoalError),
    /// Something in a text in GOAL has no place in a trace.
    #[error(transparent)]
    Sequence(#[from] GoalTraceError),
}

/// Reads a trace: a binary one, known by its first bytes; one in GOAL, known by its first word, as
/// [`GoalGraph::trace`] makes it a list; or a time-independent trace of SimGrid: a text that all ranks share, or an index that names a file for rank 0, for
/// rank 1, …, one on a line, relative to its own folder. An index of one file names a text that all ranks share.
///
/// # Errors
///
/// Files that cannot be read, and what is wrong with a line.
pub fn load(path: &Path) -> Result<Trace, TraceFileError> {
    let system = |reason| TraceFileError::System { path: path.to_owned(), reason };
    let content = fs::read(path).map_err(system)?;
    match kind_of(&content) {
        Some(FileKind::BinaryTrace) => return Ok(binary::read(&content, &path.display().to_string())?),
        Some(FileKind::Goal) => return Ok(GoalGraph::read(&content[..], path)?.trace(&path.display().to_string())?),
        _ => {}
    }
    let Some(entries) = index(&content) else {
        let mut reader = Reader::default();
        reader.shared(&path.display().to_string(), &content)?;
        return Ok(reader.finish()?);
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let is_alone = entries.len() == 1;
    let mut reader = if is_alone { Reader::default() } else { Reader::of_ranks(entries.len() as u32) };
    for (rank, (line, entry)) in entries.into_iter().enumerate() {
        let file = folder.join(entry);
        if fs::canonicalize(&file).is_ok_and(|file| fs::canonicalize(path).is_ok_and(|index| index == file)) {
            return Err(TraceFileError::Itself { index: path.to_owned(), line });
        }
        let text = fs::read(&file).map_err(|reason| TraceFileError::Indexed {
            index: path.to_owned(),
            line,
            path: file.clone(),
            reason,
        })?;
        let name = file.display().to_string();
        if is_alone { reader.shared(&name, &text)? } else { reader.rank(rank as u32, &name, &text)? }
    }
    Ok(reader.finish()?)
}

/// The lines of an index with their numbers; `None` for a trace itself, whose lines begin with the number of a rank and
/// the name of an action.
fn index(content: &[u8]) -> Option<Vec<(usize, &str)>> {
    let text = std::str::from_utf8(content).ok().filter(|text| !text.contains('\0'))?;
    let lines = text.lines().enumerate().map(|(k, line)| (k + 1, line.trim()));
    let mut entries = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).peekable();
    let (_, first) = entries.peek()?;
    let is_action = first.split_whitespace().next()?.parse::<u32>().is_ok() && first.contains(char::is_whitespace);
    (!is_action).then(|| entries.collect())
}

/// A format that traces are written in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Format {
    /// Orrery's own, binary.
    Binary,
    /// A time-independent trace of SimGrid that all ranks share.
    Tit,
    /// GOAL; ranks compute so many floating-point operations in a second.
    Goal(f64),
}

/// Why a trace cannot be written to disk.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// It cannot be said in this format, or the system refuses something.
    #[error(transparent)]
    Write(#[from] tit::WriteError),
    /// Written out it is too long.
    #[error(transparent)]
    TooMany(#[from] TooManyActions),
}

/// Writes a trace. Where the format has no repetitions, at most `most` actions are written out; of collective operations
/// that become messages, these count. A file that cannot be finished is removed.
///
/// # Errors
///
/// What the system says, what a time-independent trace cannot say, and more actions than `most`: then nothing is written.
pub fn save(trace: &Trace, path: &Path, format: Format, most: u64) -> Result<(), SaveError> {
    match format {
        Format::Binary => {}
        Format::Tit => trace.weighed(most, |rank, action| tit::lines(trace, rank, action))?,
        Format::Goal(_) => trace.weighed(most.min(goal::MOST.into()), |rank, action| trace.operations(rank, action))?,
    }
    let create = || Ok::<_, tit::WriteError>(BufWriter::new(File::create(path)?));
    let written = write(trace, &mut create()?, format);
    if written.is_err() && path.is_file() {
        fs::remove_file(path).map_err(tit::WriteError::from)?;
    }
    Ok(written?)
}

fn write(trace: &Trace, out: &mut impl Write, format: Format) -> Result<(), tit::WriteError> {
    match format {
        Format::Binary => out.write_all(&binary::write(trace))?,
        Format::Tit => tit::write(trace, out)?,
        Format::Goal(speed) => goal::write(&trace.schedule(&vec![speed; trace.ranks()], Seconds::ZERO), out)?,
    }
    Ok(out.flush()?)
}
