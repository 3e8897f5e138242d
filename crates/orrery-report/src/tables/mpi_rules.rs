//! Tables of rules for MPI libraries.

use super::columns::Columns;
use super::format::percent_cell;
use super::table::Table;
use orrery::schedule::CollectiveKind;
use orrery::tuning::mpi::{CommunicatorRules, Reason, Rule, Rules};
use orrery::units::Bytes;

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
