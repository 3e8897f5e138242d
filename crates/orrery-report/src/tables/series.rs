//! Forecasts of series, their methods, their backtests and their warnings.

use orrery::forecast::{
    Backtest, Candidate, Forecast, ForecastOptions, Gap, Method, NwsForecaster, Primary, Score,
    Series, TimeFormat,
};
use orrery::units::Seconds;

use super::columns::Columns;
use super::format::{counted, factor_cell, percent_cell, significant_cell};
use super::table::{Cell, Table};

/// The forecast of a series, with what is needed to judge it.
#[derive(Debug, Clone)]
pub struct SeriesForecast<'a> {
    /// The name of the quantity.
    pub name: &'a str,
    /// The samples.
    pub series: &'a Series,
    /// How times are written.
    pub format: TimeFormat,
    /// The horizon and the level.
    pub options: ForecastOptions,
    /// The forecast.
    pub forecast: Forecast,
    /// All methods with their errors.
    pub candidates: Vec<Candidate>,
}

/// The forecasts of several series. Keys: series, time (as in the file), ahead (seconds from the
/// last sample), forecast, low, high (the ends of the interval; null if there are too few samples),
/// level, coverage (measured: the fraction of the last intervals that had the value in them),
/// intervals (their number), mae (mean absolute error of past forecasts), steps, samples, spacing,
/// gaps.
pub fn series_forecasts(forecasts: &[SeriesForecast<'_>]) -> Table {
    let ahead = |of: &SeriesForecast<'_>| {
        of.forecast
            .time
            .zip(of.series.times().last())
            .map(|(time, last)| duration_cell(time - *last))
    };
    let mut columns = Columns::of(forecasts);
    columns.text("series", |of| of.name);
    columns.text("time", |of| of.forecast.time.map(|time| of.format.text(time)));
    columns.number("ahead", ahead);
    columns.number("forecast", |of| number(of.forecast.value));
    columns.ends(["low", "high"], 0, |of| {
        of.forecast.interval.map(|(low, high)| (number(low), number(high)))
    });
    columns.number("level", |of| percent_cell(of.options.level())).for_programs();
    let coverage = |of: &SeriesForecast<'_>| of.forecast.coverage.fraction().map(percent_cell);
    columns.number("coverage", coverage).for_programs();
    columns.number("intervals", |of| of.forecast.coverage.count).for_programs();
    columns.number("mae", |of| of.mean_absolute_error().map(number)).for_programs();
    columns.number("steps", |of| of.options.steps()).for_programs();
    columns.number("samples", |of| of.series.values().len()).for_programs();
    columns.number("spacing", |of| of.series.spacing().map(duration_cell)).for_programs();
    columns.number("gaps", |of| of.series.gaps().count()).for_programs();
    let notes: Vec<String> = forecasts.iter().flat_map(SeriesForecast::sentences).collect();
    columns.table("forecasts", "").with_note(notes.join("\n"))
}

impl SeriesForecast<'_> {
    /// The mean absolute error of past forecasts by the mixture; `None` before the first one.
    fn mean_absolute_error(&self) -> Option<f64> {
        self.error_of(Method::Mixture)
    }

    /// The mean absolute error of past forecasts by a method; `None` if it is no candidate or has
    /// made none.
    fn error_of(&self, method: Method) -> Option<f64> {
        self.candidates.iter().find(|one| one.method == method)?.mean_absolute_error
    }

    /// The interval with its measured coverage, the errors, and the weights, each as a sentence.
    fn sentences(&self) -> Vec<String> {
        let sentences =
            [Some(self.interval_sentence()), self.error_sentence(), Some(self.weight_sentence())];
        sentences
            .into_iter()
            .flatten()
            .map(|sentence| format!("{}: {sentence}", self.name))
            .collect()
    }

    /// The interval and its measured coverage.
    fn interval_sentence(&self) -> String {
        let Forecast { interval, coverage, missing_samples, .. } = self.forecast;
        let level = percent(self.options.level());
        match (interval, coverage.fraction()) {
            (None, _) => {
                format!(
                    "no interval; a level of {level} needs {}",
                    counted(missing_samples, "more sample")
                )
            }
            (Some(_), None) => format!("{level} interval; none has been compared with a value yet"),
            (Some(_), Some(fraction)) => {
                let (inside, count) =
                    (percent(fraction), counted(coverage.count as usize, "interval"));
                format!("{level} interval; {inside} of the last {count} contained the value")
            }
        }
    }

    /// The error of the mixture beside those of the last value and of the best primary forecaster;
    /// `None` if one of them has no error yet.
    fn error_sentence(&self) -> Option<String> {
        let is_primary =
            |one: &&Candidate| matches!(one.method, Method::Nws(NwsForecaster::Primary(_)));
        let primaries = self.candidates.iter().filter(is_primary);
        let errors =
            primaries.filter_map(|one| one.mean_absolute_error.map(|error| (one.method, error)));
        let (best, least) = errors.min_by(|one, other| one.1.total_cmp(&other.1))?;
        let text = |error: f64| number(error).display();
        let (own, last) = (self.mean_absolute_error()?, self.error_of(LAST_VALUE)?);
        let others = match best {
            LAST_VALUE => String::new(),
            best => format!("; of {best} {}", text(least)),
        };
        Some(format!(
            "mean absolute error of past forecasts {}; of the last value {}{others}",
            text(own),
            text(last)
        ))
    }

    /// The largest weights in the mixture.
    fn weight_sentence(&self) -> String {
        let mut weights: Vec<(f64, Method)> = self
            .candidates
            .iter()
            .filter_map(|one| one.weight.map(|weight| (weight, one.method)))
            .collect();
        weights.sort_by(|one, other| other.0.total_cmp(&one.0));
        weights.truncate(SHOWN_WEIGHTS);
        weights.retain(|(weight, _)| *weight >= MIN_SHOWN_WEIGHT);
        let weights: Vec<String> =
            weights.iter().map(|(weight, method)| format!("{weight:.2} {method}")).collect();
        format!("largest weights {}", weights.join(", "))
    }
}

