//! Matching of messages and receives by source and tag, in the order of their entry.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Place;

use super::{Rank, Tag};

/// The tag and the source of an entry in one number, which an index compares fast; a receive from
/// any source has none, and one of any tag has [`Tag::ANY`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key(u64);

impl Key {
    /// The key of a tag and a source. A rank is less than the number of ranks, so one more than it
    /// has 32 bits; 0 is no source.
    fn new(tag: Tag, source: Option<Rank>) -> Self {
        Self(u64::from(tag.0) << 32 | source.map_or(0, |rank| u64::from(rank.0) + 1))
    }

    fn tag(self) -> Tag {
        Tag((self.0 >> 32) as u32)
    }

    /// Returns true for receives from any source.
    fn is_from_any(self) -> bool {
        self.0 as u32 == 0
    }

    /// Returns true for receives from any source or of any tag.
    fn is_wildcard(self) -> bool {
        self.is_from_any() || self.tag() == Tag::ANY
    }
}

/// Marks the absence of an entry.
const NONE: u32 = u32::MAX;

/// The number of entries up to which a search in order is faster than an index.
const MAX_UNINDEXED: usize = 16;

/// The number of lists that an entry is in: that of all entries, of its key, and of its tag.
const LISTS: usize = 3;
/// The index of the links in the list of all entries.
const ALL: usize = 0;
/// The index of the links in the list of the entries of a key.
const OF_KEY: usize = 1;
/// The index of the links in the list of the entries of a tag.
const OF_TAG: usize = 2;

/// The number of an entry of a [`MatchQueue`], until the entry is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EntryId(u32);

/// Messages without a receive, or receives without a message, in the order of entry.
///
/// The first match is found in a time that grows with the logarithm of the number of sources and
/// tags, however many entries there are. A few entries are searched in order, which is faster.
///
/// ```
/// use orrery_program::schedule::{MatchQueue, Rank, Tag};
/// let mut messages = MatchQueue::default();
/// messages.push(Some(Rank(2)), Tag(7), "first");
/// messages.push(Some(Rank(1)), Tag(7), "second");
/// let id = messages.first_from(None, Tag(7)).unwrap();
/// assert_eq!(messages.remove(id), "first");
/// ```
#[derive(Debug, Clone)]
pub struct MatchQueue<T> {
    entries: Vec<Entry<T>>,
    /// The first unused entry; the others follow in the list of all.
    unused: u32,
    len: usize,
    /// The number of entries from any source or with any tag.
    wildcards: usize,
    /// The number of entries so far.
    entered: u64,
    all: List,
    /// The lists by key and by tag, from more than [`MAX_UNINDEXED`] entries on until there is
    /// none.
    index: Option<Index>,
}

/// An entry with its links.
#[derive(Debug, Clone, Copy)]
struct Entry<T> {
    key: Key,
    /// The position in the order of entry.
    order: u64,
    next: [u32; LISTS],
    previous: [u32; LISTS],
    item: T,
}

/// The ends of a list.
#[derive(Debug, Clone, Copy)]
struct List {
    first: u32,
    last: u32,
}

/// The lists by key and by tag; none of them is empty.
#[derive(Debug, Clone, Default)]
struct Index {
    by_key: BTreeMap<Key, List>,
    by_tag: BTreeMap<Tag, List>,
}

impl List {
    /// A list without entries.
    const EMPTY: Self = Self { first: NONE, last: NONE };

    /// Appends an entry to this list, the `list`-th of the lists that it is in.
    fn append<T>(&mut self, list: usize, id: u32, entries: &mut [Entry<T>]) {
        entries[id as usize].previous[list] = self.last;
        entries[id as usize].next[list] = NONE;
        match entries.get_mut(self.last as usize) {
            Some(last) => last.next[list] = id,
            None => self.first = id,
        }
        self.last = id;
    }

    /// Removes an entry from this list, the `list`-th of the lists that it is in; returns true if
    /// the list is empty now.
    fn unlink<T>(&mut self, list: usize, id: u32, entries: &mut [Entry<T>]) -> bool {
        let (previous, next) =
            (entries[id as usize].previous[list], entries[id as usize].next[list]);
        match entries.get_mut(previous as usize) {
            Some(previous) => previous.next[list] = next,
            None => self.first = next,
        }
        match entries.get_mut(next as usize) {
            Some(next) => next.previous[list] = previous,
            None => self.last = previous,
        }
        self.first == NONE
    }
}

impl Index {
    /// Appends an entry to its lists.
    fn append<T>(&mut self, id: u32, entries: &mut [Entry<T>]) {
        let key = entries[id as usize].key;
        self.by_key.entry(key).or_insert(List::EMPTY).append(OF_KEY, id, entries);
        self.by_tag.entry(key.tag()).or_insert(List::EMPTY).append(OF_TAG, id, entries);
    }

