//! Latencies and their quantiles.

use std::fmt;
use std::time::Duration;

/// The latencies of requests.
#[derive(Default)]
pub struct Latencies {
    all: Vec<Duration>,
}

impl Latencies {
    pub fn record(&mut self, latency: Duration) {
        self.all.push(latency);
    }

    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// The latencies of both, in any order.
    #[must_use]
    pub fn with(mut self, mut other: Self) -> Self {
        self.all.append(&mut other.all);
        self
    }
}

impl fmt::Display for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sorted = self.all.clone();
        sorted.sort_unstable();
        let quantile = |part: f64| {
            sorted.get(((sorted.len() - 1) as f64 * part) as usize).copied().unwrap_or_default()
        };
        if sorted.is_empty() {
            return f.write_str("none");
        }
        let milliseconds = |part| quantile(part).as_secs_f64() * 1e3;
        write!(
            f,
            "{} with latency p50 {:.2} ms, p99 {:.2} ms, p99.9 {:.2} ms, maximum {:.2} ms",
            sorted.len(),
            milliseconds(0.5),
            milliseconds(0.99),
            milliseconds(0.999),
            milliseconds(1.0)
        )
    }
}
