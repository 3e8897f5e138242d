//! Latency and bandwidth between two processors of a model: `fast_latency` and `fast_bandwidth` of
//! FAST.

use std::ffi::c_char;

use orrery::model::{ConnectionError, Connections};

use crate::argument::{bytes, kind, processor};
use crate::forecast::CForecast;
use crate::handles::{self, ModelHandle};
use crate::predict::failed;
use crate::status::{Failure, Status, guard};

/// The failure of a latency or a bandwidth.
fn of_connection(error: ConnectionError) -> Failure {
    match error {
        ConnectionError::Predict(error) => failed(error),
        error => Failure::invalid(error),
    }
}

/// The latency from one processor to another by a kind of model: the time of an empty message, T(0)
/// \[s\].
///
/// # Safety
///
/// `kind_name` is a text; `forecast` points to a struct whose `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_latency(
    model: ModelHandle,
    kind_name: *const c_char,
    from: usize,
    to: usize,
    forecast: *mut CForecast,
) -> Status {
    guard(|| {
        // SAFETY: as the caller guarantees.
        let kind = unsafe {
            CForecast::check(forecast)?;
            kind(kind_name)?
        };
        let (from, to, model) = (processor(from)?, processor(to)?, handles::get(model)?);
        let mut connections = Connections::new(&model, kind).map_err(failed)?;
        let found = connections.latency(from, to).map_err(of_connection)?;
        let interval = found.interval.map(|(low, high)| (low.get(), high.get()));
        let written = CForecast {
            alarms: found.alarms.len() as u32,
            ..CForecast::new(found.seconds.get(), interval)
        };
        // SAFETY: as the caller guarantees.
        unsafe { written.put(forecast) }
    })
}

/// The bandwidth from one processor to another by a kind of model at a size m of 2 bytes or more:
/// (m − h) / (T(m) − T(h)) with h = ⌊m/2⌋ \[B/s\].
///
/// # Safety
///
/// As `orrery_latency`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_bandwidth(
    model: ModelHandle,
    kind_name: *const c_char,
    from: usize,
    to: usize,
    size: u64,
    forecast: *mut CForecast,
) -> Status {
    guard(|| {
        // SAFETY: as the caller guarantees.
        let kind = unsafe {
            CForecast::check(forecast)?;
            kind(kind_name)?
        };
        let (from, to, model) = (processor(from)?, processor(to)?, handles::get(model)?);
        let mut connections = Connections::new(&model, kind).map_err(failed)?;
        let found = connections.bandwidth(from, to, bytes(size)).map_err(of_connection)?;
        let interval = found.interval.map(|(low, high)| (low.get(), high.get()));
        let written = CForecast {
            alarms: found.alarms.len() as u32,
            ..CForecast::new(found.rate.get(), interval)
        };
        // SAFETY: as the caller guarantees.
        unsafe { written.put(forecast) }
    })
}
