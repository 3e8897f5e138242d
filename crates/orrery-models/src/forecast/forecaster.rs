//! The forecaster of a series: all forecasters of NWS, two of our own, and a mixture of them with
//! intervals.

use std::collections::VecDeque;
use std::fmt;

use super::interval::{ConformalInterval, Coverage};
use super::level::Level;
use super::mixture::Mixture;
use super::nws::{NWS_COUNT, NwsForecaster, NwsForecasters};
use super::options::{ForecastError, ForecastOptions};
use super::primary::{PRIMARY_COUNT, Primary};
use super::seasonal::DailyCourse;
use super::series;
use super::window::Window;
use orrery_base::units::Seconds;

/// The number of forecasters besides those of NWS and the mixture.
const OWN_COUNT: usize = 2;

/// The number of forecasters besides the mixture.
const SINGLE_COUNT: usize = NWS_COUNT + OWN_COUNT;

/// The number of forecasters in the mixture: the primary ones of NWS and our own.
const EXPERT_COUNT: usize = PRIMARY_COUNT + OWN_COUNT;

/// The number of last spacings whose median is the spacing of the samples to come.
const SPACINGS: usize = 31;

/// A method of forecasting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The weighted mean of the primary forecasters of NWS, the daily course and the level: the
    /// forecast that is given.
    Mixture,
    /// A forecaster of the Network Weather Service.
    Nws(NwsForecaster),
    /// The usual value at the time of day plus the recent deviation; the last value during the
    /// first day.
    DailyCourse,
    /// The mean since the last change of level.
    Level,
}

impl Method {
    /// All methods, in the order of [`SeriesForecaster::candidates`].
    pub fn all() -> impl Iterator<Item = Self> {
        let single = NwsForecaster::all().map(Self::Nws).chain([Self::DailyCourse, Self::Level]);
        std::iter::once(Self::Mixture).chain(single)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mixture => f.write_str("mixture"),
            Self::Nws(forecaster) => forecaster.fmt(f),
            Self::DailyCourse => f.write_str("daily course"),
            Self::Level => f.write_str("level since last change"),
        }
    }
}

/// A method with its errors so far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// The method.
    pub method: Method,
    /// Its present forecast.
    pub forecast: f64,
    /// The mean absolute error of its past forecasts at the horizon; `None` without any.
    pub mean_absolute_error: Option<f64>,
    /// Its weight in the mixture; `None` if it is not part of it.
    pub weight: Option<f64>,
}

/// A forecast with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    /// The time it is for; `None` if one sample gives no spacing.
    pub time: Option<Seconds>,
    /// The expected value.
    pub value: f64,
    /// The ends of the prediction interval; `None` if there were too few forecasts to know their
    /// errors.
    pub interval: Option<(f64, f64)>,
    /// The measured coverage of the last intervals, up to 500.
    pub coverage: Coverage,
    /// The number of further samples before there is an interval.
    pub missing_samples: usize,
}

/// The forecast for a value that has arrived.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// The forecast.
    pub forecast: f64,
    /// The ends of its prediction interval.
    pub interval: Option<(f64, f64)>,
    /// The value that arrived.
    pub value: f64,
    /// The forecasts of the primary forecasters of NWS, in the order of [`Primary::ALL`].
    pub primaries: [f64; Primary::ALL.len()],
}

impl Outcome {
    /// The absolute error |value − forecast|.
    pub fn error(&self) -> f64 {
        (self.value - self.forecast).abs()
    }

    /// Returns true if the value is in the interval; `None` without an interval.
    pub fn is_inside(&self) -> Option<bool> {
        self.interval.map(|(low, high)| (low..=high).contains(&self.value))
    }
}

/// A forecast whose value has not arrived.
#[derive(Debug, Clone)]
struct Pending {
    single: [f64; SINGLE_COUNT],
    mixture: f64,
    /// The mixture within the bounds.
    value: f64,
    interval: Option<(f64, f64)>,
}

