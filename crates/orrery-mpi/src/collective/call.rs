//! A collective operation on one rank: its algorithm, and the memory of its blocks.

use std::ffi::c_int;

use orrery::schedule::{Algorithm, Arrival, Collective, CollectiveKind, Data, Rank, Step};
use orrery::units::Bytes;

use super::carrier::{Carrier, Decision, rounded};
use super::operation::Operation;
use super::operation::Region;
use super::{Chooser, Content};
use crate::MpiError;
use crate::calls::Reduction;

/// A call on one rank.
pub(super) struct Call<'a> {
    carrier: &'a Carrier,
    kind: CollectiveKind,
    root: usize,
    chooser: Chooser<'a>,
}

/// A reduction, and the bytes of its elements.
type Combination = (Reduction, usize);

impl<'a> Call<'a> {
    /// A call with this root.
    pub(super) fn new(
        carrier: &'a Carrier,
        kind: CollectiveKind,
        root: c_int,
        chooser: Chooser<'a>,
    ) -> Result<Self, MpiError> {
        let found = usize::try_from(root).ok().filter(|root| *root < carrier.ranks);
        let root = found.ok_or_else(|| {
            MpiError::impossible(format!(
                "the root is {root}; give a rank from 0 to {}",
                carrier.ranks - 1
            ))
        })?;
        Ok(Self { carrier, kind, root, chooser })
    }

    /// The root.
    pub(super) const fn root(&self) -> usize {
        self.root
    }

    /// Returns true if this rank is the root.
    pub(super) const fn is_root(&self) -> bool {
        self.carrier.rank == self.root
    }

    /// The operation on a block or vector of `bytes` bytes in elements of `element` bytes; `None`
    /// if there are no bytes, or no other ranks.
    fn collective(&self, bytes: usize, element: usize) -> Result<Option<Collective>, MpiError> {
        let Carrier { ranks, .. } = *self.carrier;
        if bytes == 0 || ranks < 2 {
            return Ok(None);
        }
        let (kind, root, model) = (self.kind, self.root, self.chooser.model);
        let decision = Decision { kind, root, ranks, size: rounded(bytes), model };
        let algorithm = in_elements(self.carrier.decide(decision, self.chooser.choose)?, element);
        let block = Bytes::new((bytes / element) as u64);
        Ok(Some(Collective { kind, algorithm, root: Rank(root as u32), ranks, block }))
    }

    /// Runs the operation with a region of memory.
    ///
    /// # Safety
    ///
    /// As [`Operation::run`].
    unsafe fn run(
        &self,
        region: (Region, &Collective),
        memory: *mut u8,
        reduction: Option<Combination>,
    ) -> Result<(), MpiError> {
        let (region, collective) = region;
        let operation =
            Operation { collective, region, memory, reduction, comm: self.carrier.comm() };
        // SAFETY: the caller answers for the memory.
        unsafe { operation.run(self.rank()) }
    }

    /// This rank.
    fn rank(&self) -> Rank {
        Rank(self.carrier.rank as u32)
    }

    /// Scatters or gathers at the root, whose memory holds the blocks of all ranks.
    ///
    /// # Safety
    ///
    /// There are that many bytes, and nothing else uses them.
    pub(super) unsafe fn run_with_all_blocks(
        &self,
        block: usize,
        blocks: *mut u8,
    ) -> Result<(), MpiError> {
        let Some(collective) = self.collective(block, 1)? else { return Ok(()) };
        let Carrier { ranks, .. } = *self.carrier;
        let first = (ranks - self.root) % ranks * per_rank(&collective);
        // SAFETY: the caller answers for the memory.
        unsafe { self.run((Region::new(&collective, 1, first), &collective), blocks, None) }
    }

    /// The block of this rank among the blocks of all.
    ///
    /// # Safety
    ///
    /// There are that many bytes.
    pub(super) unsafe fn own_block<'b>(&self, blocks: *const u8, block: usize) -> &'b [u8] {
        // SAFETY: the caller answers for the memory.
        unsafe { std::slice::from_raw_parts(blocks.add(self.carrier.rank * block), block) }
    }

