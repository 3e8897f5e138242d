use super::Experiment;

impl Experiment {
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
            | Self::Train { .. }
            | Self::Combination { .. } => false,
        }
    }
}
