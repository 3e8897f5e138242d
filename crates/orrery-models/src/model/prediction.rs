use std::fmt;

use super::{Alarm, ModelKind, Uncertainty};
use orrery_base::budget::{Budget, OverBudget};
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::{Placement, Processor};
use orrery_measure::sample::Experiment;
use orrery_program::schedule::{
    Algorithm, CollectiveKind, Explicit, Operation, Program, Rank, Reading,
};

/// A question to a model: the time of a message or of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Query {
    /// One message, from the start of its sending to the end of its receiving.
    PointToPoint {
        /// The sender.
        from: Processor,
        /// The receiver.
        to: Processor,
        /// Its size.
        size: Bytes,
    },
    /// An experiment or a collective operation.
    Experiment(Experiment),
}

impl Query {
    /// The query for the time of one message.
    pub const fn message(from: Processor, to: Processor, size: Bytes) -> Self {
        Self::PointToPoint { from, to, size }
    }

    /// The query for the time of a collective operation of the first processors, whose blocks have
    /// this size.
    pub const fn collective(
        kind: CollectiveKind,
        algorithm: Algorithm,
        root: Processor,
        procs: usize,
        size: Bytes,
    ) -> Self {
        Self::Experiment(Experiment::Collective { kind, algorithm, root, procs, size })
    }

    /// Returns the program of the query, its placement, and the timers that are read; `None` if the
    /// algorithm is internal to the MPI library. A call of the library with a forced algorithm has
    /// the schedule of this algorithm.
    pub fn program(&self) -> Option<(Program, Placement, Reading)> {
        let (program, placement) = match self {
            Self::PointToPoint { from, to, size } => {
                let send = vec![Operation::send(Rank(1), *size)];
                let receive = vec![Operation::receive(Rank(0), *size)];
                (
                    Program::Explicit(Explicit::new(vec![send, receive])),
                    Placement::new([*from, *to]),
                )
            }
            Self::Experiment(experiment) => {
                experiment.of_library_schedule().unwrap_or(*experiment).program()?
            }
        };
        let reading = program.reading();
        Some((program, placement, reading))
    }

    /// The number of operations of all ranks, approximately.
    pub fn operations(&self) -> u64 {
        match self {
            Self::PointToPoint { .. } => 2,
            Self::Experiment(one) => one.of_library_schedule().unwrap_or(*one).operations(),
        }
    }

    /// Checks that the operations of the query are few enough to be played.
    ///
    /// # Errors
    ///
    /// When they take more operations or memory than an input may request.
    pub fn check_operations(&self) -> Result<(), OverBudget> {
        /// The memory of an operation in bytes, with its event on the critical path.
        const MEMORY_PER_OPERATION: u64 = 144;
        let (operations, budget) = (self.operations(), Budget::of_input(0));
        let what = format_args!("one run of {self}");
        budget.check_operations(what, operations)?;
        budget.check_memory(what, operations.saturating_mul(MEMORY_PER_OPERATION))
    }

    /// Returns the size of the message or block.
    pub fn size(&self) -> Bytes {
        match self {
            Self::PointToPoint { size, .. } => *size,
            Self::Experiment(experiment) => experiment.size(),
        }
    }

    /// Returns the keyword of the operation: `p2p`, or that of the experiment.
    pub fn operation(&self) -> &'static str {
        match self {
            Self::PointToPoint { .. } => "p2p",
            Self::Experiment(experiment) => experiment.operation(),
        }
    }

    /// Returns the algorithm with its fan-out and segments; `None` if the operation has only one.
    pub fn algorithm(&self) -> Option<String> {
        match self {
            Self::PointToPoint { .. } => None,
            Self::Experiment(experiment) => experiment.algorithm(),
        }
    }

    /// Returns the operation with its algorithm: `scatter/linear`, or only the operation.
    pub fn operation_and_algorithm(&self) -> String {
        match self.algorithm() {
            Some(algorithm) => format!("{}/{algorithm}", self.operation()),
            None => self.operation().to_owned(),
        }
    }

    /// Returns the root that distinguishes the query from others: as [`Query::root`], but `None`
    /// for operations without a root.
    pub fn distinct_root(&self) -> Option<Processor> {
        match self {
            Self::Experiment(
                Experiment::Collective { kind, .. } | Experiment::Native { kind, .. },
            ) if !kind.has_root() => None,
            _ => Some(self.root()),
        }
    }

    /// Returns the sender of a message, or the processor at which an experiment is read: the root
    /// of a collective operation.
    pub fn root(&self) -> Processor {
        match *self {
            Self::PointToPoint { from, .. } => from,
            Self::Experiment(experiment) => experiment.reader(),
        }
    }

    /// Returns the number of processors that take part.
    pub fn procs(&self) -> usize {
        match self {
            Self::PointToPoint { .. } => 2,
            Self::Experiment(experiment) => experiment.procs(),
        }
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PointToPoint { from, to, size } => write!(f, "message {from}→{to} ({size})"),
            Self::Experiment(experiment) => experiment.fmt(f),
        }
    }
}

/// A predicted time.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The query.
    pub query: Query,
    /// The kind of model.
    pub model: ModelKind,
    /// The predicted time; the median if the operation may escalate.
    pub seconds: Seconds,
    /// The interval that follows from the intervals of the parameters on the critical path and from
    /// the error of the model; `None` if there is
    /// neither. If the operation may escalate, the interval that contains 95 % of its times.
    pub interval: Option<(Seconds, Seconds)>,
    /// The parts of the interval, without escalations.
    pub uncertainty: Uncertainty,
    /// The probability that the operation escalates; `None` if it does not.
    pub escalation: Option<f64>,
    /// The reasons why it may not hold.
    pub alarms: Vec<Alarm>,
}

impl Prediction {
    /// Returns true if a message lies outside the measured range.
    pub fn is_extrapolated(&self) -> bool {
        self.alarms.iter().any(|alarm| matches!(alarm, Alarm::Size { .. }))
    }
}
