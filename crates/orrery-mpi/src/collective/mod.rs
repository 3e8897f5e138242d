//! Collective operations on the data of a program, by chosen algorithms.
//!
//! They have the arguments of MPI's. The steps of an algorithm are those of its schedule, which
//! predictions and simulations play.
//!
//! | file | content |
//! |---|---|
//! | `carrier` | the communicator of their messages, and the algorithm of each size |
//! | `call` | an operation on one rank: its algorithm, its memory |
//! | `operation` | the steps with data, and where blocks are in memory |
//! | `buffer` | buffers of the program as bytes |

#![allow(unsafe_code)]

mod buffer;
mod call;
mod carrier;
mod operation;

use std::ffi::c_int;

use orrery::schedule::{Algorithm, CollectiveKind};

pub use buffer::Buffer;
pub(crate) use carrier::Carrier;
pub use carrier::Decision;

use crate::MpiError;
use crate::calls::{self, Datatype, ReduceArguments, Reduction, UserComm};
use buffer::{Content, Elements, is_in_place};
use call::{Call, is_block};

/// How algorithms are chosen.
#[derive(Clone, Copy)]
pub struct Chooser<'a> {
    /// Identity and revision of the model; if either differs from that of an earlier call, the
    /// algorithm is chosen again.
    pub model: (u64, u64),
    /// Returns an algorithm, or why there is none; called on rank 0 at the first call of a
    /// [`Decision`].
    pub choose: &'a dyn Fn(Decision) -> Result<Algorithm, String>,
}

/// `MPI_Scatter` by a chosen algorithm.
///
/// # Errors
///
/// When arguments are invalid, no algorithm can be chosen, or MPI fails.
///
/// # Safety
///
/// The arguments are valid for `MPI_Scatter` on an intracommunicator, and all its ranks call this
/// with the same model.
pub unsafe fn scatter(
    comm: UserComm,
    (send, receive): (Buffer, Buffer),
    root: c_int,
    chooser: Chooser,
) -> Result<(), MpiError> {
    let carrier = calls::carrier(comm)?;
    let call = Call::new(&carrier, CollectiveKind::Scatter, root, chooser)?;
    let comm = carrier.comm();
    // SAFETY: the caller answers for the buffers.
    unsafe {
        if !call.is_root() {
            let receive = Elements::of(receive, "the receive buffer", comm)?;
            return call.run_with_own_block(receive.bytes(), receive.direct(), |own| {
                receive.write_bytes(own, 0)
            });
        }
        let send = Elements::of(send, "the send buffer", comm)?;
        let blocks = send.read(carrier.ranks)?;
        let block = send.bytes();
        call.run_with_all_blocks(block, blocks.start)?;
        if is_in_place(receive.data) {
            return Ok(());
        }
        let receive = Elements::of(receive, "the receive buffer", comm)?;
        is_block("the receive buffer", receive.bytes(), block)?;
        receive.write_bytes(call.own_block(blocks.start, block), 0)
    }
}

/// `MPI_Gather` by a chosen algorithm.
///
/// # Errors
///
/// As [`scatter`].
///
/// # Safety
///
/// As [`scatter`], for `MPI_Gather`.
pub unsafe fn gather(
    comm: UserComm,
    (send, receive): (Buffer, Buffer),
    root: c_int,
    chooser: Chooser,
) -> Result<(), MpiError> {
    let carrier = calls::carrier(comm)?;
    let call = Call::new(&carrier, CollectiveKind::Gather, root, chooser)?;
    let comm = carrier.comm();
    // SAFETY: the caller answers for the buffers.
    unsafe {
        if !call.is_root() {
            let send = Elements::of(send, "the send buffer", comm)?;
            let own = send.read(1)?;
            return call.send_with_own_block(send.bytes(), &own);
        }
        let receive = Elements::of(receive, "the receive buffer", comm)?;
        let (block, blocks) = (receive.bytes(), receive.place(carrier.ranks));
        call.run_with_all_blocks(block, blocks.start)?;
        let root = call.root();
        receive.write(&blocks, 0, root)?;
        receive.write(&blocks, root + 1, carrier.ranks - root - 1)?;
        if is_in_place(send.data) {
            return Ok(());
        }
        let send = Elements::of(send, "the send buffer", comm)?;
        is_block("the send buffer", send.bytes(), block)?;
        let own = send.read(1)?;
        receive.write_bytes(std::slice::from_raw_parts(own.start, block), root)
    }
}

/// `MPI_Bcast` by a chosen algorithm.
///
/// # Errors
///
/// As [`scatter`].
///
/// # Safety
///
/// As [`scatter`], for `MPI_Bcast`.
pub unsafe fn bcast(
    comm: UserComm,
    buffer: Buffer,
    root: c_int,
    chooser: Chooser,
) -> Result<(), MpiError> {
    let carrier = calls::carrier(comm)?;
    let call = Call::new(&carrier, CollectiveKind::Broadcast, root, chooser)?;
    // SAFETY: the caller answers for the buffer.
    unsafe {
        let elements = Elements::of(buffer, "the buffer", carrier.comm())?;
        let content = if call.is_root() { elements.read(1)? } else { elements.place(1) };
        call.run_on_vector(elements.bytes(), content.start)?;
        if call.is_root() { Ok(()) } else { elements.write(&content, 0, 1) }
    }
}

/// `MPI_Reduce` by a chosen algorithm; the library's own for types of the program and for
/// reductions whose operands have an order.
///
/// # Errors
///
/// As [`scatter`].
///
/// # Safety
///
/// As [`scatter`], for `MPI_Reduce`.
pub unsafe fn reduce(
    comm: UserComm,
    arguments: ReduceArguments,
    chooser: Chooser,
) -> Result<(), MpiError> {
    let carrier = calls::carrier(comm)?;
    let ReduceArguments { send, receive, count, datatype, op, root } = arguments;
    let call = Call::new(&carrier, CollectiveKind::Reduce, root, chooser)?;
    let buffer = |data| Buffer { data, count, datatype };
    // SAFETY: the caller answers for the arguments.
    unsafe {
        let elements = Datatype::of(datatype)?;
        let Some(reduction) = Reduction::commuting(op, elements)?.filter(|_| elements.is_plain())
        else {
            return arguments.call_library(carrier.comm());
        };
        let (send, is_in_place) = (send.cast_mut(), is_in_place(send));
        if !call.is_root() {
            let own = Elements::of(buffer(send), "the send buffer", carrier.comm())?;
            return call.reduce_to_root(own.bytes(), send.cast(), (reduction, elements.size));
        }
        let result = Elements::of(buffer(receive), "the receive buffer", carrier.comm())?;
        if !is_in_place {
            let own = Elements::of(buffer(send), "the send buffer", carrier.comm())?;
            result.write_bytes(std::slice::from_raw_parts(own.read(1)?.start, own.bytes()), 0)?;
        }
        call.reduce_at_root(result.bytes(), receive.cast(), (reduction, elements.size))
    }
}
