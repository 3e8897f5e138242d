//! The page of a replay: its tasks over time, and what they lost to each other.

use maud::{Markup, PreEscaped, html};

use super::document::{contents, document, footer, html_table};
use crate::figures::timeline;
use crate::tables::format::{counted, unbroken_percent as percent};
use crate::tables::simulation::{conflicts, pair_losses, tasks};
use orrery::schedule::Rank;
use orrery::simulate::{Communication, Outcome, TaskTimes};
use orrery::units::Seconds;

/// The page of a replay. It needs events and communications in the outcome; `network` is its word, `hosts` names the host
/// of each task, `place` tells where a statement of a task stands.
///
/// The same input gives the same bytes. Everything that comes from the input is escaped.
pub fn simulation_page(
    outcome: &Outcome,
    network: &str,
    hosts: &[&str],
    place: impl Fn(Rank, u32) -> Option<String>,
) -> String {
    let sections = [
        ("Timeline", over_time(outcome, hosts)),
        ("Worst conflicts", of_conflicts(outcome, place)),
        ("Tasks", html! { section id="tasks" { h2 { "Tasks" } (html_table(&tasks(outcome, hosts))) } }),
        ("How to read this page", how_to_read()),
    ];
    let title = format!("{}, simulated on {network}", counted(outcome.tasks.len(), "task"));
    let body = html! {
        header {
            p.brand { "Orrery" }
            h1 { (title) }
            (headline(outcome))
            (contents(sections.iter().map(|(name, section)| (*name, section))))
        }
        main { @for (_, section) in &sections { (section) } }
        (footer())
    };
    document(&title, &body).into_string()
}

fn headline(outcome: &Outcome) -> Markup {
    let disturbed = outcome.worst_communications().len();
    let all = outcome.communications.len();
    let sum = |part: fn(&TaskTimes) -> Seconds| outcome.tasks.iter().map(|task| part(task).get()).sum::<f64>();
    let (computing, communicating) = (sum(|task| task.computing), sum(|task| task.communicating));
    let ends = sum(|task| task.end);
    let lost: f64 = outcome.communications.iter().map(|one| one.lost.get()).sum();
    let largest = outcome.communications.iter().map(Communication::largest_penalty).fold(1.0, f64::max);
    let share = if ends > 0.0 { communicating / ends } else { 0.0 };
    html! {
        p.lead {
            "It takes " strong { (outcome.end.to_string().replace(' ', "\u{a0}")) } ". " (counted(disturbed, "message")) " of " (all)
            @if disturbed == 1 { " was" } @else { " were" } " held up by others"
            @if disturbed > 0 { ", " strong { (Seconds::new(lost).to_string().replace(' ', "\u{a0}")) } " in all against running alone" } "."
        }
        dl.tiles {
            div { dt { "of the time of tasks is communication" } dd { (percent(share)) } }
            div { dt { "computing, all tasks" } dd { (Seconds::new(computing)) } }
            div { dt { "messages" } dd { (all) } }
            div { dt { "largest penalty" } dd { (format!("{largest:.2}")) } }
        }
    }
}

fn over_time(outcome: &Outcome, hosts: &[&str]) -> Markup {
    let timeline = timeline::svg(outcome, hosts);
    html! {
        section id="timeline" {
            h2 { "Timeline" }
            figure {
                (PreEscaped(&timeline.svg))
                ul.legend {
                    @for (class, words) in &timeline.legend { li { (swatch(class)) (words) } }
                }
                @if timeline.left_out > 0 {
                    figcaption { (counted(timeline.left_out, "further task")) " are not drawn." }
                }
            }
        }
    }
}

fn swatch(class: &str) -> Markup {
    let path = format!("<path class=\"{class}\" d=\"M0 7h26\" stroke-width=\"12\"/>");
    html! { svg.swatch viewBox="0 0 26 14" aria-hidden="true" { g.lanes { (PreEscaped(path)) } } }
}

fn of_conflicts(outcome: &Outcome, place: impl Fn(Rank, u32) -> Option<String>) -> Markup {
    html! {
        section id="conflicts" {
            h2 { "Worst conflicts" }
            p { "Each message against the same message alone: its loss is shared out to those that shared with it what held it "
                "up, by the rate at which they took it." }
            (html_table(&conflicts(outcome, place)))
            (html_table(&pair_losses(outcome)))
        }
    }
}

fn how_to_read() -> Markup {
    html! {
        section id="reading" {
            h2 { "How to read this page" }
            dl.reading {
                dt { "Penalty" }
                dd { "The rate that a message would have alone over the rate that it has: 2 means half of it. In tables the mean over "
                    "the time in which it flowed; in the timeline that of the message whose end a task waited for." }
                dt { "Communicating" }
                dd { "In sends, receives and waits: also for a partner who is late, which is no conflict and has the penalty 1." }
                dt { "Outgoing, income, income/outgo" }
                dd { "Others left its source; others came to its destination; others came to its source or left its destination." }
                dt { "Culprits" }
                dd { "3→0 1.2 ms: so much was lost to messages from task 3 to task 0." }
            }
        }
    }
}
