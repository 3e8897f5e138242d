//! Times of samples that never go back, whatever the clock of the host does.

use std::fmt;
use std::time::{Duration, Instant};

use orrery::units::Seconds;

use crate::timestamp::Timestamp;

/// Samples that are further in the future were measured with a wrong clock.
pub const MAX_FUTURE: Duration = Duration::from_secs(86_400);

/// The time for which the wall clock must be behind by more than [`MAX_FUTURE`] before it is taken:
/// a host that starts with a wrong clock sets it from the network meanwhile.
pub const CLOCK_REPAIR_TIME: Duration = Duration::from_secs(600);

/// The clocks of a host.
pub trait Clock: fmt::Debug + Send + Sync {
    /// The monotonic time since an arbitrary start.
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
/// While the wall clock is behind the last sample, time advances from there by the monotonic clock.
/// If the last sample is more than [`MAX_FUTURE`] ahead of the wall clock for
/// [`CLOCK_REPAIR_TIME`], it was measured with a wrong clock, and the wall clock is taken.
#[derive(Debug)]
pub struct SampleClock {
    last: Option<(Timestamp, Duration)>,
    /// The monotonic time since which the wall clock is far behind.
    far_behind_since: Option<Duration>,
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
    /// A clock that continues after the last sample of the store; `last` is `None` if there is
    /// none.
    pub fn new(clock: &dyn Clock, last: Option<Timestamp>) -> Self {
        Self { last: last.map(|last| (last, clock.monotonic())), far_behind_since: None }
    }

    /// The time of a sample that is measured now; later than the one before, unless that was wrong.
    pub fn stamp(&mut self, clock: &dyn Clock) -> Stamp {
        let (wall, monotonic) = (clock.wall(), clock.monotonic());
        let is_far_behind =
            self.last.is_some_and(|(last, _)| last.since(wall) > Seconds::from(MAX_FUTURE));
        let since =
            if is_far_behind { Some(self.far_behind_since.unwrap_or(monotonic)) } else { None };
        let later_are_wrong =
            since.is_some_and(|since| monotonic.saturating_sub(since) >= CLOCK_REPAIR_TIME);
        self.far_behind_since = since.filter(|_| !later_are_wrong);
        let time = match self.last {
            Some((last, at)) if wall <= last && !later_are_wrong => last
                .after(Seconds::from(monotonic.saturating_sub(at).max(Duration::from_micros(1)))),
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
        let [first, second] = stamps(None, &[(1, 100), (1, 100)])[..] else {
            panic!("there are two")
        };
        assert_eq!((first.0, second.0.micros() - first.0.micros()), (at(100), 1));
    }

    #[test]
    fn samples_far_in_the_future_are_wrong_after_a_while() {
        // The wall clock is 90,000 s behind for ten minutes.
        let times = [(1, 10_001), (301, 10_301), (601, 10_601), (602, 10_602)];
        let expected =
            [(at(100_001), false), (at(100_301), false), (at(10_601), true), (at(10_602), false)];
        assert_eq!(stamps(Some(100_000), &times), expected);
        // A day is not far.
        assert_eq!(stamps(Some(80_000), &[(1, 0), (700, 0)])[1], (at(80_700), false));
    }

    #[test]
    fn a_clock_that_is_set_soon_after_the_start_removes_nothing() {
        let all = stamps(
            Some(100_000_000),
            &[(1, 5), (100, 104), (200, 100_000_300), (900, 100_001_000)],
        );
        assert_eq!(
            all,
            [
                (at(100_000_001), false),
                (at(100_000_100), false),
                (at(100_000_300), false),
                (at(100_001_000), false)
            ]
        );
    }
}
