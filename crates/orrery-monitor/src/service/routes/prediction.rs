//! What the service says of a series: its last sample, its forecast, and whether the forecast is
//! worth anything.

use orrery::units::Seconds;
use serde::Serialize;

use super::super::board::LiveSeries;
use super::super::tracker::{MAX_FORECAST_AHEAD, Tracked};
use crate::timestamp::Timestamp;

/// The age of the last sample above which a series is stale, in spacings.
const MAX_SPACINGS: f64 = 3.0;

/// The age of the last sample above which a series without known spacing is stale, in seconds.
const MAX_AGE: f64 = 300.0;

/// The number of standard deviations below the level at which the measured coverage gives a
/// warning.
const MAX_DEVIATIONS: f64 = 3.0;

/// The least number of intervals whose coverage can give a warning.
const MIN_INTERVALS: u64 = 50;

/// A series with its last sample and its forecast.
#[derive(Debug, Serialize)]
pub(in super::super) struct SeriesState<'a> {
    pub(super) series: &'a str,
    pub(super) host: &'a str,
    pub(super) quantity: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) target: Option<&'a str>,
    pub(super) unit: &'static str,
    /// The last sample; `None` before the first one.
    pub(in super::super) last: Option<LastSample>,
    /// The usual time between samples in seconds.
    pub(in super::super) spacing: Option<f64>,
    /// True if the last sample is more than three spacings old, or ahead.
    pub(in super::super) stale: bool,
    pub(in super::super) forecast: Option<Prediction>,
    /// Why the forecast may be worthless.
    pub(super) warnings: Vec<String>,
}

/// The last sample of a series.
#[derive(Debug, Clone, Copy, Serialize)]
pub(in super::super) struct LastSample {
    pub(super) time: f64,
    pub(in super::super) value: f64,
    /// In seconds; 0 if it is ahead.
    pub(in super::super) age: f64,
    /// The time by which it is ahead, in seconds; 0 if it is not.
    pub(in super::super) ahead: f64,
}

/// A forecast with its interval.
#[derive(Debug, Clone, Copy, Serialize)]
pub(in super::super) struct Prediction {
    /// The time it is for; `None` if one sample gives no spacing.
    pub(super) time: Option<f64>,
    pub(in super::super) value: f64,
    pub(in super::super) low: Option<f64>,
    pub(in super::super) high: Option<f64>,
    pub(super) level: f64,
    /// The part of the last intervals that contained the value.
    pub(super) coverage: Option<f64>,
    /// The number of these intervals, up to 500.
    pub(super) intervals: u64,
    /// The number of samples that the forecast is made from.
    pub(super) samples: u64,
}

impl<'a> SeriesState<'a> {
    /// The state of a series with one of its forecasts, `None` for none. The series is stale
    /// without samples, if the last one is older than three spacings, or [`MAX_AGE`] seconds if
    /// the spacing is unknown, and if it is ahead by more than [`MAX_FORECAST_AHEAD`] or was so when it
    /// arrived.
    pub(in super::super) fn new(
        series: &'a LiveSeries,
        tracked: Option<Tracked>,
        now: Timestamp,
    ) -> Self {
        let name = &series.name;
        let newest = series.last();
        let last = newest.map(|last| LastSample {
            time: last.time.seconds().get(),
            value: last.value,
            age: now.since(last.time).get().max(0.0),
            ahead: last.time.since(now).get().max(0.0),
        });
        let spacing = tracked.and_then(|tracked| tracked.spacing).map(Seconds::get);
        let max_age = spacing.map_or(MAX_AGE, |spacing| MAX_SPACINGS * spacing);
        let is_ahead = newest.is_some_and(|last| last.is_ahead(now));
        let stale = last.is_none_or(|last| is_ahead || last.age > max_age);
        let mut warnings = Vec::new();
        match last {
            None => warnings.push("there are no samples".to_owned()),
            Some(last) if last.ahead > max_age.min(MAX_FORECAST_AHEAD.get()) => {
                warnings.push(format!(
                    "the last sample is {:.0} s ahead: a clock is wrong",
                    last.ahead
                ));
            }
            Some(_) if is_ahead => {
                warnings
                    .push("the last sample was ahead when it arrived: a clock is wrong".to_owned());
            }
            Some(last) if stale => {
                warnings.push(format!(
                    "the last sample is {:.0} s old: the series may have ended",
                    last.age
                ));
            }
            Some(_) => {}
        }
        warnings.extend(tracked.iter().flat_map(warnings_of));
        Self {
            series: &series.text,
            host: name.host(),
            quantity: name.quantity().name(),
            target: name.target(),
            unit: name.quantity().unit(),
            last,
            spacing,
            stale,
            forecast: tracked.map(|tracked| Prediction::of(&tracked)),
            warnings,
        }
    }
}

impl Prediction {
    /// The forecast in the form of an answer.
    fn of(tracked: &Tracked) -> Self {
        let Tracked { forecast, options, samples, .. } = tracked;
        Self {
            time: forecast.time.map(Seconds::get),
            value: forecast.value,
            low: forecast.interval.map(|(low, _)| low),
            high: forecast.interval.map(|(_, high)| high),
            level: options.level(),
            coverage: forecast.coverage.fraction(),
            intervals: forecast.coverage.count,
            samples: *samples,
        }
    }
}

/// The reasons why a forecast may be worthless.
fn warnings_of(tracked: &Tracked) -> impl Iterator<Item = String> {
    let (forecast, level) = (&tracked.forecast, tracked.options.level());
    let missing = (forecast.missing_samples > 0).then(|| {
        format!("few samples: there is no interval before {} more", forecast.missing_samples)
    });
    // The standard deviation of the coverage of n independent intervals is √(level·(1 − level)/n).
    let count = forecast.coverage.count;
    let deviation = (level * (1.0 - level) / count as f64).sqrt();
    let low = forecast.coverage.fraction().filter(|fraction| {
        count >= MIN_INTERVALS && *fraction < level - MAX_DEVIATIONS * deviation
    });
    let low = low.map(|fraction| {
        format!("only {:.0} % of the last {count} intervals contained the value", 100.0 * fraction)
    });
    missing.into_iter().chain(low)
}
