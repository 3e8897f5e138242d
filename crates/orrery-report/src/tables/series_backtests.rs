//! The errors of past forecasts of series.

use super::format::percent_cell;
use super::series::number;
use super::table::{Cell, Column, Table};
use orrery::forecast::{Backtest, Score};

/// The errors of past forecasts. Keys: series, part (all, or second half), forecasts, mae (of the
/// mixture), last_value (its MAE), best_primary (the primary forecaster of NWS that is best in
/// hindsight), best_mae, ratio (mae / best_mae), coverage (of the intervals), width (the mean width
/// of the intervals).
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
