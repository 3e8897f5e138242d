//! The memory and the work that inputs and questions may request.

use orrery::units::Bytes;
use pyo3::prelude::*;

use crate::argument;

/// Sets the memory in bytes that a number in an input, or the number of answers to a question, may
/// request from now on; 0 for the default, at least 512 MiB.
#[pyfunction]
pub(crate) fn limit_memory(bytes: i64) -> PyResult<()> {
    orrery::budget::limit_memory(Bytes::new(argument::whole("bytes", bytes)?));
    Ok(())
}

/// Sets the operations that a number in an input or an argument may request from now on; 0 for the
/// default, at least 10,000,000.
#[pyfunction]
pub(crate) fn limit_operations(operations: i64) -> PyResult<()> {
    orrery::budget::limit_operations(argument::whole("operations", operations)?);
    Ok(())
}
