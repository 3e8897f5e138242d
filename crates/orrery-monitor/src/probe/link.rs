//! The latency and the bandwidth of a link: round trips, then a timed transfer.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::error::ProbeError;
use super::session::{Kind, Message, Session};

/// The number of round trips; their least time is taken.
const ROUND_TRIPS: u32 = 12;

/// The size of the message of a round trip.
const PING_BYTES: usize = 8;

/// The time limit of the round trips and the transfer.
pub(super) const PROBE_TIMEOUT: Duration = Duration::from_secs(10);

/// The size of the parts in which bytes are sent and received.
const CHUNK_BYTES: usize = 64 << 10;

/// What a probe measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkReading {
    /// Half of the least time of a round trip, in seconds.
    pub latency: f64,
    /// The bytes of the transfer; 0 if the peer has none left for it, or none were wanted.
    pub bytes: u64,
    /// The bytes per second of the transfer; `None` without one, or if a busy host made it seem no
    /// longer than a round trip.
    pub bandwidth: Option<f64>,
}

/// Measures a link: l = r/2 for the least round trip r, and the bandwidth b/(t − r) for the time t
/// from the first of b bytes to the receiver's answer that it has them all. `transferred` becomes
/// the number of bytes that were sent, also after an error.
///
/// # Errors
///
/// Returns an error if the peer cannot be reached, has another secret, is busy, or does not answer
/// in time.
pub(super) fn measure(
    address: SocketAddr,
    secret: &[u8],
    bytes: u64,
    transferred: &mut u64,
) -> Result<LinkReading, ProbeError> {
    let (mut session, answer) =
        Session::call(address, secret, Message::new(Kind::Probe, bytes, 0))?;
    let bytes = match answer.kind {
        Kind::Accepted => answer.first.min(bytes),
        Kind::Busy => return Err(ProbeError::Busy),
        _ => return Err(ProbeError::NoAgent),
    };
    session.set_time_limit(PROBE_TIMEOUT);
    let mut round_trip = f64::INFINITY;
    for number in 0..u64::from(ROUND_TRIPS) {
        let (begin, mut echo) = (Instant::now(), [0; PING_BYTES]);
        session.write(&number.to_be_bytes())?;
        session.read(&mut echo)?;
        round_trip = round_trip.min(begin.elapsed().as_secs_f64());
        if echo != number.to_be_bytes() {
            return Err(ProbeError::NoAgent);
        }
    }
    let latency = round_trip / 2.0;
    if bytes == 0 {
        return Ok(LinkReading { latency, bytes, bandwidth: None });
    }
    let chunk = incompressible();
    let (begin, mut answer) = (Instant::now(), [0; PING_BYTES]);
    for_chunks(bytes, |size| {
        *transferred += size as u64;
        session.write(&chunk[..size])
    })?;
    session.read(&mut answer)?;
    let time = begin.elapsed().as_secs_f64() - round_trip;
    Ok(LinkReading { latency, bytes, bandwidth: (time > 0.0).then(|| bytes as f64 / time) })
}

/// Answers the round trips of a probe and receives the transfer of `bytes`, none for 0; within
/// [`PROBE_TIMEOUT`].
pub(super) fn answer(session: &mut Session, bytes: u64) -> Result<(), ProbeError> {
    session.set_time_limit(PROBE_TIMEOUT);
    let mut ping = [0; PING_BYTES];
    for _ in 0..ROUND_TRIPS {
        session.read(&mut ping)?;
        session.write(&ping)?;
    }
    if bytes > 0 {
        let mut chunk = vec![0; CHUNK_BYTES];
        for_chunks(bytes, |size| session.read(&mut chunk[..size]))?;
        session.write(&ping)?;
    }
    Ok(())
}

/// Calls a function with the size of each part of the bytes.
fn for_chunks(
    bytes: u64,
    mut each: impl FnMut(usize) -> Result<(), ProbeError>,
) -> Result<(), ProbeError> {
    let mut left = bytes;
    while left > 0 {
        let size = left.min(CHUNK_BYTES as u64);
        each(size as usize)?;
        left -= size;
    }
    Ok(())
}

/// Bytes that links with compression cannot shorten: those of a linear congruential generator
/// (Knuth's MMIX).
fn incompressible() -> Vec<u8> {
    let step = |state: &u64| {
        Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407))
    };
    std::iter::successors(Some(1_u64), step)
        .map(|state| (state >> 56) as u8)
        .take(CHUNK_BYTES)
        .collect()
}
