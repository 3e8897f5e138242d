//! Errors of point-to-point experiments, mostly residuals of the fit: lack of fit and outliers.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, PreEscaped, html};

use super::curves::{color, legend_of};
use super::document::html_table;
use crate::figures::error_strips::{self, Group, Lane};
use crate::tables::columns::Columns;
use crate::tables::format::{and, counted, unbroken_percent as percent};
use crate::tables::format::{error_cell, median, percent as share, quantile, signed_percent};
use crate::tables::table::{Cell, Table};
use orrery::comm::BASIC_EXPERIMENTS;
use orrery::model::{ModelKind, Validation, ValidationRow};
use orrery::platform::LinkClass;
use orrery::sample::{Experiment, ExperimentKind};
use orrery::units::Bytes;

/// The largest number of sizes of one kind of experiment in the figure.
const MAX_SIZES: usize = 4;
/// The least median error that counts as lack of fit.
const MIN_RELEVANT_ERROR: f64 = 0.01;
/// The least half-width of the middle half of errors, relative to noise, that counts as scatter.
const MIN_SCATTER: f64 = 2.0;
/// An error is an outlier at this distance from the middle half, relative to its width.
const OUTLIER_DISTANCE: f64 = 3.0;

/// Experiments that differ in processors only and whose links are of one class; ordered by
/// operation, then by size.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ExperimentGroup {
    kind: ExperimentKind,
    has_other_reply: bool,
    size: Bytes,
    experiment: Experiment,
    class: Option<LinkClass>,
}

impl ExperimentGroup {
    /// The group of a row; `None` for experiments that the models are not fitted to in general.
    fn of(row: &ValidationRow) -> Option<Self> {
        let experiment = row.experiment.without_processors();
        let (kind, has_other_reply) = (experiment.kind(), experiment.other_reply().is_some());
        let group =
            Self { kind, has_other_reply, size: experiment.size(), experiment, class: row.class };
        BASIC_EXPERIMENTS.contains(&kind).then_some(group)
    }

    /// Returns true if the groups differ in the size or the class of links only.
    fn is_like(&self, other: &Self) -> bool {
        (self.kind, self.has_other_reply) == (other.kind, other.has_other_reply)
    }

    /// The title with the class of links.
    fn title(self) -> String {
        let class = self.class.map_or_else(String::new, |class| format!(", {class}"));
        self.of_all_links() + &class
    }

    /// The title without the class of links.
    fn of_all_links(self) -> String {
        let reply = self
            .experiment
            .other_reply()
            .map_or_else(String::new, |reply| format!(", {reply} back"));
        format!("{} {}{reply}", self.experiment.name(), self.size)
    }
}

/// The rows of a validation by kind of experiment and model.
type Errors<'a> = BTreeMap<ExperimentGroup, BTreeMap<ModelKind, Vec<&'a ValidationRow>>>;

