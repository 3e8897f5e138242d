//! A heat map of forecasts over two variables: an HTML table, which screen readers can read.

use crate::figures::heatmap::ColorScale;
use crate::pages::document::full_html_table;
use crate::tables;
use crate::tables::format::{metric_names, metric_text};
use maud::{Markup, html};
use orrery::run::Metric;
use orrery::scaling::{Forecast, ForecastMap, MapCell};
use orrery::units::Seconds;

/// The ratio of the ends of an interval above which a forecast is marked as uncertain.
const UNCERTAIN_RATIO: f64 = 2.0;

/// The number of colors in the style sheet.
const COLORS: usize = 9;

/// The heat map with its legend and its table; `level` is the probability of the intervals.
pub(super) fn render(metric: &Metric, map: &ForecastMap, level: f64) -> Markup {
    let [columns, rows] = [&map.columns, &map.rows].map(|axis| axis.variable.as_str());
    let seconds = || map.cells.iter().filter_map(time).map(|one| one.seconds.get());
    let positive = || seconds().filter(|seconds| *seconds > 0.0);
    let (low, high) = (positive().reduce(f64::min), positive().reduce(f64::max));
    let (low, high) = (low.unwrap_or(1.0), high.unwrap_or(1.0));
    let scale = ColorScale::between(low, high);
    let title = format!("Predicted {} over {columns} and {rows}", metric_names(metric).1);
    let fixed = map.fixed.to_string();
    html! {
        figure.heat {
            h3 { (title) @if !fixed.is_empty() { ", at " (fixed) } }
            div.scroll tabindex="0" role="region" aria-label=(title) {
                table {
                    tbody { @for (place, (value, cells)) in map.by_row().enumerate().rev() {
                        tr {
                            @if place + 1 == map.rows.values.len() {
                                th.name rowspan=(map.rows.values.len()) { (rows) }
                            }
                            th scope="row" { (value) }
                            @for (column, cell) in cells.iter().enumerate() {
                                (table_cell(metric, cell, frame(map, (place, column)), &scale, level))
                            }
                        }
                    } }
                    tfoot {
                        tr {
                            td.none colspan="2" {}
                            @for value in &map.columns.values { th scope="col" { (value) } }
                        }
                        tr {
                            td.none colspan="2" {}
                            th.name colspan=(map.columns.values.len()) { (columns) }
                        }
                    }
                }
            }
            figcaption { (legend(metric, map, (low, high), level)) }
        }
        details {
            summary { "All forecasts as a table" }
            (full_html_table(&tables::forecast_map(metric, map)))
        }
    }
}

/// The forecast of a cell; `None` if there is none, or the runs do not determine it.
fn time(cell: &MapCell) -> Option<&Forecast> {
    cell.forecast.as_ref().ok().filter(|forecast| !forecast.is_worthless())
}

/// Returns true if the interval of a forecast is wide.
fn is_uncertain(forecast: &Forecast) -> bool {
    forecast.ratio() > UNCERTAIN_RATIO
}

/// The classes of the sides of a cell that are on the frame around the measured range.
fn frame(map: &ForecastMap, (row, column): (usize, usize)) -> String {
    let (rows, columns) = (map.rows.measured, map.columns.measured);
    let sides = [
        (row + 1 == rows, " top"),
        (row == 0, " bottom"),
        (column == 0, " left"),
        (column + 1 == columns, " right"),
    ];
    let is_inside = row < rows && column < columns;
    sides.into_iter().filter(|(is_side, _)| *is_side && is_inside).map(|(_, side)| side).collect()
}

/// One cell: its color, its time, and a mark if it was measured.
fn table_cell(
    metric: &Metric,
    cell: &MapCell,
    mut class: String,
    scale: &ColorScale,
    level: f64,
) -> Markup {
    let measured =
        cell.measured.map(|seconds| format!("; measured {}", metric_text(metric, seconds)));
    let said =
        format!("{}: {}{}", cell.point, words(metric, cell, level), measured.unwrap_or_default());
    let forecast = time(cell);
    let color = forecast.map_or(0, |forecast| scale.color(forecast.seconds.get()));
    class.push_str(&forecast.map_or_else(|| " none".to_owned(), |_| format!(" s{color}")));
    if forecast.is_some_and(is_uncertain) {
        class.push_str(" uncertain");
    }
    html! {
        td class=(class.trim_start()) title=(said) {
            @match forecast {
                Some(forecast) => span class={ "t" (color) } { (metric_text(metric, forecast.seconds)) }
                None => "none"
            }
            @if forecast.is_some_and(is_uncertain) { span.hidden { ", uncertain" } }
            @if cell.measured.is_some() { span.dot { span.hidden { ", measured" } } }
        }
    }
}

/// The forecast of a cell in words.
fn words(metric: &Metric, cell: &MapCell, level: f64) -> String {
    match &cell.forecast {
        Err(error) => format!("no forecast: {error}"),
        Ok(forecast) if forecast.is_worthless() => "the runs do not determine the value".to_owned(),
        Ok(Forecast { seconds, interval, .. }) => {
            let interval = interval
                .map(|(low, high)| (metric_text(metric, low), metric_text(metric, high)))
                .map(|(low, high)| format!(", {} % interval {low} to {high}", level * 100.0));
            format!("{}{}", metric_text(metric, *seconds), interval.unwrap_or_default())
        }
    }
}

/// The legend of colors and marks.
fn legend(metric: &Metric, map: &ForecastMap, (low, high): (f64, f64), level: f64) -> Markup {
    let forecasts = || map.cells.iter().filter_map(time);
    let percent = html! { (level * 100.0) " %" };
    let missing = map.cells.iter().find(|cell| time(cell).is_none());
    html! {
        ul.legend {
            li {
                (metric_text(metric, Seconds::new(low)))
                span.scale aria-hidden="true" { @for color in 0..COLORS { span class={ "s" (color) } {} } }
                (metric_text(metric, Seconds::new(high)))
            }
            li { span.sample { span.dot {} } "measured" }
            li { span.sample.framed {} "range of the runs" }
            @if forecasts().any(is_uncertain) {
                li { span.sample.uncertain {} "the " (percent) " interval spans more than a factor of " (UNCERTAIN_RATIO) }
            }
            @if let Some(cell) = missing { li { span.none { "none" } " " (words(metric, cell, level)) } }
        }
        @if !forecasts().any(is_uncertain) && forecasts().any(|one| one.interval.is_some()) {
            p.note { "All " (percent) " intervals span at most a factor of " (UNCERTAIN_RATIO) "." }
        }
    }
}