    /// Removes an entry from its lists.
    fn unlink<T>(&mut self, id: u32, entries: &mut [Entry<T>]) {
        let key = entries[id as usize].key;
        if let Place::Occupied(mut place) = self.by_key.entry(key)
            && place.get_mut().unlink(OF_KEY, id, entries)
        {
            place.remove();
        }
        if let Place::Occupied(mut place) = self.by_tag.entry(key.tag())
            && place.get_mut().unlink(OF_TAG, id, entries)
        {
            place.remove();
        }
    }
}

impl<T> Default for MatchQueue<T> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            unused: NONE,
            len: 0,
            wildcards: 0,
            entered: 0,
            all: List::EMPTY,
            index: None,
        }
    }
}

impl<T: Copy> MatchQueue<T> {
    /// Removes all entries; keeps allocated memory.
    pub fn clear(&mut self) {
        self.entries.clear();
        *self = Self { entries: std::mem::take(&mut self.entries), ..Self::default() };
    }

    /// Adds an entry at the end: a message from a source, or a receive from a source or from any
    /// (`None`), with a tag or with any ([`Tag::ANY`]).
    pub fn push(&mut self, source: Option<Rank>, tag: Tag, item: T) -> EntryId {
        let (key, links) = (Key::new(tag, source), [NONE; LISTS]);
        let entry = Entry { key, order: self.entered, next: links, previous: links, item };
        self.entered += 1;
        self.len += 1;
        self.wildcards += usize::from(key.is_wildcard());
        let id = self.unused;
        let id = if id == NONE {
            self.entries.push(entry);
            self.entries.len() as u32 - 1
        } else {
            self.unused = std::mem::replace(&mut self.entries[id as usize], entry).next[ALL];
            id
        };
        self.all.append(ALL, id, &mut self.entries);
        if let Some(index) = &mut self.index {
            index.append(id, &mut self.entries);
        } else if self.len > MAX_UNINDEXED {
            let mut index = Index::default();
            let mut at = self.all.first;
            while at != NONE {
                index.append(at, &mut self.entries);
                at = self.entries[at as usize].next[ALL];
            }
            self.index = Some(index);
        }
        EntryId(id)
    }

    /// In a queue of messages, the first one from a source, or from any (`None`), with this tag, or
    /// with any ([`Tag::ANY`]).
    pub fn first_from(&self, source: Option<Rank>, tag: Tag) -> Option<EntryId> {
        let is_match = |key: Key| {
            (tag == Tag::ANY || key.tag() == tag)
                && (source.is_none() || key == Key::new(key.tag(), source))
        };
        let list = match (&self.index, source) {
            (None, _) => return self.ids().find(|id| is_match(self.entries[id.0 as usize].key)),
            (Some(index), _) if tag == Tag::ANY => {
                let lists = index.by_key.iter().filter(|(key, _)| is_match(**key));
                return self.earliest(lists.map(|(_, list)| list.first));
            }
            (Some(index), None) => index.by_tag.get(&tag),
            (Some(index), Some(_)) => index.by_key.get(&Key::new(tag, source)),
        };
        list.map(|list| EntryId(list.first))
    }

    /// In a queue of receives, the first one that accepts a message from a source with this tag: a
    /// receive from this source or from any.
    pub fn first_for(&self, source: Rank, tag: Tag) -> Option<EntryId> {
        let Some(index) = &self.index else {
            let accepts = |key: Key| {
                (key.tag() == tag || key.tag() == Tag::ANY)
                    && (key.is_from_any() || key == Key::new(key.tag(), Some(source)))
            };
            return self.ids().find(|id| accepts(self.entries[id.0 as usize].key));
        };
        let first = |(tag, source)| index.by_key.get(&Key::new(tag, source)).map(|list| list.first);
        let named = first((tag, Some(source)));
        if self.wildcards == 0 {
            return named.map(EntryId);
        }
        let others = [(tag, None), (Tag::ANY, Some(source)), (Tag::ANY, None)];
        self.earliest(named.into_iter().chain(others.into_iter().filter_map(first)))
    }

    /// The entry that was added before the others.
    fn earliest(&self, ids: impl Iterator<Item = u32>) -> Option<EntryId> {
        ids.min_by_key(|id| self.entries[*id as usize].order).map(EntryId)
    }

    /// Removes and returns the message of [`Self::first_from`]; `None` if there is none.
    pub fn take_from(&mut self, source: Option<Rank>, tag: Tag) -> Option<T> {
        self.first_from(source, tag).map(|id| self.remove(id))
    }

    /// Removes and returns the receive of [`Self::first_for`]; `None` if there is none.
    pub fn take_for(&mut self, source: Rank, tag: Tag) -> Option<T> {
        self.first_for(source, tag).map(|id| self.remove(id))
    }

    /// Returns true if there is a receive from any source with this tag.
    pub fn has_from_any(&self, tag: Tag) -> bool {
        match &self.index {
            Some(index) => index.by_key.contains_key(&Key::new(tag, None)),
            None => self.ids().any(|id| self.entries[id.0 as usize].key == Key::new(tag, None)),
        }
    }

