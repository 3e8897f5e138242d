//! Tables of applications: runs, forecasts, and models of the execution time.

use super::columns::Columns;
use super::format::{metric_cell, metric_names, metric_noun, percent_cell, plain_cell};
use super::table::{Cell, Table};
use orrery::run::{Metric, Run, Runs, variable};
use orrery::scaling::paper::PaperModel;
use orrery::scaling::{
    Application, Forecast, ForecastMap, MapCell, Point, Region, RegionForecast, TermModel,
};
use orrery::units::Seconds;
use std::collections::BTreeSet;

/// The table of runs of an application.
///
/// Keys: the variables by name, region and configuration if some run has one, seconds,
/// `computation:KIND` and `communication:KIND` if they were measured, the labels by name
/// (`label:NAME` if another column has that name), origin.
pub fn runs(runs: &Runs) -> Table {
    let runs = &runs.runs;
    let variables = names(runs.iter().flat_map(|run| run.variables.keys()));
    let labels = names(runs.iter().flat_map(|run| run.labels.keys()));
    let kinds = names(runs.iter().flat_map(|run| run.parts.iter().map(|part| &part.kind)));
    let regions = runs.iter().any(|run| !run.region.is_empty());
    let configurations = runs.iter().any(|run| !run.configuration.shares.is_empty());
    let key = |part: &str, kind: &str| {
        if kind.is_empty() { part.to_owned() } else { format!("{part}:{kind}") }
    };
    let mut columns = Columns::of(runs);
    for name in &variables {
        columns.number(*name, |run| run.variable(name).map(plain_cell)).titled(*name);
    }
    if regions {
        columns.text("region", |run| text_cell(&run.region));
    }
    if configurations {
        columns.text("configuration", |run| text_cell(&run.configuration.to_string()));
    }
    let is_time = runs.iter().all(|run| Metric::of_run(run).is_time());
    let (value, title) = if is_time { ("seconds", "time") } else { ("value", "value") };
    columns.number(value, |run| metric_cell(&Metric::of_run(run), run.seconds)).titled(title);
    for kind in &kinds {
        let of = |run: &'_ Run| run.parts.iter().find(|part| part.kind == **kind).cloned();
        let computation = |run: &Run| of(run).map(|part| part.computation);
        columns.number(key("computation", kind), computation).drop_first(1);
        let communication = |run: &Run| of(run).map(|part| part.communication);
        columns.number(key("communication", kind), communication).drop_first(1);
    }
    for name in &labels {
        let taken = columns.has(name) || *name == "origin";
        let key = if taken { format!("label:{name}") } else { (*name).to_owned() };
        columns.text(key, |run| run.labels.get(*name)).titled(*name).drop_first(2);
    }
    columns.text("origin", |run| text_cell(&run.origin)).drop_first(3);
    columns.table("runs", "Runs")
}

/// The names without duplicates: variables with a fixed meaning first, the others in alphabetical
/// order.
pub(crate) fn names<'a>(all: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    let first = [
        variable::PROBLEM_SIZE,
        variable::BLOCK_SIZE,
        variable::PROCESSES,
        variable::GRID_ROWS,
        variable::GRID_COLUMNS,
    ];
    let all: BTreeSet<&str> = all.map(String::as_str).collect();
    let known = first.into_iter().filter(|name| all.contains(name));
    known.chain(all.iter().copied().filter(|name| !first.contains(name))).collect()
}

/// A cell with a text, or null if it is empty.
fn text_cell(text: &str) -> Cell {
    Some(text).filter(|text| !text.is_empty()).into()
}

/// The table of forecasts of a metric.
///
/// Keys: the variables and the levels of categories by name, configuration if one was given,
/// seconds of times, value of other metrics (null if the runs do not determine it), low, high (null
/// if the model has no intervals, or ones that span more than a factor of a million), extrapolated,
/// and slowest_kind (of elements) if kinds differ.
pub fn forecasts(metric: &Metric, forecasts: &[(Point, Forecast)]) -> Table {
    let kinds = forecasts.iter().any(|(_, forecast)| forecast.slowest_kind.is_some());
    let mut columns = Columns::of(forecasts);
    add_forecasts(&mut columns, metric, |(point, _)| point, |(_, forecast)| Some(forecast));
    if kinds {
        columns.text("slowest_kind", |(_, one)| one.slowest_kind.as_ref()).drop_first(3);
    }
    let mut notes = Vec::new();
    if forecasts.iter().any(|(_, forecast)| forecast.extrapolated) {
        let sure = forecasts.iter().any(|(_, forecast)| forecast.interval.is_some());
        let note = "Extrapolated: a variable or the configuration lies outside the measured range";
        let wider = if sure { ", which widens the interval." } else { "." };
        notes.push(format!("{note}{wider}"));
    }
    if forecasts.iter().any(|(_, forecast)| forecast.is_worthless()) {
        notes.push(worthless_note(metric));
    }
    columns.table("forecasts", "").with_note(notes.join(" "))
}

