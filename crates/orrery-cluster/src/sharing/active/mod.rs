//! Penalties of transfers that start and stop.

mod component;
mod penalties;
mod portwise;

pub(super) use component::{ComponentPenalties, StepLimitedLaw};
pub(super) use penalties::IncrementalPenalties;
use penalties::Penalties;
pub(super) use portwise::{PortView, PortwiseLaw, PortwisePenalties, Side};

use super::ports::TransferPorts;
use super::{SharingError, SharingLaw, Transfer};

/// The transfers that are active at an instant, and their penalties by a sharing law.
///
/// An update recomputes only what the changes since the last one affect: the neighbours of the
/// changed ports under [`GigabitEthernet`](super::GigabitEthernet) and
/// [`Infiniband`](super::Infiniband), the changed components under other laws. The result equals
/// [`PenaltyModel::penalties`](super::PenaltyModel::penalties) of all active transfers.
///
/// ```
/// use orrery_cluster::sharing::{ActiveTransfers, Infiniband, SharingLaw, Transfer};
/// let mut active = ActiveTransfers::new(SharingLaw::Infiniband(Infiniband::new(0.925, 0.965, 1.35)?));
/// active.start(0, Transfer::between(0, 1));
/// active.start(1, Transfer::between(0, 2));
/// active.update_penalties()?;
/// assert!(active.changed().eq([0, 1]));
/// assert_eq!(active.penalty(0), 1.85);
/// active.stop(1);
/// active.update_penalties()?;
/// assert!(active.changed().eq([0]));
/// assert_eq!(active.penalty(0), 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ActiveTransfers {
    incremental: Box<dyn IncrementalPenalties>,
    penalties: Penalties,
    /// Transfers within a node that have started since the last update.
    started_local: Vec<usize>,
}

impl ActiveTransfers {
    /// Creates an empty set of active transfers with a sharing law.
    pub fn new(law: SharingLaw) -> Self {
        Self {
            incremental: law.incremental(),
            penalties: Penalties::default(),
            started_local: Vec::new(),
        }
    }

    /// Starts a transfer. The caller chooses its number: a small one that no active transfer has.
    /// Node numbers must be small, too. A transfer within a node has the penalty 1 and affects no
    /// other.
    pub fn start(&mut self, number: usize, transfer: Transfer) {
        self.penalties.begin(number);
        if transfer.is_local() {
            self.started_local.push(number);
        } else {
            let ends = TransferPorts {
                out: transfer.source.0 as usize,
                into: transfer.destination.0 as usize,
            };
            self.incremental.start(number, ends);
        }
    }

    /// Stops a transfer; does nothing if it is not active.
    pub fn stop(&mut self, number: usize) {
        self.incremental.stop(number);
        self.started_local.retain(|&other| other != number);
    }

    /// The penalty of a transfer as of the last update; 1 if it is not active.
    pub fn penalty(&self, number: usize) -> f64 {
        self.penalties.get(number).unwrap_or(1.0)
    }

    /// The numbers of the transfers whose penalty the last update changed; new transfers are among
    /// them.
    pub fn changed(&self) -> impl Iterator<Item = usize> {
        self.penalties.changed()
    }

    /// The changed transfers, each with the factor by which its remaining time grows: new over
    /// previous penalty, where the previous penalty of a new transfer is 1.
    pub fn rescale_factors(&self) -> impl Iterator<Item = (usize, f64)> {
        self.penalties.rescale_factors()
    }

    /// Updates the penalties after transfers have started or stopped.
    ///
    /// # Errors
    ///
    /// A component that is too large for the law.
    pub fn update_penalties(&mut self) -> Result<(), SharingError> {
        self.penalties.clear_changed();
        self.incremental.update(&mut self.penalties)?;
        self.started_local.drain(..).for_each(|number| self.penalties.set(number, 1.0));
        Ok(())
    }
}
