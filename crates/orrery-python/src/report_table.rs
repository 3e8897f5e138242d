//! Tables of the report as columns.

use std::sync::Arc;

use orrery_report::{Align, Cell, Table as ReportTable};

use crate::arrow::{Bits, Column, Values, texts};
use crate::table::Table;

/// A table of the report. Its columns have the keys of JSON, and SI units.
pub(crate) fn table(table: ReportTable) -> Table {
    let table = Arc::new(table);
    let of_html = Arc::clone(&table);
    Table::new("rows", move || columns(&table), move || orrery_report::notebook::table(&of_html))
}

/// The columns of a table of the report.
pub(crate) fn columns(table: &ReportTable) -> Vec<Arc<Column>> {
    let column = |(place, column): (usize, &orrery_report::Column)| {
        let cells: Vec<&Cell> = table.rows().iter().map(|row| &row[place]).collect();
        let is_number = column.align == Align::Right;
        of_cells(&column.key, &cells, is_number)
    };
    table.columns().iter().enumerate().map(column).map(Arc::new).collect()
}

/// The column of some cells, which is of lists, records, texts, flags, numbers or whole numbers:
/// the first of these that a cell has. `is_number` decides between numbers and texts if no cell has
/// a value.
fn of_cells(name: &str, cells: &[&Cell], is_number: bool) -> Column {
    let has = |is_kind: fn(&Cell) -> bool| cells.iter().any(|cell| is_kind(cell));
    let is_null = |cell: &&Cell| matches!(cell, Cell::Null);
    if cells.iter().all(is_null) {
        let none = vec![f64::NAN; cells.len()];
        return if is_number {
            Column::floats(name, none)
        } else {
            texts::<&str>(name, cells.iter().map(|_| None))
        };
    }
    if has(|cell| matches!(cell, Cell::List(_))) {
        return lists(name, cells);
    }
    if has(|cell| matches!(cell, Cell::Record { .. })) {
        return records(name, cells);
    }
    if has(|cell| matches!(cell, Cell::Text(_))) {
        return texts(
            name,
            cells.iter().map(|cell| (!matches!(cell, Cell::Null)).then(|| cell.display())),
        );
    }
    if has(|cell| matches!(cell, Cell::Flag(_))) {
        let flags = cells.iter().map(|cell| matches!(cell, Cell::Flag(true))).collect();
        return Column { present: present(cells), ..Column::flags(name, flags) };
    }
    if has(|cell| matches!(cell, Cell::Number { .. })) {
        return Column::floats(name, cells.iter().map(|cell| number(cell)).collect());
    }
    let whole: Vec<Option<i64>> = cells.iter().map(|cell| integer(cell)).collect();
    Column::optional_integers(name, &whole)
}

/// The bits of cells that have a value; `None` if all have.
fn present(cells: &[&Cell]) -> Option<Bits> {
    let bits: Bits = cells.iter().map(|cell| !matches!(cell, Cell::Null)).collect();
    (bits.zeros() > 0).then_some(bits)
}

/// The whole number of a cell; `None` if it has none.
fn integer(cell: &Cell) -> Option<i64> {
    match cell {
        Cell::Integer(value) => Some(*value as i64),
        Cell::Size(size) => Some(size.get() as i64),
        _ => None,
    }
}

/// The number of a cell; not-a-number if it has none.
fn number(cell: &Cell) -> f64 {
    match cell {
        Cell::Number { value, .. } => *value,
        _ => integer(cell).map_or(f64::NAN, |value| value as f64),
    }
}

/// A column of lists; a cell that is no list is a list with one element.
fn lists(name: &str, cells: &[&Cell]) -> Column {
    let (mut offsets, mut elements) = (vec![0], Vec::new());
    for cell in cells {
        match cell {
            Cell::List(own) => elements.extend(own),
            Cell::Null => {}
            other => elements.push(other),
        }
        offsets.push(elements.len() as i64);
    }
    let elements = Arc::new(of_cells("item", &elements, false));
    Column {
        name: name.into(),
        length: cells.len(),
        values: Values::Lists { offsets, elements },
        present: present(cells),
    }
}

/// A column of records with the fields of all of them, in the order of their first occurrence;
/// fields that a record does not have are missing there.
fn records(name: &str, cells: &[&Cell]) -> Column {
    let fields_of = |cell: &Cell| match cell {
        Cell::Record { fields, .. } => fields.clone(),
        _ => Vec::new(),
    };
    let mut names: Vec<&'static str> = Vec::new();
    for (name, _) in cells.iter().flat_map(|cell| fields_of(cell)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let field = |name: &&'static str| {
        let of_cell = |cell: &&Cell| {
            let found = fields_of(cell).into_iter().find(|(other, _)| other == name);
            found.map_or(Cell::Null, |(_, value)| value)
        };
        let own: Vec<Cell> = cells.iter().map(of_cell).collect();
        Arc::new(of_cells(name, &own.iter().collect::<Vec<_>>(), false))
    };
    let fields = names.iter().map(field).collect();
    Column {
        name: name.into(),
        length: cells.len(),
        values: Values::Records(fields),
        present: present(cells),
    }
}
