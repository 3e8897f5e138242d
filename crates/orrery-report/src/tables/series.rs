//! Forecasts of series, their methods, and the errors of past forecasts.

use super::format::percent_cell;
use super::table::{Cell, Column, Table};
use orrery::forecast::{Backtest, Candidate, Forecast, ForecastOptions, Gap, Score, Series, TimeFormat};
use orrery::units::Seconds;

/// The forecast of a series, with what is needed to judge it.
#[derive(Debug, Clone, Copy)]
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
}

/// The forecasts of several series. Keys: series, time (as in the file), ahead (seconds from the last sample), forecast, low,
/// high (the ends of the interval; null if there are too few samples), level, coverage (measured: the fraction of the last
/// intervals that had the value in them), intervals (their number), steps, samples, spacing, gaps.
pub fn series_forecasts(forecasts: &[SeriesForecast<'_>]) -> Table {
    let texts = ["series", "time"].map(Column::text);
    let numbers =
        ["ahead", "forecast", "low", "high", "level", "coverage", "intervals", "steps", "samples", "spacing", "gaps"];
    let columns: Vec<Column> = texts.into_iter().chain(numbers.map(Column::number)).collect();
    let notes: Vec<String> = forecasts.iter().map(SeriesForecast::sentence).collect();
    let mut shown = Table::new("forecasts", "", columns[..SHOWN_COLUMNS].to_vec()).with_note(notes.join("\n"));
    let mut table = Table::new("forecasts", "", columns);
    for forecast in forecasts {
        shown.push(forecast.cells().into_iter().take(SHOWN_COLUMNS));
        table.push(forecast.cells());
    }
    table.with_display(shown)
}

/// The number of columns of [`series_forecasts`] that people see: those up to the ends of the interval.
const SHOWN_COLUMNS: usize = 6;

impl SeriesForecast<'_> {
    /// The row of the forecast.
    fn cells(&self) -> [Cell; 13] {
        let Forecast { time, value, interval, coverage, .. } = self.forecast;
        let last = self.series.times().last();
        [
            Cell::text(self.name),
            Cell::optional_text(time.map(|time| self.format.text(time))),
            maybe_duration(time.zip(last).map(|(time, last)| time - *last)),
            number(value),
            interval.map_or(Cell::Null, |(low, _)| number(low)),
            interval.map_or(Cell::Null, |(_, high)| number(high)),
            percent_cell(self.options.level()),
            coverage.fraction().map_or(Cell::Null, percent_cell),
            Cell::integer(coverage.count),
            Cell::integer(self.options.steps() as u64),
            Cell::integer(self.series.values().len() as u64),
            maybe_duration(self.series.spacing()),
            Cell::integer(self.series.gaps().count() as u64),
        ]
    }

    /// The interval and its measured coverage as a sentence.
    fn sentence(&self) -> String {
        let Forecast { interval, coverage, missing_samples, .. } = self.forecast;
        let (name, level) = (self.name, percent(self.options.level()));
        match (interval, coverage.fraction()) {
            (None, _) => format!("{name}: no interval; a level of {level} needs {missing_samples} more samples"),
            (Some(_), None) => format!("{name}: {level} interval; none has been compared with a value yet"),
            (Some(_), Some(fraction)) => {
                let (inside, count) = (percent(fraction), coverage.count);
                format!("{name}: {level} interval; {inside} of the last {count} forecasts had the value in theirs")
            }
        }
    }
}

/// The methods of each series with their errors, the least first. Keys: series, method, forecast, mae (mean absolute error of
/// past forecasts at the horizon), weight (in the mixture; null if it has none).
pub fn forecast_candidates<'a>(series: impl IntoIterator<Item = (&'a str, Vec<Candidate>)>) -> Table {
    let columns = [
        Column::text("series"),
        Column::text("method"),
        Column::number("forecast"),
        Column::number("mae").with_title("MAE"),
        Column::number("weight"),
    ];
    let mut table = Table::new("methods", "", columns).with_note(
        "MAE: mean absolute error of past forecasts at this horizon. The forecast is the mixture: the mean of the methods with \
         a weight. Weights follow recent errors.",
    );
    for (name, mut candidates) in series {
        let error = |candidate: &Candidate| candidate.mean_absolute_error.unwrap_or(f64::INFINITY);
        candidates.sort_by(|one, other| error(one).total_cmp(&error(other)));
        for candidate in candidates {
            table.push([
                Cell::text(name),
                Cell::text(candidate.method.to_string()),
                number(candidate.forecast),
                candidate.mean_absolute_error.map_or(Cell::Null, number),
                candidate.weight.map_or(Cell::Null, percent_cell),
            ]);
        }
    }
    table
}

