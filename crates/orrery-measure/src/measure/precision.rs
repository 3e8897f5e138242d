use orrery_base::numeric::{relative_half_width, relative_half_width_of_median};

/// The statistic of the readings whose interval decides when an experiment ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Statistic {
    /// The median or the mean, whichever interval is narrower: for point-to-point experiments,
    /// whose fits use medians. A late packet then does not cause a hundred repetitions.
    #[default]
    Median,
    /// The mean with all outliers: for operations that escalate rarely, which a median does not
    /// show.
    Mean,
}

/// The rule that decides how often an experiment is repeated.
///
/// After `min_reps` readings it stops as soon as the half-width of an interval at `level`, relative
/// to its centre, is at most `eps`, and at `max_reps` in any case. The interval is Student's
/// interval of the mean, and with [`Statistic::Median`] also that of the median between two order
/// statistics, from six readings on: one late reading spoils the first for a hundred readings, the
/// second for ten. A rule that depends on the interval tends to stop when the interval happens to
/// be narrow: a nominal 95 % interval of one mean then covers about 92 %. Fits pool the spread over
/// experiments and are not affected.
///
/// Source: MPIBlib, for the rule of the mean and the defaults; for the interval of the median
/// Hollander, Wolfe, "Nonparametric statistical methods", section 3.6.
///
/// ```
/// use orrery_measure::measure::{Statistic, Precision};
/// let precision = Precision::default();
/// assert_eq!(precision.next_repetitions(&[]), 5);
/// assert_eq!(precision.next_repetitions(&[1.0, 1.0, 1.0, 1.001, 1.0]), 0);
/// assert!(precision.next_repetitions(&[1.0, 1.5, 1.0, 1.4, 1.0]) > 0);
/// let late = [1.0, 9.0, 1.0, 1.001, 1.0, 1.0, 1.0, 1.002, 1.0, 1.0];
/// assert_eq!(precision.next_repetitions(&late), 0);
/// assert_eq!(Precision { statistic: Statistic::Mean, ..precision }.next_repetitions(&late), 10);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precision {
    /// The minimum number of readings.
    pub min_reps: u32,
    /// The maximum number of readings.
    pub max_reps: u32,
    /// The level of the interval, between 0 and 1.
    pub level: f64,
    /// The largest relative half-width of the interval at which it stops.
    pub eps: f64,
    /// The statistic of the interval.
    pub statistic: Statistic,
}

impl Default for Precision {
    fn default() -> Self {
        Self { min_reps: 5, max_reps: 100, level: 0.95, eps: 0.025, statistic: Statistic::Median }
    }
}

/// The memory in bytes of a reading: in the batch, in the samples, and for the decision how often
/// to repeat.
pub const MEMORY_PER_READING: u64 = 96;

impl Precision {
    /// The default rule with this largest relative half-width of the interval.
    pub fn within(eps: f64) -> Self {
        Self { eps, ..Self::default() }
    }

    /// This rule with at least this number of readings.
    #[must_use]
    pub fn at_least(self, readings: u32) -> Self {
        let min_reps = self.min_reps.max(readings);
        Self { min_reps, max_reps: self.max_reps.max(min_reps), ..self }
    }

    /// Returns the number of readings that are missing before the next decision.
    ///
    /// The rule is replayed on the readings from the first on, so that an interrupted campaign
    /// takes as many readings as an uninterrupted one.
    pub fn outstanding(&self, readings: &[f64]) -> u32 {
        let mut decided = 0;
        while decided <= readings.len() {
            match self.next_repetitions(&readings[..decided]) {
                0 => return 0,
                more => decided += more as usize,
            }
        }
        (decided - readings.len()) as u32
    }

    /// Returns the number of further readings before the next decision; 0 if no more are needed.
    ///
    /// It is the number that the spread so far requires, but at most doubles the readings.
    pub fn next_repetitions(&self, readings: &[f64]) -> u32 {
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

    /// Returns the half-width of the interval of the statistic relative to its centre.
    fn relative_half_width(&self, readings: &[f64]) -> f64 {
        let of_mean = relative_half_width(readings, self.level);
        match self.statistic {
            Statistic::Median if of_mean > self.eps => {
                of_mean.min(relative_half_width_of_median(readings, self.level))
            }
            _ => of_mean,
        }
    }
}
