//! Plays the plan of one rank on real messages and real time.

#![allow(unsafe_code)]

use std::thread;
use std::time::{Duration, Instant};

use orrery::machine::clock::GlobalClock;
use orrery::machine::{Batch, barrier_duration};
use orrery::schedule::{Rank, Reducer};
use orrery::units::Seconds;

use crate::MpiError;
use crate::barrier::Barrier;
use crate::calls::{self, Comm, Request};
use crate::memory::Memory;
use crate::peers::ClockPeers;
use crate::plan::{Plan, Sends, Step};

/// Rank 0 hears of a long batch after each so much time.
const SIGN_OF_LIFE: Duration = Duration::from_secs(1);

/// Where the ranks of programs talk to each other, and who they are here.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// The number of this process in the job.
    pub process: usize,
    /// For the messages of programs.
    pub messages: Comm,
    /// For the barrier.
    pub control: Comm,
}

/// Runs a batch as one of its ranks; returns the rank's readings, none when it is not read. `alive` is told now and
/// then that it gets on.
pub(crate) fn play(
    batch: &Batch,
    sends: Sends,
    place: Place,
    memory: &mut Memory,
    clock: &mut GlobalClock,
    alive: &mut dyn FnMut() -> Result<(), MpiError>,
) -> Result<Vec<Seconds>, MpiError> {
    let processors = batch.placement.processors();
    let me = processors.iter().position(|processor| processor.index() == place.process);
    let me = me.ok_or_else(|| MpiError::impossible("this rank has no part in its batch"))?;
    let is_read = batch.reading.reducer.reads(Rank(me as u32));
    let plan = Plan::new(batch, Rank(me as u32), sends)?;
    memory.make_room(plan.out, plan.back)?;
    let requests = vec![Request::none(); plan.slots];
    let (out, back) = (memory.out(), memory.back());
    let mut player = Player { plan: &plan, comm: place.messages, out, back, requests };
    let mut told = Instant::now();
    let mut give_a_sign = || {
        if told.elapsed() > SIGN_OF_LIFE {
            told = Instant::now();
            alive()?;
        }
        Ok(())
    };
    if batch.reading.reducer == Reducer::Global {
        let mut peers = ClockPeers::new(batch, me, place.control, clock.own());
        let run = |_: &mut ClockPeers| player.repetition().map(|_| ());
        return clock.repeat(batch, &mut peers, run, |_| give_a_sign()).inspect_err(|_| memory.abandon());
    }
    let barrier = Barrier::new(batch, me, place.control);
    let mut readings = Vec::with_capacity(if is_read { batch.repetitions as usize } else { 0 });
    let closing = matches!(batch.reading.reducer, Reducer::RootMinusBarrier(_));
    let lone = if closing { barrier_duration(|| barrier.pass())? } else { Duration::ZERO };
    let is_self_synchronizing = batch.is_self_synchronizing();
    for repetition in 0..u64::from(batch.warm_up) + u64::from(batch.repetitions) {
        let together = if repetition == 0 || !is_self_synchronizing { barrier.pass() } else { Ok(()) };
        let (mut time, end) = together.and_then(|()| player.repetition()).inspect_err(|_| memory.abandon())?;
        if closing {
            barrier.pass()?;
            time += end.elapsed().saturating_sub(lone);
        }
        if is_read && repetition >= u64::from(batch.warm_up) {
            readings.push(time.into());
        }
        give_a_sign()?;
    }
    Ok(readings)
}

struct Player<'a> {
    plan: &'a Plan,
    comm: Comm,
    /// Room for the largest send.
    out: *const u8,
    /// Room for all regions of the plan.
    back: *mut u8,
    requests: Vec<Request>,
}

impl Player<'_> {
    /// Runs all steps once; returns what the timer reads, and when the last step ended. Posted transfers that the
    /// program does not wait for end here too: they are operations of the rank, and within its whole time.
    fn repetition(&mut self) -> Result<(Duration, Instant), MpiError> {
        let mut sum = Duration::ZERO;
        let mut running: Option<Instant> = None;
        let begin = Instant::now();
        for step in &self.plan.steps {
            match *step {
                // SAFETY: `out` has room for the largest send, and nothing ever writes there.
                Step::Send { peer, count, tag } => unsafe { calls::send(self.out, count, peer, tag, self.comm)? },
                // SAFETY: the region of blocking receives is large enough for each of them, and posted ones have others.
                Step::Receive { peer, count, tag } => unsafe {
                    calls::receive(self.back, count, peer, tag, self.comm)?;
                },
                Step::PostSend { peer, count, tag, slot } => {
                    // SAFETY: as for sends; the memory outlives the repetition, or is abandoned when that fails.
                    self.requests[slot] = unsafe { calls::post_send(self.out, count, peer, tag, self.comm)? };
                }
                Step::PostReceive { peer, count, tag, slot, region } => {
                    // SAFETY: no other open receive has this region, which is large enough; the memory outlives the
                    // repetition, or is abandoned when that fails.
                    self.requests[slot] = unsafe {
                        calls::post_receive(self.back.add(self.plan.regions[region]), count, peer, tag, self.comm)?
                    };
                }
                Step::Wait(slot) => calls::wait(&mut self.requests[slot])?,
                Step::Test(slot) => calls::test(&mut self.requests[slot])?,
                Step::Busy(time) => busy(time),
                Step::Start => running = Some(Instant::now()),
                Step::Stop => {
                    let end = Instant::now();
                    if let Some(begin) = running.take() {
                        sum += end - begin;
                    }
                }
            }
        }
        if self.plan.open_at_end {
            calls::wait_all(&mut self.requests)?;
        }
        let end = Instant::now();
        Ok((if self.plan.named { sum } else { end - begin }, end))
    }
}

/// Keeps the processor for so long, but for others that wait for it: ranks that share it would be held up otherwise.
fn busy(time: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < time {
        thread::yield_now();
    }
}
