use serde::{Deserialize, Serialize};

use super::{Cursor, Explicit, Operation, Rank, Request, Schedule, Tag, Timer, Transfer};
use orrery_base::units::{Bytes, Seconds};

/// A message of a scheme of concurrent messages: from rank to rank, with its size and its delay.
#[derive(Debug, Clone, Copy, PartialEq, Hash, Serialize, Deserialize)]
pub struct ConcurrentMessage {
    /// The rank that sends.
    pub from: Rank,
    /// The rank that receives, different from `from`.
    pub to: Rank,
    /// The size of the message.
    pub size: Bytes,
    /// The delay between the barrier and its start.
    pub delay: Seconds,
}

orrery_base::named_enum! {
    /// When a communication counts as complete.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum Completion: "completion" {
        /// When the sender has received the empty answer of the receiver, which is valid for
        /// messages of any size.
        #[default]
        Answered => "answered": "The empty reply of the receiver arrives; for all sizes",
        /// When the send is complete at the sender, as in the paper. For an eager message this does
        /// not show its arrival.
        Sent => "sent":
            "The send returns, as in the paper; only for messages that no buffer can hold",
    }
}

/// Concurrent messages, one of which is timed on the clock of its sender.
///
/// After the barrier each rank posts its receives, so that the order of arrival is free, and starts
/// its sends. Both ends of the timed message wait for it before all others, so that no other wait
/// delays the reading. The other messages are timed by schedules that differ only in `timed`. A
/// rank with a single message to send uses a blocking send; a rank with several posts them and then
/// waits for each.
///
/// Source: Vienne, Martinasso, Vincent, Méhaut, "Predictive models for bandwidth sharing in high
/// performance clusters", section IV-B; the receives from any source used there are equivalent.
///
/// ```
/// use orrery_program::schedule::{Completion, ConcurrentMessages, ConcurrentMessage, Rank};
/// use orrery_base::units::{Bytes, Seconds};
/// let link = |from, to| ConcurrentMessage { from: Rank(from), to: Rank(to), size: Bytes::new(20 << 20), delay: Seconds::ZERO };
/// let two = ConcurrentMessages::new(&[link(0, 1), link(0, 2)], 1, Completion::Answered);
/// assert_eq!(two.timed_message().to, Rank(2));
/// ```
#[derive(Debug, Clone, PartialEq, Hash, Serialize, Deserialize)]
pub struct ConcurrentMessages {
    links: Vec<ConcurrentMessage>,
    timed: usize,
    completion: Completion,
    operations: Explicit,
}

/// The timer of the timed message.
const TIMER: Timer = Timer(1);

/// The tag of the empty answer; messages have other tags.
const ANSWER: Tag = Tag(0);

impl ConcurrentMessages {
    /// Creates the schedule of these messages, which times the message with the number `timed`. Its
    /// ranks are 0 to the highest rank of a message.
    ///
    /// # Panics
    ///
    /// When there is no message with this number.
    pub fn new(links: &[ConcurrentMessage], timed: usize, completion: Completion) -> Self {
        let ranks = links.iter().map(|link| link.from.max(link.to).index() + 1).max().unwrap_or(0);
        let build = Build { links, timed, completion, end: links[timed] };
        let operations = Explicit::new(Rank::first(ranks).map(|rank| build.rank(rank)).collect());
        Self { links: links.to_vec(), timed, completion, operations }
    }

    /// Returns all messages of the schedule.
    pub fn messages(&self) -> &[ConcurrentMessage] {
        &self.links
    }

    /// The number of the timed message.
    pub const fn timed_index(&self) -> usize {
        self.timed
    }

    /// Returns the timed message.
    pub fn timed_message(&self) -> ConcurrentMessage {
        self.links[self.timed]
    }

    /// The timer that is read at the sender of the timed message.
    pub const fn timer(&self) -> Timer {
        TIMER
    }

    /// Returns the schedule of the timed message by itself, the reference for its slowdown.
    #[must_use]
    pub fn reference(&self) -> Self {
        let link = ConcurrentMessage {
            from: Rank(0),
            to: Rank(1),
            delay: Seconds::ZERO,
            ..self.timed_message()
        };
        Self::new(&[link], 0, self.completion)
    }
}

impl Schedule for ConcurrentMessages {
    fn ranks(&self) -> usize {
        self.operations.ranks()
    }

    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation> {
        self.operations.next(rank, cursor)
    }
}

/// The parameters from which the operations are built; `end` is the timed message.
struct Build<'a> {
    links: &'a [ConcurrentMessage],
    timed: usize,
    completion: Completion,
    end: ConcurrentMessage,
}

impl Build<'_> {
    /// Returns the operations of rank `me`: posted receives, sends by their delays, then the waits,
    /// that for the timed message first.
    fn rank(&self, me: Rank) -> Vec<Operation> {
        let answered = self.completion == Completion::Answered;
        let of = |mine: &dyn Fn(&ConcurrentMessage) -> bool| -> Vec<usize> {
            (0..self.links.len()).filter(|&k| mine(&self.links[k])).collect()
        };
        let (mut out, into) = (of(&|link| link.from == me), of(&|link| link.to == me));
        // The sort is stable: messages with the same delay keep their order.
        out.sort_by(|&a, &b| self.links[a].delay.get().total_cmp(&self.links[b].delay.get()));
        let alone = out.len() == 1 && into.is_empty();
        let mut all: Vec<Operation> =
            into.iter().map(|&k| Operation::Post(self.receive(k), request(k))).collect();
        let mut now = 0.0;
        for &k in &out {
            let wait = self.links[k].delay.get() - now;
            if wait > 0.0 {
                all.push(Operation::Spin(Seconds::new(wait)));
                now = self.links[k].delay.get();
            }
            all.extend((k == self.timed).then_some(Operation::Start(TIMER)));
            all.push(if alone {
                Operation::Do(self.send(k))
            } else {
                Operation::Post(self.send(k), request(k))
            });
        }
        if self.end.from == me {
            all.extend((!alone).then_some(Operation::Wait(request(self.timed))));
            let answer = Transfer::Receive { from: self.end.to, size: Bytes::ZERO, tag: ANSWER };
            all.extend(answered.then_some(Operation::Do(answer)));
            all.push(Operation::Stop(TIMER));
        }
        if self.end.to == me {
            all.push(Operation::Wait(request(self.timed)));
            let answer = Transfer::Send { to: self.end.from, size: Bytes::ZERO, tag: ANSWER };
            all.extend(answered.then_some(Operation::Do(answer)));
        }
        let open = into.iter().chain(out.iter().filter(|_| !alone)).filter(|&&k| k != self.timed);
        all.extend(open.map(|&k| Operation::Wait(request(k))));
        all
    }

    /// Returns the send of message `k`.
    fn send(&self, k: usize) -> Transfer {
        Transfer::Send { to: self.links[k].to, size: self.links[k].size, tag: tag(k) }
    }

    /// Returns the receive of message `k`.
    fn receive(&self, k: usize) -> Transfer {
        Transfer::Receive { from: self.links[k].from, size: self.links[k].size, tag: tag(k) }
    }
}

/// Returns the request of message `k`.
fn request(k: usize) -> Request {
    Request(k as u32)
}

/// Returns the tag of message `k`.
fn tag(k: usize) -> Tag {
    Tag(k as u32 + 1)
}
