//! Executes the operations of one rank with real messages in real time.

use std::thread;
use std::time::{Duration, Instant};

use super::barrier::{FIRST_MACHINE_TAG, barrier};
use super::processor::{EmulatedProcessor, Overhead};
use super::protocol::{BatchFailure, Report};
use super::transport::{Pending, Transport};
use crate::machine::clock::{ClockPeers, GlobalClock, RawClock};
use crate::machine::{Batch, Combination, barrier_duration};
use orrery_base::units::{Bytes, Seconds};
use orrery_program::schedule::{
    Cursor, Operation, Program, Rank, Reducer, Request, Schedule, Timer, Transfer, operations,
};

/// The interval in which a worker reports progress during a long batch.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// The tag of messages that carry numbers, different from the tags of barriers.
const NUMBER_TAG: u64 = 2 * FIRST_MACHINE_TAG;

/// The size in bytes of the largest message that a rank sends or receives.
pub(super) fn largest_message(program: &Program, rank: Rank) -> u64 {
    let sizes = operations(program, rank).filter_map(|operation| match operation {
        Operation::Do(transfer) | Operation::Post(transfer, _) => Some(match transfer {
            Transfer::Send { size, .. }
            | Transfer::Receive { size, .. }
            | Transfer::ReceiveAny { size, .. } => size,
        }),
        _ => None,
    });
    sizes.max().map_or(0, Bytes::get)
}

/// Runs a batch as one of its ranks; returns the readings of the rank, none if it is not read.
pub(super) fn run_batch(
    batch: &Batch,
    transport: &mut Transport<'_>,
    clock: &mut GlobalClock,
    processor: Option<&mut EmulatedProcessor>,
) -> Result<Vec<Seconds>, BatchFailure> {
    let rank = Rank(transport.rank() as u32);
    if batch.reading.reducer == Reducer::Global {
        let mut executor = Executor::new(transport, clock.local(), processor);
        let run =
            |executor: &mut Executor<'_, '_>| executor.run_once(&batch.program, rank).map(|_| ());
        return clock.run_batch(batch, &mut executor, run, Executor::report_progress);
    }
    let is_read = batch.reading.reducer.reads(rank);
    let has_closing_barrier = matches!(batch.reading.reducer, Reducer::RootMinusBarrier(_));
    let barrier_time = if has_closing_barrier {
        barrier_duration(|| barrier(batch, transport))?
    } else {
        Duration::ZERO
    };
    let mut readings = Vec::with_capacity(if is_read { batch.repetitions as usize } else { 0 });
    let mut executor = Executor::new(transport, clock.local(), processor);
    let is_self_synchronizing = batch.is_self_synchronizing();
    for repetition in 0..u64::from(batch.warm_up) + u64::from(batch.repetitions) {
        if repetition == 0 || !is_self_synchronizing {
            barrier(batch, executor.transport)?;
        }
        let end = executor.run_once(&batch.program, rank)?;
        let mut after = Duration::ZERO;
        if has_closing_barrier {
            barrier(batch, executor.transport)?;
            after = end.elapsed().saturating_sub(barrier_time);
        }
        if is_read && repetition >= u64::from(batch.warm_up) {
            readings.push(executor.read(batch.reading.timer) + after.into());
        }
        executor.report_progress()?;
    }
    Ok(readings)
}

/// The execution of a program by one rank: its transport, its pending requests and its timers.
struct Executor<'a, 'b> {
    transport: &'a mut Transport<'b>,
    /// Posted transfers without a wait so far.
    requests: Vec<(Request, Transfer, Pending)>,
    /// Started timers.
    running: Vec<(Timer, Instant)>,
    /// The accumulated times of the timers.
    sums: Vec<(Timer, Duration)>,
    clock: RawClock,
    combination: Combination,
    /// The time at which progress was last reported to the coordinator.
    reported: Instant,
    /// The processor of the host that this rank emulates, if any.
    processor: Option<&'a mut EmulatedProcessor>,
}

impl<'a, 'b> Executor<'a, 'b> {
    /// Creates an executor without requests and timers.
    fn new(
        transport: &'a mut Transport<'b>,
        clock: RawClock,
        processor: Option<&'a mut EmulatedProcessor>,
    ) -> Self {
        let (requests, running, sums) = (Vec::new(), Vec::new(), Vec::new());
        let combination = Combination::default();
        Self {
            transport,
            requests,
            running,
            sums,
            clock,
            combination,
            reported: Instant::now(),
            processor,
        }
    }

    /// Reports progress to the coordinator if the last report is longer ago than the interval.
    fn report_progress(&mut self) -> Result<(), BatchFailure> {
        if self.reported.elapsed() > PROGRESS_INTERVAL {
            self.reported = Instant::now();
            self.transport.report(&Report::Progress)?;
        }
        Ok(())
    }

    /// Executes all operations once; returns the time at which the last of them ended. It waits for
    /// posted transfers that the program does not wait for, so that they are included in
    /// [`Timer::WHOLE`].
    fn run_once(&mut self, program: &Program, rank: Rank) -> Result<Instant, BatchFailure> {
        self.running.clear();
        self.sums.clear();
        let mut cursor = Cursor::default();
        let mut operation = program.next(rank, &mut cursor);
        let begin = Instant::now();
        if let Some(processor) = &mut self.processor {
            processor.resume();
        }
        while let Some(present) = operation {
            self.execute(present)?;
            operation = program.next(rank, &mut cursor);
        }
        while let Some((_, transfer, pending)) = self.requests.pop() {
            self.complete(transfer, pending)?;
        }
        let end = Instant::now();
        self.sums.retain(|(timer, _)| *timer != Timer::WHOLE);
        self.sums.push((Timer::WHOLE, end - begin));
        Ok(end)
    }

