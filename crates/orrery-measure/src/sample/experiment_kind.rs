#[cfg(doc)]
use super::Experiment;

/// The kinds of experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExperimentKind {
    /// [`Experiment::RoundTrip`].
    RoundTrip,
    /// [`Experiment::OneToTwo`].
    OneToTwo,
    /// [`Experiment::TwoToOne`].
    TwoToOne,
    /// [`Experiment::SendReceive`].
    SendReceive,
    /// [`Experiment::Exchange`].
    Exchange,
    /// [`Experiment::Exchanges`].
    Exchanges,
    /// [`Experiment::Collective`].
    Collective,
    /// [`Experiment::Native`].
    Native,
    /// [`Experiment::Train`].
    Train,
    /// [`Experiment::Combination`].
    Combination,
}

impl ExperimentKind {
    /// Returns true if messages of the experiment can be in flight at the same time, so that they
    /// may share a link.
    pub const fn has_concurrent_messages(self) -> bool {
        match self {
            Self::RoundTrip | Self::Train | Self::Combination => false,
            Self::OneToTwo
            | Self::TwoToOne
            | Self::SendReceive
            | Self::Exchange
            | Self::Exchanges
            | Self::Collective
            | Self::Native => true,
        }
    }
}
