//! The repetition of anchors in a campaign, in a bounded part of its time.

use crate::sample::{AnchorStage, Experiment, Samples};
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::{Pairs, Processor};

/// The readings of each anchor in a round.
const READINGS: u32 = 3;

/// The largest part of the time of a campaign that rounds of anchors take, apart from the first
/// and the last one and that before the exchanges.
const MAX_PART: f64 = 0.05;

/// The rounds of anchors of a campaign.
#[derive(Debug)]
pub(super) struct Anchors {
    /// The pairs in groups that share no processor.
    groups: Vec<Vec<(Processor, Processor)>>,
    size: Bytes,
    /// The part of the campaign under way.
    stage: AnchorStage,
    /// The number of the next round.
    next: u32,
    /// The start of the campaign; `None` before the first round.
    begin: Option<Seconds>,
    /// The end of the last round.
    end: Seconds,
    /// The duration of a round.
    duration: Seconds,
    /// True if experiments were measured since the last round.
    is_outdated: bool,
    /// True if the next experiment must follow a round.
    is_required: bool,
}

impl Anchors {
    /// The anchors of these processors with messages of this size: a cycle, so that each processor
    /// is in two pairs, beyond the rounds that `samples` have of this launch.
    pub(super) fn new(processors: usize, size: Bytes, samples: &Samples, launch: u32) -> Self {
        let known = samples.series().iter().filter_map(|series| match series.experiment {
            Experiment::Anchor { round, .. }
                if series.readings.iter().any(|reading| reading.launch == launch) =>
            {
                Some(round + 1)
            }
            _ => None,
        });
        Self {
            groups: cycle(processors),
            size,
            stage: AnchorStage::RoundTrips,
            next: known.max().unwrap_or(0),
            begin: None,
            end: Seconds::ZERO,
            duration: Seconds::ZERO,
            is_outdated: false,
            is_required: true,
        }
    }

    /// Notes that another part of the campaign begins. The exchanges follow a round, with which
    /// they are compared.
    pub(super) fn enter(&mut self, stage: AnchorStage) {
        self.stage = stage;
        self.is_required |= stage == AnchorStage::Exchanges && self.is_outdated;
    }

    /// Returns true if a round is due before the next experiment at this time.
    pub(super) fn is_due(&self, now: Seconds) -> bool {
        let since = (now - self.end).get();
        self.is_required || self.is_outdated && since * MAX_PART >= self.duration.get()
    }

    /// Returns true if experiments were measured since the last round.
    pub(super) const fn is_outdated(&self) -> bool {
        self.is_outdated
    }

    /// Notes that experiments were measured.
    pub(super) const fn outdate(&mut self) {
        self.is_outdated = true;
    }

    /// The experiments of the next round, which starts at this time, in groups that share no
    /// processor, and the readings of each.
    pub(super) fn round(&mut self, now: Seconds) -> (Vec<Vec<Experiment>>, u32) {
        let begin = *self.begin.get_or_insert(now);
        let start = ((now - begin).get() * 1e9).round() as u64;
        let (size, round, stage) = (self.size, self.next, self.stage.number());
        let anchor = |&(i, j): &(Processor, Processor)| Experiment::Anchor {
            i,
            j,
            size,
            round,
            stage,
            start,
        };
        let groups = self.groups.iter().map(|pairs| pairs.iter().map(anchor).collect());
        (groups.collect(), READINGS)
    }

    /// Notes that the round that started at one time ended at the other.
    pub(super) fn finish(&mut self, start: Seconds, end: Seconds) {
        self.next += 1;
        (self.end, self.duration) = (end, end - start);
        (self.is_outdated, self.is_required) = (false, false);
    }
}

/// The pairs of neighbours on a cycle of processors, in groups that share no processor.
fn cycle(processors: usize) -> Vec<Vec<(Processor, Processor)>> {
    if processors <= 3 {
        return Pairs::of(processors).iter().map(|pair| vec![pair]).collect();
    }
    let n = processors as u32;
    let mut groups = vec![Vec::new(); 3];
    for i in 0..n {
        // The last pair of an odd number shares processors with both groups.
        let group = if n % 2 == 1 && i + 1 == n { 2 } else { i as usize % 2 };
        groups[group].push((Processor(i.min((i + 1) % n)), Processor(i.max((i + 1) % n))));
    }
    groups.retain(|group| !group.is_empty());
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_processor_is_in_two_pairs_and_groups_share_none() {
        for n in 3..12 {
            let mut degrees = vec![0; n];
            for group in cycle(n) {
                let mut seen = vec![false; n];
                for one in group.iter().flat_map(|&(i, j)| [i, j]) {
                    degrees[one.index()] += 1;
                    assert!(!std::mem::replace(&mut seen[one.index()], true), "{n}: {group:?}");
                }
            }
            assert_eq!(degrees, vec![2; n]);
        }
        assert_eq!(cycle(2), [[(Processor(0), Processor(1))]]);
    }
}
