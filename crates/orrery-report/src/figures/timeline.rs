//! What each task does over time, as lanes of an SVG element.

use std::fmt::Write as _;

use crate::figures::chart::escape;
use orrery::schedule::Operation;
use orrery::simulate::{Communication, Event, Outcome};
use orrery::units::Seconds;

const WIDTH: f64 = 720.0;
const LEFT: f64 = 74.0;
const RIGHT: f64 = 8.0;
const LETTERS_BELOW: f64 = 24.0;
/// So many places beside each other: what happened longest at one is drawn there.
const PLACES: usize = 1200;
/// So many tasks are drawn at most.
const MOST_LANES: usize = 256;
/// The steps of the colours of penalties.
const STEPS: usize = 8;

/// The lanes with what explains them.
pub(crate) struct Timeline {
    pub(crate) svg: String,
    /// The classes that occur, with their words.
    pub(crate) legend: Vec<(String, String)>,
    /// Tasks that are not drawn.
    pub(crate) left_out: usize,
}

/// What a task does at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Doing {
    Computing,
    Sleeping,
    /// Communicating with a penalty of this step.
    Communicating(usize),
}

impl Doing {
    fn class(self) -> String {
        match self {
            Self::Computing => "computing".to_owned(),
            Self::Sleeping => "sleeping".to_owned(),
            Self::Communicating(step) => format!("s{step}"),
        }
    }
}

pub(crate) fn svg(outcome: &Outcome, hosts: &[&str]) -> Timeline {
    let most = outcome.communications.iter().map(Communication::mean_penalty).fold(1.0, f64::max);
    let lanes = outcome.tasks.len().min(MOST_LANES);
    let tall = (400.0 / lanes.max(1) as f64).clamp(3.0, 18.0);
    let end = outcome.end.get();
    let mut places = vec![vec![Vec::<(Doing, f64)>::new(); PLACES]; lanes];
    for event in outcome.events.iter().filter(|event| event.rank.index() < lanes) {
        spread(&mut places[event.rank.index()], event, end, doing(outcome, event, most));
    }
    let bottom = lanes as f64 * tall + 6.0;
    let mut body = ticks(end, bottom);
    let mut used = Vec::new();
    // So many lanes lie between two that are named that letters do not touch.
    let every = (14.0 / tall).ceil() as usize;
    for (task, places) in places.iter().enumerate() {
        let y = 3.0 + (task as f64 + 0.5) * tall;
        let times = outcome.tasks[task];
        let host = hosts.get(task).copied().unwrap_or_default();
        let words = format!(
            "task {task} on {host}: computing {}, communicating {}, ends at {}",
            times.computing, times.communicating, times.end
        );
        let _ = write!(body, "<g class=\"lanes\" stroke-width=\"{:.1}\"><title>{}</title>", tall * 0.8, escape(&words));
        let told: Vec<Option<Doing>> = places.iter().map(|place| longest(place)).collect();
        for (what, path) in runs(&told, y) {
            let _ = write!(body, "<path class=\"{}\" d=\"{path}\"/>", what.class());
            used.push(what);
        }
        body.push_str("</g>\n");
        if task % every == 0 {
            let x = LEFT - 6.0;
            let _ = writeln!(
                body,
                "<text class=\"label\" x=\"{x}\" y=\"{y:.1}\" dy=\".35em\" text-anchor=\"end\">task {task}</text>"
            );
        }
    }
    let height = bottom + LETTERS_BELOW;
    let svg = format!(
        "<svg class=\"figure\" role=\"img\" aria-label=\"What each task does over time\" viewBox=\"0 0 {WIDTH} {height:.0}\" \
         xmlns=\"http://www.w3.org/2000/svg\">\n{body}</svg>\n"
    );
    used.sort_unstable();
    used.dedup();
    let legend = used.into_iter().map(|what| (what.class(), words(what, most))).collect();
    Timeline { svg, legend, left_out: outcome.tasks.len() - lanes }
}

