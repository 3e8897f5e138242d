//! Links that groups of processors share, from exchanges of several pairs at the same time.

mod estimation;
mod placement;
mod pruning;
mod selection;
mod trials;

use estimation::{AGAIN, FIRST, Solution, estimate, evidence};
use placement::place;
use pruning::prune;
use selection::Selection;
use trials::Measured;

use crate::comm::ports::correlated_fit_with_uplinks;
use crate::comm::{Correlations, Observations, Ports};
use crate::numeric::{Estimate, normal_p_value};
use crate::platform::Processor;
use crate::sample::{MeasuredSet, Samples, Slowdown, suggested_groups};
use crate::simulate::SimulationError;

/// What concurrent exchanges say about shared links.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SharedLinks {
    /// The links, in the order of the uplinks of the model.
    pub links: Vec<SharedLink>,
    /// The number of sets of exchanges.
    pub sets: usize,
    /// The largest number of pairs in a set.
    pub pairs: usize,
    /// The number of sets that are not used: pairs are missing, take no time, or contradict the number of their set.
    pub incomplete: usize,
    /// The processors whose group is not known: their ports are so slow that no link slows them, and nobody else notices them.
    pub unlocated: Vec<Processor>,
    /// The pairs that are slowed by more than noise although no link explains it, with the ratio of the measured to the
    /// explained time: the largest ones.
    pub unexplained: Vec<(Processor, Processor, f64)>,
}

/// A link that a group of processors shares.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedLink {
    /// The group.
    pub group: Vec<Processor>,
    /// The probability of evidence as large as this without the link.
    pub p_value: f64,
    /// The largest ratio of a time together to a time alone that the link determines.
    pub slowdown: f64,
}

/// The ratio of measured to explained times from which a pair is unexplained.
const MIN_UNEXPLAINED: f64 = 1.25;

/// The largest number of unexplained pairs that are named.
const MAX_UNEXPLAINED: usize = 3;

/// The largest number of times that the parameters of processors and pairs are estimated again with the shared links.
const MAX_REFITS: usize = 24;

/// The part of an interval below which a change of a delay does not matter.
const SMALL_PART: f64 = 0.01;

/// The relative change of delays at which iterations end.
const CONVERGED: f64 = 1e-9;

