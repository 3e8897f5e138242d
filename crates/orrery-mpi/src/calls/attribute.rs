//! What the library keeps with a communicator of the program.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use super::process::is_usable;
use super::{Comm, UserComm};
use crate::MpiError;
use crate::collective::Carrier;

/// The key of carriers, of this process.
static KEY: OnceLock<c_int> = OnceLock::new();

/// The carriers of communicators, in the order in which they were made.
static CARRIERS: Mutex<Vec<Weak<Carrier>>> = Mutex::new(Vec::new());

/// True when MPI ends: communicators are freed already then.
static ENDS: AtomicBool = AtomicBool::new(false);

/// The carrier of a communicator; the first call makes it, on all ranks.
pub(crate) fn carrier(of: UserComm) -> Result<Arc<Carrier>, MpiError> {
    is_usable()?;
    let key = key()?;
    let (mut value, mut found): (*const Carrier, c_int) = (std::ptr::null(), 0);
    // SAFETY: the communicator is valid; with this key the value is a pointer of `Arc::into_raw`,
    // which the communicator owns.
    unsafe {
        let place = (&raw mut value).cast();
        call!(MPI_Comm_get_attr(of.0, key, place, &raw mut found))?;
        if found != 0 {
            Arc::increment_strong_count(value);
            return Ok(Arc::from_raw(value));
        }
        let carrier = Arc::new(Carrier::new(Comm::duplicate(of)?)?);
        let kept = Arc::into_raw(Arc::clone(&carrier));
        call!(MPI_Comm_set_attr(of.0, key, kept.cast_mut().cast()))?;
        let mut carriers = CARRIERS.lock().unwrap_or_else(PoisonError::into_inner);
        carriers.retain(|known| known.strong_count() > 0);
        carriers.push(Arc::downgrade(&carrier));
        Ok(carrier)
    }
}

/// Makes the key on the first call.
fn key() -> Result<c_int, MpiError> {
    if let Some(key) = KEY.get() {
        return Ok(*key);
    }
    let new = |drop| -> Result<c_int, MpiError> {
        let mut key = 0;
        // SAFETY: the functions have the types that MPI asks for.
        unsafe {
            call!(MPI_Comm_create_keyval(
                Some(no_copy),
                Some(drop),
                &raw mut key,
                std::ptr::null_mut(),
            ))
        }?;
        Ok(key)
    };
    if KEY.set(new(free_carrier)?).is_ok() {
        let mut end = new(note_end)?;
        // SAFETY: the communicator exists from the beginning to the end of MPI; a key is in use as
        // long as there is an attribute.
        unsafe {
            let own = mpi_sys::RSMPI_COMM_SELF;
            call!(MPI_Comm_set_attr(own, end, std::ptr::null_mut()))?;
            call!(MPI_Comm_free_keyval(&raw mut end))?;
        }
    }
    KEY.get().copied().ok_or_else(|| MpiError::impossible("no key of attributes"))
}

/// Tells MPI that a duplicate of a communicator has no carrier yet.
unsafe extern "C" fn no_copy(
    _: mpi_sys::MPI_Comm,
    _: c_int,
    _: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    is_copied: *mut c_int,
) -> c_int {
    // SAFETY: MPI passes a place for the answer.
    unsafe { is_copied.write(0) };
    0
}

/// Frees a carrier with its communicator, on all ranks.
unsafe extern "C" fn free_carrier(
    _: mpi_sys::MPI_Comm,
    _: c_int,
    value: *mut c_void,
    _: *mut c_void,
) -> c_int {
    // SAFETY: the value is a pointer of `Arc::into_raw`, and is not used again.
    let carrier = unsafe { Arc::from_raw(value.cast::<Carrier>().cast_const()) };
    // A failure would end the program's own call.
    let _ = if ENDS.load(Ordering::Relaxed) { Ok(()) } else { carrier.comm().free() };
    0
}

/// Frees what the library has made of MPI, which calls this before anything else when it ends.
unsafe extern "C" fn note_end(
    _: mpi_sys::MPI_Comm,
    _: c_int,
    _: *mut c_void,
    _: *mut c_void,
) -> c_int {
    ENDS.store(true, Ordering::Relaxed);
    for carrier in CARRIERS.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        let _ = carrier.upgrade().map(|carrier| carrier.comm().free());
    }
    if let Some(mut key) = KEY.get().copied() {
        // SAFETY: the key is not used any more.
        let _ = unsafe { call!(MPI_Comm_free_keyval(&raw mut key)) };
    }
    0
}
