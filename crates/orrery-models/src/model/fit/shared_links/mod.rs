//! Links that groups of processors share, from exchanges of several pairs at the same time.

mod alternation;
mod candidates;
mod estimation;
mod placement;
mod propagation;
mod pruning;
mod selection;
mod significance;
mod trials;

pub use candidates::GroupVerdict;

use alternation::alternate;
use candidates::Candidates;
use estimation::{FIRST, Solution, estimate};
use placement::{correct, place};
use propagation::widened;
use pruning::{evidence_of_shares, prune, readmit, unidentified, without_weak};
use significance::{p_value, significant};
use trials::Measured;

use crate::comm::ports::{are_uplinks_idle, correlated_fit_with_uplinks};
use crate::comm::{Correlations, FitError, Observations, Ports};
use orrery_base::budget::OverBudget;
use orrery_base::numeric::normal_p_value;
use orrery_cluster::platform::Processor;
use orrery_measure::sample::{MeasuredSet, Samples, Slowdown, corrected_groups};

/// What concurrent exchanges say about shared links.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SharedLinks {
    /// The links, in the order of the uplinks of the model.
    pub links: Vec<SharedLink>,
    /// The number of sets of exchanges.
    pub sets: usize,
    /// The largest number of pairs in a set.
    pub pairs: usize,
    /// The number of sets that are not used: pairs are missing, take no time, or contradict the
    /// number of their set.
    pub incomplete: usize,
    /// The processors whose group is not known: their ports are so slow that no link slows them,
    /// and nobody else notices them.
    pub unlocated: Vec<Processor>,
    /// The groups that exchanges suggest without a link of their own: no set saturates one, and
    /// shares do not show it.
    pub unidentified: Vec<Vec<Processor>>,
    /// The pairs that are slowed by more than noise although no link explains it, with the ratio of
    /// the measured to the explained time: the largest ones.
    pub unexplained: Vec<(Processor, Processor, f64)>,
    /// What the exchanges say about each of the groups that the options state.
    pub stated: Vec<GroupVerdict>,
}

/// A link that a group of processors shares.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedLink {
    /// The group.
    pub group: Vec<Processor>,
    /// The probability of evidence as large as this for any group without links, given the misfit
    /// of all times.
    pub p_value: f64,
    /// The largest ratio of a time together to a time alone that the link determines; 1 if no set
    /// saturates it, so that only the shares of other links show it.
    pub slowdown: f64,
}

/// The ratio of measured to explained times from which a pair is unexplained.
const MIN_UNEXPLAINED: f64 = 1.25;

/// The operations of all simulations of a set for each change of a rate.
const OPERATIONS_PER_CHANGE: u64 = 40;
/// The changes of rates that a set costs besides those of its messages.
const CHANGES_PER_SET: u64 = 100;

/// The largest number of unexplained pairs that are named.
const MAX_UNEXPLAINED: usize = 3;

/// The largest number of times that groups are corrected: each estimate of the ports shows more.
const MAX_ROUNDS: usize = 3;

