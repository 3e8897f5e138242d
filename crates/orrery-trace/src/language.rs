//! Values of C and of Fortran.

#![allow(unsafe_code)]

#[cfg(open_mpi)]
use std::ffi::CString;
use std::ffi::{c_int, c_void};
use std::hash::{BuildHasherDefault, Hasher};
#[cfg(open_mpi)]
use std::mem::MaybeUninit;
use std::mem::size_of;
use std::ptr;
#[cfg(open_mpi)]
use std::sync::atomic::{AtomicPtr, Ordering};

#[cfg(open_mpi)]
use libloading::os::unix::Library;
#[cfg(open_mpi)]
use mpi_sys::RSMPI_Fint;
use mpi_sys::{MPI_Comm, MPI_Datatype, MPI_Message, MPI_Request, MPI_Status};

/// The number of a handle of MPI: its address or its integer.
pub type Key = u64;

/// The number of a handle.
#[inline]
pub fn key<T: Copy + Handle>(handle: T) -> Key {
    let mut key = [0; 8];
    let size = size_of::<T>().min(8);
    // SAFETY: handles are pointers or integers without padding, and `size` bytes of both are valid.
    unsafe { ptr::copy_nonoverlapping((&raw const handle).cast(), key.as_mut_ptr(), size) };
    u64::from_le_bytes(key)
}

/// A handle of MPI: a pointer or an integer.
pub trait Handle {}
impl Handle for MPI_Comm {}
impl Handle for MPI_Request {}
impl Handle for MPI_Message {}

/// A hash of handles: addresses of objects and small integers.
#[derive(Debug, Default)]
pub struct HandleHasher(u64);

/// Makes the hashes of handles.
pub type KeyHasher = BuildHasherDefault<HandleHasher>;

impl Hasher for HandleHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(self.0 << 8 | u64::from(byte)));
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        // Fibonacci hashing; the table uses the highest and the lowest bits.
        let product = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = product ^ product >> 32;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A status as C uses it.
#[derive(Debug, Clone, Copy)]
pub struct Status(pub MPI_Status);

impl Status {
    /// Returns true if the transfer was cancelled.
    pub fn is_cancelled(&self) -> bool {
        let mut flag = 0;
        // SAFETY: a call that succeeded has written the status.
        unsafe { mpi_sys::PMPI_Test_cancelled(&raw const self.0, &raw mut flag) };
        flag != 0
    }
}

/// The values of a language.
pub trait Language {
    /// A request.
    type Request: Copy;
    /// A status.
    type Status: Copy;
    /// The index of the first request.
    const FIRST: c_int;

    /// The handle of a request.
    fn request(request: Self::Request) -> MPI_Request;

    /// The status as C uses it.
    ///
    /// # Safety
    ///
    /// A call that succeeded has written the status.
    unsafe fn status(status: *const Self::Status) -> Status;

    /// Returns true if the program wants no status or statuses.
    fn is_ignored(status: *mut Self::Status) -> bool;
}

/// C.
#[derive(Debug)]
pub struct C;

impl Language for C {
    type Request = MPI_Request;
    type Status = MPI_Status;
    const FIRST: c_int = 0;

    fn request(request: MPI_Request) -> MPI_Request {
        request
    }

    unsafe fn status(status: *const MPI_Status) -> Status {
        // SAFETY: the caller answers for the content.
        Status(unsafe { *status })
    }

    fn is_ignored(status: *mut MPI_Status) -> bool {
        // SAFETY: constants of the library.
        unsafe {
            status == mpi_sys::RSMPI_STATUS_IGNORE || status == mpi_sys::RSMPI_STATUSES_IGNORE
        }
    }
}

/// Fortran: integers, and a status as an array of them.
#[cfg(open_mpi)]
#[derive(Debug)]
pub struct Fortran;

/// A status of Fortran.
#[cfg(open_mpi)]
pub type FortranStatus = [RSMPI_Fint; size_of::<MPI_Status>() / size_of::<RSMPI_Fint>()];

#[cfg(open_mpi)]
impl Language for Fortran {
    type Request = RSMPI_Fint;
    type Status = FortranStatus;
    const FIRST: c_int = 1;

    fn request(request: RSMPI_Fint) -> MPI_Request {
        // SAFETY: the program passes the request to MPI.
        unsafe { mpi_sys::RSMPI_Request_f2c(request) }
    }

    unsafe fn status(status: *const FortranStatus) -> Status {
        let mut converted = MaybeUninit::<MPI_Status>::zeroed();
        // SAFETY: the caller answers for the content; the status of C consists of integers.
        unsafe {
            mpi_sys::PMPI_Status_f2c(status.cast(), converted.as_mut_ptr());
            Status(converted.assume_init())
        }
    }

    fn is_ignored(status: *mut FortranStatus) -> bool {
        // SAFETY: constants of the library.
        unsafe {
            status.cast() == mpi_sys::MPI_F_STATUS_IGNORE
                || status.cast() == mpi_sys::MPI_F_STATUSES_IGNORE
        }
    }
}

/// The handle of no communicator.
pub fn no_communicator() -> MPI_Comm {
    // SAFETY: a constant of the library.
    unsafe { mpi_sys::RSMPI_COMM_NULL }
}

/// The number of bytes of an element.
#[inline]
pub fn size_of_datatype(datatype: MPI_Datatype) -> u64 {
    let mut size = 0;
    // SAFETY: a call with this datatype has succeeded.
    unsafe { mpi_sys::PMPI_Type_size_x(datatype, &raw mut size) };
    size.max(0) as u64
}

/// Returns true for the address that stands for the receive buffer (`MPI_IN_PLACE`): 1 in Open MPI,
/// −1 in MPICH.
pub fn is_in_place(address: *const c_void) -> bool {
    matches!(address as usize, 1 | usize::MAX) || is_in_place_of_fortran(address)
}

/// Returns true for the address of a variable that stands for the receive buffer in Fortran.
#[cfg(open_mpi)]
fn is_in_place_of_fortran(address: *const c_void) -> bool {
    static IN_PLACE: Symbol = Symbol::new("mpi_fortran_in_place_");
    address == IN_PLACE.address().cast_const()
}

/// In MPICH, functions of Fortran call those of C with the address of C.
#[cfg(not(open_mpi))]
const fn is_in_place_of_fortran(_: *const c_void) -> bool {
    false
}

/// A symbol of the program, such as a function of Fortran: it is there if the program is linked
/// with it.
#[cfg(open_mpi)]
#[derive(Debug)]
pub struct Symbol {
    name: &'static str,
    address: AtomicPtr<c_void>,
}

#[cfg(open_mpi)]
impl Symbol {
    /// The symbol with a name.
    pub const fn new(name: &'static str) -> Self {
        Self { name, address: AtomicPtr::new(ptr::null_mut()) }
    }

    /// The address; null if the program has no such symbol.
    #[inline]
    pub fn address(&self) -> *mut c_void {
        let known = self.address.load(Ordering::Relaxed);
        if known.is_null() { self.find() } else { known }
    }

    /// Finds the address.
    #[cold]
    fn find(&self) -> *mut c_void {
        let Ok(name) = CString::new(self.name) else { return ptr::null_mut() };
        // SAFETY: the address is that of a function or a variable, which its users know.
        let found = unsafe { Library::this().get::<*mut c_void>(name.as_bytes_with_nul()) };
        let address = found.map_or(ptr::null_mut(), libloading::os::unix::Symbol::into_raw);
        self.address.store(address, Ordering::Relaxed);
        address
    }
}