    /// Returns true if there is an entry with this tag.
    pub fn has_tag(&self, tag: Tag) -> bool {
        match &self.index {
            Some(index) => index.by_tag.contains_key(&tag),
            None => self.ids().any(|id| self.entries[id.0 as usize].key.tag() == tag),
        }
    }

    /// Removes an entry and returns its item; the entry must be in the queue.
    pub fn remove(&mut self, id: EntryId) -> T {
        let EntryId(id) = id;
        self.all.unlink(ALL, id, &mut self.entries);
        if let Some(index) = &mut self.index {
            index.unlink(id, &mut self.entries);
        }
        self.len -= 1;
        if self.len == 0 {
            self.index = None;
        }
        let entry = &mut self.entries[id as usize];
        self.wildcards -= usize::from(entry.key.is_wildcard());
        entry.next[ALL] = std::mem::replace(&mut self.unused, id);
        entry.item
    }

    /// The item of an entry.
    pub fn get(&self, id: EntryId) -> &T {
        &self.entries[id.0 as usize].item
    }

    /// The item of an entry, for changes in place.
    pub fn get_mut(&mut self, id: EntryId) -> &mut T {
        &mut self.entries[id.0 as usize].item
    }

    /// The item of the first entry; `None` if there is no entry.
    pub fn first(&self) -> Option<&T> {
        self.ids().next().map(|id| self.get(id))
    }

    /// The entries with a tag in order.
    pub fn ids_with(&self, tag: Tag) -> impl Iterator<Item = EntryId> {
        let (list, first) = match &self.index {
            Some(index) => (OF_TAG, index.by_tag.get(&tag).map_or(NONE, |list| list.first)),
            None => (ALL, self.all.first),
        };
        let next = move |id: &u32| {
            Some(self.entries[*id as usize].next[list]).filter(|next| *next != NONE)
        };
        let ids = std::iter::successors(Some(first).filter(|first| *first != NONE), next);
        ids.filter(move |id| self.entries[*id as usize].key.tag() == tag).map(EntryId)
    }

    /// All entries in order.
    pub fn ids(&self) -> impl Iterator<Item = EntryId> {
        let next =
            |id: &u32| Some(self.entries[*id as usize].next[ALL]).filter(|next| *next != NONE);
        std::iter::successors(Some(self.all.first).filter(|first| *first != NONE), next)
            .map(EntryId)
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt as _, SeedableRng as _};

    use super::*;

    /// Compares the queue with a list that is searched in order, over sizes with and without an
    /// index.
    #[test]
    fn the_first_match_is_that_of_a_search_in_order() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut random = |below: u64| rng.random_range(0..below);
        let (mut queue, mut list) = (MatchQueue::default(), Vec::new());
        for number in 0..60_000_u64 {
            let growing = number / 1000 % 2 == 0;
            let (source, tag) = (Rank(random(3) as u32), Tag(random(3) as u32));
            let named = (random(3) > 0).then_some(source);
            let tag = if random(8) == 0 { Tag::ANY } else { tag };
            if random(10) < if growing { 7 } else { 2 } {
                let id = queue.push(named, tag, number);
                list.push((id, named, tag, number));
                continue;
            }
            let found = |of: &dyn Fn(Option<Rank>) -> bool| {
                list.iter().position(|(_, own, own_tag, _)| *own_tag == tag && of(*own))
            };
            let any_from = |source: Option<Rank>| {
                let is_source = |own: &Option<Rank>| source.is_none() || *own == source;
                list.iter().position(|(_, own, own_tag, _)| {
                    (tag == Tag::ANY || *own_tag == tag) && is_source(own)
                })
            };
            let (expected, id) = match random(3) {
                0 => {
                    let accepts = |(_, own, own_tag, _): &(_, Option<Rank>, Tag, _)| {
                        [tag, Tag::ANY].contains(own_tag) && own.is_none_or(|own| own == source)
                    };
                    (list.iter().position(accepts), queue.first_for(source, tag))
                }
                1 => (any_from(Some(source)), queue.first_from(Some(source), tag)),
                _ => (any_from(None), queue.first_from(None, tag)),
            };
            assert_eq!(queue.has_from_any(tag), found(&|own| own.is_none()).is_some());
            assert_eq!(queue.has_tag(tag), found(&|_| true).is_some());
            let tagged = list.iter().filter(|entry| entry.2 == tag).map(|entry| entry.0);
            assert!(number % 50 > 0 || queue.ids_with(tag).eq(tagged));
            assert_eq!(queue.first(), list.first().map(|entry| &entry.3));
            assert_eq!(id, expected.map(|place| list[place].0));
            if let (Some(place), Some(id)) = (expected, id) {
                assert_eq!(*queue.get(id), list[place].3);
                assert_eq!(queue.remove(id), list.remove(place).3);
            }
            assert!(number % 50 > 0 || queue.ids().eq(list.iter().map(|entry| entry.0)));
        }
        queue.clear();
        assert!(queue.first().is_none() && queue.index.is_none());
    }
}
