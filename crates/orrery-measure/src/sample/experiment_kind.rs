//! The kinds of experiments, and which of their messages are in flight at the same time.

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
    /// [`Experiment::Anchor`].
    Anchor,
    /// [`Experiment::Combination`].
    Combination,
}

impl ExperimentKind {
    /// Returns true if messages of the experiment can be in flight at the same time, so that they
    /// may share a link.
    pub const fn has_concurrent_messages(self) -> bool {
        match self {
            Self::RoundTrip | Self::Anchor | Self::Train | Self::Combination => false,
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

impl Experiment {
    /// The kind of the experiment.
    pub const fn kind(&self) -> ExperimentKind {
        match self {
            Self::RoundTrip { .. } => ExperimentKind::RoundTrip,
            Self::OneToTwo { .. } => ExperimentKind::OneToTwo,
            Self::TwoToOne { .. } => ExperimentKind::TwoToOne,
            Self::SendReceive { .. } => ExperimentKind::SendReceive,
            Self::Exchange { .. } => ExperimentKind::Exchange,
            Self::Exchanges { .. } => ExperimentKind::Exchanges,
            Self::Collective { .. } => ExperimentKind::Collective,
            Self::Native { .. } => ExperimentKind::Native,
            Self::Train { .. } => ExperimentKind::Train,
            Self::Anchor { .. } => ExperimentKind::Anchor,
            Self::Combination { .. } => ExperimentKind::Combination,
        }
    }

    /// The number of processors that exchange messages in pairs at the same time, those of the
    /// pairs that are not read included; `None` for other experiments and for single pairs.
    pub const fn exchanging(&self) -> Option<usize> {
        match self {
            Self::Exchanges { pairs: pairs @ 2.., .. } => Some(2 * *pairs as usize),
            _ => None,
        }
    }

    /// Returns true if processors send and receive at the same time.
    pub const fn sends_both_ways(&self) -> bool {
        match self {
            Self::SendReceive { .. } | Self::Exchange { .. } | Self::Exchanges { .. } => true,
            Self::Collective { kind, .. } | Self::Native { kind, .. } => !kind.has_root(),
            Self::RoundTrip { .. }
            | Self::OneToTwo { .. }
            | Self::TwoToOne { .. }
            | Self::Anchor { .. }
            | Self::Train { .. }
            | Self::Combination { .. } => false,
        }
    }
}
