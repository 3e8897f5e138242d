//! The model of some ranks of each host.

use super::{Model, ModelKind};
use crate::comm::thresholds::Thresholds;
use crate::comm::{Correlations, Index, ParameterSet, ParameterValues, Shape};
use orrery_base::file::Fault;
use orrery_base::numeric::Estimate;
use orrery_cluster::platform::{Pairs, Processor, ranks_per_host};
use orrery_measure::sample::{PROCESSES_PER_HOST, Provenance};

impl Model {
    /// Returns the model of the first `ranks` processors of each host, in the order of the
    /// processors; see [`ranks_per_host`].
    ///
    /// What was fitted to other processors is left out: thresholds of operations among them,
    /// corrections of algorithms, and links that none of their messages pass.
    ///
    /// ```
    /// use orrery_models::model::Model;
    /// let hosts = ["a", "a", "b", "b"].map(String::from).to_vec();
    /// let model = Model { hosts, ..Model::default() };
    /// assert_eq!(model.with_ranks_per_host(1)?.hosts, ["a", "b"]);
    /// # Ok::<(), orrery_base::file::Fault>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the host of a processor is unknown, and when a host has fewer processors.
    pub fn with_ranks_per_host(&self, ranks: usize) -> Result<Self, Fault> {
        let selected =
            Selected { all: self.processors(), processors: ranks_per_host(&self.hosts, ranks)? };
        let point_to_point =
            self.point_to_point.iter().map(|(&kind, one)| (kind, selected.parameters(kind, one)));
        let correlations =
            self.correlations.iter().map(|(&kind, one)| (kind, selected.correlations(one)));
        let mut measurements = self.measurements.clone();
        measurements.sweeps.retain(|sweep| selected.begins_with(sweep.procs));
        let is_of_same = |one: &&Thresholds| selected.begins_with(one.procs);
        let provenance = self.provenance.of_processors(&selected.processors);
        // Algorithms were measured on other processors.
        let is_whole = selected.processors.len() == self.processors();
        let mut discrepancies = self.discrepancies.clone();
        if !is_whole {
            discrepancies.values_mut().for_each(|all| all.collectives.clear());
        }
        Ok(Self {
            provenance: provenance.with(PROCESSES_PER_HOST, ranks.to_string()),
            measurements,
            discrepancies,
            hosts: selected.of_each(&self.hosts),
            point_to_point: point_to_point.collect(),
            correlations: correlations.collect(),
            thresholds: self.thresholds.iter().filter(is_of_same).cloned().collect(),
            combination: selected.of_each(&self.combination),
            ..self.clone()
        })
    }

    /// Returns the model of the processors that were measured later: of the first ranks of each
    /// host, if samples with this provenance say how many, and those are on the same hosts;
    /// otherwise of all.
    #[must_use]
    pub fn of_measured(self, later: &Provenance) -> Self {
        let ranks = later.get(PROCESSES_PER_HOST).and_then(|ranks| ranks.parse().ok());
        let selected = ranks.and_then(|ranks| self.with_ranks_per_host(ranks).ok());
        selected.filter(|selected| selected.hosts == later.hosts()).unwrap_or(self)
    }
}

/// Some of the processors of a model, ascending.
struct Selected {
    all: usize,
    processors: Vec<Processor>,
}

impl Selected {
    /// The values of the selected processors among those of all; other lists stay as they are.
    fn of_each<T: Clone>(&self, values: &[T]) -> Vec<T> {
        if values.len() != self.all {
            return values.to_vec();
        }
        self.processors.iter().map(|processor| values[processor.index()].clone()).collect()
    }

    /// The values of the pairs of selected processors among those of all pairs; other lists stay as
    /// they are.
    fn of_pairs<T: Clone>(&self, values: &[T]) -> Vec<T> {
        let (all, pairs) = (Pairs::of(self.all), Pairs::of(self.processors.len()));
        if values.len() != all.count() {
            return values.to_vec();
        }
        let value = |(a, b): (Processor, Processor)| {
            values[all.index(self.processors[a.index()], self.processors[b.index()])].clone()
        };
        pairs.iter().map(value).collect()
    }

    /// Returns true if the first `count` processors of all are also the first of the selected ones.
    fn begins_with(&self, count: usize) -> bool {
        self.processors.iter().copied().take(count).eq(Processor::first(count))
    }

    /// The parameters of a kind of model.
    fn parameters(&self, kind: ModelKind, parameters: &ParameterSet) -> ParameterSet {
        let shape = |name: &str| {
            kind.parameters().find(|(_, spec)| spec.name == name).map(|(shape, _)| shape)
        };
        parameters.iter().fold(
            ParameterSet::new(),
            |set, ParameterValues { name, index, estimates }| match (shape(name), index) {
                (Some(Shape::Processors), _) => set.with(name, self.of_each(estimates)),
                (Some(Shape::Pairs), _) => set.with(name, self.of_pairs(estimates)),
                (_, Index::LinkGroups(groups)) => {
                    let (groups, estimates) = self.groups(groups, estimates);
                    if groups.is_empty() {
                        set
                    } else {
                        set.with_index(name, Index::LinkGroups(groups), estimates)
                    }
                }
                _ => set.with_index(name, index.clone(), &estimates[..]),
            },
        )
    }

    /// The groups of processors, without those that contain no selected processor or all of them;
    /// of several with the same processors the slowest remains.
    fn groups(
        &self,
        groups: &[Vec<Processor>],
        delays: &[Estimate],
    ) -> (Vec<Vec<Processor>>, Vec<Estimate>) {
        let mut kept: Vec<(Vec<Processor>, Estimate)> = Vec::new();
        for (group, delay) in groups.iter().zip(delays) {
            let place = |processor: &Processor| self.processors.binary_search(processor).ok();
            let members: Vec<Processor> =
                group.iter().filter_map(place).map(|one| Processor(one as u32)).collect();
            match kept.iter_mut().find(|(known, _)| *known == members) {
                _ if members.is_empty() || members.len() == self.processors.len() => {}
                Some((_, slowest)) if slowest.value < delay.value => *slowest = *delay,
                Some(_) => {}
                None => kept.push((members, *delay)),
            }
        }
        kept.into_iter().unzip()
    }

    /// The correlations of the errors of the parameters.
    fn correlations(&self, all: &Correlations) -> Correlations {
        let Correlations { cluster, processors, pairs } = all;
        Correlations {
            cluster: cluster.clone(),
            processors: self.of_each(processors),
            pairs: self.of_pairs(pairs),
        }
    }
}
