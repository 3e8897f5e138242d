use serde::{Deserialize, Serialize};

use super::{Cursor, Explicit, Operation, Rank, Request, Schedule, Tag, Timer, Transfer};
use crate::units::{Bytes, Seconds};

/// A message of a scheme, from rank to rank.
#[derive(Debug, Clone, Copy, PartialEq, Hash, Serialize, Deserialize)]
pub struct ConcurrentMessage {
    /// The rank that sends.
    pub from: Rank,
    /// The rank that receives, another one.
    pub to: Rank,
    /// How many bytes are sent.
    pub size: Bytes,
    /// How long after the barrier it starts.
    pub delay: Seconds,
}

/// When a communication counts as complete.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Completion {
    /// When the receiver's empty answer has come back, which holds for messages of any size.
    #[default]
    Answered,
    /// When the send is complete at the sender, as in the paper. Of a message that is sent eagerly this says little.
    Sent,
}

impl Completion {
    /// Both, with their words on the command line.
    pub const ALL: [Self; 2] = [Self::Answered, Self::Sent];

    /// The word in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Sent => "sent",
        }
    }
}

/// Messages that all are under way at once, of which one is timed, on the clock of its sender.
///
/// After the barrier each rank posts its receives, so that no order is forced on what comes, and starts its sends. The one
/// that is timed is the first that its two ends wait for: nothing else of theirs stands between its end and the reading. The
/// others are timed in the same way by schemes that differ in nothing but `timed`. A rank that only has one message to
/// send does so by a blocking send; one with several posts them and then waits for each.
///
/// Source: Vienne, Martinasso, Vincent, Méhaut, "Predictive models for bandwidth sharing in high performance clusters",
/// section IV-B; there receives take any source to the same end.
///
/// ```
/// use orrery::schedule::{Completion, ConcurrentMessages, ConcurrentMessage, Rank};
/// use orrery::units::{Bytes, Seconds};
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

/// The timer of the message that is timed.
const TIMER: Timer = Timer(1);

/// The tag of its answer; messages have others.
const ANSWER: Tag = Tag(0);

impl ConcurrentMessages {
    /// These messages, of which the one with the number `timed` is timed. Ranks go from 0 to the highest that has a part.
    ///
    /// # Panics
    ///
    /// When there is no such message.
    pub fn new(links: &[ConcurrentMessage], timed: usize, completion: Completion) -> Self {
        let ranks = links.iter().map(|link| link.from.max(link.to).index() + 1).max().unwrap_or(0);
        let build = Build { links, timed, completion, end: links[timed] };
        let operations = Explicit::new(Rank::first(ranks).map(|rank| build.rank(rank)).collect());
        Self { links: links.to_vec(), timed, completion, operations }
    }

    /// All messages.
    pub fn messages(&self) -> &[ConcurrentMessage] {
        &self.links
    }

    /// The number of the message that is timed.
    pub const fn timed_index(&self) -> usize {
        self.timed
    }

    /// The message that is timed.
    pub fn timed_message(&self) -> ConcurrentMessage {
        self.links[self.timed]
    }

    /// The timer that is read, at the sender of the message that is timed.
    pub const fn timer(&self) -> Timer {
        TIMER
    }

    /// The message that is timed, by itself: what its time is compared with.
    #[must_use]
    pub fn reference(&self) -> Self {
        let link = ConcurrentMessage { from: Rank(0), to: Rank(1), delay: Seconds::ZERO, ..self.timed_message() };
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

/// What the operations are made of.
struct Build<'a> {
    links: &'a [ConcurrentMessage],
    timed: usize,
    completion: Completion,
    end: ConcurrentMessage,
}

impl Build<'_> {
    fn rank(&self, me: Rank) -> Vec<Operation> {
        let answered = self.completion == Completion::Answered;
        let of = |mine: &dyn Fn(&ConcurrentMessage) -> bool| -> Vec<usize> {
            (0..self.links.len()).filter(|&k| mine(&self.links[k])).collect()
        };
        let (mut out, into) = (of(&|link| link.from == me), of(&|link| link.to == me));
        // A stable order: of those that start together the first stands first.
        out.sort_by(|&a, &b| self.links[a].delay.get().total_cmp(&self.links[b].delay.get()));
        let alone = out.len() == 1 && into.is_empty();
        let mut all: Vec<Operation> = into.iter().map(|&k| Operation::Post(self.receive(k), request(k))).collect();
        let mut now = 0.0;
        for &k in &out {
            let wait = self.links[k].delay.get() - now;
            if wait > 0.0 {
                all.push(Operation::Spin(Seconds::new(wait)));
                now = self.links[k].delay.get();
            }
            all.extend((k == self.timed).then_some(Operation::Start(TIMER)));
            all.push(if alone { Operation::Do(self.send(k)) } else { Operation::Post(self.send(k), request(k)) });
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

    fn send(&self, k: usize) -> Transfer {
        Transfer::Send { to: self.links[k].to, size: self.links[k].size, tag: tag(k) }
    }

    fn receive(&self, k: usize) -> Transfer {
        Transfer::Receive { from: self.links[k].from, size: self.links[k].size, tag: tag(k) }
    }
}

fn request(k: usize) -> Request {
    Request(k as u32)
}

fn tag(k: usize) -> Tag {
    Tag(k as u32 + 1)
}
