use std::time::Duration;

use crate::machine::LateStart;

/// The lead with which a common start is announced, adapted to the delays of ranks.
///
/// It is equal on all ranks, since it depends only on numbers that all ranks have.
#[derive(Debug)]
pub(super) struct StartLead {
    /// The smallest lead in seconds.
    min_seconds: f64,
    /// The current lead in seconds.
    pub seconds: f64,
    /// The number of late repetitions in a row.
    late_in_a_row: u32,
}

/// The smallest lead as a multiple of the time of a broadcast.
const BROADCASTS: f64 = 5.0;

/// The smallest and the largest lead in seconds.
const BOUNDS: (f64, f64) = (20e-6, 1.0);

/// The factor of the lead after a late repetition. With this factor and [`SHRINKAGE`], about one
/// repetition in eight is late if broadcasts take unequal times, and hardly any if they do not.
const GROWTH: f64 = 2.0;

/// The factor of the lead after a repetition that was in time.
const SHRINKAGE: f64 = 0.9;

/// The number of late repetitions in a row after which a longer lead is tried although a rank was
/// late by more than the lead. Fewer of them have other causes, for which a longer lead does not
/// help.
const MIN_LATE_IN_A_ROW: u32 = 3;

/// The number of late repetitions in a row that is an error. The longest lead is reached long
/// before.
const MAX_TRIES: u32 = 30;

impl StartLead {
    /// The lead for ranks that a broadcast reaches in this number of seconds.
    pub fn new(broadcast: f64) -> Self {
        let min_seconds = (BROADCASTS * broadcast).clamp(BOUNDS.0, BOUNDS.1);
        Self { min_seconds, seconds: min_seconds, late_in_a_row: 0 }
    }

    /// Adapts the lead after a repetition whose last rank was late by this number of seconds, 0 if
    /// none was. Returns true if the repetition counts, false if it must be repeated; an error
    /// after [`MAX_TRIES`] late ones in a row.
    pub fn adapt(&mut self, late: f64) -> Result<bool, LateStart> {
        if late <= 0.0 {
            self.late_in_a_row = 0;
            self.seconds = (self.seconds * SHRINKAGE).max(self.min_seconds);
            return Ok(true);
        }
        self.late_in_a_row += 1;
        if self.late_in_a_row >= MAX_TRIES {
            let duration = |seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
            let (late, lead) = (duration(late), duration(self.seconds));
            return Err(LateStart { tries: self.late_in_a_row, late, lead });
        }
        if late <= self.seconds || self.late_in_a_row >= MIN_LATE_IN_A_ROW {
            self.seconds = (self.seconds * GROWTH).min(BOUNDS.1);
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lead_grows_while_ranks_are_late_until_it_is_an_error() {
        let mut lead = StartLead::new(1e-4);
        assert_eq!(lead.adapt(0.0), Ok(true));
        assert!((lead.seconds - 5e-4).abs() < 1e-15);
        assert_eq!((lead.adapt(4e-4), lead.adapt(9e-4)), (Ok(false), Ok(false)));
        assert!((lead.seconds - 2e-3).abs() < 1e-15);
        assert_eq!(lead.adapt(0.0), Ok(true));
        assert_eq!((lead.adapt(1e-2), lead.adapt(1e-2)), (Ok(false), Ok(false)));
        assert!((lead.seconds - 1.8e-3).abs() < 1e-15);
        assert_eq!(lead.adapt(1e-2), Ok(false));
        assert!((lead.seconds - 3.6e-3).abs() < 1e-15);
        for _ in 0..100 {
            assert_eq!(lead.adapt(0.0), Ok(true));
        }
        assert!((lead.seconds - 5e-4).abs() < 1e-15);
        let end = (0..MAX_TRIES).map(|_| lead.adapt(0.5)).find_map(Result::err);
        let longest = Duration::from_secs_f64(BOUNDS.1);
        assert_eq!(
            end,
            Some(LateStart { tries: MAX_TRIES, late: Duration::from_millis(500), lead: longest })
        );
    }
}
