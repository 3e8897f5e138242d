//! The table of applications on several clusters, networks and placements.

use std::collections::BTreeSet;

use super::alarms::ShownAlarm;
use super::columns::Columns;
use super::format::{factor_cell, percent_cell, seconds};
use super::table::{Cell, Table};
use orrery::platform::Assumption;
use orrery::request::{Assumed, NetworkCandidate, NetworkTime, RankedNetworks};
use orrery::simulate::Objective;
use orrery::units::Seconds;

/// The part of the time of a run that shared links cost: (S − S_unshared) / S, at least 0, and 0
/// for a run without time.
fn lost_share(shared: Seconds, unshared: Seconds) -> f64 {
    if shared > Seconds::ZERO { ((shared - unshared).get() / shared.get()).max(0.0) } else { 0.0 }
}

/// The table of candidates, the best first, one line for each candidate and application.
///
/// Keys: place (from 1), cluster, network, placement, score (the objective), behind (percent above
/// the best), application, seconds, best (true if no candidate is faster), communicating, unshared
/// (the time in communication without sharing), lost (the share of it that sharing costs), alarms
/// (what is assumed). People
/// see one line for each candidate; a star marks the best time of an application.
pub fn networks(
    RankedNetworks { candidates, best, .. }: &RankedNetworks<'_>,
    applications: &[&str],
    objective: Objective,
) -> Table {
    let objective = &objective.name().replace('-', " ");
    let places: Vec<Place<'_>> =
        candidates.iter().enumerate().map(|(k, one)| (k + 1, one)).collect();
    let clusters: BTreeSet<&str> = candidates.iter().map(|candidate| candidate.cluster).collect();
    let are_distinct =
        clusters.iter().map(|name| short(name)).collect::<BTreeSet<_>>().len() == clusters.len();
    let first = candidates.first().map_or(0.0, |candidate| candidate.score);
    let mut rows = Vec::new();
    for place in &places {
        let times = applications.iter().zip(&place.1.times).zip(best);
        rows.extend(
            times.map(|((name, time), &best)| (*place, *name, *time, time.seconds.get() <= best)),
        );
    }
    let mut columns = Columns::of(&rows);
    add_places(&mut columns, objective, first, false, |row| &row.0);
    columns.text("application", |(_, name, ..)| *name);
    columns.number("seconds", |(_, _, time, _)| time.seconds).titled("time");
    columns.text("best", |(.., is_best)| *is_best);
    columns.number("communicating", |(_, _, time, _)| time.communicating);
    columns.number("unshared", |(_, _, time, _)| time.unshared);
    columns.number("lost", |(_, _, time, _)| {
        percent_cell(lost_share(time.communicating, time.unshared))
    });
    columns.text("alarms", |(place, ..)| alarm_cell(&place.1.assumed));
    let table = columns.table("networks", "Networks");

    let mut columns = Columns::of(&places);
    add_places(&mut columns, objective, first, are_distinct, |place| place);
    for (k, name) in applications.iter().enumerate() {
        let time = |(_, one): &Place<'_>| {
            let time = one.times[k].seconds;
            let star = if time.get() <= best[k] { " *" } else { "  " };
            Cell::number(time.get(), format!("{time}{star}"))
        };
        columns.number(*name, time).titled(short(name));
    }
    let sum = |one: &NetworkCandidate<'_>, of: fn(&NetworkTime) -> Seconds| -> Seconds {
        one.times.iter().map(of).sum()
    };
    columns.number("lost", |(_, one)| {
        percent_cell(lost_share(
            sum(one, |time| time.communicating),
            sum(one, |time| time.unshared),
        ))
    });
    columns.text("alarms", |(_, one)| alarm_cell(&one.assumed)).drop_first(1);
    let all: BTreeSet<String> = candidates
        .iter()
        .flat_map(|one| &one.assumed)
        .map(|assumed| shown(assumed).line())
        .collect();
    let lines: Vec<String> = std::iter::once(note(candidates, objective)).chain(all).collect();
    let display = columns.table("networks", "").with_note(lines.join("\n"));
    let display = display.hide_empty_columns().display_table().clone();
    table.with_display(display)
}

/// The table of what a simulation assumes; `None` if it is nothing.
///
/// Keys: alarm (what is missing: latency, memory), message, settle.
pub fn assumptions(all: &[&Assumed]) -> Option<Table> {
    let mut columns = Columns::of(all);
    columns.text("alarm", |one| shown(one).name);
    columns.text("message", |one| shown(one).message);
    columns.text("settle", |one| shown(one).settle);
    columns.table("alarms", "Assumed").if_filled()
}

/// The cell with what is assumed.
fn alarm_cell(all: &[Assumed]) -> Cell {
    Cell::List(all.iter().map(|one| shown(one).cell()).collect())
}

