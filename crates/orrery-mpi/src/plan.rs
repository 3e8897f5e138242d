//! The operations of one rank, lowered to calls of MPI before anything is timed.

use std::ffi::c_int;
use std::time::Duration;

use orrery::machine::Batch;
use orrery::platform::Placement;
use orrery::schedule::{Operation, Rank, Request, Schedule, Timer, Transfer, operations};
use serde::{Deserialize, Serialize};

use crate::MpiError;
use crate::calls::ANY_SOURCE;
use crate::synchronous::runs_synchronously;

/// How the sends of a program are carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Sends {
    /// By `MPI_Send`, which may wait for the receive.
    Plain,
    /// Posted, and waited for at the end of the program.
    Posted,
}

/// One call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Step {
    Send { peer: c_int, count: c_int, tag: c_int },
    Receive { peer: c_int, count: c_int, tag: c_int },
    PostSend { peer: c_int, count: c_int, tag: c_int, slot: usize },
    PostReceive { peer: c_int, count: c_int, tag: c_int, slot: usize, region: usize },
    Wait(usize),
    Test(usize),
    Busy(Duration),
    Start,
    Stop,
}

/// What a rank does in each repetition.
#[derive(Debug, PartialEq)]
pub(crate) struct Plan {
    pub steps: Vec<Step>,
    /// How many posted transfers there are, each with a slot of its own.
    pub slots: usize,
    /// Whether some are not waited for before the end.
    pub open_at_end: bool,
    /// The largest message that is sent.
    pub out: usize,
    /// Where the regions for received messages begin; the first is that of blocking receives.
    pub regions: Vec<usize>,
    /// The bytes of all regions.
    pub back: usize,
    /// Whether a named timer is read, and not the whole.
    pub named: bool,
}

/// How the sends of a batch are to be carried out.
///
/// # Errors
///
/// When one of its messages cannot be sent with MPI.
pub(crate) fn sends(batch: &Batch, largest_tag: u32) -> Result<Sends, MpiError> {
    for rank in Rank::first(batch.program.ranks()) {
        for operation in operations(&batch.program, rank) {
            let (Operation::Do(transfer) | Operation::Post(transfer, _)) = operation else { continue };
            let (Transfer::Send { size, tag, .. }
            | Transfer::Receive { size, tag, .. }
            | Transfer::ReceiveAny { size, tag }) = transfer;
            if tag.0 > largest_tag {
                let tag = tag.0;
                return Err(MpiError::Impossible(format!("tag {tag}: this MPI library has tags up to {largest_tag}")));
            }
            count(size.get())?;
        }
    }
    Ok(if runs_synchronously(&batch.program) { Sends::Plain } else { Sends::Posted })
}

/// Whether a program receives from any source.
pub(crate) fn takes_any(batch: &Batch) -> bool {
    let is_any = |operation| {
        matches!(
            operation,
            Operation::Do(Transfer::ReceiveAny { .. }) | Operation::Post(Transfer::ReceiveAny { .. }, _)
        )
    };
    Rank::first(batch.program.ranks()).any(|rank| operations(&batch.program, rank).any(is_any))
}

fn count(size: u64) -> Result<c_int, MpiError> {
    c_int::try_from(size).map_err(|_| {
        MpiError::Impossible(format!("a message of {size} bytes: MPI sends at most {} at once", c_int::MAX))
    })
}

impl Plan {
    /// The plan of a rank.
    pub fn new(batch: &Batch, rank: Rank, sends: Sends) -> Result<Self, MpiError> {
        let mut lowering = Lowering { regions: vec![Region::default()], ..Lowering::new(batch, sends) };
        for operation in operations(&batch.program, rank) {
            lowering.lower(operation)?;
        }
        Ok(lowering.finish())
    }
}

/// Bytes for one received message at a time. None may be larger, so that messages that come in together lie apart.
#[derive(Debug, Default)]
struct Region {
    size: usize,
    taken: bool,
}

/// A posted transfer that was not waited for yet.
struct Open {
    request: Request,
    slot: usize,
    /// The region of a receive.
    region: Option<usize>,
}

struct Lowering<'a> {
    placement: &'a Placement,
    /// The named timer that is read.
    timer: Option<Timer>,
    sends: Sends,
    steps: Vec<Step>,
    slots: usize,
    open: Vec<Open>,
    /// Sends of which nobody will know but the end that they are complete.
    left: bool,
    out: usize,
    regions: Vec<Region>,
}

impl<'a> Lowering<'a> {
    fn new(batch: &'a Batch, sends: Sends) -> Self {
        let timer = Some(batch.reading.timer).filter(|timer| *timer != Timer::WHOLE);
        let (steps, open, regions) = (Vec::new(), Vec::new(), Vec::new());
        Self { placement: &batch.placement, timer, sends, steps, slots: 0, open, left: false, out: 0, regions }
    }

    fn lower(&mut self, operation: Operation) -> Result<(), MpiError> {
        let step = match operation {
            Operation::Do(transfer) => self.blocking(transfer)?,
            Operation::Post(transfer, request) => self.posted(transfer, request)?,
            Operation::Wait(request) => {
                let Open { slot, region, .. } = self.open.remove(self.find(request)?);
                match region {
                    Some(region) => self.regions[region].taken = false,
                    None if self.sends == Sends::Posted => self.left = true,
                    None => {}
                }
                // A send that may wait for its receive must not be waited for in a program that does not allow it.
                if region.is_none() && self.sends == Sends::Posted { Step::Test(slot) } else { Step::Wait(slot) }
            }
            Operation::Test(request) => Step::Test(self.open[self.find(request)?].slot),
            Operation::Compute(time) | Operation::Spin(time) => {
                let busy = Duration::try_from_secs_f64(time.get());
                Step::Busy(busy.map_err(|error| MpiError::Impossible(format!("busy for {} s: {error}", time.get())))?)
            }
            Operation::Start(timer) if Some(timer) == self.timer => Step::Start,
            Operation::Stop(timer) if Some(timer) == self.timer => Step::Stop,
            Operation::Start(_) | Operation::Stop(_) => return Ok(()),
        };
        self.steps.push(step);
        Ok(())
    }

