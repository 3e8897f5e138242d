//! Pointers of the caller as values, and texts for its buffers.

use std::ffi::{CStr, c_char};

use orrery::model::ModelKind;
use orrery::platform::Processor;
use orrery::units::Bytes;

use crate::status::{Failure, Status};

/// The failure of a null pointer; `what` is the name of the argument.
fn null(what: &str) -> Failure {
    Failure::new(Status::ORRERY_NULL, format!("{what} is null; give a valid pointer"))
}

/// A text of the caller in UTF-8; a failure for null and for other texts. `what` is the name of the
/// argument in messages.
///
/// # Safety
///
/// The pointer is null, or a text that ends with 0 and does not change during the call.
pub(crate) unsafe fn text<'a>(text: *const c_char, what: &str) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(null(what));
    }
    // SAFETY: the caller guarantees a text that ends with 0.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|_| Failure::argument(format!("{what} is not a text in UTF-8; give one")))
}

/// A text of the caller; `None` for null.
///
/// # Safety
///
/// As [`text`].
pub(crate) unsafe fn optional<'a>(
    place: *const c_char,
    what: &str,
) -> Result<Option<&'a str>, Failure> {
    // SAFETY: as the caller guarantees.
    (!place.is_null()).then(|| unsafe { text(place, what) }).transpose()
}

/// The dimensions m, n and k, each as a list: with the given number if the dimension exists, else
/// empty.
pub(crate) fn own_dimensions(exist: [bool; 3], given: [u64; 3]) -> [Vec<u64>; 3] {
    let [m, n, k] = [0, 1, 2].map(|place| exist[place].then_some(given[place]));
    [m, n, k].map(|one| one.into_iter().collect())
}

/// An array of the caller; an empty one may be null.
///
/// # Safety
///
/// The pointer is null, or there are `length` values at it that do not change during the call.
pub(crate) unsafe fn array<'a, T>(
    values: *const T,
    length: usize,
    what: &str,
) -> Result<&'a [T], Failure> {
    if length == 0 {
        return Ok(&[]);
    }
    if values.is_null() {
        return Err(null(what));
    }
    if length > isize::MAX as usize / size_of::<T>().max(1) {
        return Err(Failure::argument(format!("{what} has an impossible length, {length}")));
    }
    // SAFETY: the caller guarantees that many values.
    Ok(unsafe { std::slice::from_raw_parts(values, length) })
}

/// Writes a result for the caller.
///
/// # Safety
///
/// The pointer is null, or points to memory for one value.
pub(crate) unsafe fn put<T>(place: *mut T, value: T, what: &str) -> Result<(), Failure> {
    if place.is_null() {
        return Err(null(what));
    }
    // SAFETY: the caller guarantees memory for the value.
    unsafe { place.write(value) };
    Ok(())
}

/// Checks that a result can be written, before work begins.
pub(crate) fn is_given<T>(place: *mut T, what: &str) -> Result<(), Failure> {
    if place.is_null() { Err(null(what)) } else { Ok(()) }
}

/// Writes a text and its 0 to a buffer, and the number of bytes that they need to `needed`. A
/// buffer that is too small is not changed; the failure is then `ORRERY_CAPACITY`.
///
/// # Safety
///
/// `needed` points to memory for a number, and `buffer` to `capacity` bytes, or each is null.
pub(crate) unsafe fn put_text(
    text: &str,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Result<(), Failure> {
    let bytes = text.len() + 1;
    // SAFETY: as the caller guarantees.
    unsafe { put(needed, bytes, "needed")? };
    if capacity < bytes {
        let message = format!(
            "the text needs {bytes} bytes, and the buffer has {capacity}; give a larger one"
        );
        return Err(Failure::new(Status::ORRERY_CAPACITY, message));
    }
    if buffer.is_null() {
        return Err(null("buffer"));
    }
    // SAFETY: the buffer has room for the text and its 0, and the text, which is new, does not
    // overlap it.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr().cast(), buffer, text.len());
        buffer.add(text.len()).write(0);
    }
    Ok(())
}

/// A kind of model by its name.
///
/// # Safety
///
/// As [`text`].
pub(crate) unsafe fn kind(name: *const c_char) -> Result<ModelKind, Failure> {
    // SAFETY: as the caller guarantees.
    unsafe { text(name, "kind") }?.parse().map_err(Failure::invalid)
}

/// The number of a processor.
pub(crate) fn processor(number: usize) -> Result<Processor, Failure> {
    let wrong = |_| Failure::argument(format!("processor {number}: give a number below 2^32"));
    u32::try_from(number).map(Processor).map_err(wrong)
}

/// A number of bytes.
pub(crate) const fn bytes(number: u64) -> Bytes {
    Bytes::new(number)
}
