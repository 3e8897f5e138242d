//! Collective operations on the data of a program, by the algorithms that a model chooses.
//!
//! Source: the Optimization module of Lastovetsky, Rychkov, O'Flynn, "A software tool for accurate
//! estimation of parameters of heterogeneous communication models", 2008, section 4.

use std::ffi::{c_int, c_void};

use orrery::model::Model;
use orrery::request::RequestError;
use orrery_mpi::collective::{self, Buffer, Chooser, Decision};
use orrery_mpi::{MpiError, RawComm, RawDatatype, RawOp, ReduceArguments, UserComm};

use crate::choose::fastest;
use crate::handles::{self, ModelHandle};
use crate::predict::failed;
use crate::status::{Failure, Status, guard};

/// Runs an operation with the algorithms of a model.
fn with_algorithms(
    model: ModelHandle,
    operation: impl FnOnce(Chooser) -> Result<(), MpiError>,
) -> Result<(), Failure> {
    let content = handles::get(model)?;
    let choose = |decision: Decision| chosen(&content, decision).map_err(|failure| failure.message);
    let chooser = Chooser { model: (model.id, content.changes), choose: &choose };
    operation(chooser).map_err(|error| Failure::caused(Status::ORRERY_MODEL, &error))
}

/// The algorithm that the preferred kind of model predicts to be the fastest; a failure if the
/// model has fewer processors than the communicator has ranks.
fn chosen(model: &Model, decision: Decision) -> Result<orrery::schedule::Algorithm, Failure> {
    let Decision { kind, root, ranks, size, .. } = decision;
    let processors = model.processors();
    if processors < ranks {
        let message = format!(
            "the model has {processors} processors, but the communicator {ranks} ranks; estimate a \
                model of them"
        );
        return Err(Failure::new(Status::ORRERY_MODEL, message));
    }
    let of = model.preferred_kind().ok_or_else(|| failed(RequestError::NoCommunication))?;
    fastest(model, of, kind, (root, ranks, size))
}

/// `MPI_Scatter` by the algorithm that the model predicts to be the fastest.
///
/// The processors of the model are the ranks of the communicator, as in the model that
/// `orrery_lmo_estimate` makes of it. All ranks give the same model, in the same calls. The first
/// call of an operation with a root and a size chooses the algorithm, on rank 0, and tells the
/// other ranks; sizes that are equal when rounded up to four significant bits share it. Messages
/// use a duplicate of the communicator, which is freed with it.
///
/// Every rank gets a status, 0 if all is well, as of MPI. A choice that fails is reported on all
/// ranks.
///
/// # Safety
///
/// The arguments are valid for `MPI_Scatter` on an intracommunicator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_scatter(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: RawDatatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: RawDatatype,
    root: c_int,
    comm: RawComm,
    model: ModelHandle,
) -> Status {
    guard(|| {
        let send = Buffer { data: sendbuf.cast_mut(), count: sendcount, datatype: sendtype };
        let receive = Buffer { data: recvbuf, count: recvcount, datatype: recvtype };
        // SAFETY: as the caller guarantees.
        with_algorithms(model, |chooser| unsafe {
            collective::scatter(UserComm::new(comm), (send, receive), root, chooser)
        })
    })
}

/// `MPI_Gather` by the algorithm that the model predicts to be the fastest, as `orrery_scatter`.
/// Between the thresholds of the model blocks are gathered in segments that do not escalate.
///
/// # Safety
///
/// The arguments are valid for `MPI_Gather` on an intracommunicator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_gather(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: RawDatatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: RawDatatype,
    root: c_int,
    comm: RawComm,
    model: ModelHandle,
) -> Status {
    guard(|| {
        let send = Buffer { data: sendbuf.cast_mut(), count: sendcount, datatype: sendtype };
        let receive = Buffer { data: recvbuf, count: recvcount, datatype: recvtype };
        // SAFETY: as the caller guarantees.
        with_algorithms(model, |chooser| unsafe {
            collective::gather(UserComm::new(comm), (send, receive), root, chooser)
        })
    })
}

/// `MPI_Bcast` by the algorithm that the model predicts to be the fastest, as `orrery_scatter`.
///
/// # Safety
///
/// The arguments are valid for `MPI_Bcast` on an intracommunicator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_bcast(
    buffer: *mut c_void,
    count: c_int,
    datatype: RawDatatype,
    root: c_int,
    comm: RawComm,
    model: ModelHandle,
) -> Status {
    guard(|| {
        let buffer = Buffer { data: buffer, count, datatype };
        // SAFETY: as the caller guarantees.
        with_algorithms(model, |chooser| unsafe {
            collective::bcast(UserComm::new(comm), buffer, root, chooser)
        })
    })
}

/// `MPI_Reduce` by the algorithm that the model predicts to be the fastest, as `orrery_scatter`.
/// Derived types, and operations whose operands have an order, are left to `MPI_Reduce`.
///
/// # Safety
///
/// The arguments are valid for `MPI_Reduce` on an intracommunicator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_reduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: RawDatatype,
    op: RawOp,
    root: c_int,
    comm: RawComm,
    model: ModelHandle,
) -> Status {
    guard(|| {
        let arguments =
            ReduceArguments { send: sendbuf, receive: recvbuf, count, datatype, op, root };
        // SAFETY: as the caller guarantees.
        with_algorithms(model, |chooser| unsafe {
            collective::reduce(UserComm::new(comm), arguments, chooser)
        })
    })
}
