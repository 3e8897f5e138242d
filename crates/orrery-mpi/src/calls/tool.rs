//! Control variables of the library, by the tool information interface (MPI_T).

use std::ffi::{CString, c_char, c_int};
use std::ptr;

use crate::MpiError;

/// A control variable, an integer unless it is read as a text.
#[derive(Debug)]
pub(crate) struct ControlVariable {
    handle: mpi_sys::MPI_T_cvar_handle,
    /// Its values with names; empty if they have none.
    pub items: Vec<(c_int, String)>,
    /// Its description; empty if it has none.
    pub description: String,
}

/// The longest name of a value that is read.
const NAME_LENGTH: usize = 256;

/// The longest description that is read, with its null byte.
const DESCRIPTION_LENGTH: usize = 16_384;

impl ControlVariable {
    /// Finds a variable; `None` if the library does not have it, or if it is no integer.
    pub fn find(name: &str) -> Result<Option<Self>, MpiError> {
        match open(name, size_of::<c_int>())? {
            Some((variable, 1)) => Ok(Some(variable)),
            Some((variable, _)) => variable.free().map(|()| None),
            None => Ok(None),
        }
    }

    /// The value.
    pub fn read(&self) -> Result<c_int, MpiError> {
        let mut value = 0;
        // SAFETY: the variable is one integer.
        unsafe { call!(MPI_T_cvar_read(self.handle, (&raw mut value).cast())) }?;
        Ok(value)
    }

    /// Sets the value.
    pub fn write(&self, value: c_int) -> Result<(), MpiError> {
        // SAFETY: the variable is one integer.
        unsafe { call!(MPI_T_cvar_write(self.handle, (&raw const value).cast())) }
    }

    /// Frees the handle; the variable remains.
    pub fn free(mut self) -> Result<(), MpiError> {
        // SAFETY: the handle is not used afterwards.
        unsafe { call!(MPI_T_cvar_handle_free(&raw mut self.handle)) }
    }
}

/// Finds a variable and its number of elements, which are read and written; `None` if the library
/// does not have it, or if its elements do not have this size.
fn open(name: &str, element: usize) -> Result<Option<(ControlVariable, c_int)>, MpiError> {
    let name =
        CString::new(name).map_err(|_| MpiError::impossible("a name contains a null byte"))?;
    let (mut provided, mut index, mut count, mut size) = (0, 0, 0, 0);
    let (mut verbosity, mut binding, mut scope) = (0, 0, 0);
    let (mut name_length, mut description_length) = (0, DESCRIPTION_LENGTH as c_int);
    let mut description = vec![0_u8; DESCRIPTION_LENGTH];
    let (mut handle, mut items) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: the interface may be initialised repeatedly; a length of 0 requests no text; the
    // description is as long as stated; the rest is written to places that are large enough.
    unsafe {
        let mut datatype = mpi_sys::RSMPI_DATATYPE_NULL;
        call!(MPI_T_init_thread(mpi_sys::RSMPI_THREAD_SINGLE, &raw mut provided))?;
        if mpi_sys::MPI_T_cvar_get_index(name.as_ptr(), &raw mut index) != 0 {
            return Ok(None);
        }
        call!(MPI_T_cvar_get_info(
            index,
            ptr::null_mut(),
            &raw mut name_length,
            &raw mut verbosity,
            &raw mut datatype,
            &raw mut items,
            description.as_mut_ptr().cast::<c_char>(),
            &raw mut description_length,
            &raw mut binding,
            &raw mut scope,
        ))?;
        call!(MPI_Type_size(datatype, &raw mut size))?;
        if size as usize != element {
            return Ok(None);
        }
        call!(MPI_T_cvar_handle_alloc(index, ptr::null_mut(), &raw mut handle, &raw mut count))?;
        let items = if items.is_null() { Vec::new() } else { names_of(items)? };
        let description = until_null(&description);
        Ok(Some((ControlVariable { handle, items, description }, count)))
    }
}

/// The text up to its null byte.
fn until_null(text: &[u8]) -> String {
    let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
    String::from_utf8_lossy(&text[..end]).into_owned()
}

/// The longest text of a variable that is read, with its null byte. Open MPI copies a text without
/// regard to its length.
const TEXT_LENGTH: usize = 65_536;

/// The text of a variable; `None` if the library does not have it, or if it is no text.
pub(crate) fn text(name: &str) -> Result<Option<String>, MpiError> {
    let Some((variable, count)) = open(name, 1)? else { return Ok(None) };
    let mut text = vec![0_u8; TEXT_LENGTH];
    let is_short = usize::try_from(count).is_ok_and(|count| count < TEXT_LENGTH);
    if is_short {
        // SAFETY: the text is longer than the stated count.
        unsafe { call!(MPI_T_cvar_read(variable.handle, text.as_mut_ptr().cast())) }?;
    }
    variable.free()?;
    Ok(is_short.then(|| until_null(&text)))
}

/// The values of an enumeration and their names.
///
/// # Safety
///
/// The enumeration is one of the library.
unsafe fn names_of(items: mpi_sys::MPI_T_enum) -> Result<Vec<(c_int, String)>, MpiError> {
    let (mut count, mut length) = (0, 0);
    // SAFETY: a length of 0 requests no text.
    unsafe {
        call!(MPI_T_enum_get_info(items, &raw mut count, ptr::null_mut(), &raw mut length))?;
    }
    let mut names = Vec::new();
    for item in 0..count {
        let mut text = [0_u8; NAME_LENGTH];
        let (mut value, mut length) = (0, NAME_LENGTH as c_int);
        // SAFETY: the text is as long as stated.
        unsafe {
            let place = text.as_mut_ptr().cast::<c_char>();
            call!(MPI_T_enum_get_item(items, item, &raw mut value, place, &raw mut length))?;
        }
        names.push((value, until_null(&text)));
    }
    Ok(names)
}
