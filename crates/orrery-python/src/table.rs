//! Tables: what every result is, for pandas, Polars, PyArrow and notebooks; those of the report have
//! columns with the keys of JSON.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use orrery::sample::Provenance;
use orrery_report::{Align, Cell, Table as ReportTable};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::arrow::{self, Bits, Column, Values, texts};
use crate::column::TableColumn;
use orrery::names::nearest;

/// Makes the columns of a table when they are needed.
type Source<T> = LazyLock<T, Box<dyn FnOnce() -> T + Send>>;

/// A table, whose columns Arrow consumers read without copies: it has the methods of the Arrow
/// PyCapsule interface.
///
/// `table["seconds"]` is a column, `len(table)` the number of rows.
#[pyclass(subclass, frozen, module = "orrery", name = "Table")]
pub(crate) struct Table {
    /// The columns, as one column of records.
    records: Source<Arc<Column>>,
    /// The page of a notebook.
    html: Source<String>,
}

impl Table {
    /// A table of something shared; its columns and its HTML are made when they are needed.
    pub(crate) fn of<T: Send + Sync + 'static>(
        name: &'static str,
        shared: &Arc<T>,
        columns: impl FnOnce(&T) -> Vec<Arc<Column>> + Send + 'static,
        html: impl FnOnce(&T) -> String + Send + 'static,
    ) -> Self {
        let (of_columns, of_html) = (Arc::clone(shared), Arc::clone(shared));
        let records = move || {
            let fields = columns(&of_columns);
            let length = fields.first().map_or(0, |field| field.length);
            Arc::new(Column {
                name: name.to_owned(),
                values: Values::Records(fields),
                length,
                present: None,
            })
        };
        Self {
            records: LazyLock::new(Box::new(records)),
            html: LazyLock::new(Box::new(move || html(&of_html))),
        }
    }

    /// The columns, as one column of records. Other threads may make them at the same time, so that
    /// this one must not block them.
    fn records(&self, py: Python<'_>) -> &Arc<Column> {
        py.detach(|| LazyLock::force(&self.records))
    }

    /// The columns.
    pub(crate) fn fields(&self, py: Python<'_>) -> &[Arc<Column>] {
        match &self.records(py).values {
            Values::Records(fields) => fields,
            _ => &[],
        }
    }

    /// The column of a name; a `KeyError` if there is none.
    pub(crate) fn field(&self, py: Python<'_>, name: &str) -> PyResult<TableColumn> {
        let fields = self.fields(py);
        let found = fields.iter().find(|field| field.name == name);
        found.map(|field| TableColumn::new(Arc::clone(field))).ok_or_else(|| {
            // Columns are few: all are named.
            let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            let near = nearest(name, names.iter().copied());
            let near = near.map(|near| format!("did you mean {near:?}? ")).unwrap_or_default();
            let names = names.join(", ");
            PyKeyError::new_err(format!(
                "there is no column {name:?}; {near}the columns are {names}"
            ))
        })
    }
}

#[pymethods]
impl Table {
    /// The names of the columns.
    #[getter]
    fn column_names(&self, py: Python<'_>) -> Vec<String> {
        self.fields(py).iter().map(|field| field.name.clone()).collect()
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.records(py).length
    }

    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<TableColumn> {
        self.field(py, name)
    }

    /// The type, by the Arrow PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::schema_capsule(py, self.records(py))
    }

    /// The type and the rows, by the Arrow PyCapsule interface. A requested type is not taken into
    /// account.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        arrow::array_capsules(py, self.records(py))
    }

    /// The rows as a stream of one batch, by the Arrow PyCapsule interface. A requested type is not
    /// taken into account.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        arrow::stream_capsule(py, self.records(py))
    }

    /// The table, and its plots if it has some, for a notebook.
    fn _repr_html_(&self, py: Python<'_>) -> &str {
        py.detach(|| LazyLock::force(&self.html))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let table = slf.get();
        let (rows, names) = (table.records(slf.py()).length, table.column_names(slf.py()));
        Ok(format!("<orrery.{} of {rows} rows: {}>", slf.get_type().name()?, names.join(", ")))
    }
}

/// The entries of a provenance.
pub(crate) fn entries(provenance: &Provenance) -> BTreeMap<String, String> {
    provenance.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// A table of the report. Its columns have the keys of JSON, and SI units.
pub(crate) fn of_report(table: ReportTable) -> Table {
    Table::of("rows", &Arc::new(table), columns, orrery_report::notebook::table)
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
