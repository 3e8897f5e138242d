use std::collections::BTreeMap;

use crate::trace::goal::ANY;

/// Marks the absence of an operation.
const NONE: u32 = u32::MAX;

/// The unmatched receives and messages of a rank; a message is named by its send.
///
/// There is a queue for each source and tag, also for receives from any source or with any tag. An
/// operation is in at most one queue, so that the queues are linked lists in one array.
#[derive(Debug, Default, Clone)]
pub(super) struct Matching {
    /// By source and tag, while there are at most [`MAX_UNINDEXED`]: linear search is faster then.
    few: Vec<(u64, Chain)>,
    /// By source and tag, if there were more.
    many: BTreeMap<u64, Chain>,
    /// The number of unmatched receives from any source or with any tag.
    wildcards: u32,
}

/// The number of queues up to which they are searched in order.
const MAX_UNINDEXED: usize = 8;

/// A queue of operations: either all receives, or all messages.
#[derive(Debug, Clone, Copy)]
struct Chain {
    first: u32,
    last: u32,
    messages: bool,
}

/// The linked lists of all queues: the next operation of each, and its number in the order of
/// entry.
#[derive(Debug)]
pub(super) struct Links {
    next: Vec<u32>,
    entered: Vec<u32>,
    count: u32,
}

impl Links {
    /// Creates the links of this number of operations.
    pub(super) fn new(operations: usize) -> Self {
        Self { next: vec![NONE; operations], entered: vec![0; operations], count: 0 }
    }
}

/// The key of a source and a tag.
fn key(source: u32, tag: u32) -> u64 {
    u64::from(source) << 32 | u64::from(tag)
}

/// Returns true if a source and a tag, either of which may be [`ANY`], match a key.
fn fits(key: u64, source: u32, tag: u32) -> bool {
    (source == ANY || key >> 32 == u64::from(source)) && (tag == ANY || key as u32 == tag)
}

impl Matching {
    /// Posts a receive: removes and returns the first message for it; otherwise queues it and
    /// returns `None`.
    pub(super) fn receive(
        &mut self,
        source: u32,
        tag: u32,
        operation: u32,
        links: &mut Links,
    ) -> Option<u32> {
        let own = key(source, tag);
        if source != ANY && tag != ANY {
            return self.take(own, true, links).or_else(|| self.wait(own, operation, false, links));
        }
        let fitting =
            self.chains().filter(|(key, chain)| chain.holds(true) && fits(*key, source, tag));
        match fitting
            .min_by_key(|(_, chain)| links.entered[chain.first as usize])
            .map(|(key, _)| key)
        {
            Some(key) => self.take(key, true, links),
            None => {
                self.wildcards += 1;
                self.wait(own, operation, false, links)
            }
        }
    }

    /// Handles the arrival of a message: removes and returns the first receive for it; otherwise
    /// queues the message under its send and returns `None`.
    pub(super) fn arrive(
        &mut self,
        source: u32,
        tag: u32,
        send: u32,
        links: &mut Links,
    ) -> Option<u32> {
        let own = key(source, tag);
        if self.wildcards > 0 {
            let keys = [own, key(ANY, tag), key(source, ANY), key(ANY, ANY)];
            let first = |key: &u64| {
                self.find(*key).filter(|chain| chain.holds(false)).map(|chain| chain.first)
            };
            let entered =
                |key: &u64| first(key).map(|receive| (links.entered[receive as usize], *key));
            if let Some((_, key)) = keys.iter().filter_map(entered).min() {
                self.wildcards -= u32::from(key != own);
                return self.take(key, false, links);
            }
        }
        self.take(own, false, links).or_else(|| self.wait(own, send, true, links))
    }

    /// All unmatched operations, for the error of a deadlock.
    pub(super) fn waiting(&self, links: &Links) -> Vec<u32> {
        let mut all = Vec::new();
        for (_, chain) in self.chains() {
            let mut place = chain.first;
            while place != NONE {
                all.push(place);
                place = links.next[place as usize];
            }
        }
        all
    }

    /// All queues with their keys.
    fn chains(&self) -> impl Iterator<Item = (u64, Chain)> {
        self.few.iter().copied().chain(self.many.iter().map(|(key, chain)| (*key, *chain)))
    }

    /// The queue with this key.
    fn find(&self, key: u64) -> Option<&Chain> {
        let few = self.few.iter().find(|(other, _)| *other == key).map(|(_, chain)| chain);
        if self.many.is_empty() { few } else { self.many.get(&key) }
    }

    /// The queue with this key, which is added if there was none.
    fn entry(&mut self, key: u64) -> &mut Chain {
        if self.many.is_empty() {
            let place = self.few.iter().position(|(other, _)| *other == key);
            if place.is_some() || self.few.len() < MAX_UNINDEXED {
                let place = place.unwrap_or(self.few.len());
                if place == self.few.len() {
                    self.few.push((key, Chain::EMPTY));
                }
                return &mut self.few[place].1;
            }
            self.many.extend(self.few.drain(..));
        }
        self.many.entry(key).or_insert(Chain::EMPTY)
    }

    /// Removes and returns the first operation of the queue with this key; `None` unless it is one
    /// of messages, or of receives, as `messages` says.
    fn take(&mut self, key: u64, messages: bool, links: &Links) -> Option<u32> {
        let few = self.few.iter_mut().find(|(other, _)| *other == key).map(|(_, chain)| chain);
        let chain = if self.many.is_empty() { few } else { self.many.get_mut(&key) };
        let chain = chain.filter(|chain| chain.holds(messages))?;
        let first = chain.first;
        chain.first = links.next[first as usize];
        Some(first)
    }

    /// Appends an operation to the queue with this key; always returns `None`, for the caller to
    /// return.
    fn wait(&mut self, key: u64, operation: u32, messages: bool, links: &mut Links) -> Option<u32> {
        links.next[operation as usize] = NONE;
        links.entered[operation as usize] = links.count;
        links.count += 1;
        let chain = self.entry(key);
        if chain.first == NONE {
            *chain = Chain { first: operation, last: operation, messages };
        } else {
            links.next[chain.last as usize] = operation;
            chain.last = operation;
        }
        None
    }
}

impl Chain {
    /// A queue without operations.
    const EMPTY: Self = Self { first: NONE, last: NONE, messages: false };

    /// Returns true if the queue is not empty and one of messages, or of receives, as `messages`
    /// says.
    fn holds(&self, messages: bool) -> bool {
        self.first != NONE && self.messages == messages
    }
}
