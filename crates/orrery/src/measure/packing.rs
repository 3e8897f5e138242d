use crate::sample::Experiment;

/// Experiments in rounds of disjoint ones.
///
/// Each round is filled by going through the processors, those with the most experiments left first, and taking of the
/// experiments that a processor has left with free partners the one whose partners have the most left. So no processor
/// is left with a tail that it must go through while the others idle.
pub(super) fn packed(processors: usize, experiments: &[Experiment]) -> Vec<Vec<Experiment>> {
    let members: Vec<Vec<usize>> = experiments
        .iter()
        .map(|experiment| experiment.placement().processors().iter().map(|p| p.index()).collect())
        .collect();
    let mut left: Vec<Vec<usize>> = vec![Vec::new(); processors];
    for (number, members) in members.iter().enumerate() {
        members.iter().for_each(|&p| left[p].push(number));
    }
    let mut rounds = Vec::new();
    let mut to_go = members.iter().filter(|members| !members.is_empty()).count();
    while to_go > 0 {
        let mut free = vec![true; processors];
        let mut order: Vec<usize> = (0..processors).collect();
        order.sort_by_key(|&p| std::cmp::Reverse(left[p].len()));
        let mut round = Vec::new();
        for p in order {
            if !free[p] {
                continue;
            }
            let possible = left[p].iter().copied().filter(|&e| members[e].iter().all(|&q| free[q]));
            let burden = |e: usize| members[e].iter().map(|&q| left[q].len()).sum::<usize>();
            // Of equal ones the first: the order of the experiments decides, and nothing else.
            let Some(chosen) = possible.max_by_key(|&e| (burden(e), std::cmp::Reverse(e))) else { continue };
            members[chosen].iter().for_each(|&q| free[q] = false);
            round.push(chosen);
        }
        for &chosen in &round {
            members[chosen].iter().for_each(|&q| left[q].retain(|&e| e != chosen));
        }
        to_go -= round.len();
        rounds.push(round.into_iter().map(|e| experiments[e]).collect());
    }
    rounds
}
