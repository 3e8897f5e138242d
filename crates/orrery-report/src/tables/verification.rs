//! Tables of rules that were verified.

use super::columns::Columns;
use super::format::factor_cell;
use super::table::Table;
use orrery::tuning::mpi::{Verdict, Verified};

/// The table of times without rules and with them, by operation and size, with a line that sums
/// them up.
///
/// Keys: operation, size, default_seconds, tuned_seconds, ratio (with rules by without them),
/// ratio_low, ratio_high, p_value (of the rank test), verdict (helps, hurts, not significant).
pub fn verification(all: &[Verified]) -> Table {
    let mut columns = Columns::of(all);
    columns.text("operation", |one| one.operation.name());
    columns.number("size", |one| one.size);
    columns.number("default_seconds", |one| one.default).titled("default");
    columns.number("tuned_seconds", |one| one.tuned).titled("with rules");
    columns.number("ratio", |one| factor_cell(one.ratio));
    let low = |one: &Verified| one.interval.map(|(low, _)| factor_cell(low));
    columns.number("ratio_low", low).titled("low").drop_first(2);
    let high = |one: &Verified| one.interval.map(|(_, high)| factor_cell(high));
    columns.number("ratio_high", high).titled("high").drop_first(2);
    columns.number("p_value", |one| factor_cell(one.p_value)).titled("p").drop_first(1);
    columns.text("verdict", |one| one.verdict.name());
    columns.table("verification", "Times without rules and with them")
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
