use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;

/// The names of the columns of processors in samples files and tables, in the order of the ranks.
pub const PROCESSOR_COLUMNS: [&str; 3] = ["i", "j", "k"];

/// The values of an experiment in the columns of the samples file; `None` for columns that the
/// experiment does not use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExperimentFields {
    /// The processors of [`PROCESSOR_COLUMNS`]: the one that sends first, its partner, its second
    /// partner; none of collective operations.
    pub processors: [Option<Processor>; PROCESSOR_COLUMNS.len()],
    /// The root of a collective operation, in the first column of processors.
    pub root: Option<Processor>,
    /// The number of processors of a collective operation, which are those from 0 on.
    pub procs: Option<usize>,
    /// The size of the message or block.
    pub size: Bytes,
    /// The size of the reply.
    pub reply: Option<Bytes>,
    /// The number of messages of a train, or of pairs that exchange messages at the same time.
    pub count: Option<u32>,
    /// The wait after each message in nanoseconds.
    pub delay: Option<u64>,
    /// The number of a set of experiments that ran at the same time.
    pub set: Option<u32>,
}

impl ExperimentFields {
    /// Creates the fields of an experiment with only these processors and a size.
    pub fn new<const N: usize>(processors: [Processor; N], size: Bytes) -> Self {
        let mut columns = [None; PROCESSOR_COLUMNS.len()];
        columns
            .iter_mut()
            .zip(processors)
            .for_each(|(column, processor)| *column = Some(processor));
        Self {
            processors: columns,
            root: None,
            procs: None,
            size,
            reply: None,
            count: None,
            delay: None,
            set: None,
        }
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
