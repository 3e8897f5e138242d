//! The loop that accepts connections, and the life of a connection.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::time::MissedTickBehavior;
use tokio_rustls::TlsAcceptor;

use super::connections::{Admission, Connection};
use super::event::Event;
use super::rates::counted_address;
use super::request;
use super::stall::StallLimit;
use super::state::State;

/// The maximum size of the header of a request in bytes.
const MAX_HEADER_BYTES: usize = 16 << 10;

/// The time between two looks for headers that take too long.
const HEADER_PERIOD: Duration = Duration::from_millis(250);

/// The maximum time of a TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// The time for requests in flight after the signal to end.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// The time without accepting after a failure, such as one for lack of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The number of connections that may wait to be accepted; beyond it, clients connect after a
/// second only.
const BACKLOG: u32 = 4_096;

/// Listens on an address, also if a service has just used it.
pub(super) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Accepts connections until the signal to end, then waits for requests in flight.
pub(super) async fn serve(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    state: Arc<State>,
    mut stop: watch::Receiver<bool>,
) {
    let mut has_failed = false;
    let mut look = tokio::time::interval(HEADER_PERIOD);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            now = look.tick() => {
                let closed = state.connections.close_late_headers(now.into_std());
                (0..closed).for_each(|_| state.counters.count_connection("late"));
                continue;
            }
            _ = stop.wait_for(|stop| *stop) => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                has_failed = false;
                // Answers are small; they are sent at once.
                let _ = stream.set_nodelay(true);
                let address = counted_address(peer.ip());
                match state.connections.open(address) {
                    Some((connection, admission)) => {
                        let outcome =
                            if admission == Admission::Free { "accepted" } else { "replaced" };
                        state.counters.count_connection(outcome);
                        let (state, tls, stop) = (Arc::clone(&state), tls.clone(), stop.clone());
                        tokio::spawn(handle(stream, tls, state, connection, address, stop));
                        // What the connection has sent is read before the next one can replace it.
                        tokio::task::yield_now().await;
                    }
                    None => state.counters.count_connection("refused"),
                }
            }
            // The client has gone.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            Err(error) => {
                if !has_failed {
                    (state.events)(Event::AcceptFailed { error: error.to_string() });
                }
                has_failed = true;
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    (state.events)(Event::Stopping);
    drop(listener);
    let all_closed = async {
        while state.connections.len() > 0 {
            tokio::time::sleep(ACCEPT_PAUSE).await;
        }
    };
    // After the timeout, requests in flight are given up.
    let _ = tokio::time::timeout(STOP_TIMEOUT, all_closed).await;
}

/// Serves a connection until it is closed.
async fn handle(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    state: Arc<State>,
    connection: Connection,
    address: IpAddr,
    stop: watch::Receiver<bool>,
) {
    let Some(tls) = tls else { return exchange(stream, state, connection, address, stop).await };
    let close = Arc::clone(&connection.close);
    let handshake = tokio::select! {
        handshake = tokio::time::timeout(HANDSHAKE_TIMEOUT, tls.accept(stream)) => handshake,
        () = close.notified() => return,
    };
    match handshake {
        Ok(Ok(stream)) => exchange(stream, state, connection, address, stop).await,
        _ => state.counters.count_connection("handshake_failed"),
    }
}

/// Answers the requests of a connection.
async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    state: Arc<State>,
    connection: Connection,
    address: IpAddr,
    mut stop: watch::Receiver<bool>,
) {
    let (close, connection) = (Arc::clone(&connection.close), Arc::new(connection));
    let idle_timeout = state.limits.idle_timeout;
    let stream = StallLimit::new(stream, Arc::clone(&connection), state.limits.stall_timeout);
    let service = service_fn(move |request| {
        request::answer(Arc::clone(&state), Arc::clone(&connection), address, request)
    });
    let mut protocol = http1::Builder::new();
    protocol
        .timer(TokioTimer::new())
        .header_read_timeout(idle_timeout)
        .max_buf_size(MAX_HEADER_BYTES);
    let mut exchange = pin!(protocol.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        // A client that breaks off or sends no HTTP is no matter of the service.
        _ = exchange.as_mut() => return,
        () = close.notified() => return,
        _ = stop.wait_for(|stop| *stop) => {}
    }
    exchange.as_mut().graceful_shutdown();
    let _ = exchange.await;
}