/// Forecasts a series some samples ahead, from the errors of past forecasts at this horizon.
///
/// An update takes time O(log w) in the size w of the windows. Memory grows with the horizon.
///
/// ```
/// use orrery_models::forecast::{ForecastOptions, SeriesForecaster};
/// use orrery_base::units::Seconds;
/// let mut forecaster = SeriesForecaster::new(ForecastOptions::default().with_steps(2)?);
/// for minute in 0..100 {
///     forecaster.update(Seconds::new(60.0 * f64::from(minute)), if minute % 2 == 0 { 10.0 } else { 11.0 })?;
/// }
/// let forecast = forecaster.forecast().expect("there are samples");
/// let (low, high) = forecast.interval.expect("there are enough of them");
/// assert_eq!(forecast.time, Some(Seconds::new(6060.0)));
/// assert!(low <= 11.0 && high >= 11.0 && (forecast.value - 11.0).abs() < 0.1);
/// # Ok::<(), orrery_models::forecast::ForecastError>(())
/// ```
#[derive(Debug, Clone)]
pub struct SeriesForecaster {
    options: ForecastOptions,
    nws: NwsForecasters,
    daily: DailyCourse,
    level: Level,
    mixture: Mixture<EXPERT_COUNT>,
    interval: ConformalInterval,
    spacings: Window,
    last_time: Option<Seconds>,
    /// The forecasts of the last `steps` samples, the oldest first.
    pending: VecDeque<Pending>,
    /// The sums of absolute errors: the mixture, then the others.
    errors: [f64; 1 + SINGLE_COUNT],
    /// The number of errors in each sum.
    count: u64,
}

impl SeriesForecaster {
    /// A forecaster before the first sample.
    pub fn new(options: ForecastOptions) -> Self {
        Self {
            options,
            nws: NwsForecasters::default(),
            daily: DailyCourse::default(),
            level: Level::default(),
            mixture: Mixture::default(),
            interval: ConformalInterval::new(options.level),
            spacings: Window::new(SPACINGS, SPACINGS),
            last_time: None,
            pending: VecDeque::new(),
            errors: [0.0; 1 + SINGLE_COUNT],
            count: 0,
        }
    }

    /// Appends a sample; returns the forecast that was made for it, if one was.
    ///
    /// # Errors
    ///
    /// Returns an error, and ignores the sample, if a number is not finite or too large, or the
    /// time is before the last one.
    pub fn update(&mut self, time: Seconds, value: f64) -> Result<Option<Outcome>, ForecastError> {
        series::check(value)?;
        series::check(time.get())?;
        if self.last_time.is_some_and(|last| time < last) {
            return Err(ForecastError::Order {
                sample: self.count as usize + self.pending.len() + 1,
            });
        }
        // The forecast for this value is evaluated first: what is learnt from its error is used for
        // the next one.
        let due =
            if self.pending.len() == self.options.steps { self.pending.pop_front() } else { None };
        let outcome = due.map(|due| self.evaluate(&due, value));
        self.nws.update(value);
        self.daily.update(time, value);
        let recent_median = self.nws.forecasts().map_or(value, |forecasts| forecasts[MEDIAN_OF_5]);
        self.level.update(value, recent_median);
        self.add_spacing(time);
        self.last_time = Some(time);
        self.pending.extend(self.make());
        Ok(outcome)
    }

    /// Records the errors of a forecast whose value has arrived.
    fn evaluate(&mut self, due: &Pending, value: f64) -> Outcome {
        let forecasts = std::iter::once(due.value).chain(due.single);
        self.errors
            .iter_mut()
            .zip(forecasts)
            .for_each(|(sum, forecast)| *sum += (forecast - value).abs());
        self.count += 1;
        self.mixture.update(&experts(&due.single), due.mixture, value);
        self.interval.update(value - due.mixture, value, due.interval);
        let primaries = std::array::from_fn(|k| due.single[k]);
        Outcome { forecast: due.value, interval: due.interval, value, primaries }
    }

    /// Adds the time since the last sample to the spacings; equal times give none.
    fn add_spacing(&mut self, time: Seconds) {
        let Some(last) = self.last_time else { return };
        if time > last {
            self.spacings.push((time - last).get());
        }
    }

