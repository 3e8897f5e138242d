//! The barrier before each repetition, and after it where the root alone is read.
//!
//! By dissemination: in round k each rank tells rank + 2^k, and hears from rank − 2^k, modulo p; after ⌈log2 p⌉ rounds
//! every rank has heard, directly or not, from every other. Where one rank is read and sends first ([`Batch::starter`]),
//! it calls all others and begins when all have answered.

use super::transport::{Transport, Trouble};
use crate::machine::Batch;

/// Tags from here on are the machine's own: those of programs have 32 bits.
pub(super) const TAGS: u64 = 1 << 32;

/// Returns when all ranks of the batch's program have come here.
pub(super) fn barrier(batch: &Batch, transport: &mut Transport<'_>) -> Result<(), Trouble> {
    let (me, ranks) = (transport.me(), transport.ranks());
    match batch.starter() {
        Some(starter) if starter.index() == me => {
            let others = (0..ranks).filter(|&rank| rank != me);
            for other in others.clone() {
                let told = transport.post_send(other, 0, TAGS)?;
                transport.wait(told)?;
            }
            for other in others {
                let heard = transport.post_receive(Some(other), 0, TAGS)?;
                transport.wait(heard)?;
            }
            Ok(())
        }
        Some(starter) => {
            let called = transport.post_receive(Some(starter.index()), 0, TAGS)?;
            transport.wait(called)?;
            let answered = transport.post_send(starter.index(), 0, TAGS)?;
            transport.wait(answered)
        }
        None => dissemination(transport),
    }
}

fn dissemination(transport: &mut Transport<'_>) -> Result<(), Trouble> {
    let (me, ranks) = (transport.me(), transport.ranks());
    let mut distance = 1;
    while distance < ranks {
        let tag = TAGS + distance as u64;
        let told = transport.post_send((me + distance) % ranks, 0, tag)?;
        let heard = transport.post_receive(Some((me + ranks - distance) % ranks), 0, tag)?;
        transport.wait(heard)?;
        transport.wait(told)?;
        distance *= 2;
    }
    Ok(())
}
