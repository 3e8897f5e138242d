//! Stages along a tree.

use super::Data;
use super::data::Layout;
use super::space::Space;
use super::step::{Arrival, Step};
use super::tree::Tree;

/// What a tree moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TreeKind {
    /// Segments of the vector from the root to all.
    Broadcast,
    /// As broadcast, but ranks with an odd number receive the first half only, those with an even
    /// number the second.
    HalvesBroadcast,
    /// Segments of the vectors of all, combined on the way to the root.
    Reduce,
    /// To each rank the blocks of its subtree.
    Scatter,
    /// From each rank the blocks of its subtree.
    Gather,
}

/// A rank in a stage along a tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct TreeRank<'a> {
    pub(super) kind: TreeKind,
    pub(super) tree: Tree,
    pub(super) space: Space,
    pub(super) layout: Layout<'a>,
    /// The number of the rank in the space.
    pub(super) node: usize,
}

impl TreeRank<'_> {
    /// The number of segments that the node handles.
    fn segments(&self) -> usize {
        match self.kind {
            TreeKind::Broadcast | TreeKind::Reduce if self.layout.is_one_part() => {
                self.layout.segments()
            }
            TreeKind::HalvesBroadcast => self.layout.segments(),
            TreeKind::Broadcast | TreeKind::Reduce | TreeKind::Scatter | TreeKind::Gather => 1,
        }
    }

    /// The number of children.
    fn children(&self) -> usize {
        self.tree.children(self.node, self.space)
    }

    /// The absolute rank of the parent; `None` for the root.
    fn parent(&self) -> Option<usize> {
        self.tree.parent(self.node, self.space).map(|parent| self.space.rank(parent))
    }

    /// The blocks of a segment that are moved between `node` and its parent.
    fn data(&self, node: usize, segment: usize) -> Data {
        match self.kind {
            _ if self.layout.is_empty() => Data::Empty,
            TreeKind::Broadcast | TreeKind::Reduce if self.layout.is_one_part() => {
                Data::Blocks { first: segment, count: 1 }
            }
            TreeKind::Broadcast | TreeKind::Reduce => {
                Data::Blocks { first: 0, count: self.layout.count(self.space.ranks) }
            }
            TreeKind::HalvesBroadcast => {
                let half = if node.is_multiple_of(2) { self.layout.segments() } else { 0 };
                Data::Blocks { first: half + segment, count: 1 }
            }
            TreeKind::Scatter | TreeKind::Gather => {
                self.space.blocks(node, self.tree.subtree(node, self.space))
            }
        }
    }

    /// The absolute rank of a child by index, with the smallest subtrees first; those of a flat
    /// tree in their order.
    fn last_children_first(&self, index: usize, children: usize) -> Option<usize> {
        let index = if self.tree == Tree::Flat { index } else { children - 1 - index };
        self.tree.child(self.node, index, self.space)
    }

    /// The number of steps.
    pub(super) fn len(&self) -> usize {
        let (segments, children) = (self.segments(), self.children());
        let below = usize::from(self.node != 0);
        match self.kind {
            TreeKind::Scatter | TreeKind::Gather => children + below,
            TreeKind::Broadcast | TreeKind::HalvesBroadcast if segments == 1 || below == 0 => {
                segments.saturating_mul(children).saturating_add(below)
            }
            TreeKind::Broadcast | TreeKind::HalvesBroadcast => {
                segments.saturating_mul(children + 2)
            }
            TreeKind::Reduce => segments.saturating_mul(3 * children + below),
        }
    }

    /// The step with an index below the number of steps.
    pub(super) fn step(&self, index: usize) -> Option<Step> {
        match self.kind {
            TreeKind::Broadcast | TreeKind::HalvesBroadcast => self.broadcast(index),
            TreeKind::Scatter => match (self.parent(), index) {
                (Some(parent), 0) => Some(Step::receive(parent, self.data(self.node, 0))),
                (Some(_), _) => self.send_to_child(index - 1, 0),
                (None, _) => self.send_to_child(index, 0),
            },
            TreeKind::Gather => {
                let children = self.children();
                if index < children {
                    let child = self.last_children_first(index, children)?;
                    return Some(Step::receive(self.space.rank(child), self.data(child, 0)));
                }
                self.parent().map(|to| Step::Send { to, data: self.data(self.node, 0) })
            }
            TreeKind::Reduce => self.reduce(index),
        }
    }

    /// A blocking send of a segment to the child with this index.
    fn send_to_child(&self, index: usize, segment: usize) -> Option<Step> {
        let child = self.tree.child(self.node, index, self.space)?;
        Some(Step::Send { to: self.space.rank(child), data: self.data(child, segment) })
    }

    /// A step of a broadcast; `None` after the last one. With several segments the receive of the
    /// next one is posted before the present one is awaited.
    fn broadcast(&self, index: usize) -> Option<Step> {
        let (segments, children) = (self.segments(), self.children());
        let Some(parent) = self.parent() else {
            return self.send_to_child(index % children, index / children);
        };
        let post = |segment: usize| {
            Step::post_receive(parent, self.data(self.node, segment), segment as u32 % 2)
        };
        if segments == 1 {
            return if index == 0 {
                Some(Step::receive(parent, self.data(self.node, 0)))
            } else {
                self.send_to_child(index - 1, 0)
            };
        }
        let Some(index) = index.checked_sub(1) else { return Some(post(0)) };
        let (segment, part) = (index / (children + 2), index % (children + 2));
        let is_last = segment + 1 == segments;
        match if is_last { part + 1 } else { part } {
            0 => Some(post(segment + 1)),
            1 => Some(Step::Wait(segment as u32 % 2)),
            part => self.send_to_child(part - 2, segment),
        }
    }

    /// A step of a reduction, smallest subtrees first; `None` after the last one. The next receive
    /// is posted before the present one is awaited.
    fn reduce(&self, index: usize) -> Option<Step> {
        let (segments, children) = (self.segments(), self.children());
        let below = usize::from(self.node != 0);
        let to_parent =
            |segment| Some(Step::Send { to: self.parent()?, data: self.data(self.node, segment) });
        if children == 0 {
            return to_parent(index);
        }
        // The k-th of all receives.
        let arrival = |k: usize| {
            let child = self.last_children_first(k % children, children)?;
            Some(Arrival {
                from: self.space.rank(child),
                data: self.data(child, k / children),
                is_combined: true,
            })
        };
        let post = |k: usize| Some(Step::PostReceive(arrival(k)?, k as u32 % 2));
        let Some(index) = index.checked_sub(1) else { return post(0) };
        let length = 3 * children + below;
        let (segment, part) = (index / length, index % length);
        let (child, part) = (part / 3, part % 3);
        let k = segment * children + child;
        // Nothing is left to post after the last receive.
        let is_last = k + 1 == segments * children;
        if child == children {
            return to_parent(segment);
        }
        match if is_last { part + 1 } else { part } {
            0 => post(k + 1),
            1 => Some(Step::Wait(k as u32 % 2)),
            2 => arrival(k).map(|Arrival { from, data, .. }| Step::Combine { from, data }),
            _ => to_parent(segment),
        }
    }
}
