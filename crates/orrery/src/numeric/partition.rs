use std::ops::Range;

use super::SparseRows;

/// Which unknowns come in small blocks, and which are the core through which blocks meet.
#[derive(Debug, Clone)]
pub(super) struct Partition {
    places: Vec<Place>,
    core: Vec<u32>,
    /// Behind all others stands the block of no unknown, of the rows that touch none.
    blocks: Vec<[u32; 2]>,
}

/// The place of an unknown: in the core, or as the first or second of a block.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    Core(u32),
    Block(u32, u8),
}

/// Stands where a block has no second unknown.
const NONE: u32 = u32::MAX;

/// What is worked on at once is so many blocks, whatever the number of threads.
const PIECE: usize = 4096;

/// A vector over the core, and one over some of the blocks.
pub(super) struct Part {
    pub(super) core: Vec<f64>,
    pub(super) blocks: Vec<[f64; 2]>,
}

impl Partition {
    /// Blocks of these unknowns, one or two each; all others are core.
    pub(super) fn new(unknowns: usize, blocks: impl IntoIterator<Item = Vec<usize>>) -> Self {
        let mut this = Self { places: vec![Place::Core(NONE); unknowns], core: Vec::new(), blocks: Vec::new() };
        for members in blocks {
            assert!((1..=2).contains(&members.len()), "blocks have one unknown or two");
            let mut block = [NONE; 2];
            for (place, &unknown) in members.iter().enumerate() {
                block[place] = unknown as u32;
                this.places[unknown] = Place::Block(this.blocks.len() as u32, place as u8);
            }
            this.blocks.push(block);
        }
        this.blocks.push([NONE; 2]);
        for (unknown, place) in this.places.iter_mut().enumerate() {
            if let Place::Core(place) = place {
                *place = this.core.len() as u32;
                this.core.push(unknown as u32);
            }
        }
        this
    }

    pub(super) fn unknowns(&self) -> usize {
        self.places.len()
    }

    pub(super) fn place(&self, unknown: usize) -> Place {
        self.places[unknown]
    }

    /// The unknowns of the core.
    pub(super) fn core(&self) -> impl Iterator<Item = usize> + '_ {
        self.core.iter().map(|&unknown| unknown as usize)
    }

    /// The unknown of this place in the core.
    pub(super) fn of_place(&self, place: usize) -> usize {
        self.core[place] as usize
    }

    /// How many blocks there are.
    pub(super) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The block that a row of these terms touches; `None` when it joins two.
    pub(super) fn block_of(&self, terms: impl Iterator<Item = (usize, f64)>) -> Option<usize> {
        let mut touched = terms.filter_map(|(unknown, _)| match self.place(unknown) {
            Place::Block(block, _) => Some(block as usize),
            Place::Core(_) => None,
        });
        let first = touched.next().unwrap_or(self.blocks.len() - 1);
        touched.all(|block| block == first).then_some(first)
    }

    /// The unknowns of a block.
    pub(super) fn block(&self, block: usize) -> impl Iterator<Item = usize> + '_ {
        self.blocks[block].iter().filter(|&&unknown| unknown != NONE).map(|&unknown| unknown as usize)
    }

    /// What a vector of all unknowns has for the core.
    pub(super) fn of_core(&self, vector: &[f64]) -> Vec<f64> {
        self.core().map(|unknown| vector[unknown]).collect()
    }

    /// What a vector of all unknowns has for a block; a second unknown that is not there counts as the default.
    pub(super) fn of_block<T: Copy + Default>(&self, vector: &[T], block: usize) -> [T; 2] {
        self.blocks[block].map(|unknown| vector.get(unknown as usize).copied().unwrap_or_default())
    }

    /// The pieces in which blocks are worked on.
    pub(super) fn pieces(&self) -> usize {
        self.blocks.len().div_ceil(PIECE)
    }

    /// The blocks of a piece.
    pub(super) fn piece(&self, piece: usize) -> Range<usize> {
        piece * PIECE..self.blocks.len().min((piece + 1) * PIECE)
    }

    /// The vector of all unknowns from the parts of all pieces, those of the core added up in their order.
    pub(super) fn join(&self, parts: impl IntoIterator<Item = Part>) -> Vec<f64> {
        let mut vector = vec![0.0; self.unknowns()];
        let mut blocks = self.blocks.iter();
        for part in parts {
            self.core().zip(&part.core).for_each(|(unknown, value)| vector[unknown] += value);
            for (values, block) in part.blocks.into_iter().zip(blocks.by_ref()) {
                let members = block.iter().zip(values).filter(|(unknown, _)| **unknown != NONE);
                members.for_each(|(&unknown, value)| vector[unknown as usize] = value);
            }
        }
        vector
    }
}

/// Rows of a problem by the block that they touch.
#[derive(Debug, Clone, Default)]
pub(super) struct Grouping {
    /// The rows of the first block, of the second, …
    order: Vec<u32>,
    /// Where the rows of each block end.
    ends: Vec<u32>,
}

impl Grouping {
    /// These of the rows by block; `None` when one of them joins two blocks.
    pub(super) fn of(partition: &Partition, rows: &SparseRows, which: Range<usize>) -> Option<Self> {
        let block_of = |row: usize| partition.block_of(rows.terms(row)).map(|block| block as u32);
        let blocks: Vec<u32> = which.clone().map(block_of).collect::<Option<_>>()?;
        let mut next = vec![0; partition.blocks() + 1];
        blocks.iter().for_each(|&block| next[block as usize + 1] += 1);
        (1..next.len()).for_each(|block| next[block] += next[block - 1]);
        let ends = next[1..].to_vec();
        let mut order = vec![0; blocks.len()];
        for (row, &block) in which.zip(&blocks) {
            let place = &mut next[block as usize];
            order[*place as usize] = row as u32;
            *place += 1;
        }
        Some(Self { order, ends })
    }

    /// The rows that touch a block.
    pub(super) fn rows(&self, block: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        let begin = if block == 0 { 0 } else { self.ends[block - 1] };
        self.order[begin as usize..self.ends[block] as usize].iter().map(|&row| row as usize)
    }
}
