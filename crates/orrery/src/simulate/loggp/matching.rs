use crate::trace::goal::ANY;

/// Marks the absence of an operation.
const NONE: u32 = u32::MAX;

/// The unmatched receives and messages of a rank; a message is named by its send.
///
/// There is a queue for each source and tag. An operation is in at most one queue, so that the queues are linked lists
/// in one array.
#[derive(Debug, Default, Clone)]
pub(super) struct Matching {
    /// By source and tag.
    queues: Vec<(u64, Chain)>,
    /// Receives from any source or with any tag, in the order of posting.
    wildcards: Vec<u32>,
}

/// A queue of operations: either all receives, or all messages.
#[derive(Debug, Clone, Copy)]
struct Chain {
    first: u32,
    last: u32,
    messages: bool,
}

/// The linked lists of all queues: the next operation of each, and its number in the order of entry.
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

/// Returns true if a source and a tag match a key.
fn fits(key: u64, source: u32, tag: u32) -> bool {
    (source == ANY || key >> 32 == u64::from(source)) && (tag == ANY || key as u32 == tag)
}

impl Matching {
    /// Posts a receive: returns the first message for it, or queues it.
    pub(super) fn receive(&mut self, source: u32, tag: u32, operation: u32, links: &mut Links) -> Option<u32> {
        if source != ANY && tag != ANY {
            return self
                .take(key(source, tag), true, links)
                .or_else(|| self.wait(key(source, tag), operation, false, links));
        }
        let fitting =
            self.queues.iter().filter(|(key, chain)| chain.messages && chain.first != NONE && fits(*key, source, tag));
        match fitting.min_by_key(|(_, chain)| links.entered[chain.first as usize]).map(|(key, _)| *key) {
            Some(key) => self.take(key, true, links),
            None => {
                links.entered[operation as usize] = links.count;
                links.count += 1;
                self.wildcards.push(operation);
                None
            }
        }
    }

    /// Handles the arrival of a message: returns the first receive for it, or queues it.
    ///
    /// `wanted` returns source and tag of a receive.
    pub(super) fn arrive(
        &mut self,
        source: u32,
        tag: u32,
        send: u32,
        links: &mut Links,
        wanted: impl Fn(u32) -> (u32, u32),
    ) -> Option<u32> {
        let own = key(source, tag);
        if !self.wildcards.is_empty() {
            let open = self.wildcards.iter().position(|&receive| {
                let (source, tag) = wanted(receive);
                fits(own, source, tag)
            });
            if let Some(place) = open {
                let entered = |operation: u32| links.entered[operation as usize];
                let named = self.find(own).ok().map(|place| self.queues[place].1);
                let named =
                    named.filter(|chain| !chain.messages && chain.first != NONE).map(|chain| entered(chain.first));
                if named.is_none_or(|named| entered(self.wildcards[place]) < named) {
                    return Some(self.wildcards.remove(place));
                }
            }
        }
        self.take(own, false, links).or_else(|| self.wait(own, send, true, links))
    }

    /// All unmatched operations, for the error of a deadlock.
    pub(super) fn waiting(&self, links: &Links) -> Vec<u32> {
        let mut all = self.wildcards.clone();
        for (_, chain) in &self.queues {
            let mut place = chain.first;
            while place != NONE {
                all.push(place);
                place = links.next[place as usize];
            }
        }
        all
    }

    /// The index of the queue with this key, or where to insert it.
    fn find(&self, key: u64) -> Result<usize, usize> {
        // Linear search is faster for a few sources and tags.
        if self.queues.len() <= 8 {
            return self.queues.iter().position(|(other, _)| *other == key).ok_or(self.queues.len());
        }
        self.queues.binary_search_by_key(&key, |(other, _)| *other)
    }

    /// Removes the first operation of a queue of messages, or of receives.
    fn take(&mut self, key: u64, messages: bool, links: &Links) -> Option<u32> {
        let place = self.find(key).ok()?;
        let chain = &mut self.queues[place].1;
        if chain.messages != messages || chain.first == NONE {
            return None;
        }
        let first = chain.first;
        chain.first = links.next[first as usize];
        Some(first)
    }

    /// Appends an operation to a queue.
    fn wait(&mut self, key: u64, operation: u32, messages: bool, links: &mut Links) -> Option<u32> {
        links.next[operation as usize] = NONE;
        links.entered[operation as usize] = links.count;
        links.count += 1;
        match self.find(key) {
            Ok(place) => {
                let chain = &mut self.queues[place].1;
                if chain.first == NONE {
                    *chain = Chain { first: operation, last: operation, messages };
                } else {
                    links.next[chain.last as usize] = operation;
                    chain.last = operation;
                }
            }
            Err(place) => {
                self.queues.insert(place, (key, Chain { first: operation, last: operation, messages }));
                if self.queues.len() == 9 {
                    self.queues.sort_unstable_by_key(|(key, _)| *key);
                }
            }
        }
        None
    }
}
