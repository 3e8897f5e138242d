//! A barrier by dissemination: in round k each rank tells rank + 2^k, and hears from rank − 2^k, modulo p.
//!
//! After ⌈log2 p⌉ rounds every rank has heard, directly or not, from every other.

use super::transport::{Transport, Trouble};

/// Tags from here on are the machine's own: those of programs have 32 bits.
const TAGS: u64 = 1 << 32;

/// Returns when all ranks of the program have come here.
pub(super) fn barrier(transport: &mut Transport<'_>) -> Result<(), Trouble> {
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
