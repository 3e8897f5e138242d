//! The processor of an emulated host: sends and receives occupy it for their overheads.

use std::thread;
use std::time::{Duration, Instant};

use super::protocol::BatchFailure;
use orrery_base::units::Seconds;
use orrery_cluster::platform::PiecewiseTime;

/// The processor time of messages on an emulated host, spent asleep, so that many workers can share
/// a core.
///
/// A sleep ends late, by 0.1 ms or so. Operations that follow each other without a wait therefore
/// begin when the one before should have ended: delays do not add up.
#[derive(Debug, Clone)]
pub(super) struct EmulatedProcessor {
    send: PiecewiseTime,
    posted_send: PiecewiseTime,
    receive: PiecewiseTime,
    /// The end of the last operation.
    busy_until: Instant,
}

/// An operation that occupies the processor.
#[derive(Debug, Clone, Copy)]
pub(super) enum Overhead {
    Send(u64),
    PostedSend(u64),
    Receive(u64),
}

impl EmulatedProcessor {
    /// A processor with the overheads of a blocking send, a posted send and a receive.
    pub fn new([send, posted_send, receive]: [PiecewiseTime; 3]) -> Self {
        Self { send, posted_send, receive, busy_until: Instant::now() }
    }

    /// Ends a wait for a message: the next operation begins now.
    pub fn resume(&mut self) {
        self.busy_until = Instant::now();
    }

    /// The time at which the next operation begins, for timers: that of a clock would be late after
    /// a late sleep, and an operation that makes up for it too short.
    pub const fn time(&self) -> Instant {
        self.busy_until
    }

    /// Occupies the processor for an overhead, from the end of the last operation on.
    pub fn spend(&mut self, overhead: Overhead) -> Result<(), BatchFailure> {
        let seconds = match overhead {
            Overhead::Send(size) => self.send.seconds(size),
            Overhead::PostedSend(size) => self.posted_send.seconds(size),
            Overhead::Receive(size) => self.receive.seconds(size),
        };
        self.occupy(Seconds::new(seconds))
    }

    /// Occupies the processor for a time.
    pub fn occupy(&mut self, time: Seconds) -> Result<(), BatchFailure> {
        let failed = || BatchFailure::Failed(format!("cannot be busy for {} s", time.get()));
        let time = Duration::try_from_secs_f64(time.get()).map_err(|_| failed())?;
        self.busy_until = self.busy_until.checked_add(time).ok_or_else(failed)?;
        thread::sleep(self.busy_until.saturating_duration_since(Instant::now()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_after_a_late_sleep_are_not_shorter() {
        let free = PiecewiseTime::default();
        let mut processor = EmulatedProcessor::new([free.clone(), free.clone(), free]);
        let late = Duration::from_millis(50);
        processor.busy_until =
            Instant::now().checked_sub(late).expect("the machine runs for longer");
        let begin = processor.time();
        processor.occupy(Seconds::new(2e-3)).expect("it is a valid time");
        assert_eq!(processor.time() - begin, Duration::from_millis(2));
    }
}