/// The errors of past forecasts. Keys: series, part (all, or second half), forecasts, mae (of the mixture), last_value (its
/// MAE), best_primary (the primary forecaster of NWS that is best in hindsight), best_mae, ratio (mae / best_mae),
/// coverage (of the intervals), width (the mean width of the intervals).
pub fn backtests<'a>(backtests: impl IntoIterator<Item = (&'a str, &'a Backtest)>) -> Table {
    let columns = [
        Column::text("series"),
        Column::text("part"),
        Column::number("forecasts"),
        Column::number("mae").with_title("MAE"),
        Column::number("last_value"),
        Column::text("best_primary"),
        Column::number("best_mae").with_title("best MAE"),
        Column::number("ratio"),
        Column::number("coverage"),
        Column::number("width").drop_priority(1),
    ];
    let mut table = Table::new("backtests", "", columns);
    for (name, backtest) in backtests {
        for (part, score) in [("all", &backtest.whole), ("second half", &backtest.second_half)] {
            table.push(score_cells(name, part, score));
        }
    }
    table
}

/// The row of one part of a series.
fn score_cells(name: &str, part: &str, score: &Score) -> [Cell; 10] {
    let maybe = |value: Option<f64>| value.map_or(Cell::Null, number);
    let (own, best) = (score.mean_absolute_error(), score.best_primary());
    let ratio = own.zip(best).map(|(own, (_, best))| own / best).filter(|ratio| ratio.is_finite());
    [
        Cell::text(name),
        Cell::text(part),
        Cell::integer(score.forecasts),
        maybe(own),
        maybe(score.last_value_error()),
        Cell::optional_text(best.map(|(primary, _)| primary.to_string())),
        maybe(best.map(|(_, error)| error)),
        ratio.map_or(Cell::Null, |ratio| Cell::number(ratio, format!("{ratio:.3}"))),
        score.coverage.fraction().map_or(Cell::Null, percent_cell),
        maybe(score.mean_interval_width()),
    ]
}

/// Reasons to doubt a forecast, one sentence each: gaps, irregular spacing, few samples, a constant series, an old sample.
///
/// `now` is the time to which the age of the last sample is compared.
pub fn forecast_warnings(forecast: &SeriesForecast<'_>, now: Option<Seconds>) -> Vec<String> {
    let (series, format) = (forecast.series, forecast.format);
    let mut warnings = Vec::new();
    let gaps: Vec<Gap> = series.gaps().collect();
    if let Some(longest) = gaps.iter().max_by(|one, other| (one.to - one.from).total_cmp(&(other.to - other.from))) {
        let (from, to) = (format.text(longest.from), format.text(longest.to));
        let (count, missing) = (gaps.len(), gaps.iter().map(|gap| gap.missing).sum::<u64>());
        warnings.push(format!("{count} gaps with {missing} missing samples, the longest from {from} to {to}"));
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
    let constant = series.values().windows(2).all(|pair| pair[0] == pair[1]);
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

/// A percentage without needless digits: `95 %`, `94.1 %`.
fn percent(fraction: f64) -> String {
    let text = format!("{:.1}", fraction * 100.0);
    format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
}

/// A duration in the largest unit that it has at least two of: `90 s`, `10 min`, `5 h`, `14 d`.
fn duration(time: Seconds) -> String {
    let units = [(86_400.0, "d"), (3_600.0, "h"), (60.0, "min"), (1.0, "s")];
    let seconds = time.get();
    match units.into_iter().find(|(unit, _)| seconds.abs() >= 2.0 * unit) {
        Some((unit, name)) => format!("{} {name}", (seconds / unit * 10.0).round() / 10.0),
        None => time.to_string(),
    }
}

/// A cell with a duration, or null for `None`.
fn maybe_duration(time: Option<Seconds>) -> Cell {
    time.map_or(Cell::Null, |time| Cell::number(time.get(), duration(time)))
}

/// A number with five significant digits.
fn number(value: f64) -> Cell {
    let size = value.abs();
    let display = if value == 0.0 || (1e-3..1e7).contains(&size) {
        let digits = (4 - size.max(f64::MIN_POSITIVE).log10().floor() as i32).clamp(0, 7) as usize;
        let text = format!("{value:.digits$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    } else {
        format!("{value:.4e}")
    };
    Cell::number(value, display)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_readable_units() {
        let text = |seconds: f64| duration(Seconds::new(seconds));
        assert_eq!(
            ["0.5", "90", "600", "18000", "1209600"].map(|s| text(s.parse().unwrap())),
            ["500 ms", "90 s", "10 min", "5 h", "14 d"]
        );
    }

    #[test]
    fn numbers_have_five_digits() {
        let texts = [0.0, 0.132, 42.123_456, 123_456.7, 2.45e8, 1e-9].map(|value| number(value).display());
        assert_eq!(texts, ["0", "0.132", "42.123", "123457", "2.4500e8", "1.0000e-9"]);
    }
}
