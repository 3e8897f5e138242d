use crate::sample::Experiment;

/// Experiments in rounds of disjoint ones.
pub(super) fn packed(processors: usize, experiments: &[Experiment]) -> Vec<Vec<Experiment>> {
    let rounds = rounds(processors, experiments, &vec![1.0; experiments.len()]);
    rounds.into_iter().map(|round| round.into_iter().map(|e| experiments[e]).collect()).collect()
}

/// The numbers of experiments that take so long each, in rounds of disjoint ones.
///
/// Each round is filled by going through the processors, those with the most left to do first, and taking of the
/// experiments that a processor has left with free partners the one whose partners have the most left. So no processor
/// is left with a tail that it must go through while the others idle.
pub(super) fn rounds(processors: usize, experiments: &[Experiment], times: &[f64]) -> Vec<Vec<usize>> {
    let members: Vec<Vec<usize>> = experiments
        .iter()
        .map(|experiment| experiment.placement().processors().iter().map(|p| p.index()).collect())
        .collect();
    let mut left: Vec<Vec<usize>> = vec![Vec::new(); processors];
    let mut work = vec![0.0; processors];
    for (number, members) in members.iter().enumerate() {
        for &p in members {
            left[p].push(number);
            work[p] += times[number];
        }
    }
    let mut rounds = Vec::new();
    let mut to_go = members.iter().filter(|members| !members.is_empty()).count();
    while to_go > 0 {
        let mut free = vec![true; processors];
        let mut order: Vec<usize> = (0..processors).collect();
        order.sort_by(|&a, &b| work[b].total_cmp(&work[a]));
        let mut round = Vec::new();
        for p in order {
            if !free[p] {
                continue;
            }
            let possible = left[p].iter().copied().filter(|&e| members[e].iter().all(|&q| free[q]));
            let burden = |e: usize| members[e].iter().map(|&q| work[q]).sum::<f64>();
            // Of equal ones the first: the order of the experiments decides, and nothing else.
            let heaviest = |&a: &usize, &b: &usize| burden(a).total_cmp(&burden(b)).then(b.cmp(&a));
            let Some(chosen) = possible.max_by(heaviest) else { continue };
            members[chosen].iter().for_each(|&q| free[q] = false);
            round.push(chosen);
        }
        for &chosen in &round {
            for &q in &members[chosen] {
                left[q].retain(|&e| e != chosen);
                work[q] -= times[chosen];
            }
        }
        to_go -= round.len();
        rounds.push(round);
    }
    rounds
}
