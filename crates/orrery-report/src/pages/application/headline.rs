//! The errors, decisions and intervals of a region in sentences and key numbers.

use super::subject::Subject;
use crate::tables::evaluation::lack_of_fit_sentences;
use crate::tables::format::{counted, mean, unbroken_percent as percent};
use maud::{Markup, html};
use orrery::scaling::{
    Accuracy, ErrorSummary, Evaluation, HeldOut, LeftOut, RunsOfFit, SizeDecision,
};

/// The headline of a region: held-out errors first.
pub(super) fn headline(subject: &Subject, level: f64) -> Markup {
    let evaluation = subject.evaluation;
    let whole = subject.suffix.is_empty();
    let is_in_sample =
        !subject.accuracy.points(true).is_empty() && subject.accuracy.points(false).is_empty();
    html! {
        @if !whole { h2 { (subject.title("Estimates").trim_start()) } }
        p.lead { (held_out(subject.accuracy)) @if !is_in_sample { (decision(evaluation)) } }
        p {
            (own(subject.accuracy)) @if is_in_sample { (decision(evaluation)) " " }
            (coverage(subject.accuracy, level)) (extrapolation(evaluation))
        }
        @if let Some(lack) = &subject.accuracy.lack_of_fit {
            @let [far, pattern] = lack_of_fit_sentences(lack);
            p.warning role="note" { (sentence(&far)) " " (sentence(&pattern)) }
        }
        @if let Some((_, why)) = evaluation.without_estimate.first() {
            p.warning role="note" { "There is no \
                estimate of " (counted(evaluation.without_estimate.len(), "further point")) ": " (why) "." }
        }
        (tiles(subject.accuracy))
    }
}

/// A text as a sentence.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

/// The sentences on the errors of runs that the model, or a fit without them, did not see.
fn held_out(accuracy: &Accuracy) -> Markup {
    let sentences: Vec<(String, ErrorSummary)> = accuracy
        .held_out
        .iter()
        .filter_map(|held_out| Some((left_out(held_out), held_out.errors()?)))
        .collect();
    let new = ErrorSummary::of(accuracy.points(false));
    html! {
        @if let Some(new) = new {
            "The model was not \
                fitted to " @if accuracy.runs_of_fit == RunsOfFit::None { "these runs" } @else { (counted(new.points, "point")) }
            ": its estimates of " (counted(new.points, "point")) " have a mean \
                error of " strong { (percent(new.mean)) }
            " and a largest error of " (percent(new.worst.error().abs())) ". "
        }
        @if sentences.is_empty() && !accuracy.held_out.is_empty() {
            "No model can be fitted without a part of these runs, so the error of forecasts is \
                unknown. "
        }
        @for (place, (name, errors)) in sentences.iter().enumerate() {
            @if place == 0 { "Forecasts of runs that were left out of the fit have a mean \
                error of " } @else { ", " }
            strong { (percent(errors.mean)) } " " (name) @if place + 1 == sentences.len() { ". " }
        }
    }
}

/// What was left out, within a sentence.
fn left_out(held_out: &HeldOut) -> String {
    match &held_out.left_out {
        LeftOut::LargestSizes { variable, from } => {
            format!("for {variable} ≥ {from} from smaller ones")
        }
        LeftOut::Sizes { variable } => format!("for one {variable} from the others"),
        LeftOut::Configurations => "for one configuration from the others".to_owned(),
    }
}

/// The sentence on the errors at the runs of the fit, or at runs of unknown use.
fn own(accuracy: &Accuracy) -> Markup {
    let inside = ErrorSummary::of(accuracy.points(true));
    let unknown = accuracy.runs_of_fit == RunsOfFit::Unknown;
    let errors = if unknown { ErrorSummary::of(&accuracy.evaluation.points) } else { inside };
    html! {
        @if let Some(errors) = errors {
            @if unknown { "The estimates of " } @else { "In-sample, the estimates of " }
            (counted(errors.points, "point")) " have a mean error of " (percent(errors.mean))
            " and a largest error of " (percent(errors.worst.error().abs())) ". "
        }
    }
}

/// The decisions at sizes with several configurations.
fn choices(evaluation: &Evaluation) -> Vec<&SizeDecision> {
    evaluation.decisions.iter().filter(|row| row.candidates > 1).collect()
}

/// The largest loss of the chosen configurations.
fn worst(rows: &[&SizeDecision]) -> f64 {
    rows.iter().map(|row| row.loss()).fold(0.0, f64::max)
}

