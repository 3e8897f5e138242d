//! The errors of past forecasts of series.

use super::columns::Columns;
use super::format::{factor_cell, percent_cell};
use super::series::number;
use super::table::Table;
use orrery::forecast::{Backtest, Score};

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
