//! The page of a simulated application: its tasks over time, and the time that messages lost to
//! each other.

use maud::{Markup, PreEscaped, html};

use super::document::{html_table, page};
use crate::figures::timeline::{Activity, timeline};
use crate::tables::format::{counted, unbroken_percent as percent};
use crate::tables::simulation::{conflicts, pair_losses, tasks};
use orrery::schedule::Rank;
use orrery::simulate::{Communication, Outcome, TaskTimes};
use orrery::units::Seconds;

/// What was simulated, as the heading of a page names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimulationInfo<'a> {
    /// The name of the network model, such as `maxmin`.
    pub network: &'a str,
    /// The file of the cluster, if there is one.
    pub cluster: Option<&'a str>,
    /// The command line that wrote the page.
    pub command: &'a str,
}

/// The page of a simulation; the outcome needs events and communications.
///
/// `hosts` names the host of each task; `place` gives the place of a statement of a task in its
/// trace. Equal inputs give equal bytes, and all text from the inputs is escaped.
pub fn simulation_page(
    outcome: &Outcome,
    info: &SimulationInfo<'_>,
    hosts: &[&str],
    place: impl Fn(Rank, u32) -> Option<String>,
) -> String {
    let sections = [
        ("Timeline", timeline_section(outcome, hosts)),
        ("Lost time", conflict_section(outcome, place)),
        (
            "Tasks",
            html! { section id="tasks" { h2 { "Tasks" } (html_table(&tasks(outcome, hosts))) } },
        ),
        ("How to read this page", glossary()),
    ];
    let title = match info.cluster {
        Some(cluster) => {
            let file = cluster.rsplit('/').next().unwrap_or(cluster);
            format!("{} simulated on {file}", counted(outcome.tasks.len(), "task"))
        }
        None => format!("{} simulated with {}", counted(outcome.tasks.len(), "task"), info.network),
    };
    page(&title, &headline(outcome, info), &sections)
}

/// The execution time, the time lost to other messages, and where both come from.
fn headline(outcome: &Outcome, info: &SimulationInfo<'_>) -> Markup {
    let slowed = outcome.worst_communications().len();
    let messages = outcome.communications.len();
    let sum = |part: fn(&TaskTimes) -> Seconds| {
        outcome.tasks.iter().map(|task| part(task).get()).sum::<f64>()
    };
    let (computing, communicating) = (sum(|task| task.computing), sum(|task| task.communicating));
    let ends = sum(|task| task.end);
    let lost: f64 = outcome.communications.iter().map(|one| one.lost.get()).sum();
    let largest =
        outcome.communications.iter().map(Communication::largest_penalty).fold(1.0, f64::max);
    let share = if ends > 0.0 { communicating / ends } else { 0.0 };
    let unbroken = |seconds: Seconds| seconds.to_string().replace(' ', "\u{a0}");
    html! {
        p.lead {
            "The execution \
                time is " strong { (unbroken(outcome.end)) } ". " (slowed) " of " (counted(messages, "message"))
            @if slowed == 1 { " was" } @else { " were" } " slowed by other messages"
            @if slowed > 0 { ", which cost " strong { (unbroken(Seconds::new(lost))) } " in all" } "."
        }
        dl.source {
            @if let Some(cluster) = info.cluster { div { dt { "Cluster" } dd { (cluster) } } }
            div { dt { "Network model" } dd { (info.network) } }
            div { dt { "Command" } dd { code { (info.command) } } }
        }
        dl.tiles {
            div { dt { "share of communication in the time of all tasks" } dd { (percent(share)) } }
            div { dt { "computing, sum over tasks" } dd { (Seconds::new(computing)) } }
            div { dt { "messages" } dd { (messages) } }
            div { dt { "largest penalty" } dd { (format!("{largest:.2}")) } }
        }
    }
}

/// The section with the timeline and its legend.
fn timeline_section(outcome: &Outcome, hosts: &[&str]) -> Markup {
    let timeline = timeline(outcome, hosts);
    html! {
        section id="timeline" {
            h2 { "Timeline" }
            figure {
                (timeline.markup)
                ul.legend { @for activity in &timeline.activities { li { (swatch(*activity)) (activity.label()) } } }
                @if timeline.omitted_tasks > 0 {
                    figcaption { (counted(timeline.omitted_tasks, "further task")) " not drawn." }
                }
            }
        }
    }
}

/// The color and thickness of an activity, for the legend.
fn swatch(activity: Activity) -> Markup {
    let path = format!(
        "<path class=\"{}\" d=\"M0 7h26\" stroke-width=\"{:.1}\"/>",
        activity.class(),
        activity.thickness() * 14.0
    );
    html! { svg.swatch.lanes viewBox="0 0 26 14" aria-hidden="true" { (PreEscaped(path)) } }
}

/// The section with the messages that lost the most time.
fn conflict_section(outcome: &Outcome, place: impl Fn(Rank, u32) -> Option<String>) -> Markup {
    html! {
        section id="conflicts" {
            h2 { "Time lost to other messages" }
            p { "The lost time of a message is the time that it needs beyond that of an \
                uncontended message. It is divided among "
                "the messages that share the bottleneck, in proportion to their rates." }
            (html_table(&conflicts(outcome, place)))
            (html_table(&pair_losses(outcome)))
        }
    }
}

/// The section that explains the terms of the page.
fn glossary() -> Markup {
    html! {
        section id="reading" {
            h2 { "How to read this page" }
            dl.reading {
                dt { "Penalty" }
                dd { "The rate of an uncontended message over the actual rate: 2 means half the \
                    rate. Tables show the mean over "
                    "the time of the transfer, the timeline shows the penalty at each instant." }
                dt { "Waiting for a partner" }
                dd { "The partner has not started its send or receive. Waiting is no conflict and \
                    has no penalty." }
                dt { "Communicating" }
                dd { "The time in sends, receives and waits, with the time of waiting for \
                    partners." }
                dt { "Conflicts: outgoing, income, income/outgo" }
                dd { "Outgoing: other messages leave the same source. Income: others arrive at the \
                    same destination. Income/outgo: others "
                    "arrive at the source or leave the destination." }
                dt { "Culprits" }
                dd { "3→0 1.2 ms: the message lost 1.2 ms to messages from task 3 to task 0." }
            }
        }
    }
}
