//! Linear scatters and gathers whose blocks are divided into segments.

use super::Data;
use super::linear::{Linear, Peer};
use super::step::Step;

impl Peer<'_> {
    /// The block number `segment` of the segments of the block of a rank.
    fn segment(&self, rank: usize, segment: usize) -> Data {
        let relative = (rank + self.ranks - self.root) % self.ranks;
        Data::Blocks { first: relative * self.layout.segments() + segment, count: 1 }
    }

    /// The number of steps.
    pub(super) fn split_len(&self) -> usize {
        let (segments, others) = (self.layout.segments(), self.ranks - 1);
        let requested = segments.saturating_mul(2) - 1;
        match (self.stage, self.rank == self.root) {
            (Linear::SplitFromRoot, true) => segments.saturating_mul(others),
            (Linear::SplitFromRoot, false) => segments,
            (_, true) => requested.saturating_mul(others),
            (_, false) => requested,
        }
    }

    /// A scatter: the first segments of all blocks, then the second ones and so on.
    pub(super) fn split_from_root(&self, index: usize) -> Option<Step> {
        if index >= self.split_len() {
            return None;
        }
        if self.rank != self.root {
            return Some(Step::receive(self.root, self.segment(self.rank, index)));
        }
        let others = self.ranks - 1;
        let to = self.other(index % others);
        Some(Step::Send { to, data: self.segment(to, index / others) })
    }

    /// A gather: a rank sends a segment after the root has received the one before, so that at most
    /// one is in flight.
    pub(super) fn split_to_root(&self, index: usize) -> Option<Step> {
        if index >= self.split_len() {
            return None;
        }
        let (segment, is_message) = (index / 2, index.is_multiple_of(2));
        if self.rank != self.root {
            return Some(if is_message {
                Step::Send { to: self.root, data: self.segment(self.rank, segment) }
            } else {
                Step::receive(self.root, Data::Empty)
            });
        }
        let (others, segments) = (self.ranks - 1, self.layout.segments());
        // The last segments are followed by no request.
        let requested = 2 * others * (segments - 1);
        let (segment, k, is_message) = if index < requested {
            (index / (2 * others), index % (2 * others) / 2, is_message)
        } else {
            (segments - 1, index - requested, true)
        };
        let peer = self.other(k);
        Some(if is_message {
            Step::receive(peer, self.segment(peer, segment))
        } else {
            Step::Send { to: peer, data: Data::Empty }
        })
    }
}
