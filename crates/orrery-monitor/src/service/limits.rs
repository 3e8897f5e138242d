//! What clients may request, so that none of them can exhaust the service.

use std::time::Duration;

/// The limits of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of open connections. One more closes the connection that is idle for the
    /// longest time.
    pub connections: usize,
    /// The maximum number of open connections of one address that is not of this host.
    pub connections_per_address: usize,
    /// The maximum number of requests per second of one address that is not of this host.
    pub requests_per_second: u32,
    /// The maximum size of the body of a request in bytes.
    pub body_bytes: usize,
    /// The maximum time for the header of a request, also while a connection is idle.
    pub header_timeout: Duration,
    /// The maximum time for the body of a request.
    pub body_timeout: Duration,
    /// The maximum time in which a client takes no byte of an answer.
    pub stall_timeout: Duration,
    /// The maximum number of series.
    pub series: usize,
}

impl Default for Limits {
    /// 512 connections, 64 of one address, 200 requests per second, bodies of 1 MiB within 10 s,
    /// headers within 30 s, answers with pauses of 30 s at most, 5,000 series.
    fn default() -> Self {
        Self {
            connections: 512,
            connections_per_address: 64,
            requests_per_second: 200,
            body_bytes: 1 << 20,
            header_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_secs(10),
            stall_timeout: Duration::from_secs(30),
            series: 5_000,
        }
    }
}
