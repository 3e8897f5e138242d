//! Tables of validations: measured and predicted times, errors, ranks of models, and native
//! collective operations.

use super::alarms::{alarm_cell, note_with_alarms};
use super::columns::Columns;
use super::comparison::{Comparison, Point};
use super::format::{error_cell, half_width_cell, percent_cell, seconds, signed_percent};
use super::link_classes::{class_cell, with_class};
use super::table::{Cell, Table};
use orrery::model::{ModelKind, NativeComparison, Prediction, Ranked, RankingBasis, Validation};
use orrery::numeric::Estimate;
use orrery::sample::PROCESSOR_COLUMNS;
use std::collections::BTreeSet;

/// The sentence where there is no error of a prediction.
pub const ONLY_RESIDUALS: &str = "The fit has seen all of these experiments: these are residuals, \
    not errors of predictions. To test predictions, measure further sizes, or hold some out of \
    the fit.";

/// The tables of a validation: the rows and the summary.
///
/// The rows have one line for each experiment and model. Keys: operation, algorithm, i, j, k, root,
/// procs, size, reply, count, measured, measured_low, measured_high, model, predicted, low, high,
/// from_readings, from_model, error, alarms, seen, and links (within, across, both) in clusters with
/// links within a host and across hosts. People see one line for each operation and size with the
/// models side by side. The keys of the summary are model, operation, experiments, mean_error,
/// median_error, max_error, inside (the part of the intervals that contain the measured time), seen,
/// and links. `seen` is true for experiments that the fit has seen, of which no part is given; people
/// see it where some experiments were seen and some were not.
pub fn validation(validation: &Validation) -> (Table, Table) {
    (rows(validation).with_display(pivot(validation)), summary(validation))
}

/// The table of all experiments and models.
fn rows(validation: &Validation) -> Table {
    let mut columns = Columns::of(&validation.rows);
    columns.text("operation", |row| row.predicted.query.operation());
    columns.text("algorithm", |row| row.predicted.query.algorithm());
    for (place, key) in PROCESSOR_COLUMNS.into_iter().enumerate() {
        columns.number(key, |row| row.experiment.fields().processors[place]);
    }
    columns.number("root", |row| row.experiment.fields().root);
    columns.number("procs", |row| row.predicted.query.procs());
    columns.number("size", |row| row.experiment.size());
    columns.number("reply", |row| row.experiment.fields().reply);
    add_observed(&mut columns, 0, |row| row.observed);
    columns.text("model", |row| row.predicted.model.name());
    columns.number("predicted", |row| row.predicted.seconds);
    columns.ends(["low", "high"], 0, |row| row.predicted.interval);
    columns.number("from_readings", |row| half_width_cell(row.predicted.uncertainty.readings));
    columns.number("from_model", |row| half_width_cell(row.predicted.uncertainty.model));
    columns.number("error", |row| error_cell(row.error));
    columns.text("alarms", |row| alarm_cell(&row.predicted.alarms));
    columns.text("seen", |row| row.seen);
    if validation.rows.iter().any(|row| row.class.is_some()) {
        columns.text("links", |row| class_cell(row.class));
    }
    columns.table("rows", "Measured and predicted times")
}

/// Adds the columns of a measured time: number of readings, value and interval.
fn add_observed<'a, R>(
    columns: &mut Columns<'a, R>,
    drop_priority: u8,
    of: impl Fn(&'a R) -> Estimate,
) {
    columns.number("count", |row| of(row).samples).drop_first(drop_priority);
    columns.number("measured", |row| seconds(of(row).value));
    columns.ends(["measured_low", "measured_high"], drop_priority, |row| {
        of(row).interval.map(|ends| (seconds(ends.low), seconds(ends.high)))
    });
}

/// Returns true if the fit has seen some of the experiments and not others.
fn is_mixed(validation: &Validation) -> bool {
    let seen: BTreeSet<bool> = validation.rows.iter().map(|row| row.seen).collect();
    seen.len() > 1
}

/// The sentence on errors that are residuals; empty if none are, and where a column marks them.
fn residuals_note(validation: &Validation) -> &'static str {
    if is_mixed(validation) {
        " Where the fit has seen an experiment, the error is a residual and not that of a \
            prediction."
    } else if validation.rows.iter().any(|row| row.seen) {
        " The fit has seen all of these experiments: the errors are residuals and not those of \
            predictions."
    } else {
        ""
    }
}

