//! Long work: on a thread of its own, while the calling thread lets other threads run and handles
//! signals.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::error;

/// The interval in which signals are handled.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// The stack of a thread, as large as that of a main thread on Linux.
const STACK_BYTES: usize = 8 << 20;

/// A flag that is set when the work should end.
pub(crate) type Interrupt = Arc<AtomicBool>;

/// Runs work without the lock of the interpreter. A signal, such as that of Ctrl-C, raises its
/// exception at once; the flag of the work is set then, and its result is dropped.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Interrupt) -> PyResult<T> + Send + 'static,
) -> PyResult<T> {
    start(py, work, false)
}

/// As [`run`], but a signal raises its exception when the work has ended: processes and files are
/// left in order.
pub(crate) fn run_to_end<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Interrupt) -> PyResult<T> + Send + 'static,
) -> PyResult<T> {
    start(py, work, true)
}

/// Does the work on a thread, waits for it and handles signals meanwhile; with `waits` the
/// exception of a signal is raised when the work has ended, else at once.
fn start<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Interrupt) -> PyResult<T> + Send + 'static,
    waits: bool,
) -> PyResult<T> {
    let interrupt = Interrupt::default();
    let (sender, mut receiver) = sync_channel(1);
    let flag = Arc::clone(&interrupt);
    // The receiver is gone if a signal came.
    let body = move || drop(sender.send(work(&flag)));
    let thread = thread::Builder::new().name("orrery".into()).stack_size(STACK_BYTES).spawn(body);
    let thread = thread.map_err(error::system)?;
    let mut signal = None;
    loop {
        let answer: Result<PyResult<T>, RecvTimeoutError>;
        (receiver, answer) = py.detach(move || wait(receiver));
        match answer {
            Ok(result) => return signal.map_or(result, Err),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(py
                    .detach(move || thread.join())
                    .map_or_else(|panic| fault(&*panic), |()| error::internal("no result")));
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Err(raised) = py.check_signals() {
                    interrupt.store(true, Ordering::Relaxed);
                    if !waits {
                        return Err(raised);
                    }
                    signal.get_or_insert(raised);
                }
            }
        }
    }
}

/// Waits for a result until signals are to be handled; returns the receiver, too.
fn wait<T>(receiver: Receiver<T>) -> (Receiver<T>, Result<T, RecvTimeoutError>) {
    let answer = receiver.recv_timeout(SIGNAL_INTERVAL);
    (receiver, answer)
}

/// The exception for a panic.
fn fault(panic: &(dyn Any + Send)) -> PyErr {
    let words = panic.downcast_ref::<String>().map(String::as_str);
    let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
    error::internal(words.unwrap_or("no message"))
}
