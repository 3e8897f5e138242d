//! All regions of a program beyond the measured range: a ranking, and curves with bands.

use super::figures::{across, beyond, forecasts_along};
use super::subject::Subject;
use crate::figures::figure::{
    Figure, FigureMark, FigurePoint, FigureSeries, LINE, SeriesColor, SeriesKind, XAxis, YAxis,
};
use crate::pages::curves::legend_of;
use crate::pages::document::{full_html_table, html_table};
use crate::tables;
use crate::tables::format::{and, counted, metric_noun, percent};
use maud::{Markup, PreEscaped, html};
use orrery::run::Metric;
use orrery::scaling::{Application, ComparedPoint, Point, RegionForecast, RegionOrder};

/// The largest number of regions with a line in the figure: one for each color.
const MAX_LINES: usize = 7;

/// The exponent from which on a time grows, and is not only divided imperfectly.
const GROWS: f64 = 0.1;

/// The point beyond the measured range at which regions are compared, and the regions there.
pub(super) struct Overview<'a> {
    across: String,
    /// The largest measured value of the variable.
    measured: f64,
    point: Point,
    rows: Vec<RegionForecast<'a>>,
    metric: &'a Metric,
}

impl<'a> Overview<'a> {
    /// The regions at a point beyond the largest measured one; `None` for a single region, or if no
    /// variable varies.
    pub(super) fn of(
        application: &'a Application,
        subjects: &[Subject<'_>],
        level: f64,
    ) -> Option<Self> {
        let [first, _, ..] = subjects else { return None };
        let across = across(first.evaluation)?;
        let value = |one: &ComparedPoint| one.point.variables.get(&across).copied();
        let last = first.evaluation.points.iter().max_by(|a, b| {
            let [a, b] = [a, b].map(|one| value(one).unwrap_or(f64::NEG_INFINITY));
            a.total_cmp(&b)
        })?;
        let measured = value(last)?;
        let mut point = last.point.clone();
        point.variables.insert(across.clone(), beyond(measured));
        let rows = application.ranked_regions(&point, level, RegionOrder::Share);
        Some(Self { across, measured, point, rows, metric: &application.metric })
    }

    /// The places of the subjects in the order of their shares, at most `most`.
    pub(super) fn largest(&self, subjects: &[Subject<'_>], most: usize) -> Vec<usize> {
        let place = |row: &RegionForecast<'_>| {
            subjects.iter().position(|subject| subject.region.name == row.region.name)
        };
        self.rows.iter().filter_map(place).take(most).collect()
    }

    /// The sentence on what grows.
    pub(super) fn lead(&self) -> Markup {
        let Self { across, measured, rows, .. } = self;
        let noun = metric_noun(self.metric);
        let exponent = |row: &RegionForecast<'_>| {
            row.growth.get(across).map(|of| of.exponent).filter(|of| *of > GROWS)
        };
        let mut growing: Vec<&RegionForecast<'_>> =
            rows.iter().filter(|row| exponent(row).is_some()).collect();
        growing.sort_by(|a, b| exponent(b).unwrap_or(0.0).total_cmp(&exponent(a).unwrap_or(0.0)));
        let named: Vec<String> = growing
            .iter()
            .take(3)
            .map(|row| {
                let share = row.share.map(|share| format!(", {} of the {noun}", percent(share)));
                let (of, share) = (exponent(row).unwrap_or_default(), share.unwrap_or_default());
                format!("{} (exponent {of:.2}{share})", row.region.name)
            })
            .collect();
        html! {
            p.lead {
                "Runs were measured up to " (across) " = " (measured) ". At " (self.point) ", "
                @if named.is_empty() { "no region is expected to grow with " (across) "." }
                @else {
                    (counted(growing.len(), "region")) " of " (rows.len()) " "
                    @if growing.len() == 1 { "grows" } @else { "grow" } " with " (across)
                    @if growing.len() > named.len() { ", fastest " } @else { ": " } (and(&named)) "."
                }
            }
        }
    }

    /// The section with the ranking and the curves.
    pub(super) fn section(&self, subjects: &[Subject<'_>], level: f64) -> Markup {
        let table = tables::application::regions(self.metric, &self.point, &self.rows);
        let (shown, figure) = self.figure(subjects, level);
        let noun = metric_noun(self.metric);
        let accuracies: Vec<(&str, &_)> = subjects
            .iter()
            .map(|subject| (subject.region.name.as_str(), subject.accuracy))
            .collect();
        let left_out = tables::evaluation::held_out_errors(&accuracies, true).if_filled();
        html! {
            section id="regions" {
                h2 { "Regions" }
                p { "Marks are measured " (noun) "s, lines the forecasts up to four times the largest measured "
                    (self.across) " (dotted); a single run lies in the band with a probability of "
                    (level * 100.0) " %. A line ends where the runs do not determine the " (noun) "." }
                (legend_of(shown.iter().enumerate().map(|(place, of)| {
                    (SeriesColor::Numbered(place as u8), LINE, &subjects[*of].region.name)
                })))
                div.figures { figure { (PreEscaped(figure.svg("regions-curve"))) } }
                @if shown.len() < self.rows.len() { p.note {
                    "Shown are the " (shown.len()) " of " (counted(self.rows.len(), "region"))
                    ", the largest there." } }
                (full_html_table(&table))
                @if let Some(left_out) = left_out {
                    details { summary { "Forecasts of runs that were left out" } (html_table(&left_out)) }
                }
            }
        }
    }

    /// The places of the subjects with the longest times, and their chart over the variable.
    pub(super) fn figure(&self, subjects: &[Subject<'_>], level: f64) -> (Vec<usize>, Figure) {
        let shown = self.largest(subjects, MAX_LINES);
        let of_line = |one: &&ComparedPoint| {
            let mut moved = one.point.clone();
            let value = self.point.variables.get(&self.across);
            moved.variables.insert(self.across.clone(), value.copied().unwrap_or_default());
            moved == self.point
        };
        let mut series = Vec::new();
        for (place, &of) in shown.iter().enumerate() {
            let (subject, color) = (&subjects[of], SeriesColor::Numbered(place as u8));
            let name = &subject.region.name;
            let measured: Vec<&ComparedPoint> =
                subject.evaluation.points.iter().filter(of_line).collect();
            let places: Vec<f64> = measured
                .iter()
                .filter_map(|one| one.point.variables.get(&self.across).copied())
                .collect();
            let along = forecasts_along(subject.region, &self.point, &self.across, places, level);
            series.push(FigureSeries::new(name, color, SeriesKind::Band, along));
            let marks = measured.iter().filter_map(|one| {
                let x = one.point.variables.get(&self.across).copied()?;
                let tooltip = format!(
                    "{name}, {} = {x}: measured {}",
                    self.across,
                    subject.text(one.measured)
                );
                Some(FigurePoint::new(x, one.measured.get(), tooltip))
            });
            series.push(FigureSeries::new(name, color, SeriesKind::Points, marks));
        }
        let figure = Figure {
            title: format!("Times of regions over {}", self.across),
            description: format!("{}, measured and forecast.", counted(shown.len(), "region")),
            x_axis: XAxis::Numbers(self.across.clone()),
            y_axis: YAxis::Values(self.metric.clone()),
            marks: vec![FigureMark { x: self.measured, name: "" }],
            series,
        };
        (shown, figure)
    }
}
