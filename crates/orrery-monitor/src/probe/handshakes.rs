//! Connections that have not authenticated themselves: few, and the oldest makes way for a new one.

use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, Shutdown, TcpStream};
use std::sync::{Arc, Mutex};

use super::lock;

/// The maximum number of connections without authentication.
const MAX_HANDSHAKES: usize = 16;

/// The open connections without authentication, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Handshakes {
    waiting: Mutex<VecDeque<Waiting>>,
}

/// A connection and the address from which it comes.
#[derive(Debug)]
struct Waiting {
    address: IpAddr,
    stream: Arc<TcpStream>,
}

/// The place of a connection without authentication; free again when it is dropped.
#[derive(Debug)]
pub(super) struct Handshake {
    all: Arc<Handshakes>,
    stream: Arc<TcpStream>,
}

impl Handshakes {
    /// Gives a connection a place. If there is none, closes the oldest connection of the address
    /// that has most.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if it has no further file descriptor.
    pub(super) fn admit(
        self: &Arc<Self>,
        address: IpAddr,
        stream: &TcpStream,
    ) -> io::Result<Handshake> {
        let stream = Arc::new(stream.try_clone()?);
        let mut waiting = lock(&self.waiting);
        if waiting.len() >= MAX_HANDSHAKES {
            let count = |address| waiting.iter().filter(|one| one.address == address).count();
            let most = waiting.iter().map(|one| count(one.address)).max();
            let oldest = waiting.iter().position(|one| Some(count(one.address)) == most);
            if let Some(oldest) = oldest.and_then(|at| waiting.remove(at)) {
                // Its thread ends with the next read.
                let _ = oldest.stream.shutdown(Shutdown::Both);
            }
        }
        waiting.push_back(Waiting { address, stream: Arc::clone(&stream) });
        Ok(Handshake { all: Arc::clone(self), stream })
    }
}

impl Drop for Handshake {
    fn drop(&mut self) {
        lock(&self.all.waiting).retain(|one| !Arc::ptr_eq(&one.stream, &self.stream));
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn the_oldest_of_the_address_with_most_makes_way() -> io::Result<()> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let handshakes = Arc::new(Handshakes::default());
        let [many, few] = [1, 2].map(|last| IpAddr::from([192, 0, 2, last]));
        let mut clients = Vec::new();
        let mut places = Vec::new();
        for number in 0..MAX_HANDSHAKES + 3 {
            clients.push(TcpStream::connect(listener.local_addr()?)?);
            let address = if number == 0 { few } else { many };
            let (stream, _) = listener.accept()?;
            places.push((handshakes.admit(address, &stream)?, stream));
        }
        let is_closed = |client: &mut TcpStream| {
            let _ = client.set_nonblocking(true);
            client.read(&mut [0]).is_ok_and(|bytes| bytes == 0)
        };
        let closed: Vec<usize> =
            (0..clients.len()).filter(|at| is_closed(&mut clients[*at])).collect();
        assert_eq!(closed, [1, 2, 3]);
        drop(places);
        assert!(lock(&handshakes.waiting).is_empty());
        Ok(())
    }
}
