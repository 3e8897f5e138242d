use std::time::Duration;

use serde::{Deserialize, Serialize};

/// No repetition could begin with all ranks in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error(
    "a rank missed the common start {tries} times in a row, at last by {late:?} although it was announced {slack:?} \
     before; the machine is overloaded: use at most one rank per core, or time with each rank's own clock"
)]
pub struct LateStart {
    /// How often it was tried.
    pub tries: u32,
    /// How late the last rank was at the last try.
    pub late: Duration,
    /// How long before the start it was told.
    pub slack: Duration,
}

/// How long before a common start it is told.
///
/// All ranks have the same pace, since they follow it by numbers that all of them know.
#[derive(Debug)]
pub(super) struct Pace {
    /// Never less than this, in seconds.
    least: f64,
    /// How long now, in seconds.
    pub slack: f64,
    /// How often in a row a rank was late.
    late: u32,
}

/// So many times the time of a broadcast is enough where nothing comes between: 5.
const BROADCASTS: f64 = 5.0;

/// The shortest and the longest time between telling and starting, in seconds.
const BOUNDS: (f64, f64) = (20e-6, 1.0);

/// Where more time helps there is so much more of it, and after each repetition in time so much less: with these about one
/// in eight is late where broadcasts take unequal times, and hardly any where they do not.
const CHANGES: (f64, f64) = (2.0, 0.9);

/// A rank that was late by more than it had to get ready was held up by something else, and more time would not help;
/// unless it happens so often in a row.
const OFTEN: u32 = 3;

/// This often in a row is too often. The longest time is reached long before.
const TRIES: u32 = 30;

impl Pace {
    /// For ranks that hear of a broadcast after so many seconds.
    pub fn new(broadcast: f64) -> Self {
        let least = (BROADCASTS * broadcast).clamp(BOUNDS.0, BOUNDS.1);
        Self { least, slack: least, late: 0 }
    }

    /// A repetition has been tried: its last rank was late by so many seconds, 0 for none. Whether it counts.
    pub fn tried(&mut self, late: f64) -> Result<bool, LateStart> {
        if late <= 0.0 {
            self.late = 0;
            self.slack = (self.slack * CHANGES.1).max(self.least);
            return Ok(true);
        }
        self.late += 1;
        if self.late >= TRIES {
            let duration = |seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
            return Err(LateStart { tries: self.late, late: duration(late), slack: duration(self.slack) });
        }
        if late <= self.slack || self.late >= OFTEN {
            self.slack = (self.slack * CHANGES.0).min(BOUNDS.1);
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_slackens_while_ranks_are_late_and_gives_up_in_the_end() {
        let mut pace = Pace::new(1e-4);
        assert_eq!(pace.tried(0.0), Ok(true));
        assert!((pace.slack - 5e-4).abs() < 1e-15);
        assert_eq!((pace.tried(4e-4), pace.tried(9e-4)), (Ok(false), Ok(false)));
        assert!((pace.slack - 2e-3).abs() < 1e-15);
        assert_eq!(pace.tried(0.0), Ok(true));
        assert_eq!((pace.tried(1e-2), pace.tried(1e-2)), (Ok(false), Ok(false)));
        assert!((pace.slack - 1.8e-3).abs() < 1e-15);
        assert_eq!(pace.tried(1e-2), Ok(false));
        assert!((pace.slack - 3.6e-3).abs() < 1e-15);
        for _ in 0..100 {
            assert_eq!(pace.tried(0.0), Ok(true));
        }
        assert!((pace.slack - 5e-4).abs() < 1e-15);
        let end = (0..TRIES).map(|_| pace.tried(0.5)).find_map(Result::err);
        let slack = Duration::from_secs_f64(BOUNDS.1);
        assert_eq!(end, Some(LateStart { tries: TRIES, late: Duration::from_millis(500), slack }));
    }
}
