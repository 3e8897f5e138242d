//! The status of a call, the message of the last error of each thread, and the guard around every
//! function.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

/// What a function returns.
#[repr(C)]
#[allow(non_camel_case_types, reason = "the names of C")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The call has done what it should.
    ORRERY_OK = 0,
    /// A pointer is null.
    ORRERY_NULL = 1,
    /// A handle was freed, or was never made.
    ORRERY_HANDLE = 2,
    /// An argument is invalid: no such processor, unknown name, text that is not UTF-8, struct of
    /// an unknown size.
    ORRERY_ARGUMENT = 3,
    /// A file or a text has no valid content, or cannot be read or written.
    ORRERY_FILE = 4,
    /// The model or the conditions do not contain what is asked for.
    ORRERY_MODEL = 5,
    /// A buffer is too small.
    ORRERY_CAPACITY = 6,
    /// A fault of the library; please report it.
    ORRERY_INTERNAL = 7,
    /// A service cannot be reached, or refuses a request.
    ORRERY_SERVICE = 8,
}

/// The reason why a call fails.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: Status,
    pub(crate) message: String,
}

impl Failure {
    /// A failure with this status and message.
    pub(crate) fn new(status: Status, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    /// An invalid argument.
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::new(Status::ORRERY_ARGUMENT, message)
    }

    /// An invalid argument, by the error of its conversion.
    pub(crate) fn invalid<E: std::error::Error>(error: E) -> Self {
        Self::caused(Status::ORRERY_ARGUMENT, &error)
    }

    /// An error with those that caused it.
    pub(crate) fn caused(status: Status, error: &dyn std::error::Error) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            message = format!("{message}: {error}");
            cause = error.source();
        }
        Self::new(status, message)
    }
}

thread_local! {
    /// The message of the last failure of this thread.
    static MESSAGE: RefCell<CString> = RefCell::new(CString::default());
}

/// The message of the last failure on this thread; empty if there was none. It is valid until the
/// next call of a function of this library on this thread.
#[unsafe(no_mangle)]
pub extern "C" fn orrery_error() -> *const c_char {
    MESSAGE.with_borrow(|message| message.as_ptr())
}

/// The version of the library: "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn orrery_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => c"",
        };
    VERSION.as_ptr()
}

/// Stores the message of a failure for this thread.
fn remember(message: &str) {
    let message = CString::new(message.replace('\0', "?")).unwrap_or_default();
    MESSAGE.with_borrow_mut(|last| *last = message);
}

/// Runs the body of a function: a failure becomes its status with a message for `orrery_error`, and
/// so does a panic. The first call sets a panic hook that writes nothing.
pub(crate) fn guard(body: impl FnOnce() -> Result<(), Failure>) -> Status {
    static QUIET: Once = Once::new();
    // The hook is that of this library, and not one of a program in Rust that loads it.
    QUIET.call_once(|| panic::set_hook(Box::new(|_| {})));
    let failure = match panic::catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return Status::ORRERY_OK,
        Ok(Err(failure)) => failure,
        Err(payload) => {
            let words = payload.downcast_ref::<String>().map(String::as_str);
            let words =
                words.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Failure::new(Status::ORRERY_INTERNAL, format!("fault of the library: {words}"))
        }
    };
    remember(&failure.message);
    failure.status
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> String {
        // SAFETY: the message ends with 0 and is not changed meanwhile.
        unsafe { CStr::from_ptr(orrery_error()) }.to_string_lossy().into_owned()
    }

    #[test]
    fn a_panic_is_a_status_with_a_message() {
        assert_eq!(guard(|| panic!("at {}", 3)), Status::ORRERY_INTERNAL);
        assert_eq!(message(), "fault of the library: at 3");
        assert_eq!(guard(|| Err(Failure::argument("no\0such"))), Status::ORRERY_ARGUMENT);
        assert_eq!(message(), "no?such");
        assert_eq!(guard(|| Ok(())), Status::ORRERY_OK);
        assert_eq!(
            std::thread::spawn(message).join().unwrap(),
            "",
            "each thread has its own message"
        );
    }
}
