use crate::sample::{Experiment, ExperimentFields, NativeAlgorithm};
use orrery_base::file::Fault;
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::Processor;
use orrery_program::schedule::CollectiveKind;

/// The quantity that a benchmark prints, as the time of an experiment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Quantity {
    /// The experiment, with processors and sizes of 0.
    template: Experiment,
    /// The time of the experiment relative to the printed time.
    factor: f64,
    /// True if the printed time is the mean over several concurrent pairs, unless there is one pair
    /// only.
    of_pairs: bool,
    /// True if the printed size is that of a vector of which each rank receives a block.
    is_divided: bool,
    /// The bytes of an element.
    element: u64,
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
    Skipped(String),
}

/// Why a size of a collective operation is not imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unusable {
    /// There are no data.
    Empty,
    /// The vector has less than one element for each rank.
    NoElement,
    /// The vector is not divided into equal blocks.
    UnequalBlocks,
    /// The library does not use the algorithm that it was forced to use.
    OtherAlgorithm,
}

impl Quantity {
    /// Half a round trip with a reply as long as the message.
    pub(super) const HALF_ROUND_TRIP: Self = Self {
        template: Experiment::RoundTrip {
            i: Processor(0),
            j: Processor(0),
            size: Bytes::ZERO,
            reply: Bytes::ZERO,
        },
        factor: 2.0,
        of_pairs: false,
        is_divided: false,
        element: 1,
    };

    /// Half a round trip, as the mean over several concurrent pairs or of one pair.
    pub(super) const HALF_ROUND_TRIP_OF_PAIRS: Self =
        Self { of_pairs: true, ..Self::HALF_ROUND_TRIP };

    /// Two processes send to each other at the same time.
    pub(super) const EXCHANGE: Self = Self {
        template: Experiment::Exchange { i: Processor(0), j: Processor(0), size: Bytes::ZERO },
        factor: 1.0,
        ..Self::HALF_ROUND_TRIP
    };

    /// A collective operation of the MPI library from root 0; the printed size is that of samples.
    pub(super) const fn collective(kind: CollectiveKind) -> Self {
        let template = Experiment::Native {
            kind,
            algorithm: None,
            root: Processor(0),
            procs: 0,
            size: Bytes::ZERO,
        };
        Self { template, factor: 1.0, ..Self::HALF_ROUND_TRIP }
    }

    /// The same where the printed size is that of a vector of which each rank receives a block.
    pub(super) const fn divided(self) -> Self {
        Self { is_divided: true, ..self }
    }

    /// The same with elements of some bytes, at least 1.
    pub(super) const fn of_elements(self, element: u64) -> Self {
        Self { element, ..self }
    }

    /// The same where the library was forced to use an algorithm; `None` if that does not carry out
    /// the operation.
    pub(super) fn forced(self, forced: NativeAlgorithm) -> Option<Self> {
        let Experiment::Native { kind, root, procs, size, .. } = self.template else { return None };
        let template = Experiment::Native { kind, algorithm: Some(forced), root, procs, size };
        forced.library.has(kind, forced.algorithm).then_some(Self { template, ..self })
    }

    /// The collective operation; `None` for messages.
    pub(super) const fn operation(self) -> Option<CollectiveKind> {
        match self.template {
            Experiment::Native { kind, .. } => Some(kind),
            _ => None,
        }
    }

    /// Returns true if a rank can leave the operation before all have begun it, so that calls
    /// without a barrier between them overlap.
    pub(super) fn can_overlap(self) -> bool {
        let is_scan = |kind| matches!(kind, CollectiveKind::Scan | CollectiveKind::Exscan);
        self.operation().is_some_and(|kind| kind.has_root() || is_scan(kind))
    }

