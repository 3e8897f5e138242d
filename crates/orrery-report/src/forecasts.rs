//! Execution times that were forecast, and models of execution times, as tables.

use super::format::{maybe_seconds, seconds};
use super::runs::names;
use super::table::{Cell, Column, Table};
use orrery::scaling::{Application, Forecast, Point};

/// Forecasts, one line each. Keys: the variables by name, `configuration` where one was given, seconds, low, high (null
/// where the model knows no errors), extrapolated, and `slowest` where kinds of elements differ.
pub fn forecasts(forecasts: &[(Point, Forecast)]) -> Table {
    let variables = names(forecasts.iter().flat_map(|(point, _)| point.variables.keys()));
    let configured = forecasts.iter().any(|(point, _)| !point.configuration.shares.is_empty());
    let kinds = forecasts.iter().any(|(_, forecast)| forecast.slowest_kind.is_some());
    let mut columns: Vec<Column> = variables.iter().map(|name| Column::numbers(*name)).collect();
    columns.extend(configured.then(|| Column::words("configuration")));
    columns.push(Column::numbers("seconds").titled("time"));
    columns.push(Column::numbers("low").dispensable(1));
    columns.push(Column::numbers("high").dispensable(1));
    columns.push(Column::words("extrapolated").titled("beyond range").dispensable(2));
    columns.extend(kinds.then(|| Column::words("slowest").dispensable(3)));
    let mut table = Table::new("forecasts", "", columns);
    for (point, forecast) in forecasts {
        let number = |name: &&str| {
            point.variables.get(*name).map_or(Cell::Null, |value| Cell::number(*value, value.to_string()))
        };
        let mut cells: Vec<Cell> = variables.iter().map(number).collect();
        cells.extend(configured.then(|| Cell::text(point.configuration.to_string())));
        cells.push(seconds(forecast.seconds.get()));
        cells.push(maybe_seconds(forecast.interval.map(|(low, _)| low.get())));
        cells.push(maybe_seconds(forecast.interval.map(|(_, high)| high.get())));
        cells.push(Cell::Flag(forecast.extrapolated));
        cells.extend(kinds.then(|| Cell::maybe_text(forecast.slowest_kind.clone())));
        table.push(cells);
    }
    if forecasts.iter().any(|(_, forecast)| forecast.extrapolated) {
        let sure = forecasts.iter().any(|(_, forecast)| forecast.interval.is_some());
        let note = "Beyond range: a variable or the configuration lies outside of what was measured";
        let wider = if sure { "; the interval is wider for it." } else { "." };
        return table.with_note(format!("{note}{wider}"));
    }
    table
}

/// The terms of execution-time models, one line each. Keys: region (of several), term, kind (where kinds differ), role, value, low, high in
/// seconds per unit of the term.
pub fn terms(application: &Application) -> Table {
    let regions = application.regions.len() > 1;
    let kinds = application.regions.iter().any(|region| !region.model.kinds().is_empty());
    let mut columns: Vec<Column> = regions.then(|| Column::words("region")).into_iter().collect();
    columns.push(Column::words("term"));
    columns.extend(kinds.then(|| Column::words("kind")));
    columns.push(Column::words("role").dispensable(3));
    columns.push(Column::numbers("value"));
    columns.push(Column::numbers("low").dispensable(1));
    columns.push(Column::numbers("high").dispensable(1));
    let mut table = Table::new("terms", "Execution time in seconds: the sum of term × value", columns);
    let number = |value: f64| Cell::number(value, format!("{value:.4e}"));
    for region in &application.regions {
        for coefficient in region.model.as_terms().iter().flat_map(|model| &model.coefficients) {
            let interval = coefficient.estimate.interval;
            let mut cells: Vec<Cell> = regions.then(|| Cell::text(region.name.clone())).into_iter().collect();
            cells.push(Cell::text(coefficient.term.to_string()));
            cells.extend(kinds.then(|| Cell::maybe_text(coefficient.kind.clone())));
            cells.extend([
                Cell::text(coefficient.role.name()),
                number(coefficient.estimate.value),
                interval.map_or(Cell::Null, |interval| number(interval.low)),
                interval.map_or(Cell::Null, |interval| number(interval.high)),
            ]);
            table.push(cells);
        }
    }
    table
}
