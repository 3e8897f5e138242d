//! Collective operations as the messages of SimGrid's default algorithms (its `smpi_default_selector`).
//!
//! Barrier, reduction, gather, scatter and all-gather are linear, with one size or with a size for each rank. A
//! broadcast uses a binomial tree; an all-reduce is a reduction to rank 0 and a broadcast. In a scan each rank sends to
//! all higher ranks. An all-to-all uses the algorithm of Open MPI's table for the number of ranks and the size of the
//! block.

use super::action::CollectiveKind;
use super::participant::Participant;
use super::reduce_scatter;
use crate::schedule::Operation;
use crate::units::Bytes;

/// The operation of a rank at a step of a collective operation; `None` after its last one.
pub(super) fn operation(
    kind: CollectiveKind,
    participant: Participant<'_>,
    root: usize,
    step: usize,
) -> Option<Operation> {
    let sizes = participant.sizes;
    match kind {
        CollectiveKind::Barrier => participant.barrier(step),
        CollectiveKind::Broadcast => participant.broadcast(root, step),
        CollectiveKind::Reduce | CollectiveKind::Gather => {
            participant.with_root_receiving(root, |_| participant.size, step)
        }
        CollectiveKind::GatherV => participant.with_root_receiving(root, |from| sizes[from], step),
        CollectiveKind::Scatter => participant.with_root_sending(root, |_| participant.size, step),
        CollectiveKind::ScatterV => participant.with_root_sending(root, |to| sizes[to], step),
        CollectiveKind::Allreduce => {
            let reduction = participant.reduction_steps();
            if step < reduction {
                participant.with_root_receiving(0, |_| participant.size, step)
            } else {
                participant.broadcast(0, step - reduction)
            }
        }
        CollectiveKind::Allgather => participant.with_all(|_| participant.size, step),
        CollectiveKind::AllgatherV => participant.with_all(|from| sizes[from], step),
        CollectiveKind::Alltoall => alltoall(participant, step),
        CollectiveKind::AlltoallV => participant.with_each(step),
        CollectiveKind::Scan | CollectiveKind::ExclusiveScan => participant.scan(step),
        CollectiveKind::ReduceScatter => reduce_scatter::operation(participant, step),
    }
}

/// An algorithm of an all-to-all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Algorithm {
    /// All receives and sends are posted together.
    Linear,
    /// Round k exchanges with rank XOR k; a rank copies its own block in no time.
    Pairwise,
    /// Round k sends all blocks whose distance has bit k to the rank 2ᵏ above.
    Bruck,
}

use Algorithm::{Bruck, Linear, Pairwise};

/// SimGrid's table `alltoall__ompi`: the minimum number of ranks of a row, and its algorithms with the size in bytes
/// below which each is used. Variants with synchronization are linear too.
const ALLTOALL_TABLE: [(usize, &[(u64, Algorithm)]); 12] = [
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

/// The algorithm of an all-to-all for a number of ranks and a size of the block.
fn algorithm(ranks: usize, size: Bytes) -> Algorithm {
    let rows = ALLTOALL_TABLE.iter().rev().find(|(min_ranks, _)| ranks >= *min_ranks).map_or(&[][..], |(_, rows)| rows);
    let row = rows.iter().find(|(below, _)| size.get() < *below);
    let algorithm = row.map_or(Linear, |(_, algorithm)| *algorithm);
    // Pairs need a power of two; SimGrid aborts otherwise.
    if algorithm == Pairwise && !ranks.is_power_of_two() { Linear } else { algorithm }
}

/// Returns the operation of a rank at a step of an all-to-all.
fn alltoall(participant: Participant, step: usize) -> Option<Operation> {
    match algorithm(participant.ranks, participant.size) {
        Linear => linear(participant, step),
        Pairwise => {
            let (round, step) = (step / 4, step % 4);
            let peer = participant.rank ^ (round + 1);
            (round + 1 < participant.ranks)
                .then(|| participant.exchange((peer, participant.size), (peer, participant.size), step))
        }
        Bruck => bruck(participant, step),
    }
}

/// Returns a step of the linear all-to-all: receives from rank + 1, rank + 2, …; sends to rank − 1, rank − 2, ….
fn linear(participant: Participant, step: usize) -> Option<Operation> {
    let (ranks, others) = (participant.ranks, participant.ranks - 1);
    match step {
        k if k < others => {
            Some(participant.post(participant.receive((participant.rank + 1 + k) % ranks, participant.size), k))
        }
        k if k < 2 * others => {
            let to = (participant.rank + 2 * ranks - 1 - (k - others)) % ranks;
            Some(participant.post(participant.send(to, participant.size), k))
        }
        k if k < 4 * others => Some(participant.wait(k - 2 * others)),
        _ => None,
    }
}

/// Returns a step of Bruck's algorithm; the copies within a rank take no time.
fn bruck(participant: Participant, step: usize) -> Option<Operation> {
    let (rank, ranks) = (participant.rank, participant.ranks);
    let (round, step) = (step / 4, step % 4);
    let distance = 1_usize.checked_shl(round as u32).filter(|&distance| distance < ranks)?;
    // The number of blocks from 0 to ranks − 1 whose number has this bit.
    let blocks = (ranks / (2 * distance) * distance + (ranks % (2 * distance)).saturating_sub(distance)) as u64;
    let (to, from) = ((rank + distance) % ranks, (rank + ranks - distance) % ranks);
    let size = participant.size * blocks;
    Some(participant.exchange((to, size), (from, size), step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Transfer;

    #[test]
    fn bruck_sends_the_blocks_whose_number_has_the_bit_of_the_round() {
        for ranks in 2..70 {
            let participant =
                Participant { rank: 0, ranks, size: Bytes::new(1), sizes: &[], first_request: 0, communicator: 0 };
            for round in 0.. {
                let Some(operation) = bruck(participant, 4 * round) else { break };
                let Operation::Post(Transfer::Send { size, .. }, _) = operation else { panic!("{operation}") };
                let blocks = (0..ranks).filter(|block| block >> round & 1 == 1).count();
                assert_eq!(size.get(), blocks as u64, "{ranks} ranks, round {round}");
            }
        }
    }
}
