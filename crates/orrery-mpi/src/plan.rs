//! The operations of one rank as MPI calls, prepared before anything is timed.

use std::ffi::c_int;
use std::time::Duration;

use orrery::engine::runs_synchronously;
use orrery::machine::Batch;
use orrery::platform::Placement;
use orrery::schedule::{
    Operation, Rank, Request, RequestError, RequestTable, Schedule, Timer, Transfer, operations,
};
use serde::{Deserialize, Serialize};

use crate::MpiError;
use crate::calls::ANY_SOURCE;

/// How the sends of a program are carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum SendMode {
    /// `MPI_Send`, which may wait for the receive.
    Blocking,
    /// `MPI_Isend`, completed at the end of the program.
    Posted,
}

/// One MPI call or local action; transfers name process, size in bytes and tag.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Step {
    Send {
        peer: c_int,
        count: c_int,
        tag: c_int,
    },
    Receive {
        peer: c_int,
        count: c_int,
        tag: c_int,
    },
    PostSend {
        peer: c_int,
        count: c_int,
        tag: c_int,
        slot: usize,
    },
    PostReceive {
        peer: c_int,
        count: c_int,
        tag: c_int,
        slot: usize,
        region: usize,
    },
    Wait(usize),
    Test(usize),
    Busy(Duration),
    /// Combines this number of received bytes with own ones.
    Combine(usize),
    Start,
    Stop,
}

/// The steps of a rank in each repetition, and the memory that they need.
#[derive(Debug, PartialEq)]
pub(crate) struct Plan {
    pub steps: Vec<Step>,
    /// The number of posted transfers, each of which has a slot for its request.
    pub slots: usize,
    /// True if requests are open after the last step.
    pub has_open_requests: bool,
    /// The size of the largest send in bytes.
    pub send_bytes: usize,
    /// The offsets of the regions for received messages; the first is for blocking receives.
    pub regions: Vec<usize>,
    /// The total size of the regions in bytes.
    pub receive_bytes: usize,
    /// True if a named timer is read instead of the whole time.
    pub reads_timer: bool,
}

/// The send mode that a batch needs: blocking where that cannot cause a deadlock, otherwise posted.
///
/// # Errors
///
/// When one of its messages cannot be sent with MPI.
pub(crate) fn send_mode(batch: &Batch, largest_tag: u32) -> Result<SendMode, MpiError> {
    for rank in Rank::first(batch.program.ranks()) {
        for operation in operations(&batch.program, rank) {
            let (Operation::Do(transfer) | Operation::Post(transfer, _)) = operation else {
                continue;
            };
            let (Transfer::Send { size, tag, .. }
            | Transfer::Receive { size, tag, .. }
            | Transfer::ReceiveAny { size, tag }) = transfer;
            if tag.0 > largest_tag {
                let tag = tag.0;
                return Err(MpiError::Impossible(format!(
                    "tag {tag} is too large: this MPI library has tags up to {largest_tag}"
                )));
            }
            count(size.get())?;
        }
    }
    // `MPI_Send` is used where it cannot cause a deadlock. Elsewhere sends are posted and completed
    // at the end.
    Ok(if runs_synchronously(&batch.program) { SendMode::Blocking } else { SendMode::Posted })
}

/// Returns true if a program receives from any source.
pub(crate) fn receives_from_any(batch: &Batch) -> bool {
    let is_any = |operation| {
        matches!(
            operation,
            Operation::Do(Transfer::ReceiveAny { .. })
                | Operation::Post(Transfer::ReceiveAny { .. }, _)
        )
    };
    Rank::first(batch.program.ranks()).any(|rank| operations(&batch.program, rank).any(is_any))
}

/// A size as a count of bytes in an MPI call; an error if it is too large for one.
pub(crate) fn count(size: u64) -> Result<c_int, MpiError> {
    c_int::try_from(size).map_err(|_| {
        MpiError::Impossible(format!(
            "a message of {size} bytes is too large: one MPI call sends at most {}; use smaller \
                ones",
            c_int::MAX
        ))
    })
}