/// What is assumed as an alarm.
fn shown(one: &Assumed) -> ShownAlarm {
    let settle = match one.assumption {
        Assumption::Latency { .. } => format!("write the latency into {}", one.file),
        Assumption::Memory => {
            format!("write [links.memory] with bandwidth and latency into {}", one.file)
        }
    };
    ShownAlarm { name: one.assumption.name(), message: one.to_string(), settle }
}

/// A candidate and its place.
type Place<'a> = (usize, &'a NetworkCandidate<'a>);

/// Adds the columns of a candidate; `first` is the objective of the best. Short names of clusters
/// have no directory.
fn add_places<'a, R>(
    columns: &mut Columns<'a, R>,
    objective: &str,
    first: f64,
    are_short: bool,
    of: impl Fn(&'a R) -> &'a Place<'a>,
) {
    columns.number("place", |row| of(row).0);
    let cluster = |name: &str| if are_short { short(name) } else { name.to_owned() };
    columns.text("cluster", |row| cluster(of(row).1.cluster));
    columns.text("network", |row| of(row).1.network);
    columns.text("placement", |row| of(row).1.placement);
    let is_slowdown = objective.contains("slowdown");
    let score = |score: f64| if is_slowdown { factor_cell(score) } else { seconds(score) };
    columns.number("score", |row| score(of(row).1.score)).titled(objective);
    columns.number("behind", |row| {
        let (place, one) = of(row);
        let behind = if first > 0.0 { (one.score / first - 1.0) * 100.0 } else { 0.0 };
        let text = if *place == 1 { "best".to_owned() } else { format!("+{behind:.1} %") };
        Cell::number(behind, text)
    });
}

/// The name of a file without its directory.
fn short(name: &str) -> String {
    name.rsplit('/').next().unwrap_or(name).to_owned()
}

/// The remark that explains the star and why the first candidate is the best.
fn note(candidates: &[NetworkCandidate<'_>], objective: &str) -> String {
    let star = "* fastest candidate for this application; lost: share of the time in communication \
        that sharing costs.";
    let [first, second, ..] = candidates else { return star.to_owned() };
    if second.score <= first.score {
        return format!("{star} The first candidates are equally good.");
    }
    let sum = |candidate: &NetworkCandidate<'_>, of: fn(&NetworkTime) -> Seconds| {
        candidate.times.iter().map(of).map(Seconds::get).sum::<f64>()
    };
    let gain = sum(second, |time| time.seconds) - sum(first, |time| time.seconds);
    let unshared =
        sum(second, |time| time.unshared_seconds) - sum(first, |time| time.unshared_seconds);
    let why = if gain <= 0.0 {
        String::new()
    } else if unshared <= 0.1 * gain {
        "; without sharing they would be equally fast, so it has less contention".to_owned()
    } else if unshared >= 0.9 * gain {
        "; the difference remains without sharing, so its links or processors are faster or better \
            used"
            .to_owned()
    } else {
        let part = (gain - unshared) / gain * 100.0;
        format!(
            "; {part:.0} % of the difference comes from sharing, the rest from faster links or \
                processors"
        )
    };
    let above = (second.score / first.score - 1.0) * 100.0;
    format!("{star} The {objective} of the second is {above:.1} % above that of the best{why}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(seconds: f64, communicating: f64, unshared: f64) -> NetworkTime {
        let [seconds, communicating, unshared] =
            [seconds, communicating, unshared].map(Seconds::new);
        NetworkTime { seconds, communicating, unshared, unshared_seconds: Seconds::new(1.0) }
    }

    #[test]
    fn the_lost_share_is_between_0_and_1() {
        for (communicating, unshared, lost) in [(2.0, 1.0, 0.5), (2.0, 3.0, 0.0), (0.0, 0.0, 0.0)] {
            let [shared, unshared] = [communicating, unshared].map(Seconds::new);
            assert!((lost_share(shared, unshared) - lost).abs() < 1e-15);
        }
    }

    #[test]
    fn the_best_times_are_marked_and_the_note_explains_the_difference() {
        let times = [
            [time(1.0, 2.0, 1.0), time(3.0, 1.0, 1.0)],
            [time(2.0, 2.0, 2.0), time(2.5, 1.0, 0.0)],
        ];
        let candidate = |k: usize, score| NetworkCandidate {
            cluster: "c",
            network: "maxmin",
            placement: "rrn",
            score,
            times: times[k].to_vec(),
            assumed: Vec::new(),
        };
        let candidates = vec![candidate(0, 4.0), candidate(1, 4.5)];
        let ranked = RankedNetworks { candidates, best: vec![1.0, 2.5], count: 2 };
        let table = networks(&ranked, &["a/x.tit", "y.tit"], Objective::Total);
        let best: Vec<_> = table.rows().iter().map(|row| row[8].clone()).collect();
        assert_eq!(best, [true, false, false, true].map(Cell::Flag));
        let people = table.display_table();
        assert_eq!((people.rows().len(), people.columns()[6].title.as_str()), (2, "x.tit"));
        assert!(
            people.note.contains("12.5 % above that of the best; without sharing"),
            "{}",
            people.note
        );
    }
}
