//! Partners in Bine trees: numbers of ranks to the base −2 (negabinary).

/// The bits with odd numbers; adding them and taking them off by XOR converts to the base −2.
const ODD_BITS: u64 = 0xAAAA_AAAA_AAAA_AAAA;

/// The partner of a rank in a step of the butterfly of `size` ranks, a power of two: r + ρ for even
/// r, r − ρ for odd r, with ρ = (1 − (−2)^(step + 1))/3.
pub(super) fn partner(rank: usize, step: u32, size: usize) -> usize {
    let distance = (1 - (-2_i64).pow(step + 1)) / 3;
    let signed = if rank.is_multiple_of(2) { distance } else { -distance };
    (rank as i64 + signed).rem_euclid(size as i64) as usize
}

/// The ranks that a rank reaches in the steps of the butterfly from `step` on, itself included.
pub(super) fn reachable(rank: usize, step: u32, size: usize) -> Vec<usize> {
    let mut reached = vec![rank];
    for step in step..size.ilog2() {
        reached.extend(reached.clone().into_iter().map(|rank| partner(rank, step, size)));
    }
    reached
}

/// The number of steps that remain for a rank of a tree of `size` ranks, a power of two, after it
/// has received: the number of its children.
pub(super) fn children(rank: usize, size: usize) -> u32 {
    if rank == 0 {
        return size.ilog2();
    }
    let digits = to_negabinary(rank);
    let equal = if digits & 1 == 0 { digits.trailing_zeros() } else { digits.trailing_ones() };
    equal.min(size.ilog2()) - 1
}

/// The rank whose last `bits` negabinary digits are the inverted ones of `rank`.
pub(super) fn with_inverted(rank: usize, bits: u32, size: usize) -> usize {
    let digits = to_negabinary(rank) ^ ((1 << bits) - 1);
    ((digits ^ ODD_BITS).wrapping_sub(ODD_BITS) % size as u64) as usize
}

/// The digits of a number to the base −2.
const fn to_negabinary(number: usize) -> u64 {
    (number as u64).wrapping_add(ODD_BITS) ^ ODD_BITS
}
