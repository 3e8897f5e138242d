use super::bipartite::Bipartite;
use super::count;
use super::sampling::{self, Sampling};
use crate::numeric::Interval;
use crate::sharing::{SharingError, Transfer, components};

/// How often a transfer sends. Numbers of sets are those of its component, and infinite beyond the range of f64; they
/// are whole numbers as long as they are below 2^53 and counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Emission {
    /// The number of sets in which it sends: its emission coefficient.
    pub sets: f64,
    /// The least such number of all transfers of its source.
    pub least: f64,
    /// The number of all sets.
    pub all_sets: f64,
    /// all_sets / least.
    pub penalty: f64,
    /// Where the penalty lies, if it is estimated and not counted.
    pub interval: Option<Interval>,
}

impl Emission {
    /// A transfer that nobody hinders.
    const LONE: Self = Self { sets: 1.0, least: 1.0, all_sets: 1.0, penalty: 1.0, interval: None };
}

/// Takes the steps of the count from those that are left.
pub(super) fn emissions(
    transfers: &[Transfer],
    by: Option<&Sampling>,
    steps: &mut usize,
) -> Result<Vec<Emission>, SharingError> {
    let mut all = vec![Emission::LONE; transfers.len()];
    for component in components(transfers) {
        let members: Vec<Transfer> = component.iter().map(|&k| transfers[k]).collect();
        for (&k, emission) in component.iter().zip(of_component(&members, by, steps)?) {
            all[k] = emission;
        }
    }
    Ok(all)
}

fn of_component(
    transfers: &[Transfer],
    by: Option<&Sampling>,
    steps: &mut usize,
) -> Result<Vec<Emission>, SharingError> {
    let graph = Bipartite::of(transfers);
    let (counted, estimated) = match (count::exactly(&graph, steps), by) {
        (Some(counted), _) => (counted, None),
        (None, None) => return Err(graph.too_large()),
        (None, Some(by)) => {
            let sampled = sampling::sample(&graph, by).ok_or_else(|| graph.no_sample())?;
            (sampled.counted, Some(sampled.intervals))
        }
    };
    let whole = |count: f64| count * 2.0_f64.powi(counted.exponent);
    let mut all = vec![Emission::LONE; transfers.len()];
    for (source, pairs) in graph.lefts.iter().enumerate() {
        let least = pairs.iter().map(|&pair| counted.with[pair]).fold(f64::INFINITY, f64::min);
        for &pair in pairs {
            let emission = Emission {
                sets: whole(counted.with[pair]),
                least: whole(least),
                all_sets: whole(counted.all),
                penalty: counted.all / least,
                interval: estimated.as_ref().map(|intervals| intervals[source]),
            };
            graph.pairs[pair].transfers.iter().for_each(|&k| all[k] = emission);
        }
    }
    Ok(all)
}