/// The table for people: one line for each operation, algorithm and size, the models side by side.
fn pivot(validation: &Validation) -> Table {
    let kinds: BTreeSet<ModelKind> =
        validation.rows.iter().map(|row| row.predicted.model).collect();
    let comparisons = Comparison::all(validation);
    let rows: Vec<_> = comparisons
        .iter()
        .flat_map(|one| one.points.iter().map(move |point| (&one.subject, point)))
        .collect();
    let mut columns = Columns::of(&rows);
    columns.text("operation", |(subject, _)| {
        let reply = if subject.other_reply { ", short reply" } else { "" };
        with_class(format!("{}{reply}", subject.name()), subject.class)
    });
    let priority = if ambiguous_without_procs(&comparisons) { 0 } else { 30 };
    columns.number("procs", |(subject, _)| subject.procs).drop_first(priority);
    columns.number("size", |(_, point)| point.size);
    columns.number("measured", |(_, point)| seconds(point.measured)).drop_first(10);
    if is_mixed(validation) {
        columns.text("seen", |(_, point)| point.seen_cell()).drop_first(5);
    }
    // On narrow terminals the best models are kept longest.
    let ranking = ranked(validation);
    let place = |kind: ModelKind| ranking.iter().take_while(|one| one.model != kind).count() as u8;
    for kind in &kinds {
        let of = |(_, point): &(_, &Point)| {
            point.models.get(kind).copied().unwrap_or((f64::NAN, f64::NAN))
        };
        columns.number(kind.name(), |row| seconds(of(row).0)).titled(kind.name()).drop_first(20);
        let error = |error: f64| Cell::number(error, signed_percent(error).replace(" %", ""));
        columns
            .number(format!("{kind}_error"), |row| error(of(row).1))
            .titled(if kinds.len() == 1 { "error %".to_owned() } else { format!("{kind} %") })
            .drop_first(place(*kind));
    }
    let title = "Measured and predicted times, means over roots and pairs";
    let note = "For each model: the predicted time, and its error in percent of the measured time.";
    let note = format!("{note}{}", residuals_note(validation));
    let alarms = validation.rows.iter().flat_map(|row| &row.predicted.alarms);
    columns.table("rows", title).with_note(note_with_alarms(&note, alarms))
}

/// Returns true if an operation was measured with different numbers of processors.
fn ambiguous_without_procs(comparisons: &[Comparison]) -> bool {
    let procs: BTreeSet<(String, usize)> = comparisons
        .iter()
        .map(|comparison| (comparison.subject.name(), comparison.subject.procs))
        .collect();
    let words: BTreeSet<&String> = procs.iter().map(|(word, _)| word).collect();
    words.len() < procs.len()
}

/// The table of errors by model and operation.
fn summary(validation: &Validation) -> Table {
    let mut columns = Columns::of(&validation.summary);
    columns.text("model", |one| one.model.name());
    columns.text("operation", |one| &one.operation).for_programs();
    columns.text("operation", |one| with_class(&one.operation, one.class)).for_people();
    columns.number("experiments", |one| one.rows).drop_first(1);
    columns.number("mean_error", |one| percent_cell(one.mean_error));
    columns.number("median_error", |one| percent_cell(one.median_error));
    columns.number("max_error", |one| percent_cell(one.max_error));
    let has_intervals = validation.summary.iter().any(|one| one.inside.is_some());
    columns.number("inside", |one| one.inside.map(percent_cell)).for_programs_if(!has_intervals);
    columns.text("seen", |one| one.seen).drop_first(5).for_programs_if(!is_mixed(validation));
    if validation.summary.iter().any(|one| one.class.is_some()) {
        columns.text("links", |one| class_cell(one.class)).for_programs();
    }
    let residuals = residuals_note(validation);
    let inside = if has_intervals {
        " Inside: the part of the intervals of predictions that contain the measured time."
    } else {
        ""
    };
    let note = format!("Errors are |predicted − measured| / measured.{inside}{residuals}");
    columns.table("summary", "Errors of the models").with_note(note)
}

/// The models by rank, over the experiments that show best how good predictions are.
pub(crate) fn ranked(validation: &Validation) -> Vec<Ranked> {
    let basis = validation.basis();
    validation.ranking(|row| basis.counts(row))
}

