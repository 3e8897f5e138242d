//! The plan of further experiments: those of the registry that need nothing but processors and a
//! size.

use super::Plan;
use super::packing::{packed, tournament};
use crate::sample::{Experiment, ExperimentKind};
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;

/// The experiments, with processors and sizes of 0, that a [`CommDesign`](super::CommDesign) can
/// measure besides those that it always measures.
pub fn further_experiments() -> impl Iterator<Item = Experiment> {
    let is_measured = |kind| {
        matches!(
            kind,
            ExperimentKind::RoundTrip | ExperimentKind::OneToTwo | ExperimentKind::TwoToOne
        )
    };
    let needs_sizes_only = move |template: &Experiment| {
        let fields = template.fields();
        fields.procs.is_none() && fields.count.is_none() && !is_measured(template.kind())
    };
    Experiment::templates().filter(needs_sizes_only)
}

/// The plan of these experiments at these sizes: of two processors on all pairs, of more on each
/// processor with those that follow it in cyclic order. Replies are empty.
pub(super) fn further(
    templates: &[Experiment],
    processors: usize,
    sizes: &[Bytes],
    seed: u64,
) -> Plan {
    let mut rounds = Vec::new();
    for template in templates {
        let sets: Vec<Vec<Vec<Processor>>> = match template.procs() {
            2 => tournament(processors)
                .into_iter()
                .map(|round| round.into_iter().map(|(i, j)| vec![i, j]).collect())
                .collect(),
            needed if needed <= processors => {
                let cyclic =
                    |i: Processor, step| Processor(((i.index() + step) % processors) as u32);
                let sets = Processor::first(processors)
                    .map(|i| (0..needed).map(|step| cyclic(i, step)).collect());
                vec![sets.collect()]
            }
            _ => Vec::new(),
        };
        for &size in sizes {
            let placed = |set: &Vec<Processor>| {
                let mut fields = template.fields().with_processors(set.iter().copied());
                fields.size = size;
                template.with_fields(&fields)
            };
            for set in &sets {
                rounds.extend(packed(processors, &set.iter().map(placed).collect::<Vec<_>>()));
            }
        }
    }
    Plan::shuffled(rounds, seed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn further_experiments_run_once_on_every_set_of_processors() {
        let sizes = [Bytes::ZERO, Bytes::new(8)];
        let further_ones: Vec<Experiment> = further_experiments().collect();
        assert_eq!(
            further_ones.iter().map(Experiment::name).collect::<Vec<_>>(),
            ["send-receive", "exchange", "combination"]
        );
        let of_kind =
            |kind| further_experiments().filter(move |template| template.kind() == kind).collect();
        let (exchange, combination): (Vec<Experiment>, Vec<Experiment>) =
            (of_kind(ExperimentKind::Exchange), of_kind(ExperimentKind::Combination));
        let one_to_two: Vec<Experiment> = Experiment::templates()
            .filter(|template| template.kind() == ExperimentKind::OneToTwo)
            .collect();
        for (templates, per_size) in [(exchange, 10), (one_to_two, 5), (combination, 5)] {
            let plan = further(&templates, 5, &sizes, 1);
            let different: BTreeSet<_> = plan.experiments().collect();
            assert_eq!((different.len(), plan.len()), (2 * per_size, 2 * per_size));
            for round in plan.rounds() {
                let used: Vec<Processor> = round
                    .iter()
                    .flat_map(|experiment| experiment.placement().processors().to_vec())
                    .collect();
                assert_eq!(used.iter().collect::<BTreeSet<_>>().len(), used.len(), "{round:?}");
            }
            let alone = further(&templates, 1, &sizes, 1).len();
            assert_eq!(alone, if templates[0].procs() == 1 { sizes.len() } else { 0 });
        }
    }
}
