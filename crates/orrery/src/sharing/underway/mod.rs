//! Penalties of transfers that come and go.

mod near;
mod penalties;
mod port;
mod whole;

pub(super) use near::Local;
use near::Near;
use penalties::Penalties;
pub(super) use port::{End, Seen};
use whole::Whole;

use super::gige::Tabulated;
use super::ports::Ends;
use super::{Infiniband, SharingError, SharingLaw, Transfer};

/// The transfers that are under way, and the penalty that a law gives each.
///
/// After a change only those are looked at whom it may concern: with [`GigabitEthernet`](super::GigabitEthernet) and [`Infiniband`] the neighbours of the
/// ports that changed, with other laws the components; these are remembered, since programs do the same time and again.
/// The penalties are those of [`PenaltyModel::penalties`](super::PenaltyModel::penalties) for all transfers at once.
///
/// ```
/// use orrery::sharing::{Infiniband, SharingLaw, Transfer, ActiveTransfers};
/// let mut underway = ActiveTransfers::new(SharingLaw::Infiniband(Infiniband::new(0.925, 0.965, 1.35)?));
/// underway.start(0, Transfer::between(0, 1));
/// underway.start(1, Transfer::between(0, 2));
/// underway.update_penalties()?;
/// assert!(underway.changed().eq([0, 1]));
/// assert_eq!(underway.penalty(0), 1.85);
/// underway.stop(1);
/// underway.update_penalties()?;
/// assert!(underway.changed().eq([0]));
/// assert_eq!(underway.penalty(0), 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ActiveTransfers {
    steps: Steps,
    penalties: Penalties,
    /// Those within a node that started since penalties were last found.
    inside: Vec<usize>,
}

/// How the penalties are found after a change.
#[derive(Debug, Clone)]
enum Steps {
    GigabitEthernet(Box<Near<Tabulated>>),
    Infiniband(Near<Infiniband>),
    Whole(Whole),
}

impl ActiveTransfers {
    /// Nothing under way so far.
    pub fn new(law: SharingLaw) -> Self {
        let steps = match law {
            SharingLaw::GigabitEthernet(law) => Steps::GigabitEthernet(Box::new(Near::new(law.tabulated()))),
            SharingLaw::Infiniband(law) => Steps::Infiniband(Near::new(law)),
            law @ (SharingLaw::MaxMinPorts | SharingLaw::Myrinet(_)) => Steps::Whole(Whole::new(law)),
        };
        Self { steps, penalties: Penalties::default(), inside: Vec::new() }
    }

    /// Starts a transfer. Its number is the caller's choice, a small one that no transfer has at present; so are the
    /// numbers of nodes. One within a node has the penalty 1 and concerns nobody.
    pub fn start(&mut self, number: usize, transfer: Transfer) {
        self.penalties.begin(number);
        if transfer.is_local() {
            self.inside.push(number);
            return;
        }
        let ends = Ends { out: transfer.source.0 as usize, into: transfer.destination.0 as usize };
        match &mut self.steps {
            Steps::GigabitEthernet(near) => near.start(number, ends),
            Steps::Infiniband(near) => near.start(number, ends),
            Steps::Whole(whole) => whole.start(number, ends),
        }
    }

    /// Stops a transfer; one that is not under way stays so.
    pub fn stop(&mut self, number: usize) {
        match &mut self.steps {
            Steps::GigabitEthernet(near) => near.stop(number),
            Steps::Infiniband(near) => near.stop(number),
            Steps::Whole(whole) => whole.stop(number),
        }
        self.inside.retain(|&other| other != number);
    }

    /// The penalty of a transfer, as it was when penalties were last found.
    #[inline]
    pub fn penalty(&self, number: usize) -> f64 {
        self.penalties.get(number).unwrap_or(1.0)
    }

    /// Whose penalty was changed when penalties were last found.
    pub fn changed(&self) -> impl Iterator<Item = usize> {
        self.penalties.changed()
    }

    /// The same, with how many times as long as before each takes for what is left; one that started, as long as alone.
    #[inline]
    pub(crate) fn rescale_factors(&self) -> impl Iterator<Item = (usize, f64)> {
        self.penalties.rescale_factors()
    }

    /// Finds the penalties anew. Those of transfers that started are among the changed ones.
    ///
    /// # Errors
    ///
    /// Where the law cannot be evaluated for so many transfers that hang together.
    #[inline]
    pub fn update_penalties(&mut self) -> Result<(), SharingError> {
        self.penalties.clear_changed();
        match &mut self.steps {
            Steps::GigabitEthernet(near) => near.settle(&mut self.penalties),
            Steps::Infiniband(near) => near.settle(&mut self.penalties),
            Steps::Whole(whole) => whole.settle(&mut self.penalties)?,
        }
        if !self.inside.is_empty() {
            self.inside.drain(..).for_each(|number| self.penalties.set(number, 1.0));
        }
        Ok(())
    }
}