/// The table of models ranked by their mean error over collective operations that the fit has not
/// seen, over all experiments that it has not seen if there are none, or else over what it has seen.
///
/// Keys: rank, model, over (`collectives` or `experiments`), experiments, mean_error, max_error,
/// seen.
pub fn ranking(validation: &Validation) -> Table {
    let RankingBasis { collectives, seen } = validation.basis();
    let ranking = ranked(validation);
    let over = if collectives { "collectives" } else { "experiments" };
    let scope = if collectives { "collective operations" } else { "experiments" };
    let title = if seen {
        format!("Models ranked by their mean residual over {scope} of the fit")
    } else {
        format!("Models ranked by their mean error over held-out {scope}")
    };
    let mut notes = Vec::new();
    if seen {
        notes.push(ONLY_RESIDUALS);
    }
    if ranking.windows(2).any(|two| two[0].rank == two[1].rank) {
        notes.push(
            "Models of the same rank do not differ significantly from the best of them: Student's \
                test of the paired differences of their errors, at 5 %.",
        );
    }
    let mut columns = Columns::of(&ranking);
    columns.number("rank", |one| one.rank);
    columns.text("model", |one| one.model.name());
    columns.text("over", |_| over).for_programs();
    columns.number("experiments", |one| one.experiments).drop_first(1);
    columns.number("mean_error", |one| percent_cell(one.mean_error));
    columns.number("max_error", |one| percent_cell(one.max_error));
    columns.text("seen", |_| seen).for_programs();
    columns.table("ranking", title).with_note(notes.join(" "))
}

/// The table of the median error of each model for each operation, held-out ones first.
///
/// Keys: operation, seen, the models.
pub fn median_errors(validation: &Validation, kinds: &[ModelKind]) -> Table {
    let of_all = || validation.summary.iter().filter(|line| line.class.is_none());
    let mut operations: Vec<(bool, &str)> = Vec::new();
    for line in &validation.summary {
        if !operations.contains(&(line.seen, &line.operation)) {
            operations.push((line.seen, &line.operation));
        }
    }
    operations.sort_by_key(|(seen, _)| *seen);
    let mut columns = Columns::of(&operations);
    columns.text("operation", |(_, operation)| *operation);
    columns.text("seen", |(seen, _)| *seen);
    for kind in kinds {
        columns.number(kind.name(), |&(seen, operation)| {
            let found = of_all().find(|line| {
                (line.model, line.seen, line.operation.as_str()) == (*kind, seen, operation)
            });
            found.map(|line| percent_cell(line.median_error))
        });
    }
    columns.table("digest", "Errors of the models").with_note(
        "The median of |predicted − measured| / measured over all sizes, roots and pairs: \
            residuals where the fit has seen them.",
    )
}

/// The table of collective operations of the MPI library beside the predictions for each algorithm.
///
/// Keys: operation, root, procs, size, count, measured, measured_low, measured_high, model, nearest
/// (the algorithm with the smallest error), predicted and error (its predicted time and its error),
/// fastest (the algorithm with the shortest predicted time) and fastest_predicted.
pub fn native_collectives(comparisons: &[NativeComparison]) -> Table {
    let rows: Vec<_> =
        comparisons.iter().filter_map(|one| Some((one, one.algorithms.first()?.0.query))).collect();
    let name = |prediction: &Prediction| prediction.query.algorithm();
    let mut columns = Columns::of(&rows);
    columns.text("operation", |(_, query)| query.operation());
    columns.number("root", |(_, query)| query.distinct_root()).drop_first(3);
    columns.number("procs", |(_, query)| query.procs()).drop_first(2);
    columns.number("size", |(_, query)| query.size());
    add_observed(&mut columns, 5, |(one, _)| one.observed);
    columns.text("model", |(one, _)| one.model.name());
    columns.text("nearest", |(one, _)| one.nearest().and_then(|(nearest, _)| name(nearest)));
    columns.number("predicted", |(one, _)| one.nearest().map(|(nearest, _)| nearest.seconds));
    columns.number("error", |(one, _)| one.nearest().map(|(_, error)| error_cell(*error)));
    columns.text("fastest", |(one, _)| one.fastest().and_then(name)).drop_first(1);
    let fastest = |one: &NativeComparison| one.fastest().map(|fastest| fastest.seconds);
    columns.number("fastest_predicted", |(one, _)| fastest(one)).drop_first(1);
    let title = "Collective operations of the MPI library and predictions for known algorithms";
    columns.table("native", title).with_note(
        "Which algorithm the library takes is not known: the one whose prediction is nearest is \
            named, which does not prove that it is taken. Errors are (predicted − observed) / \
            observed.",
    )
}
