//! The calls of a process, one at a time.
//!
//! A call that begins within another one is not recorded: the MPI library calls its own functions,
//! and so do functions of the program that it calls back. Calls of other threads during a call are
//! counted: a record of one sequence of calls cannot represent them.

#![allow(unsafe_code)]

use std::cell::{Cell, UnsafeCell};
use std::ffi::c_int;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use orrery::trace::recording::Function;
use rustix::time::{ClockId, clock_gettime};

use crate::tracer::Tracer;

/// The thread of the recorded call from its begin to the end of its record, else [`NONE`].
static OWNER: AtomicUsize = AtomicUsize::new(NONE);

/// The number of no thread: that of a thread is an address.
const NONE: usize = 0;

/// The number of calls of other threads during recorded calls, since the last record.
static OVERLAPPING: AtomicU64 = AtomicU64::new(0);

/// The tracer of the process, between `MPI_Init` and `MPI_Finalize`.
struct Process(UnsafeCell<Option<Tracer>>);

// SAFETY: the content is used by the thread that owns the recorded call only.
unsafe impl Sync for Process {}

static PROCESS: Process = Process(UnsafeCell::new(None));

thread_local! {
    /// Its address names the thread.
    static THREAD: Cell<u8> = const { Cell::new(0) };
}

/// A number of this thread.
fn thread() -> usize {
    THREAD.with(|here| std::ptr::from_ref(here) as usize)
}

/// The time in nanoseconds on the clock of records.
pub fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// A call from its begin to the end of its record.
#[derive(Debug)]
pub struct Entry {
    /// True if the call is recorded.
    is_recorded: bool,
    /// The time at the begin.
    begin: u64,
}

impl Entry {
    /// Begins a call, which is recorded unless another one is in progress; then a call of another
    /// thread is counted.
    #[inline]
    pub fn begin() -> Self {
        // One word says both whether a call is recorded and whose it is, so that no thread sees one
        // without the other.
        let caller = thread();
        if let Err(owner) =
            OWNER.compare_exchange(NONE, caller, Ordering::Acquire, Ordering::Relaxed)
        {
            if owner != caller {
                OVERLAPPING.fetch_add(1, Ordering::Relaxed);
            }
            return Self { is_recorded: false, begin: 0 };
        }
        Self { is_recorded: true, begin: now() }
    }

    /// The tracer; `None` if the call is not recorded, or there is no tracer.
    #[inline]
    pub fn tracer(&mut self) -> Option<&mut Tracer> {
        // SAFETY: the entry that has set `OWNER` is the only one with `is_recorded`, and it is
        // borrowed.
        if self.is_recorded { unsafe { (*PROCESS.0.get()).as_mut() } } else { None }
    }

    /// The time at the begin.
    pub const fn started(&self) -> u64 {
        self.begin
    }

    /// Ends the call: `record` adds its content; a call that has failed, by its code, is recorded
    /// without content.
    #[inline]
    pub fn end(mut self, function: Function, code: c_int, record: impl FnOnce(&mut Tracer)) {
        let begin = self.begin;
        if let Some(tracer) = self.tracer() {
            tracer.set_call(function, begin, now());
            if code == mpi_sys::MPI_SUCCESS as c_int {
                record(tracer);
            } else {
                tracer.plain();
            }
            if OVERLAPPING.load(Ordering::Relaxed) > 0 {
                tracer.overlapping(OVERLAPPING.swap(0, Ordering::Relaxed));
            }
        }
    }

    /// Replaces the tracer of the process, if the call is recorded; returns the previous one.
    pub fn replace(&mut self, tracer: Option<Tracer>) -> Option<Tracer> {
        if !self.is_recorded {
            return None;
        }
        // SAFETY: as in `tracer`.
        unsafe { std::mem::replace(&mut *PROCESS.0.get(), tracer) }
    }
}

impl Drop for Entry {
    #[inline]
    fn drop(&mut self) {
        if self.is_recorded {
            OWNER.store(NONE, Ordering::Release);
        }
    }
}
