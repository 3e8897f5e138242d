//! The worker's side: what a process does that was started as a part of a local machine.

use std::process::id;
use std::time::Duration;

use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};
use rustix::thread::{CpuSet, sched_setaffinity};

use super::handshake::{Door, Token, connect};
use super::mesh::Mesh;
use super::player::{largest, play};
use super::protocol::{Control, Join, Order, Report};
use super::transport::{Memory, Transport, Trouble};
use crate::machine::Batch;
use crate::machine::clock::GlobalClock;
use crate::schedule::Rank;
use crate::units::Seconds;

/// The variable of the environment that makes a process a worker.
pub(super) const VARIABLE: &str = "ORRERY_LOCAL_WORKER";

/// Workers that do not come into the mesh within this time are given up; the coordinator is less patient.
const JOIN_LIMIT: Duration = Duration::from_secs(60);

/// Why a worker could not serve its machine.
#[derive(Debug, thiserror::Error)]
#[error("this process was started as a worker of a local machine, but {0}")]
pub struct WorkerError(String);

/// What a worker needs to know before it can be told the rest, as the value of [`VARIABLE`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Summons {
    pub port: u16,
    pub token: Token,
    pub number: usize,
}

impl Summons {
    /// The value of the variable.
    pub fn to_value(self) -> String {
        format!("{} {} {} {}", self.port, self.token, self.number, id())
    }

    /// The summons, and the coordinator's process.
    fn from_value(text: &str) -> Option<(Self, i32)> {
        let mut words = text.split(' ');
        let summons = Self {
            port: words.next()?.parse().ok()?,
            token: words.next()?.parse().ok()?,
            number: words.next()?.parse().ok()?,
        };
        Some((summons, words.next()?.parse().ok()?))
    }
}

/// Serves as a worker when a [`super::LocalMachine`] machine has started this process for that, until the machine ends.
///
/// A program whose processes may be workers calls this first thing in `main` and ends when there is a result.
///
/// ```no_run
/// use std::process::ExitCode;
/// fn main() -> ExitCode {
///     if let Some(end) = orrery::machine::local::serve_if_worker() {
///         return ExitCode::from(u8::from(end.is_err()));
///     }
///     // … the program itself
///     ExitCode::SUCCESS
/// }
/// ```
///
/// # Errors
///
/// When the machine cannot be reached. What goes wrong later is told to the machine.
pub fn serve_if_worker() -> Option<Result<(), WorkerError>> {
    let value = std::env::var(VARIABLE).ok()?;
    Some(serve(&value))
}

fn serve(value: &str) -> Result<(), WorkerError> {
    let (summons, parent) =
        Summons::from_value(value).ok_or_else(|| WorkerError(format!("{VARIABLE}={value:?} cannot be read")))?;
    // The end of the control connection would do for a worker that waits; this reaches one that computes as well.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    if getppid() != Pid::from_raw(parent) {
        return Err(WorkerError("its machine is gone".into()));
    }
    let stream = connect(summons.port, summons.token, summons.number)
        .map_err(|error| WorkerError(format!("it cannot reach its machine: {error}")))?;
    match Worker::join(summons, Control { stream }) {
        Ok(Some(mut worker)) => worker.obey(),
        Ok(None) => {}
        Err((mut control, reason)) => {
            let _ = control.send(&Report::Failed(reason));
            wait_for_the_end(&mut control);
        }
    }
    Ok(())
}

/// A worker that has failed keeps still until its coordinator lets it go.
fn wait_for_the_end(control: &mut Control) {
    while control.receive().is_ok() {}
}

struct Worker {
    number: usize,
    control: Control,
    mesh: Mesh,
    memory: Memory,
    clock: GlobalClock,
    spin: bool,
}

impl Worker {
    /// Comes into the mesh; nothing when the coordinator goes away meanwhile.
    fn join(summons: Summons, mut control: Control) -> Result<Option<Self>, (Control, String)> {
        match Self::try_join(summons, &mut control) {
            Ok(Some((mesh, spin))) => {
                let (memory, clock) = (Memory::default(), GlobalClock::default());
                Ok(Some(Self { number: summons.number, control, mesh, memory, clock, spin }))
            }
            Ok(None) => Ok(None),
            Err(error) => Err((control, format!("it cannot join the other workers: {error}"))),
        }
    }

    fn try_join(summons: Summons, control: &mut Control) -> std::io::Result<Option<(Mesh, bool)>> {
        let door = Door::open(summons.token)?;
        control.send(&Report::Listening(door.port()?))?;
        let Ok(Order::Join(Join { ports, spin, core })) = control.receive() else { return Ok(None) };
        let core = core.filter(|&core| {
            let mut set = CpuSet::new();
            set.set(core);
            sched_setaffinity(None, &set).is_ok()
        });
        let mesh = Mesh::join(door, &ports, summons.token, summons.number, JOIN_LIMIT)?;
        control.send(&Report::Ready { congestion: mesh.congestion.clone(), core })?;
        Ok(Some((mesh, spin)))
    }

    /// Runs batches until the coordinator is gone.
    fn obey(&mut self) {
        loop {
            let report = match self.control.receive() {
                Ok(Order::Run(batches)) => match batches.iter().map(|batch| self.run(batch)).collect() {
                    Ok(readings) => Report::Done(readings),
                    Err(Trouble::Orphaned) => return,
                    Err(Trouble::Lost(worker)) => Report::Lost(worker),
                    Err(Trouble::LateStart(late)) => Report::LateStart(late),
                    Err(Trouble::Failed(reason)) => Report::Failed(reason),
                },
                Ok(Order::Ping) => Report::Pong,
                Ok(Order::Join(_)) => Report::Failed("it was told to join twice".into()),
                Err(_) => return,
            };
            if self.control.send(&report).is_err() {
                return;
            }
        }
    }

    fn run(&mut self, batch: &Batch) -> Result<Vec<Seconds>, Trouble> {
        let workers = batch.placement.processors();
        let rank = workers.iter().position(|worker| worker.index() == self.number);
        let rank = Rank(rank.ok_or_else(|| Trouble::Failed("it has no part in its batch".into()))? as u32);
        self.memory.make_room(largest(&batch.program, rank))?;
        let mut transport =
            Transport::new(&mut self.mesh, &mut self.control, &mut self.memory, workers, rank, self.spin);
        let readings = play(batch, &mut transport, &mut self.clock)?;
        transport.close()?;
        Ok(readings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summons_reads_back() -> std::io::Result<()> {
        let summons = Summons { port: 4711, token: Token::random()?, number: 3 };
        let (back, parent) = Summons::from_value(&summons.to_value()).ok_or(std::io::ErrorKind::InvalidData)?;
        assert_eq!((back.port, back.token, back.number), (4711, summons.token, 3));
        assert_eq!(parent, id() as i32);
        assert!(Summons::from_value("4711 xyz").is_none());
        Ok(())
    }
}
