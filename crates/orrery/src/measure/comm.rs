//! The experiments that identify the point-to-point models.

use super::Plan;
use crate::comm::{FitError, Observations};
use crate::platform::{Pairs, Processor};
use crate::sample::{Experiment, Samples};
use crate::units::Bytes;

/// Which triplets of processors take part in one-to-two experiments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Triplets {
    /// All of them: 3·C(n,3) experiments at each size.
    #[default]
    Full,
}

/// Round trips of all pairs: for each size M in `sizes` both (M, M) and (M, 0), which for M = 0 is one.
///
/// Rounds are those of a round-robin tournament: n − 1 of n/2 pairs for even n, n of (n − 1)/2 for odd n.
pub fn round_trips(processors: usize, sizes: &[Bytes], seed: u64) -> Plan {
    let mut rounds = Vec::new();
    for pairs in tournament(processors) {
        for &size in sizes {
            let round = |reply| pairs.iter().map(|&(i, j)| Experiment::RoundTrip { i, j, size, reply }).collect();
            rounds.push(round(size));
            if size > Bytes::ZERO {
                rounds.push(round(Bytes::ZERO));
            }
        }
    }
    Plan::shuffled(rounds, seed)
}

/// One-to-two experiments with empty messages and with messages of `size`, from each processor of a triplet to the
/// other two, the partner whose round trip was slower second.
///
/// # Errors
///
/// When the round trips (0, 0) and (size, 0) of a pair have not been measured.
pub fn one_to_twos(
    triplets: Triplets,
    samples: &Samples,
    processors: usize,
    size: Bytes,
    seed: u64,
) -> Result<Plan, FitError> {
    let Triplets::Full = triplets;
    let trips = Observations::of(samples, |experiment| matches!(experiment, Experiment::RoundTrip { .. }));
    let mut missing = Vec::new();
    let mut time = |i, x, size| match trips.round_trip(i, x, size, Bytes::ZERO) {
        Some(trip) => trip.seconds,
        None => {
            missing.push(format!("round trip {i}-{x} ({size} out, 0 back)"));
            0.0
        }
    };
    let sizes = if size > Bytes::ZERO { vec![Bytes::ZERO, size] } else { vec![Bytes::ZERO] };
    let mut rounds = Vec::new();
    for round in packed_triplets(processors) {
        for &size in &sizes {
            for place in 0..3 {
                let mut experiment = |t: &[Processor; 3]| {
                    let (i, a, b) = (t[place], t[(place + 1) % 3], t[(place + 2) % 3]);
                    let (j, k) = if time(i, a, size) <= time(i, b, size) { (a, b) } else { (b, a) };
                    Experiment::OneToTwo { i, j, k, size }
                };
                rounds.push(round.iter().map(&mut experiment).collect());
            }
        }
    }
    if missing.is_empty() {
        return Ok(Plan::shuffled(rounds, seed));
    }
    Err(FitError::Missing { model: "the order of one-to-two experiments", count: missing.len(), missing })
}

/// All pairs in rounds of disjoint ones, by the circle method: one processor stays, the others go round.
fn tournament(processors: usize) -> Vec<Vec<(Processor, Processor)>> {
    let seats = processors + processors % 2;
    if seats < 2 {
        return Vec::new();
    }
    let turn = seats - 1;
    let seat = |round: usize, place: usize| if place == turn { turn } else { (round + place) % turn };
    let rounds = 0..turn;
    let meet = |round: usize| {
        let tables = (0..seats / 2).map(move |table| (seat(round, table), seat(round, turn - table)));
        // With an odd number one processor sits out: it meets the empty seat.
        let pairs = tables.filter(|&(a, b)| a < processors && b < processors);
        pairs.map(|(a, b)| (Processor(a.min(b) as u32), Processor(a.max(b) as u32))).collect()
    };
    rounds.map(meet).collect()
}

/// All triplets in rounds of disjoint ones, packed greedily.
fn packed_triplets(processors: usize) -> Vec<Vec<[Processor; 3]>> {
    let mut rest: Vec<[Processor; 3]> = Pairs::of(processors)
        .iter()
        .flat_map(|(i, j)| (j.0 + 1..processors as u32).map(move |k| [i, j, Processor(k)]))
        .collect();
    let mut rounds = Vec::new();
    while !rest.is_empty() {
        let mut taken = vec![false; processors];
        let (round, later) = rest.into_iter().partition::<Vec<_>, _>(|triplet| {
            let free = triplet.iter().all(|p| !taken[p.index()]);
            if free {
                triplet.iter().for_each(|p| taken[p.index()] = true);
            }
            free
        });
        rounds.push(round);
        rest = later;
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_tournament_has_every_pair_once_in_as_few_rounds_as_can_be() {
        for n in 0..20 {
            let rounds = tournament(n);
            let all: Vec<_> = rounds.iter().flatten().copied().collect();
            assert_eq!(all.len(), Pairs::of(n).count());
            assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
            assert!(n < 2 || rounds.len() == n - 1 + n % 2);
            for round in &rounds {
                let players: BTreeSet<_> = round.iter().flat_map(|&(a, b)| [a, b]).collect();
                assert_eq!(players.len(), 2 * round.len(), "{n} {round:?}");
            }
        }
    }

    #[test]
    fn triplets_are_packed_in_disjoint_rounds() {
        for n in 0..14 {
            let rounds = packed_triplets(n);
            let all: BTreeSet<_> = rounds.iter().flatten().copied().collect();
            assert_eq!(all.len(), if n < 3 { 0 } else { n * (n - 1) * (n - 2) / 6 });
            for round in &rounds {
                let players: BTreeSet<_> = round.iter().flatten().collect();
                assert_eq!(players.len(), 3 * round.len());
            }
        }
    }
}
