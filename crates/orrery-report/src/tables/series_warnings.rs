//! Reasons to doubt a forecast of a series.

use super::format::counted;
use super::series::{SeriesForecast, duration, percent};
use orrery::forecast::Gap;
use orrery::units::Seconds;

/// Reasons to doubt a forecast, one sentence each: gaps, irregular spacing, few samples, a constant
/// series, values outside of the bounds, intervals that miss, an old sample.
///
/// `now` is the time to which the age of the last sample is compared.
pub fn forecast_warnings(forecast: &SeriesForecast<'_>, now: Option<Seconds>) -> Vec<String> {
    let (series, format) = (forecast.series, forecast.format);
    let mut warnings = Vec::new();
    let gaps: Vec<Gap> = series.gaps().collect();
    if let Some(longest) =
        gaps.iter().max_by(|one, other| (one.to - one.from).total_cmp(&(other.to - other.from)))
    {
        let (from, to) = (format.text(longest.from), format.text(longest.to));
        let (count, missing) =
            (gaps.len(), gaps.iter().fold(0, |sum: u64, gap| sum.saturating_add(gap.missing)));
        let (count, missing) = (counted(count, "gap"), counted(missing as usize, "missing sample"));
        warnings.push(format!("{count} with {missing}, the longest from {from} to {to}"));
    }
    let irregular = series.irregularity();
    if irregular > MAX_IRREGULARITY {
        let part = percent(irregular);
        warnings.push(format!(
            "{part} of the spacings differ from the usual one by more than half; the horizon \
                counts samples"
        ));
    }
    let steps = forecast.options.steps();
    if steps >= series.values().len() {
        let (horizon, samples) = (counted(steps, "sample"), series.values().len());
        warnings.push(format!(
            "the horizon is {horizon}, but there are {samples}; no past forecast can be compared"
        ));
    }
    let constant = series.values().windows(2).all(|pair| pair[0].total_cmp(&pair[1]).is_eq());
    if constant && series.values().len() > 1 {
        warnings.push("all values are equal: the interval has no width".to_owned());
    }
    let bounds = forecast.options.bounds();
    let outside = series
        .values()
        .iter()
        .filter(|value| bounds.limit(**value).total_cmp(value).is_ne())
        .count();
    if outside > 0 {
        let outside = counted(outside, "value");
        warnings.push(format!(
            "{outside} outside of --min and --max; forecasts and intervals end there, and are wrong"
        ));
    }
    let (coverage, level) = (forecast.forecast.coverage, forecast.options.level());
    let is_lacking =
        |inside: &f64| coverage.count >= MIN_INTERVALS && *inside < level - MAX_LACK_OF_COVERAGE;
    if let Some(inside) = coverage.fraction().filter(is_lacking) {
        let (level, inside, count) = (percent(level), percent(inside), coverage.count);
        warnings.push(format!(
            "only {inside} of the last {count} values were in intervals of {level}; do not rely on \
                the interval"
        ));
    }
    if let (Some(now), Some(&last), Some(spacing)) = (now, series.times().last(), series.spacing())
    {
        let age = now - last;
        if age > spacing * MAX_AGE {
            let age = duration(age);
            warnings.push(format!(
                "the last sample is from {}, {age} ago; the forecast may be stale",
                format.text(last)
            ));
        }
    }
    warnings
}

/// The fraction of irregular spacings from which a series has a warning.
const MAX_IRREGULARITY: f64 = 0.05;

/// The number of intervals from which their measured coverage says something.
const MIN_INTERVALS: u64 = 20;

/// The lack of measured coverage from which intervals have a warning.
const MAX_LACK_OF_COVERAGE: f64 = 0.1;

/// The age of the last sample, in usual spacings, from which a forecast is stale.
const MAX_AGE: f64 = 3.0;
