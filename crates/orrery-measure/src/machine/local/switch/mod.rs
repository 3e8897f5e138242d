//! The switch of an emulated cluster: a thread of the coordinator through which all connections of
//! the workers go.
//!
//! Each worker has a connection to the switch for each other worker. The switch reads messages, and
//! forwards each when the [shaper], a model of the links in virtual time, has delivered its last
//! byte. Messages of the machine itself (barriers, clock synchronisation) are not delayed, so that
//! ranks start together.
//!
//! If a connection breaks, the switch closes the connection of the other worker that it belongs to.

mod flow;
mod shaper;

use std::io::{self, Read};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use self::flow::Flow;
use self::shaper::Shaper;
use super::emulation::Emulation;
use super::handshake::{Listener, Token};

/// The interval in which the switch checks whether the machine still exists while workers connect.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// A running switch; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Switch {
    /// The port on which it listens until all workers are connected.
    pub port: u16,
    /// The thread, and the end of a connection that it watches.
    thread: Option<(UnixStream, JoinHandle<()>)>,
}

impl Switch {
    /// Starts the switch of a cluster; workers connect within `timeout`.
    pub fn start(emulation: &Emulation, token: Token, timeout: Duration) -> io::Result<Self> {
        let listener = Listener::bind(token)?;
        let port = listener.port()?;
        let (handle, watched) = UnixStream::pair()?;
        watched.set_nonblocking(true)?;
        let emulation = emulation.clone();
        let thread = thread::Builder::new().name("orrery-switch".into()).spawn(move || {
            // After an error the connections are closed, and workers report it.
            if let Ok(Some(streams)) = connect(&emulation, listener, &watched, timeout) {
                let _ = Forwarder::new(&emulation, streams).run(&watched);
            }
        })?;
        Ok(Self { port, thread: Some((handle, thread)) })
    }
}

impl Drop for Switch {
    fn drop(&mut self) {
        if let Some((handle, thread)) = self.thread.take() {
            drop(handle);
            let _ = thread.join();
        }
    }
}

/// The number with which worker `from` announces its connection to worker `to`.
pub(super) fn connection_number(workers: usize, from: usize, to: usize) -> usize {
    from * workers + to
}

/// Returns true if the machine has dropped its end.
fn has_ended(mut watched: &UnixStream) -> bool {
    !matches!(watched.read(&mut [0]), Err(error) if error.kind() == io::ErrorKind::WouldBlock)
}

/// Accepts the connections of all workers; `None` if the machine or the time ends before. The
/// connections are in the order of their [`connection_number`]; the diagonal is empty.
fn connect(
    emulation: &Emulation,
    mut listener: Listener,
    watched: &UnixStream,
    timeout: Duration,
) -> io::Result<Option<Vec<Option<TcpStream>>>> {
    let (deadline, workers) = (Instant::now() + timeout, emulation.workers());
    let mut streams: Vec<Option<TcpStream>> = Vec::new();
    streams.resize_with(workers * workers, || None);
    let mut missing = workers * (workers - 1);
    while missing > 0 {
        if has_ended(watched) || Instant::now() > deadline {
            return Ok(None);
        }
        let Some((number, stream)) = listener.accept(CHECK_INTERVAL)? else { continue };
        let is_pair = number / workers != number % workers;
        if let Some(place) = streams.get_mut(number).filter(|place| is_pair && place.is_none()) {
            stream.set_nonblocking(true)?;
            *place = Some(stream);
            missing -= 1;
        }
    }
    Ok(Some(streams))
}

/// The largest number of bytes of a flow that wait for its first link.
const MAX_WAITING: u64 = 32_768;

/// The connections of a switch and the state of its links.
struct Forwarder {
    workers: usize,
    /// The connections of workers, by [`connection_number`].
    streams: Vec<Option<TcpStream>>,
    /// The messages that arrive on each connection.
    flows: Vec<Flow>,
    shaper: Shaper,
    begin: Instant,
}

impl Forwarder {
    /// A switch with these connections.
    fn new(emulation: &Emulation, streams: Vec<Option<TcpStream>>) -> Self {
        let workers = emulation.workers();
        let (links, routes) = emulation.routes();
        let shaper = Shaper::new(&links, routes);
        let flows = streams.iter().map(|_| Flow::default()).collect();
        Self { workers, streams, flows, shaper, begin: Instant::now() }
    }

    /// The connection of the worker that receives what arrives on a connection.
    fn receiver(&self, connection: usize) -> usize {
        connection_number(self.workers, connection % self.workers, connection / self.workers)
    }

    /// Forwards messages until the machine ends.
    fn run(mut self, watched: &UnixStream) -> io::Result<()> {
        let mut delivered = Vec::new();
        loop {
            self.shaper.advance(self.begin.elapsed().as_secs_f64(), &mut delivered);
            delivered.drain(..).for_each(|flow| self.flows[flow].deliver());
            (0..self.flows.len()).for_each(|flow| self.forward(flow));
            let left = self
                .shaper
                .next_event()
                .map(|time| (time - self.begin.elapsed().as_secs_f64()).max(0.0));
            if self.wait(watched, left)? {
                return Ok(());
            }
        }
    }

