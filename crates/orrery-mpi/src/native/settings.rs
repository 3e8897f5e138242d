//! Values of control variables that hold while a library is forced to use an algorithm.

use std::ffi::c_int;

use crate::MpiError;
use crate::calls::ControlVariable;

/// Values of control variables, not yet written.
#[derive(Debug, Default)]
pub(super) struct Settings(Vec<(ControlVariable, c_int)>);

/// Values of control variables that have been written.
#[derive(Debug)]
pub(super) struct Applied {
    /// Each variable with its value before.
    previous: Vec<(ControlVariable, c_int)>,
}

impl Settings {
    /// Adds a value of a variable.
    pub fn add(&mut self, variable: ControlVariable, value: c_int) {
        self.0.push((variable, value));
    }

    /// Frees the variables without writing their values.
    pub fn free(self) -> Result<(), MpiError> {
        self.0.into_iter().try_for_each(|(variable, _)| variable.free())
    }

    /// Writes the values; the result restores those of before.
    pub fn apply(self) -> Result<Applied, MpiError> {
        let mut previous = Vec::with_capacity(self.0.len());
        for (variable, value) in self.0 {
            let before = variable.read()?;
            variable.write(value)?;
            previous.push((variable, before));
        }
        Ok(Applied { previous })
    }
}

impl Applied {
    /// Restores the values of before, the last variable first, and frees the variables.
    pub fn reset(self) -> Result<(), MpiError> {
        for (variable, before) in self.previous.into_iter().rev() {
            variable.write(before)?;
            variable.free()?;
        }
        Ok(())
    }
}

/// The value of a variable; `None` if the library does not have it.
pub(super) fn value(name: &str) -> Result<Option<c_int>, MpiError> {
    let Some(variable) = ControlVariable::find(name)? else { return Ok(None) };
    let value = variable.read()?;
    variable.free()?;
    Ok(Some(value))
}
