use super::Experiment;
use crate::platform::{Hosts, LinkClass, Placement, Processor};
use crate::units::Bytes;

/// The names of the columns of processors in samples files and tables, in the order of the ranks.
pub const PROCESSOR_COLUMNS: [&str; 3] = ["i", "j", "k"];

/// The values of an experiment in the columns of the samples file; `None` for columns that the experiment does not use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExperimentFields {
    /// The processors of [`PROCESSOR_COLUMNS`]: the one that sends first, its partner, its second partner; none of
    /// collective operations.
    pub processors: [Option<Processor>; PROCESSOR_COLUMNS.len()],
    /// The root of a collective operation, in the first column of processors.
    pub root: Option<Processor>,
    /// The number of processors of a collective operation, which are those from 0 on.
    pub procs: Option<usize>,
    /// The size of the message or block.
    pub size: Bytes,
    /// The size of the reply.
    pub reply: Option<Bytes>,
    /// The number of messages.
    pub count: Option<u32>,
    /// The wait after each message in nanoseconds.
    pub delay: Option<u64>,
}

impl ExperimentFields {
    /// Creates the fields of an experiment with only these processors and a size.
    pub fn new<const N: usize>(processors: [Processor; N], size: Bytes) -> Self {
        let mut columns = [None; PROCESSOR_COLUMNS.len()];
        columns.iter_mut().zip(processors).for_each(|(column, processor)| *column = Some(processor));
        Self { processors: columns, root: None, procs: None, size, reply: None, count: None, delay: None }
    }

    /// The processors with a column of their own.
    pub fn processors(&self) -> impl Iterator<Item = Processor> {
        self.processors.into_iter().flatten()
    }

    /// The same values with other processors, in the order of the ranks; surplus ones are ignored.
    #[must_use]
    pub fn with_processors(mut self, processors: impl IntoIterator<Item = Processor>) -> Self {
        let columns = self.processors.iter_mut().flatten();
        columns.zip(processors).for_each(|(column, processor)| *column = processor);
        self
    }
}

/// Properties of an experiment that follow from its fields.
impl Experiment {
    /// The size of the message or block.
    pub fn size(&self) -> Bytes {
        self.fields().size
    }

    /// Returns true for operations of processors 0 to procs − 1, by a known algorithm or that of the MPI library.
    pub fn is_collective(&self) -> bool {
        self.fields().procs.is_some()
    }

    /// The two processors of an experiment of one pair.
    pub fn pair(&self) -> Option<(Processor, Processor)> {
        let fields = self.fields();
        let mut processors = fields.processors();
        match (processors.next(), processors.next(), processors.next()) {
            (Some(i), Some(j), None) => Some((i, j)),
            _ => None,
        }
    }

    /// The number of processors that take part.
    pub fn procs(&self) -> usize {
        let fields = self.fields();
        fields.procs.unwrap_or_else(|| fields.processors().count())
    }

    /// The processor at which the time is read: the root, or the processor that sends first.
    pub fn reader(&self) -> Processor {
        let fields = self.fields();
        fields.root.or(fields.processors[0]).unwrap_or(Processor(0))
    }

    /// The processor of each rank.
    pub fn placement(&self) -> Placement {
        let fields = self.fields();
        fields.procs.map_or_else(|| Placement::new(fields.processors()), Placement::identity)
    }

    /// The class of the links from the first processor to its partners; `None` if all links of the cluster are of one
    /// class, and for collective operations, which use links of all classes.
    pub fn class(&self, hosts: &Hosts) -> Option<LinkClass> {
        let fields = self.fields();
        let first = fields.processors().next()?;
        let links: Vec<_> = fields.processors().skip(1).map(|partner| (first, partner)).collect();
        hosts.class_of(&links)
    }

    /// One more than the highest processor that takes part.
    pub fn processors_needed(&self) -> usize {
        let fields = self.fields();
        let named = fields.processors().chain(fields.root).map(|processor| processor.index() + 1).max();
        named.unwrap_or(0).max(fields.procs.unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::schedule::Schedule;

    #[test]
    fn every_experiment_is_made_of_its_name_and_its_fields() {
        let templates: Vec<Experiment> = Experiment::templates().collect();
        let names: BTreeSet<String> = templates.iter().map(Experiment::name).collect();
        assert_eq!(names.len(), templates.len(), "{names:?}");
        for template in templates {
            let fields = template.fields().with_processors([3, 1, 2].map(Processor));
            let (size, reply) = (Bytes::new(8), fields.reply.map(|_| Bytes::new(4)));
            let (root, procs) = (fields.root.map(|_| Processor(2)), fields.procs.map(|_| 5));
            let (count, delay) = (fields.count.map(|_| 6), fields.delay.map(|_| 7));
            let experiment =
                template.with_fields(&ExperimentFields { root, procs, size, reply, count, delay, ..fields });
            // Replies of some experiments are always empty.
            let always_empty = experiment.fields().reply.filter(|reply| *reply == Bytes::ZERO);
            let reply = always_empty.or(reply);
            let expected = ExperimentFields { root, procs, size, reply, count, delay, ..fields };
            assert_eq!(experiment.fields(), expected, "{experiment}");
            assert_eq!((experiment.name(), experiment.size()), (template.name(), size));
            assert_eq!(experiment.with_fields(&experiment.fields()), experiment);
            assert_eq!(experiment.has_program(), experiment.program().is_some());
            if let Some((program, placement)) = experiment.program() {
                assert_eq!((program.ranks(), placement.ranks()), (experiment.procs(), experiment.procs()));
            }
        }
    }
}
