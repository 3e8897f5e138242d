//! Plays the operations of one rank on real messages and real time.

use std::thread;
use std::time::{Duration, Instant};

use super::barrier::{TAGS, barrier};
use super::protocol::Report;
use super::transport::{Pending, Transport, Trouble};
use crate::machine::clock::{ClockPeers, GlobalClock, RawClock};
use crate::machine::{Batch, barrier_duration};
use crate::schedule::{Cursor, Operation, Program, Rank, Reducer, Request, Schedule, Timer, Transfer, operations};
use crate::units::{Bytes, Seconds};

/// The coordinator hears of a long batch after each so much time.
const SIGN_OF_LIFE: Duration = Duration::from_secs(1);

/// The tag of numbers, beyond those of barriers.
const TOLD: u64 = 2 * TAGS;

/// The largest message that a rank sends or receives.
pub(super) fn largest(program: &Program, rank: Rank) -> u64 {
    let sizes = operations(program, rank).filter_map(|operation| match operation {
        Operation::Do(transfer) | Operation::Post(transfer, _) => Some(match transfer {
            Transfer::Send { size, .. } | Transfer::Receive { size, .. } | Transfer::ReceiveAny { size, .. } => size,
        }),
        _ => None,
    });
    sizes.max().map_or(0, Bytes::get)
}

/// Runs a batch as one of its ranks; returns the rank's readings, none when it is not read.
pub(super) fn play(
    batch: &Batch,
    transport: &mut Transport<'_>,
    clock: &mut GlobalClock,
) -> Result<Vec<Seconds>, Trouble> {
    let rank = Rank(transport.me() as u32);
    if batch.reading.reducer == Reducer::Global {
        let mut player = Player::new(transport, clock.own());
        let run = |player: &mut Player<'_, '_>| player.repetition(&batch.program, rank).map(|_| ());
        return clock.repeat(batch, &mut player, run, Player::give_a_sign);
    }
    let is_read = batch.reading.reducer.reads(rank);
    let closing = matches!(batch.reading.reducer, Reducer::RootMinusBarrier(_));
    let lone = if closing { barrier_duration(|| barrier(batch, transport))? } else { Duration::ZERO };
    let mut readings = Vec::with_capacity(if is_read { batch.repetitions as usize } else { 0 });
    let mut player = Player::new(transport, clock.own());
    let is_self_synchronizing = batch.is_self_synchronizing();
    for repetition in 0..u64::from(batch.warm_up) + u64::from(batch.repetitions) {
        if repetition == 0 || !is_self_synchronizing {
            barrier(batch, player.transport)?;
        }
        let end = player.repetition(&batch.program, rank)?;
        let mut after = Duration::ZERO;
        if closing {
            barrier(batch, player.transport)?;
            after = end.elapsed().saturating_sub(lone);
        }
        if is_read && repetition >= u64::from(batch.warm_up) {
            readings.push(player.read(batch.reading.timer) + after.into());
        }
        player.give_a_sign()?;
    }
    Ok(readings)
}

struct Player<'a, 'b> {
    transport: &'a mut Transport<'b>,
    /// Posted transfers that were not waited for yet.
    requests: Vec<(Request, Pending)>,
    /// Timers that were started and not stopped.
    running: Vec<(Timer, Instant)>,
    /// What the timers have added up.
    sums: Vec<(Timer, Duration)>,
    clock: RawClock,
    /// When the coordinator has last heard of the batch.
    reported: Instant,
}

impl<'a, 'b> Player<'a, 'b> {
    fn new(transport: &'a mut Transport<'b>, clock: RawClock) -> Self {
        let (requests, running, sums) = (Vec::new(), Vec::new(), Vec::new());
        Self { transport, requests, running, sums, clock, reported: Instant::now() }
    }

    /// Lets the coordinator know that the batch gets on, now and then.
    fn give_a_sign(&mut self) -> Result<(), Trouble> {
        if self.reported.elapsed() > SIGN_OF_LIFE {
            self.reported = Instant::now();
            self.transport.report(&Report::Progress)?;
        }
        Ok(())
    }

