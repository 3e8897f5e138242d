//! Where blocks of a collective operation are in memory.

use std::ops::Range;

use orrery::schedule::{Collective, Data};

/// Memory with consecutive blocks of an operation, modulo their number.
///
/// Blocks are counted from that of the root. The memory of the root of a scatter begins with the
/// block of rank 0, that of an inner node of a tree with its own.
#[derive(Debug, Clone, Copy)]
pub(super) struct Region<'a> {
    collective: &'a Collective,
    /// The bytes of a byte of the operation: 1, or those of an element of a reduction.
    unit: usize,
    /// The first block.
    first: usize,
}

impl<'a> Region<'a> {
    /// The region that begins with the block `first`; a byte of the operation is `unit` bytes.
    pub(super) const fn new(collective: &'a Collective, unit: usize, first: usize) -> Self {
        Self { collective, unit, first }
    }

    /// The number of bytes of some blocks.
    pub(super) fn len(self, data: Data) -> usize {
        self.collective.bytes(data).get() as usize * self.unit
    }

    /// The places of some blocks in the order in which a message has them, as ranges of bytes from
    /// the beginning.
    pub(super) fn pieces(self, data: Data) -> Vec<Range<usize>> {
        let all = self.collective.block_count();
        let place = |block: usize| (block + all - self.first) % all;
        let Data::Blocks { first, count } = data else {
            let blocks = self.collective.blocks(data);
            return blocks.into_iter().map(|block| self.range(place(block), 1)).collect();
        };
        let before_end = count.min(all - place(first % all));
        let mut pieces = vec![self.range(place(first % all), before_end)];
        if before_end < count {
            pieces.push(self.range(0, count - before_end));
        }
        pieces
    }

    /// The bytes of `count` blocks from place `place` of the region on.
    fn range(self, place: usize, count: usize) -> Range<usize> {
        let begin = self.len(Data::Blocks { first: self.first, count: place });
        begin..begin + self.len(Data::Blocks { first: self.first + place, count })
    }

    /// The number of bytes that hold all blocks that a rank moves.
    pub(super) fn moved(self, data: impl Iterator<Item = Data>) -> usize {
        data.flat_map(|data| self.pieces(data)).map(|piece| piece.end).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use orrery::schedule::{Algorithm, CollectiveKind, Rank};
    use orrery::units::Bytes;

    #[test]
    fn blocks_are_counted_modulo_their_number() {
        let block = Bytes::new(10);
        let scatter = Collective {
            kind: CollectiveKind::Scatter,
            algorithm: Algorithm::Binomial,
            root: Rank(3),
            ranks: 5,
            block,
        };
        // The memory of the root begins with rank 0, which is 2 after rank 3.
        let region = Region::new(&scatter, 1, 2);
        let pieces = |first, count| {
            let pieces = region.pieces(Data::Blocks { first, count }).into_iter();
            pieces.map(|piece| (piece.start, piece.end)).collect::<Vec<_>>()
        };
        assert_eq!(pieces(2, 2), [(0, 20)]);
        assert_eq!(pieces(4, 2), [(20, 40)]);
        assert_eq!(pieces(1, 2), [(40, 50), (0, 10)]);
        assert!(region.pieces(Data::Empty).is_empty());
        assert_eq!(region.moved([Data::Blocks { first: 2, count: 3 }].into_iter()), 30);
    }
}