    /// Passes frames of a flow to the links, and what these have delivered to the receiver.
    fn forward(&mut self, number: usize) {
        let receiver = self.receiver(number);
        let flow = &mut self.flows[number];
        loop {
            while let Some(size) = flow.next_frame() {
                self.shaper.offer(number, size);
            }
            let Some(stream) = &self.streams[receiver] else { return };
            if flow.write(stream).is_err() {
                return self.close(number);
            }
            // What has been written makes room.
            if !flow.can_advance() {
                return;
            }
        }
    }

    /// Closes the connections of a pair of workers.
    fn close(&mut self, connection: usize) {
        let receiver = self.receiver(connection);
        for connection in [connection, receiver] {
            self.streams[connection] = None;
        }
    }

    /// Sleeps until a connection is ready or the time in seconds has passed, and reads what has
    /// arrived; returns true if the machine has ended.
    fn wait(&mut self, watched: &UnixStream, left: Option<f64>) -> io::Result<bool> {
        let mut fds = vec![PollFd::new(watched, PollFlags::IN)];
        let mut numbers = Vec::with_capacity(self.streams.len());
        for (number, stream) in self.streams.iter().enumerate() {
            let Some(stream) = stream else { continue };
            let has_room =
                self.flows[number].is_drained() && self.shaper.waiting(number) < MAX_WAITING;
            let is_blocked = self.flows[self.receiver(number)].is_blocked();
            let within = if has_room { PollFlags::IN } else { PollFlags::empty() };
            let out = if is_blocked { PollFlags::OUT } else { PollFlags::empty() };
            fds.push(PollFd::new(stream, within | out));
            numbers.push(number);
        }
        let timeout =
            left.and_then(|left| Timespec::try_from(Duration::try_from_secs_f64(left).ok()?).ok());
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if !fds[0].revents().is_empty() {
            return Ok(true);
        }
        let readable = PollFlags::IN | PollFlags::HUP | PollFlags::ERR;
        let ready =
            numbers.iter().zip(&fds[1..]).filter(|(_, fd)| fd.revents().intersects(readable));
        let ready: Vec<usize> = ready.map(|(&number, _)| number).collect();
        drop(fds);
        for number in ready {
            if let Some(stream) = &self.streams[number]
                && self.flows[number].read(stream).is_err()
            {
                self.close(number);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::io::Write;

    use super::*;
    use crate::machine::local::connection::{HEADER, Header};
    use orrery_cluster::platform::file;

    /// The limit of waits that should end at once.
    const HANG: Duration = Duration::from_secs(20);

    /// Two hosts with links of 1 MB/s and 1 ms.
    fn pair() -> Result<Emulation, Box<dyn Error>> {
        let text = r#"
            hosts = [{ names = "a,b", kind = "k", cores = 1, speed = 1e9 }]
            links = { bandwidth = 1e6, latency = 1e-3 }
        "#;
        let network = file::network(text, "pair.toml")?;
        Ok(Emulation::new("pair.toml", network.topology, network.overheads, 1)?)
    }

    fn connect(port: u16, token: Token, number: usize) -> io::Result<TcpStream> {
        let stream = super::super::handshake::connect(port, token, number)?;
        stream.set_read_timeout(Some(HANG))?;
        Ok(stream)
    }

    #[test]
    fn connections_need_the_token_and_the_number_of_a_pair() -> Result<(), Box<dyn Error>> {
        let token = Token::random()?;
        let switch = Switch::start(&pair()?, token, HANG)?;
        let mut refused = vec![connect(switch.port, Token::random()?, 1)?];
        for number in [0, 3, 4, u32::MAX as usize] {
            refused.push(connect(switch.port, token, number)?);
        }
        let (mut a, mut b) = (connect(switch.port, token, 1)?, connect(switch.port, token, 2)?);
        let begin = Instant::now();
        let mut message = Header { size: 20_000, tag: 5, number: 0.0 }.to_bytes().to_vec();
        message.resize(HEADER + 20_000, 7);
        a.write_all(&message)?;
        let mut received = vec![0; message.len()];
        b.read_exact(&mut received)?;
        assert!(begin.elapsed() >= Duration::from_millis(22), "{:?}", begin.elapsed());
        assert_eq!(received[..HEADER], message[..HEADER]);
        for mut stream in refused {
            assert!(
                matches!(stream.read(&mut [0]), Ok(0) | Err(_)),
                "a stranger's connection is closed"
            );
        }
        // A worker that dies ends the connection of the other one.
        drop(a);
        assert_eq!(b.read(&mut [0])?, 0);
        Ok(())
    }

    #[test]
    fn it_ends_with_the_machine() -> Result<(), Box<dyn Error>> {
        let token = Token::random()?;
        let switch = Switch::start(&pair()?, token, Duration::from_secs(3600))?;
        let mut half = connect(switch.port, token, 1)?;
        drop(switch);
        assert!(matches!(half.read(&mut [0]), Ok(0) | Err(_)));
        Ok(())
    }
}
