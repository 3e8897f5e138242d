use crate::sample::file::table::{Column, Row};
use crate::sample::{RedistributionReading, RoutineReading};
use orrery_base::file::Fault;
use orrery_base::units::Seconds;
use orrery_program::kernel::Precision;
use orrery_program::routine::{Grid, RedistributionCall, Routine, RoutineCall};

/// The valid integers.
const NUMBER: &str = "an integer, such as 0";
/// The valid dimensions.
const DIMENSION: &str = "a number of rows or columns, such as 1000";
/// The valid times.
const TIME: &str = "a time in seconds, such as 0.0233 (finite, above 0)";

/// A column of a routine timings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sample::file) enum RoutineColumn {
    Routine,
    Variant,
    M,
    N,
    K,
    Block,
    Rows,
    Columns,
    ToRows,
    ToColumns,
    ToBlock,
    Launch,
    Rep,
    Seconds,
}

impl Column for RoutineColumn {
    const ALL: &'static [Self] = &[
        Self::Routine,
        Self::Variant,
        Self::M,
        Self::N,
        Self::K,
        Self::Block,
        Self::Rows,
        Self::Columns,
        Self::ToRows,
        Self::ToColumns,
        Self::ToBlock,
        Self::Launch,
        Self::Rep,
        Self::Seconds,
    ];

    const REQUIRED: &'static [Self] =
        &[Self::Routine, Self::Block, Self::Rows, Self::Columns, Self::Seconds];

    const REPETITION: Self = Self::Rep;

    fn name(self) -> &'static str {
        match self {
            Self::Routine => "routine",
            Self::Variant => "variant",
            Self::M => "m",
            Self::N => "n",
            Self::K => "k",
            Self::Block => "block",
            Self::Rows => "rows",
            Self::Columns => "columns",
            Self::ToRows => "to_rows",
            Self::ToColumns => "to_columns",
            Self::ToBlock => "to_block",
            Self::Launch => "launch",
            Self::Rep => "rep",
            Self::Seconds => "seconds",
        }
    }
}

/// The content of a row.
pub(super) enum RoutineRow {
    /// A reading.
    Reading(RoutineReading),
    /// A reading of a redistribution.
    Redistribution(RedistributionReading),
    /// A routine that has no program, by its name.
    Other(String),
}

/// A result whose error comes with its column.
type Located<T> = Result<T, (RoutineColumn, Fault)>;

pub(super) fn read(row: Row<RoutineColumn>) -> Located<RoutineRow> {
    let name = row.text(RoutineColumn::Routine);
    let Ok(routine) = name.parse::<Routine>() else {
        if name.is_empty() {
            return Err(
                row.invalid(RoutineColumn::Routine, "the name of a routine, such as pdgemm")
            );
        }
        if let Some(precision) = RedistributionCall::precision_of(name) {
            return redistribution(&row, precision);
        }
        return Ok(RoutineRow::Other(name.to_owned()));
    };
    let mut dimensions = [1; 3];
    let columns = [RoutineColumn::M, RoutineColumn::N, RoutineColumn::K];
    for ((dimension, exists), column) in
        dimensions.iter_mut().zip(routine.kind.dimensions()).zip(columns)
    {
        if exists {
            *dimension = row.required(column, DIMENSION)?;
        }
    }
    let variant = Some(row.text(RoutineColumn::Variant)).filter(|variant| !variant.is_empty());
    let variant = variant.unwrap_or(routine.kind.variants()[0]);
    let grid = grid(&row)?;
    let call = RoutineCall::new(routine, variant, dimensions, grid);
    let call = call.map_err(|error| (RoutineColumn::Routine, Fault::new(error)))?;
    let (launch, rep, seconds) = reading(&row)?;
    Ok(RoutineRow::Reading(RoutineReading { call, launch, rep, seconds }))
}

/// Parses a row of a redistribution.
fn redistribution(row: &Row<RoutineColumn>, precision: Precision) -> Located<RoutineRow> {
    let dimensions =
        [row.required(RoutineColumn::M, DIMENSION)?, row.required(RoutineColumn::N, DIMENSION)?];
    let from = grid(row)?;
    let to = Grid {
        rows: row.required(RoutineColumn::ToRows, NUMBER)?,
        columns: row.required(RoutineColumn::ToColumns, NUMBER)?,
        block: row.optional(RoutineColumn::ToBlock, NUMBER)?.unwrap_or(from.block),
    };
    let call = RedistributionCall::new(precision, dimensions, from, to);
    let call = call.map_err(|error| (RoutineColumn::Routine, Fault::new(error)))?;
    let (launch, rep, seconds) = reading(row)?;
    Ok(RoutineRow::Redistribution(RedistributionReading { call, launch, rep, seconds }))
}

/// The grid of a row.
fn grid(row: &Row<RoutineColumn>) -> Located<Grid> {
    Ok(Grid {
        rows: row.required(RoutineColumn::Rows, NUMBER)?,
        columns: row.required(RoutineColumn::Columns, NUMBER)?,
        block: row.required(RoutineColumn::Block, NUMBER)?,
    })
}

/// The launch, the repetition and the time of a row.
fn reading(row: &Row<RoutineColumn>) -> Located<(u32, u32, Seconds)> {
    let launch = row.optional(RoutineColumn::Launch, NUMBER)?.unwrap_or(0);
    let rep = row.optional(RoutineColumn::Rep, NUMBER)?.unwrap_or(0);
    let seconds: f64 = row.required(RoutineColumn::Seconds, TIME)?;
    if !(seconds.is_finite() && seconds > 0.0) {
        return Err(row.invalid(RoutineColumn::Seconds, TIME));
    }
    Ok((launch, rep, Seconds::new(seconds)))
}
