//! The steps of a collective operation, with data.

use std::ffi::c_int;
use std::ops::Range;

use orrery::schedule::{Arrival, Collective, Data, Rank, Step};

use crate::MpiError;
use crate::calls::{self, Comm, Reduction, Request};

/// The tag of messages; MPI keeps the order of those between two ranks.
const TAG: c_int = 1;

/// The largest message; longer data are several ones, since counts of MPI have 31 bits.
const MAX_MESSAGE: usize = 1 << 30;

/// A collective operation on one rank, with the memory of its blocks.
pub(super) struct Operation<'a> {
    pub(super) collective: &'a Collective,
    pub(super) region: Region<'a>,
    pub(super) memory: *mut u8,
    /// How blocks are combined, and the bytes of an element in memory.
    pub(super) reduction: Option<(Reduction, usize)>,
    pub(super) comm: Comm,
}

/// The bytes of a message: in the memory of the operation if they are together there, otherwise
/// their own.
struct Message {
    start: *mut u8,
    length: usize,
    /// The bytes, if they are not in the memory of the operation.
    own: Vec<u8>,
    /// Where own bytes belong after a receive.
    pieces: Vec<Range<usize>>,
}

/// What a rank has received and not yet used, and its posted transfers.
#[derive(Default)]
struct Pending {
    /// Blocks to be combined, with the rank that sent them.
    waiting: Vec<(usize, Data, Message)>,
    posted: Vec<Option<(Vec<Request>, Message)>>,
}

impl Operation<'_> {
    /// Runs all steps of a rank.
    ///
    /// # Safety
    ///
    /// The memory holds all blocks that the rank moves, nothing else uses it meanwhile, and it can
    /// be written unless all steps send.
    pub(super) unsafe fn run(&self, rank: Rank) -> Result<(), MpiError> {
        let mut pending = Pending::default();
        for step in self.collective.steps(rank) {
            // SAFETY: the caller answers for the memory.
            if let Err(error) = unsafe { self.run_step(step, &mut pending) } {
                // MPI may still use the bytes of posted transfers.
                std::mem::forget(pending);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Runs a step of a rank; `pending` are its received and posted messages.
    ///
    /// # Safety
    ///
    /// As [`Operation::run`].
    unsafe fn run_step(&self, step: Step, pending: &mut Pending) -> Result<(), MpiError> {
        // SAFETY: the caller answers for the memory; own bytes of posted transfers stay in place
        // until these are complete.
        unsafe {
            match step {
                Step::Send { to, data } => self.send(&self.outgoing(data), to),
                Step::PassOn { to, data, origin } => {
                    let passed = pending
                        .waiting
                        .iter()
                        .find(|(from, blocks, _)| (*from, *blocks) == (origin, data));
                    self.send(&passed.ok_or_else(missing)?.2, to)
                }
                Step::Receive(arrival) => {
                    let message = self.incoming(arrival);
                    self.receive(&message, arrival.from)?;
                    self.keep(arrival, message, pending);
                    Ok(())
                }
                Step::PostSend { to, data, request } => {
                    let message = self.outgoing(data);
                    let requests = message.transfer(|start, count| {
                        calls::post_send(start, count, to as c_int, TAG, self.comm)
                    })?;
                    pending.post(request, (requests, message));
                    Ok(())
                }
                Step::PostReceive(arrival, request) => {
                    let (message, from) = (self.incoming(arrival), arrival.from as c_int);
                    let requests = message.transfer(|start, count| {
                        calls::post_receive(start, count, from, TAG, self.comm)
                    })?;
                    if arrival.is_combined {
                        // It is looked up by its blocks; its bytes stay in place.
                        pending.post(request, (requests, Message::nothing()));
                        pending.waiting.push((arrival.from, arrival.data, message));
                    } else {
                        pending.post(request, (requests, message));
                    }
                    Ok(())
                }
                Step::Wait(request) => {
                    let posted = pending.posted.get_mut(request as usize).and_then(Option::take);
                    let (mut requests, message) = posted.ok_or_else(missing)?;
                    if let Err(error) = calls::wait_all(&mut requests) {
                        std::mem::forget(message);
                        return Err(error);
                    }
                    self.distribute(&message);
                    Ok(())
                }
                Step::Combine { from, data } => {
                    let place = pending
                        .waiting
                        .iter()
                        .position(|(sender, blocks, _)| (*sender, *blocks) == (from, data));
                    let (.., message) = pending.waiting.remove(place.ok_or_else(missing)?);
                    self.combine(data, &message)
                }
            }
        }
    }

    /// The bytes of a message from this rank.
    ///
    /// # Safety
    ///
    /// As [`Operation::run`].
    unsafe fn outgoing(&self, data: Data) -> Message {
        let pieces = self.region.pieces(data);
        if let [piece] = &pieces[..] {
            // SAFETY: the piece is within the memory.
            return Message::within(unsafe { self.memory.add(piece.start) }, piece.len());
        }
        let mut own = Vec::with_capacity(pieces.iter().map(Range::len).sum());
        for piece in pieces {
            // SAFETY: as above; nothing writes it meanwhile.
            own.extend_from_slice(unsafe {
                std::slice::from_raw_parts(self.memory.add(piece.start), piece.len())
            });
        }
        Message::own(own, Vec::new())
    }

    /// The place for a message to this rank: blocks that are combined later do not go to the
    /// memory.
    fn incoming(&self, Arrival { data, is_combined, .. }: Arrival) -> Message {
        if is_combined {
            return Message::own(vec![0; self.region.len(data)], Vec::new());
        }
        let pieces = self.region.pieces(data);
        match &pieces[..] {
            // SAFETY: the piece is within the memory.
            [piece] => Message::within(unsafe { self.memory.add(piece.start) }, piece.len()),
            _ => Message::own(vec![0; pieces.iter().map(Range::len).sum()], pieces),
        }
    }

    /// Sends the bytes of a message.
    ///
    /// # Safety
    ///
    /// As [`Operation::run`].
    unsafe fn send(&self, message: &Message, to: usize) -> Result<(), MpiError> {
        message.transfer(|start, count| {
            // SAFETY: the part is within the message.
            unsafe { calls::send(start, count, to as c_int, TAG, self.comm) }
        })?;
        Ok(())
    }

    /// Receives the bytes of a message.
    ///
    /// # Safety
    ///
    /// As [`Operation::run`].
    unsafe fn receive(&self, message: &Message, from: usize) -> Result<(), MpiError> {
        message.transfer(|start, count| {
            // SAFETY: the part is within the message.
            unsafe { calls::receive(start, count, from as c_int, TAG, self.comm) }
        })?;
        Ok(())
    }

    /// Stores a received message: blocks to be combined are kept in `pending`, others are copied to
    /// where they belong.
    ///
    /// # Safety
    ///
    /// As [`Operation::run`].
    unsafe fn keep(&self, arrival: Arrival, message: Message, pending: &mut Pending) {
        if arrival.is_combined {
            pending.waiting.push((arrival.from, arrival.data, message));
        } else {
            // SAFETY: the caller answers for the memory.
            unsafe { self.distribute(&message) };
        }
    }

    /// Copies own bytes of a received message to where they belong.
    ///
    /// # Safety
    ///
    /// As [`Operation::run`].
    unsafe fn distribute(&self, message: &Message) {
        let mut rest = &message.own[..];
        for piece in &message.pieces {
            let (bytes, others) = rest.split_at(piece.len());
            // SAFETY: the piece is within the memory, and own bytes are not.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    bytes.as_ptr(),
                    self.memory.add(piece.start),
                    bytes.len(),
                );
            };
            rest = others;
        }
    }

    /// Combines received blocks with those in the memory.
    ///
    /// # Safety
    ///
    /// As [`Operation::run`].
    unsafe fn combine(&self, data: Data, message: &Message) -> Result<(), MpiError> {
        let (reduction, element) = self.reduction.ok_or_else(missing)?;
        let mut start = 0;
        for piece in self.region.pieces(data) {
            // SAFETY: the piece is within the memory, and own bytes are not; both have whole
            // elements.
            unsafe {
                let (bytes, into) = (message.start.add(start), self.memory.add(piece.start));
                reduction.combine(bytes, into, piece.len() / element)?;
            }
            start += piece.len();
        }
        Ok(())
    }
}