    /// The region of a rank other than the root, which begins with its own block, and the number of
    /// bytes that it moves.
    fn own_region<'c>(&self, collective: &'c Collective) -> (Region<'c>, usize) {
        let Carrier { ranks, rank, .. } = *self.carrier;
        let first = (rank + ranks - self.root) % ranks * per_rank(collective);
        let region = Region::new(collective, 1, first);
        let moved = region.moved(collective.steps(self.rank()).filter_map(data));
        (region, moved)
    }

    /// Scatters on another rank than the root: to the buffer itself if it takes nothing but the own
    /// block, otherwise `write` gets the block.
    ///
    /// # Safety
    ///
    /// The buffer has the bytes of a block.
    pub(super) unsafe fn run_with_own_block(
        &self,
        block: usize,
        buffer: Option<Content>,
        write: impl FnOnce(&[u8]) -> Result<(), MpiError>,
    ) -> Result<(), MpiError> {
        let Some(collective) = self.collective(block, 1)? else { return Ok(()) };
        let (region, moved) = self.own_region(&collective);
        // SAFETY: the caller answers for the buffer, and others have the bytes that are moved.
        unsafe {
            if let Some(buffer) = buffer.filter(|_| moved <= block) {
                return self.run((region, &collective), buffer.start, None);
            }
            let mut bytes = vec![0; moved.max(block)];
            self.run((region, &collective), bytes.as_mut_ptr(), None)?;
            write(&bytes[..block])
        }
    }

    /// Gathers on another rank than the root: from the content itself if it sends nothing but the
    /// own block.
    ///
    /// # Safety
    ///
    /// The content has the bytes of a block.
    pub(super) unsafe fn send_with_own_block(
        &self,
        block: usize,
        own: &Content,
    ) -> Result<(), MpiError> {
        let Some(collective) = self.collective(block, 1)? else { return Ok(()) };
        let (region, moved) = self.own_region(&collective);
        // SAFETY: as in a scatter; the own block is only read.
        unsafe {
            if moved <= block {
                return self.run((region, &collective), own.start, None);
            }
            let mut bytes = vec![0; moved];
            bytes[..block].copy_from_slice(std::slice::from_raw_parts(own.start, block));
            self.run((region, &collective), bytes.as_mut_ptr(), None)
        }
    }

    /// Moves a vector.
    ///
    /// # Safety
    ///
    /// There are that many bytes, and nothing else uses them.
    pub(super) unsafe fn run_on_vector(
        &self,
        bytes: usize,
        vector: *mut u8,
    ) -> Result<(), MpiError> {
        let Some(collective) = self.collective(bytes, 1)? else { return Ok(()) };
        // SAFETY: the caller answers for the memory.
        unsafe { self.run((Region::new(&collective, 1, 0), &collective), vector, None) }
    }

    /// Reduces at the root, whose result begins with its own vector.
    ///
    /// # Safety
    ///
    /// There are that many bytes, and nothing else uses them.
    pub(super) unsafe fn reduce_at_root(
        &self,
        bytes: usize,
        result: *mut u8,
        (reduction, element): Combination,
    ) -> Result<(), MpiError> {
        let Some(collective) = self.collective(bytes, element)? else { return Ok(()) };
        let region = Region::new(&collective, element, 0);
        // SAFETY: the caller answers for the memory.
        unsafe { self.run((region, &collective), result, Some((reduction, element))) }
    }

    /// Reduces on another rank than the root, which combines in a copy of its vector if it receives
    /// others.
    ///
    /// # Safety
    ///
    /// There are that many bytes.
    pub(super) unsafe fn reduce_to_root(
        &self,
        bytes: usize,
        own: *mut u8,
        (reduction, element): Combination,
    ) -> Result<(), MpiError> {
        let Some(collective) = self.collective(bytes, element)? else { return Ok(()) };
        let region = Region::new(&collective, element, 0);
        let receives = collective
            .steps(self.rank())
            .any(|step| matches!(step, Step::Receive(_) | Step::PostReceive(..)));
        // SAFETY: the caller answers for the vector, which is only read.
        unsafe {
            if !receives {
                return self.run((region, &collective), own, None);
            }
            // Of `u64`, so that elements are aligned.
            let mut copy = vec![0_u64; bytes.div_ceil(size_of::<u64>())];
            let memory: *mut u8 = copy.as_mut_ptr().cast();
            std::ptr::copy_nonoverlapping(own, memory, bytes);
            self.run((region, &collective), memory, Some((reduction, element)))
        }
    }
}

/// The number of blocks of a rank: 1, or that of its segments.
fn per_rank(collective: &Collective) -> usize {
    collective.block_count() / collective.ranks
}

/// The blocks that a step moves; `None` for a wait.
const fn data(step: Step) -> Option<Data> {
    match step {
        Step::Send { data, .. }
        | Step::PassOn { data, .. }
        | Step::Receive(Arrival { data, .. })
        | Step::PostSend { data, .. }
        | Step::PostReceive(Arrival { data, .. }, _)
        | Step::Combine { data, .. } => Some(data),
        Step::Wait(_) => None,
    }
}

/// The algorithm with its segments counted in elements of `element` bytes instead of bytes, so that
/// elements stay whole.
fn in_elements(algorithm: Algorithm, element: usize) -> Algorithm {
    let segment = algorithm.segment();
    let elements = Bytes::new((segment.get() / element as u64).max(1));
    algorithm
        .with_segment(elements)
        .filter(|_| element > 1 && segment != Bytes::ZERO)
        .unwrap_or(algorithm)
}

/// Returns an error unless a block of the buffer `what` of the root has `block` bytes.
pub(super) fn is_block(what: &str, bytes: usize, block: usize) -> Result<(), MpiError> {
    if bytes == block {
        return Ok(());
    }
    Err(MpiError::impossible(format!(
        "{what} of the root has {bytes} bytes; give it those of a block, {block}"
    )))
}
