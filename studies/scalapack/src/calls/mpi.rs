//! Functions of MPI.

use std::ffi::{c_char, c_int};
use std::ptr;
use std::thread::sleep;
use std::time::Duration;

/// A function of MPI returned an error code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{call}: {reason}")]
pub(crate) struct MpiError {
    /// The name of the function.
    call: &'static str,
    /// The library's message for the error code.
    reason: String,
}

/// How numbers of all ranks become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reduction {
    /// The largest one.
    Max,
    /// The sum.
    Sum,
}

/// A communicator that returns errors.
#[derive(Debug)]
pub(crate) struct Comm {
    raw: mpi_sys::MPI_Comm,
    rank: usize,
    size: usize,
    /// True for communicators that this program has made.
    is_own: bool,
}

/// How long a rank sleeps between tests of a barrier, so that it leaves its core to the ranks that
/// work.
const POLL_INTERVAL: Duration = Duration::from_micros(200);

impl Comm {
    /// The communicator of all ranks.
    fn world() -> Result<Self, MpiError> {
        // SAFETY: MPI is initialised, as only `init` calls this.
        unsafe {
            let raw = mpi_sys::RSMPI_COMM_WORLD;
            let returning = mpi_sys::RSMPI_ERRORS_RETURN;
            check("MPI_Comm_set_errhandler", mpi_sys::MPI_Comm_set_errhandler(raw, returning))?;
            Self::of(raw, false)
        }
    }

    /// A communicator with its rank and size.
    ///
    /// # Safety
    ///
    /// The handle is valid.
    unsafe fn of(raw: mpi_sys::MPI_Comm, is_own: bool) -> Result<Self, MpiError> {
        let (mut rank, mut size) = (0, 0);
        // SAFETY: the caller answers for the handle; results are written before they are read.
        unsafe {
            check("MPI_Comm_rank", mpi_sys::MPI_Comm_rank(raw, &raw mut rank))?;
            check("MPI_Comm_size", mpi_sys::MPI_Comm_size(raw, &raw mut size))?;
        }
        Ok(Self { raw, rank: rank as usize, size: size as usize, is_own })
    }

    /// The communicator of the first `ranks` ranks; `None` on the other ones. All ranks must call
    /// this.
    pub fn of_first(&self, ranks: usize) -> Result<Option<Self>, MpiError> {
        let is_member = self.rank < ranks;
        // SAFETY: the handle is written before it is read.
        unsafe {
            let color = if is_member { 0 } else { mpi_sys::RSMPI_UNDEFINED };
            let mut raw = mpi_sys::RSMPI_COMM_NULL;
            let split = mpi_sys::MPI_Comm_split(self.raw, color, self.rank as c_int, &raw mut raw);
            check("MPI_Comm_split", split)?;
            if !is_member {
                return Ok(None);
            }
            let returning = mpi_sys::RSMPI_ERRORS_RETURN;
            check("MPI_Comm_set_errhandler", mpi_sys::MPI_Comm_set_errhandler(raw, returning))?;
            Self::of(raw, true).map(Some)
        }
    }

    /// The rank of this process.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The handle.
    pub(super) fn raw(&self) -> mpi_sys::MPI_Comm {
        self.raw
    }

    /// Waits for all ranks, as fast as possible.
    pub fn barrier(&self) -> Result<(), MpiError> {
        // SAFETY: the communicator is valid.
        check("MPI_Barrier", unsafe { mpi_sys::MPI_Barrier(self.raw) })
    }

    /// Waits for all ranks, and sleeps meanwhile.
    pub fn idle_barrier(&self) -> Result<(), MpiError> {
        // SAFETY: the request is written before it is tested, and tested until it is complete.
        unsafe {
            let (mut request, mut is_complete) = (mpi_sys::RSMPI_REQUEST_NULL, 0);
            check("MPI_Ibarrier", mpi_sys::MPI_Ibarrier(self.raw, &raw mut request))?;
            loop {
                let status = mpi_sys::RSMPI_STATUS_IGNORE;
                check(
                    "MPI_Test",
                    mpi_sys::MPI_Test(&raw mut request, &raw mut is_complete, status),
                )?;
                if is_complete != 0 {
                    return Ok(());
                }
                sleep(POLL_INTERVAL);
            }
        }
    }

    /// A number of all ranks.
    pub fn all_reduce(&self, value: f64, reduction: Reduction) -> Result<f64, MpiError> {
        let mut result = 0.0_f64;
        // SAFETY: both buffers hold one number, and differ.
        check("MPI_Allreduce", unsafe {
            let operation = match reduction {
                Reduction::Max => mpi_sys::RSMPI_MAX,
                Reduction::Sum => mpi_sys::RSMPI_SUM,
            };
            let (from, to) = ((&raw const value).cast(), (&raw mut result).cast());
            mpi_sys::MPI_Allreduce(from, to, 1, mpi_sys::RSMPI_DOUBLE, operation, self.raw)
        })?;
        Ok(result)
    }

