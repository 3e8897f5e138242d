//! The search for ranges of sizes with one chosen candidate.

use std::collections::BTreeSet;

use super::margin::{Reason, margin, margin_interval};
use super::{Candidate, CollectiveChoice, Comparison, EQUAL_TIMES, SizeRange};
use crate::comm::{ParameterErrors, Predicted};
use crate::model::{Model, ModelKind, PredictError, Prediction, Predictor, Query};
use crate::sample::Experiment;
use crate::units::{Bytes, Seconds};

/// The predictions of all candidates at one size, in the order of the choice.
struct Point {
    size: Bytes,
    times: Vec<(Prediction, Predicted)>,
    /// The candidates that are as good as the fastest one, by index.
    acceptable: Vec<usize>,
}

/// A range under construction: the points so far, and the candidates that are acceptable at all of them.
struct Open {
    points: Vec<Point>,
    acceptable: Vec<usize>,
}

/// The search over sizes.
pub(super) struct Search<'a> {
    predictor: Predictor<'a>,
    errors: ParameterErrors<'a>,
    choice: &'a CollectiveChoice,
}

impl<'a> Search<'a> {
    pub(super) fn new(model: &'a Model, kind: ModelKind, choice: &'a CollectiveChoice) -> Result<Self, PredictError> {
        Ok(Self { predictor: Predictor::new(model, kind)?, errors: model.parameter_errors(kind), choice })
    }

    /// The ranges between the smallest and the largest size of a grid.
    pub(super) fn ranges(mut self, grid: BTreeSet<Bytes>) -> Result<Vec<SizeRange>, PredictError> {
        let mut ranges = Vec::new();
        let mut open: Option<Open> = None;
        for size in grid {
            let mut point = self.at(size)?;
            // Several ranges may end between two sizes of the grid.
            loop {
                let Some(range) = &mut open else {
                    open = Some(Open::new(point));
                    break;
                };
                let Err(refused) = range.extend(point) else { break };
                point = refused;
                let start = self.end(range, point.size)?;
                let end = Bytes::new(start.size.get() - 1);
                ranges.extend(open.replace(Open::new(start)).map(|closed| self.close(&closed, end)));
                if open.as_ref().is_some_and(|range| range.last_size() == point.size) {
                    break;
                }
            }
        }
        ranges.extend(open.map(|last| {
            let end = last.last_size();
            self.close(&last, end)
        }));
        Ok(ranges)
    }

    /// Extends a range towards `beyond`, where it has ended, as far as it goes; returns the first point after it.
    fn end(&mut self, range: &mut Open, beyond: Bytes) -> Result<Point, PredictError> {
        let mut high = self.at(beyond)?;
        while high.size.get() - range.last_size().get() > self.choice.step.max(1) {
            let middle = self.at(Bytes::new(u64::midpoint(range.last_size().get(), high.size.get())))?;
            if let Err(refused) = range.extend(middle) {
                high = refused;
            }
        }
        Ok(high)
    }

    /// Predicts all candidates at one size.
    fn at(&mut self, size: Bytes) -> Result<Point, PredictError> {
        let CollectiveChoice { operation: kind, procs, ref candidates, .. } = *self.choice;
        let mut times = Vec::with_capacity(candidates.len());
        for &Candidate { algorithm, root } in candidates {
            let query = Query::Experiment(Experiment::Collective { kind, algorithm, root, procs, size });
            times.push(self.predictor.expected(&query)?);
        }
        let fastest = fastest(&times, None).unwrap_or_default();
        let is_acceptable = |index: &usize| {
            let distance = margin(&times[fastest].1, &times[*index].1).get();
            let is_equal = distance <= EQUAL_TIMES * times[fastest].1.seconds.get();
            let interval = || self.interval(&times, fastest, *index);
            is_equal || self.choice.merges && interval().is_some_and(|(low, _)| low <= Seconds::ZERO)
        };
        let acceptable = (0..times.len()).filter(is_acceptable).collect();
        Ok(Point { size, times, acceptable })
    }

