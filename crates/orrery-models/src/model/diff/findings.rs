//! Findings: the hosts and links that explain the changed messages.

use std::cmp::Ordering;

use super::{Change, MessageChange};
use orrery_base::numeric::median;
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;

/// The processor or the link whose messages changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A processor: most of its links changed.
    Processor(Processor),
    /// A single link.
    Link(Processor, Processor),
}

/// A changed processor or link; processors have their numbers in the old model.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What changed.
    pub subject: Subject,
    /// The size of the messages that changed most.
    pub size: Bytes,
    /// The median time of these messages in the old model, in seconds.
    pub old: f64,
    /// The median time of these messages in the new model, in seconds.
    pub new: f64,
    /// The median relative change of these messages.
    pub relative: f64,
    /// The number of changed links.
    pub changed: usize,
    /// The number of links of the processor, or 1.
    pub links: usize,
    /// The least adjusted p-value of these messages; `None` without intervals.
    pub p_value: Option<f64>,
}

/// The messages of all pairs of n processors, as indices of common processors.
pub(super) struct PairMessages<'a> {
    /// The number of common processors.
    pub(super) processors: usize,
    /// The messages, pair by pair in packed order, for each pair in the order of sizes.
    pub(super) messages: &'a [MessageChange],
    /// The number of sizes.
    pub(super) sizes: usize,
}

impl PairMessages<'_> {
    /// The changes of the messages between two processors, one for each size.
    fn of(&self, a: usize, b: usize) -> &[MessageChange] {
        let number = |index: usize| Processor(index as u32);
        let pair = orrery_cluster::platform::Pairs::of(self.processors).index(number(a), number(b));
        &self.messages[pair * self.sizes..(pair + 1) * self.sizes]
    }

    /// Returns true if a message of the pair changed.
    fn is_changed(&self, a: usize, b: usize) -> bool {
        self.of(a, b).iter().any(|message| message.change.is_change)
    }

    /// The changed processors and links, the largest effect first.
    ///
    /// A processor is changed if most of its links are. The processor with the most changed links
    /// is found first, and its links are then set aside; changed links that remain are findings of
    /// their own.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let n = self.processors;
        let changed: Vec<Vec<usize>> =
            (0..n).map(|a| (0..n).filter(|&b| b != a && self.is_changed(a, b)).collect()).collect();
        let (mut remaining, mut left): (Vec<usize>, usize) =
            (changed.iter().map(Vec::len).collect(), n);
        let mut is_found = vec![false; n];
        let is_most = |changed: usize, links: usize| changed >= 2 && 2 * changed > links;
        loop {
            let candidates = (0..n).filter(|&a| !is_found[a]);
            let Some(worst) = candidates.max_by_key(|&a| (remaining[a], n - a)) else { break };
            if !is_most(remaining[worst], left - 1) {
                break;
            }
            is_found[worst] = true;
            left -= 1;
            changed[worst].iter().for_each(|&other| remaining[other] -= 1);
        }
        // The last link of a cluster in which all links changed belongs to its two processors.
        let set_aside = is_found.clone();
        for a in (0..n).filter(|&a| !set_aside[a] && remaining[a] > 0) {
            is_found[a] = is_most(changed[a].len(), n - 1) && left == 2;
        }
        let hosts = (0..n).filter(|&a| is_found[a]).map(|a| self.of_processor(a, changed[a].len()));
        let links = (0..n).flat_map(|a| changed[a].iter().map(move |&b| (a, b)));
        let links = links
            .filter(|&(a, b)| a < b && !is_found[a] && !is_found[b])
            .map(|(a, b)| self.of_link(a, b));
        let mut findings: Vec<Finding> = hosts.chain(links).collect();
        findings.sort_by(|one, other| {
            magnitude(other).partial_cmp(&magnitude(one)).unwrap_or(Ordering::Equal)
        });
        findings
    }

    /// The finding of a processor with this number of changed links: medians over all its links at
    /// the size that changed most.
    fn of_processor(&self, a: usize, changed: usize) -> Finding {
        let n = self.processors;
        let at = |place: usize| (0..n).filter(move |&b| b != a).map(move |b| &self.of(a, b)[place]);
        let effect = |place: usize| {
            median(&at(place).map(|message| message.change.magnitude()).collect::<Vec<_>>())
        };
        let place = (0..self.sizes).max_by(|&x, &y| effect(x).total_cmp(&effect(y))).unwrap_or(0);
        let of = |value: fn(&Change) -> f64| {
            median(&at(place).map(|message| value(&message.change)).collect::<Vec<_>>())
        };
        let first = self.of(a, (a + 1) % n);
        Finding {
            subject: Subject::Processor(if a + 1 < n {
                first[place].from
            } else {
                first[place].to
            }),
            size: first[place].size,
            old: of(|change| change.old),
            new: of(|change| change.new),
            relative: of(Change::relative),
            changed,
            links: n - 1,
            p_value: at(place).filter_map(|message| message.change.p_value).min_by(f64::total_cmp),
        }
    }

    /// The finding of a link: its changed size with the largest effect.
    fn of_link(&self, a: usize, b: usize) -> Finding {
        let messages = self.of(a, b).iter().filter(|message| message.change.is_change);
        let worst = messages.max_by(|x, y| x.change.magnitude().total_cmp(&y.change.magnitude()));
        let MessageChange { from, to, size, change } = *worst.unwrap_or(&self.of(a, b)[0]);
        let Change { old, new, p_value, .. } = change;
        let subject = Subject::Link(from, to);
        Finding {
            subject,
            size,
            old,
            new,
            relative: change.relative(),
            changed: 1,
            links: 1,
            p_value,
        }
    }
}

/// The magnitude by which findings are ordered: |ln(new/old)|.
fn magnitude(finding: &Finding) -> f64 {
    finding.relative.ln_1p().abs()
}
