use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use orrery::machine::clock::GlobalClock;
use orrery::machine::{Batch, MachineError};
use orrery::units::Seconds;

use crate::MpiError;
use crate::calls::{self, Comm, UserComm};
use crate::control::{Backoff, Command, Control, Report};
use crate::executor::{ProcessContext, run_batch};
use crate::memory::Memory;
use crate::native::run_native;
use crate::plan::SendMode;
use crate::provenance::{self, JobHost, RankLocation};
use crate::task::TaskLink;

/// The settings of an MPI machine.
#[derive(Debug, Clone)]
pub struct Options {
    /// The time after which a silent batch is considered to hang. A rank is silent during a busy
    /// operation too.
    pub time_limit: Duration,
    /// When this becomes true, a running batch ends with [`MachineError::Interrupted`], and the
    /// machine with it.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Called with the reason before the job is ended while rank 0 is blocked in an MPI call.
    pub before_abort: Option<fn(&MachineError)>,
}

impl Default for Options {
    fn default() -> Self {
        Self { time_limit: Duration::from_secs(30), interrupt: None, before_abort: None }
    }
}

impl Options {
    /// Returns true if the caller has requested an interruption.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

/// The membership of this process in an MPI job, from `MPI_Init` to `MPI_Finalize`, or of ranks of
/// a program that has initialised MPI by itself.
///
/// It stays on the thread that joined. A process can join once, and attach any number of times.
#[derive(Debug)]
pub struct Job {
    pub(crate) control: Control,
    pub(crate) messages: Comm,
    rank: usize,
    size: usize,
    thread_level: ThreadLevel,
    library: String,
    /// Where each rank runs, on rank 0; empty on other ranks.
    pub(crate) locations: Vec<RankLocation>,
    state: Cell<State>,
    /// True if rank 0 has sent the command to stop serving.
    is_stopped: Cell<bool>,
    /// True if the program has initialised MPI and will end it.
    is_attached: bool,
    thread: PhantomData<*const ()>,
}

/// The state of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Batches can run.
    Usable,
    /// Ranks may hang in a batch, so the job can only be aborted.
    Broken,
    /// MPI is finalised.
    Ended,
}

/// How long a failed rank waits for the command to stop before it exits.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

impl Job {
    /// Joins the MPI job that started this process; all its processes must do so, with the same
    /// thread level.
    ///
    /// # Errors
    ///
    /// When MPI cannot be initialised, or is initialised already.
    pub fn join(level: ThreadLevel) -> Result<Self, MpiError> {
        let thread_level = calls::init(level)?;
        Self::of((Control { comm: Comm::world()? }, Comm::world()?), thread_level, false)
    }

    /// Makes a job of the ranks of a communicator in a program that has initialised MPI; all of
    /// them must do so. The job uses duplicates of the communicator. Its end frees these, and MPI
    /// stays initialised.
    ///
    /// If a rank of the program fails or hangs meanwhile, the other ranks may wait forever, as in
    /// other calls of MPI.
    ///
    /// # Errors
    ///
    /// When MPI is not initialised, or the communicator cannot be duplicated.
    pub fn attach(comm: UserComm) -> Result<Self, MpiError> {
        let thread_level = calls::initialised_level()?;
        Self::of(
            (Control { comm: Comm::duplicate(comm)? }, Comm::duplicate(comm)?),
            thread_level,
            true,
        )
    }

    /// The job of these communicators; rank 0 receives the locations of all ranks.
    fn of(
        (control, messages): (Control, Comm),
        thread_level: ThreadLevel,
        is_attached: bool,
    ) -> Result<Self, MpiError> {
        let (rank, size) = (messages.rank()?, messages.size()?);
        let library = calls::library()?;
        let locations = if rank == 0 {
            collect_locations(control, size)?
        } else {
            control.report(&Report::Location(RankLocation::of_this_process()))?;
            Vec::new()
        };
        let (state, is_stopped) = (Cell::new(State::Usable), Cell::new(false));
        let thread = PhantomData;
        Ok(Self {
            control,
            messages,
            rank,
            size,
            thread_level,
            library,
            locations,
            state,
            is_stopped,
            is_attached,
            thread,
        })
    }

