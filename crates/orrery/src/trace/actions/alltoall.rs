//! An all-to-all: the algorithm is that which SimGrid takes over from a table of Open MPI's, by ranks and block.

use super::collective::Part;
use crate::schedule::Operation;
use crate::units::Bytes;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Algorithm {
    /// All receives and sends are posted at once.
    Linear,
    /// In round k with rank XOR k; what a rank has for itself is copied in no time.
    Pairwise,
    /// In round k all blocks whose distance has bit k go 2^k ranks on.
    Bruck,
}

use Algorithm::{Bruck, Linear, Pairwise};

/// From so many ranks on, blocks below so many bytes go this way; SimGrid's `alltoall__ompi`, whose variants with
/// synchronisation are linear too. Blocks beyond the last limit are of the last algorithm.
const TABLE: [(usize, &[(u64, Algorithm)]); 12] = [
    (
        2,
        &[
            (2, Pairwise),
            (4, Linear),
            (16, Pairwise),
            (64, Linear),
            (256, Pairwise),
            (4096, Linear),
            (32_768, Pairwise),
            (1_048_576, Linear),
            (u64::MAX, Pairwise),
        ],
    ),
    (3, &[(524_288, Linear), (1_048_576, Pairwise), (u64::MAX, Linear)]),
    (8, &[(u64::MAX, Linear)]),
    (16, &[(4, Linear), (512, Bruck), (u64::MAX, Linear)]),
    (32, &[(512, Bruck), (u64::MAX, Linear)]),
    (64, &[(1024, Bruck), (262_144, Linear), (u64::MAX, Pairwise)]),
    (128, &[(1024, Bruck), (262_144, Linear), (u64::MAX, Pairwise)]),
    (256, &[(1024, Bruck), (32_768, Linear), (u64::MAX, Pairwise)]),
    (512, &[(512, Bruck), (262_144, Linear), (u64::MAX, Pairwise)]),
    (1024, &[(512, Bruck), (u64::MAX, Linear)]),
    (2048, &[(1024, Bruck), (u64::MAX, Linear)]),
    (4096, &[(2048, Bruck), (u64::MAX, Linear)]),
];

fn algorithm(ranks: usize, block: Bytes) -> Algorithm {
    let rows = TABLE.iter().rev().find(|(least, _)| ranks >= *least).map_or(&[][..], |(_, rows)| rows);
    let row = rows.iter().find(|(below, _)| block.get() < *below);
    let algorithm = row.map_or(Linear, |(_, algorithm)| *algorithm);
    // In pairs only a power of two can be; SimGrid gives up there.
    if algorithm == Pairwise && !ranks.is_power_of_two() { Linear } else { algorithm }
}

/// What a rank does at a step.
pub(super) fn operation(part: Part, step: usize) -> Option<Operation> {
    match algorithm(part.ranks, part.size) {
        Linear => linear(part, step),
        Pairwise => {
            let (round, step) = (step / 4, step % 4);
            let peer = part.rank ^ (round + 1);
            (round + 1 < part.ranks).then(|| part.exchange((peer, part.size), (peer, part.size), step))
        }
        Bruck => bruck(part, step),
    }
}

/// Receives from the next rank up, sends to the next rank down, and so on.
fn linear(part: Part, step: usize) -> Option<Operation> {
    let (ranks, others) = (part.ranks, part.ranks - 1);
    match step {
        k if k < others => Some(part.post(part.receive((part.rank + 1 + k) % ranks, part.size), k)),
        k if k < 2 * others => {
            let to = (part.rank + 2 * ranks - 1 - (k - others)) % ranks;
            Some(part.post(part.send(to, part.size), k))
        }
        k if k < 4 * others => Some(part.wait(k - 2 * others)),
        _ => None,
    }
}

/// What SimGrid copies within a rank takes no time; the rounds between are messages.
fn bruck(part: Part, step: usize) -> Option<Operation> {
    let (rank, ranks) = (part.rank, part.ranks);
    let (round, step) = (step / 4, step % 4);
    let distance = 1_usize.checked_shl(round as u32).filter(|&distance| distance < ranks)?;
    let blocks = (1..ranks).filter(|block| block & distance != 0).count() as u64;
    let (to, from) = ((rank + distance) % ranks, (rank + ranks - distance) % ranks);
    let size = part.size * blocks;
    Some(part.exchange((to, size), (from, size), step))
}