/// The section with the errors of point-to-point experiments, which are residuals where the fit has
/// seen them; empty without point-to-point experiments.
pub(super) fn render(validation: &Validation) -> Markup {
    let mut errors: Errors = BTreeMap::new();
    for row in validation.rows.iter().filter(|row| row.error.is_finite()) {
        if let Some(kind) = ExperimentGroup::of(row) {
            errors.entry(kind).or_default().entry(row.predicted.model).or_default().push(row);
        }
    }
    if errors.is_empty() {
        return html! {};
    }
    let models: BTreeSet<ModelKind> =
        errors.values().flat_map(|models| models.keys().copied()).collect();
    let shown = thinned(&errors);
    let rows = || errors.values().flat_map(BTreeMap::values).flatten();
    let (title, of_which) = if rows().all(|row| row.seen) {
        (
            "Residuals of the fit",
            "The errors of the models on point-to-point experiments of the fit.",
        )
    } else if rows().any(|row| row.seen) {
        (
            "Residuals and errors of single messages",
            "The errors of the models on point-to-point experiments: residuals where the fit has \
                seen them, otherwise errors of predictions.",
        )
    } else {
        (
            "Errors of single messages",
            "The errors of predictions of point-to-point experiments, which the fit has not seen.",
        )
    };
    let groups: Vec<Group> = shown.iter().map(|kind| group(*kind, &errors[kind])).collect();
    html! {
        section id="residuals" {
            h2 { (title) }
            p { (of_which) " A box off \
                zero with all errors on one side is lack of "
                "fit: the model cannot describe that experiment. A single dot far from its box is \
                    an outlier: measure that pair or "
                "triple again." }
            div.beside {
                figure {
                    (PreEscaped(error_strips::svg("Errors of the models on point-to-point \
                        experiments", &groups)))
                    figcaption {
                        (legend_of(models.iter().map(|model| (color(*model), ("box", "M3 3.5h20v7h-20z"), model.name()))))
                        p.note { "Marker: median; box: quartiles; line: 5th to 95th percentile; \
                            dots: "
                            "single experiments. The axis is linear up to ±2 %, logarithmic beyond."
                            @if shown.len() < errors.len() { " Not drawn: "
                                (counted(errors.len() - shown.len(), "size")) " between; the table \
                                    has all." } }
                    }
                }
                div {
                    ul.findings { @for model in &models { li { (finding(*model, &errors)) } } }
                    @if models.contains(&ModelKind::Hockney) && errors.keys().any(|group| group.kind == ExperimentKind::OneToTwo) {
                        p.note { "Hockney is fitted to round trips alone; one-to-two experiments \
                            test it." }
                    }
                }
            }
            details { summary { "All of them as a table" } (html_table(&numbers(title, &errors))) }
        }
    }
}

/// The kinds of experiments in the figure: of each operation the smallest, the largest and some
/// sizes between.
fn thinned(errors: &Errors) -> Vec<ExperimentGroup> {
    let kinds: Vec<ExperimentGroup> = errors.keys().copied().collect();
    let alike = kinds.chunk_by(ExperimentGroup::is_like);
    alike
        .flat_map(|kinds| {
            let sizes: Vec<Bytes> =
                kinds.iter().map(|kind| kind.size).collect::<BTreeSet<_>>().into_iter().collect();
            let last = sizes.len() - 1;
            let shown: BTreeSet<Bytes> = (0..MAX_SIZES)
                .map(|step| sizes[(step * last + (MAX_SIZES - 1) / 2) / (MAX_SIZES - 1)])
                .collect();
            kinds.iter().copied().filter(move |kind| shown.contains(&kind.size))
        })
        .collect()
}

/// The box plots of a kind of experiment.
fn group(kind: ExperimentGroup, models: &BTreeMap<ModelKind, Vec<&ValidationRow>>) -> Group {
    let lane = |(model, rows): (&ModelKind, &Vec<&ValidationRow>)| Lane {
        color: color(*model),
        name: model.to_string(),
        errors: rows.iter().map(|row| row.error).collect(),
    };
    Group {
        title: kind.of_all_links(),
        subtitle: kind.class.map(|class| class.to_string()),
        lanes: models.iter().map(lane).collect(),
    }
}

/// Statistics of the errors of a model on a kind of experiment.
struct Spread<'a> {
    middle: f64,
    quarters: (f64, f64),
    /// The experiment with the largest error.
    worst: &'a ValidationRow,
    /// Median of the relative half-widths of the intervals of the observed times.
    noise: f64,
    outliers: usize,
}

