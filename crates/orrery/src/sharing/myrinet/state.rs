//! What earlier turns left behind for later ones.

/// So many slots fit into one word.
const PER_WORD: usize = 64;

/// One bit of each slot of a word.
const SLOT: u128 = 0b11;
const MATCHED: u128 = 0b01;
const OBLIGED: u128 = 0b10;

/// The bit that tells obliged slots, of all slots of a word.
const ALL_OBLIGED: u128 = u128::MAX / 3 * OBLIGED;

/// For each open vertex on the right: free (00), matched (01), or obliged (10): it is free still, but a neighbour was
/// left unmatched, so that it has to be matched in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct State<const WORDS: usize>([u128; WORDS]);

impl<const WORDS: usize> State<WORDS> {
    /// All slots are free.
    pub(super) const START: Self = Self([0; WORDS]);

    fn get(&self, slot: usize) -> u128 {
        self.0[slot / PER_WORD] >> (2 * (slot % PER_WORD)) & SLOT
    }

    fn with(mut self, slot: usize, bits: u128) -> Self {
        let (word, shift) = (slot / PER_WORD, 2 * (slot % PER_WORD));
        self.0[word] = self.0[word] & !(SLOT << shift) | bits << shift;
        self
    }

    /// After its vertex is matched; nothing where it is already.
    pub(super) fn matching(self, slot: usize) -> Option<Self> {
        (self.get(slot) != MATCHED).then(|| self.with(slot, MATCHED))
    }

    /// After a neighbour of these vertices was left unmatched.
    pub(super) fn obliging(self, slots: impl Iterator<Item = usize>) -> Self {
        slots.fold(self, |state, slot| if state.get(slot) == MATCHED { state } else { state.with(slot, OBLIGED) })
    }

    /// How many vertices still have to be matched.
    pub(super) fn obligations(&self) -> usize {
        self.0.iter().map(|word| (word & ALL_OBLIGED).count_ones() as usize).sum()
    }

    /// After these vertices are closed; nothing where one of them was obliged.
    pub(super) fn closing(self, slots: &[usize]) -> Option<Self> {
        let kept = |state: Self, &slot: &usize| (state.get(slot) != OBLIGED).then(|| state.with(slot, 0));
        slots.iter().try_fold(self, kept)
    }
}
