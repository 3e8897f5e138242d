//! Export of columns by capsules: consumers read the memory of the columns, which live as long as a
//! consumer needs them.
//!
//! Source: Apache Arrow, "The Arrow C data interface" and "The Arrow C stream interface".

#![allow(unsafe_code, reason = "the Arrow C data interface consists of pointers")]

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use super::{Column, Values};

// SAFETY: the pointers of an exported schema lead to memory that it owns and nobody changes.
unsafe impl Send for ArrowSchema {}
// SAFETY: the pointers of an exported array lead to memory that it owns or shares, and nobody
// changes.
unsafe impl Send for ArrowArray {}
// SAFETY: as above.
unsafe impl Send for ArrowArrayStream {}

/// What an exported schema owns.
struct SchemaData {
    _name: CString,
    children: Box<[*mut ArrowSchema]>,
}

/// What an exported array owns, and the column whose memory it shares.
struct ArrayData {
    _column: Arc<Column>,
    buffers: Box<[*const c_void]>,
    children: Box<[*mut ArrowArray]>,
}

/// A stream of one array: the column, until it has been read.
struct StreamData {
    column: Arc<Column>,
    is_read: bool,
}

impl ArrowSchema {
    /// The type of a column.
    fn of(column: &Column) -> Self {
        let children = column
            .children()
            .iter()
            .map(|child| Box::into_raw(Box::new(Self::of(child))))
            .collect();
        // A name with a byte 0 cannot be exported as it is.
        let name = CString::new(column.name.replace('\0', "?")).unwrap_or_default();
        let pointer = name.as_ptr();
        let data = Box::leak(Box::new(SchemaData { _name: name, children }));
        Self {
            format: column.format().as_ptr(),
            name: pointer,
            metadata: null(),
            flags: NULLABLE,
            n_children: data.children.len() as i64,
            children: data.children.as_mut_ptr(),
            dictionary: null_mut(),
            release: Some(release_schema),
            private_data: std::ptr::from_mut(data).cast(),
        }
    }
}

impl ArrowArray {
    /// The values of a column, whose memory is shared.
    fn of(column: &Arc<Column>) -> Self {
        let present = column.present.as_ref().map_or(null(), |bits| bits.bytes().as_ptr().cast());
        let buffers: Vec<*const c_void> = match &column.values {
            Values::Floats(values) => vec![present, values.as_ptr().cast()],
            Values::Integers(values) => vec![present, values.as_ptr().cast()],
            Values::Flags(bits) => vec![present, bits.bytes().as_ptr().cast()],
            Values::Texts { offsets, bytes } => {
                vec![present, offsets.as_ptr().cast(), bytes.as_ptr().cast()]
            }
            Values::Lists { offsets, .. } => vec![present, offsets.as_ptr().cast()],
            Values::Records(_) => vec![present],
        };
        let children = column
            .children()
            .iter()
            .map(|child| Box::into_raw(Box::new(Self::of(child))))
            .collect();
        let data = ArrayData { _column: Arc::clone(column), buffers: buffers.into(), children };
        let data = Box::leak(Box::new(data));
        Self {
            length: column.length as i64,
            null_count: column.missing() as i64,
            offset: 0,
            n_buffers: data.buffers.len() as i64,
            n_children: data.children.len() as i64,
            buffers: data.buffers.as_mut_ptr(),
            children: data.children.as_mut_ptr(),
            dictionary: null_mut(),
            release: Some(release_array),
            private_data: std::ptr::from_mut(data).cast(),
        }
    }
}

/// Releases a schema with its children.
unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: the consumer passes a schema that it has not released.
    let schema = unsafe { &mut *schema };
    // SAFETY: `ArrowSchema::of` leaked the data, and a schema is released once.
    let data = unsafe { Box::from_raw(schema.private_data.cast::<SchemaData>()) };
    for child in data.children {
        // SAFETY: `ArrowSchema::of` leaked each child; a consumer that moved one out has set its
        // `release` to null.
        drop(unsafe { Box::from_raw(child) });
    }
    schema.release = None;
}

/// Releases an array with its children.
unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: the consumer passes an array that it has not released.
    let array = unsafe { &mut *array };
    // SAFETY: `ArrowArray::of` leaked the data, and an array is released once.
    let data = unsafe { Box::from_raw(array.private_data.cast::<ArrayData>()) };
    for child in data.children {
        // SAFETY: `ArrowArray::of` leaked each child; a consumer that moved one out has set its
        // `release` to null.
        drop(unsafe { Box::from_raw(child) });
    }
    array.release = None;
}

