//! The search for ranges of sizes with one chosen candidate.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::margin::{Reason, margin, margin_interval};
use super::times::Times;
use super::{CollectiveChoice, Comparison, EQUAL_TIMES, SizeRange};
use orrery_base::units::{Bytes, Seconds};
use orrery_models::comm::{ParameterErrors, Predicted};
use orrery_models::model::{Alarm, Model, ModelKind, PredictError, Prediction, Predictor};

/// The prediction of a candidate, or `None` if it is far slower than the fastest one.
type Answer = Option<Rc<(Prediction, Predicted)>>;

/// The largest time of a candidate whose interval is compared with that of the fastest one,
/// relative to the time of the fastest: slower ones count as slower beyond doubt.
const MAX_COMPARED: f64 = 2.0;

/// The largest difference from the fastest time that makes no difference where margins have no
/// interval, relative to that time: models of messages are rarely more accurate.
const NEGLIGIBLE: f64 = 0.02;

/// The predictions of the candidates at one size, in the order of the choice.
struct Point {
    size: Bytes,
    times: Vec<Answer>,
    /// The candidates that are as good as the fastest one, by index.
    acceptable: Vec<usize>,
    /// The fastest candidate with its prediction, if it is avoided because its losses are unknown;
    /// those at risk have no times then.
    avoided: Option<(usize, Rc<(Prediction, Predicted)>)>,
}

/// A range under construction: the points so far, and the candidates that are acceptable at all of
/// them.
struct Open {
    points: Vec<Point>,
    acceptable: Vec<usize>,
}

/// The search over sizes.
pub(super) struct Search<'a> {
    predictor: Predictor<'a>,
    times: Times<'a>,
    errors: ParameterErrors<'a>,
    choice: &'a CollectiveChoice,
}

impl<'a> Search<'a> {
    /// A search by a kind of model, which the model must contain.
    pub(super) fn new(
        model: &'a Model,
        kind: ModelKind,
        choice: &'a CollectiveChoice,
    ) -> Result<Self, PredictError> {
        let (predictor, times) = (Predictor::new(model, kind)?, Times::new(model, kind, choice)?);
        Ok(Self { predictor, times, errors: model.parameter_errors(kind), choice })
    }