/// Finds the links that explain the exchanges among samples, and adds them to the model; returns them with the correlations of
/// the errors of the other parameters, if these were estimated again. `None` without exchanges.
///
/// Candidates are groups of processors whose pairs are not slowed while pairs between groups are. Links that the times do not
/// need are removed, the least needed first. The delays per byte of the others are estimated by simulations of the sets in
/// which flows share ports and links: with the order of events fixed, the time of a flow is linear in the delay of the link
/// that bounds it.
///
/// # Errors
///
/// When the exchanges cannot be simulated.
pub(super) fn add(
    samples: &Samples,
    observations: &Observations,
    ports: &mut Ports,
    level: f64,
) -> Result<Option<(SharedLinks, Option<Correlations>)>, SimulationError> {
    let mut correlations = None;
    let (sets, incomplete) = MeasuredSet::all(samples);
    if sets.is_empty() && incomplete == 0 {
        return Ok(None);
    }
    let measured = Measured { sets: &sets, ports, level };
    let first = estimate(Selection::new(suggested_groups(&sets), &sets, ports), &measured, FIRST)?;
    let (placed, unlocated) = place(first, &measured)?;
    let mut solution = prune(placed, &measured)?;
    let mut history = History::default();
    for refit in 0..MAX_REFITS {
        ports.uplinks = solution.uplinks.clone();
        if ports.uplinks.is_empty() || history.has_converged(&solution.selection.delays, ports.uplinks.byte_delay()) {
            break;
        }
        // Messages one after the other share links, too: one-to-two experiments contain them.
        let uplinks = ports.uplinks.clone().with_byte_delay(exact(&solution.selection.delays));
        let near = (refit > 0).then_some(&*ports);
        let refitted = correlated_fit_with_uplinks(observations, level, &uplinks, near);
        let Ok((refitted, _, correlated)) = refitted else { break };
        (*ports, correlations) = (refitted, Some(correlated));
        let groups = solution.selection.groups.len();
        let measured = Measured { sets: &sets, ports, level };
        solution = prune(estimate(solution.selection, &measured, AGAIN)?, &measured)?;
        if solution.selection.groups.len() < groups {
            history = History::default();
        } else {
            history.accelerate(&mut solution.selection.delays);
        }
    }
    let Solution { selection, uplinks, explained } = solution;
    ports.uplinks = uplinks;
    let evidence = evidence(&selection, &Measured { sets: &sets, ports, level })?;
    let link = |(number, group): (usize, &Vec<Processor>)| {
        let bound = selection.times.iter().filter(|time| selection.bound(time) == Some(number));
        let slowdown = bound.map(|time| time.together / time.alone).fold(1.0, f64::max);
        (number, group.clone(), slowdown)
    };
    let found: Vec<_> = selection.groups.iter().enumerate().map(link).collect();
    let of = |(number, group, slowdown): (usize, Vec<Processor>, f64)| {
        let p_value = normal_p_value(evidence[number].max(0.0).sqrt());
        SharedLink { group, p_value, slowdown }
    };
    let links = found.into_iter().map(of).collect();
    let pairs = sets.iter().flat_map(|set| set.set.pairs());
    let slowed = sets.iter().flat_map(MeasuredSet::slowdowns).map(|(_, slowdown)| slowdown == Slowdown::Slowed);
    let mut unexplained: Vec<(Processor, Processor, f64)> = pairs
        .zip(selection.times.iter().zip(explained))
        .zip(slowed)
        .filter(|(_, is_slowed)| *is_slowed)
        .map(|((&(i, j), (time, explained)), _)| (i, j, time.together / explained))
        .filter(|(.., ratio)| *ratio > MIN_UNEXPLAINED)
        .collect();
    unexplained.sort_by(|a, b| b.2.total_cmp(&a.2));
    unexplained.truncate(MAX_UNEXPLAINED);
    let pairs = sets.iter().map(|set| set.set.pairs().len()).max().unwrap_or(0);
    let found = SharedLinks { links, sets: sets.len(), pairs, incomplete, unlocated, unexplained };
    Ok(Some((found, correlations)))
}

/// These delays as estimates.
fn exact(delays: &[f64]) -> Vec<Estimate> {
    delays.iter().map(|&delay| Estimate::exact(delay)).collect()
}

/// The delays after each estimation of the other parameters, which approach their limits by a constant factor.
#[derive(Default)]
struct History {
    plain: Vec<Vec<f64>>,
    last: Vec<f64>,
}

impl History {
    /// Returns true if the delays no longer change, or by less than a small part of their intervals.
    fn has_converged(&mut self, delays: &[f64], estimates: &[Estimate]) -> bool {
        let before = std::mem::replace(&mut self.last, delays.to_vec());
        let tolerance = |estimate: &Estimate| estimate.interval.map_or(0.0, |interval| interval.high - interval.low);
        let is_close = |((a, b), estimate): ((&f64, &f64), &Estimate)| {
            (a - b).abs() <= (CONVERGED * b).max(SMALL_PART * tolerance(estimate))
        };
        before.len() == delays.len() && before.iter().zip(delays).zip(estimates).all(is_close)
    }

    /// Moves the delays to the limit of a geometric sequence after every third step (Aitken's method).
    fn accelerate(&mut self, delays: &mut [f64]) {
        self.plain.push(delays.to_vec());
        if let [first, second, third] = self.plain.as_slice() {
            for (link, delay) in delays.iter_mut().enumerate() {
                let (before, last) = (second[link] - first[link], third[link] - second[link]);
                let ratio = last / before;
                if (-0.9..0.9).contains(&ratio) {
                    *delay += last * ratio / (1.0 - ratio);
                }
            }
            self.plain = vec![delays.to_vec()];
        }
    }
}