/// Finds the links that explain the exchanges among samples, and adds them to the model; returns
/// them with the correlations of the errors of the other parameters, if these were estimated again,
/// and the error of such an estimation, without which the links count as independent of them.
/// `None` without exchanges.
///
/// Candidates are groups of processors whose pairs are not slowed while pairs between groups are,
/// the processors of each host, and the `stated` groups; if these do not fit to each other, those
/// that explain the times better with fewer links. Links that the times do not need are removed,
/// the least needed first. The delays per byte of the others are estimated by simulations of the
/// sets in which flows share ports and links: with the order of events fixed, the time of a flow is
/// linear in the delay of the link that bounds it.
pub(super) fn add(
    samples: &Samples,
    observations: &Observations,
    (ports, known): (&mut Ports, &Correlations),
    stated: &[Vec<Processor>],
    level: f64,
) -> Option<(SharedLinks, Option<Correlations>, Option<FitError>)> {
    let (sets, incomplete) = MeasuredSet::all(samples);
    if sets.is_empty() && incomplete == 0 {
        return None;
    }
    let measured = Measured { sets: &sets, ports, level };
    let hosts = samples.hosts().groups();
    let hosts = hosts.into_iter().filter(|host| !stated.contains(host));
    let candidates =
        Candidates::new(&stated.iter().cloned().chain(hosts).collect::<Vec<_>>(), &sets);
    // The start contains too many links, since shares are equal only nearly; simulations decide
    // which of them are needed.
    let (placed, unlocated) =
        place(candidates.start(&corrected_groups(&sets), &measured), &measured);
    let placed_groups = placed.selection.groups.clone();
    let mut solution = prune(placed, &measured);
    solution = estimate(solution.selection, &measured, FIRST);
    // Ports were estimated without links, which delay their experiments, too. Better ports show
    // better groups, and these better ports.
    let (mut refitted, mut failure) = (None, None);
    let mut is_corrected = false;
    for _ in 0..MAX_ROUNDS {
        let groups = solution.selection.groups.clone();
        (solution, refitted) = alternate(solution, observations, &measured, &mut failure);
        if is_corrected && refitted.is_none() {
            break;
        }
        let measured = Measured { ports: refitted.as_ref().unwrap_or(ports), ..measured };
        solution = correct(solution, &measured);
        let links = solution.selection.groups.len();
        solution = prune(solution, &measured);
        if solution.selection.groups == groups {
            break;
        }
        // With the same ports and links, corrections would be tried again.
        is_corrected = refitted.is_none() && solution.selection.groups.len() == links;
    }
    // A link that no set saturates shows only in the shares of the other links, which are known
    // now.
    let mut readmitted = Vec::new();
    loop {
        let is_left = |group: &&Vec<Processor>| !solution.selection.groups.contains(group);
        let left: Vec<Vec<Processor>> = placed_groups.iter().filter(is_left).cloned().collect();
        let measured = Measured { ports: refitted.as_ref().unwrap_or(ports), ..measured };
        let better = readmit(&solution, &left, observations, &measured);
        let Some(better) = better else { break };
        readmitted.extend(better.0.selection.groups.last().cloned());
        (solution, refitted, failure) = better;
    }
    let measured_now = Measured { ports: refitted.as_ref().unwrap_or(ports), ..measured };
    solution = without_weak(solution, &readmitted, &measured_now);
    solution = significant(solution, &placed_groups, &readmitted, &measured_now);
    // At last all parameters are estimated together, unless the links change no experiment of the
    // ports: errors of ports and links are correlated.
    let are_correlated = !solution.uplinks.is_empty()
        && (refitted.is_some()
            || !are_uplinks_idle(observations, ports, &solution.trial_uplinks()));
    // Reasons of candidates that are gone say nothing of the result.
    if solution.uplinks.is_empty() {
        failure = None;
    }
    let mut correlations = None;
    if are_correlated {
        let (uplinks, near) = (solution.joint_uplinks(), refitted.as_ref());
        match correlated_fit_with_uplinks(observations, level, &uplinks, near) {
            Ok(joint) => {
                let both_ports_byte_delay = std::mem::take(&mut ports.both_ports_byte_delay);
                *ports = Ports { both_ports_byte_delay, ..joint.ports };
                correlations = Some(joint.correlations);
                failure = None;
            }
            Err(error) => failure = Some(error),
        }
    }
    // A joint estimate has its links already.
    if correlations.is_none() {
        ports.uplinks = solution.uplinks.clone();
    }
    let of_ports = correlations.as_ref().unwrap_or(known);
    ports.uplinks = widened(&solution, of_ports, &Measured { sets: &sets, ports, level });
    let measured = Measured { sets: &sets, ports, level };
    solution.simulate(&measured);
    let of_link = |link: usize| {
        if readmitted.contains(&solution.selection.groups[link]) {
            let evidence = evidence_of_shares(&solution, link, &measured);
            return normal_p_value(evidence.max(0.0).sqrt());
        }
        p_value(&solution, link, &measured)
    };
    let p_values: Vec<f64> = (0..solution.selection.groups.len()).map(of_link).collect();
    let Solution { selection, explained, .. } = solution;
    let link = |(number, (group, p_value)): (usize, (&Vec<Processor>, f64))| SharedLink {
        group: group.clone(),
        p_value,
        slowdown: selection.slowdown(number),
    };
    let links = selection.groups.iter().zip(p_values).enumerate().map(link).collect();
    let pairs = sets.iter().flat_map(|set| set.set.pairs());
    let slowed = sets
        .iter()
        .flat_map(MeasuredSet::slowdowns)
        .map(|(_, slowdown)| slowdown == Slowdown::Slowed);
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
    let mut verdicts = candidates.verdicts(&selection.groups, &sets);
    verdicts.truncate(stated.len());
    let unidentified = unidentified(placed_groups, &selection.groups, candidates.known());
    let found = SharedLinks {
        links,
        sets: sets.len(),
        pairs,
        incomplete,
        unlocated,
        unidentified,
        unexplained,
        stated: verdicts,
    };
    Some((found, correlations, failure))
}

/// Checks that a search in the exchanges is within the budget of the samples: each set is simulated
/// some hundred times, and each message that ends changes the rates of the others.
pub(super) fn check_operations(samples: &Samples) -> Result<(), OverBudget> {
    let of_set = |set: &MeasuredSet| {
        (set.set.pairs().len() as u64).saturating_pow(2).saturating_add(CHANGES_PER_SET)
    };
    let (sets, _) = MeasuredSet::all(samples);
    let operations =
        sets.iter().map(of_set).fold(0, u64::saturating_add).saturating_mul(OPERATIONS_PER_CHANGE);
    samples.budget().check_operations("the search for shared links in the exchanges", operations)
}
