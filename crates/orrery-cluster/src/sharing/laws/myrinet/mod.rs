//! Myrinet with Stop & Go flow control: sets of transfers that can send at the same time.

mod count;
mod graph;
mod list;
mod sampling;

pub use list::maximal_sending_sets;
pub use sampling::Sampling;

use super::kind::{Law, LawKind};
use crate::sharing::{PenaltyModel, SharingError, Transfer, components};
use graph::Bipartite;
use orrery_base::numeric::Interval;

/// The registry entry.
pub(super) static KIND: LawKind = LawKind {
    name: "myrinet",
    about: "Myrinet with Stop & Go flow control",
    parameters: &[],
    fit: None,
};

/// The sharing law of Myrinet.
///
/// A transfer is in the state *send* or *wait*. While one sends, all that have the same source or
/// the same destination wait; so the transfers that send at the same time are a maximal matching of
/// the bipartite multigraph of out-ports and in-ports. With N such sets, in N_c of which transfer c
/// sends (its emission coefficient),
///
/// ```text
/// P(c) = N / min( N_c' over all c' that leave the source of c )
/// ```
///
/// Source: Vienne, Martinasso, Vincent, Méhaut, "Predictive models for bandwidth sharing in high
/// performance clusters", section V-B, with the example of figures 5 and 6.
///
/// Sets are counted component by component, since those of different components combine freely, and
/// are never listed. A component with too many sets to count is an error unless [`Sampling`] is
/// allowed.
///
/// ```
/// use orrery_cluster::sharing::{Myrinet, PenaltyModel, Transfer};
/// let transfers = [(0, 1), (0, 2), (0, 3), (4, 1), (5, 1), (5, 6)].map(|(from, to)| Transfer::between(from, to));
/// assert_eq!(Myrinet::default().penalties(&transfers)?, [5.0, 5.0, 5.0, 2.5, 2.5, 2.5]);
/// # Ok::<(), orrery_cluster::sharing::SharingError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Myrinet {
    sampling: Option<Sampling>,
}

impl Myrinet {
    /// The law with estimates for components that are too large to count.
    #[must_use]
    pub const fn with_sampling(self, sampling: Sampling) -> Self {
        Self { sampling: Some(sampling) }
    }

    /// The emission coefficients of transfers, and the penalties that follow from them.
    ///
    /// # Errors
    ///
    /// As [`PenaltyModel::penalties`]: a component that is too large to count if sampling is not
    /// allowed or finds nothing.
    pub fn emissions(&self, transfers: &[Transfer]) -> Result<Vec<Emission>, SharingError> {
        self.emissions_within(transfers, &mut { usize::MAX })
    }

    /// As [`emissions`](Self::emissions), within a number of counting steps, from which those used
    /// are subtracted.
    fn emissions_within(
        &self,
        transfers: &[Transfer],
        steps: &mut usize,
    ) -> Result<Vec<Emission>, SharingError> {
        let mut all = vec![Emission::UNCONTENDED; transfers.len()];
        for component in components(transfers) {
            let members: Vec<Transfer> = component.iter().map(|&k| transfers[k]).collect();
            for (&k, emission) in component.iter().zip(self.component_emissions(&members, steps)?) {
                all[k] = emission;
            }
        }
        Ok(all)
    }

    /// The emission coefficients of one component.
    fn component_emissions(
        &self,
        transfers: &[Transfer],
        steps: &mut usize,
    ) -> Result<Vec<Emission>, SharingError> {
        let graph = Bipartite::of(transfers);
        let (counted, intervals) = match (count::count_exactly(&graph, steps), &self.sampling) {
            (Some(counted), _) => (counted, None),
            (None, None) => return Err(graph.too_large()),
            (None, Some(sampling)) => {
                let sampled =
                    sampling::sample(&graph, sampling).ok_or_else(|| graph.no_sample())?;
                (sampled.counted, Some(sampled.intervals))
            }
        };
        let unscaled = |count: f64| count * 2.0_f64.powi(counted.exponent);
        let mut all = vec![Emission::UNCONTENDED; transfers.len()];
        for (source, pairs) in graph.lefts.iter().enumerate() {
            let least = pairs.iter().map(|&pair| counted.with[pair]).fold(f64::INFINITY, f64::min);
            for &pair in pairs {
                let emission = Emission {
                    sets: unscaled(counted.with[pair]),
                    least: unscaled(least),
                    all_sets: unscaled(counted.all),
                    penalty: counted.all / least,
                    interval: intervals.as_ref().map(|intervals| intervals[source]),
                };
                graph.pairs[pair].transfers.iter().for_each(|&k| all[k] = emission);
            }
        }
        Ok(all)
    }
}

impl PenaltyModel for Myrinet {
    fn penalties(&self, transfers: &[Transfer]) -> Result<Vec<f64>, SharingError> {
        Ok(self.emissions(transfers)?.into_iter().map(|emission| emission.penalty).collect())
    }
}

impl Law for Myrinet {
    fn kind(&self) -> &'static LawKind {
        &KIND
    }

    fn penalties_within(
        &self,
        transfers: &[Transfer],
        steps: &mut usize,
    ) -> Result<Vec<f64>, SharingError> {
        let emissions = self.emissions_within(transfers, steps)?;
        Ok(emissions.into_iter().map(|emission| emission.penalty).collect())
    }
}

/// The emission coefficient of a transfer, and the penalty that follows from it.
///
/// Numbers of sets are those of its component, and infinite beyond the range of f64; below 2^53
/// they are whole numbers unless they are estimates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Emission {
    /// The emission coefficient: the number of sets in which it sends.
    pub sets: f64,
    /// The least emission coefficient of all transfers of its source.
    pub least: f64,
    /// The number of all sets.
    pub all_sets: f64,
    /// `all_sets` / `least`.
    pub penalty: f64,
    /// The interval of the penalty if it is an estimate.
    pub interval: Option<Interval>,
}

impl Emission {
    /// The emission coefficient of a transfer that shares no port.
    const UNCONTENDED: Self =
        Self { sets: 1.0, least: 1.0, all_sets: 1.0, penalty: 1.0, interval: None };
}