    /// A text of rank `root` on all ranks.
    pub fn broadcast(&self, text: &str, root: usize) -> Result<String, MpiError> {
        let length = self
            .all_reduce(if self.rank == root { text.len() as f64 } else { 0.0 }, Reduction::Max)?;
        // The pointer of an empty text may be that of MPI_IN_PLACE.
        if length == 0.0 {
            return Ok(String::new());
        }
        let mut bytes =
            if self.rank == root { text.as_bytes().to_vec() } else { vec![0; length as usize] };
        // SAFETY: all ranks have buffers of the same length.
        check("MPI_Bcast", unsafe {
            let (count, root) = (bytes.len() as c_int, root as c_int);
            mpi_sys::MPI_Bcast(
                bytes.as_mut_ptr().cast(),
                count,
                mpi_sys::RSMPI_UINT8_T,
                root,
                self.raw,
            )
        })?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The texts of all ranks on all ranks.
    pub fn all_gather(&self, text: &str) -> Result<Vec<String>, MpiError> {
        (0..self.size).map(|root| self.broadcast(text, root)).collect()
    }

    /// The texts of all ranks on rank 0, which may be long.
    pub fn gather(&self, text: &str) -> Result<Vec<String>, MpiError> {
        let is_root = self.rank == 0;
        let total = self.all_reduce(text.len() as f64, Reduction::Sum)?;
        if total > f64::from(c_int::MAX) {
            return Err(MpiError {
                call: "MPI_Gatherv",
                reason: format!("{total} bytes are more than a call transfers"),
            });
        }
        let own = text.len() as c_int;
        let mut lengths = vec![0 as c_int; if is_root { self.size } else { 0 }];
        // SAFETY: the root has a place for the number of each rank.
        check("MPI_Gather", unsafe {
            let (number, to) = (mpi_sys::RSMPI_INT32_T, lengths.as_mut_ptr().cast());
            mpi_sys::MPI_Gather((&raw const own).cast(), 1, number, to, 1, number, 0, self.raw)
        })?;
        let mut places = Vec::with_capacity(lengths.len());
        let mut end: c_int = 0;
        for length in &lengths {
            places.push(end);
            end += length;
        }
        let mut bytes = vec![0_u8; end as usize];
        // The pointer of an empty text may be that of MPI_IN_PLACE.
        let from = if text.is_empty() { "\0" } else { text };
        // SAFETY: the buffer of the root has the sum of all lengths.
        check("MPI_Gatherv", unsafe {
            let (byte, from, to) =
                (mpi_sys::RSMPI_UINT8_T, from.as_ptr().cast(), bytes.as_mut_ptr().cast());
            mpi_sys::MPI_Gatherv(
                from,
                own,
                byte,
                to,
                lengths.as_ptr(),
                places.as_ptr(),
                byte,
                0,
                self.raw,
            )
        })?;
        let texts = places.iter().zip(&lengths).map(|(&place, &length)| {
            String::from_utf8_lossy(&bytes[place as usize..][..length as usize]).into_owned()
        });
        Ok(texts.collect())
    }

    /// Combines results of all ranks: an error if any rank has one, that of the first such rank,
    /// with its number.
    pub fn agree<T>(&self, result: Result<T, String>) -> Result<Result<T, String>, MpiError> {
        // The largest number belongs to the first rank.
        let mine = if result.is_err() { (self.size - self.rank) as f64 } else { 0.0 };
        let first = self.all_reduce(mine, Reduction::Max)?;
        if first == 0.0 {
            return Ok(result);
        }
        let rank = self.size - first as usize;
        let reason = self.broadcast(result.as_ref().err().map_or("", String::as_str), rank)?;
        Ok(Err(if self.size == 1 { reason } else { format!("rank {rank}: {reason}") }))
    }
}

impl Drop for Comm {
    fn drop(&mut self) {
        if self.is_own {
            // SAFETY: this program has made the communicator, and MPI is finalised at the end of
            // the program only.
            let _ = unsafe { mpi_sys::MPI_Comm_free(&raw mut self.raw) };
        }
    }
}

/// Initialises MPI.
pub(crate) fn init() -> Result<Comm, MpiError> {
    // SAFETY: called once, at the beginning of the program; MPI takes null for the arguments.
    check("MPI_Init", unsafe { mpi_sys::MPI_Init(ptr::null_mut(), ptr::null_mut()) })?;
    Comm::world()
}

/// Finalises MPI; waits for the other ranks.
pub(crate) fn finalize() -> Result<(), MpiError> {
    // SAFETY: called once, at the end of the program.
    check("MPI_Finalize", unsafe { mpi_sys::MPI_Finalize() })
}

/// Aborts all ranks.
pub(crate) fn abort() {
    // SAFETY: the world is valid until MPI is finalised, after which this is not called.
    let _ = unsafe { mpi_sys::MPI_Abort(mpi_sys::RSMPI_COMM_WORLD, 1) };
}

/// The first line of the library's version string.
pub(crate) fn library() -> Result<String, MpiError> {
    // MPICH writes more than its header promises to some compilers; 8 KiB are its maximum.
    let mut text = vec![0_u8; 16_384];
    let mut length: c_int = 0;
    // SAFETY: the buffer is longer than the library may write.
    check("MPI_Get_library_version", unsafe {
        mpi_sys::MPI_Get_library_version(text.as_mut_ptr().cast::<c_char>(), &raw mut length)
    })?;
    let text =
        String::from_utf8_lossy(&text[..(length.max(0) as usize).min(text.len())]).into_owned();
    let first = text.split(['\n', '\0']).next().unwrap_or_default();
    Ok(first.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns an error if a return code is not `MPI_SUCCESS`.
fn check(call: &'static str, code: c_int) -> Result<(), MpiError> {
    if code == 0 {
        return Ok(());
    }
    let mut text = [0_u8; mpi_sys::MPI_MAX_ERROR_STRING as usize + 1];
    let mut length = 0;
    // SAFETY: the buffer has the length that the library may write.
    let found = unsafe {
        mpi_sys::MPI_Error_string(code, text.as_mut_ptr().cast::<c_char>(), &raw mut length)
    };
    let text = String::from_utf8_lossy(&text[..(length.max(0) as usize).min(text.len())])
        .trim()
        .to_owned();
    Err(MpiError { call, reason: if found == 0 { text } else { format!("error code {code}") } })
}
