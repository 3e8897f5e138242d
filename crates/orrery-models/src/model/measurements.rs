use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;
use orrery_measure::sample::LaunchDifference;
use orrery_program::schedule::{Collective, CollectiveKind};

/// What was measured on the way to a model, as far as predictions depend on it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measurements {
    /// The largest number of processors that took part in one experiment; `None` if it is unknown.
    pub processors: Option<usize>,
    /// The largest number of processors that exchanged messages in pairs at the same time; `None`
    /// if none did.
    pub exchanging: Option<usize>,
    /// The linear scatters and gathers, ordered by operation, root and number of processors.
    pub sweeps: Vec<Sweep>,
    /// The difference between launches, if there is one.
    pub launches: Option<LaunchDifference>,
}

/// The measured sizes of a linear scatter or gather of one root and one number of processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sweep {
    /// The operation.
    pub operation: CollectiveKind,
    /// Its root.
    pub root: Processor,
    /// The number of processors.
    pub procs: usize,
    /// The largest block.
    pub largest: Bytes,
}

impl Measurements {
    /// Returns true if nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the largest measured block of a linear operation; `None` if none was measured.
    pub(super) fn largest(&self, collective: &Collective) -> Option<Bytes> {
        let Collective { kind, root, ranks, .. } = *collective;
        let is_same =
            |sweep: &&Sweep| (sweep.operation, sweep.root.0, sweep.procs) == (kind, root.0, ranks);
        self.sweeps.iter().find(is_same).map(|sweep| sweep.largest)
    }
}