    /// The quantity of the benchmark `name` on these processors; an error if their number is
    /// unknown or too small, or if samples cannot represent it.
    pub(super) fn placed(self, name: &str, ranks: RankProcessors) -> Result<Self, Unsupported> {
        let taking_part =
            ranks.processes.or(ranks.processors.map(<[Processor]>::len)).filter(|count| *count > 0);
        let unknown_count = || {
            Unsupported::Fault(Fault::new(format!(
                "{name} does not print the number of processes; list their processors, such as \
                    0-15 for sixteen"
            )))
        };
        let fields = self.template.fields();
        let placed = if self.operation().is_some() {
            let procs = taking_part.ok_or_else(unknown_count)?;
            let processors = ranks
                .processors
                .map(|processors| first_processors(name, processors, procs))
                .transpose()?;
            let in_order = |processors: &[Processor]| {
                processors.iter().enumerate().all(|(place, p)| p.index() == place)
            };
            if !processors.is_none_or(in_order) {
                return Err(Unsupported::Skipped(format!(
                    "{name} is skipped: collective operations of samples run on processors 0 to \
                        n − 1 in this order"
                )));
            }
            ExperimentFields { procs: Some(procs), ..fields }
        } else {
            let needed = self.template.procs();
            if self.of_pairs && taking_part.ok_or_else(unknown_count)? != needed {
                return Err(Unsupported::Skipped(several_pairs(name)));
            }
            let in_order: Vec<Processor> = Processor::first(needed).collect();
            let processors = first_processors(name, ranks.processors.unwrap_or(&in_order), needed)?;
            fields.with_processors(processors.iter().copied())
        };
        Ok(Self { template: self.template.with_fields(&placed), ..self })
    }

    /// The experiment of a printed size, and its time if the benchmark prints `seconds`. Replies
    /// are as long as messages.
    pub(super) fn reading(
        self,
        printed: Bytes,
        seconds: Seconds,
    ) -> Result<(Experiment, Seconds), Unusable> {
        let size = self.size(printed)?;
        let fields = ExperimentFields { size, reply: Some(size), ..self.template.fields() };
        let experiment = self.template.with_fields(&fields);
        if let Experiment::Native { kind, algorithm: Some(forced), procs, .. } = experiment
            && !forced.runs_on_elements(kind, procs, size, self.element)
        {
            return Err(Unusable::OtherAlgorithm);
        }
        Ok((experiment, seconds * self.factor))
    }

    /// The size in samples of a printed size: whole elements, of a block if the vector is divided.
    fn size(self, printed: Bytes) -> Result<Bytes, Unusable> {
        let Experiment::Native { kind, procs, .. } = self.template else { return Ok(printed) };
        if kind == CollectiveKind::Barrier {
            return Ok(Bytes::ZERO);
        }
        let elements = printed.get() / self.element;
        let blocks = if self.is_divided { procs.max(1) as u64 } else { 1 };
        match elements {
            _ if printed == Bytes::ZERO => Err(Unusable::Empty),
            few if few < blocks => Err(Unusable::NoElement),
            unequal if !unequal.is_multiple_of(blocks) => Err(Unusable::UnequalBlocks),
            _ => Ok(Bytes::new(elements / blocks * self.element)),
        }
    }

    /// The operation in words, without its size: `native/bcast/ompi/binomial of 16 processes`.
    pub(super) fn words(self) -> String {
        format!("{} of {} processes", self.template.name(), self.template.procs())
    }
}

/// The remark on a time that is a mean over concurrent pairs or groups.
pub(super) fn several_pairs(name: &str) -> String {
    format!(
        "{name} is skipped: its time is the mean over several concurrent pairs; measure pair by \
            pair"
    )
}

/// The first `needed` processors; an error if fewer were given.
fn first_processors<'a>(
    name: &str,
    processors: &'a [Processor],
    needed: usize,
) -> Result<&'a [Processor], Unsupported> {
    let few = || {
        let given = processors.len();
        Unsupported::Fault(Fault::new(format!(
            "{name} ran {needed} processes, but {given} processors are listed; list one per process"
        )))
    };
    processors.get(..needed).ok_or_else(few)
}
