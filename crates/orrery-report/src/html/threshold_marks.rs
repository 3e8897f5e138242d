//! Thresholds in a figure: upright lines where an operation changes its ways, and the band of what escalates.

use std::collections::BTreeSet;

use maud::{Markup, html};

use crate::comparison::{Comparison, Point};
use crate::figure::{FigureMark, FigurePoint, FigureSeries, Ink, Kind};
use crate::format::{mean, percent};
use orrery::comm::Thresholds;
use orrery::model::ModelKind;
use orrery::numeric::Estimate;
use orrery::units::{Bytes, Seconds};

/// The thresholds of what one figure shows, of all roots.
pub(super) struct ThresholdMarks<'a>(Vec<&'a Thresholds>);

impl<'a> ThresholdMarks<'a> {
    pub(super) fn of(comparison: &Comparison, thresholds: &'a [Thresholds]) -> Self {
        let subject = &comparison.subject;
        let is_it = |of: &&Thresholds| {
            let linear = subject.algorithm == Some("linear");
            linear && of.operation.name() == subject.operation && of.procs == subject.procs
        };
        Self(thresholds.iter().filter(is_it).collect())
    }

    /// Lines at S, M1 and M2 that lie among the measured sizes.
    pub(super) fn marks(&self, comparison: &Comparison) -> Vec<FigureMark> {
        let (first, last) = extent(comparison);
        let of = |(name, pick)| self.values(pick).into_iter().map(move |x| FigureMark { x, name });
        let marks = NAMES.into_iter().flat_map(of);
        marks.filter(|mark| mark.x >= first && mark.x <= last).collect()
    }

    /// What holds 95 % of the times that the best model predicts where the operation escalates; `None` where no measured
    /// size does.
    pub(super) fn spread(&self, comparison: &Comparison) -> Option<FigureSeries> {
        let best = best(comparison)?;
        let band = |point: &Point| Some((point.size.get() as f64, *point.bands.get(&best)?));
        let mut ends: Vec<(f64, (f64, f64))> = comparison.points.iter().filter_map(band).collect();
        let (&(_, first), &(_, last)) = (ends.first()?, ends.last()?);
        let (smallest, largest) = extent(comparison);
        let small = self.values(|of| of.gather_small).into_iter().reduce(f64::min);
        let large = self.values(|of| of.gather_large).into_iter().reduce(f64::max);
        ends.insert(0, (small.unwrap_or(smallest).max(smallest), first));
        ends.push((large.unwrap_or(largest).min(largest), last));
        let point = |(x, (low, high)): (f64, (f64, f64))| FigurePoint {
            x,
            y: low,
            interval: Some((low, high)),
            words: format!("from {} to {}", Seconds::new(low), Seconds::new(high)),
        };
        let points = ends.into_iter().map(point).collect();
        Some(FigureSeries { name: format!("95 % of the times by {best}"), ink: Ink::Spread, kind: Kind::Area, points })
    }

    /// What the lines and the band say, in sentences.
    pub(super) fn note(&self, comparison: &Comparison) -> Markup {
        let marks = self.marks(comparison);
        let there = |name: &str| marks.iter().any(|mark| mark.name == name);
        let range = |(name, pick)| there(name).then(|| format!("{name} ({})", self.range(pick)));
        let [s, small, large] = NAMES.map(range);
        let medium = match (small, &large) {
            (Some(small), Some(large)) => format!("Between {small} and {large}"),
            (Some(small), None) => format!("Beyond {small}"),
            (None, Some(large)) => format!("Up to {large}"),
            (None, None) => "At these sizes".to_owned(),
        };
        html! {
            @if let Some(s) = s { "Beyond " (s) " the root sends to the others one after the other. " }
            @if let Some(best) = best(comparison) {
                (medium) " a gather takes much longer now and then" (self.probability()) ": the lines of the models go through "
                "the median of the times that they predict, and the shaded band holds 95 % of those that " (best) " predicts. "
            }
            @if large.is_some() { "Beyond M2 the others send to the root one after the other. " }
        }
    }

    /// `, with a probability of 40 %`.
    fn probability(&self) -> String {
        let probability = |of: &&Thresholds| of.escalations.iter().map(|level| level.probability.value).sum::<f64>();
        match &self.0[..] {
            [only] => format!(", with a probability of {}", percent(probability(only))),
            _ => String::new(),
        }
    }

    /// The different values of a threshold, ascending.
    fn values(&self, pick: fn(&Thresholds) -> Option<Estimate>) -> Vec<f64> {
        let mut values: Vec<f64> = self.0.iter().filter_map(|of| Some(pick(of)?.value)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    }

    /// `61K`, or `61K to 64K` where roots differ.
    fn range(&self, pick: fn(&Thresholds) -> Option<Estimate>) -> String {
        let size = |value: &f64| Bytes::new(value.round() as u64).to_string();
        match &self.values(pick)[..] {
            [] => String::new(),
            [one] => size(one),
            [first, .., last] => format!("{} to {}", size(first), size(last)),
        }
    }
}

type Pick = fn(&Thresholds) -> Option<Estimate>;

const NAMES: [(&str, Pick); 3] =
    [("S", |of| of.scatter_threshold), ("M1", |of| of.gather_small), ("M2", |of| of.gather_large)];

/// The model that is least off in the mean where the operation escalates.
fn best(comparison: &Comparison) -> Option<ModelKind> {
    let errors = |kind: &ModelKind| {
        let points = comparison.points.iter().filter(|point| point.bands.contains_key(kind));
        mean(points.filter_map(|point| point.models.get(kind)).map(|(_, error)| error.abs()))
    };
    let kinds: BTreeSet<ModelKind> = comparison.points.iter().flat_map(|point| point.bands.keys().copied()).collect();
    let known = kinds.into_iter().filter_map(|kind| Some((kind, errors(&kind)?)));
    known.min_by(|one, other| one.1.total_cmp(&other.1)).map(|(kind, _)| kind)
}

/// The smallest measured size above 0 and the largest.
fn extent(comparison: &Comparison) -> (f64, f64) {
    let mut sizes = comparison.points.iter().map(|point| point.size.get() as f64).filter(|size| *size > 0.0);
    let first = sizes.next().unwrap_or(f64::INFINITY);
    (first, sizes.next_back().unwrap_or(first))
}