    fn find(&self, request: Request) -> Result<usize, MpiError> {
        let place = self.open.iter().position(|open| open.request == request);
        place.ok_or_else(|| MpiError::Impossible(format!("request {} is waited for, but not posted", request.0)))
    }

    fn process(&self, rank: Rank) -> c_int {
        self.placement.processor(rank).0 as c_int
    }

    fn blocking(&mut self, transfer: Transfer) -> Result<Step, MpiError> {
        let (peer, count, tag, is_send) = self.message(transfer)?;
        if !is_send {
            self.regions[0].size = self.regions[0].size.max(count as usize);
            return Ok(Step::Receive { peer, count, tag });
        }
        if self.sends == Sends::Plain {
            return Ok(Step::Send { peer, count, tag });
        }
        self.left = true;
        Ok(Step::PostSend { peer, count, tag, slot: self.slot() })
    }

    fn posted(&mut self, transfer: Transfer, request: Request) -> Result<Step, MpiError> {
        let (peer, count, tag, is_send) = self.message(transfer)?;
        let slot = self.slot();
        if is_send {
            self.open.push(Open { request, slot, region: None });
            return Ok(Step::PostSend { peer, count, tag, slot });
        }
        let free = self.regions.iter().skip(1).position(|region| !region.taken).map(|place| place + 1);
        let region = free.unwrap_or_else(|| {
            self.regions.push(Region::default());
            self.regions.len() - 1
        });
        let size = self.regions[region].size.max(count as usize);
        self.regions[region] = Region { size, taken: true };
        self.open.push(Open { request, slot, region: Some(region) });
        Ok(Step::PostReceive { peer, count, tag, slot, region })
    }

    fn slot(&mut self) -> usize {
        self.slots += 1;
        self.slots - 1
    }

    /// The other end of a message, its size, its tag, and whether it is sent.
    fn message(&mut self, transfer: Transfer) -> Result<(c_int, c_int, c_int, bool), MpiError> {
        let (peer, size, tag, is_send) = match transfer {
            Transfer::Send { to, size, tag } => (self.process(to), size, tag, true),
            Transfer::Receive { from, size, tag } => (self.process(from), size, tag, false),
            Transfer::ReceiveAny { size, tag } => (ANY_SOURCE, size, tag, false),
        };
        let count = count(size.get())?;
        if is_send {
            self.out = self.out.max(count as usize);
        }
        Ok((peer, count, tag.0 as c_int, is_send))
    }

    fn finish(self) -> Plan {
        let mut back = 0;
        let begin = |region: &Region| {
            let begin = back;
            // Each on pages of its own, and an empty one somewhere.
            back += region.size.next_multiple_of(4096);
            begin
        };
        let regions = self.regions.iter().map(begin).collect();
        let open_at_end = self.left || !self.open.is_empty();
        let (named, slots) = (self.timer.is_some(), self.slots);
        Plan { steps: self.steps, slots, open_at_end, out: self.out, regions, back, named }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use orrery::platform::Processor;
    use orrery::schedule::{Explicit, Program, Tag};
    use orrery::units::Bytes;

    fn batch(ranks: Vec<Vec<Operation>>) -> Batch {
        let placement = Placement::new((0..ranks.len() as u32).map(|rank| Processor(rank + 5)));
        let program = Program::Explicit(Explicit::new(ranks));
        let reading = program.reading();
        Batch { program, placement, reading, warm_up: 0, first_repetition: 0, repetitions: 1 }
    }

    fn receive(size: u64) -> Transfer {
        Transfer::Receive { from: Rank(1), size: Bytes::new(size), tag: Tag(3) }
    }

    #[test]
    fn receives_that_are_open_together_lie_apart() -> Result<(), MpiError> {
        use Operation::{Do, Post, Wait};
        let (one, two) = (Request(1), Request(2));
        let mine = vec![
            Do(receive(10)),
            Post(receive(5000), one),
            Post(receive(20), two),
            Wait(one),
            Post(receive(7), one),
            Wait(two),
            Wait(one),
        ];
        let plan = Plan::new(&batch(vec![mine, vec![]]), Rank(0), Sends::Plain)?;
        let regions: Vec<usize> = plan
            .steps
            .iter()
            .filter_map(|step| if let Step::PostReceive { region, .. } = step { Some(*region) } else { None })
            .collect();
        assert_eq!(regions, [1, 2, 1]);
        assert_eq!((plan.regions, plan.back, plan.slots), (vec![0, 4096, 12288], 16384, 3));
        assert!(!plan.open_at_end);
        assert_eq!(plan.steps[0], Step::Receive { peer: 6, count: 10, tag: 3 });
        Ok(())
    }

    #[test]
    fn what_mpi_cannot_send_is_refused() {
        let large = batch(vec![vec![Operation::send(Rank(1), Bytes::new(1 << 31))], vec![]]);
        assert!(sends(&large, 100).is_err());
        let tag = batch(vec![vec![Operation::Do(receive(1))], vec![]]);
        assert!(sends(&tag, 2).is_err() && sends(&tag, 3).is_ok());
    }
}
