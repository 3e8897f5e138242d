use std::thread;
use std::time::Duration;

/// How a process waits that has nothing to do with what is being measured: it looks again and again at first, and less
/// and less often then, so that it leaves the processor to those who are measured.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    looks: u32,
}

/// So many times the processor is only offered to others.
const YIELDS: u32 = 500;

/// The first nap and the longest one.
const NAPS: (Duration, Duration) = (Duration::from_micros(20), Duration::from_millis(1));

impl Patience {
    /// Lets some time go by.
    pub fn wait(&mut self) {
        if self.looks < YIELDS {
            self.looks += 1;
            thread::yield_now();
        } else {
            let doublings = (self.looks - YIELDS).min(10);
            self.looks = self.looks.saturating_add(1);
            thread::sleep((NAPS.0 * (1 << doublings)).min(NAPS.1));
        }
    }
}
