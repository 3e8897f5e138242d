//! Columns of tables, which NumPy views and Arrow consumers read without copies.

#![allow(unsafe_code, reason = "the buffer protocol consists of pointers")]

use std::ffi::{CStr, c_int, c_void};
use std::sync::Arc;

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList, PyTuple};

use crate::arrow::{self, Bits, Column, Values};

/// A column of a table. Numbers have the buffer protocol, so that `numpy.asarray(column)` is a view
/// of them; all types have the methods of the Arrow PyCapsule interface.
#[pyclass(frozen, module = "orrery", name = "Column")]
pub(crate) struct TableColumn {
    column: Arc<Column>,
    /// The shape of its buffer.
    shape: [ffi::Py_ssize_t; 1],
}

/// The distance of two numbers in bytes.
static STRIDES: [ffi::Py_ssize_t; 1] = [8];

impl TableColumn {
    /// A column.
    pub(crate) fn new(column: Arc<Column>) -> Self {
        Self { shape: [column.length as ffi::Py_ssize_t], column }
    }

    /// The numbers for the buffer protocol: where they are, and their type. An exception for
    /// columns of other values, and of whole numbers of which some are missing.
    fn numbers(&self) -> PyResult<(*const c_void, &'static CStr)> {
        match &self.column.values {
            Values::Floats(values) => Ok((values.as_ptr().cast(), c"d")),
            Values::Integers(values) if self.column.present.is_none() => {
                Ok((values.as_ptr().cast(), c"q"))
            }
            _ => Err(PyBufferError::new_err(format!(
                "the column {:?} is no column of numbers without missing ones; use to_list() or an \
                    Arrow consumer",
                self.column.name
            ))),
        }
    }

    /// A NumPy array that is a view of the numbers; an exception without NumPy.
    pub(crate) fn array(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        py.import("numpy")?.call_method1("asarray", (Bound::new(py, self)?,))
    }
}

#[pymethods]
impl TableColumn {
    /// The name.
    #[getter]
    fn name(&self) -> &str {
        &self.column.name
    }

    /// The number of missing values.
    #[getter]
    fn null_count(&self) -> usize {
        self.column.missing()
    }

    /// The values as a list; missing ones are None.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let values = (0..self.column.length).map(|place| value(py, &self.column, place));
        PyList::new(py, values.collect::<PyResult<Vec<_>>>()?)
    }

    fn __len__(&self) -> usize {
        self.column.length
    }

    fn __repr__(&self) -> String {
        format!("<orrery.Column {:?} of {} values>", self.column.name, self.column.length)
    }

    /// The type, by the Arrow PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::schema_capsule(py, &self.column)
    }

    /// The type and the values, by the Arrow PyCapsule interface. A requested type is not taken
    /// into account.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        arrow::array_capsules(py, &self.column)
    }

    /// Fills a view of the numbers, which cannot be written to.
    ///
    /// # Safety
    ///
    /// The interpreter passes a view to fill.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("there is no view to fill"));
        }
        if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
            return Err(PyBufferError::new_err("a column cannot be written to; copy it"));
        }
        let own = slf.get();
        let (numbers, format) = own.numbers()?;
        let wants = |flag: c_int| flags & flag == flag;
        // SAFETY: the view is valid memory. Numbers and shape live as long as the column, which the
        // view holds a reference to, and strides and format are static; nobody writes through these
        // pointers, since the view is read-only.
        unsafe {
            (*view).buf = numbers.cast_mut();
            (*view).len = own.shape[0] * STRIDES[0];
            (*view).readonly = 1;
            (*view).itemsize = STRIDES[0];
            (*view).format = if wants(ffi::PyBUF_FORMAT) {
                format.as_ptr().cast_mut()
            } else {
                std::ptr::null_mut()
            };
            (*view).ndim = 1;
            (*view).shape = if wants(ffi::PyBUF_ND) {
                own.shape.as_ptr().cast_mut()
            } else {
                std::ptr::null_mut()
            };
            (*view).strides = if wants(ffi::PyBUF_STRIDES) {
                STRIDES.as_ptr().cast_mut()
            } else {
                std::ptr::null_mut()
            };
            (*view).suboffsets = std::ptr::null_mut();
            (*view).internal = std::ptr::null_mut();
            (*view).obj = slf.into_any().into_ptr();
        }
        Ok(())
    }
}

/// A value of a column; None if it is missing.
fn value<'py>(py: Python<'py>, column: &Column, place: usize) -> PyResult<Bound<'py, PyAny>> {
    let is_present = column.present.as_ref().is_none_or(|bits| Bits::get(bits, place));
    if !is_present {
        return Ok(py.None().into_bound(py));
    }
    match &column.values {
        Values::Floats(values) => Ok(values[place].into_pyobject(py)?.into_any()),
        Values::Integers(values) => Ok(values[place].into_pyobject(py)?.into_any()),
        Values::Flags(bits) => Ok(bits.get(place).into_pyobject(py)?.to_owned().into_any()),
        Values::Texts { offsets, bytes } => {
            let text = &bytes[offsets[place] as usize..offsets[place + 1] as usize];
            Ok(String::from_utf8_lossy(text).into_pyobject(py)?.into_any())
        }
        Values::Lists { offsets, elements } => {
            let places = offsets[place] as usize..offsets[place + 1] as usize;
            let values =
                places.map(|place| value(py, elements, place)).collect::<PyResult<Vec<_>>>()?;
            Ok(PyList::new(py, values)?.into_any())
        }
        Values::Records(fields) => {
            let record = pyo3::types::PyDict::new(py);
            for field in fields {
                record.set_item(&field.name, value(py, field, place)?)?;
            }
            Ok(record.into_any())
        }
    }
}
