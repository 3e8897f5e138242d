//! The bytes that probes may transfer in an hour.

use std::collections::VecDeque;
use std::time::Duration;

/// The width of the intervals in which bytes are counted.
const WIDTH: Duration = Duration::from_secs(60);

/// The number of intervals that contain any hour.
const INTERVALS: u64 = 61;

/// Bounds the bytes of each hour: those of the last 61 minutes, counted by the minute, are at most
/// the limit.
#[derive(Debug)]
pub struct HourlyBudget {
    limit: u64,
    spent: VecDeque<(u64, u64)>,
}

impl HourlyBudget {
    /// A budget of this many bytes in an hour.
    pub fn new(limit: u64) -> Self {
        Self { limit, spent: VecDeque::new() }
    }

    /// Takes bytes at a monotonic time; returns false, and takes none, if less are left.
    pub fn take(&mut self, bytes: u64, now: Duration) -> bool {
        let interval = now.as_secs() / WIDTH.as_secs();
        while self.spent.front().is_some_and(|(then, _)| then + INTERVALS <= interval) {
            self.spent.pop_front();
        }
        let spent: u64 = self.spent.iter().map(|(_, bytes)| bytes).sum();
        if bytes > self.limit.saturating_sub(spent) {
            return false;
        }
        match self.spent.back_mut() {
            Some((then, sum)) if *then == interval => *sum += bytes,
            _ => self.spent.push_back((interval, bytes)),
        }
        true
    }

    /// Gives back bytes of the last [`take`](Self::take) that were not transferred.
    pub fn give_back(&mut self, bytes: u64) {
        if let Some((_, sum)) = self.spent.back_mut() {
            *sum = sum.saturating_sub(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_are_free_again_after_an_hour() {
        let mut budget = HourlyBudget::new(100);
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        assert!(
            budget.take(60, minutes(0))
                && budget.take(40, minutes(30))
                && !budget.take(1, minutes(60))
        );
        assert!(budget.take(60, minutes(61)) && !budget.take(1, minutes(61)));
        assert!(!HourlyBudget::new(100).take(101, minutes(0)));
        budget.give_back(60);
        assert!(budget.take(60, minutes(61)) && !budget.take(1, minutes(61)));
    }

    proptest! {
        #[test]
        fn no_hour_exceeds_the_limit(requests in prop::collection::vec((0_u64..900, 1_u64..400), 1..200)) {
            let mut budget = HourlyBudget::new(1000);
            let (mut now, mut taken) = (0, Vec::new());
            for (wait, bytes) in requests {
                now += wait;
                if budget.take(bytes, Duration::from_secs(now)) {
                    taken.push((now, bytes));
                }
                let hour: u64 = taken.iter().filter(|(then, _)| then + 3600 > now).map(|(_, bytes)| bytes).sum();
                prop_assert!(hour <= 1000);
            }
        }
    }
}
