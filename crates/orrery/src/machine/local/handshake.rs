//! Who is who: a connection opens with the machine's token and the number of the worker that speaks. Whoever does not
//! know the token is turned away, and cannot hold up those who do.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::str::FromStr;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use socket2::{Domain, Protocol, SockRef, Socket, Type};

/// The secret of one machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token([u8; 16]);

impl Token {
    /// A fresh one from the system's random numbers.
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

const HELLO: usize = 20;

/// Connects to a port of this host and says who is there.
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

/// A socket without BBR: that paces, which halves the bandwidth of large messages over loopback. It must be left before
/// the socket is connected or listens: a connection that was once paced remains so.
fn socket() -> io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP))?;
    if congestion(&SockRef::from(&socket))?.starts_with("bbr") && socket.set_tcp_congestion(b"cubic").is_err() {
        // Reno is always there; where it may not be chosen either, BBR stays, and the provenance says so.
        let _ = socket.set_tcp_congestion(b"reno");
    }
    Ok(socket)
}

/// The name of the congestion control of a socket.
pub(super) fn congestion(socket: &SockRef<'_>) -> io::Result<String> {
    let bytes = socket.tcp_congestion()?;
    Ok(String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned())
}

/// Where workers come in.
#[derive(Debug)]
pub(super) struct Door {
    listener: TcpListener,
    token: Token,
    /// Those who have not said who they are yet.
    strangers: Vec<TcpStream>,
}

/// So many strangers may stand at the door; the one who has waited longest must go when another comes.
const STRANGERS: usize = 512;

impl Door {
    /// Opens a door on some port of the loopback interface.
    pub fn open(token: Token) -> io::Result<Self> {
        let socket = socket()?;
        socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into())?;
        socket.listen(1024)?;
        socket.set_nonblocking(true)?;
        let listener = TcpListener::from(socket);
        Ok(Self { listener, token, strangers: Vec::new() })
    }

    /// The port.
    pub fn port(&self) -> io::Result<u16> {
        Ok(self.listener.local_addr()?.port())
    }

    /// Waits for at most so long for a worker to come in: its number and its (blocking) connection.
    pub fn welcome(&mut self, patience: Duration) -> io::Result<Option<(usize, TcpStream)>> {
        if let Some(guest) = self.guest() {
            return Ok(Some(guest));
        }
        let mut fds = vec![PollFd::new(&self.listener, PollFlags::IN)];
        fds.extend(self.strangers.iter().map(|stranger| PollFd::new(stranger, PollFlags::IN)));
        let timeout = Timespec::try_from(patience).map_err(io::Error::other)?;
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        while let Some(stranger) = self.knock()? {
            if self.strangers.len() == STRANGERS {
                self.strangers.remove(0);
            }
            self.strangers.push(stranger);
        }
        Ok(self.guest())
    }

    fn knock(&self) -> io::Result<Option<TcpStream>> {
        use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted, WouldBlock};
        match self.listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(true)?;
                Ok(Some(stream))
            }
            Err(e) if matches!(e.kind(), ConnectionAborted | ConnectionReset | Interrupted | WouldBlock) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The first stranger who has said the token; those who said something else or went away are forgotten.
    fn guest(&mut self) -> Option<(usize, TcpStream)> {
        let mut place = 0;
        while place < self.strangers.len() {
            let mut hello = [0; HELLO];
            match self.strangers[place].peek(&mut hello) {
                Ok(HELLO) => {
                    let stranger = self.strangers.remove(place);
                    if let Some(number) = self.recognise(&hello)
                        && enter(&stranger).is_ok()
                    {
                        return Some((number, stranger));
                    }
                }
                Ok(0) => drop(self.strangers.remove(place)),
                Ok(_) => place += 1,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => place += 1,
                Err(_) => drop(self.strangers.remove(place)),
            }
        }
        None
    }

    fn recognise(&self, hello: &[u8; HELLO]) -> Option<usize> {
        let (token, number) = hello.split_at(16);
        let number = u32::from_le_bytes(number.try_into().ok()?) as usize;
        (token == self.token.0).then_some(number)
    }
}

/// Takes the hello off the connection and makes it ready for use.
fn enter(mut stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.read_exact(&mut [0; HELLO])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_reads_back() -> io::Result<()> {
        let token = Token::random()?;
        assert_eq!(token.to_string().parse(), Ok(token));
        Ok(())
    }

    #[test]
    fn strangers_are_turned_away_and_hold_nobody_up() -> io::Result<()> {
        let token = Token([7; 16]);
        let mut door = Door::open(token)?;
        let port = door.port()?;
        let _silent = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        let _wrong = connect(port, Token([8; 16]), 0)?;
        let _right = connect(port, token, 3)?;
        let mut guests = Vec::new();
        for _ in 0..4 {
            guests.extend(door.welcome(Duration::from_millis(50))?.map(|(number, _)| number));
        }
        assert_eq!(guests, [3]);
        assert_eq!(door.strangers.len(), 1);
        Ok(())
    }
}
