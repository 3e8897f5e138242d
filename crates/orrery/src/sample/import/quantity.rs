use super::{Fault, RemarkKind};
use crate::platform::Processor;
use crate::sample::{Experiment, ExperimentFields};
use crate::schedule::CollectiveKind;
use crate::units::{Bytes, Seconds};

/// The quantity that a benchmark prints, as the time of an experiment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Quantity {
    /// The experiment, with processors and sizes of 0.
    template: Experiment,
    /// The time of the experiment relative to the printed time.
    factor: f64,
    /// True if the printed time is the mean over several concurrent pairs, unless there is one pair only.
    of_pairs: bool,
}

/// The processors of the processes of a benchmark.
#[derive(Debug, Clone, Copy)]
pub(super) struct RankProcessors<'a> {
    /// The processors of ranks 0, 1, …, if they were given.
    pub(super) processors: Option<&'a [Processor]>,
    /// The number of processes, if the output contains it.
    pub(super) processes: Option<usize>,
}

/// Why a benchmark cannot be imported: an error, or a reason to skip it.
pub(super) enum Unsupported {
    Fault(Fault),
    Skipped(RemarkKind),
}

impl Quantity {
    /// Half a round trip with a reply as long as the message.
    pub(super) const HALF_ROUND_TRIP: Self = Self {
        template: Experiment::RoundTrip { i: Processor(0), j: Processor(0), size: Bytes::ZERO, reply: Bytes::ZERO },
        factor: 2.0,
        of_pairs: false,
    };

    /// Half a round trip, as the mean over several concurrent pairs or of one pair.
    pub(super) const HALF_ROUND_TRIP_OF_PAIRS: Self = Self { of_pairs: true, ..Self::HALF_ROUND_TRIP };

    /// Two processes send to each other at the same time.
    pub(super) const EXCHANGE: Self = Self {
        template: Experiment::Exchange { i: Processor(0), j: Processor(0), size: Bytes::ZERO },
        factor: 1.0,
        of_pairs: false,
    };

    /// A collective operation of the MPI library from root 0.
    pub(super) const fn collective(kind: CollectiveKind) -> Self {
        let template = Experiment::Native { kind, algorithm: None, root: Processor(0), procs: 0, size: Bytes::ZERO };
        Self { template, factor: 1.0, of_pairs: false }
    }

    /// Returns true for collective operations.
    pub(super) fn is_collective(self) -> bool {
        self.template.is_collective()
    }

    /// The quantity of the benchmark `name` on these processors.
    pub(super) fn placed(self, name: &str, ranks: RankProcessors) -> Result<Self, Unsupported> {
        let taking_part = ranks.processes.or(ranks.processors.map(<[Processor]>::len)).filter(|count| *count > 0);
        let unknown_count = || Unsupported::Fault(Fault::Processes { benchmark: name.to_owned() });
        let fields = self.template.fields();
        let placed = if self.is_collective() {
            let procs = taking_part.ok_or_else(unknown_count)?;
            let processors =
                ranks.processors.map(|processors| first_processors(name, processors, procs)).transpose()?;
            let in_order =
                |processors: &[Processor]| processors.iter().enumerate().all(|(place, p)| p.index() == place);
            if !processors.is_none_or(in_order) {
                return Err(Unsupported::Skipped(RemarkKind::Placement(name.to_owned())));
            }
            ExperimentFields { procs: Some(procs), ..fields }
        } else {
            let needed = self.template.procs();
            if self.of_pairs && taking_part.ok_or_else(unknown_count)? != needed {
                return Err(Unsupported::Skipped(RemarkKind::SeveralPairs(name.to_owned())));
            }
            let in_order: Vec<Processor> = Processor::first(needed).collect();
            let processors = first_processors(name, ranks.processors.unwrap_or(&in_order), needed)?;
            fields.with_processors(processors.iter().copied())
        };
        Ok(Self { template: self.template.with_fields(&placed), ..self })
    }

    /// The experiment of a size, and its time if the benchmark prints `seconds`. Replies are as long as messages.
    pub(super) fn reading(self, size: Bytes, seconds: Seconds) -> (Experiment, Seconds) {
        let fields = ExperimentFields { size, reply: Some(size), ..self.template.fields() };
        (self.template.with_fields(&fields), seconds * self.factor)
    }
}

/// The first `needed` processors; an error if fewer were given.
fn first_processors<'a>(
    name: &str,
    processors: &'a [Processor],
    needed: usize,
) -> Result<&'a [Processor], Unsupported> {
    let few = || Unsupported::Fault(Fault::Processors { benchmark: name.to_owned(), needed, given: processors.len() });
    processors.get(..needed).ok_or_else(few)
}
