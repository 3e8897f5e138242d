//! Applications on several clusters, networks and placements, as a table.

use std::collections::BTreeSet;

use super::format::seconds;
use super::table::{Cell, Column, Table};
use orrery::units::Seconds;

/// The time of an application on a candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NetworkTime {
    /// How long it runs.
    pub seconds: Seconds,
    /// What its tasks spend in communication, all together.
    pub communicating: Seconds,
    /// The same where no message shares a link with another.
    pub unshared: Seconds,
    /// How long it would run there.
    pub unshared_seconds: Seconds,
}

impl NetworkTime {
    /// The share of the time in communication that is lost because links are shared: (S − S_alone) / S, from 0 up to 1.
    ///
    /// Tasks that wait for each other lose what others lose, too; where sharing shortens a wait, nothing is lost.
    pub fn lost(&self) -> f64 {
        lost(self.communicating, self.unshared)
    }
}

fn lost(shared: Seconds, alone: Seconds) -> f64 {
    if shared > Seconds::ZERO { ((shared - alone).get() / shared.get()).max(0.0) } else { 0.0 }
}

/// A cluster with a network and a placement.
#[derive(Debug, Clone)]
pub struct NetworkCandidate<'a> {
    /// The cluster.
    pub cluster: &'a str,
    /// The network.
    pub network: &'a str,
    /// The placement.
    pub placement: String,
    /// What it is ranked by.
    pub score: f64,
    /// The applications.
    pub times: &'a [NetworkTime],
}

