//! Observed against predicted, brought together over roots and pairs: what the pivoted table and the figures show.

use super::format::{mean, median};
use orrery::model::{ModelKind, Ranked, Validation, ValidationRow};
use orrery::platform::LinkClass;
use orrery::sample::Experiment;
use orrery::units::Bytes;
use std::collections::BTreeMap;

/// What is compared: experiments that differ in root, pair and size only, and whose links are of one class.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    /// `roundtrip`, `one-to-two`, `scatter`, `gather`.
    pub operation: &'static str,
    /// The algorithm, where the operation has several.
    pub algorithm: Option<&'static str>,
    /// How many processors take part.
    pub procs: usize,
    /// For round trips: whether the reply is empty while the message is not.
    pub empty_reply: bool,
    /// Whether the links run within a host or across hosts, in clusters with both.
    pub class: Option<LinkClass>,
}

impl Subject {
    pub(crate) fn of(row: &ValidationRow) -> Self {
        let query = row.predicted.query;
        let empty_reply = matches!(row.experiment, Experiment::RoundTrip { size, reply, .. } if size != reply);
        let (operation, algorithm, procs) = (query.operation(), query.algorithm(), query.procs());
        Self { operation, algorithm, procs, empty_reply, class: row.class }
    }

    /// `scatter/linear`, `roundtrip`: the word in the files.
    pub fn name(&self) -> String {
        match self.algorithm {
            Some(algorithm) => format!("{}/{algorithm}", self.operation),
            None => self.operation.to_owned(),
        }
    }

    /// For people: `scatter/linear, 16 processors`.
    pub fn title(&self) -> String {
        let class = self.class.map_or_else(String::new, |class| format!(", {class}"));
        match (self.algorithm, self.empty_reply) {
            (Some(_), _) => format!("{}, {} processors", self.name(), self.procs),
            (None, true) => format!("{}, short reply{class}", self.name()),
            (None, false) => self.name() + &class,
        }
    }
}

/// One size of a subject: means over roots and pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The size.
    pub size: Bytes,
    /// Mean of the observed times (medians of readings) in seconds.
    pub observed: f64,
    /// Means of the ends of their intervals in seconds.
    pub interval: Option<(f64, f64)>,
    /// How many experiments stand behind it: roots, or pairs, or triples.
    pub experiments: usize,
    /// For each model: mean of the predicted times in seconds, and how far it is off the mean of the observed ones.
    pub models: BTreeMap<ModelKind, (f64, f64)>,
    /// For each model whose predictions escalate: means of the ends of their bands in seconds.
    pub bands: BTreeMap<ModelKind, (f64, f64)>,
    /// Whether the size lies outside the range from which the models were made.
    pub extrapolated: bool,
}

/// A subject with its points in the order of size.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// What is compared.
    pub subject: Subject,
    /// One point for each size.
    pub points: Vec<Point>,
}

impl Comparison {
    /// All subjects of a validation, in order.
    pub fn all(validation: &Validation) -> Vec<Self> {
        let mut subjects: BTreeMap<Subject, BTreeMap<Bytes, Vec<&ValidationRow>>> = BTreeMap::new();
        for row in &validation.rows {
            let sizes = subjects.entry(Subject::of(row)).or_default();
            sizes.entry(row.experiment.size()).or_default().push(row);
        }
        let points = |sizes: BTreeMap<Bytes, Vec<&ValidationRow>>| {
            sizes.into_iter().map(|(size, rows)| Point::of(size, &rows)).collect()
        };
        subjects.into_iter().map(|(subject, sizes)| Self { subject, points: points(sizes) }).collect()
    }

    /// The largest number of experiments behind one point.
    pub fn experiments(&self) -> usize {
        self.points.iter().map(|point| point.experiments).max().unwrap_or(0)
    }
}

impl Point {
    fn of(size: Bytes, rows: &[&ValidationRow]) -> Self {
        // Each experiment has a row for each model; its observed time counts once.
        let observed: BTreeMap<Experiment, &ValidationRow> =
            rows.iter().rev().map(|row| (row.experiment, *row)).collect();
        let intervals = || observed.values().filter_map(|row| row.observed.interval);
        let (low, high) = (mean(intervals().map(|i| i.low)), mean(intervals().map(|i| i.high)));
        let mean_observed = mean(observed.values().map(|row| row.observed.value)).unwrap_or(f64::NAN);
        let mut models: BTreeMap<ModelKind, Vec<&ValidationRow>> = BTreeMap::new();
        for row in rows {
            models.entry(row.predicted.model).or_default().push(row);
        }
        let against_observed = |rows: Vec<&ValidationRow>| {
            let predicted = mean(rows.iter().map(|row| row.predicted.seconds.get())).unwrap_or(f64::NAN);
            (predicted, predicted / mean_observed - 1.0)
        };
        let bands = models.iter().filter_map(|(model, rows)| Some((*model, band(rows)?))).collect();
        Self {
            size,
            observed: mean_observed,
            interval: low.zip(high),
            experiments: observed.len(),
            models: models.into_iter().map(|(model, rows)| (model, against_observed(rows))).collect(),
            bands,
            extrapolated: rows.iter().any(|row| row.predicted.extrapolated),
        }
    }
}

/// The mean band of one model's predictions, if one of them escalates.
fn band(rows: &[&ValidationRow]) -> Option<(f64, f64)> {
    rows.iter().find(|row| row.predicted.escalation.is_some())?;
    let ends = |row: &&ValidationRow| row.predicted.interval.unwrap_or((row.predicted.seconds, row.predicted.seconds));
    let (low, high) = (mean(rows.iter().map(|row| ends(row).0.get())), mean(rows.iter().map(|row| ends(row).1.get())));
    low.zip(high)
}

/// The models that predict best, and what their errors are measured against.
pub(crate) struct Verdict {
    /// The best models with their mean errors: the best first, then those that cannot be told apart from it.
    pub(crate) best: Vec<(ModelKind, f64)>,
    /// The others with their mean errors, the better first.
    pub(crate) others: Vec<(ModelKind, f64)>,
    /// How many experiments were compared.
    pub(crate) experiments: usize,
    /// The median relative half-width of the intervals of the observed times.
    pub(crate) noise: Option<f64>,
    /// The largest error of the best model.
    pub(crate) largest: f64,
}

/// The verdict over some of the experiments; `None` without errors to compare. The best models are those of rank 1.
pub(crate) fn verdict(validation: &Validation, counts: impl Fn(&Experiment) -> bool) -> Option<Verdict> {
    let ranking = validation.ranking(&counts);
    let winner = ranking.first()?;
    let (experiments, largest) = (winner.experiments, winner.max_error);
    let noise: BTreeMap<Experiment, f64> = validation
        .rows
        .iter()
        .filter(|row| row.error.is_finite() && counts(&row.experiment))
        .filter_map(|row| {
            let interval = row.observed.interval?;
            Some((row.experiment, (interval.high - interval.low) / 2.0 / row.observed.value))
        })
        .collect();
    let noise = median(noise.into_values());
    let with_error = |ranked: &[Ranked]| ranked.iter().map(|one| (one.model, one.mean_error)).collect();
    let (best, others) = ranking.split_at(ranking.partition_point(|one| one.rank == 1));
    Some(Verdict { best: with_error(best), others: with_error(others), experiments, noise, largest })
}

/// Whether an experiment is a collective operation: a prediction, where the others are what the models were made from.
pub(crate) fn is_collective(experiment: &Experiment) -> bool {
    matches!(experiment, Experiment::Collective { .. })
}