fn doing(outcome: &Outcome, event: &Event, most: f64) -> Doing {
    match event.operation {
        Operation::Compute(_) => Doing::Computing,
        Operation::Spin(_) => Doing::Sleeping,
        _ => {
            let penalty = event.communication.map_or(1.0, |place| outcome.communications[place].mean_penalty());
            let share = if most > 1.0 { (penalty - 1.0) / (most - 1.0) } else { 0.0 };
            Doing::Communicating((share * STEPS as f64).ceil().clamp(0.0, STEPS as f64) as usize)
        }
    }
}

/// What is done, and with which penalties.
fn words(what: Doing, most: f64) -> String {
    let edge = |step: usize| 1.0 + (most - 1.0) * step as f64 / STEPS as f64;
    match what {
        Doing::Computing => "computing".to_owned(),
        Doing::Sleeping => "sleeping".to_owned(),
        Doing::Communicating(0) => "communicating, not held up".to_owned(),
        Doing::Communicating(step) => format!("communicating, penalty {:.2} to {:.2}", edge(step - 1), edge(step)),
    }
}

/// Adds the part of an event that falls on each place.
fn spread(places: &mut [Vec<(Doing, f64)>], event: &Event, end: f64, what: Doing) {
    let at = |seconds: Seconds| if end > 0.0 { seconds.get() / end * PLACES as f64 } else { 0.0 };
    let (from, to) = (at(event.start), at(event.end).min(PLACES as f64));
    for (place, told) in places.iter_mut().enumerate().take(to.ceil() as usize).skip(from.floor() as usize) {
        let part = to.min(place as f64 + 1.0) - from.max(place as f64);
        match told.iter_mut().find(|(other, _)| *other == what) {
            Some((_, sum)) => *sum += part,
            None => told.push((what, part)),
        }
    }
}

/// What takes most of a place, if something takes half of it.
fn longest(place: &[(Doing, f64)]) -> Option<Doing> {
    let taken: f64 = place.iter().map(|(_, part)| part).sum();
    let first = place.iter().reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    (taken >= 0.5).then_some(first.0)
}

/// The places where a task does the same, as one path for each.
fn runs(told: &[Option<Doing>], y: f64) -> Vec<(Doing, String)> {
    let x = |place: usize| LEFT + (WIDTH - LEFT - RIGHT) * place as f64 / PLACES as f64;
    let mut paths: Vec<(Doing, String)> = Vec::new();
    let mut start = 0;
    for run in told.chunk_by(|a, b| a == b) {
        let (from, to) = (x(start), x(start + run.len()));
        start += run.len();
        let Some(what) = run[0] else { continue };
        let place = paths.iter().position(|(other, _)| *other == what).unwrap_or_else(|| {
            paths.push((what, String::new()));
            paths.len() - 1
        });
        let _ = write!(paths[place].1, "M{from:.1} {y:.1}H{to:.1}");
    }
    paths
}

/// Vertical lines at round times.
fn ticks(end: f64, bottom: f64) -> String {
    let mut svg = String::new();
    if end <= 0.0 {
        return svg;
    }
    let rough = end / 5.0;
    let power = 10.0_f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].into_iter().map(|digit| digit * power).find(|step| *step >= rough).unwrap_or(rough);
    for k in 0..=(end / step) as usize {
        let at = k as f64 * step;
        let x = LEFT + (WIDTH - LEFT - RIGHT) * at / end;
        let words = if k == 0 { "0".to_owned() } else { Seconds::new(at).to_string() };
        let below = bottom + 16.0;
        let _ = writeln!(svg, "<path class=\"grid\" d=\"M{x:.1} 3V{bottom:.1}\"/>");
        let anchor = if x > WIDTH - 40.0 { "end" } else { "middle" };
        let _ = writeln!(
            svg,
            "<text class=\"label\" x=\"{x:.1}\" y=\"{below:.1}\" text-anchor=\"{anchor}\">{words}</text>"
        );
    }
    svg
}
