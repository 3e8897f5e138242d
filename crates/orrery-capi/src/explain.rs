//! The terms of a predicted time, and its alarms, as text.

use std::ffi::c_char;
use std::fmt::Write as _;

use orrery::request::Answer;

use crate::argument::{is_given, put_text};
use crate::handles::{self, ModelHandle};
use crate::predict::{answer, collective, message};
use crate::status::{Status, guard};

/// The text: a line `SECONDS FACTOR × VALUE PARAMETER` for each term on the critical path, the
/// largest first; then a line `alarm: …` for each alarm.
fn explained((prediction, predicted): &Answer) -> String {
    let mut text = String::new();
    for one in &predicted.contributions {
        let (seconds, value) = (one.seconds().get(), one.estimate.value);
        let _ = writeln!(text, "{seconds:e} {} × {value:e} {}", one.factor, one.parameter);
    }
    for alarm in &prediction.alarms {
        let _ = writeln!(text, "alarm: {alarm}");
    }
    text
}

/// Explains the predicted time of a message: a line `SECONDS FACTOR × VALUE PARAMETER` for each
/// term, then a line for each alarm.
///
/// # Safety
///
/// `kind_name` is a text; `buffer` has `capacity` bytes or is null; `needed` points to memory for a
/// number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_explain_message(
    model: ModelHandle,
    kind_name: *const c_char,
    from: usize,
    to: usize,
    size: u64,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    guard(|| {
        is_given(needed, "needed")?;
        // SAFETY: as the caller guarantees.
        let request = unsafe { message(kind_name, (from, to, size)) }?;
        let model = handles::get(model)?;
        let text = explained(&answer(&model, request.queries(&model))?);
        // SAFETY: as the caller guarantees.
        unsafe { put_text(&text, buffer, capacity, needed) }
    })
}

/// Explains the predicted time of a collective operation, as `orrery_explain_message` does for a
/// message.
///
/// # Safety
///
/// The names are texts; `buffer` has `capacity` bytes or is null; `needed` points to memory for a
/// number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_explain_collective(
    model: ModelHandle,
    kind_name: *const c_char,
    operation: *const c_char,
    algorithm: *const c_char,
    root: usize,
    procs: usize,
    size: u64,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    guard(|| {
        is_given(needed, "needed")?;
        // SAFETY: as the caller guarantees.
        let request =
            unsafe { collective(kind_name, (operation, algorithm), (root, procs, size)) }?;
        let model = handles::get(model)?;
        let text = explained(&answer(&model, request.queries(&model))?);
        // SAFETY: as the caller guarantees.
        unsafe { put_text(&text, buffer, capacity, needed) }
    })
}
