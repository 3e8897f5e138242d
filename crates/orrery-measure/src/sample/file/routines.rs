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
//! use orrery_measure::sample::{RoutineTimings, file::parse_table};
//! let text = "# format: orrery-routines 1\nroutine,m,n,k,block,rows,columns,seconds\npdgemm,256,256,256,64,2,2,0.00213\n";
//! let loaded = parse_table::<RoutineTimings>(text, "by-hand.csv")?;
//! assert_eq!(loaded.samples.readings[0].call.grid().processes(), 4);
//! # Ok::<(), orrery_base::file::FileError>(())
//! ```

use super::layout::{NUMBER, Row, Table};
use super::suspicious_rows::RowTime;
use crate::sample::{Provenance, RedistributionReading, RoutineReading, RoutineTimings};
use orrery_base::file::{Fault, FileKind};
use orrery_base::units::Seconds;
use orrery_program::kernel::Precision;
use orrery_program::routine::{Grid, RedistributionCall, Routine, RoutineCall};

impl Table for RoutineTimings {
    const COLUMNS: &'static str =
        "routine,variant,m,n,k,block,rows,columns,to_rows,to_columns,to_block,launch,rep,seconds";
    const FILE: &'static str = "routine timings file";
    const FORMAT: &'static str = "orrery-routines 1";
    const EXAMPLE: &'static str = "routine,m,n,k,block,rows,columns,seconds";
    const KIND: FileKind = FileKind::Routines;
    const REQUIRED: &'static str = "routine,block,rows,columns,seconds";
    const REPETITION: &'static str = "rep";

    fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    fn provenance_mut(&mut self) -> &mut Provenance {
        &mut self.provenance
    }

    fn push(&mut self, row: Row) -> Result<RowTime, Fault> {
        match read(row)? {
            RoutineRow::Reading(reading) => self.readings.push(reading),
            RoutineRow::Redistribution(reading) => self.redistributions.push(reading),
            RoutineRow::Other(name) => *self.others.entry(name).or_default() += 1,
        }
        Ok(RowTime::None)
    }
}

/// The content of a row.
enum RoutineRow {
    /// A reading.
    Reading(RoutineReading),
    /// A reading of a redistribution.
    Redistribution(RedistributionReading),
    /// A routine that has no program, by its name.
    Other(String),
}

/// Parses a row: a reading, or the name of a routine that is unknown.
fn read(row: Row) -> Result<RoutineRow, Fault> {
    let name = row.text("routine");
    let Ok(routine) = name.parse::<Routine>() else {
        if name.is_empty() {
            return Err(row.invalid("routine", "the name of a routine, such as pdgemm"));
        }
        if let Some(precision) = RedistributionCall::precision_of(name) {
            return redistribution(row, precision);
        }
        return Ok(RoutineRow::Other(name.to_owned()));
    };
    let dimensions = row.dimensions(routine.kind.dimensions())?;
    let variant = Some(row.text("variant")).filter(|variant| !variant.is_empty());
    let variant = variant.unwrap_or(routine.kind.variants()[0]);
    let grid = grid(row)?;
    let call = RoutineCall::new(routine, variant, dimensions, grid);
    let call = call.map_err(|error| row.at("routine", Fault::new(error)))?;
    let (launch, rep, seconds) = reading(row)?;
    Ok(RoutineRow::Reading(RoutineReading { call, launch, rep, seconds }))
}

/// Parses a row of a redistribution.
fn redistribution(row: Row, precision: Precision) -> Result<RoutineRow, Fault> {
    let [m, n, _] = row.dimensions([true, true, false])?;
    let from = grid(row)?;
    let to = Grid {
        rows: row.required("to_rows", NUMBER)?,
        columns: row.required("to_columns", NUMBER)?,
        block: row.optional("to_block", NUMBER)?.unwrap_or(from.block),
    };
    let call = RedistributionCall::new(precision, [m, n], from, to);
    let call = call.map_err(|error| row.at("routine", Fault::new(error)))?;
    let (launch, rep, seconds) = reading(row)?;
    Ok(RoutineRow::Redistribution(RedistributionReading { call, launch, rep, seconds }))
}

/// The grid of a row.
fn grid(row: Row) -> Result<Grid, Fault> {
    Ok(Grid {
        rows: row.required("rows", NUMBER)?,
        columns: row.required("columns", NUMBER)?,
        block: row.required("block", NUMBER)?,
    })
}

/// The launch, the repetition and the time of a row.
fn reading(row: Row) -> Result<(u32, u32, Seconds), Fault> {
    let seconds = row.required_time("seconds")?;
    Ok((row.number("launch")?, row.number("rep")?, seconds))
}
