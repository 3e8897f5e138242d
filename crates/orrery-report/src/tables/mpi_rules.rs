//! Tables of rules for MPI libraries, and of their verification.

use orrery::schedule::CollectiveKind;
use orrery::tuning::mpi::{CommunicatorRules, Reason, Rule, Rules, Verdict, Verified};
use orrery::units::Bytes;

use super::columns::Columns;
use super::format::{factor_cell, percent_cell};
use super::table::Table;

/// The table of the rules for an MPI library, one row for each range of sizes.
///
/// Keys: operation, procs, from, to (the largest size; null for all), algorithm (null for the
/// default), default (null if it is not known), seconds and default_seconds (at the smallest size),
/// saved (the smallest part of the default's time that is saved), reason.
pub fn mpi_rules(rules: &Rules) -> Table {
    let mut rows: Vec<(&CommunicatorRules, &Rule, Option<u64>)> = Vec::new();
    for all in &rules.communicators {
        let ends = all.rules.iter().skip(1).map(|next| Some(next.from.get() - 1)).chain([None]);
        rows.extend(all.rules.iter().zip(ends).map(|(rule, end)| (all, rule, end)));
    }
    let size = |all: &CommunicatorRules, size: Option<u64>| {
        size.filter(|_| all.operation != CollectiveKind::Barrier).map(Bytes::new)
    };
    let faster = |rule: &Rule| match rule.reason {
        Reason::Faster { seconds, default, saved } => Some((seconds, default, saved)),
        _ => None,
    };
    let mut columns = Columns::of(&rows);
    columns.text("operation", |(all, ..)| all.operation.name());
    columns.number("procs", |(all, ..)| all.procs);
    columns.number("from", |(all, rule, _)| size(all, Some(rule.from.get())));
    columns.number("to", |(all, _, end)| size(all, *end));
    columns.text("algorithm", |(_, rule, _)| rule.algorithm.map(|one| one.to_string()));
    columns.text("default", |(_, rule, _)| rule.default.map(|one| one.to_string()));
    columns.number("seconds", |(_, rule, _)| faster(rule).map(|(own, ..)| own)).titled("time");
    columns
        .number("default_seconds", |(_, rule, _)| faster(rule).map(|(_, default, _)| default))
        .titled("default's time")
        .drop_first(1);
    columns
        .number("saved", |(_, rule, _)| faster(rule).map(|(.., saved)| percent_cell(saved)))
        .titled("saves at least");
    let reason = |rule: &Rule| match rule.reason {
        Reason::Faster { .. } => "a loss is excluded".to_owned(),
        other => other.words(),
    };
    columns.text("reason", |(_, rule, _)| reason(rule)).drop_first(2);
    columns.table("rules", format!("Rules for {}", rules.target))
}

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
