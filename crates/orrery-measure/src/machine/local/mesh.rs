//! The connections of a worker to all others.

use std::io;
use std::time::{Duration, Instant};

use socket2::SockRef;

use super::connection::{Connection, Header};
use super::handshake::{Listener, Token, congestion_control, connect};
use super::protocol::{BatchFailure, Join, Peers};
use super::switch::connection_number;
use orrery_cluster::platform::Processor;

/// The connections of a worker.
#[derive(Debug)]
pub(super) struct Mesh {
    /// The connections, by worker; `None` for the worker itself.
    pub connections: Vec<Option<Connection>>,
    /// Unexpected messages, by worker, which an earlier batch did not receive and later ones may.
    pub unexpected: Vec<(usize, Header)>,
    /// The congestion control of the connections.
    pub congestion_control: String,
}

impl Mesh {
    /// Connects to all other workers, directly or through a switch.
    pub fn join(
        listener: Listener,
        join: &Join,
        token: Token,
        worker: usize,
        timeout: Duration,
    ) -> io::Result<Self> {
        let mut mesh = Self {
            connections: Vec::new(),
            unexpected: Vec::new(),
            congestion_control: String::new(),
        };
        mesh.connections.resize_with(join.workers, || None);
        match &join.peers {
            Peers::Direct(ports) => mesh.connect(listener, ports, token, worker, timeout)?,
            Peers::Switch(port) => {
                for other in (0..join.workers).filter(|&other| other != worker) {
                    mesh.add(
                        other,
                        connect(*port, token, connection_number(join.workers, worker, other))?,
                    )?;
                }
            }
        }
        Ok(mesh)
    }

    /// Connects to the workers with lower numbers and accepts connections of those with higher
    /// numbers.
    fn connect(
        &mut self,
        mut listener: Listener,
        ports: &[u16],
        token: Token,
        worker: usize,
        timeout: Duration,
    ) -> io::Result<()> {
        let deadline = Instant::now() + timeout;
        for (other, &port) in ports.iter().enumerate().take(worker) {
            self.add(other, connect(port, token, worker)?)?;
        }
        while self.connections.iter().skip(worker + 1).any(Option::is_none) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "not all workers connected in time",
                ));
            }
            if let Some((other, stream)) = listener.accept(left)? {
                let is_expected =
                    other > worker && self.connections.get(other).is_some_and(Option::is_none);
                if is_expected {
                    self.add(other, stream)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the worker that runs a rank, and the connection to it; an error if there is none.
    pub fn connection(
        &mut self,
        workers: &[Processor],
        rank: usize,
    ) -> Result<(usize, &mut Connection), BatchFailure> {
        let worker = workers.get(rank).map_or(usize::MAX, |worker| worker.index());
        match self.connections.get_mut(worker) {
            Some(Some(connection)) => Ok((worker, connection)),
            _ => Err(BatchFailure::Failed(format!("there is no connection to rank {rank}"))),
        }
    }

    /// Adds the connection to a worker.
    fn add(&mut self, worker: usize, stream: std::net::TcpStream) -> io::Result<()> {
        self.congestion_control = congestion_control(&SockRef::from(&stream))?;
        stream.set_nonblocking(true)?;
        self.connections[worker] = Some(Connection::new(stream));
        Ok(())
    }
}
