//! What the library of BLAS below ScaLAPACK reports about itself.

use std::ffi::{CStr, c_char};

use libloading::os::unix::{Library, Symbol};

/// The version and the processor that OpenBLAS has chosen its kernels for; `None` for other
/// libraries.
pub(crate) fn openblas() -> Option<(String, String)> {
    Some((text_of(b"openblas_get_config\0")?, text_of(b"openblas_get_corename\0")?))
}

/// The text that a function without arguments returns; `None` if no library has the function.
fn text_of(function: &[u8]) -> Option<String> {
    // SAFETY: the functions of OpenBLAS with these names have no arguments and return constants.
    unsafe {
        let function: Symbol<unsafe extern "C" fn() -> *const c_char> =
            Library::this().get(function).ok()?;
        let text = function();
        if text.is_null() {
            None
        } else {
            Some(CStr::from_ptr(text).to_string_lossy().trim().to_owned())
        }
    }
}