    /// Runs all operations once; returns when the last of them ended. Posted transfers that the program does not wait
    /// for end here too: they are operations of the rank, and within [`Timer::WHOLE`].
    fn repetition(&mut self, program: &Program, rank: Rank) -> Result<Instant, Trouble> {
        self.running.clear();
        self.sums.clear();
        let mut cursor = Cursor::default();
        let mut operation = program.next(rank, &mut cursor);
        let begin = Instant::now();
        while let Some(present) = operation {
            self.play(present)?;
            operation = program.next(rank, &mut cursor);
        }
        while let Some((_, pending)) = self.requests.pop() {
            self.transport.wait(pending)?;
        }
        let end = Instant::now();
        self.sums.retain(|(timer, _)| *timer != Timer::WHOLE);
        self.sums.push((Timer::WHOLE, end - begin));
        Ok(end)
    }

    fn play(&mut self, operation: Operation) -> Result<(), Trouble> {
        match operation {
            Operation::Do(transfer) => {
                let pending = self.begin(transfer)?;
                self.transport.wait(pending)
            }
            Operation::Post(transfer, request) => {
                let pending = self.begin(transfer)?;
                self.requests.push((request, pending));
                Ok(())
            }
            Operation::Wait(request) => {
                let open = self.requests.iter().position(|(open, _)| *open == request);
                let place = open
                    .ok_or_else(|| Trouble::Failed(format!("request {} is waited for, but not posted", request.0)))?;
                let (_, pending) = self.requests.remove(place);
                self.transport.wait(pending)
            }
            Operation::Test(_) => self.transport.test(),
            Operation::Compute(time) | Operation::Spin(time) => busy(time),
            Operation::Start(timer) => {
                self.running.retain(|(running, _)| *running != timer);
                self.running.push((timer, Instant::now()));
                Ok(())
            }
            Operation::Stop(timer) => {
                let end = Instant::now();
                if let Some(place) = self.running.iter().position(|(running, _)| *running == timer) {
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

    fn begin(&mut self, transfer: Transfer) -> Result<Pending, Trouble> {
        match transfer {
            Transfer::Send { to, size, tag } => self.transport.post_send(to.index(), size.get(), tag.0.into()),
            Transfer::Receive { from, size, tag } => {
                self.transport.post_receive(Some(from.index()), size.get(), tag.0.into())
            }
            Transfer::ReceiveAny { size, tag } => self.transport.post_receive(None, size.get(), tag.0.into()),
        }
    }

    /// What a timer reads: nothing, when it never ran.
    fn read(&self, timer: Timer) -> Seconds {
        self.sums.iter().find(|(known, _)| *known == timer).map_or(Seconds::ZERO, |&(_, sum)| sum.into())
    }
}

impl ClockPeers for Player<'_, '_> {
    type Error = Trouble;

    fn rank(&self) -> usize {
        self.transport.me()
    }

    fn rank_count(&self) -> usize {
        self.transport.ranks()
    }

    fn now(&mut self) -> f64 {
        self.clock.now()
    }

    fn idle(&mut self, seconds: f64) -> Result<(), Trouble> {
        self.clock.idle(seconds, !self.transport.spins());
        Ok(())
    }

    fn send(&mut self, to: usize, number: f64) -> Result<(), Trouble> {
        self.transport.tell(to, TOLD, number)
    }

    fn receive(&mut self, from: usize) -> Result<f64, Trouble> {
        self.transport.hear(from, TOLD)
    }
}

/// Keeps the processor for so long, but for others that wait for it: workers that share it would be held up otherwise.
fn busy(time: Seconds) -> Result<(), Trouble> {
    let begin = Instant::now();
    let time = Duration::try_from_secs_f64(time.get())
        .map_err(|error| Trouble::Failed(format!("cannot be busy for {} s: {error}", time.get())))?;
    while begin.elapsed() < time {
        thread::yield_now();
    }
    Ok(())
}
