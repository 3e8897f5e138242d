//! What clients may request, so that none of them can exhaust the service.

use std::time::Duration;

/// The limits of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of open connections. One more closes the slowest one of the address that
    /// has most. Programs of this host have three quarters of them at most.
    pub connections: usize,
    /// The maximum number of open connections of one address that is not of this host. One more
    /// closes the slowest one of the address.
    pub connections_per_address: usize,
    /// The maximum number of requests per second of one address that is not of this host.
    pub requests_per_second: u32,
    /// The maximum size of the body of a request in bytes.
    pub body_bytes: usize,
    /// The maximum time of a connection without a request.
    pub idle_timeout: Duration,
    /// The maximum time from the first to the last byte of the header of a request.
    pub header_timeout: Duration,
    /// The maximum time for the body of a request.
    pub body_timeout: Duration,
    /// The minimum bytes per second of a body after its first seconds.
    pub body_rate: u32,
    /// The maximum time in which a client takes no byte of an answer.
    pub stall_timeout: Duration,
    /// The maximum number of series.
    pub series: usize,
}

impl Default for Limits {
    /// 512 connections, 64 of one address, 200 requests per second, bodies of 1 MiB within 10 s
    /// and with 8 KiB/s, headers within 5 s, pauses of 30 s at most between requests and in taking
    /// an answer, 5,000 series.
    fn default() -> Self {
        Self {
            connections: 512,
            connections_per_address: 64,
            requests_per_second: 200,
            body_bytes: 1 << 20,
            idle_timeout: Duration::from_secs(30),
            header_timeout: Duration::from_secs(5),
            body_timeout: Duration::from_secs(10),
            body_rate: 8 << 10,
            stall_timeout: Duration::from_secs(30),
            series: 5_000,
        }
    }
}
