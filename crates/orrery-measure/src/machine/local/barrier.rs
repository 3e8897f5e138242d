//! The barrier before each repetition, and after it if only the root is read.
//!
//! It is a dissemination barrier: in round k each rank sends to rank + 2^k and receives from rank −
//! 2^k, modulo p; after ⌈log2 p⌉ rounds every rank has received, directly or not, from every other.
//! If one rank is read and sends first ([`Batch::starter`]), it sends to all others instead and
//! starts when all have answered.

use super::protocol::BatchFailure;
use super::transport::Transport;
use crate::machine::Batch;

/// The first tag of the machine's own messages; tags of programs have 32 bits.
pub(super) const FIRST_MACHINE_TAG: u64 = 1 << 32;

/// Returns when all ranks of the batch's program have called it.
pub(super) fn barrier(batch: &Batch, transport: &mut Transport<'_>) -> Result<(), BatchFailure> {
    let (rank, ranks) = (transport.rank(), transport.rank_count());
    match batch.starter() {
        Some(starter) if starter.index() == rank => {
            let others = (0..ranks).filter(|&other| other != rank);
            for other in others.clone() {
                let send = transport.post_send(other, 0, FIRST_MACHINE_TAG)?;
                transport.wait(send)?;
            }
            for other in others {
                let receive = transport.post_receive(Some(other), 0, FIRST_MACHINE_TAG)?;
                transport.wait(receive)?;
            }
            Ok(())
        }
        Some(starter) => {
            let receive = transport.post_receive(Some(starter.index()), 0, FIRST_MACHINE_TAG)?;
            transport.wait(receive)?;
            let send = transport.post_send(starter.index(), 0, FIRST_MACHINE_TAG)?;
            transport.wait(send)
        }
        None => dissemination(transport),
    }
}

/// Passes a dissemination barrier of all ranks.
fn dissemination(transport: &mut Transport<'_>) -> Result<(), BatchFailure> {
    let (rank, ranks) = (transport.rank(), transport.rank_count());
    let mut distance = 1;
    while distance < ranks {
        let tag = FIRST_MACHINE_TAG + distance as u64;
        let send = transport.post_send((rank + distance) % ranks, 0, tag)?;
        let receive = transport.post_receive(Some((rank + ranks - distance) % ranks), 0, tag)?;
        transport.wait(receive)?;
        transport.wait(send)?;
        distance *= 2;
    }
    Ok(())
}
