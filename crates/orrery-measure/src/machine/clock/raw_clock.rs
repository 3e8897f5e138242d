use std::thread;
use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_gettime};

/// The clock of this process: CLOCK_MONOTONIC_RAW, in seconds since it was started.
///
/// The system does not adjust this clock, so two of them drift apart at a constant rate as long as
/// the temperature is constant. Counted from its start, a time as f64 resolves fractions of a
/// nanosecond for some months.
#[derive(Debug, Clone, Copy)]
pub struct RawClock {
    origin: Timespec,
}

/// The shortest wait, in seconds, that sleeps.
const MIN_SLEEP: f64 = 1e-3;

/// The part of a wait after the sleep, in seconds: sleeps may end late.
const SLEEP_MARGIN: f64 = 500e-6;

/// The part at the end of a wait that does not yield the core, in seconds.
const SPIN_MARGIN: f64 = 20e-6;

impl RawClock {
    /// A clock that shows 0 now.
    pub fn start() -> Self {
        Self { origin: clock_gettime(ClockId::MonotonicRaw) }
    }

    /// The time in seconds since the start.
    pub fn now(self) -> f64 {
        let now = clock_gettime(ClockId::MonotonicRaw);
        (now.tv_sec - self.origin.tv_sec) as f64 + (now.tv_nsec - self.origin.tv_nsec) as f64 * 1e-9
    }

    /// Waits for a part of this number of seconds: sleeps while there is time, then spins. On a
    /// core that is shared by several processes it yields instead of spinning; on other cores,
    /// yielding could delay it beyond the end.
    pub fn idle(self, seconds: f64, is_shared: bool) {
        if seconds > MIN_SLEEP {
            thread::sleep(Duration::from_secs_f64((seconds - SLEEP_MARGIN).min(1.0)));
        } else if is_shared && seconds > SPIN_MARGIN {
            thread::yield_now();
        } else {
            std::hint::spin_loop();
        }
    }
}
