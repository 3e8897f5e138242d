use orrery::machine::clock::LateStart;

/// Why something that was asked of MPI could not be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MpiError {
    /// A function of MPI returned an error code.
    #[error("{call}: {reason}")]
    Call {
        /// The function.
        call: &'static str,
        /// What the library says of the code.
        reason: String,
    },
    /// Ranks of a batch were too late, time and again.
    #[error(transparent)]
    LateStart(#[from] LateStart),
    /// It is not possible with MPI, or not now.
    #[error("{0}")]
    Impossible(String),
}

impl MpiError {
    pub(crate) fn impossible(reason: impl Into<String>) -> Self {
        Self::Impossible(reason.into())
    }
}