/// Adds the columns of points with their forecasts: variables, levels of categories, configuration,
/// seconds or value, low, high, extrapolated.
fn add_forecasts<'a, R>(
    columns: &mut Columns<'a, R>,
    metric: &Metric,
    point: fn(&R) -> &Point,
    forecast: fn(&R) -> Option<&Forecast>,
) {
    let points = || columns.rows().iter().map(point);
    let variables = names(points().flat_map(|point| point.variables.keys()));
    let labels = names(points().flat_map(|point| point.labels.keys()));
    let configured = points().any(|point| !point.configuration.shares.is_empty());
    for name in variables {
        columns.number(name, |row| point(row).variables.get(name).copied().map(plain_cell));
    }
    for name in labels {
        columns.text(name, |row| point(row).labels.get(name)).titled(name);
    }
    if configured {
        columns.text("configuration", |row| point(row).configuration.to_string());
    }
    let determined = |row| forecast(row).filter(|one| !one.is_worthless());
    let cell = |value| metric_cell(metric, value);
    let (key, title) = metric_names(metric);
    columns.number(key, |row| determined(row).map(|one| cell(one.seconds))).titled(title);
    columns.ends(["low", "high"], 1, |row| {
        let interval = forecast(row).and_then(Forecast::readable_interval);
        interval.map(|(low, high)| (cell(low), cell(high)))
    });
    columns.text("extrapolated", |row| forecast(row).map(|one| one.extrapolated)).drop_first(2);
}

/// The table of the forecasts over two variables.
///
/// Keys: those of [`forecasts`], measured (the median time of the runs of this point; null if it was
/// not measured), and reason (why there is no time) if a point has none.
pub fn forecast_map(metric: &Metric, map: &ForecastMap) -> Table {
    let mut columns = Columns::of(&map.cells);
    add_forecasts(&mut columns, metric, |cell| &cell.point, |cell| cell.forecast.as_ref().ok());
    columns.number("measured", |cell| cell.measured.map(|value| metric_cell(metric, value)));
    if map.cells.iter().any(|cell| cell.forecast.is_err()) {
        let reason = |cell: &MapCell| cell.forecast.as_ref().err().map(ToString::to_string);
        columns.text("reason", reason).drop_first(3);
    }
    let [one, other] = [&map.columns, &map.rows].map(|axis| &axis.variable);
    columns.table("forecast_map", format!("Forecasts over {one} and {other}"))
}

/// The note that explains empty cells of a metric.
fn worthless_note(metric: &Metric) -> String {
    let (_, title) = metric_names(metric);
    format!("No {title}: the ends of the interval differ by more than a factor of 100.")
}

