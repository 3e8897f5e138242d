//! Times of samples that do not go back and approach the clock of the host, whatever it does.

use std::fmt;
use std::time::{Duration, Instant};

use orrery::units::Seconds;

use crate::store::Uptime;
use crate::timestamp::Timestamp;

/// The least time by which the last sample is ahead of the wall clock that is reported.
const MIN_REPORTED: Seconds = Seconds::new(1.0);

/// The time by which the last sample is ahead of the wall clock beyond which one of them is wrong.
pub const MAX_SLEWED_AHEAD: Duration = Duration::from_secs(3_600);

/// The time for which the wall clock must be behind by more than [`MAX_SLEWED_AHEAD`] before it is taken:
/// a host that starts with a wrong clock sets it from the network meanwhile.
pub const CLOCK_REPAIR_TIME: Duration = Duration::from_secs(600);

/// The clocks of a host.
pub trait Clock: fmt::Debug + Send + Sync {
    /// The monotonic time since an arbitrary start.
    fn monotonic(&self) -> Duration;

    /// The time by the calendar, which can be set.
    fn wall(&self) -> Timestamp;

    /// The time since the host was started, by which samples age.
    fn uptime(&self) -> Uptime {
        Uptime::now()
    }
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
/// While the wall clock is behind the last sample, time advances from there at half the pace of the
/// monotonic clock, so that it meets the wall clock after twice the distance. If the last sample is
/// more than [`MAX_SLEWED_AHEAD`] ahead of the wall clock for [`CLOCK_REPAIR_TIME`], the wall clock is
/// taken.
#[derive(Debug)]
pub struct SampleClock {
    last: Option<(Timestamp, Duration)>,
    /// The monotonic time since which the wall clock is far behind.
    far_behind_since: Option<Duration>,
    /// True if it was reported that the wall clock is behind.
    is_behind: bool,
}

/// The time of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stamp {
    /// The time.
    pub time: Timestamp,
    /// What has changed since the last sample.
    pub change: Option<ClockChange>,
}

/// A change of the relation between the times of samples and the wall clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ClockChange {
    /// The wall clock is behind the last sample by this time.
    Behind(Seconds),
    /// The times of samples have met the wall clock.
    Met,
    /// The wall clock is taken: earlier samples have later times.
    Stepped,
}

impl SampleClock {
    /// A clock that continues after the last sample of the store; `last` is `None` if there is
    /// none.
    pub fn new(clock: &dyn Clock, last: Option<Timestamp>) -> Self {
        let last = last.map(|last| (last, clock.monotonic()));
        Self { last, far_behind_since: None, is_behind: false }
    }

    /// The time of a sample that is measured now; later than the one before, unless the wall clock
    /// is taken.
    pub fn stamp(&mut self, clock: &dyn Clock) -> Stamp {
        let (wall, monotonic) = (clock.wall(), clock.monotonic());
        let behind = self.last.filter(|(last, _)| wall <= *last);
        let Some((last, at)) =
            behind.filter(|(last, _)| !self.is_step(last.since(wall), monotonic))
        else {
            let change = match behind {
                Some(_) => Some(ClockChange::Stepped),
                None => self.is_behind.then_some(ClockChange::Met),
            };
            *self =
                Self { last: Some((wall, monotonic)), far_behind_since: None, is_behind: false };
            return Stamp { time: wall, change };
        };
        let half = monotonic.saturating_sub(at) / 2;
        let time = last.after(Seconds::from(half.max(Duration::from_micros(1))));
        self.last = Some((time, monotonic));
        let distance = last.since(wall);
        let is_new = !self.is_behind && distance >= MIN_REPORTED;
        self.is_behind |= is_new;
        Stamp { time, change: is_new.then_some(ClockChange::Behind(distance)) }
    }