/// Releases a stream.
unsafe extern "C" fn release_stream(stream: *mut ArrowArrayStream) {
    // SAFETY: the consumer passes a stream that it has not released.
    let stream = unsafe { &mut *stream };
    // SAFETY: `stream_capsule` leaked the data, and a stream is released once.
    drop(unsafe { Box::from_raw(stream.private_data.cast::<StreamData>()) });
    stream.release = None;
}

/// Writes the type of a stream; returns 0, because it cannot fail.
unsafe extern "C" fn stream_schema(stream: *mut ArrowArrayStream, out: *mut ArrowSchema) -> c_int {
    // SAFETY: the consumer passes a stream that it has not released, and memory for a schema.
    unsafe {
        let data = &*(*stream).private_data.cast::<StreamData>();
        out.write(ArrowSchema::of(&data.column));
    }
    0
}

/// Writes the array of a stream, in later calls a released one, which is the end; returns 0,
/// because it cannot fail.
unsafe extern "C" fn stream_next(stream: *mut ArrowArrayStream, out: *mut ArrowArray) -> c_int {
    // SAFETY: the consumer passes a stream that it has not released, and memory for an array.
    unsafe {
        let data = &mut *(*stream).private_data.cast::<StreamData>();
        if std::mem::replace(&mut data.is_read, true) {
            (&raw mut (*out).release).write(None);
        } else {
            out.write(ArrowArray::of(&data.column));
        }
    }
    0
}

/// The message of the last error of a stream: there is none.
unsafe extern "C" fn stream_error(_: *mut ArrowArrayStream) -> *const c_char {
    null()
}

impl Drop for ArrowSchema {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: it has not been released.
            unsafe { release(self) };
        }
    }
}

impl Drop for ArrowArray {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: it has not been released.
            unsafe { release(self) };
        }
    }
}

impl Drop for ArrowArrayStream {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: it has not been released.
            unsafe { release(self) };
        }
    }
}

/// The capsule of the type of a column.
pub(crate) fn schema_capsule<'py>(
    py: Python<'py>,
    column: &Column,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, ArrowSchema::of(column), c"arrow_schema")
}

/// The capsules of the type and the values of a column.
pub(crate) fn array_capsules<'py>(
    py: Python<'py>,
    column: &Arc<Column>,
) -> PyResult<Bound<'py, PyTuple>> {
    let array = PyCapsule::new_with_value(py, ArrowArray::of(column), c"arrow_array")?;
    PyTuple::new(py, [schema_capsule(py, column)?, array])
}

/// The capsule of a stream of one array.
pub(crate) fn stream_capsule<'py>(
    py: Python<'py>,
    column: &Arc<Column>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let data = Box::new(StreamData { column: Arc::clone(column), is_read: false });
    let stream = ArrowArrayStream {
        get_schema: Some(stream_schema),
        get_next: Some(stream_next),
        get_last_error: Some(stream_error),
        release: Some(release_stream),
        private_data: Box::into_raw(data).cast(),
    };
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// The flag of a column that may have missing values.
pub(super) const NULLABLE: i64 = 2;

/// The type of a column.
#[repr(C)]
pub(super) struct ArrowSchema {
    pub format: *const c_char,
    pub name: *const c_char,
    pub metadata: *const c_char,
    pub flags: i64,
    pub n_children: i64,
    pub children: *mut *mut ArrowSchema,
    pub dictionary: *mut ArrowSchema,
    pub release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    pub private_data: *mut c_void,
}

/// The values of a column.
#[repr(C)]
pub(super) struct ArrowArray {
    pub length: i64,
    pub null_count: i64,
    pub offset: i64,
    pub n_buffers: i64,
    pub n_children: i64,
    pub buffers: *mut *const c_void,
    pub children: *mut *mut ArrowArray,
    pub dictionary: *mut ArrowArray,
    pub release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    pub private_data: *mut c_void,
}

/// A sequence of arrays of one type.
#[repr(C)]
pub(super) struct ArrowArrayStream {
    pub get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    pub get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    pub get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    pub release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    pub private_data: *mut c_void,
}
