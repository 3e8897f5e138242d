//! The rate of requests of each address: a token bucket.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The maximum number of addresses that are remembered.
const MAX_ADDRESSES: usize = 4_096;

/// The seconds of requests that an address may send at once.
const BURST_SECONDS: f64 = 2.0;

/// The rates of all addresses.
#[derive(Debug)]
pub(super) struct Rates {
    per_second: f64,
    buckets: Mutex<BTreeMap<IpAddr, Bucket>>,
}

/// The requests that an address may send at once, at a time; they grow with time.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    requests: f64,
    filled: Instant,
}

impl Rates {
    pub(super) fn new(requests_per_second: u32) -> Self {
        Self { per_second: f64::from(requests_per_second), buckets: Mutex::default() }
    }

    /// Returns true if the address may send a request now. Programs of this host always may.
    pub(super) fn admit(&self, address: IpAddr, now: Instant) -> bool {
        if address.is_loopback() {
            return true;
        }
        let full = self.per_second * BURST_SECONDS;
        let level = |bucket: &Bucket| {
            let since = now.saturating_duration_since(bucket.filled).as_secs_f64();
            (bucket.requests + since * self.per_second).min(full)
        };
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MAX_ADDRESSES && !buckets.contains_key(&address) {
            // A full bucket is as good as none.
            buckets.retain(|_, bucket| level(bucket) < full);
            if buckets.len() >= MAX_ADDRESSES {
                return false;
            }
        }
        let bucket = buckets.entry(address).or_insert(Bucket { requests: full, filled: now });
        *bucket = Bucket { requests: level(bucket), filled: now };
        let is_admitted = bucket.requests >= 1.0;
        if is_admitted {
            bucket.requests -= 1.0;
        }
        is_admitted
    }
}

/// The address to count by: this host has one, and a client with IPv6 a whole network of 64 bits.
pub(super) fn counted_address(address: IpAddr) -> IpAddr {
    let address = address.to_canonical();
    if address.is_loopback() {
        return Ipv4Addr::LOCALHOST.into();
    }
    match address {
        IpAddr::V6(six) => IpAddr::V6((six.to_bits() >> 64 << 64).into()),
        IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn an_address_sends_a_burst_and_then_its_rate() {
        let (rates, start) = (Rates::new(10), Instant::now());
        let address = |last: u8| IpAddr::from([192, 0, 2, last]);
        assert_eq!((0..50).filter(|_| rates.admit(address(1), start)).count(), 20);
        assert!(rates.admit(address(2), start));
        let later = start + Duration::from_millis(500);
        assert_eq!((0..50).filter(|_| rates.admit(address(1), later)).count(), 5);
        assert!((0..50).all(|_| rates.admit(IpAddr::from([127, 0, 0, 1]), start)));
    }

    #[test]
    fn the_memory_of_addresses_is_bounded() {
        let (rates, start) = (Rates::new(10), Instant::now());
        let address = |k: u32| IpAddr::from((0x0a00_0000 + k).to_be_bytes());
        assert!((0..MAX_ADDRESSES as u32).all(|k| rates.admit(address(k), start)));
        assert!(!rates.admit(address(1 << 20), start));
        assert!(rates.admit(address(1 << 20), start + Duration::from_secs(10)));
        assert_eq!(rates.buckets.lock().expect("no panic").len(), 1);
    }

    #[test]
    fn networks_of_ipv6_count_as_one_address() {
        let counted = |text: &str| counted_address(text.parse().expect("an address")).to_string();
        assert_eq!(counted("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(
            (counted("::1"), counted("127.3.2.1"), counted("::ffff:192.0.2.7")),
            ("127.0.0.1".into(), "127.0.0.1".into(), "192.0.2.7".into())
        );
    }
}
