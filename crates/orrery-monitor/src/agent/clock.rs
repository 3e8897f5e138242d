//! Times of samples that never go back, whatever the clock of the host does.

use std::fmt;
use std::time::{Duration, Instant};

use orrery::units::Seconds;

use crate::timestamp::Timestamp;

/// Samples that are further in the future were measured with a wrong clock.
pub const MAX_FUTURE: Duration = Duration::from_secs(86_400);

/// The clocks of a host.
pub trait Clock: fmt::Debug + Send + Sync {
    /// The time since some moment, which goes on evenly.
    fn monotonic(&self) -> Duration;

    /// The time by the calendar, which can be set.
    fn wall(&self) -> Timestamp;
}

/// The clocks of this host.
#[derive(Debug)]
pub struct SystemClock(Instant);

impl Default for SystemClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn monotonic(&self) -> Duration {
        self.0.elapsed()
    }

    fn wall(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// Gives samples their times: those of the wall clock, while it is ahead of the last sample.
///
/// While the wall clock is behind the last sample, time goes on from there by the monotonic clock. If the last sample is more
/// than [`MAX_FUTURE`] ahead of the wall clock, it was measured with a wrong clock, and the wall clock is taken.
#[derive(Debug)]
pub struct SampleClock {
    last: Option<(Timestamp, Duration)>,
}

/// The time of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// The time.
    pub time: Timestamp,
    /// True if samples after it were measured with a wrong clock.
    pub later_are_wrong: bool,
}

impl SampleClock {
    /// A clock that goes on after the last sample of the store.
    pub fn new(clock: &dyn Clock, last: Option<Timestamp>) -> Self {
        Self { last: last.map(|last| (last, clock.monotonic())) }
    }

    /// The time of a sample that is measured now; later than the one before, unless that was wrong.
    pub fn stamp(&mut self, clock: &dyn Clock) -> Stamp {
        let (wall, monotonic) = (clock.wall(), clock.monotonic());
        let mut later_are_wrong = false;
        let time = match self.last {
            Some((last, since)) if wall <= last => {
                later_are_wrong = last.since(wall) > Seconds::from(MAX_FUTURE);
                let passed = Seconds::from(monotonic.saturating_sub(since).max(Duration::from_micros(1)));
                if later_are_wrong { wall } else { last.after(passed) }
            }
            _ => wall,
        };
        self.last = Some((time, monotonic));
        Stamp { time, later_are_wrong }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Clocks that are set: seconds of the monotonic and of the wall clock.
    #[derive(Debug)]
    struct SetClock(Mutex<(u64, i64)>);

    impl SetClock {
        fn set(&self, monotonic: u64, wall: i64) {
            *self.0.lock().expect("no test panicked") = (monotonic, wall);
        }
    }

    impl Clock for SetClock {
        fn monotonic(&self) -> Duration {
            Duration::from_secs(self.0.lock().expect("no test panicked").0)
        }

        fn wall(&self) -> Timestamp {
            at(self.0.lock().expect("no test panicked").1)
        }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    /// The times of samples at these monotonic and wall times after a last sample.
    fn stamps(last: Option<i64>, times: &[(u64, i64)]) -> Vec<(Timestamp, bool)> {
        let clock = SetClock(Mutex::new((0, 0)));
        let mut samples = SampleClock::new(&clock, last.map(at));
        let stamp = |(monotonic, wall): &(u64, i64)| {
            clock.set(*monotonic, *wall);
            let stamp = samples.stamp(&clock);
            (stamp.time, stamp.later_are_wrong)
        };
        times.iter().map(stamp).collect()
    }

    #[test]
    fn the_wall_clock_is_taken_while_it_is_ahead() {
        assert_eq!(stamps(None, &[(1, 100), (2, 101)]), [(at(100), false), (at(101), false)]);
        // A jump ahead.
        assert_eq!(stamps(Some(90), &[(1, 100), (2, 5000)]), [(at(100), false), (at(5000), false)]);
    }

    #[test]
    fn time_goes_on_while_the_wall_clock_is_behind() {
        // A jump back by 50 s: the wall clock is ahead again after 50 s.
        let expected = [(at(100), false), (at(110), false), (at(140), false), (at(151), false)];
        assert_eq!(stamps(None, &[(0, 100), (10, 60), (40, 90), (101, 151)]), expected);
        // A restart with a clock that is behind the store.
        assert_eq!(stamps(Some(500), &[(5, 400), (6, 401)]), [(at(505), false), (at(506), false)]);
        // Two samples at one moment have two times.
        let [first, second] = stamps(None, &[(1, 100), (1, 100)])[..] else { panic!("there are two") };
        assert_eq!((first.0, second.0.micros() - first.0.micros()), (at(100), 1));
    }

    #[test]
    fn samples_far_in_the_future_are_wrong() {
        assert_eq!(stamps(Some(100_000), &[(1, 10_000), (2, 10_001)]), [(at(10_000), true), (at(10_001), false)]);
        assert_eq!(stamps(Some(86_500), &[(1, 100)]), [(at(86_501), false)]);
    }
}
