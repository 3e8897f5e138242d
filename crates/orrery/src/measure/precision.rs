use crate::numeric::relative_half_width;

/// How often an experiment is repeated.
///
/// After `min_reps` readings it stops as soon as half the width of Student's interval of the mean at `level`, relative to
/// the mean, is at most `eps`, and at `max_reps` in any case. A rule that looks at the interval itself stops rather when
/// the interval happens to be narrow: a nominal 95 % interval of one mean then covers about 92 %. Fits pool the spread
/// over experiments and do not suffer from it. Source: MPIBlib, whose defaults these are.
///
/// ```
/// use orrery::measure::Precision;
/// let precision = Precision::default();
/// assert_eq!(precision.more(&[]), 5);
/// assert_eq!(precision.more(&[1.0, 1.0, 1.0, 1.001, 1.0]), 0);
/// assert!(precision.more(&[1.0, 1.5, 1.0, 1.4, 1.0]) > 0);
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
}

impl Default for Precision {
    fn default() -> Self {
        Self { min_reps: 5, max_reps: 100, level: 0.95, eps: 0.025 }
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
        let width = relative_half_width(readings, self.level);
        if taken >= self.max_reps || width <= self.eps {
            return 0;
        }
        let wanted = f64::from(taken) * (width / self.eps).powi(2);
        let more = (wanted - f64::from(taken)).ceil().clamp(1.0, f64::from(taken.max(1))) as u32;
        more.min(self.max_reps - taken)
    }
}
