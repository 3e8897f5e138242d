//! A measured quantity over time: samples in order of time, their spacing, and gaps.

use orrery_base::numeric::median;
use orrery_base::units::Seconds;

use super::error::ForecastError;

/// The maximum magnitude of values and times: squares and sums of errors remain finite numbers.
pub const MAX_MAGNITUDE: f64 = 1e100;

/// A spacing of samples above this multiple of the usual one is a gap.
const MIN_GAP: f64 = 1.5;

/// The samples of a quantity in order of time. Spacing may vary, and several samples may have one
/// time.
///
/// ```
/// use orrery_models::forecast::Series;
/// use orrery_base::units::Seconds;
/// let times = [0.0, 60.0, 120.0, 300.0, 360.0].map(Seconds::new);
/// let series = Series::new(times.to_vec(), vec![1.0, 2.0, 3.0, 4.0, 5.0])?;
/// assert_eq!(series.spacing(), Some(Seconds::new(60.0)));
/// assert_eq!(series.gaps().map(|gap| gap.missing).collect::<Vec<_>>(), [2]);
/// # Ok::<(), orrery_models::forecast::ForecastError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    times: Vec<Seconds>,
    values: Vec<f64>,
}

/// A time without samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// The time of the last sample before it.
    pub from: Seconds,
    /// The time of the first sample after it.
    pub to: Seconds,
    /// The number of missing samples, from the usual spacing.
    pub missing: u64,
}

impl Series {
    /// A series of values at times.
    ///
    /// # Errors
    ///
    /// Returns an error if the numbers of times and values differ, times decrease, or a number is
    /// not finite or above [`MAX_MAGNITUDE`].
    pub fn new(times: Vec<Seconds>, values: Vec<f64>) -> Result<Self, ForecastError> {
        if times.len() != values.len() {
            return Err(ForecastError::Lengths { times: times.len(), values: values.len() });
        }
        values.iter().copied().try_for_each(check)?;
        times.iter().map(|time| time.get()).try_for_each(check)?;
        match times.windows(2).position(|pair| pair[1] < pair[0]) {
            Some(before) => Err(ForecastError::Order { sample: before + 2 }),
            None => Ok(Self { times, values }),
        }
    }

    /// A series of samples that are in order and within limits.
    pub(super) fn of_checked(samples: Vec<(Seconds, f64)>) -> Self {
        let (times, values) = samples.into_iter().unzip();
        Self { times, values }
    }

    /// The times in order.
    pub fn times(&self) -> &[Seconds] {
        &self.times
    }

    /// The values in order of time.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The usual time between samples: the median of all spacings above zero. `None` if there is
    /// none.
    pub fn spacing(&self) -> Option<Seconds> {
        let spacings: Vec<f64> = self.spacings().filter(|spacing| *spacing > 0.0).collect();
        (!spacings.is_empty()).then(|| Seconds::new(median(&spacings)))
    }

    /// The gaps: times without samples of more than 1.5 usual spacings.
    pub fn gaps(&self) -> impl Iterator<Item = Gap> {
        let spacing = self.spacing().unwrap_or(Seconds::new(f64::INFINITY));
        self.times.windows(2).filter(move |pair| pair[1] - pair[0] > spacing * MIN_GAP).map(
            move |pair| {
                let missing = ((pair[1] - pair[0]) / spacing).round() as u64;
                Gap { from: pair[0], to: pair[1], missing: missing.saturating_sub(1).max(1) }
            },
        )
    }

    /// The fraction of spacings that differ from the usual one by more than half of it; 0 without
    /// spacings.
    pub fn irregularity(&self) -> f64 {
        let (Some(spacing), count) = (self.spacing(), self.times.len().saturating_sub(1)) else {
            return 0.0;
        };
        let usual = spacing.get();
        self.spacings().filter(|one| (one - usual).abs() > usual / 2.0).count() as f64
            / count.max(1) as f64
    }

    fn spacings(&self) -> impl Iterator<Item = f64> {
        self.times.windows(2).map(|pair| (pair[1] - pair[0]).get())
    }
}

/// Checks that a value can be forecast from.
///
/// # Errors
///
/// Returns an error if it is not finite or above [`MAX_MAGNITUDE`].
pub(super) fn check(value: f64) -> Result<(), ForecastError> {
    if value.abs() <= MAX_MAGNITUDE { Ok(()) } else { Err(ForecastError::Value { value }) }
}