/// The error about a request.
fn invalid(request: Request, error: RequestError) -> MpiError {
    MpiError::Impossible(format!("request {} {error}", request.0))
}

impl Plan {
    /// The plan of a rank.
    pub fn new(batch: &Batch, rank: Rank, sends: SendMode) -> Result<Self, MpiError> {
        let mut builder =
            PlanBuilder { regions: vec![Region::default()], ..PlanBuilder::new(batch, sends) };
        for operation in operations(&batch.program, rank) {
            builder.add(operation)?;
        }
        Ok(builder.finish())
    }
}

/// Memory for one received message at a time; concurrent receives have different regions.
#[derive(Debug, Default)]
struct Region {
    size: usize,
    is_used: bool,
}

/// A posted transfer without a wait so far.
#[derive(Debug, Clone, Copy)]
struct OpenRequest {
    slot: usize,
    /// The region of a receive.
    region: Option<usize>,
}

/// The state of the conversion of operations into steps.
struct PlanBuilder<'a> {
    placement: &'a Placement,
    /// The named timer that is read.
    timer: Option<Timer>,
    sends: SendMode,
    steps: Vec<Step>,
    slots: usize,
    open: RequestTable<OpenRequest>,
    /// True if sends are completed only at the end.
    has_deferred_sends: bool,
    send_bytes: usize,
    regions: Vec<Region>,
}

impl<'a> PlanBuilder<'a> {
    /// A builder without steps.
    fn new(batch: &'a Batch, sends: SendMode) -> Self {
        let timer = Some(batch.reading.timer).filter(|timer| *timer != Timer::WHOLE);
        let (steps, open, regions) = (Vec::new(), RequestTable::default(), Vec::new());
        Self {
            placement: &batch.placement,
            timer,
            sends,
            steps,
            slots: 0,
            open,
            has_deferred_sends: false,
            send_bytes: 0,
            regions,
        }
    }

    /// Appends the step of an operation.
    fn add(&mut self, operation: Operation) -> Result<(), MpiError> {
        let step = match operation {
            Operation::Do(transfer) => self.blocking(transfer)?,
            Operation::Post(transfer, request) => self.posted(transfer, request)?,
            Operation::Wait(request) => {
                let OpenRequest { slot, region } =
                    self.open.take(request).map_err(|error| invalid(request, error))?;
                match region {
                    Some(region) => self.regions[region].is_used = false,
                    None if self.sends == SendMode::Posted => self.has_deferred_sends = true,
                    None => {}
                }
                // Posted sends are only tested: a wait for the receive could be a deadlock.
                if region.is_none() && self.sends == SendMode::Posted {
                    Step::Test(slot)
                } else {
                    Step::Wait(slot)
                }
            }
            Operation::Test(request) => Step::Test(
                self.open.get_mut(request).map_err(|error| invalid(request, error))?.slot,
            ),
            Operation::Compute(time) | Operation::Spin(time) => {
                let busy = Duration::try_from_secs_f64(time.get());
                Step::Busy(busy.map_err(|error| {
                    MpiError::Impossible(format!("busy for {} s: {error}", time.get()))
                })?)
            }
            Operation::Combine(size) => Step::Combine(count(size.get())? as usize),
            Operation::Start(timer) if Some(timer) == self.timer => Step::Start,
            Operation::Stop(timer) if Some(timer) == self.timer => Step::Stop,
            Operation::Start(_) | Operation::Stop(_) => return Ok(()),
        };
        self.steps.push(step);
        Ok(())
    }

    /// The MPI rank of a rank of the program.
    fn process(&self, rank: Rank) -> c_int {
        self.placement.processor(rank).0 as c_int
    }

    /// The step of a blocking transfer.
    fn blocking(&mut self, transfer: Transfer) -> Result<Step, MpiError> {
        let (peer, count, tag, is_send) = self.message(transfer)?;
        if !is_send {
            self.regions[0].size = self.regions[0].size.max(count as usize);
            return Ok(Step::Receive { peer, count, tag });
        }
        if self.sends == SendMode::Blocking {
            return Ok(Step::Send { peer, count, tag });
        }
        self.has_deferred_sends = true;
        Ok(Step::PostSend { peer, count, tag, slot: self.slot() })
    }

