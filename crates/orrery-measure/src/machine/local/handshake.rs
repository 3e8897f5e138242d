//! The handshake of workers and coordinator: each connection begins with the token of the machine
//! and the number of the worker that connects. Connections without the token are closed and cannot
//! delay others.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::id;
use std::str::FromStr;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use socket2::{Domain, Protocol, SockRef, Socket, Type};

/// The secret of one machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token([u8; 16]);

impl Token {
    /// A random token from the operating system.
    pub fn random() -> io::Result<Self> {
        let mut bytes = [0; 16];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self(bytes))
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for Token {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        u128::from_str_radix(text, 16).map(|number| Self(number.to_be_bytes())).map_err(|_| ())
    }
}

/// The environment variable that makes a process a worker; its value is a [`WorkerStart`].
pub(super) const WORKER_VARIABLE: &str = "ORRERY_LOCAL_WORKER";

/// The parameters with which a worker process connects to the coordinator.
#[derive(Debug, Clone, Copy)]
pub(super) struct WorkerStart {
    /// The port of the coordinator on the loopback interface.
    pub port: u16,
    /// The token of the machine.
    pub token: Token,
    /// The number of the worker.
    pub worker: usize,
}

impl WorkerStart {
    /// The value of [`WORKER_VARIABLE`], with the id of this process as coordinator.
    pub fn to_value(self) -> String {
        format!("{} {} {} {}", self.port, self.token, self.worker, id())
    }

    /// Parses the value of [`WORKER_VARIABLE`]; returns the process id of the coordinator too.
    /// `None` for other texts.
    pub fn from_value(text: &str) -> Option<(Self, i32)> {
        let mut words = text.split(' ');
        let start = Self {
            port: words.next()?.parse().ok()?,
            token: words.next()?.parse().ok()?,
            worker: words.next()?.parse().ok()?,
        };
        Some((start, words.next()?.parse().ok()?))
    }
}

/// The length of the first message of a connection: token and worker number.
const HELLO: usize = 20;

/// Connects to a port of this host and sends the token and a number: that of the worker, or of its
/// connection to a switch.
pub(super) fn connect(port: u16, token: Token, number: usize) -> io::Result<TcpStream> {
    let socket = socket()?;
    socket.connect(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)).into())?;
    socket.set_tcp_nodelay(true)?;
    let mut stream = TcpStream::from(socket);
    let mut hello = [0; HELLO];
    hello[..16].copy_from_slice(&token.0);
    hello[16..].copy_from_slice(&(number as u32).to_le_bytes());
    stream.write_all(&hello)?;
    Ok(stream)
}

/// A socket without BBR congestion control, whose pacing halves the bandwidth of large messages
/// over loopback. It must be changed before the socket connects or listens: a paced connection
/// remains paced.
fn socket() -> io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP))?;
    if congestion_control(&SockRef::from(&socket))?.starts_with("bbr")
        && socket.set_tcp_congestion(b"cubic").is_err()
    {
        // Reno always exists. If it is not permitted either, BBR remains, and the provenance names
        // it.
        let _ = socket.set_tcp_congestion(b"reno");
    }
    Ok(socket)
}

/// The name of the congestion control of a socket.
pub(super) fn congestion_control(socket: &SockRef<'_>) -> io::Result<String> {
    let bytes = socket.tcp_congestion()?;
    Ok(String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned())
}

/// Accepts and authenticates the connections of workers.
#[derive(Debug)]
pub(super) struct Listener {
    socket: TcpListener,
    token: Token,
    /// Accepted connections that have not sent a complete handshake, oldest first.
    unauthenticated: Vec<TcpStream>,
}

/// The largest number of unauthenticated connections; the oldest is closed when another arrives.
const MAX_UNAUTHENTICATED: usize = 512;

/// The number of connections that the system keeps before they are accepted.
const BACKLOG: i32 = 1024;

