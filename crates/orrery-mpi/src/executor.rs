//! Executes the plan of one rank with real messages in real time, on a clock that its ranks agree
//! on.

#![allow(unsafe_code)]

use std::ffi::c_int;
use std::thread;
use std::time::{Duration, Instant};

use orrery::machine::clock::{self, GlobalClock, RawClock};
use orrery::machine::{Batch, Combination, barrier_duration};
use orrery::schedule::{Rank, Reducer};
use orrery::units::Seconds;

use crate::MpiError;
use crate::calls::{self, Comm, Request};
use crate::control::{BARRIER_TAG, NUMBER_TAG};
use crate::memory::Memory;
use crate::plan::{Plan, SendMode, Step};

/// The interval in which a rank reports progress during a long batch.
pub(crate) const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// This process and its communicators.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProcessContext {
    /// The number of this process in the job.
    pub process: usize,
    /// The communicator for the messages of programs.
    pub messages: Comm,
    /// The communicator for the barrier and for clocks.
    pub control: Comm,
}

/// Runs a batch as one of its ranks; returns the readings of the rank, none if it is not read.
/// `report_progress` is called at intervals.
pub(crate) fn run_batch(
    batch: &Batch,
    sends: SendMode,
    context: ProcessContext,
    memory: &mut Memory,
    clock: &mut GlobalClock,
    report_progress: &mut dyn FnMut() -> Result<(), MpiError>,
) -> Result<Vec<Seconds>, MpiError> {
    let processors = batch.placement.processors();
    let rank = processors.iter().position(|processor| processor.index() == context.process);
    let rank = rank.ok_or_else(|| {
        MpiError::impossible("this process received a batch in which it has no rank")
    })?;
    let is_read = batch.reading.reducer.reads(Rank(rank as u32));
    let plan = Plan::new(batch, Rank(rank as u32), sends)?;
    memory.reserve(plan.send_bytes, plan.receive_bytes)?;
    let requests = vec![Request::null(); plan.slots];
    let (send_buffer, receive_buffer) = (memory.send_buffer(), memory.receive_buffer());
    let mut executor = Executor {
        plan: &plan,
        comm: context.messages,
        send_buffer,
        receive_buffer,
        requests,
        combination: Combination::default(),
    };
    let mut reported = Instant::now();
    let mut progress = |now: Instant| {
        if now - reported > PROGRESS_INTERVAL {
            reported = now;
            report_progress()?;
        }
        Ok(())
    };
    if batch.reading.reducer == Reducer::Global {
        let mut peers = Peers::new(batch, rank, context.control, clock.local());
        let run = |_: &mut Peers| executor.run_once().map(|_| ());
        return clock
            .run_batch(batch, &mut peers, run, |_| progress(Instant::now()))
            .inspect_err(|_| memory.leak());
    }
    let barrier = Barrier::new(batch, rank, context.control);
    let mut readings = Vec::with_capacity(if is_read { batch.repetitions as usize } else { 0 });
    let has_closing_barrier = matches!(batch.reading.reducer, Reducer::RootMinusBarrier(_));
    let barrier_time =
        if has_closing_barrier { barrier_duration(|| barrier.pass())? } else { Duration::ZERO };
    let is_self_synchronizing = batch.is_self_synchronizing();
    for repetition in 0..u64::from(batch.warm_up) + u64::from(batch.repetitions) {
        let passed =
            if repetition == 0 || !is_self_synchronizing { barrier.pass() } else { Ok(()) };
        let (mut time, end) =
            passed.and_then(|()| executor.run_once()).inspect_err(|_| memory.leak())?;
        if has_closing_barrier {
            barrier.pass()?;
            time += end.elapsed().saturating_sub(barrier_time);
        }
        if is_read && repetition >= u64::from(batch.warm_up) {
            readings.push(time.into());
        }
        progress(end)?;
    }
    Ok(readings)
}

/// The execution of a plan: its buffers and open requests.
struct Executor<'a> {
    plan: &'a Plan,
    comm: Comm,
    /// A buffer of the size of the largest send.
    send_buffer: *const u8,
    /// A buffer for all regions of the plan.
    receive_buffer: *mut u8,
    requests: Vec<Request>,
    combination: Combination,
}

impl Executor<'_> {
    /// Runs all steps once; returns what the timer reads, and when the last step ended. Posted
    /// transfers that the program does not wait for end here too: they are operations of the rank,
    /// and within its whole time.
    fn run_once(&mut self) -> Result<(Duration, Instant), MpiError> {
        let mut sum = Duration::ZERO;
        let mut running: Option<Instant> = None;
        let begin = Instant::now();
        for step in &self.plan.steps {
            match *step {
                // SAFETY: the send buffer is as large as the largest send, and nothing ever writes
                // there.
                Step::Send { peer, count, tag } => unsafe {
                    calls::send(self.send_buffer, count, peer, tag, self.comm)?;
                },
                // SAFETY: the region of blocking receives is large enough for each of them, and
                // posted ones have others.
                Step::Receive { peer, count, tag } => unsafe {
                    calls::receive(self.receive_buffer, count, peer, tag, self.comm)?;
                },
                Step::PostSend { peer, count, tag, slot } => {
                    // SAFETY: as for sends; the memory outlives the repetition, or is leaked when
                    // that fails.
                    self.requests[slot] =
                        unsafe { calls::post_send(self.send_buffer, count, peer, tag, self.comm)? };
                }
                Step::PostReceive { peer, count, tag, slot, region } => {
                    // SAFETY: no other open receive has this region, which is large enough; the
                    // memory outlives the repetition, or is leaked when that fails.
                    self.requests[slot] = unsafe {
                        let region = self.receive_buffer.add(self.plan.regions[region]);
                        calls::post_receive(region, count, peer, tag, self.comm)?
                    };
                }
                Step::Wait(slot) => calls::wait(&mut self.requests[slot])?,
                Step::Test(slot) => calls::test(&mut self.requests[slot])?,
                Step::Busy(time) => busy_wait(time),
                Step::Combine(bytes) => self.combination.run(bytes),
                Step::Start => running = Some(Instant::now()),
                Step::Stop => {
                    let end = Instant::now();
                    if let Some(begin) = running.take() {
                        sum += end - begin;
                    }
                }
            }
        }
        if self.plan.has_open_requests {
            calls::wait_all(&mut self.requests)?;
        }
        let end = Instant::now();
        Ok((if self.plan.reads_timer { sum } else { end - begin }, end))
    }
}

