//! Blocking sends and receives.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr;

use super::Comm;
use crate::MpiError;

/// The source of receives from any rank in plans; [`source`] converts it to the value of the
/// library.
pub(crate) const ANY_SOURCE: c_int = -1;

/// The library's value for the source of a receive: for [`ANY_SOURCE`] its own one, otherwise the
/// rank.
#[inline]
pub(super) fn source(from: c_int) -> c_int {
    // SAFETY: a constant of the library.
    if from == ANY_SOURCE { unsafe { mpi_sys::RSMPI_ANY_SOURCE } } else { from }
}

/// Sends `count` bytes; returns when they may be changed.
///
/// # Safety
///
/// That many bytes can be read at `data`, and nothing writes them meanwhile.
#[inline]
pub(crate) unsafe fn send(
    data: *const u8,
    count: c_int,
    to: c_int,
    tag: c_int,
    comm: Comm,
) -> Result<(), MpiError> {
    // SAFETY: the caller answers for the bytes; the rest is plain numbers and valid handles.
    unsafe { call!(MPI_Send(data.cast(), count, mpi_sys::RSMPI_UINT8_T, to, tag, comm.0)) }
}

/// Receives at most `count` bytes, from [`ANY_SOURCE`] where that is named.
///
/// # Safety
///
/// That many bytes can be written at `data`, and nothing else reads or writes them meanwhile.
#[inline]
pub(crate) unsafe fn receive(
    data: *mut u8,
    count: c_int,
    from: c_int,
    tag: c_int,
    comm: Comm,
) -> Result<(), MpiError> {
    // SAFETY: the caller answers for the bytes.
    unsafe {
        let status = mpi_sys::RSMPI_STATUS_IGNORE;
        call!(MPI_Recv(
            data.cast(),
            count,
            mpi_sys::RSMPI_UINT8_T,
            source(from),
            tag,
            comm.0,
            status,
        ))
    }
}

/// Sends bytes to a rank; returns when they may be changed.
pub(crate) fn send_bytes(bytes: &[u8], to: usize, tag: c_int, comm: Comm) -> Result<(), MpiError> {
    let count = c_int::try_from(bytes.len())
        .map_err(|_| MpiError::impossible("a control message exceeds 2 GiB"))?;
    // SAFETY: the slice is borrowed for the whole call.
    unsafe { send(bytes.as_ptr(), count, to as c_int, tag, comm) }
}

/// Receives a message that fills the buffer; [`probe`] returns its length.
pub(crate) fn receive_into(
    bytes: &mut [u8],
    from: usize,
    tag: c_int,
    comm: Comm,
) -> Result<(), MpiError> {
    // SAFETY: the slice is borrowed for the whole call.
    unsafe { receive(bytes.as_mut_ptr(), bytes.len() as c_int, from as c_int, tag, comm) }
}

/// The sender and the length of a message with this tag that can be received now; `None` if there
/// is none.
pub(crate) fn probe(
    from: c_int,
    tag: c_int,
    comm: Comm,
) -> Result<Option<(usize, usize)>, MpiError> {
    let mut status = MaybeUninit::uninit();
    let (mut here, mut count) = (0, 0);
    // SAFETY: when a message is here the status is written; it is not read otherwise.
    unsafe {
        call!(MPI_Iprobe(source(from), tag, comm.0, &raw mut here, status.as_mut_ptr()))?;
        if here == 0 {
            return Ok(None);
        }
        call!(MPI_Get_count(status.as_ptr(), mpi_sys::RSMPI_UINT8_T, &raw mut count))?;
        Ok(Some(((*status.as_ptr()).MPI_SOURCE as usize, count as usize)))
    }
}

/// Sends an empty message to one rank while one is received from another.
#[inline]
pub(crate) fn exchange_empty(
    to: usize,
    from: usize,
    tag: c_int,
    comm: Comm,
) -> Result<(), MpiError> {
    let (to, from) = (to as c_int, from as c_int);
    // SAFETY: no byte is read or written.
    unsafe {
        let bytes = mpi_sys::RSMPI_UINT8_T;
        let (out, back, status) = (ptr::null(), ptr::null_mut(), mpi_sys::RSMPI_STATUS_IGNORE);
        call!(MPI_Sendrecv(out, 0, bytes, to, tag, back, 0, bytes, from, tag, comm.0, status))
    }
}

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