impl Listener {
    /// Listens on a free port of the loopback interface.
    pub fn bind(token: Token) -> io::Result<Self> {
        let socket = socket()?;
        socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into())?;
        socket.listen(BACKLOG)?;
        socket.set_nonblocking(true)?;
        Ok(Self { socket: TcpListener::from(socket), token, unauthenticated: Vec::new() })
    }

    /// Returns the port of the listener.
    pub fn port(&self) -> io::Result<u16> {
        Ok(self.socket.local_addr()?.port())
    }

    /// Waits for a worker to connect; returns its number and its (blocking) connection, or `None`
    /// after the timeout.
    pub fn accept(&mut self, timeout: Duration) -> io::Result<Option<(usize, TcpStream)>> {
        if let Some(worker) = self.authenticated() {
            return Ok(Some(worker));
        }
        let mut fds = vec![PollFd::new(&self.socket, PollFlags::IN)];
        fds.extend(self.unauthenticated.iter().map(|stream| PollFd::new(stream, PollFlags::IN)));
        let timeout = Timespec::try_from(timeout).map_err(io::Error::other)?;
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        while let Some(stream) = self.accept_pending()? {
            if self.unauthenticated.len() == MAX_UNAUTHENTICATED {
                self.unauthenticated.remove(0);
            }
            self.unauthenticated.push(stream);
        }
        Ok(self.authenticated())
    }

    /// Accepts one pending connection, if there is one.
    fn accept_pending(&self) -> io::Result<Option<TcpStream>> {
        use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted, WouldBlock};
        match self.socket.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(true)?;
                Ok(Some(stream))
            }
            Err(e)
                if matches!(
                    e.kind(),
                    ConnectionAborted | ConnectionReset | Interrupted | WouldBlock
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The first connection with a valid handshake; those with an invalid one and closed ones are
    /// dropped.
    fn authenticated(&mut self) -> Option<(usize, TcpStream)> {
        let mut place = 0;
        while place < self.unauthenticated.len() {
            let mut hello = [0; HELLO];
            match self.unauthenticated[place].peek(&mut hello) {
                Ok(HELLO) => {
                    let stream = self.unauthenticated.remove(place);
                    if let Some(worker) = self.parse_hello(&hello)
                        && finish_handshake(&stream).is_ok()
                    {
                        return Some((worker, stream));
                    }
                }
                Ok(0) => drop(self.unauthenticated.remove(place)),
                Ok(_) => place += 1,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => place += 1,
                Err(_) => drop(self.unauthenticated.remove(place)),
            }
        }
        None
    }

    /// The worker number in a handshake; `None` if the token is wrong.
    fn parse_hello(&self, hello: &[u8; HELLO]) -> Option<usize> {
        let (token, worker) = hello.split_at(16);
        let worker = u32::from_le_bytes(worker.try_into().ok()?) as usize;
        (token == self.token.0).then_some(worker)
    }
}

/// Removes the handshake from the connection and makes it blocking, without delay of small
/// messages.
fn finish_handshake(mut stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.read_exact(&mut [0; HELLO])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_round_trips_through_text() -> io::Result<()> {
        let token = Token::random()?;
        assert_eq!(token.to_string().parse(), Ok(token));
        Ok(())
    }

    #[test]
    fn a_worker_start_round_trips_through_text() -> io::Result<()> {
        let start = WorkerStart { port: 4711, token: Token::random()?, worker: 3 };
        let (back, parent) =
            WorkerStart::from_value(&start.to_value()).ok_or(io::ErrorKind::InvalidData)?;
        assert_eq!((back.port, back.token, back.worker), (4711, start.token, 3));
        assert_eq!(parent, id() as i32);
        assert!(WorkerStart::from_value("4711 xyz").is_none());
        Ok(())
    }

    #[test]
    fn unauthenticated_connections_do_not_delay_workers() -> io::Result<()> {
        let token = Token([7; 16]);
        let mut listener = Listener::bind(token)?;
        let port = listener.port()?;
        let _silent = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        let _wrong_token = connect(port, Token([8; 16]), 0)?;
        let _worker = connect(port, token, 3)?;
        let mut workers = Vec::new();
        for _ in 0..4 {
            workers.extend(listener.accept(Duration::from_millis(50))?.map(|(worker, _)| worker));
        }
        assert_eq!(workers, [3]);
        assert_eq!(listener.unauthenticated.len(), 1);
        Ok(())
    }
}