/// Occupies the core for a time, but yields to ranks that share it, which would be delayed
/// otherwise.
fn busy_wait(time: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < time {
        thread::yield_now();
    }
}

/// The ranks of a batch as one of them uses them.
#[derive(Debug)]
pub(crate) struct Peers {
    rank: usize,
    /// The process of each rank.
    processes: Vec<usize>,
    comm: Comm,
    clock: RawClock,
}

impl Peers {
    /// The ranks of a batch with which `rank` synchronises its clock.
    pub fn new(batch: &Batch, rank: usize, comm: Comm, clock: RawClock) -> Self {
        let processes = batch.placement.processors().iter().map(|place| place.index()).collect();
        Self { rank, processes, comm, clock }
    }
}

impl clock::ClockPeers for Peers {
    type Error = MpiError;

    fn rank(&self) -> usize {
        self.rank
    }

    fn rank_count(&self) -> usize {
        self.processes.len()
    }

    fn now(&mut self) -> f64 {
        self.clock.now()
    }

    fn idle(&mut self, seconds: f64) -> Result<(), MpiError> {
        // Other ranks may need the core to be ready at the same time, also ranks on hosts of other
        // names (containers).
        self.clock.idle(seconds, true);
        Ok(())
    }

    fn send(&mut self, to: usize, number: f64) -> Result<(), MpiError> {
        calls::send_bytes(&number.to_le_bytes(), self.processes[to], NUMBER_TAG, self.comm)
    }

    fn receive(&mut self, from: usize) -> Result<f64, MpiError> {
        let mut bytes = [0; 8];
        calls::receive_into(&mut bytes, self.processes[from], NUMBER_TAG, self.comm)?;
        Ok(f64::from_le_bytes(bytes))
    }
}

/// The barrier of one rank in one batch.
#[derive(Debug)]
pub(crate) struct Barrier {
    role: Role,
    comm: Comm,
}

/// What a rank does in a barrier; ranks are given as processes.
#[derive(Debug)]
enum Role {
    /// For each round, the process to send to and the one to receive from.
    Dissemination(Vec<(usize, usize)>),
    /// Sends to these and waits for their answers.
    Starter(Vec<usize>),
    /// Waits for the message of the starter and answers.
    Answer(usize),
}

impl Barrier {
    /// The barrier of rank `me` of a batch: by its starter, or a dissemination barrier if it has
    /// none.
    pub fn new(batch: &Batch, me: usize, comm: Comm) -> Self {
        let processes: Vec<usize> =
            batch.placement.processors().iter().map(|place| place.index()).collect();
        let p = processes.len();
        let role = match batch.starter().map(Rank::index) {
            Some(starter) if starter == me => Role::Starter(
                (0..p).filter(|&rank| rank != me).map(|rank| processes[rank]).collect(),
            ),
            Some(starter) => Role::Answer(processes[starter]),
            None => return Self::of_all(&processes, me, comm),
        };
        Self { role, comm }
    }

    /// The dissemination barrier of rank `me` of these processes, all of which start together.
    pub fn of_all(processes: &[usize], me: usize, comm: Comm) -> Self {
        let p = processes.len();
        let distances =
            (0..usize::BITS).map(|k| 1 << k).take_while(|&distance: &usize| distance < p);
        let round = |distance| (processes[(me + distance) % p], processes[(me + p - distance) % p]);
        Self { role: Role::Dissemination(distances.map(round).collect()), comm }
    }

    /// Returns when all ranks of the program have called it.
    pub fn pass(&self) -> Result<(), MpiError> {
        let send = |other| calls::send_bytes(&[], other, BARRIER_TAG, self.comm);
        let receive = |other| calls::receive_into(&mut [], other, BARRIER_TAG, self.comm);
        match &self.role {
            Role::Dissemination(rounds) => {
                for (round, &(to, from)) in rounds.iter().enumerate() {
                    calls::exchange_empty(to, from, BARRIER_TAG + round as c_int, self.comm)?;
                }
                Ok(())
            }
            Role::Starter(others) => {
                others.iter().try_for_each(|&other| send(other))?;
                others.iter().try_for_each(|&other| receive(other))
            }
            &Role::Answer(starter) => {
                receive(starter)?;
                send(starter)
            }
        }
    }
}
