//! Measured and predicted times by operation and size, and the models ranked by their errors.

use super::format::{mean, median};
use super::table::Cell;
use orrery::model::{ModelKind, Ranked, Validation, ValidationRow};
use orrery::platform::LinkClass;
use orrery::sample::Experiment;
use orrery::units::Bytes;
use std::collections::BTreeMap;

/// The experiments that one curve shows: equal but for root, pair and size, with links of one
/// class.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Subject {
    /// The name of the operation, such as `roundtrip` or `scatter`.
    pub(crate) operation: &'static str,
    /// The algorithm of a collective operation.
    pub(crate) algorithm: Option<String>,
    /// The number of processors.
    pub(crate) procs: usize,
    /// True for replies of another size than the message, such as empty ones of round trips.
    pub(crate) other_reply: bool,
    /// The class of the links, in clusters with links within hosts and across hosts.
    pub(crate) class: Option<LinkClass>,
}

impl Subject {
    /// The subject of a row.
    pub(crate) fn of(row: &ValidationRow) -> Self {
        let query = row.predicted.query;
        let other_reply = row.experiment.other_reply().is_some();
        let (operation, algorithm, procs) = (query.operation(), query.algorithm(), query.procs());
        Self { operation, algorithm, procs, other_reply, class: row.class }
    }

    /// The name in files: `scatter/linear`, `roundtrip`.
    pub(crate) fn name(&self) -> String {
        match &self.algorithm {
            Some(algorithm) => format!("{}/{algorithm}", self.operation),
            None => self.operation.to_owned(),
        }
    }

    /// The title for people: `scatter/linear, 16 processors`.
    pub(crate) fn title(&self) -> String {
        let class = self.class.map_or_else(String::new, |class| format!(", {class}"));
        match (&self.algorithm, self.other_reply) {
            (Some(_), _) => format!("{}, {} processors", self.name(), self.procs),
            (None, true) => format!("{}, short reply{class}", self.name()),
            (None, false) => self.name() + &class,
        }
    }
}

/// The mean times of one size over roots and pairs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Point {
    pub(crate) size: Bytes,
    /// The mean of the measured medians in seconds.
    pub(crate) measured: f64,
    /// The means of the ends of their intervals in seconds.
    pub(crate) interval: Option<(f64, f64)>,
    /// The number of experiments: roots, pairs or triples.
    pub(crate) experiments: usize,
    /// For each model the mean predicted time in seconds and its error relative to the mean
    /// measured time.
    pub(crate) models: BTreeMap<ModelKind, (f64, f64)>,
    /// For each model that predicts escalations the mean ends of the bands in seconds.
    pub(crate) bands: BTreeMap<ModelKind, (f64, f64)>,
    /// True if the fit has seen all of the experiments, false if it has seen none of them; `None` if
    /// it has seen some of them.
    pub(crate) seen: Option<bool>,
    /// True if the size lies outside the range that the models were fitted to.
    pub(crate) extrapolated: bool,
}

/// The measured and predicted times of one subject.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Comparison {
    pub(crate) subject: Subject,
    /// One point for each size, in ascending order.
    pub(crate) points: Vec<Point>,
}

impl Comparison {
    /// The comparisons of all subjects of a validation, in order.
    pub(crate) fn all(validation: &Validation) -> Vec<Self> {
        let mut subjects: BTreeMap<Subject, BTreeMap<Bytes, Vec<&ValidationRow>>> = BTreeMap::new();
        for row in &validation.rows {
            let sizes = subjects.entry(Subject::of(row)).or_default();
            sizes.entry(row.experiment.size()).or_default().push(row);
        }
        let points = |sizes: BTreeMap<Bytes, Vec<&ValidationRow>>| {
            sizes.into_iter().map(|(size, rows)| Point::of(size, &rows)).collect()
        };
        subjects
            .into_iter()
            .map(|(subject, sizes)| Self { subject, points: points(sizes) })
            .collect()
    }

    /// The largest number of experiments of a point.
    pub(crate) fn experiments(&self) -> usize {
        self.points.iter().map(|point| point.experiments).max().unwrap_or(0)
    }
}

