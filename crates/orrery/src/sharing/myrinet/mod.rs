//! Myrinet: Stop & Go, as sets of transfers that can send at the same time.

mod bipartite;
mod count;
mod emission;
mod list;
mod order;
mod sampling;
mod state;
mod sweep;
mod thin;

pub use emission::Emission;
pub use list::maximal_sending_sets;
pub use sampling::Sampling;

use super::{PenaltyModel, SharingError, Transfer};

/// The model of Myrinet.
///
/// A transfer sends or waits. While one sends, all that have the same source or the same destination wait; so those that
/// send at the same time are a maximal matching of the bipartite multigraph of out-ports and in-ports. With N such sets, of
/// which transfer c sends in N_c (its emission coefficient),
///
/// ```text
/// P(c) = N / min( N_c' of all c' that leave the source of c )
/// ```
///
/// Source: Vienne, Martinasso, Vincent, Méhaut, "Predictive models for bandwidth sharing in high performance clusters",
/// section V-B.
///
/// Sets are counted for each component, since those of different components combine freely, and are never listed. A
/// component whose sets are too many to count is an error, unless [`Sampling`] is allowed.
///
/// ```
/// use orrery::sharing::{Myrinet, PenaltyModel, Transfer};
/// let transfers = [(0, 1), (0, 2), (0, 3), (4, 1), (5, 1), (5, 6)].map(|(from, to)| Transfer::between(from, to));
/// assert_eq!(Myrinet::default().penalties(&transfers)?, [5.0, 5.0, 5.0, 2.5, 2.5, 2.5]);
/// # Ok::<(), orrery::sharing::SharingError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Myrinet {
    sampling: Option<Sampling>,
}

impl Myrinet {
    /// The same, which estimates the penalties of components that are too large to count.
    #[must_use]
    pub const fn with_sampling(self, sampling: Sampling) -> Self {
        Self { sampling: Some(sampling) }
    }

    /// In how many sets each transfer sends, and what follows from it.
    ///
    /// # Errors
    ///
    /// As [`PenaltyModel::penalties`]: a component that is too large to count, where sampling is not allowed or finds nothing.
    pub fn emissions(&self, transfers: &[Transfer]) -> Result<Vec<Emission>, SharingError> {
        let mut steps = usize::MAX;
        emission::emissions(transfers, self.sampling.as_ref(), &mut steps)
    }

    /// The penalties, where so many steps are left for counting; takes those of this count from them.
    pub(in crate::sharing) fn penalties_within(
        &self,
        transfers: &[Transfer],
        steps: &mut usize,
    ) -> Result<Vec<f64>, SharingError> {
        let emissions = emission::emissions(transfers, self.sampling.as_ref(), steps)?;
        Ok(emissions.into_iter().map(|emission| emission.penalty).collect())
    }
}

impl PenaltyModel for Myrinet {
    fn penalties(&self, transfers: &[Transfer]) -> Result<Vec<f64>, SharingError> {
        Ok(self.emissions(transfers)?.into_iter().map(|emission| emission.penalty).collect())
    }
}
