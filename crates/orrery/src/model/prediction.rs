use std::fmt;

use super::ModelKind;
use crate::platform::{Placement, Processor};
use crate::sample::Experiment;
use crate::schedule::{Explicit, Operation, Program, Rank, Reading};
use crate::units::{Bytes, Seconds};

/// What a prediction is asked for.
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
    /// The program that answers it, where its ranks stand, and what is read; `None` where only the MPI library knows
    /// what is sent.
    pub fn program(&self) -> Option<(Program, Placement, Reading)> {
        let (program, placement) = match self {
            Self::PointToPoint { from, to, size } => {
                let send = vec![Operation::send(Rank(1), *size)];
                let receive = vec![Operation::receive(Rank(0), *size)];
                (Program::Explicit(Explicit::new(vec![send, receive])), Placement::new([*from, *to]))
            }
            Self::Experiment(experiment) => experiment.program()?,
        };
        let reading = program.reading();
        Some((program, placement, reading))
    }

    /// The size of the message or block.
    pub fn size(&self) -> Bytes {
        match self {
            Self::PointToPoint { size, .. } => *size,
            Self::Experiment(experiment) => experiment.size(),
        }
    }

    /// The operation: `p2p`, or that of the experiment.
    pub fn operation(&self) -> &'static str {
        match self {
            Self::PointToPoint { .. } => "p2p",
            Self::Experiment(experiment) => experiment.operation(),
        }
    }

    /// The algorithm, where the operation has several.
    pub fn algorithm(&self) -> Option<&'static str> {
        match self {
            Self::PointToPoint { .. } => None,
            Self::Experiment(experiment) => experiment.algorithm(),
        }
    }

    /// The operation with its algorithm: `scatter/linear`, or the operation alone.
    pub fn operation_and_algorithm(&self) -> String {
        match self.algorithm() {
            Some(algorithm) => format!("{}/{algorithm}", self.operation()),
            None => self.operation().to_owned(),
        }
    }

    /// The sender of a message, or the processor at which an experiment is read: the root of a collective operation.
    pub fn root(&self) -> Processor {
        match *self {
            Self::PointToPoint { from, .. } => from,
            Self::Experiment(experiment) => experiment.reader(),
        }
    }

    /// The number of processors that take part.
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
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// What was asked.
    pub query: Query,
    /// Which model answers.
    pub model: ModelKind,
    /// The time; where the operation escalates now and then, the median.
    pub seconds: Seconds,
    /// The interval that the intervals of the parameters on the critical path leave; `None` when one of them has none.
    /// Where the operation escalates, the band that holds 95 % of its times.
    pub interval: Option<(Seconds, Seconds)>,
    /// How probable it is that the operation escalates; `None` where it does not.
    pub escalation: Option<f64>,
    /// Whether the size lies outside the range that was measured.
    pub extrapolated: bool,
}
