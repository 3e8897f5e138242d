//! Stages in which ranks exchange messages with many others directly.

use super::Data;
use super::data::Layout;
use super::step::{Arrival, Step};

/// What a linear stage does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Linear {
    /// Each rank posts a send to the root, which posts receives from all and awaits them.
    ToRoot(Content),
    /// The root posts sends to all and awaits them.
    FromRoot(Content),
    /// An empty message from each rank to the root; the others use a blocking send.
    Arrive,
    /// All post a send to and a receive from each rank in turn.
    AllToAll,
    /// All post receives from the ranks above themselves on, then sends to the ranks below
    /// themselves on.
    Rotated,
    /// All post receives from all ranks in order, then sends.
    Ordered,
    /// As rotated, with this number of receives and sends at a time.
    Windowed(usize),
    /// All post receives from lower ranks and sends to higher ranks.
    ToHigher { is_exclusive: bool },
    /// The root sends each rank an empty message, then receives its block; the receives are posted
    /// before.
    SynchronizedToRoot,
    /// The root receives an empty message of each rank, then sends its block.
    SynchronizedFromRoot,
    /// The root sends a segment of its block to each rank, then the next one.
    SplitFromRoot,
    /// The root receives a segment of the block of each rank, then the next one, which it requests
    /// by an empty message.
    SplitToRoot,
    /// Each rank receives from the rank below, combines, and sends to the rank above.
    Upwards { is_exclusive: bool },
    /// An empty message around the ring twice.
    TwiceAround,
}

/// The blocks of a message between a rank and the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// Nothing.
    Empty,
    /// The block of the rank.
    Own,
    /// The whole vector.
    All,
    /// The whole vector, combined at the root.
    Combined,
}

/// A rank in a linear stage. Ranks and the root are absolute.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer<'a> {
    pub(super) stage: Linear,
    pub(super) rank: usize,
    pub(super) ranks: usize,
    pub(super) root: usize,
    pub(super) layout: Layout<'a>,
}

/// A message of a rank.
#[derive(Clone, Copy)]
enum Message {
    To(usize, Data),
    From(usize, Data),
}

