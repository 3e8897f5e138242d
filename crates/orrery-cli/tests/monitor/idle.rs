//! Ten thousand connections that send nothing: the service closes the oldest ones and continues to
//! answer.

use std::net::TcpStream;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::process::Serving;
use crate::skip::skip;

/// The number of idle connections.
const CONNECTIONS: usize = 10_000;

/// The number of files that the test needs besides.
const OTHER_FILES: u64 = 200;

/// The maximum memory of the service in KiB.
const MAX_MEMORY: u64 = 200 << 10;

/// The number of connections that this process may have open, up to [`CONNECTIONS`].
fn allowed() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let files =
        if setrlimit(Resource::Nofile, raised).is_ok() { limit.maximum } else { limit.current };
    let files = files.map_or(usize::MAX, |files| files.saturating_sub(OTHER_FILES) as usize);
    files.min(CONNECTIONS)
}

#[test]
fn ten_thousand_idle_connections_are_bounded() {
    let allowed = allowed();
    if allowed < CONNECTIONS {
        skip(&format!(
            "{allowed} connections instead of {CONNECTIONS}: this process may open no more files"
        ));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let service = Serving::start(folder.path());
    let mut idle = Vec::with_capacity(allowed);
    for number in 0..allowed {
        idle.push(TcpStream::connect(service.address).expect("the service accepts"));
        if number.is_multiple_of(1000) {
            assert_eq!(service.client().get("/healthz").expect("an answer").status, 200);
        }
    }
    let metrics = service.client().get("/metrics").expect("an answer").body;
    let open = metrics.lines().find_map(|line| line.strip_prefix("orrery_open_connections "));
    let open: f64 = open.and_then(|count| count.parse().ok()).expect("the connections are counted");
    assert!((1.0..=512.0).contains(&open), "{open} connections are open");
    assert!(service.memory() < MAX_MEMORY, "{} KiB", service.memory());
    drop(idle);
    assert_eq!(service.client().get("/healthz").expect("an answer").status, 200);
}
