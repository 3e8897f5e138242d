use crate::numeric::{relative_half_width, relative_half_width_of_median};

/// What an experiment is to tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Statistic {
    /// Where its readings lie: known when either their mean or their median is. This is what fits take of
    /// point-to-point experiments; a late packet does not call for a hundred readings then.
    #[default]
    Median,
    /// The mean with all that is far off: of operations that escalate now and then, which a median does not see.
    Mean,
}

/// How often an experiment is repeated.
///
/// After `min_reps` readings it stops as soon as half the width of an interval at `level`, relative to its statistic, is at most
/// `eps`, and at `max_reps` in any case. The interval is Student's of the mean, and where [`Statistic::Median`] is asked for
/// also that of the median between two ordered readings, from six readings on: one reading that is late by far spoils the
/// first for a hundred readings, the second for ten. A rule that looks at the interval itself stops rather when
/// the interval happens to be narrow: a nominal 95 % interval of one mean then covers about 92 %. Fits pool the spread
/// over experiments and do not suffer from it. Source: MPIBlib, for the rule of the mean and the defaults; the interval of
/// the median: Hollander, Wolfe, "Nonparametric statistical methods", section 3.6.
///
/// ```
/// use orrery::measure::{Statistic, Precision};
/// let precision = Precision::default();
/// assert_eq!(precision.more(&[]), 5);
/// assert_eq!(precision.more(&[1.0, 1.0, 1.0, 1.001, 1.0]), 0);
/// assert!(precision.more(&[1.0, 1.5, 1.0, 1.4, 1.0]) > 0);
/// let late = [1.0, 9.0, 1.0, 1.001, 1.0, 1.0, 1.0, 1.002, 1.0, 1.0];
/// assert_eq!(precision.more(&late), 0);
/// assert_eq!(Precision { statistic: Statistic::Mean, ..precision }.more(&late), 10);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precision {
    /// The least number of readings.
    pub min_reps: u32,
    /// The largest number of readings.
    pub max_reps: u32,
    /// The level of the interval.
    pub level: f64,
    /// The relative half-width at which it stops.
    pub eps: f64,
    /// Of what.
    pub statistic: Statistic,
}

impl Default for Precision {
    fn default() -> Self {
        Self { min_reps: 5, max_reps: 100, level: 0.95, eps: 0.025, statistic: Statistic::Median }
    }
}

impl Precision {
    /// How many readings are still to be taken before the next decision.
    ///
    /// The readings are gone through as if they came now: what an interruption has torn is completed first, so that a
    /// campaign that was interrupted takes as many readings as one that was not.
    pub fn outstanding(&self, readings: &[f64]) -> u32 {
        let mut decided = 0;
        while decided <= readings.len() {
            match self.more(&readings[..decided]) {
                0 => return 0,
                more => decided += more as usize,
            }
        }
        (decided - readings.len()) as u32
    }

    /// How many more readings to take before the rule is asked again; 0 when it is content.
    ///
    /// It aims at the number that the present spread asks for, and at most doubles what is there.
    pub fn more(&self, readings: &[f64]) -> u32 {
        let taken = readings.len() as u32;
        if taken < self.min_reps {
            return self.min_reps - taken;
        }
        let width = self.relative_half_width(readings);
        if taken >= self.max_reps || width <= self.eps {
            return 0;
        }
        let wanted = f64::from(taken) * (width / self.eps).powi(2);
        let more = (wanted - f64::from(taken)).ceil().clamp(1.0, f64::from(taken.max(1))) as u32;
        more.min(self.max_reps - taken)
    }

    fn relative_half_width(&self, readings: &[f64]) -> f64 {
        let of_mean = relative_half_width(readings, self.level);
        match self.statistic {
            Statistic::Median if of_mean > self.eps => of_mean.min(relative_half_width_of_median(readings, self.level)),
            _ => of_mean,
        }
    }
}
