//! Rounds of experiments that share no processor.

use crate::sample::Experiment;
use orrery_cluster::platform::Processor;

/// The experiments in rounds of experiments that share no processor, as if all took the same time.
pub(super) fn packed(processors: usize, experiments: &[Experiment]) -> Vec<Vec<Experiment>> {
    let rounds = rounds(processors, experiments, &vec![1.0; experiments.len()]);
    rounds.into_iter().map(|round| round.into_iter().map(|e| experiments[e]).collect()).collect()
}

/// The indices of experiments in rounds of experiments that share no processor; `times` has the
/// duration of each, in any unit.
///
/// Each round is filled greedily: processors in descending order of their remaining work, and for
/// each of them, among its experiments whose processors are free, the one whose processors have the
/// most remaining work. This avoids a processor with many experiments left at the end while the
/// others are idle.
pub(super) fn rounds(
    processors: usize,
    experiments: &[Experiment],
    times: &[f64],
) -> Vec<Vec<usize>> {
    let members: Vec<Vec<usize>> = experiments
        .iter()
        .map(|experiment| experiment.placement().processors().iter().map(|p| p.index()).collect())
        .collect();
    let mut remaining: Vec<Vec<usize>> = vec![Vec::new(); processors];
    let mut work = vec![0.0; processors];
    for (number, members) in members.iter().enumerate() {
        for &p in members {
            remaining[p].push(number);
            work[p] += times[number];
        }
    }
    let mut rounds = Vec::new();
    let mut unplaced = members.iter().filter(|members| !members.is_empty()).count();
    while unplaced > 0 {
        let mut free = vec![true; processors];
        let mut order: Vec<usize> = (0..processors).collect();
        order.sort_by(|&a, &b| work[b].total_cmp(&work[a]));
        let mut round = Vec::new();
        for p in order {
            if !free[p] {
                continue;
            }
            let possible =
                remaining[p].iter().copied().filter(|&e| members[e].iter().all(|&q| free[q]));
            let burden = |e: usize| members[e].iter().map(|&q| work[q]).sum::<f64>();
            // Ties are broken by the order of the experiments.
            let heaviest = |&a: &usize, &b: &usize| burden(a).total_cmp(&burden(b)).then(b.cmp(&a));
            let Some(chosen) = possible.max_by(heaviest) else { continue };
            members[chosen].iter().for_each(|&q| free[q] = false);
            round.push(chosen);
        }
        for &chosen in &round {
            for &q in &members[chosen] {
                remaining[q].retain(|&e| e != chosen);
                work[q] -= times[chosen];
            }
        }
        unplaced -= round.len();
        rounds.push(round);
    }
    rounds
}

/// All pairs in rounds of disjoint pairs, by the circle method: one player keeps its place, the
/// others rotate.
pub(super) fn tournament(processors: usize) -> Vec<Vec<(Processor, Processor)>> {
    let players = processors + processors % 2;
    if players < 2 {
        return Vec::new();
    }
    let last = players - 1;
    let player =
        |round: usize, place: usize| if place == last { last } else { (round + place) % last };
    let pairs = |round: usize| {
        let pairs =
            (0..players / 2).map(move |place| (player(round, place), player(round, last - place)));
        // With an odd number of processors, the one that is paired with the additional player
        // pauses.
        let pairs = pairs.filter(|&(a, b)| a < processors && b < processors);
        pairs.map(|(a, b)| (Processor(a.min(b) as u32), Processor(a.max(b) as u32))).collect()
    };
    (0..last).map(pairs).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use orrery_cluster::platform::Pairs;

    #[test]
    fn a_tournament_has_every_pair_once_in_the_fewest_rounds() {
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
}
