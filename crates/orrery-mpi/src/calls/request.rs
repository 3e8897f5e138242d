//! Non-blocking sends and receives.

use std::ffi::c_int;

use super::Comm;
use super::message::source;
use crate::MpiError;

/// The handle of a posted transfer, or the null handle.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Request(mpi_sys::MPI_Request);

impl Request {
    /// The null handle, which is always complete.
    pub fn null() -> Self {
        // SAFETY: a constant of the library.
        Self(unsafe { mpi_sys::RSMPI_REQUEST_NULL })
    }
}

/// Posts a send of `count` bytes.
///
/// # Safety
///
/// That many bytes can be read at `data` until the request is complete, and nothing writes them
/// before that.
pub(crate) unsafe fn post_send(
    data: *const u8,
    count: c_int,
    to: c_int,
    tag: c_int,
    comm: Comm,
) -> Result<Request, MpiError> {
    let mut request = Request::null();
    // SAFETY: the caller answers for the bytes.
    unsafe {
        call!(MPI_Isend(
            data.cast(),
            count,
            mpi_sys::RSMPI_UINT8_T,
            to,
            tag,
            comm.0,
            &raw mut request.0,
        ))
    }?;
    Ok(request)
}

/// Posts a receive of at most `count` bytes.
///
/// # Safety
///
/// That many bytes can be written at `data` until the request is complete, and nothing else touches
/// them before that.
pub(crate) unsafe fn post_receive(
    data: *mut u8,
    count: c_int,
    from: c_int,
    tag: c_int,
    comm: Comm,
) -> Result<Request, MpiError> {
    let mut request = Request::null();
    // SAFETY: the caller answers for the bytes.
    unsafe {
        call!(MPI_Irecv(
            data.cast(),
            count,
            mpi_sys::RSMPI_UINT8_T,
            source(from),
            tag,
            comm.0,
            &raw mut request.0,
        ))
    }?;
    Ok(request)
}

/// Waits until a transfer is complete; its handle becomes the null handle.
pub(crate) fn wait(request: &mut Request) -> Result<(), MpiError> {
    // SAFETY: the handle is that of a posted transfer or of none.
    unsafe { call!(MPI_Wait(&raw mut request.0, mpi_sys::RSMPI_STATUS_IGNORE)) }
}

/// Tests whether a transfer is complete; if so its handle becomes the null handle.
pub(crate) fn test(request: &mut Request) -> Result<(), MpiError> {
    let mut complete = 0;
    // SAFETY: as above.
    unsafe { call!(MPI_Test(&raw mut request.0, &raw mut complete, mpi_sys::RSMPI_STATUS_IGNORE)) }
}

/// Waits until all these transfers are complete.
pub(crate) fn wait_all(requests: &mut [Request]) -> Result<(), MpiError> {
    // SAFETY: a `Request` is laid out as the library's handle is; all are posted or none.
    unsafe {
        let first = requests.as_mut_ptr().cast();
        call!(MPI_Waitall(requests.len() as c_int, first, mpi_sys::RSMPI_STATUSES_IGNORE))
    }
}