    /// Returns true if the last sample is so far ahead of the wall clock, and for so long, that the
    /// wall clock is to be taken.
    fn is_step(&mut self, distance: Seconds, monotonic: Duration) -> bool {
        let is_far = distance > Seconds::from(MAX_SLEWED_AHEAD);
        let since = is_far.then(|| self.far_behind_since.unwrap_or(monotonic));
        self.far_behind_since = since;
        since.is_some_and(|since| monotonic.saturating_sub(since) >= CLOCK_REPAIR_TIME)
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

    /// The times of samples at these monotonic and wall times after a last sample, and what changed.
    fn stamps(last: Option<i64>, times: &[(u64, i64)]) -> Vec<(Timestamp, Option<ClockChange>)> {
        let clock = SetClock(Mutex::new((0, 0)));
        let mut samples = SampleClock::new(&clock, last.map(at));
        let stamp = |(monotonic, wall): &(u64, i64)| {
            clock.set(*monotonic, *wall);
            let stamp = samples.stamp(&clock);
            (stamp.time, stamp.change)
        };
        times.iter().map(stamp).collect()
    }

    fn behind(seconds: f64) -> ClockChange {
        ClockChange::Behind(Seconds::new(seconds))
    }

    #[test]
    fn the_wall_clock_is_taken_while_it_is_ahead() {
        assert_eq!(stamps(None, &[(1, 100), (2, 101)]), [(at(100), None), (at(101), None)]);
        // A jump ahead.
        assert_eq!(stamps(Some(90), &[(1, 100), (2, 5000)]), [(at(100), None), (at(5000), None)]);
    }

    #[test]
    fn time_goes_on_at_half_the_pace_while_the_wall_clock_is_behind() {
        // A jump back by 50 s.
        let expected = [
            (at(100), None),
            (at(105), Some(behind(40.0))),
            (at(120), None),
            (at(151), Some(ClockChange::Met)),
            (at(152), None),
        ];
        let times = [(0, 100), (10, 60), (40, 90), (101, 151), (102, 152)];
        assert_eq!(stamps(None, &times), expected);
        // A restart with a clock that is behind the store.
        let expected = [(at(502), Some(behind(100.0))), (at(503), None)];
        assert_eq!(stamps(Some(500), &[(4, 400), (6, 401)]), expected);
        // Two samples at one moment have two times.
        let [first, second] = stamps(None, &[(1, 100), (1, 100)])[..] else {
            panic!("there are two")
        };
        assert_eq!((first.0, second.0.micros() - first.0.micros(), second.1), (at(100), 1, None));
    }

    #[test]
    fn an_hour_ahead_is_gone_after_two_hours() {
        // A sample each five seconds, with a restart each ten minutes.
        let clock = SetClock(Mutex::new((0, 0)));
        let (mut last, mut changes) = (at(3_600), Vec::new());
        for run in 0..12 {
            let mut samples = SampleClock::new(&clock, Some(last));
            for k in 0..120 {
                let now = 600 * run + 5 * k;
                clock.set(now, now as i64);
                let stamp = samples.stamp(&clock);
                assert!(stamp.time > last);
                last = stamp.time;
                changes.extend(stamp.change);
            }
        }
        assert!(last.since(clock.wall()).get() < 60.0, "{last:?} at {:?}", clock.wall());
        assert!(changes.iter().all(|change| matches!(change, ClockChange::Behind(_))));
        assert_eq!(changes.len(), 12);
    }

    #[test]
    fn the_wall_clock_is_taken_after_a_while_if_it_is_far_behind() {
        // The wall clock is 90,000 s behind for ten minutes.
        let times = [(2, 10_002), (302, 10_302), (602, 10_602), (603, 10_603)];
        let expected = [
            (at(100_001), Some(behind(89_998.0))),
            (at(100_151), None),
            (at(10_602), Some(ClockChange::Stepped)),
            (at(10_603), None),
        ];
        assert_eq!(stamps(Some(100_000), &times), expected);
        // An hour is not far.
        assert_eq!(stamps(Some(3_600), &[(2, 0), (702, 0)])[1], (at(3_951), None));
    }

    #[test]
    fn a_clock_that_is_set_soon_after_the_start_sets_nothing_aside() {
        let times = [(2, 5), (100, 104), (200, 100_000_300), (900, 100_001_000)];
        let expected = [
            (at(100_000_001), Some(behind(99_999_995.0))),
            (at(100_000_050), None),
            (at(100_000_300), Some(ClockChange::Met)),
            (at(100_001_000), None),
        ];
        assert_eq!(stamps(Some(100_000_000), &times), expected);
    }
}