    /// The rank of this process in the job.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The number of processes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The thread level that MPI provides, which may be lower than the requested one.
    pub fn thread_level(&self) -> ThreadLevel {
        self.thread_level
    }

    /// The first line of the version string of the MPI library.
    pub fn library(&self) -> &str {
        &self.library
    }

    /// The hosts of the job, in the order of their first ranks; empty on ranks other than 0.
    pub fn hosts(&self) -> Vec<JobHost> {
        provenance::hosts(&self.locations)
    }

    /// Runs the batches that rank 0 sends, until it sends the command to stop.
    ///
    /// # Errors
    ///
    /// When MPI fails. The failure is reported to rank 0 first, where that is possible.
    pub fn serve(&self) -> Result<(), MpiError> {
        self.serve_with(&mut |_, _| Err("this program has no tasks".to_owned()))
    }

    /// As [`serve`](Self::serve), for programs with tasks: `run` runs the task that a text
    /// describes, and returns why it failed.
    ///
    /// # Errors
    ///
    /// As for [`serve`](Self::serve).
    pub fn serve_with(
        &self,
        run: &mut dyn FnMut(&TaskLink, &str) -> Result<(), String>,
    ) -> Result<(), MpiError> {
        let (mut memory, mut clock) = (Memory::default(), GlobalClock::default());
        loop {
            match self.control.next_command(None)? {
                Some(Command::Run(batches)) => {
                    let mut report_progress = || self.control.report(&Report::Progress);
                    let mut run = |(batch, sends): &(Batch, SendMode)| {
                        run_batch(
                            batch,
                            *sends,
                            self.context(),
                            &mut memory,
                            &mut clock,
                            &mut report_progress,
                        )
                    };
                    let readings = batches.iter().map(&mut run).collect();
                    self.report_readings(readings)?;
                }
                Some(Command::Native(calls)) => {
                    let mut report_progress = || self.control.report(&Report::Progress);
                    let readings =
                        run_native(&calls, self.context(), &mut memory, &mut report_progress);
                    self.report_readings(readings.map(|readings| vec![readings]))?;
                }
                Some(Command::Task(text)) => {
                    let link = TaskLink::new(self.control);
                    let failure = run(&link, &text).err();
                    self.control.report(&Report::TaskEnd(failure))?;
                    if link.is_stopped() {
                        return Ok(());
                    }
                }
                // The task has ended before.
                Some(Command::Cancel) => {}
                Some(Command::Stop) | None => return Ok(()),
            }
        }
    }

    /// Reports readings to rank 0, or why there are none; returns the error then, since this rank
    /// cannot continue.
    fn report_readings(
        &self,
        readings: Result<Vec<Vec<Seconds>>, MpiError>,
    ) -> Result<(), MpiError> {
        match readings {
            Ok(readings) => self.control.report(&Report::Done(readings)),
            Err(error) => {
                self.state.set(State::Broken);
                self.control.report(&match error {
                    MpiError::LateStart(late) => Report::LateStart(late),
                    _ => Report::Failed(error.to_string()),
                })?;
                // Others may wait for this rank forever; if rank 0 is one of them, no command
                // comes.
                self.control.next_command(Some(STOP_TIMEOUT))?;
                Err(error)
            }
        }
    }

    /// Sends the other ranks the command to stop serving; only rank 0 may call this. When they
    /// serve again, a machine can be started again.
    ///
    /// # Errors
    ///
    /// When MPI fails.
    pub fn stop_serving(&self) -> Result<(), MpiError> {
        self.is_stopped.set(true);
        (1..self.size)
            .try_for_each(|rank| self.control.send_command(rank, &Command::<&Batch>::Stop))
    }