impl<'a> Spread<'a> {
    /// The statistics of rows; `None` without rows.
    fn of(rows: &[&'a ValidationRow]) -> Option<Self> {
        let at = |q| quantile(rows.iter().map(|row| row.error), q);
        let (middle, quarter, three) = (at(0.5)?, at(0.25)?, at(0.75)?);
        let noise = rows.iter().filter_map(|row| {
            row.observed
                .interval
                .map(|interval| (interval.high - interval.low) / 2.0 / row.observed.value)
        });
        let reach = OUTLIER_DISTANCE * (three - quarter);
        let far = |error: f64| {
            (error > three + reach || error < quarter - reach)
                && (error - middle).abs() > MIN_RELEVANT_ERROR
        };
        Some(Self {
            middle,
            quarters: (quarter, three),
            worst: rows.iter().max_by(|a, b| a.error.abs().total_cmp(&b.error.abs()))?,
            noise: median(noise).unwrap_or(0.0),
            outliers: rows.iter().filter(|row| far(row.error)).count(),
        })
    }

    /// Returns true if most errors are on one side and the median error exceeds noise.
    fn lacks_fit(&self) -> bool {
        self.middle.abs() > MIN_RELEVANT_ERROR.max(self.noise)
            && self.quarters.0 * self.quarters.1 > 0.0
    }

    /// Returns true if the errors are on both sides and much wider than noise.
    fn scatters(&self) -> bool {
        !self.lacks_fit()
            && (self.quarters.1 - self.quarters.0) / 2.0
                > MIN_SCATTER * MIN_RELEVANT_ERROR.max(self.noise)
    }
}

/// A list of kinds of experiments in a sentence; two examples if there are many.
fn some(found: &[String], of: usize) -> String {
    match found.len() {
        0..=4 => and(found),
        many => format!("{many} of {of} kinds, as {}", and(&found[..2])),
    }
}

/// The sentences on the residuals of a model.
fn finding(model: ModelKind, errors: &Errors) -> Markup {
    let spreads: Vec<(ExperimentGroup, Spread)> = errors
        .iter()
        .filter_map(|(kind, models)| Some((*kind, Spread::of(models.get(&model)?)?)))
        .collect();
    let unbroken = |error: f64| signed_percent(error).replace(' ', "\u{a0}");
    let lacking = spreads.iter().filter(|(_, spread)| spread.lacks_fit());
    let lacking: Vec<String> = lacking
        .map(|(kind, spread)| format!("{} ({})", kind.title(), unbroken(spread.middle)))
        .collect();
    let scattered = spreads.iter().filter(|(_, spread)| spread.scatters());
    let scattered: Vec<String> = scattered
        .map(|(kind, Spread { quarters: (low, high), .. })| {
            format!("{} ({} to {})", kind.title(), unbroken(*low), unbroken(*high))
        })
        .collect();
    let outliers: usize = spreads.iter().map(|(_, spread)| spread.outliers).sum();
    let worst = spreads
        .iter()
        .map(|(_, spread)| spread.worst)
        .max_by(|a, b| a.error.abs().total_cmp(&b.error.abs()));
    let all: Vec<f64> = errors
        .values()
        .filter_map(|models| models.get(&model))
        .flatten()
        .map(|row| row.error.abs())
        .collect();
    html! {
        strong { (model) } ": median error " (percent(median(all).unwrap_or(0.0))) ". "
        @if !lacking.is_empty() { "Lack of fit at " (some(&lacking, spreads.len())) ". " }
        @if !scattered.is_empty() {
            "Wide scatter at " (some(&scattered, spreads.len())) ": processors differ in ways that \
                the model does not describe. "
        }
        @if lacking.is_empty() && scattered.is_empty() { "No lack of fit. " }
        @if outliers > 0 { (counted(outliers, "outlier")) ". " }
        @if let Some(worst) = worst {
            "Largest error: " (worst.experiment) ", " (unbroken(worst.error)) "."
        }
    }
}

/// The table of all residuals.
fn numbers(title: &str, errors: &Errors) -> Table {
    let mut rows = Vec::new();
    for (kind, models) in errors {
        rows.extend(
            models.iter().filter_map(|(model, of)| Some((kind, model, of.len(), Spread::of(of)?))),
        );
    }
    let noise = |noise: f64| Cell::number(noise, share(noise));
    let mut columns = Columns::of(&rows);
    columns.text("experiments of one kind", |(kind, ..)| kind.title());
    columns.text("model", |(_, model, ..)| model.name());
    columns.number("experiments", |(_, _, count, _)| *count);
    columns.number("median error", |(.., spread)| error_cell(spread.middle));
    columns.number("lower quarter", |(.., spread)| error_cell(spread.quarters.0));
    columns.number("upper quarter", |(.., spread)| error_cell(spread.quarters.1));
    columns.number("noise of the measured median", |(.., spread)| noise(spread.noise));
    columns.number("outliers", |(.., spread)| spread.outliers);
    columns.text("largest error of", |(.., spread)| spread.worst.experiment.to_string());
    columns.number("error", |(.., spread)| error_cell(spread.worst.error));
    columns.table("residuals", title)
}
