//! Probes of latency and bandwidth between the members of a clique, one at a time.
//!
//! The members pass a token; who holds it probes its peers, one after the other. A member that
//! probes or is probed refuses other probes, so that not even two tokens let two probes meet. A
//! transfer needs bytes in the hourly budgets of both sides.

mod budget;
mod clique;
mod error;
mod handshakes;
mod link;
mod listener;
mod session;
mod token;

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub use budget::HourlyBudget;
pub use error::ProbeError;
pub use link::LinkReading;
pub use token::{Token, TokenState};

use crate::agent::{AgentError, PeerConfig, ProbeConfig, Report};

/// The time for which a member waits for the token, for each member: what a peer that vanished
/// costs the one that holds it.
const TOKEN_TIMEOUT_PER_MEMBER: Duration = Duration::from_secs(1);

/// The time between the moments at which members replace a lost token, in the order of their names.
const STAGGER: Duration = Duration::from_millis(500);

/// What the threads of a member share.
#[derive(Debug)]
struct Member {
    secret: Vec<u8>,
    begin: Instant,
    token: Mutex<TokenState>,
    /// Notified when a token was accepted.
    token_came: Condvar,
    /// Locked while this member probes or is probed.
    link: Mutex<()>,
    sent: Mutex<HourlyBudget>,
    received: Mutex<HourlyBudget>,
    /// The time of the last report of a refused connection.
    last_refusal: Mutex<Option<Duration>>,
    stop: Arc<AtomicBool>,
    reports: Sender<Report>,
}

impl Member {
    /// The time since the start of the member.
    fn now(&self) -> Duration {
        self.begin.elapsed()
    }

    fn report(&self, report: Report) {
        // The receiver is gone at the end of the agent only.
        let _ = self.reports.send(report);
    }
}

/// A lock whose content is valid after a panic, too.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The running threads of a member of a clique; they end when the flag of the agent is set and
/// [`Probes::join`] is called.
#[derive(Debug)]
pub(crate) struct Probes {
    address: SocketAddr,
    listener: JoinHandle<()>,
    clique: JoinHandle<()>,
}

impl Probes {
    /// Listens for peers, and starts to probe them.
    pub(crate) fn start(
        host: &str,
        config: &ProbeConfig,
        secret: Vec<u8>,
        stop: Arc<AtomicBool>,
        reports: Sender<Report>,
    ) -> Result<Self, AgentError> {
        let fail = |reason| AgentError::Listen { address: config.listen, reason };
        let listener = TcpListener::bind(config.listen).map_err(fail)?;
        let address = listener.local_addr().map_err(fail)?;
        let (peers, rank) = ring(host, &config.peers);
        let stagger = STAGGER * rank;
        let timeout =
            config.interval * 3 + TOKEN_TIMEOUT_PER_MEMBER * (peers.len() as u32 + 1) + stagger;
        let bytes = config.bytes_per_hour.get();
        let member = Arc::new(Member {
            secret,
            begin: Instant::now(),
            token: Mutex::new(TokenState::new(Duration::ZERO, stagger, timeout)),
            token_came: Condvar::new(),
            link: Mutex::new(()),
            sent: Mutex::new(HourlyBudget::new(bytes)),
            received: Mutex::new(HourlyBudget::new(bytes)),
            last_refusal: Mutex::new(None),
            stop,
            reports,
        });
        let limit = config.bandwidth_bytes.get();
        let answering = Arc::clone(&member);
        let clique = clique::Clique::new(member, peers, config.interval, limit);
        let spawn = |name: &str, run: Box<dyn FnOnce() + Send>| {
            std::thread::Builder::new().name(name.to_owned()).spawn(run).map_err(AgentError::Thread)
        };
        let listener = spawn("listener", Box::new(move || listener::run(&listener, &answering)))?;
        let clique = spawn("clique", Box::new(move || clique.run()))?;
        Ok(Self { address, listener, clique })
    }

    /// The address at which peers reach this member.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits for the end of the threads, after the flag of the agent was set.
    pub(crate) fn join(self) {
        // A panic of a thread ends probes, and not the agent.
        let _ = self.clique.join();
        // A connection wakes the listener; without one it ends with the process.
        if TcpStream::connect_timeout(&self.address, Duration::from_secs(1)).is_ok() {
            let _ = self.listener.join();
        }
    }
}

/// The peers in the order in which this host passes the token to them: by name, from its own on and
/// round; and the rank of this host by name among all members, from 0.
fn ring(host: &str, peers: &[PeerConfig]) -> (Vec<PeerConfig>, u32) {
    let mut peers = peers.to_vec();
    peers.sort_by(|a, b| a.host.cmp(&b.host));
    let rank = peers.partition_point(|peer| peer.host.as_str() < host);
    peers.rotate_left(rank);
    (peers, rank as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_goes_round_by_name() {
        let address = SocketAddr::from(([127, 0, 0, 1], 1));
        let peers = |hosts: &[&str]| -> Vec<PeerConfig> {
            hosts.iter().map(|host| PeerConfig { host: (*host).to_owned(), address }).collect()
        };
        assert_eq!(ring("b", &peers(&["c", "a", "d"])), (peers(&["c", "d", "a"]), 1));
        assert_eq!(ring("d", &peers(&["c", "a", "b"])), (peers(&["a", "b", "c"]), 3));
        assert_eq!(ring("a", &[]), (Vec::new(), 0));
    }
}
