//! The service: takes samples of agents and answers with forecasts over HTTP.
//!
//! | module | content |
//! |---|---|
//! | `server`, `request`, `routes` | connections, the way of a request, one file for each resource |
//! | `access`, `tls`, `limits`, `rates`, `connections`, `stall` | what clients may do |
//! | `writer`, `reader` | the threads that write and read the database |
//! | `board`, `horizons`, `tracker` | the series and their forecasters |
//! | `present` | the present conditions, and a fitted model under them |
//!
//! One thread has the event loop and answers from forecasters in memory. The writer stores samples
//! and updates forecasters; the reader loads forecasters and reads histories.

mod access;
mod board;
mod connections;
mod counters;
mod error;
mod event;
mod horizons;
mod limits;
mod present;
mod query;
mod rates;
mod reader;
mod refusal;
mod request;
mod routes;
mod server;
mod stall;
mod state;
mod tls;
mod tracker;
#[cfg(all(test, feature = "agent"))]
mod trials;
mod writer;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use orrery::model::Model;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

pub use access::Tokens;
pub use error::ServiceError;
pub use event::Event;
pub use limits::Limits;
pub use routes::{OPENAPI, resources};
pub use tls::Tls;

use self::board::Board;
use self::connections::Connections;
use self::counters::Counters;
use self::horizons::Horizons;
use self::present::Models;
use self::rates::Rates;
use self::reader::Reader;
use self::state::{EventSink, State};
use self::writer::{Target, Writer};
use crate::store::{Retention, Store};
use crate::timestamp::Timestamp;

/// The memory of the bodies of all requests in bytes, at least that of one.
const MAX_BODY_MEMORY: usize = 32 << 20;

/// What a service serves, and to whom.
#[derive(Debug)]
pub struct ServiceOptions {
    /// The database of samples; it is created if it does not exist.
    pub store: PathBuf,
    /// The address to listen on; port 0 is any free port.
    pub listen: SocketAddr,
    /// The tokens that give access; `None` for access by all programs of this host.
    pub tokens: Option<Tokens>,
    /// The certificate; `None` for connections without TLS.
    pub tls: Option<Tls>,
    /// What clients may request.
    pub limits: Limits,
    /// How long samples are kept.
    pub retention: Retention,
    /// The fitted model of the cluster, which questions about kernels and routines are answered by;
    /// `None` for none.
    pub model: Option<Model>,
}

/// A service that listens.
///
/// ```
/// use std::io::{Read as _, Write as _};
/// use orrery_monitor::service::{Limits, Service, ServiceOptions};
/// # let folder = tempfile::tempdir()?;
/// let options = ServiceOptions {
///     store: folder.path().join("series.db"),
///     listen: "127.0.0.1:0".parse()?,
///     tokens: None,
///     tls: None,
///     limits: Limits::default(),
///     retention: Default::default(),
///     model: None,
/// };
/// let service = Service::start(options, |event| println!("{event}"))?;
/// let (address, stop) = (service.address(), service.stopper());
/// let running = std::thread::spawn(move || service.run());
/// let mut connection = std::net::TcpStream::connect(address)?;
/// connection.write_all(b"GET /healthz HTTP/1.0\r\n\r\n")?;
/// let mut answer = String::new();
/// connection.read_to_string(&mut answer)?;
/// assert!(answer.starts_with("HTTP/1.0 200 OK"));
/// stop.stop();
/// running.join().expect("no panic");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Service {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<Tls>,
    state: Arc<State>,
    /// They return their connection to the database.
    threads: [JoinHandle<Store>; 2],
    stop: watch::Sender<bool>,
}

/// Ends a service, from any thread.
#[derive(Debug, Clone)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    /// Ends the service after the requests in flight.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Service {
    /// Opens the database and listens; events are for a log.
    ///
    /// # Errors
    ///
    /// Returns an error if the database cannot be used, the address cannot be listened on, or it is
    /// reachable by other hosts and there is no token or no certificate.
    pub fn start(
        options: ServiceOptions,
        events: impl Fn(Event) + Send + Sync + 'static,
    ) -> Result<Self, ServiceError> {
        let ServiceOptions { store, listen, tokens, tls, limits, retention, model } = options;
        if !listen.ip().is_loopback() && (tokens.is_none() || tls.is_none()) {
            return Err(ServiceError::Unprotected { address: listen });
        }
        let events: EventSink = Arc::new(events);
        let runtime =
            Builder::new_current_thread().enable_all().build().map_err(ServiceError::Start)?;
        let at = |reason| ServiceError::Listen { address: listen, reason };
        let listener = runtime.block_on(async { server::listen(listen) }).map_err(at)?;
        let address = listener.local_addr().map_err(at)?;
        let (written, read) = (Store::open(&store)?, Store::open(&store)?);
        let names = written.names()?;
        let invalid: Vec<_> = names.iter().filter_map(|name| name.as_ref().err()).collect();
        if let Some(&first) = invalid.first() {
            events(Event::InvalidNames { count: invalid.len(), first: first.to_string() });
        }
        // Samples that arrive from here on are read once more, and left out.
        let position = written.last_sequence()?;
        let board = Arc::new(Board::of(&written, limits.series, Timestamp::now())?);
        if names.len() - invalid.len() > limits.series {
            events(Event::TooManySeries { limit: limits.series });
        }
        let horizons = Arc::new(Horizons::default());
        let target = Target {
            store: written,
            board: Arc::clone(&board),
            horizons: Arc::clone(&horizons),
            retention,
            events: Arc::clone(&events),
            position,
        };
        let (writer, writing) = Writer::start(target).map_err(ServiceError::Start)?;
        let (reader, reading) = Reader::start(read, Arc::clone(&board), Arc::clone(&events))
            .map_err(ServiceError::Start)?;
        events(Event::Listening { address, tls: tls.is_some() });
        let state = State {
            tokens,
            board,
            horizons,
            models: Models::new(model),
            reader,
            writer,
            counters: Counters::default(),
            connections: Connections::new(&limits),
            rates: Rates::new(limits.requests_per_second),
            body_memory: MAX_BODY_MEMORY.max(limits.body_bytes),
            limits,
            events,
            started: Instant::now(),
        };
        let (stop, _) = watch::channel(false);
        Ok(Self {
            runtime,
            listener,
            address,
            tls,
            state: Arc::new(state),
            threads: [writing, reading],
            stop,
        })
    }

    /// The address that the service listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A handle that ends the service.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.stop.clone())
    }

    /// Answers until the service is stopped. Samples that were received are stored before it
    /// returns.
    pub fn run(self) {
        let Self { runtime, listener, tls, state, threads, stop, .. } = self;
        runtime.block_on(server::serve(
            listener,
            tls.map(|tls| tls.acceptor),
            state,
            stop.subscribe(),
        ));
        // The threads end when the last connection has dropped its senders.
        drop(runtime);
        let stores = threads.map(JoinHandle::join);
        // One after the other: the last one merges the log of the database into it, which neither
        // can while both close.
        stores.into_iter().for_each(drop);
    }
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service").field("address", &self.address).finish_non_exhaustive()
    }
}
