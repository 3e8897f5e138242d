//! Collective operations of the library.

use std::ffi::c_int;

use orrery::sample::element_size;
use orrery::schedule::CollectiveKind;
use orrery::units::Bytes;

use super::Comm;
use crate::MpiError;

/// A collective operation of the library on one rank.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Collective {
    pub kind: CollectiveKind,
    pub root: c_int,
    /// The size in bytes: the block of one rank, or the vector.
    pub bytes: c_int,
}

impl Collective {
    /// The numbers of bytes that a rank among `ranks` sends and receives at most.
    pub fn buffers(self, ranks: usize) -> (usize, usize) {
        let block = self.bytes as usize;
        let all = block.saturating_mul(ranks);
        match self.kind {
            CollectiveKind::Scatter | CollectiveKind::ReduceScatter => (all, block),
            CollectiveKind::Gather | CollectiveKind::Allgather => (block, all),
            CollectiveKind::Alltoall => (all, all),
            _ => (block, block),
        }
    }

    /// Calls the operation. Reductions add doubles, or bytes where the size is no multiple of
    /// theirs.
    ///
    /// # Safety
    ///
    /// The buffers have the lengths of [`Collective::buffers`] for the size of the communicator,
    /// and nothing else uses them.
    pub unsafe fn call(
        self,
        send: *const u8,
        receive: *mut u8,
        comm: Comm,
    ) -> Result<(), MpiError> {
        let Self { kind, root, bytes } = self;
        let (send, receive, comm) = (send.cast(), receive.cast(), comm.0);
        // SAFETY: the caller answers for the buffers; counts and types describe their lengths.
        unsafe {
            let (byte, sum) = (mpi_sys::RSMPI_UINT8_T, mpi_sys::RSMPI_SUM);
            let size = element_size(kind, Bytes::new(bytes as u64)) as c_int;
            let (element, count) =
                (if size == 1 { byte } else { mpi_sys::RSMPI_DOUBLE }, bytes / size);
            match kind {
                CollectiveKind::Scatter => {
                    call!(MPI_Scatter(send, bytes, byte, receive, bytes, byte, root, comm))
                }
                CollectiveKind::Gather => {
                    call!(MPI_Gather(send, bytes, byte, receive, bytes, byte, root, comm))
                }
                CollectiveKind::Allgather => {
                    call!(MPI_Allgather(send, bytes, byte, receive, bytes, byte, comm))
                }
                CollectiveKind::Alltoall => {
                    call!(MPI_Alltoall(send, bytes, byte, receive, bytes, byte, comm))
                }
                CollectiveKind::Barrier => call!(MPI_Barrier(comm)),
                CollectiveKind::Broadcast => {
                    call!(MPI_Bcast(receive, bytes, byte, root, comm))
                }
                CollectiveKind::Reduce => {
                    call!(MPI_Reduce(send, receive, count, element, sum, root, comm))
                }
                CollectiveKind::Allreduce => {
                    call!(MPI_Allreduce(send, receive, count, element, sum, comm))
                }
                CollectiveKind::ReduceScatter => {
                    call!(MPI_Reduce_scatter_block(send, receive, count, element, sum, comm))
                }
                CollectiveKind::Scan => {
                    call!(MPI_Scan(send, receive, count, element, sum, comm))
                }
                CollectiveKind::Exscan => {
                    call!(MPI_Exscan(send, receive, count, element, sum, comm))
                }
            }
        }
    }
}

impl Comm {
    /// Gives all ranks the bytes of rank 0.
    pub fn share_bytes(self, bytes: &mut [u8]) -> Result<(), MpiError> {
        let count = c_int::try_from(bytes.len())
            .map_err(|_| MpiError::impossible("a control message exceeds 2 GiB"))?;
        // SAFETY: the slice is borrowed for the whole call.
        unsafe {
            call!(MPI_Bcast(bytes.as_mut_ptr().cast(), count, mpi_sys::RSMPI_UINT8_T, 0, self.0))
        }
    }
}