/// The table of the regions of an application at a point, by a metric.
///
/// Keys: region, depth (its number of callers among the regions), seconds of times, value of other
/// metrics (null if the runs do not determine it), low, high (null if the model has no intervals),
/// share (of the topmost regions with a time; null if one of them has none), `growth:NAME`,
/// `growth_low:NAME` and `growth_high:NAME` (the exponent of the time in each variable that varies
/// in the runs, and its interval), extrapolated, reason (why there is no time).
pub fn regions(metric: &Metric, point: &Point, regions: &[RegionForecast<'_>]) -> Table {
    let known = |one: &RegionForecast<'_>| one.forecast.as_ref().ok().cloned();
    let determined = move |one: &RegionForecast<'_>| known(one).filter(|one| !one.is_worthless());
    let mut columns = Columns::of(regions);
    columns.text("region", |one| text_cell(&one.region.name));
    columns.number("depth", |one| one.depth).for_programs();
    let cell = |value| metric_cell(metric, value);
    let (key, title) = metric_names(metric);
    columns.number(key, |one| determined(one).map(|one| cell(one.seconds))).titled(title.clone());
    columns.ends(["low", "high"], 1, |one| {
        let interval = known(one).and_then(|one| one.readable_interval());
        interval.map(|(low, high)| (cell(low), cell(high)))
    });
    let percent = |share: f64| Cell::number(share, format!("{:.1} %", 100.0 * share));
    columns.number("share", |one| one.share.map(percent));
    let cell = |value: f64| Cell::number(value, format!("{value:+.2}"));
    for name in names(regions.iter().flat_map(|one| one.growth.keys())) {
        let of = |one: &RegionForecast<'_>| one.growth.get(name).copied();
        let exponent = |one: &RegionForecast<'_>| of(one).map(|of| cell(of.exponent));
        let low = move |one: &RegionForecast<'_>| of(one)?.interval.map(|(low, _)| cell(low));
        let high = move |one: &RegionForecast<'_>| of(one)?.interval.map(|(_, high)| cell(high));
        columns.number(format!("growth:{name}"), exponent).titled(format!("growth in {name}"));
        columns.number(format!("growth_low:{name}"), low).titled("low").drop_first(2);
        columns.number(format!("growth_high:{name}"), high).titled("high").drop_first(2);
    }
    columns.text("extrapolated", |one| known(one).map(|one| one.extrapolated)).drop_first(2);
    if regions.iter().any(|one| one.forecast.is_err()) {
        let reason =
            |one: &RegionForecast<'_>| one.forecast.as_ref().err().map(ToString::to_string);
        columns.text("reason", reason).drop_first(3);
    }
    let mut notes = vec![format!(
        "Share: of the topmost regions with a {noun}, whose {noun}s include those of the regions \
            that they call. Growth in x: the exponent of the {noun} in x at this point.",
        noun = metric_noun(metric)
    )];
    if regions.iter().any(|one| known(one).is_some_and(|one| one.is_worthless())) {
        notes.push(worthless_note(metric));
    }
    columns.table("regions", format!("Regions at {point}")).with_note(notes.join(" "))
}

/// The table of the terms of execution-time models.
///
/// Keys: region if there are several, term, kind if kinds differ, role, value, low, high in seconds,
/// or the unit of another metric, per unit of the term; probability of the sum if others are
/// plausible.
pub fn terms(application: &Application) -> Table {
    let regions = application.regions.len() > 1;
    let kinds = application.regions.iter().any(|region| !region.model.kinds().is_empty());
    let mut rows = Vec::new();
    for region in &application.regions {
        if let Some(model) = region.model.as_terms() {
            rows.extend(model.coefficients.iter().map(|coefficient| (region, coefficient)));
        }
    }
    let number = |value: f64| Cell::number(value, format!("{value:.4e}"));
    let mut columns = Columns::of(&rows);
    if regions {
        columns.text("region", |(region, _)| &region.name);
    }
    columns.text("term", |(_, one)| one.term.to_string());
    if kinds {
        columns.text("kind", |(_, one)| one.kind.as_ref());
    }
    columns.text("role", |(_, one)| one.role.name()).drop_first(3);
    columns.number("value", |(_, one)| number(one.estimate.value));
    columns.ends(["low", "high"], 1, |(_, one)| {
        one.estimate.interval.map(|ends| (number(ends.low), number(ends.high)))
    });
    let metric = &application.metric;
    let title = if metric.is_time() {
        "Terms of the execution time in seconds: T = Σ value × term".to_owned()
    } else {
        format!("Terms of the metric {}: Σ value × term", metric.name())
    };
    if rows.iter().any(|(region, _)| sum_probability(region) < 1.0) {
        columns.number("probability", |(region, _)| percent_cell(sum_probability(region)));
        return columns.table("terms", title).with_note(
            "Probability: of the sum of these terms among all plausible ones; forecasts and their \
                intervals contain the others.",
        );
    }
    columns.table("terms", title)
}

/// Sentences on variables that vary together in all runs of some region, one for each pair.
pub fn varying_together_sentences<'a>(
    regions: impl IntoIterator<Item = &'a Region>,
) -> Vec<String> {
    let pairs: BTreeSet<(&str, &str)> =
        regions.into_iter().flat_map(Region::varying_together).collect();
    let sentence = |(a, b): (&str, &str)| {
        format!(
            "{a} and {b} vary together in all runs: they do not show which changes the time, and \
                forecasts hold where both vary as there; vary one of them alone"
        )
    };
    pairs.into_iter().map(sentence).collect()
}

/// The probability of the terms of a region; 1 if no other sum is plausible.
fn sum_probability(region: &Region) -> f64 {
    region.model.as_terms().map_or(1.0, TermModel::probability)
}