/// Candidates, the best first, one line for each with each application: `place` (from 1), `cluster`, `network`,
/// `placement`, `score` (by which they are ranked), `behind` (how much it is above the best, in percent), `application`,
/// `seconds`, `best` (no candidate is faster), `communicating` and `unshared` (seconds of all tasks, and what it would be
/// without others in the way), `lost` (the part of it that is lost to sharing). People read one line for each candidate,
/// times that no candidate beats with a star.
pub fn networks(candidates: &[NetworkCandidate<'_>], applications: &[&str], best: &[f64], objective: &str) -> Table {
    let shared = || {
        [
            Column::number("place"),
            Column::text("cluster"),
            Column::text("network"),
            Column::text("placement"),
            Column::number("score").with_title(objective),
            Column::number("behind"),
        ]
    };
    let own = [
        Column::text("application"),
        Column::number("seconds"),
        Column::text("best"),
        Column::number("communicating"),
        Column::number("unshared"),
        Column::number("lost"),
    ];
    let mut table = Table::new("networks", "Networks", shared().into_iter().chain(own));
    let each = applications.iter().map(|name| Column::number(*name).with_title(short(name)));
    let lost_column = [Column::number("lost").with_title("lost to sharing")];
    let mut people = Table::new("networks", "", shared().into_iter().chain(each).chain(lost_column));
    let clusters: BTreeSet<&str> = candidates.iter().map(|candidate| candidate.cluster).collect();
    let are_told_apart = clusters.iter().map(|name| short(name)).collect::<BTreeSet<_>>().len() == clusters.len();
    let first = candidates.first().map_or(0.0, |candidate| candidate.score);
    for (number, candidate) in candidates.iter().enumerate() {
        let behind = if first > 0.0 { (candidate.score / first - 1.0) * 100.0 } else { 0.0 };
        let score = if objective.contains("slowdown") {
            Cell::number(candidate.score, format!("{:.3}", candidate.score))
        } else {
            seconds(candidate.score)
        };
        let head = [
            Cell::integer(number as u64 + 1),
            Cell::text(candidate.cluster),
            Cell::text(candidate.network),
            Cell::text(candidate.placement.clone()),
            score,
            Cell::number(behind, if number == 0 { "best".to_owned() } else { format!("+{behind:.1} %") }),
        ];
        let mut row = head.to_vec();
        if are_told_apart {
            row[1] = Cell::text(short(candidate.cluster));
        }
        for ((name, time), &best) in applications.iter().zip(candidate.times).zip(best) {
            let is_best = time.seconds.get() <= best;
            let told = seconds(time.seconds.get());
            row.push(Cell::number(time.seconds.get(), told.display() + if is_best { " *" } else { "  " }));
            table.push(head.iter().cloned().chain([
                Cell::text(*name),
                told,
                Cell::Flag(is_best),
                seconds(time.communicating.get()),
                seconds(time.unshared.get()),
                share(time.lost()),
            ]));
        }
        let sum = |of: fn(&NetworkTime) -> Seconds| candidate.times.iter().map(of).sum();
        row.push(share(lost(sum(|time| time.communicating), sum(|time| time.unshared))));
        people.push(row);
    }
    table.with_display(people.with_note(note(candidates, objective)))
}

fn share(part: f64) -> Cell {
    Cell::number(part, format!("{:.1} %", part * 100.0))
}

/// The name of a file without its folder.
fn short(name: &str) -> String {
    name.rsplit('/').next().unwrap_or(name).to_owned()
}

/// Why the first candidate is the best, in words.
fn note(candidates: &[NetworkCandidate<'_>], objective: &str) -> String {
    let star = "* no candidate is faster for this application; lost: of the time in communication.";
    let [first, second, ..] = candidates else { return star.to_owned() };
    if second.score <= first.score {
        return format!("{star} The first candidates are equally good.");
    }
    let sum = |candidate: &NetworkCandidate<'_>, of: fn(&NetworkTime) -> Seconds| {
        candidate.times.iter().map(of).map(Seconds::get).sum::<f64>()
    };
    let gain = sum(second, |time| time.seconds) - sum(first, |time| time.seconds);
    let unshared = sum(second, |time| time.unshared_seconds) - sum(first, |time| time.unshared_seconds);
    let why = if gain <= 0.0 {
        String::new()
    } else if unshared <= 0.1 * gain {
        "; without sharing they would be equally fast: messages are less in each other's way".to_owned()
    } else if unshared >= 0.9 * gain {
        "; it would be as much faster without sharing: its links or processors are faster, or are used better"
            .to_owned()
    } else {
        let part = (gain - unshared) / gain * 100.0;
        format!("; {part:.0} % of the difference comes from sharing, the rest from faster links or processors")
    };
    let above = (second.score / first.score - 1.0) * 100.0;
    format!("{star} The {objective} of the second is {above:.1} % above that of the best{why}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(seconds: f64, communicating: f64, unshared: f64) -> NetworkTime {
        let [seconds, communicating, unshared] = [seconds, communicating, unshared].map(Seconds::new);
        NetworkTime { seconds, communicating, unshared, unshared_seconds: Seconds::new(1.0) }
    }

    #[test]
    fn what_is_lost_is_a_part() {
        for (communicating, unshared, lost) in [(2.0, 1.0, 0.5), (2.0, 3.0, 0.0), (0.0, 0.0, 0.0)] {
            assert!((time(1.0, communicating, unshared).lost() - lost).abs() < 1e-15);
        }
    }

    #[test]
    fn the_best_are_marked_and_the_difference_is_explained() {
        let times = [[time(1.0, 2.0, 1.0), time(3.0, 1.0, 1.0)], [time(2.0, 2.0, 2.0), time(2.5, 1.0, 0.0)]];
        let candidate = |k: usize, score| NetworkCandidate {
            cluster: "c",
            network: "maxmin",
            placement: "rrn".into(),
            score,
            times: &times[k],
        };
        let table = networks(&[candidate(0, 4.0), candidate(1, 4.5)], &["a/x.tit", "y.tit"], &[1.0, 2.5], "total");
        let best: Vec<_> = table.rows().iter().map(|row| row[8].clone()).collect();
        assert_eq!(best, [true, false, false, true].map(Cell::Flag));
        let people = table.display_table();
        assert_eq!((people.rows().len(), people.columns()[6].title.as_str()), (2, "x.tit"));
        assert!(people.note.contains("12.5 % above that of the best; without sharing"), "{}", people.note);
    }
}
