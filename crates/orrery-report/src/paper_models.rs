//! The models of the paper as tables.

use super::table::{Cell, Column, Table};
use orrery::scaling::Application;
use orrery::scaling::paper::PaperModel;
use orrery::units::Seconds;

/// The N-T and the P-T models of all regions that have them, a line each; no table where there are none.
///
/// Keys of N-T models: region and range (where there are several), kind, per_element, processes, k0 to k6, smallest,
/// largest. Keys of P-T models: region and range, kind, per_element, k7 to k11, reference (its P), processes_from,
/// processes_to, composed_from.
pub fn paper_models(application: &Application) -> Vec<Table> {
    let papers =
        || application.regions.iter().filter_map(|region| Some((region.name.as_str(), region.model.as_paper()?)));
    let models = || papers().map(|(_, model)| model);
    let ranges = models().any(|model| !model.limits.is_empty());
    let regions = application.regions.len() > 1;
    let mut tables = Vec::new();
    if papers().next().is_some() {
        tables.push(size_models(papers(), regions, ranges));
    }
    if models().any(|model| !model.pt_models.is_empty()) {
        let notes: Vec<String> = models().flat_map(notes).collect();
        tables.push(process_models(papers(), regions, ranges).with_note(notes.join(" ")));
    }
    tables
}

fn number(value: f64) -> Cell {
    Cell::number(value, format!("{value:.2e}"))
}

fn head(regions: bool, ranges: bool, counts: &[&str]) -> Vec<Column> {
    let mut columns: Vec<Column> = regions.then(|| Column::words("region")).into_iter().collect();
    columns.push(Column::words("kind"));
    columns.extend(counts.iter().map(|key| Column::numbers(*key)));
    columns.extend(ranges.then(|| Column::numbers("range")));
    columns
}

fn size_models<'a>(models: impl Iterator<Item = (&'a str, &'a PaperModel)>, regions: bool, ranges: bool) -> Table {
    let mut columns = head(regions, ranges, &["per_element", "processes"]);
    columns.extend((0..7).map(|k| Column::numbers(format!("k{k}"))));
    columns.extend(["smallest", "largest"].map(|key| Column::numbers(key).dispensable(7)));
    let title = "N-T models in seconds: Ta = k0·N³ + k1·N² + k2·N + k3, Tc = k4·N² + k5·N + k6";
    let mut table = Table::new("size_models", title, columns);
    for (region, model) in models {
        for model in &model.nt_models {
            let mut cells: Vec<Cell> = regions.then(|| Cell::text(region)).into_iter().collect();
            cells.extend([Cell::text(model.kind.clone()), Cell::integer(model.per_element.into())]);
            cells.push(Cell::integer(model.processes));
            cells.extend(ranges.then(|| Cell::integer(model.range as u64)));
            cells
                .extend(model.coefficients.computation.into_iter().chain(model.coefficients.communication).map(number));
            let ends = [model.sizes.first(), model.sizes.last()];
            cells.extend(ends.map(|n| n.map_or(Cell::Null, |n| Cell::number(*n, n.to_string()))));
            table.push(cells);
        }
    }
    table
}

fn process_models<'a>(models: impl Iterator<Item = (&'a str, &'a PaperModel)>, regions: bool, ranges: bool) -> Table {
    let mut columns = head(regions, ranges, &["per_element"]);
    columns.extend((7..12).map(|k| Column::numbers(format!("k{k}"))));
    columns.push(Column::numbers("reference").titled("reference P"));
    columns.extend(["processes_from", "processes_to"].map(|key| Column::numbers(key).dispensable(7)));
    columns.push(Column::words("composed_from").dispensable(5));
    let title = "P-T models in seconds: Ta(N, P) = k7·Ta(N)/P + k8, Tc(N, P) = k9·P·Tc(N) + k10·Tc(N)/P + k11";
    let mut table = Table::new("process_models", title, columns);
    for (region, model) in models {
        for model in &model.pt_models {
            let mut cells: Vec<Cell> = regions.then(|| Cell::text(region)).into_iter().collect();
            cells.extend([Cell::text(model.kind.clone()), Cell::integer(model.per_element.into())]);
            cells.extend(ranges.then(|| Cell::integer(model.range as u64)));
            cells.extend(model.computation.into_iter().chain(model.communication).map(number));
            cells.extend([model.reference_processes, model.processes.0, model.processes.1].map(Cell::integer));
            cells.push(Cell::maybe_text(model.composed_from.clone()));
            table.push(cells);
        }
    }
    table
}

/// What was done to the models.
fn notes(model: &PaperModel) -> Vec<String> {
    let compositions = model.compositions.iter().map(|c| {
        format!(
            "{}: those of {}, computation × {:.3}, communication × {:.3}.",
            c.kind, c.from, c.computation, c.communication
        )
    });
    let adjustment = model.adjustment.iter().map(|a| {
        let intercept = Seconds::new(a.intercept);
        format!("{} from {} on each: {intercept} + {:.3} × the estimate.", a.kind, a.from_processes, a.slope)
    });
    compositions.chain(adjustment).collect()
}
