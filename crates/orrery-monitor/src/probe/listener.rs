//! Answers the peers: takes the token, and serves one probe at a time.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::error::ProbeError;
use super::handshakes::{Handshake, Handshakes};
use super::link;
use super::session::{Kind, Message, Session};
use super::token::Token;
use super::{Member, lock};
use crate::agent::{Event, MAX_BANDWIDTH_BYTES, Report};

/// The maximum number of authenticated connections that are served at a time; further ones are
/// closed.
const MAX_PEERS_SERVED: usize = 8;

/// The maximum number of threads for connections, of which some end; further ones are closed.
const MAX_THREADS: usize = 32;

/// The time after an error of the system, such as too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// Accepts connections until the agent ends.
pub(super) fn run(listener: &TcpListener, member: &Arc<Member>) {
    let (threads, peers) = (Places::new(MAX_THREADS), Places::new(MAX_PEERS_SERVED));
    let handshakes = Arc::new(Handshakes::default());
    loop {
        let accepted = listener.accept();
        if member.stop.load(Ordering::SeqCst) {
            return;
        }
        let Ok((stream, address)) = accepted else {
            std::thread::sleep(PAUSE);
            continue;
        };
        // Before the thread, so that the end of the connection that makes way frees one.
        let Ok(handshake) = handshakes.admit(address.ip(), &stream) else { continue };
        let Some(thread) = threads.take() else { continue };
        let (member, peers) = (Arc::clone(member), peers.clone());
        let serve = move || {
            let _thread = thread;
            serve(stream, address, &member, handshake, &peers);
        };
        // Without a thread, the connection is closed.
        let _ = std::thread::Builder::new().name("peer".to_owned()).spawn(serve);
    }
}

/// A number of places.
#[derive(Debug, Clone)]
struct Places {
    taken: Arc<AtomicUsize>,
    limit: usize,
}

/// One of the places; free again when it is dropped.
#[derive(Debug)]
struct Place(Arc<AtomicUsize>);

impl Places {
    fn new(limit: usize) -> Self {
        Self { taken: Arc::default(), limit }
    }

    /// Takes a place; `None` if all are taken.
    fn take(&self) -> Option<Place> {
        let place = Place(Arc::clone(&self.taken));
        (self.taken.fetch_add(1, Ordering::SeqCst) < self.limit).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The least time between two reports of refused connections.
const REFUSAL_PERIOD: Duration = Duration::from_secs(60);

/// Serves a connection. Reports one without the secret or with another protocol, at most once in
/// [`REFUSAL_PERIOD`].
fn serve(
    stream: TcpStream,
    address: SocketAddr,
    member: &Member,
    handshake: Handshake,
    peers: &Places,
) {
    let authenticated = Session::answer(stream, &member.secret);
    drop(handshake);
    match authenticated {
        // What happens after the authentication is reported by the caller.
        Ok((session, request)) => {
            if let Some(_place) = peers.take() {
                drop(answer(session, request, member));
            }
        }
        Err(error @ (ProbeError::Secret | ProbeError::NoAgent)) => {
            let (mut last, now) = (lock(&member.last_refusal), member.now());
            if last.is_none_or(|last| now.saturating_sub(last) >= REFUSAL_PERIOD) {
                *last = Some(now);
                member.report(Report::Event(Event::Unauthenticated {
                    address,
                    reason: error.to_string(),
                }));
            }
        }
        Err(_) => {}
    }
}

/// Answers an authenticated request: accepts or refuses a token; answers a probe, or refuses it
/// while this member probes or is probed.
fn answer(mut session: Session, request: Message, member: &Member) -> Result<(), ProbeError> {
    let secret = &member.secret;
    match request.kind {
        Kind::Token => {
            let token = Token { epoch: request.first, sequence: request.second };
            let accepted = lock(&member.token).accept(token, member.now());
            let answer = match accepted {
                Ok(()) => Message::new(Kind::Accepted, 0, 0),
                Err(seen) => Message::new(Kind::Stale, seen.epoch, seen.sequence),
            };
            member.token_came.notify_all();
            session.reply(secret, answer)
        }
        Kind::Probe => {
            let Ok(_link) = member.link.try_lock() else {
                return session.reply(secret, Message::new(Kind::Busy, 0, 0));
            };
            let wanted = request.first.min(MAX_BANDWIDTH_BYTES);
            let bytes = if lock(&member.received).take(wanted, member.now()) { wanted } else { 0 };
            session.reply(secret, Message::new(Kind::Accepted, bytes, 0))?;
            link::answer(&mut session, bytes)
        }
        _ => Err(ProbeError::NoAgent),
    }
}
