use std::thread;
use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_gettime};

/// The clock of this process: CLOCK_MONOTONIC_RAW, in seconds since it was opened.
///
/// Nobody adjusts that clock, so that two of them drift apart at a constant rate, as far as temperature allows. Counted
/// from its opening, a time as f64 has fractions of a nanosecond for some months.
#[derive(Debug, Clone, Copy)]
pub struct RawClock {
    origin: Timespec,
}

/// Longer waits are slept through, but for [`AWAKE`], in seconds.
const SLEEP: f64 = 1e-3;

/// A sleeper is up again so long before its time, in seconds.
const AWAKE: f64 = 500e-6;

/// The end of a wait belongs to who waits, in seconds.
const END: f64 = 20e-6;

impl RawClock {
    /// A clock that shows 0 now.
    pub fn start() -> Self {
        Self { origin: clock_gettime(ClockId::MonotonicRaw) }
    }

    /// What it shows.
    pub fn now(self) -> f64 {
        let now = clock_gettime(ClockId::MonotonicRaw);
        (now.tv_sec - self.origin.tv_sec) as f64 + (now.tv_nsec - self.origin.tv_nsec) as f64 * 1e-9
    }

    /// Lets some of these seconds go by: asleep while there is time, then awake. Where cores are shared, who is awake lets
    /// others run; where they are not, the core may not come back in time.
    pub fn idle(self, seconds: f64, shared: bool) {
        if seconds > SLEEP {
            thread::sleep(Duration::from_secs_f64((seconds - AWAKE).min(1.0)));
        } else if shared && seconds > END {
            thread::yield_now();
        } else {
            std::hint::spin_loop();
        }
    }
}