    /// Executes an operation.
    fn execute(&mut self, operation: Operation) -> Result<(), BatchFailure> {
        match operation {
            Operation::Do(transfer) => {
                self.spend_before(transfer, Overhead::Send)?;
                let pending = self.post(transfer)?;
                self.complete(transfer, pending)
            }
            Operation::Post(transfer, request) => {
                self.spend_before(transfer, Overhead::PostedSend)?;
                let pending = self.post(transfer)?;
                self.requests.push((request, transfer, pending));
                Ok(())
            }
            Operation::Wait(request) => {
                let place = self.requests.iter().position(|(posted, ..)| *posted == request);
                let not_posted = || {
                    BatchFailure::Failed(format!(
                        "a wait names request {}, which is not posted",
                        request.0
                    ))
                };
                let (_, transfer, pending) = self.requests.remove(place.ok_or_else(not_posted)?);
                self.complete(transfer, pending)
            }
            Operation::Test(_) => self.transport.test(),
            Operation::Compute(time) | Operation::Spin(time) => match &mut self.processor {
                Some(processor) => processor.occupy(time),
                None => busy_wait(time),
            },
            Operation::Combine(size) => {
                self.combination.run(size.get() as usize);
                if let Some(processor) = &mut self.processor {
                    processor.resume();
                }
                Ok(())
            }
            Operation::Start(timer) => {
                self.running.retain(|(running, _)| *running != timer);
                let begin =
                    self.processor.as_ref().map_or_else(Instant::now, |processor| processor.time());
                self.running.push((timer, begin));
                Ok(())
            }
            Operation::Stop(timer) => {
                let end = Instant::now();
                if let Some(place) = self.running.iter().position(|(running, _)| *running == timer)
                {
                    let (_, begin) = self.running.swap_remove(place);
                    match self.sums.iter_mut().find(|(known, _)| *known == timer) {
                        Some((_, sum)) => *sum += end - begin,
                        None => self.sums.push((timer, end - begin)),
                    }
                }
                Ok(())
            }
        }
    }

    /// Occupies the processor of an emulated host for the overhead of a transfer if it is a send.
    fn spend_before(
        &mut self,
        transfer: Transfer,
        overhead: fn(u64) -> Overhead,
    ) -> Result<(), BatchFailure> {
        match (&mut self.processor, transfer) {
            (Some(processor), Transfer::Send { size, .. }) => processor.spend(overhead(size.get())),
            _ => Ok(()),
        }
    }

    /// Waits until a transfer is complete; then a receive occupies the processor of an emulated
    /// host.
    fn complete(&mut self, transfer: Transfer, pending: Pending) -> Result<(), BatchFailure> {
        self.transport.wait(pending)?;
        let Some(processor) = &mut self.processor else { return Ok(()) };
        if self.transport.take_slept() {
            processor.resume();
        }
        match transfer {
            Transfer::Send { .. } => Ok(()),
            Transfer::Receive { size, .. } | Transfer::ReceiveAny { size, .. } => {
                processor.spend(Overhead::Receive(size.get()))
            }
        }
    }

    /// Posts a transfer; returns it as pending.
    fn post(&mut self, transfer: Transfer) -> Result<Pending, BatchFailure> {
        match transfer {
            Transfer::Send { to, size, tag } => {
                self.transport.post_send(to.index(), size.get(), tag.0.into())
            }
            Transfer::Receive { from, size, tag } => {
                self.transport.post_receive(Some(from.index()), size.get(), tag.0.into())
            }
            Transfer::ReceiveAny { size, tag } => {
                self.transport.post_receive(None, size.get(), tag.0.into())
            }
        }
    }

    /// The accumulated time of a timer; zero if it never ran.
    fn read(&self, timer: Timer) -> Seconds {
        self.sums
            .iter()
            .find(|(known, _)| *known == timer)
            .map_or(Seconds::ZERO, |&(_, sum)| sum.into())
    }
}

impl ClockPeers for Executor<'_, '_> {
    type Error = BatchFailure;

    fn rank(&self) -> usize {
        self.transport.rank()
    }

    fn rank_count(&self) -> usize {
        self.transport.rank_count()
    }

    fn now(&mut self) -> f64 {
        self.clock.now()
    }

    fn idle(&mut self, seconds: f64) -> Result<(), BatchFailure> {
        self.clock.idle(seconds, !self.transport.spins());
        Ok(())
    }

    fn send(&mut self, to: usize, number: f64) -> Result<(), BatchFailure> {
        self.transport.send_number(to, NUMBER_TAG, number)
    }

    fn receive(&mut self, from: usize) -> Result<f64, BatchFailure> {
        self.transport.receive_number(from, NUMBER_TAG)
    }
}

/// Occupies the core for a time, but yields to workers that share it, which would be delayed
/// otherwise.
fn busy_wait(time: Seconds) -> Result<(), BatchFailure> {
    let begin = Instant::now();
    let time = Duration::try_from_secs_f64(time.get()).map_err(|error| {
        BatchFailure::Failed(format!("cannot be busy for {} s: {error}", time.get()))
    })?;
    while begin.elapsed() < time {
        thread::yield_now();
    }
    Ok(())
}
