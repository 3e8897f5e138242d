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

use super::layout::{NUMBER, Row, Table, columns};
use super::suspicious_rows::RowTime;
use crate::sample::{Provenance, RedistributionReading, RoutineReading, RoutineTimings};
use orrery_base::file::{Fault, FileKind};
use orrery_base::units::Seconds;
use orrery_program::kernel::Precision;
use orrery_program::routine::{Grid, RedistributionCall, Routine, RoutineCall};

columns! {
    RoutineColumn:
    Routine "routine",
    Variant "variant",
    M "m",
    N "n",
    K "k",
    Block "block",
    Rows "rows",
    Columns "columns",
    ToRows "to_rows",
    ToColumns "to_columns",
    ToBlock "to_block",
    Launch "launch",
    Rep "rep",
    Seconds "seconds",
}

impl Table for RoutineTimings {
    type Column = RoutineColumn;
    const FILE: &'static str = "routine timings file";
    const FORMAT: &'static str = "orrery-routines 1";
    const EXAMPLE: &'static str = "routine,m,n,k,block,rows,columns,seconds";
    const KIND: FileKind = FileKind::Routines;
    const REQUIRED: &'static [RoutineColumn] = &[
        RoutineColumn::Routine,
        RoutineColumn::Block,
        RoutineColumn::Rows,
        RoutineColumn::Columns,
        RoutineColumn::Seconds,
    ];
    const REPETITION: RoutineColumn = RoutineColumn::Rep;

    fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    fn provenance_mut(&mut self) -> &mut Provenance {
        &mut self.provenance
    }

    fn push(&mut self, row: Row<RoutineColumn>) -> Result<RowTime, Fault> {
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
fn read(row: Row<RoutineColumn>) -> Result<RoutineRow, Fault> {
    let name = row.text(RoutineColumn::Routine);
    let Ok(routine) = name.parse::<Routine>() else {
        if name.is_empty() {
            return Err(
                row.invalid(RoutineColumn::Routine, "the name of a routine, such as pdgemm")
            );
        }
        if let Some(precision) = RedistributionCall::precision_of(name) {
            return redistribution(row, precision);
        }
        return Ok(RoutineRow::Other(name.to_owned()));
    };
    let columns = [RoutineColumn::M, RoutineColumn::N, RoutineColumn::K];
    let dimensions = row.dimensions(columns, routine.kind.dimensions())?;
    let variant = Some(row.text(RoutineColumn::Variant)).filter(|variant| !variant.is_empty());
    let variant = variant.unwrap_or(routine.kind.variants()[0]);
    let grid = grid(row)?;
    let call = RoutineCall::new(routine, variant, dimensions, grid);
    let call = call.map_err(|error| row.at(RoutineColumn::Routine, Fault::new(error)))?;
    let (launch, rep, seconds) = reading(row)?;
    Ok(RoutineRow::Reading(RoutineReading { call, launch, rep, seconds }))
}

/// Parses a row of a redistribution.
fn redistribution(row: Row<RoutineColumn>, precision: Precision) -> Result<RoutineRow, Fault> {
    let columns = [RoutineColumn::M, RoutineColumn::N, RoutineColumn::K];
    let [m, n, _] = row.dimensions(columns, [true, true, false])?;
    let from = grid(row)?;
    let to = Grid {
        rows: row.required(RoutineColumn::ToRows, NUMBER)?,
        columns: row.required(RoutineColumn::ToColumns, NUMBER)?,
        block: row.optional(RoutineColumn::ToBlock, NUMBER)?.unwrap_or(from.block),
    };
    let call = RedistributionCall::new(precision, [m, n], from, to);
    let call = call.map_err(|error| row.at(RoutineColumn::Routine, Fault::new(error)))?;
    let (launch, rep, seconds) = reading(row)?;
    Ok(RoutineRow::Redistribution(RedistributionReading { call, launch, rep, seconds }))
}

/// The grid of a row.
fn grid(row: Row<RoutineColumn>) -> Result<Grid, Fault> {
    Ok(Grid {
        rows: row.required(RoutineColumn::Rows, NUMBER)?,
        columns: row.required(RoutineColumn::Columns, NUMBER)?,
        block: row.required(RoutineColumn::Block, NUMBER)?,
    })
}

/// The launch, the repetition and the time of a row.
fn reading(row: Row<RoutineColumn>) -> Result<(u32, u32, Seconds), Fault> {
    let seconds = row.required_time(RoutineColumn::Seconds)?;
    Ok((row.number(RoutineColumn::Launch)?, row.number(RoutineColumn::Rep)?, seconds))
}