/// The least weight that people see without all methods.
const MIN_SHOWN_WEIGHT: f64 = 0.005;

/// The maximum number of weights that people see without all methods.
const SHOWN_WEIGHTS: usize = 3;

/// The last value as a method.
const LAST_VALUE: Method = Method::Nws(NwsForecaster::Primary(Primary::LastValue));

/// The methods of each series with their errors, the least first. Keys: series, method, forecast,
/// mae (mean absolute error of past forecasts at the horizon), weight (in the mixture; null if it
/// has none).
pub fn forecast_candidates<'a>(
    series: impl IntoIterator<Item = (&'a str, Vec<Candidate>)>,
) -> Table {
    let mut rows = Vec::new();
    for (name, mut candidates) in series {
        let error = |candidate: &Candidate| candidate.mean_absolute_error.unwrap_or(f64::INFINITY);
        candidates.sort_by(|one, other| error(one).total_cmp(&error(other)));
        rows.extend(candidates.into_iter().map(|candidate| (name, candidate)));
    }
    let mut columns = Columns::of(&rows);
    columns.text("series", |(name, _)| *name);
    columns.text("method", |(_, one)| one.method.to_string());
    columns.number("forecast", |(_, one)| number(one.forecast));
    columns.number("mae", |(_, one)| one.mean_absolute_error.map(number)).titled("MAE");
    columns.number("weight", |(_, one)| one.weight.map(percent_cell));
    columns.table("methods", "").with_note(
        "MAE: mean absolute error of past forecasts at this horizon. The forecast is the mixture: \
            the mean of the methods with a weight. Weights follow recent errors.",
    )
}

/// A percentage without needless digits: `95 %`, `94.1 %`.
pub(super) fn percent(fraction: f64) -> String {
    let text = format!("{:.1}", fraction * 100.0);
    format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
}

/// A duration in the largest unit that it reaches: `1.5 min`, `10 min`, `5 h`, `14 d`.
pub(super) fn duration(time: Seconds) -> String {
    let units = [(86_400.0, "d"), (3_600.0, "h"), (60.0, "min"), (1.0, "s")];
    let seconds = time.get();
    match units.into_iter().find(|(unit, _)| seconds.abs() >= *unit) {
        Some((unit, name)) => format!("{} {name}", (seconds / unit * 10.0).round() / 10.0),
        None => time.to_string(),
    }
}

/// A cell with a duration.
fn duration_cell(time: Seconds) -> Cell {
    Cell::number(time.get(), duration(time))
}

/// A number with five significant digits.
pub(super) fn number(value: f64) -> Cell {
    significant_cell(value, 5)
}

/// The errors of past forecasts. Keys: series, part (all, or second half), forecasts, mae (of the
/// mixture), last_value (its MAE), best_primary (the primary forecaster of NWS that is best in
/// hindsight), best_mae, ratio (mae / best_mae), coverage (of the intervals), width (the mean width
/// of the intervals).
pub fn backtests<'a>(backtests: impl IntoIterator<Item = (&'a str, &'a Backtest)>) -> Table {
    let mut rows = Vec::new();
    for (name, backtest) in backtests {
        rows.push((name, "all", &backtest.whole));
        rows.push((name, "second half", &backtest.second_half));
    }
    let best = |score: &Score| score.best_primary();
    let ratio = |score: &Score| {
        let ratio = score.mean_absolute_error()? / best(score)?.1;
        ratio.is_finite().then(|| factor_cell(ratio))
    };
    let mut columns = Columns::of(&rows);
    columns.text("series", |(name, ..)| *name);
    columns.text("part", |(_, part, _)| *part);
    columns.number("forecasts", |(.., score)| score.forecasts);
    columns.number("mae", |(.., score)| score.mean_absolute_error().map(number)).titled("MAE");
    columns.number("last_value", |(.., score)| score.last_value_error().map(number));
    columns.text("best_primary", |(.., score)| best(score).map(|(primary, _)| primary.to_string()));
    let best_error = |score: &Score| best(score).map(|(_, error)| number(error));
    columns.number("best_mae", |(.., score)| best_error(score)).titled("best MAE");
    columns.number("ratio", |(.., score)| ratio(score));
    columns.number("coverage", |(.., score)| score.coverage.fraction().map(percent_cell));
    columns.number("width", |(.., score)| score.mean_interval_width().map(number)).drop_first(1);
    columns.table("backtests", "")
}

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
        if age < spacing * -MAX_AGE {
            let ahead = duration(last - now);
            warnings.push(format!(
                "the last sample is from {}, {ahead} ahead: a clock is wrong, or the present time",
                format.text(last)
            ));
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_readable_units() {
        let text = |seconds: f64| duration(Seconds::new(seconds));
        assert_eq!(
            ["0.5", "90", "600", "18000", "1209600"].map(|s| text(s.parse().unwrap())),
            ["500 ms", "1.5 min", "10 min", "5 h", "14 d"]
        );
    }

    #[test]
    fn numbers_have_five_digits() {
        let texts =
            [0.0, 0.132, 42.123_456, 123_456.7, 2.45e8, 1e-9].map(|value| number(value).display());
        assert_eq!(texts, ["0", "0.132", "42.123", "123457", "2.4500e8", "1.0000e-9"]);
    }
}
