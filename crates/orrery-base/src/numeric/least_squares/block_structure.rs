use std::ops::Range;

use super::SparseRows;

/// The division of unknowns into small blocks and a core that couples them.
#[derive(Debug, Clone)]
pub(super) struct BlockStructure {
    positions: Vec<Position>,
    core: Vec<u32>,
    /// The unknowns of each block; the last block is empty and takes the rows that contain core
    /// unknowns only.
    blocks: Vec<[u32; 2]>,
}

/// The position of an unknown: an index in the core, or a block and the index (0 or 1) in it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Position {
    Core(u32),
    Block(u32, u8),
}

/// The second unknown of a block that has only one.
const NO_UNKNOWN: u32 = u32::MAX;

/// The number of blocks of a parallel task, independent of the number of threads.
const BLOCKS_PER_CHUNK: usize = 4096;

/// The contribution of some blocks to a vector of all unknowns: a summand for the core and the
/// values of the blocks.
pub(super) struct PartialVector {
    pub(super) core: Vec<f64>,
    pub(super) blocks: Vec<[f64; 2]>,
}

impl BlockStructure {
    /// Creates the structure from blocks of one or two unknowns; all other unknowns form the core.
    pub(super) fn new(unknowns: usize, blocks: impl IntoIterator<Item = Vec<usize>>) -> Self {
        let mut this = Self {
            positions: vec![Position::Core(NO_UNKNOWN); unknowns],
            core: Vec::new(),
            blocks: Vec::new(),
        };
        for members in blocks {
            assert!((1..=2).contains(&members.len()), "blocks have one unknown or two");
            let mut block = [NO_UNKNOWN; 2];
            for (place, &unknown) in members.iter().enumerate() {
                block[place] = unknown as u32;
                this.positions[unknown] = Position::Block(this.blocks.len() as u32, place as u8);
            }
            this.blocks.push(block);
        }
        this.blocks.push([NO_UNKNOWN; 2]);
        for (unknown, place) in this.positions.iter_mut().enumerate() {
            if let Position::Core(place) = place {
                *place = this.core.len() as u32;
                this.core.push(unknown as u32);
            }
        }
        this
    }

    /// The number of unknowns.
    pub(super) fn unknowns(&self) -> usize {
        self.positions.len()
    }

    /// The position of an unknown.
    pub(super) fn position(&self, unknown: usize) -> Position {
        self.positions[unknown]
    }

    /// The unknowns of the core.
    pub(super) fn core(&self) -> impl Iterator<Item = usize> + '_ {
        self.core.iter().map(|&unknown| unknown as usize)
    }

    /// The unknown at a position of the core.
    pub(super) fn core_unknown(&self, place: usize) -> usize {
        self.core[place] as usize
    }

    /// The number of blocks, including the empty one.
    pub(super) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The block whose unknowns a row contains; `None` if it contains unknowns of two blocks.
    pub(super) fn block_of(&self, terms: impl Iterator<Item = (usize, f64)>) -> Option<usize> {
        let mut touched = terms.filter_map(|(unknown, _)| match self.position(unknown) {
            Position::Block(block, _) => Some(block as usize),
            Position::Core(_) => None,
        });
        let first = touched.next().unwrap_or(self.blocks.len() - 1);
        touched.all(|block| block == first).then_some(first)
    }

    /// The unknowns of a block.
    pub(super) fn block(&self, block: usize) -> impl Iterator<Item = usize> + '_ {
        self.blocks[block]
            .iter()
            .filter(|&&unknown| unknown != NO_UNKNOWN)
            .map(|&unknown| unknown as usize)
    }

    /// The entries of a vector for the core.
    pub(super) fn core_values(&self, vector: &[f64]) -> Vec<f64> {
        self.core().map(|unknown| vector[unknown]).collect()
    }

    /// The entries of a vector for a block; the default value for a missing second unknown.
    pub(super) fn block_values<T: Copy + Default>(&self, vector: &[T], block: usize) -> [T; 2] {
        self.blocks[block].map(|unknown| vector.get(unknown as usize).copied().unwrap_or_default())
    }

    /// The number of parallel tasks into which the blocks are divided.
    pub(super) fn chunks(&self) -> usize {
        self.blocks.len().div_ceil(BLOCKS_PER_CHUNK)
    }

    /// The blocks of a parallel task.
    pub(super) fn chunk(&self, chunk: usize) -> Range<usize> {
        chunk * BLOCKS_PER_CHUNK..self.blocks.len().min((chunk + 1) * BLOCKS_PER_CHUNK)
    }

    /// Assembles the vector of all unknowns from the contributions of all tasks; those to the core
    /// are added in order.
    pub(super) fn assemble(&self, parts: impl IntoIterator<Item = PartialVector>) -> Vec<f64> {
        let mut vector = vec![0.0; self.unknowns()];
        let mut blocks = self.blocks.iter();
        for part in parts {
            self.core().zip(&part.core).for_each(|(unknown, value)| vector[unknown] += value);
            for (values, block) in part.blocks.into_iter().zip(blocks.by_ref()) {
                let members =
                    block.iter().zip(values).filter(|(unknown, _)| **unknown != NO_UNKNOWN);
                members.for_each(|(&unknown, value)| vector[unknown as usize] = value);
            }
        }
        vector
    }
}

/// The rows of a problem, grouped by the block whose unknowns they contain.
#[derive(Debug, Clone, Default)]
pub(super) struct RowsByBlock {
    /// The row numbers, sorted by block.
    order: Vec<u32>,
    /// The end of each block's rows in `order`.
    ends: Vec<u32>,
}

impl RowsByBlock {
    /// Groups the rows `which`; returns `None` if a row contains unknowns of two blocks.
    pub(super) fn of(
        structure: &BlockStructure,
        rows: &SparseRows,
        which: Range<usize>,
    ) -> Option<Self> {
        let block_of = |row: usize| structure.block_of(rows.terms(row)).map(|block| block as u32);
        let blocks: Vec<u32> = which.clone().map(block_of).collect::<Option<_>>()?;
        let mut next = vec![0; structure.blocks() + 1];
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

    /// The rows of a block.
    pub(super) fn rows(&self, block: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        let begin = if block == 0 { 0 } else { self.ends[block - 1] };
        self.order[begin as usize..self.ends[block] as usize].iter().map(|&row| row as usize)
    }
}
