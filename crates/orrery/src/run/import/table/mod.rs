//! Tables: CSV with a line of column names, one row for each run, or one for each rank of each run.

mod columns;
mod ranks;
mod row;

use super::lines::lines;
use super::{ColumnMapping, Fault, Read, Refused, Result};
use crate::run::Configuration;
use crate::sample::file::table;
use columns::Columns;
use row::Row;

/// Reads a table. The configuration is that of all runs, of which a rank without kind has the only kind.
pub(super) fn read(text: &str, map: &ColumnMapping, configuration: &Configuration) -> Result<Read> {
    let mut columns: Option<Columns> = None;
    let mut rows: Vec<Row> = Vec::new();
    for (start, line, _) in lines(text) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let fields = table::split(line).map_err(|(at, fault)| Refused { byte: start + at, fault: fault.into() })?;
        let Some(columns) = &columns else {
            let names = fields.iter().map(|field| field.text.to_string()).collect();
            columns = Some(Columns::new(names, map).map_err(|fault| Refused { byte: start, fault })?);
            continue;
        };
        if fields.len() != columns.names.len() {
            let (found, expected) = (fields.len(), columns.names.len());
            return Err(Refused { byte: start, fault: Fault::Fields { found, expected } });
        }
        rows.push(Row::read(&fields, columns, start)?);
    }
    let kind = if let [share] = &configuration.shares[..] { share.kind.as_str() } else { "" };
    let by_rank = columns.is_some_and(|columns| columns.by_rank());
    let runs = if by_rank { ranks::together(rows, kind)? } else { rows.into_iter().map(|row| row.run(kind)).collect() };
    Ok(Read { runs, remarks: Vec::new() })
}