/// The tables of the N-T and P-T models of all regions that have them.
///
/// Keys of N-T models: region and range if there are several, kind, per_element, processes, k0 to
/// k6, smallest, largest. Keys of P-T models: region and range, kind, per_element, k7 to k11,
/// reference (its P), processes_from, processes_to, composed_from.
pub fn paper_models(application: &Application) -> Vec<Table> {
    let papers: Vec<(&str, &PaperModel)> = application
        .regions
        .iter()
        .filter_map(|region| Some((region.name.as_str(), region.model.as_paper()?)))
        .collect();
    let ranges = papers.iter().any(|(_, model)| !model.limits.is_empty());
    let regions = application.regions.len() > 1;
    let mut tables = Vec::new();
    if !papers.is_empty() {
        tables.push(size_models(&papers, regions, ranges));
    }
    let process_models = process_models(&papers, regions, ranges);
    if !process_models.rows().is_empty() {
        let notes: Vec<String> = papers.iter().flat_map(|(_, model)| notes(model)).collect();
        tables.push(process_models.with_note(notes.join(" ")));
    }
    tables
}

/// Adds the columns of coefficients, numbered from `first`.
fn add_coefficients<'a, R, const N: usize>(
    columns: &mut Columns<'a, R>,
    first: usize,
    of: impl Fn(&'a R) -> [f64; N],
) {
    for place in 0..N {
        let cell = |value: f64| Cell::number(value, format!("{value:.2e}"));
        columns.number(format!("k{}", first + place), |row| cell(of(row)[place]));
    }
}

/// The table of N-T models.
fn size_models(papers: &[(&str, &PaperModel)], regions: bool, ranges: bool) -> Table {
    let rows: Vec<_> = papers
        .iter()
        .flat_map(|(region, paper)| paper.nt_models.iter().map(move |model| (region, model)))
        .collect();
    let mut columns = Columns::of(&rows);
    if regions {
        columns.text("region", |(region, _)| **region);
    }
    columns.text("kind", |(_, model)| &model.kind);
    columns.number("per_element", |(_, model)| model.per_element);
    columns.number("processes", |(_, model)| model.processes);
    if ranges {
        columns.number("range", |(_, model)| model.range);
    }
    add_coefficients(&mut columns, 0, |(_, model)| model.computation);
    add_coefficients(&mut columns, 4, |(_, model)| model.communication);
    let end = |size: Option<&f64>| size.copied().map(plain_cell);
    columns.number("smallest", |(_, model)| end(model.sizes.first())).drop_first(7);
    columns.number("largest", |(_, model)| end(model.sizes.last())).drop_first(7);
    let title = "N-T models in seconds: Ta = k0·N³ + k1·N² + k2·N + k3, Tc = k4·N² + k5·N + k6";
    columns.table("size_models", title)
}

/// The table of P-T models.
fn process_models(papers: &[(&str, &PaperModel)], regions: bool, ranges: bool) -> Table {
    let rows: Vec<_> = papers
        .iter()
        .flat_map(|(region, paper)| paper.pt_models.iter().map(move |model| (region, model)))
        .collect();
    let mut columns = Columns::of(&rows);
    if regions {
        columns.text("region", |(region, _)| **region);
    }
    columns.text("kind", |(_, model)| &model.kind);
    columns.number("per_element", |(_, model)| model.per_element);
    if ranges {
        columns.number("range", |(_, model)| model.range);
    }
    add_coefficients(&mut columns, 7, |(_, model)| model.computation);
    add_coefficients(&mut columns, 9, |(_, model)| model.communication);
    columns.number("reference", |(_, model)| model.reference.processes);
    columns.number("processes_from", |(_, model)| model.processes.0).drop_first(7);
    columns.number("processes_to", |(_, model)| model.processes.1).drop_first(7);
    columns.text("composed_from", |(_, model)| model.composed_from.as_ref()).drop_first(5);
    let title = "P-T models in seconds: Ta(N, P) = k7·Ta(N)/P + k8, Tc(N, P) = k9·P·Tc(N) + \
        k10·Tc(N)/P + k11";
    columns.table("process_models", title)
}

/// Remarks on models that were composed from others or adjusted.
fn notes(model: &PaperModel) -> Vec<String> {
    let compositions = model.compositions.iter().map(|c| {
        let each = c
            .per_element
            .map(|(own, other)| format!(" ({own} processes per element from {other})"));
        format!(
            "{}: composed from {}{} with computation × {:.3} and communication × {:.3}.",
            c.kind,
            c.from,
            each.unwrap_or_default(),
            c.computation,
            c.communication
        )
    });
    let adjustment = model.adjustment.iter().map(|a| {
        let intercept = Seconds::new(a.intercept);
        format!(
            "Estimates of {} with {} or more processes per element are adjusted: {intercept} + \
                {:.3} × estimate.",
            a.kind, a.from_processes, a.slope
        )
    });
    compositions.chain(adjustment).collect()
}