    /// The interval of the time of candidate `other` minus that of `chosen`, with the discrepancies of the model.
    fn interval(&self, times: &[(Prediction, Predicted)], chosen: usize, other: usize) -> Option<(Seconds, Seconds)> {
        let model = |index: usize| {
            let (prediction, predicted) = &times[index];
            prediction.uncertainty.model.unwrap_or(0.0) * predicted.seconds.get()
        };
        let width = f64::hypot(model(chosen), model(other));
        margin_interval(&times[chosen].1, &times[other].1, width, &self.errors)
    }

    /// The range with its choice: the candidate in use if it is acceptable, otherwise the one with the shortest times.
    fn close(&self, range: &Open, end: Bytes) -> SizeRange {
        let candidates = &self.choice.candidates;
        let kept = range.acceptable.iter().copied().find(|&index| Some(candidates[index]) == self.choice.kept);
        let logarithm = |index: usize| -> f64 {
            range.points.iter().map(|point| point.times[index].1.seconds.get().max(f64::MIN_POSITIVE).ln()).sum()
        };
        // Sums of equal times may differ by rounding errors.
        let tolerance = EQUAL_TIMES * range.points.len() as f64;
        let better =
            |best: usize, other: usize| if logarithm(other) < logarithm(best) - tolerance { other } else { best };
        let shortest = range.acceptable.iter().copied().reduce(better).unwrap_or_default();
        let chosen = kept.unwrap_or(shortest);
        let comparisons: Vec<Comparison> = range.points.iter().map(|point| self.compare(point, chosen)).collect();
        let mut alarms = Vec::new();
        for point in &range.points {
            let next = fastest(&point.times, Some(chosen));
            let named = std::iter::once(chosen).chain(next).flat_map(|index| &point.times[index].0.alarms);
            named.for_each(|alarm| alarm.add_to(&mut alarms));
        }
        let all = |distinct: Option<bool>, one: &Comparison| Some(distinct? && one.is_distinct()?);
        SizeRange {
            sizes: (comparisons[0].size, end),
            best: candidates[chosen],
            distinct: comparisons.iter().fold(Some(true), all),
            last: comparisons[comparisons.len() - 1].clone(),
            first: comparisons.into_iter().next().unwrap_or_else(|| unreachable!("a range has a point")),
            alarms,
        }
    }

    /// The comparison of the chosen candidate with the fastest other one.
    fn compare(&self, point: &Point, chosen: usize) -> Comparison {
        let next = fastest(&point.times, Some(chosen));
        let of = |index: usize| &point.times[index].1;
        Comparison {
            size: point.size,
            seconds: of(chosen).seconds,
            next: next.map(|next| self.choice.candidates[next]),
            margin: next.map_or(Seconds::ZERO, |next| margin(of(chosen), of(next))),
            interval: next.and_then(|next| self.interval(&point.times, chosen, next)),
            reason: Reason::of(of(chosen), next.map(of)),
        }
    }
}

impl Open {
    fn new(point: Point) -> Self {
        Self { acceptable: point.acceptable.clone(), points: vec![point] }
    }

    /// The largest size so far.
    fn last_size(&self) -> Bytes {
        self.points.last().map_or(Bytes::ZERO, |point| point.size)
    }

    /// Adds a point if a candidate is acceptable at all points then; returns it otherwise.
    fn extend(&mut self, point: Point) -> Result<(), Point> {
        let both: Vec<usize> =
            self.acceptable.iter().copied().filter(|index| point.acceptable.contains(index)).collect();
        if both.is_empty() {
            return Err(point);
        }
        self.acceptable = both;
        self.points.push(point);
        Ok(())
    }
}

/// The index of the first candidate whose time is the shortest, apart from one; `None` if there are no others.
fn fastest(times: &[(Prediction, Predicted)], apart_from: Option<usize>) -> Option<usize> {
    let others = || times.iter().enumerate().filter(|(index, _)| Some(*index) != apart_from);
    let seconds = |(_, (_, predicted)): (usize, &(Prediction, Predicted))| predicted.seconds.get();
    let shortest = others().map(seconds).fold(f64::INFINITY, f64::min);
    others().find(|one| seconds(*one) <= shortest * (1.0 + EQUAL_TIMES)).map(|(index, _)| index)
}
