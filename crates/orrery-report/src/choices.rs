//! Configurations that may be chosen, and why none is better, as tables.

use super::format::{maybe_seconds, seconds};
use super::table::{Cell, Column, Table};
use orrery::scaling::RankedConfiguration;
use orrery::scaling::search::{OptimalityProof, Ranking, RankingScope};

/// The best configurations for some problems, one line each. Keys: n (null where there is none), rank, configuration,
/// processes, p, q, block, seconds, low, high, `core_hours`, cost, `told_apart` (whether the model is sure that the first
/// is better; null of the first), extrapolated.
pub fn choices(all: &[(Option<f64>, Vec<RankedConfiguration>)]) -> Table {
    let every = || all.iter().flat_map(|(_, choices)| choices);
    let columns = [
        Column::numbers("n").dispensable(if all.len() > 1 { 0 } else { 7 }),
        Column::numbers("rank").dispensable(6),
        Column::words("configuration"),
        Column::numbers("processes").dispensable(3),
        Column::numbers("p").dispensable(3),
        Column::numbers("q").dispensable(3),
        Column::numbers("block").dispensable(3),
        Column::numbers("seconds").titled("time"),
        Column::numbers("low").dispensable(2),
        Column::numbers("high").dispensable(2),
        Column::numbers("core_hours").titled("core-hours").dispensable(4),
        Column::numbers("cost").dispensable(4),
        Column::words("told_apart").titled("told apart").dispensable(1),
        Column::words("extrapolated").titled("beyond range").dispensable(5),
    ];
    let mut table = Table::new("choices", "", columns);
    let number = |value: Option<u32>| value.map_or(Cell::Null, |value| Cell::integer(value.into()));
    for (n, choices) in all {
        for (place, choice) in choices.iter().enumerate() {
            let candidate = &choice.candidate;
            let interval = choice.forecast.interval;
            table.push([
                n.map_or(Cell::Null, |n| Cell::number(n, n.to_string())),
                Cell::integer(place as u64 + 1),
                Cell::text(candidate.configuration.to_string()),
                Cell::integer(candidate.layout.processes.into()),
                number(candidate.layout.grid.map(|(rows, _)| rows)),
                number(candidate.layout.grid.map(|(_, columns)| columns)),
                number(candidate.layout.block),
                seconds(candidate.time.get()),
                maybe_seconds(interval.map(|(low, _)| low.get())),
                maybe_seconds(interval.map(|(_, high)| high.get())),
                Cell::number(candidate.core_hours, format!("{:.3}", candidate.core_hours)),
                candidate.cost.map_or(Cell::Null, |cost| Cell::number(cost, format!("{cost:.4}"))),
                choice.significantly_worse.map_or(Cell::Null, Cell::Flag),
                Cell::Flag(choice.forecast.extrapolated),
            ]);
        }
    }
    if every().any(|choice| choice.significantly_worse == Some(false)) {
        table = table.with_note("Not told apart: the model is not sure that the first is better; either may be.");
    }
    table.sparing_empty()
}

/// What the claim rests on that nothing is better, one line for each problem. Keys: n, selections, layouts, examined,
/// tested, programmes, optimal, bound, gap, ranked (`configurations`: the next best of all; `layouts`: the best of each
/// layout).
pub fn certificates(all: &[(Option<f64>, Ranking)]) -> Table {
    let columns = [
        Column::numbers("n"),
        Column::words("optimal"),
        Column::numbers("selections"),
        Column::numbers("layouts"),
        Column::numbers("examined").dispensable(1),
        Column::numbers("tested").dispensable(3),
        Column::numbers("programmes").dispensable(4),
        Column::numbers("bound"),
        Column::numbers("gap").dispensable(2),
        Column::words("ranked").dispensable(5),
    ];
    let mut table = Table::new("certificate", "", columns);
    for (n, ranking) in all {
        let OptimalityProof {
            selections,
            layouts,
            examined_layouts: examined,
            feasibility_tests: tested,
            dynamic_programs: programmes,
            lower_bound: bound,
            ..
        } = ranking.proof;
        let gap = ranking.proof.gap();
        table.push([
            n.map_or(Cell::Null, |n| Cell::number(n, n.to_string())),
            Cell::Flag(ranking.proof.is_optimal()),
            Cell::number(
                selections,
                if selections < 1e6 { selections.to_string() } else { format!("{selections:.1e}") },
            ),
            Cell::integer(layouts),
            Cell::integer(examined),
            Cell::integer(tested),
            Cell::integer(programmes),
            Cell::number(bound, format!("{bound:.4}")),
            Cell::number(gap, format!("{:.1} %", gap * 100.0)),
            Cell::text(match ranking.scope {
                RankingScope::Configurations => "configurations",
                RankingScope::Layouts => "layouts",
            }),
        ]);
    }
    table
}