/// The sentence on the configurations that the model ranks first.
fn decision(evaluation: &Evaluation) -> Markup {
    let rows = choices(evaluation);
    let right = rows.iter().filter(|row| row.estimated.point == row.actual).count();
    html! {
        @if !rows.is_empty() {
            "The model ranks the best configuration \
                first at " (right) " of " (counted(rows.len(), "size"))
            @if right < rows.len() { "; otherwise its choice takes at \
                most " strong { (percent(worst(&rows))) } " longer than the best" }
            "."
        }
    }
}

/// The sentences on the runs within their intervals.
fn coverage(accuracy: &Accuracy, level: f64) -> String {
    let left_out = left_out_in_intervals(accuracy);
    let left_out = left_out.map_or_else(String::new, |(within, runs)| {
        format!("; of left-out runs {within} of {runs} do")
    });
    let errors = ErrorSummary::of(&accuracy.evaluation.points);
    match errors.and_then(|errors| errors.runs_in_interval.zip(errors.median_factor)) {
        Some(((within, runs), factor)) => {
            format!(
                "{within} of {} lie in their {}\u{a0}% intervals, whose ends differ by a factor of \
                    {factor:.2} in the median{left_out}.",
                counted(runs, "run"),
                level * 100.0
            )
        }
        None => "The model has no intervals.".to_owned(),
    }
}

/// The number of runs within the intervals of fits without them, and of all such runs; each run
/// counts for each fit. `None` if no run was left out of a fit, or without intervals.
fn left_out_in_intervals(accuracy: &Accuracy) -> Option<(usize, usize)> {
    ErrorSummary::of(accuracy.held_out.iter().flat_map(|held_out| &held_out.points))?
        .runs_in_interval
}

/// The sentence on points outside the fitted range; empty if there are none.
fn extrapolation(evaluation: &Evaluation) -> String {
    let errors = |beyond: bool| {
        let own = evaluation.points.iter().filter(move |pair| pair.extrapolated == beyond);
        own.map(|pair| pair.error().abs()).collect::<Vec<f64>>()
    };
    let (inside, outside) = (errors(false), errors(true));
    match (mean(inside), mean(outside.iter().copied())) {
        (Some(inside), Some(far)) => format!(
            " {} outside the fitted range: there the mean error is {}, elsewhere {}.",
            if outside.len() == 1 {
                "1 point lies".to_owned()
            } else {
                format!("{} lie", counted(outside.len(), "point"))
            },
            percent(far),
            percent(inside)
        ),
        (None, Some(_)) => " All points lie outside the fitted range.".to_owned(),
        _ => String::new(),
    }
}

/// The key numbers of a region.
fn tiles(accuracy: &Accuracy) -> Markup {
    let evaluation = &accuracy.evaluation;
    let mut tiles = vec![("points".to_owned(), evaluation.points.len().to_string())];
    let errors = |points| ErrorSummary::of(points).map(|errors| percent(errors.mean));
    let new =
        errors(accuracy.points(false)).map(|mean| ("mean error of other runs".to_owned(), mean));
    tiles.extend(new);
    for held_out in &accuracy.held_out {
        let name = match &held_out.left_out {
            LeftOut::LargestSizes { variable, .. } => {
                format!("mean error, largest {variable} left out")
            }
            LeftOut::Sizes { variable } => format!("mean error, one {variable} left out"),
            LeftOut::Configurations => "mean error, one configuration left out".to_owned(),
        };
        tiles.extend(held_out.errors().map(|errors| (name, percent(errors.mean))));
    }
    let own = match accuracy.runs_of_fit {
        RunsOfFit::Unknown => ("mean error", evaluation.points.iter().collect()),
        _ => ("mean in-sample error", accuracy.points(true)),
    };
    tiles.extend(errors(own.1).map(|mean| (own.0.to_owned(), mean)));
    let rows = choices(evaluation);
    if !rows.is_empty() {
        tiles.push(("largest loss of a choice".to_owned(), percent(worst(&rows))));
    }
    let in_intervals = |name: &str, (within, runs): (usize, usize)| {
        (name.to_owned(), percent(within as f64 / runs as f64))
    };
    let whole = ErrorSummary::of(&evaluation.points).and_then(|errors| errors.runs_in_interval);
    tiles.extend(match left_out_in_intervals(accuracy) {
        Some(counts) => Some(in_intervals("left-out runs in their intervals", counts)),
        None => whole.map(|counts| in_intervals("runs in their intervals", counts)),
    });
    html! { dl.tiles { @for (name, value) in tiles { div { dt { (name) } dd { (value) } } } } }
}
