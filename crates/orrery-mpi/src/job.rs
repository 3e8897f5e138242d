use std::cell::Cell;
use std::marker::PhantomData;
use std::time::Duration;

use orrery::machine::Batch;
use orrery::machine::clock::GlobalClock;

use crate::MpiError;
use crate::calls::{self, Comm};
use crate::control::{Control, Order, Report};
use crate::memory::Memory;
use crate::patience::Patience;
use crate::plan::Sends;
use crate::player::{Place, play};
use crate::seat::Seat;

/// This process as a part of an MPI job, from `MPI_Init` to `MPI_Finalize`.
///
/// It stays on the thread that joined. A process has one job in its life.
#[derive(Debug)]
pub struct Job {
    pub(crate) control: Control,
    pub(crate) messages: Comm,
    rank: usize,
    size: usize,
    library: String,
    /// Where each rank runs; known to rank 0 only.
    pub(crate) seats: Vec<Seat>,
    state: Cell<State>,
    /// Whether the other ranks have been told not to serve any longer.
    dismissed: Cell<bool>,
    thread: PhantomData<*const ()>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Sound,
    /// Ranks may hang in a batch: the job can only be aborted.
    Broken,
    Ended,
}

/// A rank that has failed waits so long to be dismissed before it ends by itself.
const GRACE: Duration = Duration::from_secs(5);

impl Job {
    /// Joins the MPI job that this process was started for; all its processes must do so.
    ///
    /// # Errors
    ///
    /// When MPI cannot be initialised, or has been.
    pub fn join() -> Result<Self, MpiError> {
        calls::init()?;
        let (control, messages) = (Control { comm: Comm::world()? }, Comm::world()?);
        let (rank, size) = (messages.rank()?, messages.size()?);
        let library = calls::library()?;
        let seats = if rank == 0 {
            gather_seats(control, size)?
        } else {
            control.report(&Report::Seat(Seat::here()))?;
            Vec::new()
        };
        let (state, dismissed) = (Cell::new(State::Sound), Cell::new(false));
        Ok(Self { control, messages, rank, size, library, seats, state, dismissed, thread: PhantomData })
    }

    /// The number of this process in the job.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many processes there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The MPI library, in the first line of its own words.
    pub fn library(&self) -> &str {
        &self.library
    }

    /// Runs the batches that rank 0 gives out, until it dismisses the others.
    ///
    /// # Errors
    ///
    /// When MPI fails. Rank 0 is told of it first, where that is possible.
    pub fn serve(&self) -> Result<(), MpiError> {
        let (mut memory, mut clock) = (Memory::default(), GlobalClock::default());
        loop {
            match self.control.next_order(None)? {
                Some(Order::Run(batches)) => {
                    let mut alive = || self.control.report(&Report::Progress);
                    let mut played = |(batch, sends): &(Batch, Sends)| {
                        play(batch, *sends, self.place(), &mut memory, &mut clock, &mut alive)
                    };
                    match batches.iter().map(&mut played).collect() {
                        Ok(readings) => self.control.report(&Report::Done(readings))?,
                        Err(error) => {
                            self.state.set(State::Broken);
                            self.control.report(&match error {
                                MpiError::LateStart(late) => Report::LateStart(late),
                                _ => Report::Failed(error.to_string()),
                            })?;
                            // Others may wait for this rank for ever: when rank 0 is one of them, it cannot dismiss.
                            self.control.next_order(Some(GRACE))?;
                            return Err(error);
                        }
                    }
                }
                Some(Order::Dismiss) | None => return Ok(()),
            }
        }
    }

    /// Tells the other ranks, as rank 0, not to serve any longer. When they serve again, a machine can be started again.
    ///
    /// # Errors
    ///
    /// When MPI fails.
    pub fn dismiss(&self) -> Result<(), MpiError> {
        self.dismissed.set(true);
        (1..self.size).try_for_each(|rank| self.control.order(rank, &Order::<&Batch>::Dismiss))
    }

    /// Ends the job. Rank 0 dismisses the others first; when a machine of the job has failed, all its processes are
    /// aborted, since some may never answer. Once is enough.
    ///
    /// # Errors
    ///
    /// When MPI fails.
    pub fn end(&self) -> Result<(), MpiError> {
        match self.state.replace(State::Ended) {
            State::Ended => Ok(()),
            State::Broken => {
                calls::abort(1);
                Err(MpiError::impossible("the job could not be aborted"))
            }
            State::Sound => {
                if self.rank == 0 && !self.dismissed.get() {
                    self.dismiss()?;
                }
                calls::finalize()
            }
        }
    }

    pub(crate) fn place(&self) -> Place {
        Place { process: self.rank, messages: self.messages, control: self.control.comm }
    }

    /// The other ranks serve, or will.
    pub(crate) fn is_served(&self) {
        self.dismissed.set(false);
    }

    /// Ranks may hang from now on.
    pub(crate) fn is_broken(&self) {
        self.state.set(State::Broken);
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

fn gather_seats(control: Control, size: usize) -> Result<Vec<Seat>, MpiError> {
    let mut seats = vec![Seat::here(); size];
    let mut missing = size - 1;
    let mut patience = Patience::default();
    while missing > 0 {
        match control.next_report()? {
            Some((rank, Report::Seat(seat))) => {
                seats[rank] = seat;
                missing -= 1;
            }
            Some((rank, _)) => return Err(MpiError::Impossible(format!("rank {rank} said something else at first"))),
            None => patience.wait(),
        }
    }
    Ok(seats)
}
