//! The connections of a worker to all others.

use std::io;
use std::time::{Duration, Instant};

use socket2::SockRef;

use super::endpoint::{Endpoint, Header};
use super::handshake::{Door, Token, congestion, connect};
use super::transport::Trouble;
use crate::platform::Processor;

/// The connections of a worker, by worker; none to itself.
#[derive(Debug)]
pub(super) struct Mesh {
    /// By worker.
    pub endpoints: Vec<Option<Endpoint>>,
    /// Messages by worker that came before their receive, left over by a batch for those to come.
    pub early: Vec<(usize, Header)>,
    /// The congestion control of the connections.
    pub congestion: String,
}

impl Mesh {
    /// Connects to the workers below, and waits for those above to connect.
    pub fn join(mut door: Door, ports: &[u16], token: Token, me: usize, limit: Duration) -> io::Result<Self> {
        let end = Instant::now() + limit;
        let mut mesh = Self { endpoints: Vec::new(), early: Vec::new(), congestion: String::new() };
        mesh.endpoints.resize_with(ports.len(), || None);
        for (worker, &port) in ports.iter().enumerate().take(me) {
            mesh.add(worker, connect(port, token, me)?)?;
        }
        while mesh.endpoints.iter().skip(me + 1).any(Option::is_none) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "not all workers came into the mesh in time"));
            }
            if let Some((worker, stream)) = door.welcome(left)? {
                let expected = worker > me && mesh.endpoints.get(worker).is_some_and(Option::is_none);
                if expected {
                    mesh.add(worker, stream)?;
                }
            }
        }
        Ok(mesh)
    }

    /// The worker on which a rank stands, and the connection to it.
    pub fn endpoint(&mut self, workers: &[Processor], rank: usize) -> Result<(usize, &mut Endpoint), Trouble> {
        let worker = workers.get(rank).map_or(usize::MAX, |worker| worker.index());
        match self.endpoints.get_mut(worker) {
            Some(Some(endpoint)) => Ok((worker, endpoint)),
            _ => Err(Trouble::Failed(format!("there is no connection to rank {rank}"))),
        }
    }

    fn add(&mut self, worker: usize, stream: std::net::TcpStream) -> io::Result<()> {
        self.congestion = congestion(&SockRef::from(&stream))?;
        stream.set_nonblocking(true)?;
        self.endpoints[worker] = Some(Endpoint::new(stream));
        Ok(())
    }
}
