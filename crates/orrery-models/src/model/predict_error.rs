use super::{ModelKind, Query};
use orrery_base::budget::OverBudget;
use orrery_cluster::platform::Processor;
use orrery_play::engine::EngineError;
use orrery_play::simulate::SimulationError;

/// The reason why a query has no prediction.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PredictError {
    /// The model file does not hold this kind of model.
    #[error("the model has no {kind}; it has {}", ModelKind::listed(.present))]
    NoSuchModel {
        /// The requested kind.
        kind: ModelKind,
        /// The kinds that the model has.
        present: Vec<ModelKind>,
    },
    /// The model has no such processor.
    #[error("there is no processor {processor}: the model has {processors}, numbered from 0")]
    NoSuchProcessor {
        /// The processor.
        processor: Processor,
        /// The number of processors.
        processors: usize,
    },
    /// A message from a processor to itself.
    #[error("a message from processor {0} to itself costs nothing; give two different processors")]
    Oneself(Processor),
    /// The algorithm of a call of the MPI library is unknown, or the operation has no such
    /// algorithm.
    #[error(
        "{0}: this is no algorithm of a known schedule; predict a named algorithm of the operation"
    )]
    NoSchedule(Query),
    /// The query takes more work than an input may request.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The schedule cannot run.
    #[error(transparent)]
    Schedule(#[from] EngineError),
    /// The simulation of its flows fails.
    #[error(transparent)]
    Flows(#[from] SimulationError),
}