    /// The ranges of sizes with the same choice, between the smallest and the largest size of a
    /// grid; none for an empty one.
    pub(super) fn ranges(mut self, grid: BTreeSet<Bytes>) -> Result<Vec<SizeRange>, PredictError> {
        let mut ranges = Vec::new();
        let kept = self.kept();
        let mut open: Option<Open> = None;
        for size in grid {
            let mut point = self.at(size)?;
            // Several ranges may end between two sizes of the grid.
            loop {
                let Some(range) = &mut open else {
                    open = Some(Open::new(point));
                    break;
                };
                let Err(refused) = range.extend(point, kept) else { break };
                point = refused;
                let start = self.end(range, point.size)?;
                let end = Bytes::new(start.size.get() - 1);
                ranges
                    .extend(open.replace(Open::new(start)).map(|closed| self.close(&closed, end)));
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

    /// The candidate in use, by index; `None` if none is given.
    fn kept(&self) -> Option<usize> {
        self.choice.candidates.iter().position(|candidate| Some(*candidate) == self.choice.kept)
    }

    /// Extends a range towards `beyond`, where it has ended, as far as it goes; returns the first
    /// point after it.
    fn end(&mut self, range: &mut Open, beyond: Bytes) -> Result<Point, PredictError> {
        let kept = self.kept();
        let mut high = self.at(beyond)?;
        while high.size.get() - range.last_size().get() > self.choice.step.max(1) {
            let middle =
                self.at(Bytes::new(u64::midpoint(range.last_size().get(), high.size.get())))?;
            if let Err(refused) = range.extend(middle, kept) {
                high = refused;
            }
        }
        Ok(high)
    }

    /// Predicts the candidates at one size: those up to [`MAX_COMPARED`] times the time of the
    /// fastest one, at least two, and the one in use.
    fn at(&mut self, size: Bytes) -> Result<Point, PredictError> {
        let is_compared = self.choice.merges || self.times.any_has_unknown_losses(size);
        let ratio = if is_compared { MAX_COMPARED } else { 1.0 + EQUAL_TIMES };
        let (compared, same) = (self.times.at(size, ratio, 2)?, self.times.same(size));
        let mut times: Vec<Answer> = Vec::with_capacity(same.len());
        for (index, &candidate) in self.choice.candidates.iter().enumerate() {
            let known = times.get(same[index]).cloned().flatten();
            let is_predicted = compared[index].is_some() || self.choice.kept == Some(candidate);
            times.push(match known {
                Some(_) => known,
                None if is_predicted => {
                    let (prediction, mut predicted) =
                        self.predictor.expected(&self.choice.query(candidate, size))?;
                    predicted.steps = Vec::new();
                    Some(Rc::new((prediction, predicted)))
                }
                None => None,
            });
        }
        let avoided = avoid_unknown_losses(&mut times);
        let fastest = fastest(&times, None).unwrap_or_default();
        let distance = |index: usize| {
            Some(margin(&times[fastest].as_ref()?.1, &times[index].as_ref()?.1).get())
        };
        let shortest = times[fastest].as_ref().map_or(0.0, |one| one.1.seconds.get());
        let is_acceptable = |index: &usize| {
            let Some(distance) = distance(*index) else { return false };
            let merges = || match self.interval(&times, fastest, *index) {
                Some((low, _)) => low <= Seconds::ZERO,
                None => distance <= NEGLIGIBLE * shortest,
            };
            distance <= EQUAL_TIMES * shortest || self.choice.merges && merges()
        };
        let acceptable = (0..times.len()).filter(is_acceptable).collect();
        Ok(Point { size, times, acceptable, avoided })
    }

    /// The interval of the time of candidate `other` minus that of `chosen`, with the discrepancies
    /// of the model. `None` if one of the times is not predicted, or its errors are unknown.
    fn interval(
        &self,
        times: &[Answer],
        chosen: usize,
        other: usize,
    ) -> Option<(Seconds, Seconds)> {
        let (chosen, other) = (times[chosen].as_deref()?, times[other].as_deref()?);
        let width = self.predictor.difference_width(chosen, other);
        margin_interval(&chosen.1, &other.1, width, &self.errors)
    }

    /// The range with its choice: the candidate in use if it is acceptable, otherwise the one with
    /// the shortest times.
    fn close(&self, range: &Open, end: Bytes) -> SizeRange {
        let candidates = &self.choice.candidates;
        let kept = self.kept().filter(|index| range.acceptable.contains(index));
        let logarithm = |index: usize| -> f64 {
            let seconds = |point: &Point| {
                point.times[index].as_ref().map_or(f64::INFINITY, |one| one.1.seconds.get())
            };
            range.points.iter().map(|point| seconds(point).max(f64::MIN_POSITIVE).ln()).sum()
        };
        // Sums of equal times may differ by rounding errors.
        let tolerance = EQUAL_TIMES * range.points.len() as f64;
        let better = |best: usize, other: usize| {
            if logarithm(other) < logarithm(best) - tolerance { other } else { best }
        };
        let shortest = range.acceptable.iter().copied().reduce(better).unwrap_or_default();
        let chosen = kept.unwrap_or(shortest);
        let comparisons: Vec<Comparison> =
            range.points.iter().map(|point| self.compare(point, chosen)).collect();
        let mut alarms = Vec::new();
        for point in &range.points {
            let next = fastest(&point.times, Some(chosen));
            let avoided = point.avoided.iter().map(|(_, one)| &**one);
            let named = std::iter::once(chosen)
                .chain(next)
                .filter_map(|index| point.times[index].as_deref())
                .chain(avoided);
            named
                .flat_map(|(prediction, _)| &prediction.alarms)
                .for_each(|alarm| alarm.add_to(&mut alarms));
        }
        let all = |distinct: Option<bool>, one: &Comparison| Some(distinct? && one.is_distinct()?);
        SizeRange {
            sizes: (comparisons[0].size, end),
            best: candidates[chosen],
            distinct: comparisons.iter().fold(Some(true), all),
            last: comparisons[comparisons.len() - 1].clone(),
            first: comparisons
                .into_iter()
                .next()
                .unwrap_or_else(|| unreachable!("a range has a point")),
            alarms,
        }
    }

    /// The comparison of the chosen candidate with the fastest other one.
    fn compare(&self, point: &Point, chosen: usize) -> Comparison {
        let next = fastest(&point.times, Some(chosen));
        let of = |index: usize| point.times[index].as_deref().map(|(_, predicted)| predicted);
        let (own, other) = (of(chosen), next.and_then(of));
        let both = own.zip(other);
        Comparison {
            size: point.size,
            seconds: own.map_or(Seconds::ZERO, |own| own.seconds),
            next: next.map(|next| self.choice.candidates[next]),
            margin: both.map_or(Seconds::ZERO, |(own, other)| margin(own, other)),
            interval: next.and_then(|next| self.interval(&point.times, chosen, next)),
            reason: Reason {
                avoided: point.avoided.as_ref().map(|(index, _)| self.choice.candidates[*index]),
                ..own.map_or_else(Reason::default, |own| Reason::of(own, other))
            },
        }
    }
}

impl Open {
    /// A range of one point.
    fn new(point: Point) -> Self {
        Self { acceptable: point.acceptable.clone(), points: vec![point] }
    }

    /// The largest size so far.
    fn last_size(&self) -> Bytes {
        self.points.last().map_or(Bytes::ZERO, |point| point.size)
    }

    /// Adds a point if a candidate is acceptable at all points then; returns it otherwise, or where
    /// the candidate in use begins or ends to be acceptable, since it stays wherever it can.
    fn extend(&mut self, point: Point, kept: Option<usize>) -> Result<(), Point> {
        let can_stay = |acceptable: &[usize]| kept.is_some_and(|index| acceptable.contains(&index));
        if can_stay(&self.acceptable) != can_stay(&point.acceptable) {
            return Err(point);
        }
        let both: Vec<usize> = self
            .acceptable
            .iter()
            .copied()
            .filter(|index| point.acceptable.contains(index))
            .collect();
        if both.is_empty() {
            return Err(point);
        }
        self.acceptable = both;
        self.points.push(point);
        Ok(())
    }
}

/// The data that waits at an in-port of a candidate whose losses are unknown \[B\]; 0 if it has no
/// such risk.
fn data_at_risk((prediction, _): &(Prediction, Predicted)) -> u64 {
    let at_risk = prediction.alarms.iter().map(|alarm| match alarm {
        Alarm::Losses { waiting, .. } => waiting.get(),
        _ => 0,
    });
    at_risk.max().unwrap_or(0)
}

/// The largest amount of data at risk that makes no difference, relative to the least.
const EQUAL_RISK: u64 = 2;

/// Removes the candidates with more data at risk than another one that takes at most
/// [`MAX_COMPARED`] times the time of the fastest; returns the fastest one if it is among them. A
/// retransmission takes a hundred times the difference of two algorithms.
fn avoid_unknown_losses(times: &mut [Answer]) -> Option<(usize, Rc<(Prediction, Predicted)>)> {
    let shortest = fastest(times, None)?;
    let avoided = times[shortest].clone()?;
    let limit = MAX_COMPARED * avoided.1.seconds.get();
    let compared = times.iter().flatten().filter(|one| one.1.seconds.get() <= limit);
    let least = compared.map(|one| data_at_risk(one)).min()?;
    let accepted = least.saturating_mul(EQUAL_RISK);
    if data_at_risk(&avoided) <= accepted {
        return None;
    }
    for answer in times {
        *answer = answer.take().filter(|one| data_at_risk(one) <= accepted);
    }
    Some((shortest, avoided))
}

/// The index of the first candidate whose time is the shortest, apart from one and those of the
/// same messages; `None` if there are no others.
fn fastest(times: &[Answer], apart_from: Option<usize>) -> Option<usize> {
    let seconds = |answer: &Answer| answer.as_ref().map(|one| one.1.seconds.get());
    let excluded = apart_from.and_then(|index| times[index].as_ref());
    let is_other = |one: &Rc<_>| excluded.is_none_or(|excluded| !Rc::ptr_eq(one, excluded));
    let others =
        || times.iter().enumerate().filter(|(_, answer)| answer.as_ref().is_some_and(is_other));
    let shortest = others().filter_map(|(_, answer)| seconds(answer)).fold(f64::INFINITY, f64::min);
    let is_shortest = |answer: &Answer| {
        seconds(answer).is_some_and(|time| time <= shortest * (1.0 + EQUAL_TIMES))
    };
    others().find(|(_, answer)| is_shortest(answer)).map(|(index, _)| index)
}