    /// Returns the text of rank 0 on all ranks, which all call this and do not serve; the texts of
    /// the others are ignored.
    ///
    /// # Errors
    ///
    /// When MPI fails.
    pub fn share(&self, text: String) -> Result<String, MpiError> {
        if self.rank == 0 {
            (1..self.size).try_for_each(|rank| self.control.send_text(rank, &text))?;
            return Ok(text);
        }
        self.control.next_text()
    }

    /// Ends the job. Rank 0 sends the command to stop first. If a machine of the job has failed,
    /// all its processes are aborted, since some may never answer; an attached job returns an error
    /// instead. Later calls have no effect.
    ///
    /// # Errors
    ///
    /// When MPI fails.
    pub fn end(&self) -> Result<(), MpiError> {
        match self.state.replace(State::Ended) {
            State::Ended => Ok(()),
            State::Broken if self.is_attached => Err(MpiError::impossible(
                "a rank has failed or hangs, so the job cannot end in order; abort the program",
            )),
            State::Broken => {
                calls::abort(1);
                Err(MpiError::impossible("the job could not be aborted"))
            }
            State::Usable => {
                if self.rank == 0 && !self.is_stopped.get() {
                    self.stop_serving()?;
                }
                self.collect_last_reports()?;
                if self.is_attached {
                    return self.messages.free().and(self.control.comm.free());
                }
                calls::finalize()
            }
        }
    }

    /// Sends the last report to rank 0, which waits for that of every other rank. If the last
    /// message goes from rank 0 to another one, `MPI_Finalize` of MPICH 4.0 with UCX over TCP often
    /// hangs.
    fn collect_last_reports(&self) -> Result<(), MpiError> {
        if self.rank != 0 {
            return self.control.report(&Report::Ended);
        }
        let mut missing = self.size - 1;
        let mut backoff = Backoff::default();
        while missing > 0 {
            match self.control.arrived_report()? {
                Some((_, Report::Ended)) => missing -= 1,
                Some(_) => {}
                None => backoff.wait(),
            }
        }
        Ok(())
    }

    /// This process and its communicators.
    pub(crate) fn context(&self) -> ProcessContext {
        ProcessContext { process: self.rank, messages: self.messages, control: self.control.comm }
    }

    /// Records that the other ranks serve, or will.
    pub(crate) fn mark_served(&self) {
        self.is_stopped.set(false);
    }

    /// Records that ranks may hang.
    pub(crate) fn mark_broken(&self) {
        self.state.set(State::Broken);
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// Receives the location of every rank, on rank 0.
fn collect_locations(control: Control, size: usize) -> Result<Vec<RankLocation>, MpiError> {
    let mut locations = vec![RankLocation::of_this_process(); size];
    let mut missing = size - 1;
    let mut backoff = Backoff::default();
    while missing > 0 {
        match control.arrived_report()? {
            Some((rank, Report::Location(location))) => {
                locations[rank] = location;
                missing -= 1;
            }
            Some((rank, _)) => {
                return Err(MpiError::Impossible(format!(
                    "rank {rank} sent an unexpected first report; start the same program on all \
                        ranks"
                )));
            }
            None => backoff.wait(),
        }
    }
    Ok(locations)
}

/// The thread level of MPI: which threads of a process may call it. Libraries take locks above
/// [`Single`](Self::Single), which make short messages slower.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ThreadLevel {
    /// `MPI_THREAD_SINGLE`, what programs get that call `MPI_Init`.
    #[default]
    Single,
    /// `MPI_THREAD_FUNNELED`: the thread that has initialised MPI.
    Funneled,
    /// `MPI_THREAD_SERIALIZED`: any thread, one at a time.
    Serialized,
    /// `MPI_THREAD_MULTIPLE`: all threads at once.
    Multiple,
}

impl ThreadLevel {
    /// All levels, from the lowest.
    pub const ALL: [Self; 4] = [Self::Single, Self::Funneled, Self::Serialized, Self::Multiple];

    /// The name, such as `single`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Funneled => "funneled",
            Self::Serialized => "serialized",
            Self::Multiple => "multiple",
        }
    }
}

impl fmt::Display for ThreadLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