impl Peer<'_> {
    /// The whole vector; empty for an operation without bytes.
    fn all(&self) -> Data {
        if self.layout.is_empty() {
            Data::Empty
        } else {
            Data::Blocks { first: 0, count: self.layout.count(self.ranks) }
        }
    }

    /// The blocks of a message between a rank and the root.
    fn content(&self, content: Content, rank: usize) -> Data {
        match content {
            Content::Empty => Data::Empty,
            Content::Own => {
                Data::Blocks { first: (rank + self.ranks - self.root) % self.ranks, count: 1 }
            }
            Content::All | Content::Combined => self.all(),
        }
    }

    /// The k-th of the other ranks in ascending order, from 0.
    pub(super) const fn other(&self, k: usize) -> usize {
        if k < self.rank { k } else { k + 1 }
    }

    /// The k-th, from 0, of all messages that are posted together; `None` after the last one.
    fn posted(&self, k: usize) -> Option<Message> {
        let (rank, ranks, others) = (self.rank, self.ranks, self.ranks - 1);
        let pair = |from, to| Data::Pair { from, to };
        let own = |rank| self.content(Content::Own, rank);
        let from_root = |content| Message::To(self.other(k), self.content(content, self.other(k)));
        match self.stage {
            Linear::ToRoot(content) if rank == self.root => (k < others)
                .then(|| Message::From(self.other(k), self.content(content, self.other(k)))),
            Linear::ToRoot(content) => {
                (k == 0).then(|| Message::To(self.root, self.content(content, rank)))
            }
            Linear::Arrive => {
                (k < others && rank == self.root).then(|| Message::From(self.other(k), Data::Empty))
            }
            Linear::FromRoot(content) => {
                (k < others && rank == self.root).then(|| from_root(content))
            }
            Linear::AllToAll => {
                let peer = self.other(k / 2);
                (k < 2 * others).then(|| {
                    if k.is_multiple_of(2) {
                        Message::To(peer, own(rank))
                    } else {
                        Message::From(peer, own(peer))
                    }
                })
            }
            Linear::Rotated if k < others => {
                let from = (rank + 1 + k) % ranks;
                Some(Message::From(from, pair(from, rank)))
            }
            Linear::Rotated => (k < 2 * others).then(|| {
                let to = (rank + 2 * ranks - 1 - (k - others)) % ranks;
                Message::To(to, pair(rank, to))
            }),
            Linear::Ordered if k < others => {
                Some(Message::From(self.other(k), pair(self.other(k), rank)))
            }
            Linear::Ordered => (k < 2 * others).then(|| {
                let to = self.other(k - others);
                Message::To(to, pair(rank, to))
            }),
            Linear::ToHigher { .. } => (k < others).then(|| {
                let peer = self.other(k);
                if peer < rank {
                    Message::From(peer, self.all())
                } else {
                    Message::To(peer, self.all())
                }
            }),
            _ => None,
        }
    }

    /// The number of messages that are posted together.
    const fn posted_count(&self) -> usize {
        let is_root = self.rank == self.root;
        match self.stage {
            Linear::ToRoot(_) if !is_root => 1,
            Linear::Arrive | Linear::FromRoot(_) if !is_root => 0,
            Linear::ToRoot(_) | Linear::FromRoot(_) | Linear::Arrive | Linear::ToHigher { .. } => {
                self.ranks - 1
            }
            Linear::AllToAll | Linear::Rotated | Linear::Ordered => 2 * (self.ranks - 1),
            _ => 0,
        }
    }

    /// The combination with what the k-th of the other ranks, or of the lower ones in a scan, sent;
    /// `None` after the last one.
    fn combination(&self, k: usize) -> Option<Step> {
        let from = self.other(k);
        match self.stage {
            Linear::ToRoot(Content::Combined) if self.rank == self.root && k + 1 < self.ranks => {
                Some(Step::Combine { from, data: self.all() })
            }
            // What the lowest rank sent is the first result of an exclusive scan.
            Linear::ToHigher { is_exclusive } => {
                let from = k + usize::from(is_exclusive);
                (from < self.rank).then(|| Step::Combine { from, data: self.all() })
            }
            _ => None,
        }
    }

    /// A step; `None` after the last one.
    pub(super) fn step(&self, index: usize) -> Option<Step> {
        match self.stage {
            Linear::Windowed(window) => self.windowed(index, window),
            Linear::SynchronizedToRoot => self.synchronized_to_root(index),
            Linear::SynchronizedFromRoot => self.synchronized_from_root(index),
            Linear::SplitFromRoot => self.split_from_root(index),
            Linear::SplitToRoot => self.split_to_root(index),
            Linear::Upwards { is_exclusive } => self.upwards(index, is_exclusive),
            Linear::TwiceAround => self.twice_around(index),
            Linear::Arrive if self.rank != self.root => {
                (index == 0).then_some(Step::Send { to: self.root, data: Data::Empty })
            }
            Linear::FromRoot(content) if self.rank != self.root => {
                (index == 0).then(|| Step::receive(self.root, self.content(content, self.rank)))
            }
            _ => {
                let count = self.posted_count();
                match index {
                    k if k < count => self.posted(k).map(|message| self.post(message, k as u32)),
                    k if k < 2 * count => Some(Step::Wait((k - count) as u32)),
                    k => self.combination(k - 2 * count),
                }
            }
        }
    }

    /// The step that posts a message under this request.
    const fn post(&self, message: Message, request: u32) -> Step {
        match message {
            Message::To(to, data) => Step::PostSend { to, data, request },
            Message::From(from, data) => {
                let is_combined = match self.stage {
                    Linear::ToRoot(content) => matches!(content, Content::Combined),
                    Linear::ToHigher { .. } => true,
                    _ => false,
                };
                Step::PostReceive(Arrival { from, data, is_combined }, request)
            }
        }
    }

    /// The number of steps.
    pub(super) fn len(&self) -> usize {
        let combinations = match self.stage {
            Linear::ToRoot(Content::Combined) if self.rank == self.root => self.ranks - 1,
            Linear::ToHigher { is_exclusive } => {
                self.rank.saturating_sub(usize::from(is_exclusive))
            }
            _ => 0,
        };
        match self.posted_count() {
            _ if matches!(self.stage, Linear::SplitFromRoot | Linear::SplitToRoot) => {
                self.split_len()
            }
            0 => std::iter::successors(self.step(0).map(|_| 1), |&next| {
                self.step(next).map(|_| next + 1)
            })
            .count(),
            count => 2 * count + combinations,
        }
    }

    /// The step of an alltoall with at most `window` receives and sends in flight: before one of
    /// each is posted, the one that is a window older is awaited.
    fn windowed(&self, index: usize, window: usize) -> Option<Step> {
        let (others, ranks) = (self.ranks - 1, self.ranks);
        let window = window.min(others);
        let post = |k: usize, part: usize| {
            let request = (2 * (k % window) + part) as u32;
            let message = if part == 0 {
                let from = (self.rank + 1 + k) % ranks;
                Message::From(from, Data::Pair { from, to: self.rank })
            } else {
                let to = (self.rank + 2 * ranks - 1 - k) % ranks;
                Message::To(to, Data::Pair { from: self.rank, to })
            };
            self.post(message, request)
        };
        let wait = |k: usize, part: usize| Step::Wait((2 * (k % window) + part) as u32);
        if index < 2 * window {
            return Some(post(index / 2, index % 2));
        }
        let (k, part) = (window + (index - 2 * window) / 4, (index - 2 * window) % 4);
        if k < others {
            return Some(if part < 2 { wait(k - window, part) } else { post(k, part - 2) });
        }
        let k = index - 2 * window - 4 * (others - window);
        (k < 2 * window).then(|| wait(others - window + k / 2, k % 2))
    }

    /// A gather in which the root asks for one block after the other; all receives are awaited in
    /// the end.
    fn synchronized_to_root(&self, index: usize) -> Option<Step> {
        if self.rank != self.root {
            return match index {
                0 => Some(Step::receive(self.root, Data::Empty)),
                1 => {
                    Some(Step::Send { to: self.root, data: self.content(Content::Own, self.rank) })
                }
                _ => None,
            };
        }
        let others = self.ranks - 1;
        if index < 2 * others {
            let (peer, k) = (self.other(index / 2), (index / 2) as u32);
            return Some(if index.is_multiple_of(2) {
                Step::post_receive(peer, self.content(Content::Own, peer), k)
            } else {
                Step::Send { to: peer, data: Data::Empty }
            });
        }
        (index < 3 * others).then(|| Step::Wait((index - 2 * others) as u32))
    }

    /// A scatter in which the root waits for each rank to be ready.
    fn synchronized_from_root(&self, index: usize) -> Option<Step> {
        let own = |rank| self.content(Content::Own, rank);
        if self.rank != self.root {
            return match index {
                0 => Some(Step::Send { to: self.root, data: Data::Empty }),
                1 => Some(Step::receive(self.root, own(self.rank))),
                _ => None,
            };
        }
        let peer = self.other(index / 2);
        (index < 2 * (self.ranks - 1)).then(|| {
            if index.is_multiple_of(2) {
                Step::receive(peer, Data::Empty)
            } else {
                Step::Send { to: peer, data: own(peer) }
            }
        })
    }

    /// A scan along the ranks. In an exclusive scan each rank keeps what it received and sends it
    /// combined with its own.
    fn upwards(&self, index: usize, is_exclusive: bool) -> Option<Step> {
        let (rank, data) = (self.rank, self.all());
        let has_next = rank + 1 < self.ranks;
        let steps = [
            (rank > 0).then(|| Step::Receive(Arrival { from: rank - 1, data, is_combined: true })),
            // The last rank of an exclusive scan needs no combination.
            (rank > 0 && (has_next || !is_exclusive))
                .then(|| Step::Combine { from: rank - 1, data }),
            has_next.then_some(Step::Send { to: rank + 1, data }),
        ];
        steps.into_iter().flatten().nth(index)
    }

    /// A step of an empty message that goes around all ranks twice: rank 0 sends it first and
    /// receives it last. `None` after the last step.
    fn twice_around(&self, index: usize) -> Option<Step> {
        let (above, below) =
            ((self.rank + 1) % self.ranks, (self.rank + self.ranks - 1) % self.ranks);
        let sends = index.is_multiple_of(2) == (self.rank == 0);
        (index < 4 && self.ranks > 1).then(|| {
            if sends {
                Step::Send { to: above, data: Data::Empty }
            } else {
                Step::receive(below, Data::Empty)
            }
        })
    }
}