impl Point {
    /// The cell for whether the fit has seen the experiments: yes, no or in part.
    pub(crate) fn seen_cell(&self) -> Cell {
        self.seen.map_or_else(|| Cell::text("in part"), Cell::Flag)
    }

    /// The mean times of rows of one size.
    fn of(size: Bytes, rows: &[&ValidationRow]) -> Self {
        // Each experiment has a row for each model; its measured time counts once.
        let measured: BTreeMap<Experiment, &ValidationRow> =
            rows.iter().rev().map(|row| (row.experiment, *row)).collect();
        let intervals = || measured.values().filter_map(|row| row.observed.interval);
        let (low, high) = (mean(intervals().map(|i| i.low)), mean(intervals().map(|i| i.high)));
        let mean_measured =
            mean(measured.values().map(|row| row.observed.value)).unwrap_or(f64::NAN);
        let mut models: BTreeMap<ModelKind, Vec<&ValidationRow>> = BTreeMap::new();
        for row in rows {
            models.entry(row.predicted.model).or_default().push(row);
        }
        let time_and_error = |rows: Vec<&ValidationRow>| {
            let predicted =
                mean(rows.iter().map(|row| row.predicted.seconds.get())).unwrap_or(f64::NAN);
            (predicted, predicted / mean_measured - 1.0)
        };
        let bands = models.iter().filter_map(|(model, rows)| Some((*model, band(rows)?))).collect();
        Self {
            size,
            measured: mean_measured,
            interval: low.zip(high),
            experiments: measured.len(),
            models: models.into_iter().map(|(model, rows)| (model, time_and_error(rows))).collect(),
            bands,
            seen: match rows.iter().filter(|row| row.seen).count() {
                0 => Some(false),
                seen => (seen == rows.len()).then_some(true),
            },
            extrapolated: rows.iter().any(|row| row.predicted.is_extrapolated()),
        }
    }
}

/// The mean band of the predictions of one model; `None` if no prediction escalates.
fn band(rows: &[&ValidationRow]) -> Option<(f64, f64)> {
    rows.iter().find(|row| row.predicted.escalation.is_some())?;
    let ends = |row: &&ValidationRow| {
        row.predicted.interval.unwrap_or((row.predicted.seconds, row.predicted.seconds))
    };
    let (low, high) = (
        mean(rows.iter().map(|row| ends(row).0.get())),
        mean(rows.iter().map(|row| ends(row).1.get())),
    );
    low.zip(high)
}

/// The best models by their mean error over some experiments.
pub(crate) struct Verdict {
    /// The models of rank 1 with their mean errors: the best first, then those that do not differ
    /// significantly from it.
    pub(crate) best: Vec<(ModelKind, f64)>,
    /// The other models with their mean errors, in ascending order.
    pub(crate) others: Vec<(ModelKind, f64)>,
    /// The number of compared experiments.
    pub(crate) experiments: usize,
    /// The median relative half-width of the intervals of the measured times.
    pub(crate) noise: Option<f64>,
    /// The largest error of the best model.
    pub(crate) largest: f64,
}

/// The best models over the rows for which `counts` returns true; `None` if there are no errors.
pub(crate) fn verdict(
    validation: &Validation,
    counts: impl Fn(&ValidationRow) -> bool,
) -> Option<Verdict> {
    let ranking = validation.ranking(&counts);
    let winner = ranking.first()?;
    let (experiments, largest) = (winner.experiments, winner.max_error);
    let noise: BTreeMap<Experiment, f64> = validation
        .rows
        .iter()
        .filter(|row| row.error.is_finite() && counts(row))
        .filter_map(|row| {
            let interval = row.observed.interval?;
            Some((row.experiment, (interval.high - interval.low) / 2.0 / row.observed.value))
        })
        .collect();
    let noise = median(noise.into_values());
    let with_error =
        |ranked: &[Ranked]| ranked.iter().map(|one| (one.model, one.mean_error)).collect();
    let (best, others) = ranking.split_at(ranking.partition_point(|one| one.rank == 1));
    Some(Verdict {
        best: with_error(best),
        others: with_error(others),
        experiments,
        noise,
        largest,
    })
}
