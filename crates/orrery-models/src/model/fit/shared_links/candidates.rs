//! Groups of processors that may share a link, as another source states them: the switches of a
//! `topology.conf`.

use super::estimation::{FIRST, Solution, estimate};
use super::placement::place;
use super::pruning::prune;
use super::selection::{MIN_GAIN, Selection};
use super::trials::Measured;
use orrery_cluster::platform::Processor;
use orrery_measure::sample::{MeasuredSet, unlocated};

/// What exchanges say about a group of processors that may share a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupVerdict {
    /// The group, or all other processors, share the link of this number.
    Confirmed(usize),
    /// The link of this number divides the group, but none of the other stated groups inside it.
    Contradicted(usize),
    /// No time depends on a link of the group: this number of its pairs with others at the same
    /// time is too small.
    Open {
        /// The largest number of pairs of a set with one end in the group.
        pairs: usize,
    },
}

/// The processors of a group that are among `known`, which ascends; the result ascends, too.
fn among(group: &[Processor], known: &[Processor]) -> Vec<Processor> {
    let mut members: Vec<Processor> =
        group.iter().copied().filter(|one| known.binary_search(one).is_ok()).collect();
    members.sort_unstable();
    members.dedup();
    members
}

/// The processors of `all` that are not in a group, which ascends.
fn complement(group: &[Processor], all: &[Processor]) -> Vec<Processor> {
    all.iter().copied().filter(|one| group.binary_search(one).is_err()).collect()
}

/// Returns true if `group`, which ascends, contains all processors of `other`.
fn contains(group: &[Processor], other: &[Processor]) -> bool {
    among(other, group).len() == other.len()
}

/// Returns true if one group contains the other, or they have no processor in common.
fn are_nested(a: &[Processor], b: &[Processor]) -> bool {
    let common = among(a, b).len();
    common == 0 || common == a.len().min(b.len())
}

/// The groups of `first` with those of `second` that are nested with them, or whose complements
/// are; a link that is among them already is left out. Returns true if no group had to be left out
/// because it is not nested.
fn joined(
    first: &[Vec<Processor>],
    second: &[Vec<Processor>],
    all: &[Processor],
) -> (Vec<Vec<Processor>>, bool) {
    let (mut groups, mut are_all_nested) = (first.to_vec(), true);
    for group in second {
        let other = complement(group, all);
        if groups.contains(group) || groups.contains(&other) || group.len() < 2 || other.len() < 2 {
            continue;
        }
        let fits = |one: &Vec<Processor>| groups.iter().all(|known| are_nested(known, one));
        match [group.clone(), other].into_iter().find(fits) {
            Some(group) => groups.push(group),
            None => are_all_nested = false,
        }
    }
    (groups, are_all_nested)
}

/// Groups that another source states, tested with those that exchanges suggest.
pub(super) struct Candidates {
    /// The groups as stated, without processors that are not known.
    stated: Vec<Vec<Processor>>,
    /// The processors that exchanges locate.
    known: Vec<Processor>,
}

impl Candidates {
    /// The stated groups of the processors in these sets, apart from those that no exchange
    /// locates.
    pub(super) fn new(stated: &[Vec<Processor>], sets: &[MeasuredSet]) -> Self {
        let unlocated = unlocated(sets);
        let mut known: Vec<Processor> =
            sets.iter().flat_map(|set| set.set.pairs()).flat_map(|&(i, j)| [i, j]).collect();
        known.sort_unstable();
        known.dedup();
        known.retain(|one| unlocated.binary_search(one).is_err());
        Self { stated: stated.iter().map(|group| among(group, &known)).collect(), known }
    }

    /// Returns the first solution of a search for links. It has the suggested groups and the stated
    /// ones that are nested with them. If some stated groups are not, it competes with all stated
    /// groups and the suggested ones that are nested with these; the better explanation with fewer
    /// links is returned.
    pub(super) fn start(&self, suggested: &[Vec<Processor>], measured: &Measured<'_>) -> Solution {
        let explain = |groups| {
            estimate(Selection::new(groups, measured.sets, measured.ports), measured, FIRST)
        };
        let reduce = |solution| prune(place(solution, measured).0, measured);
        let cost = |solution: &Solution| {
            solution.cost() + MIN_GAIN * solution.selection.groups.len() as f64
        };
        let (groups, are_all_nested) = joined(suggested, &self.stated, &self.known);
        if are_all_nested {
            return explain(groups);
        }
        let (stated, _) = joined(&[], &self.stated, &self.known);
        let (others, _) = joined(&stated, suggested, &self.known);
        let (one, other) = (reduce(explain(groups)), reduce(explain(others)));
        if cost(&other) < cost(&one) { other } else { one }
    }

    /// The processors that exchanges locate, ascending.
    pub(super) fn known(&self) -> &[Processor] {
        &self.known
    }

    /// What the links that were found say about each of the stated groups.
    pub(super) fn verdicts(
        &self,
        links: &[Vec<Processor>],
        sets: &[MeasuredSet],
    ) -> Vec<GroupVerdict> {
        let links: Vec<Vec<Processor>> =
            links.iter().map(|group| among(group, &self.known)).collect();
        self.stated.iter().map(|group| self.verdict(group, &links, sets)).collect()
    }

    /// What the links say about a group.
    fn verdict(
        &self,
        group: &[Processor],
        links: &[Vec<Processor>],
        sets: &[MeasuredSet],
    ) -> GroupVerdict {
        let is_link_of = |group: &[Processor], link: &[Processor]| {
            group == link || complement(group, &self.known).as_slice() == link
        };
        if let Some(link) = links.iter().position(|link| is_link_of(group, link)) {
            return GroupVerdict::Confirmed(link);
        }
        let divides = |link: &Vec<Processor>| {
            let sides = [link.clone(), complement(link, &self.known)];
            let is_crossed = sides.iter().all(|side| !are_nested(side, group));
            let smaller = || {
                self.stated
                    .iter()
                    .filter(|other| other.len() < group.len() && contains(group, other))
            };
            let is_of_smaller = |side: &[Processor]| {
                smaller().any(|other| {
                    contains(other, side) || is_link_of(other, side) || !are_nested(other, side)
                })
            };
            let is_inside =
                |side: &&Vec<Processor>| side.len() < group.len() && contains(group, side);
            is_crossed || sides.iter().filter(is_inside).any(|side| !is_of_smaller(side))
        };
        if let Some(link) = links.iter().position(divides) {
            return GroupVerdict::Contradicted(link);
        }
        let is_known = |one: &Processor| self.known.binary_search(one).is_ok();
        let is_in = |one: &Processor| group.binary_search(one).is_ok();
        let crosses =
            |(i, j): &&(Processor, Processor)| is_known(i) && is_known(j) && is_in(i) != is_in(j);
        let crossing = |set: &MeasuredSet| set.set.pairs().iter().filter(crosses).count();
        GroupVerdict::Open { pairs: sets.iter().map(crossing).max().unwrap_or(0) }
    }
}
