//! When sensors are read.

use std::time::Duration;

use super::config::Intervals;
use crate::sensor::Group;

/// The times at which groups of sensors are read: multiples of their intervals by the monotonic
/// clock, missed ones left out.
#[derive(Debug)]
pub(super) struct Schedule {
    groups: [(Group, Duration, Duration); 3],
}

impl Schedule {
    /// All groups are due now.
    pub(super) fn new(intervals: Intervals, now: Duration) -> Self {
        let interval = |group| match group {
            Group::Processor => intervals.processor,
            Group::Memory => intervals.memory,
            Group::Disk => intervals.disk,
        };
        Self { groups: Group::ALL.map(|group| (group, interval(group), now)) }
    }

    /// The groups that are due; each is due again after its interval.
    pub(super) fn due(&mut self, now: Duration) -> Vec<Group> {
        let mut due = Vec::new();
        for (group, interval, next) in &mut self.groups {
            if now >= *next {
                due.push(*group);
                *next += *interval;
                if *next <= now {
                    *next = now + *interval;
                }
            }
        }
        due
    }

    /// The time until the next group is due; 0 if one is.
    pub(super) fn time_left(&self, now: Duration) -> Duration {
        let left = self.groups.iter().map(|(_, _, next)| next.saturating_sub(now));
        left.min().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_due_after_their_intervals() {
        let [processor, memory, disk] = [5, 30, 60].map(Duration::from_secs);
        let at = Duration::from_secs;
        let mut schedule = Schedule::new(Intervals { processor, memory, disk }, at(100));
        assert_eq!(schedule.due(at(100)), Group::ALL);
        assert_eq!((schedule.due(at(104)), schedule.time_left(at(104))), (vec![], at(1)));
        assert_eq!(schedule.due(at(106)), [Group::Processor]);
        // The schedule does not drift with late readings.
        assert_eq!(schedule.time_left(at(106)), at(4));
        // A suspended host: readings are not made up for.
        assert_eq!(schedule.due(at(1000)), Group::ALL);
        assert_eq!((schedule.due(at(1001)), schedule.time_left(at(1001))), (vec![], at(4)));
    }
}