impl Message {
    /// Bytes in the memory of the operation.
    const fn within(start: *mut u8, length: usize) -> Self {
        Self { start, length, own: Vec::new(), pieces: Vec::new() }
    }

    /// Bytes of its own.
    fn own(mut own: Vec<u8>, pieces: Vec<Range<usize>>) -> Self {
        Self { start: own.as_mut_ptr(), length: own.len(), own, pieces }
    }

    /// Passes the begin and the length of each part to a call; at least one, since it may
    /// synchronise.
    fn transfer<T>(
        &self,
        call: impl Fn(*mut u8, c_int) -> Result<T, MpiError>,
    ) -> Result<Vec<T>, MpiError> {
        let parts = (0..self.length.div_ceil(MAX_MESSAGE).max(1)).map(|part| {
            let start = part * MAX_MESSAGE;
            call(self.start.wrapping_add(start), (self.length - start).min(MAX_MESSAGE) as c_int)
        });
        parts.collect()
    }

    /// No bytes.
    const fn nothing() -> Self {
        Self::within(std::ptr::null_mut(), 0)
    }
}

impl Pending {
    /// Records a posted transfer.
    fn post(&mut self, request: u32, transfer: (Vec<Request>, Message)) {
        let place = request as usize;
        if self.posted.len() <= place {
            self.posted.resize_with(place + 1, || None);
        }
        self.posted[place] = Some(transfer);
    }
}

/// The error of a step whose transfer or blocks are not there.
fn missing() -> MpiError {
    MpiError::impossible("a step of a collective operation has no data")
}

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
    use orrery::schedule::{Algorithm, CollectiveKind, Rank};
    use orrery::units::Bytes;

    use super::*;

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
