//! The routine timings file: times of calls of parallel routines, as CSV in the style of the
//! samples file.
//!
//! ```text
//! # format: orrery-routines 1
//! routine,variant,m,n,k,block,rows,columns,to_rows,to_columns,launch,rep,seconds
//! pdgemm,nn,256,256,256,64,2,2,,,0,0,0.00213
//! ```
//!
//! Columns are found by name, in any order; comments and unknown columns are ignored. Without a
//! variant, calls are of the first one of the routine; dimensions that the routine does not have
//! are empty. A redistribution has a second grid. Rows of routines that have no program are counted
//! only.
//!
//! ```
//! use orrery_measure::sample::file::routines;
//! let text = "# format: orrery-routines 1\nroutine,m,n,k,block,rows,columns,seconds\npdgemm,256,256,256,64,2,2,0.00213\n";
//! let loaded = routines::parse(text, "by-hand.csv")?;
//! assert_eq!(loaded.timings.readings[0].call.grid().processes(), 4);
//! # Ok::<(), orrery_base::file::FileError>(())
//! ```

mod row;

use std::path::Path;

use super::Warning;
use super::suspicious_rows::RowTime;
use super::table::{self, Table};
use super::table_file::content_of;
use crate::sample::{Provenance, RoutineTimings};
use orrery_base::file::{self, Fault, FileError, FileKind};
use row::{RoutineColumn, RoutineRow};

/// The content of a routine timings file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadedRoutines {
    /// The readings with their provenance.
    pub timings: RoutineTimings,
    /// Defects that do not prevent the use of the file.
    pub warnings: Vec<Warning>,
}

/// Reads a routine timings file.
///
/// # Errors
///
/// Returns an error if the file cannot be read, and the errors of [`parse`].
pub fn read(path: impl AsRef<Path>) -> Result<LoadedRoutines, FileError> {
    let path = path.as_ref();
    parse(file::read(path, RoutineTimings::FILE)?, path)
}

/// Reads the content of a routine timings file; `name` is its name in errors and warnings.
///
/// A last line without line break may be incomplete: it is ignored with a warning.
///
/// # Errors
///
/// Returns the first other defect with its line and column.
pub fn parse(
    content: impl AsRef<[u8]>,
    name: impl AsRef<Path>,
) -> Result<LoadedRoutines, FileError> {
    let content = content_of(content.as_ref(), name.as_ref())?;
    Ok(LoadedRoutines { timings: content.table, warnings: content.warnings })
}

impl Table for RoutineTimings {
    type Column = RoutineColumn;
    const FILE: &'static str = "routine timings file";
    const FORMAT: &'static str = "orrery-routines 1";
    const EXAMPLE: &'static str = "routine,m,n,k,block,rows,columns,seconds";
    const KIND: FileKind = FileKind::Routines;

    fn provenance(&mut self) -> &mut Provenance {
        &mut self.provenance
    }

    fn push(
        &mut self,
        row: table::Row<RoutineColumn>,
    ) -> Result<RowTime, (Option<RoutineColumn>, Fault)> {
        match row::read(row).map_err(|(column, fault)| (Some(column), fault))? {
            RoutineRow::Reading(reading) => self.readings.push(reading),
            RoutineRow::Redistribution(reading) => self.redistributions.push(reading),
            RoutineRow::Other(name) => *self.others.entry(name).or_default() += 1,
        }
        Ok(RowTime::None)
    }
}
