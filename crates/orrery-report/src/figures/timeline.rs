//! The activity of each task over time: one lane for each task, with labels that keep their size at
//! any width.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};

use super::figure::time_label;
use orrery::schedule::Operation;
use orrery::simulate::{Event, Outcome};
use orrery::units::Seconds;

/// The number of time slots across the timeline: each is drawn as the activity that fills most of
/// it.
const SLOTS: usize = 1200;
/// The largest number of tasks that are drawn.
const MAX_LANES: usize = 256;
/// The height in pixels of all lanes together; a lane is at least 3 and at most 18 pixels high.
const LANES_HEIGHT: f64 = 400.0;
/// The distance in pixels of task names that do not overlap.
const NAME_DISTANCE: f64 = 15.0;
/// The largest number of time labels, so that they do not overlap on narrow screens.
const MAX_TIME_LABELS: f64 = 4.0;
/// Penalties up to this value are drawn as an uncontended transfer.
const UNCONTENDED_PENALTY: f64 = 1.005;

/// A timeline and what explains it.
pub(crate) struct Timeline {
    /// The drawing.
    pub(crate) markup: Markup,
    /// The activities that occur.
    pub(crate) activities: Vec<Activity>,
    /// The number of tasks that are not drawn.
    pub(crate) omitted_tasks: usize,
}

/// What a task (a rank) does; each of the [`SLOTS`] columns of the timeline shows its longest
/// activity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Activity {
    /// The task computes.
    Computing,
    /// The task sleeps.
    Sleeping,
    /// The task waits for a partner that has not started its send or receive.
    Waiting,
    /// A message of the task is transferred at the rate of an uncontended message.
    Transfer,
    /// A message of the task is slowed by others, with a penalty up to 2.
    Slowed,
    /// A message of the task is slowed by others, with a penalty above 2 and up to 4.
    MuchSlowed,
    /// A message of the task is slowed by others, with a penalty above 4.
    MostSlowed,
}

impl Activity {
    /// The activity during a transfer with a penalty.
    fn of_penalty(penalty: f64) -> Self {
        match penalty {
            p if p <= UNCONTENDED_PENALTY => Self::Transfer,
            p if p <= 2.0 => Self::Slowed,
            p if p <= 4.0 => Self::MuchSlowed,
            _ => Self::MostSlowed,
        }
    }

    /// The class in the style sheet, which sets its color.
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Computing => "computing",
            Self::Sleeping => "sleeping",
            Self::Waiting => "waiting",
            Self::Transfer => "transfer",
            Self::Slowed => "slowed-1",
            Self::MuchSlowed => "slowed-2",
            Self::MostSlowed => "slowed-3",
        }
    }

    /// The text in the legend.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Computing => "computing",
            Self::Sleeping => "sleeping",
            Self::Waiting => "waiting for a partner",
            Self::Transfer => "transfer, not slowed",
            Self::Slowed => "transfer slowed by others, penalty up to 2",
            Self::MuchSlowed => "transfer slowed by others, penalty 2 to 4",
            Self::MostSlowed => "transfer slowed by others, penalty over 4",
        }
    }

    /// The thickness of its line as a share of the lane, so that activities differ without color.
    pub(crate) const fn thickness(self) -> f64 {
        match self {
            Self::Computing | Self::MostSlowed => 0.84,
            Self::MuchSlowed => 0.72,
            Self::Slowed => 0.6,
            Self::Transfer => 0.45,
            Self::Waiting => 0.2,
            Self::Sleeping => 0.08,
        }
    }
}

