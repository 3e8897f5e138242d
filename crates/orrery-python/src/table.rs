//! Tables: what every result is, for pandas, Polars, PyArrow and notebooks.

use std::sync::{Arc, LazyLock};

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::arrow::{self, Column, Values};
use crate::column::TableColumn;

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
    /// A table of these columns, which are made when they are needed, as is its HTML.
    pub(crate) fn new(
        name: &'static str,
        columns: impl FnOnce() -> Vec<Arc<Column>> + Send + 'static,
        html: impl FnOnce() -> String + Send + 'static,
    ) -> Self {
        let records = move || {
            let fields = columns();
            let length = fields.first().map_or(0, |field| field.length);
            Arc::new(Column {
                name: name.to_owned(),
                values: Values::Records(fields),
                length,
                present: None,
            })
        };
        Self { records: LazyLock::new(Box::new(records)), html: LazyLock::new(Box::new(html)) }
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
            let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            PyKeyError::new_err(format!(
                "there is no column {name:?}; there are {}",
                names.join(", ")
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