    /// Makes the forecasts for the value at the horizon from the samples so far; `None` without
    /// samples.
    fn make(&self) -> Option<Pending> {
        let nws = self.nws.forecasts()?;
        // Without a time of day, or on the first day: the last value.
        let daily = self.target_time().and_then(|time| self.daily.forecast(time)).unwrap_or(nws[0]);
        let mut single = [0.0; SINGLE_COUNT];
        single[..NWS_COUNT].copy_from_slice(nws);
        single[NWS_COUNT..].copy_from_slice(&[daily, self.level.mean()]);
        let mixture = self.mixture.combine(&experts(&single));
        // The mixture learns without the bounds, which would hide how far it is off.
        let bounds = self.options.bounds;
        let interval =
            self.interval.ends().map(|(lower, upper)| (mixture + lower, mixture + upper));
        let interval = interval.map(|(low, high)| (bounds.limit(low), bounds.limit(high)));
        Some(Pending { single, mixture, value: bounds.limit(mixture), interval })
    }

    /// The time of the forecast: the usual spacing for each sample of the horizon after the last
    /// one; `None` without a spacing.
    fn target_time(&self) -> Option<Seconds> {
        let spacing = self.spacing()?;
        self.last_time.map(|last| last + Seconds::new(spacing.get() * self.options.steps as f64))
    }

    /// The usual spacing of the samples: the median of the last 31 spacings above 0; `None` without
    /// any.
    pub fn spacing(&self) -> Option<Seconds> {
        self.spacings.median().map(Seconds::new)
    }

    /// The forecast from the last sample; `None` before the first one.
    pub fn forecast(&self) -> Option<Forecast> {
        self.pending.back().map(|made| Forecast {
            time: self.target_time(),
            value: made.value,
            interval: made.interval,
            coverage: self.interval.recent(),
            missing_samples: match self.interval.missing_errors() {
                0 => 0,
                missing => missing + self.options.steps - self.pending.len(),
            },
        })
    }

    /// All methods with their present forecasts and past errors, in the order of [`Method::all`];
    /// empty before the first sample.
    pub fn candidates(&self) -> Vec<Candidate> {
        let Some(made) = self.pending.back() else { return Vec::new() };
        let forecasts = std::iter::once(made.value).chain(made.single);
        let methods = Method::all().zip(forecasts).zip(self.errors);
        let candidate = |((method, forecast), sum): ((Method, f64), f64)| Candidate {
            method,
            forecast,
            mean_absolute_error: (self.count > 0).then(|| sum / self.count as f64),
            weight: None,
        };
        let mut candidates: Vec<Candidate> = methods.map(candidate).collect();
        let (primaries, own) = self.mixture.weights().split_at(PRIMARY_COUNT);
        let (first, last) = candidates.split_at_mut(1 + NWS_COUNT);
        let weighted = first[1..].iter_mut().zip(primaries).chain(last.iter_mut().zip(own));
        weighted.for_each(|(candidate, weight)| candidate.weight = Some(*weight));
        candidates
    }

    /// The number of changes of level so far.
    pub fn level_changes(&self) -> u64 {
        self.level.changes()
    }
}

/// The index of the median of the last 5 values among the forecasters of NWS.
const MEDIAN_OF_5: usize = 11;

/// The forecasts that the mixture combines: those of the primary forecasters, and the single ones
/// that are not of the Network Weather Service.
fn experts(single: &[f64; SINGLE_COUNT]) -> [f64; EXPERT_COUNT] {
    std::array::from_fn(|k| {
        if k < PRIMARY_COUNT { single[k] } else { single[NWS_COUNT + k - PRIMARY_COUNT] }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_5_has_its_index() {
        assert_eq!(Primary::ALL[MEDIAN_OF_5], Primary::Median(5));
        assert_eq!(
            (Method::all().count(), NwsForecaster::all().count()),
            (1 + SINGLE_COUNT, NWS_COUNT)
        );
    }
}
