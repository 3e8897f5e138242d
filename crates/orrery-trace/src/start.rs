//! The begin and the end of the record of a rank.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs, io};

use orrery::trace::recording::{Function, Header, file};
use rustix::system::uname;

use crate::communicators::world;
use crate::entry::{Entry, now};
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
