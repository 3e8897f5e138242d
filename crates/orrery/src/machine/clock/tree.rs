//! The binomial tree of the ranks: in round k each rank below 2^k has a child, 2^k ranks above it. After ⌈log2 p⌉ rounds
//! all ranks are in the tree.

use super::ClockPeers;

/// Who does what in the rounds of a rank: it is a child once, unless it is rank 0, and a parent in each round thereafter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// It has this parent.
    Child(usize),
    /// It has this child.
    Parent(usize),
}

/// The parts of a rank among so many, in the order of the rounds.
pub(super) fn parts(me: usize, ranks: usize) -> impl DoubleEndedIterator<Item = Part> {
    let rounds = ranks.next_power_of_two().trailing_zeros();
    (0..rounds).map(|round| 1_usize << round).filter_map(move |distance| {
        if me < distance {
            (me + distance < ranks).then_some(Part::Parent(me + distance))
        } else {
            (me < 2 * distance).then(|| Part::Child(me - distance))
        }
    })
}

/// The number of rank 0; those of the others do not matter.
pub(super) fn broadcast<P: ClockPeers>(peers: &mut P, number: f64) -> Result<f64, P::Error> {
    let mut number = number;
    for part in parts(peers.rank(), peers.rank_count()) {
        match part {
            Part::Child(parent) => number = peers.receive(parent)?,
            Part::Parent(child) => peers.send(child, number)?,
        }
    }
    Ok(number)
}

/// The maximum of the numbers of all ranks, known to all of them.
pub(super) fn maximum<P: ClockPeers>(peers: &mut P, number: f64) -> Result<f64, P::Error> {
    let mut largest = number;
    for part in parts(peers.rank(), peers.rank_count()).rev() {
        match part {
            Part::Child(parent) => peers.send(parent, largest)?,
            Part::Parent(child) => largest = largest.max(peers.receive(child)?),
        }
    }
    broadcast(peers, largest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_but_the_first_is_once_a_child_of_a_rank_that_knows() {
        for ranks in 1..70 {
            let mut knows = vec![false; ranks];
            knows[0] = true;
            let of = |me| parts(me, ranks).collect::<Vec<_>>();
            for me in 0..ranks {
                let parents = of(me).iter().filter(|part| matches!(part, Part::Child(_))).count();
                assert_eq!(parents, usize::from(me > 0));
                for part in of(me) {
                    match part {
                        Part::Child(parent) => {
                            assert!(of(parent).contains(&Part::Parent(me)));
                            // It learns first, and serves then.
                            assert_eq!(of(me)[0], part);
                            knows[me] = knows[parent];
                        }
                        Part::Parent(child) => assert!(child < ranks && of(child).contains(&Part::Child(me))),
                    }
                }
            }
            assert!(knows.iter().all(|knows| *knows), "{ranks} ranks");
        }
    }
}
