//! Tables of rules that were verified.

use super::format::seconds;
use super::table::{Cell, Column, Table};
use orrery::tuning::mpi::{Verdict, Verified};

/// The table of times without rules and with them, by operation and size, with a line that sums
/// them up.
///
/// Keys: operation, size, default_seconds, tuned_seconds, ratio (with rules by without them),
/// ratio_low, ratio_high, p_value (of the rank test), verdict (helps, hurts, not significant).
pub fn verification(all: &[Verified]) -> Table {
    let columns = [
        Column::text("operation"),
        Column::number("size"),
        Column::number("default_seconds").with_title("default"),
        Column::number("tuned_seconds").with_title("with rules"),
        Column::number("ratio"),
        Column::number("ratio_low").with_title("low").drop_priority(2),
        Column::number("ratio_high").with_title("high").drop_priority(2),
        Column::number("p_value").with_title("p").drop_priority(1),
        Column::text("verdict"),
    ];
    let mut table = Table::new("verification", "Times without rules and with them", columns);
    for one in all {
        let number = |value: f64| Cell::number(value, format!("{value:.3}"));
        let bound = |value: Option<f64>| value.map_or(Cell::Null, number);
        table.push([
            Cell::text(one.operation.name()),
            Cell::size(one.size),
            seconds(one.default.get()),
            seconds(one.tuned.get()),
            number(one.ratio),
            bound(one.interval.map(|(low, _)| low)),
            bound(one.interval.map(|(_, high)| high)),
            number(one.p_value),
            Cell::text(one.verdict.name()),
        ]);
    }
    table
}

/// What the rules did, in words: how many points are faster and slower at this confidence level,
/// and the mean ratio.
pub fn verification_summary(all: &[Verified], level: f64) -> String {
    let count = |verdict| all.iter().filter(|one| one.verdict == verdict).count();
    let mean = all.iter().map(|one| one.ratio.ln()).sum::<f64>() / all.len().max(1) as f64;
    format!(
        "of {} points the rules make {} faster and {} slower, significantly (where nothing \
            differs, {:.1} by chance); the geometric mean \
         of the ratios is {:.3}",
        all.len(),
        count(Verdict::Helps),
        count(Verdict::Hurts),
        all.len() as f64 * (1.0 - level),
        mean.exp()
    )
}
