use std::path::PathBuf;

use super::format::ImportFormat;
use orrery_base::file::{Fault, FaultKind, FileError};
use orrery_base::names::advice;

/// The reason why runs cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file that cannot be read, or a fault in its content.
    #[error(transparent)]
    File(#[from] FileError),
    /// A text in an unknown format.
    #[error(
        "{}: the format is not recognised; formats are output of HPL, files of Extra-P, profiles \
            of Score-P, Caliper and Hatchet, runs files, and tables: a line of column names and a \
            row for each run", path.display()
    )]
    Unknown {
        /// The file.
        path: PathBuf,
    },
    /// A text without runs.
    #[error("{}: no run is found{}", path.display(), match .format {
        ImportFormat::Hpl => ": no line such as \"WR11C2R4  9600  64  1  4  12.34  4.7829e+01\"; \
            give the output of a whole benchmark",
        ImportFormat::Csv => " below the column names; add a row for each run",
        _ => "; give a file with times of regions",
    })]
    Nothing {
        /// The file.
        path: PathBuf,
        /// The format.
        format: ImportFormat,
    },
    /// The metric that is the time is not chosen, or does not occur.
    #[error(transparent)]
    Metric(Fault),
}

/// A binary file, or text in another encoding.
pub(super) fn not_text() -> Fault {
    Fault::new("this is not text in UTF-8; convert the file, or name another one")
        .of_kind(FaultKind::NotText)
}

/// A mapped column that is missing.
pub(super) fn column(column: &str, known: &[String]) -> Fault {
    let advice = advice(column, "columns", known);
    Fault::new(format!("the column {column:?} is missing; {advice}")).of_kind(FaultKind::Mapping)
}

/// A name that occurs twice.
pub(super) fn twice(item: &str, name: &str) -> Fault {
    Fault::new(format!("{item} {name:?} occurs twice; rename or remove one of them"))
}

/// A wrong point.
pub(super) fn point(found: &str, parameters: usize) -> Fault {
    let found: String = found.chars().take(40).collect();
    Fault::new(format!(
        "{found:?} is not a point of {parameters} parameters; write POINTS {}",
        if parameters > 1 { "( 4 100 ) ( 8 100 )" } else { "4 8 16" }
    ))
}

/// A missing field.
pub(super) fn short(run: &str, column: &str) -> Fault {
    Fault::new(format!("run {run}: the row has no {column:?}; add it or remove the row"))
}

/// A line of Extra-P without times.
pub(super) fn no_values(run: &str) -> Fault {
    Fault::new(format!(
        "run {run}: the DATA line has no values; write the times of its point after DATA, such as \
         DATA 1.5 1.6"
    ))
}

/// A wrong value.
pub(super) fn value(run: &str, column: &str, found: &str, expected: &str) -> Fault {
    Fault::new(format!(
        "run {run}: {column:?} is {found:?}, not {expected}; correct it or remove \
        the run"
    ))
}

/// A text that ends within a run.
pub(super) fn truncated(run: &str) -> Fault {
    Fault::new(format!(
        "run {run}: the file ends within this run; remove its lines to import the \
        runs above, or give the whole output"
    ))
}

/// A table without a time.
pub(super) fn no_time(known: &[String]) -> Fault {
    Fault::new(format!(
        "no column is the time, by its name or by a mapping; map one as \
        seconds=COLUMN (or milliseconds=COLUMN), or a rate with its work as rate:2*n^3=COLUMN; \
        columns are {}",
        known.join(", ")
    ))
    .of_kind(FaultKind::Mapping)
}