/// The timeline of a simulation with events and communications; `hosts` names the host of each
/// task.
pub(crate) fn timeline(outcome: &Outcome, hosts: &[&str]) -> Timeline {
    let lanes = outcome.tasks.len().min(MAX_LANES);
    let lane_height = (LANES_HEIGHT / lanes.max(1) as f64).clamp(3.0, 18.0);
    let height = lanes as f64 * lane_height;
    let end = outcome.end.get();
    let mut slots = vec![vec![Vec::<(Activity, f64)>::new(); SLOTS]; lanes];
    for event in outcome.events.iter().filter(|event| event.rank.index() < lanes) {
        for (activity, from, to) in segments(outcome, event) {
            add_to_slots(&mut slots[event.rank.index()], activity, (from, to), end);
        }
    }
    let longest: Vec<Vec<Option<Activity>>> =
        slots.iter().map(|lane| lane.iter().map(|slot| longest_activity(slot)).collect()).collect();
    let mut activities: Vec<Activity> = longest.iter().flatten().flatten().copied().collect();
    activities.sort_unstable();
    activities.dedup();
    let name_every = (NAME_DISTANCE / lane_height).ceil() as usize;
    let times = time_labels(end);
    let mut svg = String::new();
    for &(position, _) in &times {
        let x = position * SLOTS as f64;
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{x:.1} 0V{height:.1}\" \
                vector-effect=\"non-scaling-stroke\"/>"
        );
    }
    for (task, lane) in longest.iter().enumerate() {
        let y = (task as f64 + 0.5) * lane_height;
        for (activity, path) in lane_paths(lane, y) {
            let (class, width) = (activity.class(), activity.thickness() * lane_height);
            let _ =
                write!(svg, "<path class=\"{class}\" stroke-width=\"{width:.1}\" d=\"{path}\"/>");
        }
        svg.push('\n');
    }
    let markup = html! {
        div.timeline role="img" aria-label="Activity of each task over time" {
            div.names style=(format!("height:{height:.0}px")) {
                @for task in (0..lanes).step_by(name_every) {
                    span style=(format!("top:{:.1}px", (task as f64 + 0.5) * lane_height)) title=[hosts.get(task)] { "task " (task) }
                }
            }
            svg.lanes viewBox=(format!("0 0 {SLOTS} \
                {height:.1}")) preserveAspectRatio="none" style=(format!("height:{height:.0}px"))
                aria-hidden="true" { (PreEscaped(svg)) }
            div.times {
                @for (position, label) in &times {
                    // Labels near the right end are aligned at their right side.
                    span.last[*position > 0.85] style=(format!("left:{:.2}%", position * 100.0)) { (label) }
                }
            }
        }
    };
    Timeline { markup, activities, omitted_tasks: outcome.tasks.len() - lanes }
}

/// The activities during an operation, each with its start and end.
fn segments(outcome: &Outcome, event: &Event) -> Vec<(Activity, Seconds, Seconds)> {
    let whole = |activity| vec![(activity, event.start, event.end)];
    let communication = match event.operation {
        Operation::Compute(_) | Operation::Combine(_) => return whole(Activity::Computing),
        Operation::Spin(_) => return whole(Activity::Sleeping),
        _ => event.communication.map(|index| &outcome.communications[index]),
    };
    let Some(communication) = communication else { return whole(Activity::Transfer) };
    let within =
        |time: Seconds, low: Seconds| Seconds::new(time.get().max(low.get()).min(event.end.get()));
    let start = within(outcome.transfer_start(event).unwrap_or(event.start), event.start);
    let mut segments = vec![(Activity::Waiting, event.start, start)];
    let (mut from, mut activity) = (start, Activity::Transfer);
    for &(since, penalty) in &communication.penalties {
        let since = within(since, start);
        segments.push((activity, from, since));
        (from, activity) = (since, Activity::of_penalty(penalty));
    }
    segments.push((activity, from, event.end));
    segments.retain(|(_, from, to)| to > from);
    segments
}

/// Adds the time of an activity to the slots that it covers, each of the [`SLOTS`] equal parts of
/// the time from 0 to `end` \[s\]; the added numbers are parts of a slot, 0 to 1.
fn add_to_slots(
    slots: &mut [Vec<(Activity, f64)>],
    activity: Activity,
    (from, to): (Seconds, Seconds),
    end: f64,
) {
    let position = |time: Seconds| if end > 0.0 { time.get() / end * SLOTS as f64 } else { 0.0 };
    let (from, to) = (position(from), position(to).min(SLOTS as f64));
    for (index, slot) in
        slots.iter_mut().enumerate().take(to.ceil() as usize).skip(from.floor() as usize)
    {
        let part = to.min(index as f64 + 1.0) - from.max(index as f64);
        match slot.iter_mut().find(|(other, _)| *other == activity) {
            Some((_, sum)) => *sum += part,
            None => slot.push((activity, part)),
        }
    }
}

