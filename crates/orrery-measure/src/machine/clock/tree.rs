//! The binomial tree of the ranks: in round k each rank below 2^k has a child, 2^k ranks above it.
//! After ⌈log2 p⌉ rounds all ranks are in the tree.

use super::ClockPeers;

/// The role of a rank in a round of the tree. Each rank but 0 is a child once, and a parent in
/// later rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TreeRole {
    /// The rank is the child of this parent.
    ChildOf(usize),
    /// The rank is the parent of this child.
    ParentOf(usize),
}

/// The roles of a rank in the order of the rounds.
pub(super) fn roles(rank: usize, ranks: usize) -> impl DoubleEndedIterator<Item = TreeRole> {
    let rounds = ranks.next_power_of_two().trailing_zeros();
    (0..rounds).map(|round| 1_usize << round).filter_map(move |distance| {
        if rank < distance {
            (rank + distance < ranks).then_some(TreeRole::ParentOf(rank + distance))
        } else {
            (rank < 2 * distance).then(|| TreeRole::ChildOf(rank - distance))
        }
    })
}

/// Returns the number of rank 0 on all ranks; the numbers of the others are ignored.
pub(super) fn broadcast<P: ClockPeers>(peers: &mut P, number: f64) -> Result<f64, P::Error> {
    let mut number = number;
    for role in roles(peers.rank(), peers.rank_count()) {
        match role {
            TreeRole::ChildOf(parent) => number = peers.receive(parent)?,
            TreeRole::ParentOf(child) => peers.send(child, number)?,
        }
    }
    Ok(number)
}

/// Returns the maximum of the numbers of all ranks on all ranks.
pub(super) fn maximum<P: ClockPeers>(peers: &mut P, number: f64) -> Result<f64, P::Error> {
    let mut largest = number;
    for role in roles(peers.rank(), peers.rank_count()).rev() {
        match role {
            TreeRole::ChildOf(parent) => peers.send(parent, largest)?,
            TreeRole::ParentOf(child) => largest = largest.max(peers.receive(child)?),
        }
    }
    broadcast(peers, largest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_but_0_is_once_the_child_of_a_reached_rank() {
        for ranks in 1..70 {
            let mut reached = vec![false; ranks];
            reached[0] = true;
            let of = |rank| roles(rank, ranks).collect::<Vec<_>>();
            for rank in 0..ranks {
                let parents =
                    of(rank).iter().filter(|role| matches!(role, TreeRole::ChildOf(_))).count();
                assert_eq!(parents, usize::from(rank > 0));
                for role in of(rank) {
                    match role {
                        TreeRole::ChildOf(parent) => {
                            assert!(of(parent).contains(&TreeRole::ParentOf(rank)));
                            // A rank is a child before it is a parent.
                            assert_eq!(of(rank)[0], role);
                            reached[rank] = reached[parent];
                        }
                        TreeRole::ParentOf(child) => {
                            assert!(child < ranks && of(child).contains(&TreeRole::ChildOf(rank)));
                        }
                    }
                }
            }
            assert!(reached.iter().all(|reached| *reached), "{ranks} ranks");
        }
    }
}
