//! Reasons to doubt a forecast of a series.

use super::series::{SeriesForecast, counted, duration, percent};
use orrery::forecast::Gap;
use orrery::units::Seconds;

/// Reasons to doubt a forecast, one sentence each: gaps, irregular spacing, few samples, a constant series, an old sample.
///
/// `now` is the time to which the age of the last sample is compared.
pub fn forecast_warnings(forecast: &SeriesForecast<'_>, now: Option<Seconds>) -> Vec<String> {
    let (series, format) = (forecast.series, forecast.format);
    let mut warnings = Vec::new();
    let gaps: Vec<Gap> = series.gaps().collect();
    if let Some(longest) = gaps.iter().max_by(|one, other| (one.to - one.from).total_cmp(&(other.to - other.from))) {
        let (from, to) = (format.text(longest.from), format.text(longest.to));
        let (count, missing) =
            (gaps.len() as u64, gaps.iter().fold(0, |sum: u64, gap| sum.saturating_add(gap.missing)));
        let (count, missing) = (counted(count, "gap"), counted(missing, "missing sample"));
        warnings.push(format!("{count} with {missing}, the longest from {from} to {to}"));
    }
    let irregular = series.irregularity();
    if irregular > MAX_IRREGULARITY {
        let part = percent(irregular);
        warnings.push(format!(
            "{part} of the spacings differ from the usual one by more than half; the horizon counts samples"
        ));
    }
    let steps = forecast.options.steps();
    if steps >= series.values().len() {
        warnings.push(format!(
            "the horizon is {steps} samples, but there are {}; no past forecast can be compared",
            series.values().len()
        ));
    }
    let constant = series.values().windows(2).all(|pair| pair[0].total_cmp(&pair[1]).is_eq());
    if constant && series.values().len() > 1 {
        warnings.push("all values are equal: the interval has no width".to_owned());
    }
    if let (Some(now), Some(&last), Some(spacing)) = (now, series.times().last(), series.spacing()) {
        let age = now - last;
        if age > spacing * MAX_AGE {
            let age = duration(age);
            warnings
                .push(format!("the last sample is from {}, {age} ago; the forecast may be stale", format.text(last)));
        }
    }
    warnings
}

/// The fraction of irregular spacings from which a series has a warning.
const MAX_IRREGULARITY: f64 = 0.05;

/// The age of the last sample, in usual spacings, from which a forecast is stale.
const MAX_AGE: f64 = 3.0;
