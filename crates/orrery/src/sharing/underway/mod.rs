//! Penalties of transfers that come and go.

mod near;
mod whole;

pub(super) use near::Local;
use near::Near;
use whole::Whole;

use super::ports::{Ends, Ports};
use super::{Gige, Infiniband, Law, SharingError, Transfer};

/// The transfers that are under way, and the penalty that a law gives each.
///
/// After a change only those are looked at whom it may concern: with [`Gige`] and [`Infiniband`] the neighbours of the
/// ports that changed, with other laws the components; these are remembered, since programs do the same time and again.
/// The penalties are those of [`Sharing::penalties`](super::Sharing::penalties) for all transfers at once.
///
/// ```
/// use orrery::sharing::{Infiniband, Law, Transfer, Underway};
/// let mut underway = Underway::new(Law::Infiniband(Infiniband::new(0.925, 0.965, 1.35)?));
/// underway.start(0, Transfer::between(0, 1));
/// underway.start(1, Transfer::between(0, 2));
/// assert_eq!(underway.settle()?, [0, 1]);
/// assert_eq!(underway.penalty(0), 1.85);
/// underway.stop(1);
/// assert_eq!(underway.settle()?, [0]);
/// assert_eq!(underway.penalty(0), 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Underway {
    ports: Ports,
    steps: Steps,
    /// By number; 0 before the first is found.
    penalties: Vec<f64>,
    /// The ports of those that started or stopped since penalties were last found.
    moved: Vec<Ends>,
    /// Those within a node that started since.
    inside: Vec<usize>,
    found: Vec<(usize, f64)>,
    changed: Vec<usize>,
}

/// How the penalties are found after a change.
#[derive(Debug, Clone)]
enum Steps {
    Gige(Near<Gige>),
    Infiniband(Near<Infiniband>),
    Whole(Whole),
}

impl Underway {
    /// Nothing under way so far.
    pub fn new(law: Law) -> Self {
        let steps = match law {
            Law::Gige(law) => Steps::Gige(Near::new(law)),
            Law::Infiniband(law) => Steps::Infiniband(Near::new(law)),
            law @ (Law::Fair | Law::Myrinet(_)) => Steps::Whole(Whole::new(law)),
        };
        let ports = Ports { ends: Vec::new(), out: Vec::new(), into: Vec::new() };
        let (moved, inside, found) = (Vec::new(), Vec::new(), Vec::new());
        Self { ports, steps, penalties: Vec::new(), moved, inside, found, changed: Vec::new() }
    }

    /// Starts a transfer. Its number is the caller's choice, a small one that no transfer has at present; so are the
    /// numbers of nodes. One within a node has the penalty 1 and concerns nobody.
    pub fn start(&mut self, number: usize, transfer: Transfer) {
        if self.penalties.len() <= number {
            self.penalties.resize(number + 1, 0.0);
        }
        self.penalties[number] = 0.0;
        if transfer.stays_inside() {
            self.inside.push(number);
            return;
        }
        let ends = Ends { out: transfer.source.0 as usize, into: transfer.destination.0 as usize };
        self.ports.add(number, ends);
        self.moved.push(ends);
    }

    /// Stops a transfer; one that is not under way stays so.
    pub fn stop(&mut self, number: usize) {
        self.moved.extend(self.ports.remove(number));
        self.inside.retain(|&other| other != number);
    }

    /// The penalty of a transfer, as it was when penalties were last found.
    pub fn penalty(&self, number: usize) -> f64 {
        self.penalties.get(number).map_or(1.0, |penalty| penalty.max(f64::MIN_POSITIVE))
    }

    /// Whose penalty was changed when penalties were last found.
    pub fn changed(&self) -> &[usize] {
        &self.changed
    }

    /// Finds the penalties anew, and tells which are others now; those of transfers that started are among them.
    ///
    /// # Errors
    ///
    /// Where the law cannot be evaluated for so many transfers that hang together.
    pub fn settle(&mut self) -> Result<&[usize], SharingError> {
        self.changed.clear();
        self.found.clear();
        match &mut self.steps {
            Steps::Gige(near) => near.find(&self.ports, &self.moved, &mut self.found),
            Steps::Infiniband(near) => near.find(&self.ports, &self.moved, &mut self.found),
            Steps::Whole(whole) => whole.find(&self.ports, &self.moved, &mut self.found)?,
        }
        self.moved.clear();
        self.found.extend(self.inside.drain(..).map(|number| (number, 1.0)));
        for &(number, penalty) in &self.found {
            if self.penalties[number].total_cmp(&penalty).is_ne() {
                self.penalties[number] = penalty;
                self.changed.push(number);
            }
        }
        Ok(&self.changed)
    }
}