    /// The step of a posted transfer.
    fn posted(&mut self, transfer: Transfer, request: Request) -> Result<Step, MpiError> {
        let (peer, count, tag, is_send) = self.message(transfer)?;
        let slot = self.slot();
        if is_send {
            let posted = self.open.post(request, OpenRequest { slot, region: None });
            posted.map_err(|error| invalid(request, error))?;
            return Ok(Step::PostSend { peer, count, tag, slot });
        }
        let free =
            self.regions.iter().skip(1).position(|region| !region.is_used).map(|place| place + 1);
        let region = free.unwrap_or_else(|| {
            self.regions.push(Region::default());
            self.regions.len() - 1
        });
        let size = self.regions[region].size.max(count as usize);
        self.regions[region] = Region { size, is_used: true };
        let posted = self.open.post(request, OpenRequest { slot, region: Some(region) });
        posted.map_err(|error| invalid(request, error))?;
        Ok(Step::PostReceive { peer, count, tag, slot, region })
    }

    /// A new slot for a request.
    fn slot(&mut self) -> usize {
        self.slots += 1;
        self.slots - 1
    }

    /// The other process of a message, its size, its tag, and whether it is a send.
    fn message(&mut self, transfer: Transfer) -> Result<(c_int, c_int, c_int, bool), MpiError> {
        let (peer, size, tag, is_send) = match transfer {
            Transfer::Send { to, size, tag } => (self.process(to), size, tag, true),
            Transfer::Receive { from, size, tag } => (self.process(from), size, tag, false),
            Transfer::ReceiveAny { size, tag } => (ANY_SOURCE, size, tag, false),
        };
        let count = count(size.get())?;
        if is_send {
            self.send_bytes = self.send_bytes.max(count as usize);
        }
        Ok((peer, count, tag.0 as c_int, is_send))
    }

    /// The plan, with the offsets of all regions.
    fn finish(self) -> Plan {
        let mut receive_bytes = 0;
        let begin = |region: &Region| {
            let begin = receive_bytes;
            // Each region has its own pages.
            receive_bytes += region.size.next_multiple_of(4096);
            begin
        };
        let regions = self.regions.iter().map(begin).collect();
        let has_open_requests = self.has_deferred_sends || self.open.values().next().is_some();
        let (reads_timer, slots) = (self.timer.is_some(), self.slots);
        Plan {
            steps: self.steps,
            slots,
            has_open_requests,
            send_bytes: self.send_bytes,
            regions,
            receive_bytes,
            reads_timer,
        }
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
    fn concurrent_receives_have_different_regions() -> Result<(), MpiError> {
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
        let plan = Plan::new(&batch(vec![mine, vec![]]), Rank(0), SendMode::Blocking)?;
        let regions: Vec<usize> = plan
            .steps
            .iter()
            .filter_map(|step| {
                if let Step::PostReceive { region, .. } = step { Some(*region) } else { None }
            })
            .collect();
        assert_eq!(regions, [1, 2, 1]);
        assert_eq!(
            (plan.regions, plan.receive_bytes, plan.slots),
            (vec![0, 4096, 12288], 16384, 3)
        );
        assert!(!plan.has_open_requests);
        assert_eq!(plan.steps[0], Step::Receive { peer: 6, count: 10, tag: 3 });
        Ok(())
    }

    #[test]
    fn messages_beyond_the_limits_of_mpi_are_refused() {
        let large = batch(vec![vec![Operation::send(Rank(1), Bytes::new(1 << 31))], vec![]]);
        assert!(send_mode(&large, 100).is_err());
        let tag = batch(vec![vec![Operation::Do(receive(1))], vec![]]);
        assert!(send_mode(&tag, 2).is_err() && send_mode(&tag, 3).is_ok());
    }
}