/// The activity that takes most of a slot; `None` if the slot is idle for more than half of its
/// time.
fn longest_activity(slot: &[(Activity, f64)]) -> Option<Activity> {
    let busy: f64 = slot.iter().map(|(_, part)| part).sum();
    let longest =
        slot.iter().reduce(|longest, next| if next.1 > longest.1 { next } else { longest })?;
    (busy >= 0.5).then_some(longest.0)
}

/// The slots of a lane as horizontal lines at a height, one path for each activity.
fn lane_paths(lane: &[Option<Activity>], y: f64) -> Vec<(Activity, String)> {
    let mut paths: Vec<(Activity, String)> = Vec::new();
    let mut start = 0;
    for run in lane.chunk_by(|a, b| a == b) {
        let (from, to) = (start, start + run.len());
        start = to;
        let Some(activity) = run[0] else { continue };
        let index = paths.iter().position(|(other, _)| *other == activity).unwrap_or_else(|| {
            paths.push((activity, String::new()));
            paths.len() - 1
        });
        let _ = write!(paths[index].1, "M{from} {y:.1}H{to}");
    }
    paths
}

/// Round times from 0 on, each as its share of the whole duration and its label.
fn time_labels(end: f64) -> Vec<(f64, String)> {
    if end <= 0.0 {
        return Vec::new();
    }
    let least_step = end / MAX_TIME_LABELS;
    let power = 10.0_f64.powf(least_step.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|digit| digit * power)
        .find(|step| *step >= least_step);
    let step = step.unwrap_or(least_step);
    let label = |k: usize| if k == 0 { "0".to_owned() } else { time_label(k as f64 * step) };
    (0..=(end / step) as usize).map(|k| (k as f64 * step / end, label(k))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use orrery::schedule::{Rank, Tag, Transfer};
    use orrery::simulate::Communication;
    use orrery::units::Bytes;

    /// A receive from 0 to 10 whose message starts at 4, has no penalty until 6 and then a penalty
    /// of 3.
    fn outcome() -> (Outcome, Event) {
        let at = Seconds::new;
        let communication = Communication {
            from: Rank(1),
            to: Rank(0),
            statement: 0,
            size: Bytes::new(1),
            start: at(4.0),
            end: at(10.0),
            conflicts: Vec::new(),
            penalties: vec![(at(4.0), 1.0), (at(6.0), 3.0)],
            lost: at(2.0),
            losses: Vec::new(),
        };
        let event = Event {
            rank: Rank(0),
            statement: 0,
            operation: Operation::Do(Transfer::Receive {
                from: Rank(1),
                size: Bytes::new(1),
                tag: Tag::default(),
            }),
            start: at(0.0),
            end: at(10.0),
            communication: Some(0),
        };
        let (tasks, events) = (Vec::new(), vec![event]);
        (
            Outcome {
                end: at(10.0),
                tasks,
                events,
                communications: vec![communication],
                rate_updates: 0,
            },
            event,
        )
    }

    #[test]
    fn waiting_for_a_late_partner_is_not_a_penalty() {
        let (outcome, event) = outcome();
        let found: Vec<_> = segments(&outcome, &event)
            .iter()
            .map(|(a, from, to)| (*a, from.get(), to.get()))
            .collect();
        let expected = [
            (Activity::Waiting, 0.0, 4.0),
            (Activity::Transfer, 4.0, 6.0),
            (Activity::MuchSlowed, 6.0, 10.0),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn time_labels_are_few_and_round() {
        for end in [0.0341, 1.0, 7.3, 1e-6, 123.4] {
            let labels = time_labels(end);
            assert!((3..=5).contains(&labels.len()), "{end}: {labels:?}");
            assert!(labels.iter().all(|(position, _)| (0.0..=1.0).contains(position)));
        }
    }
}
