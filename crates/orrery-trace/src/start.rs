//! The begin and the end of the record of a rank.

#![allow(unsafe_code)]

use std::cell::{Cell, UnsafeCell};
use std::ffi::{c_char, c_int};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs, io};

use orrery::trace::recording::{Function, Header, file};
use rustix::system::uname;
use rustix::time::{ClockId, clock_gettime};

use crate::communicators::world;
use crate::output::Output;
use crate::tracer::Tracer;

/// The environment variable with the folder of the record.
const FOLDER: &str = "ORRERY_TRACE_FOLDER";

/// The highest number of bytes of a library's version.
const MAX_VERSION_BYTES: usize = 1 << 16;

/// Begins the record, if MPI is initialised with the return code `code` of success, and the folder
/// is named in the environment. Otherwise the program runs without one.
pub fn begin(code: c_int) {
    let Some(folder) = env::var_os(FOLDER).filter(|_| code == mpi_sys::MPI_SUCCESS as c_int) else {
        return;
    };
    let mut entry = Entry::begin();
    let (mut rank, mut ranks) = (0, 0);
    // SAFETY: MPI is initialised.
    unsafe {
        mpi_sys::PMPI_Comm_rank(world(), &raw mut rank);
        mpi_sys::PMPI_Comm_size(world(), &raw mut ranks);
    }
    let path = PathBuf::from(folder).join(file::name(rank as u32));
    match create(&path, rank as u32, ranks as u32) {
        Ok(tracer) => drop(entry.replace(Some(tracer))),
        Err(error) => {
            eprintln!(
                "orrery: {}: rank {rank} is not recorded: {}",
                path.display(),
                reason(&error)
            );
        }
    }
}

/// The reason why a file cannot be created.
fn reason(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::AlreadyExists {
        "the file exists; record one program at a time, each in a folder of its own".to_owned()
    } else {
        error.to_string()
    }
}

/// Creates the file of a rank with its head and the communicator of all ranks.
fn create(path: &Path, rank: u32, ranks: u32) -> io::Result<Tracer> {
    let started =
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
    let clock = now();
    let header = Header {
        rank,
        ranks,
        started,
        clock,
        host: uname().nodename().to_string_lossy().into_owned(),
        program: fs::read_link("/proc/self/exe").unwrap_or_default().display().to_string(),
        library: library(),
    };
    let mut tracer = Tracer::new(Output::create(path, &header.encode())?, clock);
    tracer.communicator(world());
    Ok(tracer)
}

/// The first line of the version of the MPI library.
fn library() -> String {
    let mut text = vec![0_u8; MAX_VERSION_BYTES];
    let mut length = 0;
    // SAFETY: the buffer is longer than the version of any library; the length is written before it
    // is read.
    unsafe {
        mpi_sys::PMPI_Get_library_version(text.as_mut_ptr().cast::<c_char>(), &raw mut length)
    };
    text.truncate(length.max(0) as usize);
    let text = String::from_utf8_lossy(&text);
    text.trim_end_matches('\0').lines().next().unwrap_or_default().trim().to_owned()
}

/// Ends the record with the call of `MPI_Finalize` that has returned.
pub fn end(mut entry: Entry, code: c_int) {
    if let Some(mut tracer) = entry.replace(None) {
        tracer.set_call(Function::Finalize, entry.started(), now());
        tracer.plain();
        if code == mpi_sys::MPI_SUCCESS as c_int {
            tracer.finish();
        }
    }
}

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
