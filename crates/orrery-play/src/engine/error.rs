use orrery_program::schedule::Deadlock;

/// The reason why a schedule cannot run to its end.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EngineError {
    /// Ranks wait for each other, or for a message that is never sent.
    #[error(transparent)]
    Deadlock(#[from] Deadlock),
    /// Any other reason, as a sentence.
    #[error("{0}")]
    Other(String),
}

impl EngineError {
    /// A placement of another number of ranks, or on processors that the network does not have.
    pub(crate) fn placement(ranks: usize, placed: usize, processors: usize) -> Self {
        Self::Other(format!(
            "the schedule has {ranks} ranks, the placement {placed}, the network {processors} \
                processors; place each rank on a processor of the network"
        ))
    }
}
